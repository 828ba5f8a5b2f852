package prepush_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/judge/gate/prepush"
)

// Install names the file and the hook that was there before; Remove says what stands there now.
func TestTextsOfInstallAndRemove(t *testing.T) {
	t.Parallel()
	const exposed = "; this file lies in the work tree and may be committed with this machine's path in it"
	script := func(text string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { put(t, w.hook("pre-push"), text, 0o755) }
	}
	tests := []struct {
		name                      string
		setup                     func(t *testing.T, w *world)
		hook                      string // below the work tree
		before, installed, remove string // HOOK is the file
	}{
		{"no hook", func(*testing.T, *world) {}, ".git/hooks/pre-push", "not installed", "the pre-push hook runs devflow (HOOK)", "removed"},
		{"own hook", script("#!/bin/sh\n"), ".git/hooks/pre-push", "not installed; there is another pre-push hook",
			"the pre-push hook runs yours, now pre-push.devflow-chained, and then devflow (HOOK)", "removed; your own hook is back"},
		{"own hook that is not executable", func(t *testing.T, w *world) { put(t, w.hook("pre-push"), "#!/bin/sh\n", 0o644) }, ".git/hooks/pre-push", "not installed",
			"the pre-push hook runs devflow (HOOK)", "removed; your own hook is back"},
		{"hook of a tool", script("#!/bin/sh\ngit lfs pre-push \"$@\"\n"), ".git/hooks/pre-push", "not installed; the pre-push hook is that of git-lfs",
			"the pre-push hook runs yours, now pre-push.devflow-chained, and then devflow (HOOK)", "removed; the hook of git-lfs is back"},
		{"folder in the work tree", func(_ *testing.T, w *world) { w.Git("config", "core.hooksPath", "hooks") }, "hooks/pre-push", "not installed",
			"the pre-push hook runs devflow (HOOK)" + exposed, "removed"},
		{"ignored folder in the work tree", func(_ *testing.T, w *world) {
			w.Git("config", "core.hooksPath", "hooks")
			w.Write(".gitignore", "hooks/\n")
		}, "hooks/pre-push", "not installed", "the pre-push hook runs devflow (HOOK)", "removed"},
		{"husky without a script for it", func(t *testing.T, w *world) { husky(t, w) }, ".husky/_/pre-push", "not installed",
			"the pre-push hook runs yours, now pre-push.devflow-chained, and then devflow (HOOK)", "removed; your own hook is back"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.setup(t, w)
			before := w.check(t)
			if before.Kind != prepush.None || strings.Contains(before.Text(), ";") != (before.By != "") {
				t.Errorf("before: %+v", before)
			}
			got := []string{before.Text(), w.install(t).Text(), w.check(t).Text(), w.remove(t).Text(), w.remove(t).Text()}
			want := []string{tt.before, tt.installed, tt.installed, tt.remove, tt.before}
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "HOOK", w.Path(tt.hook))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("before, installed, checked, removed, removed again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStateAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		state prepush.State
		want  string
	}{
		{w.check(t), `{"kind":"none","hook":"` + w.hook("pre-push") + `"}`},
		{prepush.State{Kind: prepush.Ours, Hook: "/h", By: "b", Why: "w", Chained: "/c", Exe: "/e", Missing: true, Exposed: true, Removed: true, Back: true, Kept: "/k"},
			`{"kind":"ours","hook":"/h","by":"b","why":"w","chained":"/c","exe":"/e","missing":true,"exposed":true,"removed":true,"back":true,"kept":"/k"}`},
	} {
		got, err := json.Marshal(tt.state)
		if err != nil || string(got) != tt.want {
			t.Errorf("JSON %s, %v, want %s", got, err, tt.want)
		}
	}
}
