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
)

// payload is one hook input as a client sent it.
type payload struct {
	name  string // version/file
	event string
	data  []byte // with the recorded paths
}

// recorded are the inputs that the two pinned clients sent, from the fixtures of internal/claude.
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
		all = append(all, payload{filepath.Base(filepath.Dir(name)) + "/" + filepath.Base(name), head.Event, data})
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

// Governance example 2, first half: whatever a client sends, also events that a program is not registered for.
func TestEveryProgramTakesEveryRecordedInput(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		own := 0
		for _, p := range inputs {
			before := w.count("SELECT count(*) FROM hook_runs")
			out := w.ok(name, p.in(w))
			if err := valid(p.event, []byte(out)); err != nil {
				w.t.Errorf("%s: %v: %s", p.name, err, out)
			}
			added := w.count("SELECT count(*) FROM hook_runs") - before
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
		if log := w.log(); len(log) > 0 {
			w.t.Errorf("the log complains of valid input: %q", log)
		}
		if n := w.count("SELECT count(*) FROM hook_runs WHERE outcome = 'error'"); n > 0 {
			w.t.Errorf("%d rows say error", n)
		}
	})
}

// complaint runs a program on input that it cannot read: it must say nothing, or refuse a recognisable tool call, and leave
// one line that says why, and no row.
func (w *world) complaint(what, name string, stdin []byte) {
	w.t.Helper()
	before, rows := len(w.log()), w.count("SELECT count(*) FROM hook_runs")
	out := w.ok(name, stdin)
	refuses := name == "devflow-pre-tool-use" && bytes.Contains(stdin, []byte(`"tool_name"`))
	switch {
	case refuses && !denies(out):
		w.t.Errorf("%s: the tool call is not refused: %q", what, out)
	case !refuses && out != "":
		w.t.Errorf("%s: it answers: %s", what, out)
	}
	if added := w.log()[before:]; len(added) != 1 {
		w.t.Errorf("%s: %d lines in the log, want one: %q", what, len(added), added)
	}
	if added := w.count("SELECT count(*) FROM hook_runs") - rows; added != 0 {
		w.t.Errorf("%s: %d rows were invented", what, added)
	}
}

func denies(out string) bool {
	return valid("PreToolUse", []byte(out)) == nil && strings.Contains(out, `"permissionDecision":"deny"`)
}

// Governance example 2, second half.
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
		for _, in := range inputs {
			w.complaint(in.name, name, []byte(in.data))
		}
	})
}

// Every beginning of an input that the client could have been cut off in.
func TestEveryBeginningOfAnInput(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, events []string) {
		w.env = append(w.env, "DEVFLOW_SESSION_ID=s1") // a cut input that names no session must not fall back to this one
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
				w.complaint(fmt.Sprintf("%s up to byte %d", p.name, end), name, data[:end])
			}
		}
	})
}
