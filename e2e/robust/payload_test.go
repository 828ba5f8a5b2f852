package robust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
)

// payload is one hook input as a client sent it.
type payload struct {
	name  string // version/file
	event string
	data  []byte // with the recorded paths
}

// recorded are the inputs that the two pinned clients sent to hooks, from the fixtures of internal/claude.
func recorded(t testing.TB) []payload {
	t.Helper()
	names, err := filepath.Glob("../../internal/claude/testdata/hooks/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []payload
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			Event string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(data, &head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if head.Event != "" { // without one it is the status line's input
			all = append(all, payload{filepath.Base(filepath.Dir(name)) + "/" + filepath.Base(name), head.Event, data})
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d recorded inputs, want those of both clients", len(all))
	}
	return all
}

// in gives the input with the paths of a world, and writes the last message of a turn to its transcript, as a client does.
func (p payload) in(w *world) []byte {
	w.t.Helper()
	data := bytes.ReplaceAll(p.data, []byte("/home/dev/.claude"), []byte(w.dir+"/home/.claude"))
	data = bytes.ReplaceAll(data, []byte("/home/dev/proj"), []byte(w.repo))
	var in struct {
		Transcript string `json:"transcript_path"`
		Last       string `json:"last_assistant_message"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		w.t.Fatal(err)
	}
	if in.Last != "" {
		w.say1(in.Transcript, in.Last)
	}
	return data
}

// say1 makes a transcript of one message.
func (w *world) say1(path, text string) {
	w.t.Helper()
	line, err := json.Marshal(fields{"type": "assistant", "message": fields{"role": "assistant", "content": []fields{{"type": "text", "text": text}}}})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, append(line, '\n'), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// eachProgram runs a test once per hook executable, in a world of its own.
func eachProgram(t *testing.T, test func(w *world, name string, events []string)) {
	t.Helper()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(newWorld(t).withRepo(), p.name, p.events)
		})
	}
}

// Acceptance example 2, first half: whatever a client sends, also events that a program is not registered for.
func TestEveryProgramTakesEveryRecordedInput(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		own, left := 0, w.watch()
		for _, p := range inputs {
			out := w.ok(name, p.in(w))
			if err := valid(p.event, []byte(out)); err != nil {
				w.t.Errorf("%s: %v: %s", p.name, err, out)
			}
			added, log := left.since()
			if len(log) > 0 {
				w.t.Errorf("%s: the log complains of valid input: %q", p.name, log)
			}
			if slices.Contains(events, p.event) {
				own++
				if added != 1 {
					w.t.Errorf("%s left %d rows, want 1", p.name, added)
				}
			} else if added > 1 {
				w.t.Errorf("%s left %d rows, want at most 1", p.name, added)
			}
		}
		if own == 0 {
			w.t.Error("no recorded input is of an event of this program")
		}
		if n := w.count("SELECT count(*) FROM hook_runs WHERE outcome = 'error'"); n > 0 {
			w.t.Errorf("%d rows say error", n)
		}
	})
}

// traces tells what hooks leave behind. It keeps the store open, which no hook does, so it is only for stores that work.
type traces struct {
	w     *world
	db    *store.DB
	rows  int
	lines int
}

func (w *world) watch() *traces {
	w.t.Helper()
	db, err := store.Open(w.database(), store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	l := &traces{w: w, db: db}
	l.since()
	return l
}

// since gives the number of rows in hook_runs and the lines of the log that came since the last call.
func (l *traces) since() (rows int, lines []string) {
	l.w.t.Helper()
	var n int
	err := l.db.View(func(tx *store.Tx) error {
		_, err := tx.One("SELECT count(*) FROM hook_runs", nil, &n)
		return err
	})
	if err != nil {
		l.w.t.Fatal(err)
	}
	rows, lines = n-l.rows, l.w.log()[l.lines:]
	l.rows, l.lines = n, l.lines+len(lines)
	return rows, lines
}

// complaint runs a program on input that it cannot read: it must say nothing, or refuse a recognisable tool call, and leave
// one line that says why, and no row.
func (l *traces) complaint(what, name string, stdin []byte) {
	w := l.w
	w.t.Helper()
	out := w.ok(name, stdin)
	refuses := name == "devflow-pre-tool-use" && bytes.Contains(stdin, []byte(`"tool_name"`))
	switch {
	case refuses && !denies(out):
		w.t.Errorf("%s: the tool call is not refused: %q", what, out)
	case !refuses && out != "":
		w.t.Errorf("%s: it answers: %s", what, out)
	}
	rows, lines := l.since()
	if len(lines) != 1 {
		w.t.Errorf("%s: %d lines in the log, want one: %q", what, len(lines), lines)
	}
	if rows != 0 {
		w.t.Errorf("%s: %d rows were invented", what, rows)
	}
}

func denies(out string) bool {
	return valid("PreToolUse", []byte(out)) == nil && strings.Contains(out, `"permissionDecision":"deny"`)
}

// Acceptance example 2, second half.
func TestUnreadableInputIsLoggedAndNothingElse(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*i>>3 ^ i*7) // any bytes, always the same
	}
	const call = `{"session_id":"s1","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}`
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	inputs := []struct{ name, data string }{
		{"empty", ""}, {"blank", " \n\t"}, {"null", "null"}, {"array", "[]"}, {"filled array", `[{"session_id":"s1"}]`}, {"number", "7"}, {"string", `"x"`},
		{"true", "true"}, {"brace", "{"}, {"two objects", `{"session_id":"s1"}{"session_id":"s1"}`}, {"trailing comma", `{"session_id":"s1",}`},
		{"single quotes", `{'session_id':'s1'}`}, {"byte order mark alone", "\xef\xbb\xbf"}, {"UTF-16", "\xff\xfe{\x00}\x00"},
		{"noise", string(noise)}, {"noise around a tool name", string(noise) + `"tool_name"` + string(noise)}, {"NUL bytes", strings.Repeat("\x00", 1000)},
		{"cut tool call", call}, {"tool call and more", call + "} x"}, {"a bare line end in a string", "{\"session_id\":\"s\n1\",\"tool_name\":\"Bash\"}"},
		{"deep arrays", deep}, {"deep value", `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":` + deep + "}"},
		{"deep and cut", `{"session_id":"s1","tool_name":` + strings.Repeat(`{"a":`, 500_000)},
	}
	eachProgram(t, func(w *world, name string, events []string) {
		left := w.watch()
		for _, in := range inputs {
			left.complaint(in.name, name, []byte(in.data))
		}
	})
}

// Every beginning of an input that the client could have been cut off in.
func TestEveryBeginningOfAnInput(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		w.env = append(w.env, "DEVFLOW_SESSION_ID=s1") // a cut input that names no session must not fall back to this one
		left := w.watch()
		for _, p := range inputs {
			if !slices.Contains(events, p.event) || !strings.HasPrefix(p.name, "2.1.332/") {
				continue
			}
			var flat bytes.Buffer
			if err := json.Compact(&flat, p.in(w)); err != nil {
				w.t.Fatal(err)
			}
			data := flat.Bytes()
			step := 97 // a prime: the cuts of different inputs hit different places
			if strings.HasSuffix(p.name, "/pre_tool_use_write.json") {
				step = 1
			}
			for end := len(data) - 1; end > 0; end -= step {
				left.complaint(fmt.Sprintf("%s up to byte %d", p.name, end), name, data[:end])
			}
		}
	})
}

// strangers are the values that take the place of every field in turn.
var strangers = [...]string{"7", `"x"`, "null", "[1]", `{"a":1}`}

// Metamorphic: one field of a real input has another type. The hook must survive, record the event all the same when it is
// known whose it is, and say in the log which field it left out.
func TestEveryFieldOfAnotherType(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		left, seen := w.watch(), map[string]bool{}
		for _, p := range inputs {
			if !slices.Contains(events, p.event) {
				continue
			}
			data := p.in(w)
			in, err := claude.Decode(data)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, m := range mutants(w.t, data) {
				if key := p.event + " " + in.ToolName + " " + m.what; !seen[key] {
					seen[key] = true
					left.survives(p.name+" "+m.what, name, m.data)
				}
			}
		}
		if len(seen) < 30 {
			w.t.Errorf("%d inputs were tried, want those of every field", len(seen))
		}
	})
}

