package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// session is the one whose events the measured hooks receive.
const session = "3f8a4d2e-6d0e-4c57-9d6b-0a4a5a3f9c11"

const head = `{"session_id":"` + session + `","transcript_path":"@REPO@/none.jsonl","cwd":"@REPO@","prompt_id":"65b1b20e-37b5-41d9-8468-2da60509c931","permission_mode":"bypassPermissions",`

// The measured events: a Write and a shell command before they run, an Edit after it ran, and the beginning of a turn.
const (
	preBash  = head + `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"@PAD@"},"tool_use_id":"toolu_01ABC"}`
	preWrite = head + `"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"@REPO@/src/a.go","content":"@PAD@"},"tool_use_id":"toolu_01ABC"}`
	postEdit = head + `"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"@REPO@/src/a.go","old_string":"x","new_string":"y","replace_all":false},` +
		`"tool_response":{"filePath":"@REPO@/src/a.go","oldString":"x","newString":"y","originalFile":"@PAD@","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-x","+y"]}],"userModified":false,"replaceAll":false},"tool_use_id":"toolu_01ABC","duration_ms":9}`
	prompt = head + `"hook_event_name":"UserPromptSubmit","prompt":"change src/a.go"}`
)

func (w *world) event(template string) []byte { return w.eventOf(template, source("x", small)) }

func (w *world) eventOf(template, text string) []byte {
	return payload(strings.ReplaceAll(template, "@REPO@", w.repo), text)
}

func (w *world) program(name, hook string, stdin []byte) *program {
	return &program{name: name, argv: []string{w.hook(hook)}, env: w.env(), dir: w.repo, stdin: stdin}
}

func interpreter(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find the floor %s: %w (make deps installs it)", name, err)
	}
	out, err := exec.Command(path, map[string][]string{"python3": {"-c", "import sys;print(sys.executable)"}, "node": {"-p", "process.execPath"}}[name]...).Output()
	return strings.TrimSpace(string(out)), err
}

// hookTable measures the two hot hooks against the floors.
func hookTable(w *world, o options, r *report) error {
	python, err := interpreter("python3")
	if err != nil {
		return err
	}
	node, err := interpreter("node")
	if err != nil {
		return err
	}
	if _, _, err := w.program("prompt", "devflow-user-prompt-submit", w.event(prompt)).once(); err != nil {
		return err
	}
	write := w.event(preWrite)
	pre := w.program("devflow-pre-tool-use, 4 KB Write", "devflow-pre-tool-use", write)
	status := w.program("devflow-pre-tool-use, git status", "devflow-pre-tool-use", w.eventOf(preBash, "git status"))
	post := w.program("devflow-post-tool-use, 4 KB Edit", "devflow-post-tool-use", w.event(postEdit))
	floor := func(name string, argv ...string) *program {
		return &program{name: name, argv: argv, env: w.env(), dir: w.repo, stdin: write}
	}
	c := floor("C + SQLite, one row, FULL", w.sqlite, w.path("floor.db"))
	goappend := floor("Go, append + fdatasync", w.goappend, w.path("floor.log"))
	py := floor("python3 -c pass", python, "-c", "pass")
	nodejs := floor("node -e 0", node, "-e", "0")
	before, err := w.rows()
	if err != nil {
		return err
	}
	const warm = 10
	if err := alternate(o.rounds, warm, pre, status, post, c, goappend, py, nodejs); err != nil {
		return err
	}
	after, err := w.rows()
	if err != nil {
		return err
	}
	r.title("One durable row per hook, whole process")
	r.times(c, goappend, pre, status, post, py, nodejs)
	r.count("rows written by the hooks", after-before, int64(3*(o.rounds+warm)))
	for _, h := range []*program{pre, status, post} {
		r.bound(h.name+" / C + SQLite", ratio(h, c), 2.8, 2)
		r.bound(h.name+" / Go append + fdatasync", ratio(h, goappend), 2.2, 1.6)
		r.bound(h.name+" / python3 -c pass", ratio(h, py), 1.0/5, 1.0/8)
		r.bound(h.name+" / node -e 0", ratio(h, nodejs), 1.0/4, 1.0/8)
	}
	return nil
}

// crowdTable runs 64 hooks at once on the one database.
func crowdTable(w *world, o options, r *report) error {
	const atOnce = 64
	write := w.event(preWrite)
	hook := w.program("64 × devflow-pre-tool-use", "devflow-pre-tool-use", write)
	parse := &program{name: "64 × parse the JSON in Go", argv: []string{w.gojson}, env: w.env(), dir: w.repo, stdin: write}
	before, err := w.rows()
	if err != nil {
		return err
	}
	for range o.crowd {
		for _, p := range []*program{hook, parse} {
			if err := crowd(atOnce, 1, p); err != nil {
				return err
			}
		}
	}
	after, err := w.rows()
	if err != nil {
		return err
	}
	r.title("64 processes at once, %d times", o.crowd)
	r.times(parse, hook)
	r.count("rows of 64 hooks at once", after-before, int64(atOnce*o.crowd))
	r.bound("p99 of 64 hooks at once / parse only", float64(hook.quantile(0.99))/float64(parse.quantile(0.99)), 3, 2)
	return nil
}

