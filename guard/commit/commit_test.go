package commit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/guard/commit"
	"github.com/devflow-suite/devflow/internal/shell"
)

func TestSubjects(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"git commit -m 'wip'":                                     {"wip"},
		"git commit -am wip":                                      {"wip"},
		"git commit -a -m wip -m body":                            {"wip"},
		"git commit -mwip":                                        {"wip"},
		"git commit --message=wip":                                {"wip"},
		"git commit --message 'feat: x\n\nbody'":                  {"feat: x"},
		"git commit -F - <<'E'\nfix: y\n\nmore\nE":                {"fix: y"},
		"git commit -q -F- <<'E'\nfix: y\nE":                      {"fix: y"},
		"git add . && git -C x commit -sm 'a b' && git push":      {"a b"},
		"git commit -m \"$(cat <<'E'\nfeat(x): z\n\nbody\nE\n)\"": {"feat(x): z"},
		"git commit":                       nil,
		"git commit --amend --no-edit":     nil,
		"git commit -F message.txt":        nil,
		"git commit -m \"$MESSAGE\"":       nil,
		"git commit -C HEAD~1":             nil,
		"git commit -c m":                  nil,
		"git log -m wip":                   nil,
		"echo git commit -m wip":           nil,
		"git commit -- -m":                 nil,
		"git commit -m":                    nil,
		"git commit -t m -m 'x'":           {"x"},
		"git commit -m a; git commit -m b": {"a", "b"},
	} {
		s, err := shell.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, commit.Subjects(s.Commands)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestConventional(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{
		"feat: x": true, "fix(api): y": true, "refactor!: z": true, "feat(a,b)!: w": true, "Merge branch 'x'": true, "Revert \"feat: x\"": true,
		"fixup! feat: x": true, "chore: release 1.0": true, "Fix: y": true,
		"wip": false, "feat:x": false, "feat: ": false, "feature: x": false, "feat(): x": false, "feat(x: y": false, "update README": false, "": false, ": x": false,
	} {
		if got := commit.Conventional(subject); got != want {
			t.Errorf("Conventional(%q) = %v, want %v", subject, got, want)
		}
	}
}

func FuzzSubjects(f *testing.F) {
	f.Add("git commit -am 'wip'")
	f.Add("git commit -F - <<E\nx\nE")
	f.Fuzz(func(_ *testing.T, line string) {
		s, _ := shell.Parse(line)
		for _, subject := range commit.Subjects(s.Commands) {
			commit.Conventional(subject)
		}
	})
}