// The fields of an event that the program is not registered for.
func TestEveryFieldOfAnotherTypeInAForeignEvent(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		left := w.watch()
		for _, p := range inputs {
			if p.name == "2.1.332/post_tool_use_edit.json" || p.name == "2.1.332/stop_background_tasks.json" {
				for _, m := range mutants(w.t, p.in(w)) {
					left.survives(p.name+" "+m.what, name, m.data)
				}
			}
		}
	})
}

// mutant is an input with one field of another type.
type mutant struct {
	what string
	data []byte
}

// mutants replaces every member of an object, and of the objects in it, by every stranger.
func mutants(t testing.TB, data []byte) []mutant {
	t.Helper()
	var all []mutant
	var in map[string]json.RawMessage
	if err := json.Unmarshal(data, &in); err != nil {
		t.Fatal(err)
	}
	for name, value := range in {
		with := func(what, v string) {
			changed := map[string]json.RawMessage{}
			for k, old := range in {
				changed[k] = old
			}
			changed[name] = json.RawMessage(v)
			out, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mutant{name + what, out})
		}
		for _, s := range strangers {
			with("="+s, s)
		}
		if len(value) > 0 && value[0] == '{' {
			for _, m := range mutants(t, value) {
				with("."+m.what, string(m.data))
			}
		}
	}
	return all
}

