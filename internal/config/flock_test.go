package config_test

import (
	"strings"
	"testing"
	"time"
)

func TestFlockIsTheUsersAlone(t *testing.T) {
	t.Parallel()
	got, problems := load(t, "[flock]\nclient = \"/opt/claude\"\ntask_timeout = \"20m\"\ntoken_cap = 5000\nexpose = [\"/opt/go\"]\nshare = [\"packages/deps\"]\ngoverned = false\n", "")
	if f := got.Flock; problems != nil || f.Client != "/opt/claude" || f.TaskTimeout != 20*time.Minute || f.TokenCap != 5000 || f.Confine != "auto" || f.Governed || len(f.Expose) != 1 || len(f.Share) != 1 {
		t.Errorf("flock = %+v, %v", f, problems)
	}
	got, problems = load(t, "", "[flock]\nexpose = [\"/root\"]\nmoney_cap = 1000.0\n")
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "flock") || len(got.Flock.Expose) != 0 || got.Flock.MoneyCap != 0 {
		t.Errorf("a project's flock = %+v, %v; want the user's and a word about it", got.Flock, problems)
	}
	for text, want := range map[string]string{
		"client = \"claude\"": "flock.client", "confine = \"none\"": "flock.confine", "workers = -1": "negative limit", "expose = [\"go\"]": "flock.expose",
		"share = [\"/etc\"]": "flock.share", "share = [\"a/../../b\"]": "flock.share", "share = [\"./\"]": "flock.share", "share = [\"\"]": "flock.share",
	} {
		if _, problems := load(t, "[flock]\n"+text+"\n", ""); len(problems) == 0 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%s: %v, want a word about %s", text, problems, want)
		}
	}
}