// instructionTable counts user-space instructions: the one figure that repeats on a noisy machine.
func instructionTable(w *world, _ options, r *report) error {
	r.title("User-space instructions (valgrind lackey)")
	for _, h := range []struct {
		what, name string
		stdin      []byte
	}{
		{"4 KB Write", "devflow-pre-tool-use", w.event(preWrite)},
		{"git status", "devflow-pre-tool-use", w.eventOf(preBash, "git status")},
		{"4 KB Edit", "devflow-post-tool-use", w.event(postEdit)},
	} {
		if err := w.checkpoint(); err != nil {
			return err
		}
		n, err := w.instructions(w.hook(h.name), h.stdin)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%-24s %-12s %.2f M\n", h.name, h.what, float64(n)/1e6)
		r.bound(h.name+", "+h.what+", M instructions", float64(n)/1e6, 1.6, 1.2)
	}
	return nil
}

// checkpoint empties the write-ahead log, whose length would count as instructions of recovery.
func (w *world) checkpoint() error {
	db, err := store.Open(w.db(), store.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}

func (w *world) instructions(exe string, stdin []byte) (int64, error) {
	cmd := exec.Command("valgrind", "--tool=lackey", "--basic-counts=yes", "--log-file="+w.path("lackey"), exe)
	cmd.Env, cmd.Dir, cmd.Stdin = w.env("GOMAXPROCS=1"), w.repo, strings.NewReader(string(stdin))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("valgrind %s: %w\n%s", exe, err, out)
	}
	log, err := os.ReadFile(w.path("lackey"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(log)) {
		if _, figure, ok := strings.Cut(line, "guest instrs:"); ok {
			return strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(figure), ",", ""), 10, 64)
		}
	}
	return 0, fmt.Errorf("valgrind %s: no instruction count in %q", exe, log)
}

// stopTable: the end of a turn must not cost more in a long session.
func stopTable(w *world, o options, r *report) error {
	small, err := w.transcript("small", 1<<10)
	if err != nil {
		return err
	}
	large, err := w.transcript("large", 200<<20)
	if err != nil {
		return err
	}
	for _, p := range []*program{small, large} {
		if _, _, err := p.once(); err != nil { // reads the file once, as the session's first Stop did
			return err
		}
	}
	if err := alternate(max(o.rounds/4, 20), 3, small, large); err != nil {
		return err
	}
	r.title("Stop without a boundary, one new turn in the transcript")
	r.times(small, large)
	r.bound("Stop, 200 MB transcript / 1 KB", ratio(large, small), 1.3, 1.1)
	return nil
}

// transcript makes a file of about size bytes and a Stop hook that finds one more turn in it at every run.
func (w *world) transcript(name string, size int) (*program, error) {
	id := "00000000-0000-4000-8000-" + fmt.Sprintf("%-12s", name)[:5] + "0000000"
	id = strings.ReplaceAll(id, " ", "0")
	file := w.path(name + ".jsonl")
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	n := 0
	turn := func() string {
		n++
		return fmt.Sprintf(`{"isSidechain":false,"promptId":"p%d","type":"user","message":{"role":"user","content":%q},"uuid":"u%d","timestamp":"2026-11-30T12:52:24.879Z","sessionId":%q}`+"\n"+
			`{"isSidechain":false,"message":{"id":"msg_%s_%d","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":7,"cache_read_input_tokens":50,"output_tokens":%d}},"requestId":"req_%d","type":"assistant","uuid":"a%d","timestamp":"2026-11-30T12:52:25.000Z","sessionId":%q}`+"\n",
			n, strings.Repeat("text of a tool result ", 120), n, id, name, n, n, n, n, id)
	}
	for written := 0; written < size; {
		k, err := f.WriteString(turn())
		if err != nil {
			return nil, err
		}
		written += k
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	stop := `{"session_id":"` + id + `","transcript_path":"` + file + `","cwd":"` + w.dir + `","prompt_id":"p1","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[],"session_crons":[]}`
	p := w.program("devflow-stop, "+name+" transcript", "devflow-stop", []byte(stop))
	p.dir = w.dir
	p.before = func() error {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(turn())
		return err
	}
	return p, nil
}

// settle is how long a real session may take in all.
const settle = 5 * time.Minute