// survives runs a program on an object with any fields.
func (l *traces) survives(what, name string, data []byte) {
	w := l.w
	w.t.Helper()
	in, err := claude.Decode(data)
	if err != nil {
		w.t.Fatal(err)
	}
	out := w.ok(name, data)
	stored, added := l.since()

	event := in.Event
	guards := name == "devflow-pre-tool-use"
	if guards && event == "" {
		event = "PreToolUse"
	}
	if err := valid(event, []byte(out)); err != nil {
		w.t.Errorf("%s: %v: %s", what, err, out)
	}
	unreadable := guards && event == "PreToolUse" && in.SessionID != "" && (in.ToolName == "" || slices.Contains(in.Malformed, "tool_input") || noText(in))
	if refused := unreadable && bytes.Contains(data, []byte(`"tool_name"`)); refused != denies(out) {
		w.t.Errorf("%s: refused is %v, want %v: %s", what, !refused, refused, out)
	}
	lines, want := 0, 1
	if len(in.Malformed) > 0 || unreadable {
		lines = 1
	}
	if in.SessionID == "" || unreadable || guards && event != "PreToolUse" {
		want = 0
	}
	if len(added) != lines {
		w.t.Errorf("%s: %d lines in the log, want %d: %q", what, len(added), lines, added)
	}
	if stored != want {
		w.t.Errorf("%s: %d rows, want %d", what, stored, want)
	}
}

// Large inputs, readable and not.
func TestLargeInputs(t *testing.T) {
	t.Parallel()
	sizes := []int{1 << 20, 10 << 20}
	big := map[string]string{ // the field of each event that may be large
		"SessionStart": "model", "UserPromptSubmit": "prompt", "UserPromptExpansion": "prompt", "PreToolUse": "tool_input", "PostToolUse": "tool_response",
		"PostToolUseFailure": "error", "SubagentStart": "agent_type", "CwdChanged": "new_cwd", "PreCompact": "custom_instructions", "PostCompact": "compact_summary",
		"Stop": "last_assistant_message", "StopFailure": "error", "SubagentStop": "last_assistant_message", "SessionEnd": "reason",
	}
	eachProgram(t, func(w *world, name string, events []string) {
		left := w.watch()
		for _, size := range sizes {
			text := strings.Repeat("\\\"line ü\n", size/10)
			for _, event := range events {
				var value any = text
				switch event {
				case "PreToolUse":
					value = fields{"file_path": filepath.Join(w.repo, "a.py"), "content": text}
				case "PostToolUse":
					value = fields{"type": "update", "filePath": filepath.Join(w.repo, "a.py"), "content": text, "originalFile": text}
				}
				more := fields{"tool_name": "Write", "tool_input": fields{"file_path": filepath.Join(w.repo, "a.py")}, big[event]: value, "unknown": text}
				for _, in := range []fields{more, {"tool_name": "Bash", "tool_input": fields{"command": text}}} {
					w.say("s1", event, in)
					if added, log := left.since(); added != 1 || len(log) > 0 {
						w.t.Errorf("%s with %d bytes: %d rows, want 1; log %q", event, size, added, log)
					}
				}
				data := w.event("s1", event, more)
				left.complaint(fmt.Sprintf("%s, %d bytes, cut", event, len(data)), name, data[:len(data)-1])
			}
			left.complaint(fmt.Sprintf("%d bytes of noise", size), name, bytes.Repeat([]byte{0, '{', 0xff, '"'}, size/4))
			left.complaint(fmt.Sprintf("a string of %d bytes", size), name, []byte(`"`+strings.Repeat("x", size)+`"`))
		}
	})
}

// noText is whether a tool input holds something else than text where its command or content belongs.
func noText(in claude.Input) bool {
	member := map[string]string{"Bash": "command", "Write": "content", "Edit": "new_string", "NotebookEdit": "new_source", "MultiEdit": "edits"}[in.ToolName]
	var fields map[string]json.RawMessage
	if member == "" || json.Unmarshal(in.ToolInput, &fields) != nil {
		return false
	}
	value := string(fields[member])
	if value == "" || value == "null" {
		return false
	}
	if member == "edits" {
		return value[0] != '[' || value == "[1]"
	}
	return value[0] != '"'
}
