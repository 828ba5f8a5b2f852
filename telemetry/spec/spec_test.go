package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/telemetry/spec"
)

// Acceptance example 4.
func TestParsePrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, name, args string
		want               spec.Command
	}{
		{"run app/spec/models", "", "", spec.Command{}},
		{"run the tests under app/spec/models and report", "", "", spec.Command{}},
		{"please /spec add x", "", "", spec.Command{}},
		{"/spec fix: x", "", "", spec.Command{Verb: spec.VerbStart, Bugfix: true, Text: "fix: x"}},
		{" \n\t/spec add x\nand y", "", "", spec.Command{Verb: spec.VerbStart, Text: "add x\nand y"}},
		{"/spec\tadd", "", "", spec.Command{Verb: spec.VerbStart, Text: "add"}},
		{"/spec", "", "", spec.Command{Verb: spec.VerbStart}},
		{"/spec fixture loader", "", "", spec.Command{Verb: spec.VerbStart, Text: "fixture loader"}},
		{"/spec Fix the login", "", "", spec.Command{Verb: spec.VerbStart, Bugfix: true, Text: "Fix the login"}},
		{"/spec resume", "", "", spec.Command{Verb: spec.VerbResume}},
		{"/spec resume uploads after a break", "", "", spec.Command{Verb: spec.VerbStart, Text: "resume uploads after a break"}},
		{"/specs add", "", "", spec.Command{}},
		{"/spec/models", "", "", spec.Command{}},
		{"/Spec add", "", "", spec.Command{}},
		{"/pause", "", "", spec.Command{Verb: spec.VerbPause}},
		{"/pause for lunch", "", "", spec.Command{Verb: spec.VerbPause}},
		{"/unspec\n", "", "", spec.Command{Verb: spec.VerbAbort}},
		{"/devflow-spec add x", "", "", spec.Command{Verb: spec.VerbStart, Text: "add x"}},
		{"/spec add x", "spec", "add x", spec.Command{Verb: spec.VerbStart, Text: "add x"}},
		{"/spec", "spec", "", spec.Command{Verb: spec.VerbStart}},
		{"/mycmd Bob", "mycmd", "Bob", spec.Command{}},
		{"", "", "", spec.Command{}},
		{"/", "", "", spec.Command{}},
		{"<task-notification>\n<task-id>1</task-id>\n</task-notification>", "", "", spec.Command{Verb: spec.VerbNotice}},
	} {
		if diff := cmp.Diff(c.want, spec.ParsePrompt(c.prompt, c.name, c.args)); diff != "" {
			t.Errorf("%q %q %q: %s", c.prompt, c.name, c.args, diff)
		}
	}
}

func FuzzParsePrompt(f *testing.F) {
	for _, seed := range []string{"/spec fix: x", " /pause", "/unspec", "app/spec/models", "<task-notification>", "/spec resume", "\xff/spec"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got := spec.ParsePrompt(prompt, "", "")
		if got.Verb != "" && got.Verb != spec.VerbNotice && !strings.HasPrefix(strings.TrimSpace(prompt), "/") {
			t.Errorf("%q is a command: %+v", prompt, got)
		}
		if spec.Categorize(prompt) == "" {
			t.Errorf("%q has no category", prompt)
		}
	})
}

func TestCategorize(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"Add refund(invoice, amount), with tests": "feature", "add tests for refunds": "test", "write the missing unit tests": "test",
		"Add a README": "docs", "make a release": "chore", "create a fix for the crash": "bugfix", "implement login and document it": "feature",
		"fix: the token is not rotated":    "bugfix",
		"There is a regression in login":   "bugfix",
		"the build is broken":              "bugfix",
		"debugging prefixes are fine":      "unknown",
		"refactor the parser":              "refactor",
		"update the README":                "docs",
		"add tests for the parser":         "test",
		"bump the dependencies":            "chore",
		"add JWT refresh rotation":         "feature",
		"What does the parser do?":         "question",
		"explain how to fix this":          "question",
		"the parser, does it handle tabs?": "question",
		"  ":                               "unknown",
		"yes please":                       "unknown",
		"hello\nfix the parser":            "unknown",
	} {
		if got := spec.Categorize(request); got != want {
			t.Errorf("Categorize(%q) = %s, want %s", request, got, want)
		}
	}
}

func TestParseMarker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       spec.Marker
		claim      string
		fails      bool
	}{
		{"published", `{"status":"IMPLEMENTING","plan_path":"p.md","started_at":1764500000,"cwd":"/p"}`,
			spec.Marker{Status: "IMPLEMENTING", PlanPath: "p.md", StartedAt: 1764500000, Cwd: "/p"}, "implementing", false},
		{"fraction of a second", `{"status":"PENDING","started_at":1764500000.75}`, spec.Marker{Status: "PENDING", StartedAt: 1764500000}, "pending", false},
		{"old word", `{"status":"in_progress"}`, spec.Marker{Status: "in_progress"}, "implementing", false},
		{"byte order mark", "\ufeff" + `{"status":" paused "}`, spec.Marker{Status: " paused "}, "paused", false},
		{"more than we know", `{"status":"COMPLETED","x":[1]}`, spec.Marker{Status: "COMPLETED"}, "completed", false},
		{"not for an agent to say", `{"status":"ABORTED"}`, spec.Marker{Status: "ABORTED"}, "", false},
		{"time out of range", `{"status":"PENDING","started_at":1e300}`, spec.Marker{Status: "PENDING"}, "pending", false},
		{"no status", `{}`, spec.Marker{}, "", true},
		{"null", `null`, spec.Marker{}, "", true},
		{"array", `[]`, spec.Marker{}, "", true},
		{"truncated", `{"status":"PEND`, spec.Marker{}, "", true},
		{"wrong type", `{"status":7}`, spec.Marker{}, "", true},
		{"empty", ``, spec.Marker{}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := spec.ParseMarker([]byte(c.data))
			if (err != nil) != c.fails {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if claim := got.Claim(); claim != c.claim {
				t.Errorf("claims %q, want %q", claim, c.claim)
			}
		})
	}
}

func FuzzParseMarker(f *testing.F) {
	for _, seed := range []string{`{"status":"PENDING","started_at":1764500000}`, `null`, `[]`, `{"status":7}`, "\ufeff{}", `{"status":"x","started_at":-1e308}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spec.ParseMarker(data)
		if err != nil {
			return
		}
		encoded, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := spec.ParseMarker(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAsksUser(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"Shall I go on?": true, "Shall I go on?\n": true, "**Go on?**": true, "Go on? (y/n)": false, "(go on?)": true, "続けますか？": true,
		"Done.": false, "": false, "Is it? It is.": false,
	} {
		if got := spec.AsksUser(message); got != want {
			t.Errorf("AsksUser(%q) = %v", message, got)
		}
	}
}
