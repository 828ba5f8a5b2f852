package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/config"
)

func TestUserMaySetTheGuardAndTheGate(t *testing.T) {
	t.Parallel()
	got, problems := load(t, `
[guard]
allow = ["git.stash-drop", "docker.*"]
[gate]
allow_push_to_main = true
auto_push = "auto"
file_length_warn = 300
file_length_critical = 900
tests = { "/srv/app" = "make check" }
boundaries = [{ from = "ui/**", deny = ["db/**"], allow = ["db/api/**"] }]
`, "")
	if problems != nil {
		t.Errorf("problems: %v", problems)
	}
	want := config.Gate{
		AllowPushToMain: true, AutoPush: config.AutoPushAuto, FileWarn: 300, FileFail: 900, Tests: map[string]string{"/srv/app": "make check"},
		Boundaries: []config.Boundary{{From: "ui/**", Deny: []string{"db/**"}, Allow: []string{"db/api/**"}}},
	}
	if diff := cmp.Diff(want, got.Gate); diff != "" {
		t.Errorf("gate (-want +got):\n%s", diff)
	}
	for rule, want := range map[string]bool{"git.stash-drop": true, "docker.prune": true, "git.stash": false, "git.reset-hard": false, "docker": false} {
		if got.Allowed(rule) != want {
			t.Errorf("Allowed(%s) = %v", rule, !want)
		}
	}
}

func TestAProjectOnlyTightensTheGate(t *testing.T) {
	t.Parallel()
	got, problems := load(t, "[gate]\nallow_push_to_main = true\nauto_push = \"suggest\"\n", `
[gate]
allow_push_to_main = false
auto_push = "off"
file_length_critical = 500
[[gate.boundaries]]
from = "a/**"
deny = ["b/**"]
`)
	if problems != nil || got.Gate.AllowPushToMain || got.Gate.AutoPush != config.AutoPushOff || got.Gate.FileFail != 500 || len(got.Gate.Boundaries) != 1 {
		t.Errorf("tightened gate: %+v, problems %v", got.Gate, problems)
	}
	got, problems = load(t, "", `
[guard]
allow = ["git.*"]
[gate]
allow_push_to_main = true
auto_push = "auto"
file_length_warn = 500
file_length_critical = 5000
tests = { "/srv/app" = "true" }
`)
	if diff := cmp.Diff(config.Default(), got); diff != "" {
		t.Errorf("a project loosened (-want +got):\n%s", diff)
	}
	for _, key := range []string{"guard.allow", "gate.allow_push_to_main", "gate.auto_push", "gate.file_length_warn", "gate.file_length_critical", "gate.tests"} {
		if !strings.Contains(problemText(problems), key+" would loosen") {
			t.Errorf("no problem tells of %s: %v", key, problems)
		}
	}
}

func TestGateFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[gate]\nauto_push = \"yes\"":                        `gate.auto_push is "yes"`,
		"[gate]\nfile_length_critical = 10":                  "file_length_critical 10",
		"[gate]\ntests = { app = \"make\" }":                 `gate.tests names "app"`,
		"[gate]\nboundaries = [{ from = \"a\" }]":            "gate.boundaries[0] lacks",
		"[gate]\nboundaries = \"a\"":                         "gate.boundaries is a text",
		"[guard]\nallow = \"git.*\"":                         "guard.allow is a text",
		"[gate]\nallow_push_to_main = \"yes\"":               "gate.allow_push_to_main is a text",
		"[gate]\nfile_length_warn = \"long\"":                "gate.file_length_warn is a text",
		"[gate]\nboundaries = [{ from = \"a\", deny = [] }]": "gate.boundaries[0] lacks",
	} {
		got, problems := load(t, text, "")
		if diff := cmp.Diff(config.Default(), got); diff != "" || !strings.Contains(problemText(problems), want) {
			t.Errorf("%q: problems %v, want one with %q\n%s", text, problems, want, diff)
		}
	}
}

func problemText(problems []config.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}
