package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/config"
)

func TestUserMaySetTheGuardAndTheGate(t *testing.T) {
	t.Parallel()
	app := t.TempDir()
	got, problems := load(t, `
[guard]
allow = ["git.stash-drop", "container.*"]
[gate]
allow_push_to_main = true
auto_push = "auto"
file_length_warn = 300
file_length_critical = 900
tests = { '`+app+`' = "make check" }
boundaries = [{ from = "ui/**", deny = ["db/**"], allow = ["db/api/**"] }]
`, "")
	if problems != nil {
		t.Errorf("problems: %v", problems)
	}
	want := config.Gate{
		AllowPushToMain: true, AutoPush: config.AutoPushAuto, FileWarn: 300, FileFail: 900, Tests: map[string]string{app: "make check"},
		Boundaries: []config.Boundary{{From: "ui/**", Deny: []string{"db/**"}, Allow: []string{"db/api/**"}}},
	}
	if diff := cmp.Diff(want, got.Gate); diff != "" {
		t.Errorf("gate (-want +got):\n%s", diff)
	}
	for rule, want := range map[string]bool{"git.stash-drop": true, "container.prune": true, "git.stash": false, "git.reset-hard": false, "container": false} {
		if got.Allowed(rule) != want {
			t.Errorf("Allowed(%s) = %v", rule, !want)
		}
	}
}

// What an entry cannot lift must not look lifted.
func TestAllowedRulesThatDoNotExist(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"self.root":      "the rules of self.* cannot be lifted, only those of cloud.*, code.*, container.*",
		"self.*":         "the rules of self.* cannot be lifted",
		"secret.github":  "the rules of secret.* cannot be lifted",
		"push.protected": "the rules of push.* cannot be lifted",
		"push":           "the rules of push.* cannot be lifted",
		"shell.too-deep": "the rules of shell.* cannot be lifted",
		"test.*":         "the rules of test.* cannot be lifted",
		"write.refused":  "the nearest group that can is write.*",
		"docker.*":       "the nearest group is container.*",
		"gti.*":          "the nearest group is git.*",
		"terraform":      "the nearest group is infra.*",
		"git":            "a group is written git.*",
		"git.stash-dorp": "no rule of the group git.* is called so, the nearest is git.stash-drop",
		"git.bisect":     "no rule of the group git.* is called so; the entry",
		"something.else": "the groups are cloud.*, code.*, container.*",
		"":               "no rule is called so",
		".*":             "no rule is called so",
		"git.Reset-*":    "no rule of the group git.* is called so",
	} {
		got, problems := load(t, "max_retries = 2\n[guard]\nallow = [\""+entry+"\", \"rm.temp\"]", "")
		text := problemText(problems)
		if len(problems) != 1 || problems[0].Ignored || !strings.Contains(text, `config.toml: guard.allow names "`+entry+`": `) || !strings.Contains(text, want) || !strings.HasSuffix(text, "; the entry has no effect\n") {
			t.Errorf("%q: problems %v, want one with %q", entry, problems, want)
		}
		if got.MaxRetries != 2 || !got.Allowed("rm.temp") {
			t.Errorf("%q: the rest of the file does not hold: %+v", entry, got)
		}
	}
	for _, entry := range append(config.Liftable(), "git.*", "write.*", "*", "git.stash*", "g*") {
		if _, problems := load(t, "[guard]\nallow = [\""+entry+"\"]", ""); problems != nil {
			t.Errorf("%q: problems %v, want none", entry, problems)
		}
	}
}

// Git tells the root of a project without a slash at its end; the user may write one.
func TestFoldersOfTheTestsAreCleaned(t *testing.T) {
	t.Parallel()
	app, web := t.TempDir(), t.TempDir()
	got, problems := load(t, "[gate.tests]\n'"+app+"/' = 'make check'\n'"+web+"/./x/..' = 'make web'\n", "")
	if diff := cmp.Diff(map[string]string{app: "make check", web: "make web"}, got.Gate.Tests); diff != "" || problems != nil {
		t.Errorf("tests (-want +got):\n%s problems %v", diff, problems)
	}
	got, problems = load(t, "[gate.tests]\n'"+app+"/' = 'two'\n'"+app+"' = 'one'\n'"+web+"/gone/' = 'three'\n", "max_retries = 2")
	if diff := cmp.Diff(map[string]string{app: "one", web + "/gone": "three"}, got.Gate.Tests); diff != "" || len(problems) != 2 || got.MaxRetries != 2 {
		t.Errorf("tests (-want +got):\n%s problems %v", diff, problems)
	}
	for _, want := range []string{
		`gate.tests names "` + app + `/", which is "` + app + `" once more; the line has no effect`,
		`gate.tests names "` + web + `/gone": the folder does not exist, so the command is never run`,
	} {
		if !strings.Contains(problemText(problems), want) {
			t.Errorf("problems %v, want one with %q", problems, want)
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

func TestJudgeKeys(t *testing.T) {
	t.Parallel()
	got, problems := load(t, "[judge]\nbackend = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\napi_key_env = \"K\"\nmutation = false\n", "")
	want := config.Judge{Backend: config.BackendOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m", KeyEnv: "K"}
	if diff := cmp.Diff(want, got.Judge); diff != "" || problems != nil {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
	for text, want := range map[string]string{
		"[judge]\nbackend = \"gpt\"\n": `judge.backend is "gpt"`, "[judge]\nbackend = \"openai\"\n": "judge.base_url is missing",
		"[judge]\nbackend = \"command\"\n": "judge.command is missing", "[judge]\nmodel = \"\"\n": "judge.model is empty",
	} {
		got, problems := load(t, text, "")
		if len(problems) != 1 || !strings.Contains(problems[0].Text, want) || got.Judge.Backend != config.BackendOff {
			t.Errorf("%q: %v", text, problems)
		}
	}
}

// A project must not send code elsewhere, nor do without what the user demands.
func TestProjectMayOnlyTightenTheJudge(t *testing.T) {
	t.Parallel()
	got, problems := load(t, "[judge]\nrequire_model = true\n", "learned_skills_auto_inject = true\n[judge]\nbackend = \"command\"\ncommand = [\"evil\"]\nmodel = \"x\"\nrequire_model = false\nmutation = false\n")
	if diff := cmp.Diff(config.Judge{Backend: config.BackendOff, Model: config.DefaultModel, RequireModel: true, Mutation: true}, got.Judge); diff != "" || len(problems) != 6 || got.Learned {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
	if got, problems := load(t, "[judge]\nmutation = false\n", "[judge]\nrequire_model = true\nmutation = true\n"); problems != nil || !got.Judge.RequireModel || !got.Judge.Mutation {
		t.Errorf("%v %+v", problems, got.Judge)
	}
}
