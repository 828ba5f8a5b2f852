package robust_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Acceptance example 1, first half, and the order of the rule: the input's id, then the variables, each hashed when it
// is no plain name.
func TestFactsGoToTheSessionOfTheInput(t *testing.T) {
	t.Parallel()
	const way = "../../way/out"
	const waySum = "c50aee7e4b6daad1e9ba5b5a9e9c1e1e5a4ab1a5b4ff49d6e1a0b6d1a0d3dc2b"
	for _, tc := range []struct {
		name, id string
		vars     []string
		want     string
	}{
		{"the input's", "s1", nil, "s1"},
		{"the input's before the variables", "s1", []string{"CLAUDE_CODE_SESSION_ID=v1", "DEVFLOW_SESSION_ID=v3"}, "s1"},
		{"the client's variable", "", []string{"CLAUDE_CODE_SESSION_ID=v1", "CLAUDE_SESSION_ID=v2", "DEVFLOW_SESSION_ID=v3"}, "v1"},
		{"the client's older variable", "", []string{"CLAUDE_SESSION_ID=v2", "DEVFLOW_SESSION_ID=v3"}, "v2"},
		{"devflow's variable", "", []string{"DEVFLOW_SESSION_ID=v3"}, "v3"},
		{"a way out of the folder", way, nil, ""},
		{"a way out of the folder by a variable", "", []string{"CLAUDE_CODE_SESSION_ID=" + way}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, p := range programs {
				out := w.ok(p.name, w.event(tc.id, p.events[0], fields{"prompt": "/spec fix: it", "tool_name": "Bash", "tool_input": fields{"command": "ls"}}), tc.vars...)
				if err := valid(p.events[0], []byte(out)); err != nil {
					t.Errorf("%s: %v: %s", p.name, err, out)
				}
			}
			if got := w.count("SELECT count(*) FROM hook_runs"); got != len(programs) {
				t.Errorf("%d rows, want one of each program", got)
			}
			sessions := w.rows("SELECT DISTINCT session_id FROM hook_runs")
			if tc.want == "" {
				if len(sessions) != 1 || len(sessions[0]) != len(waySum) || strings.Trim(sessions[0], "0123456789abcdef") != "" {
					t.Fatalf("sessions = %q, want one hash", sessions)
				}
				tc.want = sessions[0]
			}
			if d := cmp.Diff([]string{tc.want}, sessions); d != "" {
				t.Errorf("sessions (-want +got):\n%s", d)
			}
			if got := files(t, filepath.Join(w.root, "state")); !slices.Contains(got, tc.want+"/active-spec.json") || !strings.HasPrefix(got[0], tc.want) {
				t.Errorf("state = %q, want the spec of %s", got, tc.want)
			}
			for _, f := range files(t, w.dir) {
				if !strings.HasPrefix(f, "home/root") && !slices.Contains([]string{"home", "proj", "tmp"}, f) {
					t.Errorf("a file outside of the root: %s", f)
				}
			}
		})
	}
}

// Acceptance example 1, second half: an event of nobody leaves no file anywhere.
func TestAnEventOfNobodyLeavesNoFile(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, _ []string) {
		for _, p := range inputs {
			for what, id := range map[string]any{"without an id": nil, "with an empty id": ""} {
				data := edit(w.t, p.in(w), "session_id", id)
				before := files(w.t, w.dir)
				if out := w.ok(name, data); out != "" && !denies(out) {
					w.t.Errorf("%s %s: it answers: %s", p.name, what, out)
				}
				if d := cmp.Diff(before, files(w.t, w.dir)); d != "" {
					w.t.Errorf("%s %s: files changed:\n%s", p.name, what, d)
				}
			}
		}
	})
}

// edit sets one member of an object, or takes it out when the value is nil.
func edit(t testing.TB, data []byte, name string, value any) []byte {
	t.Helper()
	var in map[string]any
	if err := json.Unmarshal(data, &in); err != nil {
		t.Fatal(err)
	}
	if in[name] = value; value == nil {
		delete(in, name)
	}
	out, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sessions that devflow or one of its predecessors starts leave nothing behind.
func TestASessionOfOurOwnLeavesNoFile(t *testing.T) {
	t.Parallel()
	inputs := recorded(t)
	eachProgram(t, func(w *world, name string, _ []string) {
		for i, p := range inputs {
			marker := [...]string{"DEVFLOW_CHILD=1", "DEVFLOW_JUDGE_SUBPROCESS=1", "PAPERWEIGHT_RUN_ID=r1"}[i%3]
			data := p.in(w)
			before := files(w.t, w.dir)
			if out := w.ok(name, data, marker); out != "" {
				w.t.Errorf("%s with %s: it answers: %s", p.name, marker, out)
			}
			if d := cmp.Diff(before, files(w.t, w.dir)); d != "" {
				w.t.Errorf("%s with %s: files changed:\n%s", p.name, marker, d)
			}
		}
	})
}

// Without a home there is no root: the session goes on, nothing is written, and stderr tells why.
func TestWithoutAHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + w.tmp}
	before := files(t, w.dir)
	for _, p := range programs {
		r := w.raw(p.name, w.event("s1", p.events[0], fields{"tool_name": "Bash", "tool_input": fields{"command": "ls"}}))
		if r.err != nil || len(r.stdout) > 0 || !strings.Contains(string(r.stderr), "HOME") {
			t.Errorf("%s: %v, stdout %q, stderr %q", p.name, r.err, r.stdout, r.stderr)
		}
	}
	if d := cmp.Diff(before, files(t, w.dir)); d != "" {
		t.Errorf("files changed:\n%s", d)
	}
}
