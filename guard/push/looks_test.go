package push_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/shell"
)

func TestLooks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"git push":                            true,
		"git push 'origin":                    true,
		"git -C x push origin main (":         true,
		"cd x && git --no-pager push \"":      true,
		"/usr/bin/git push )":                 true,
		"g''it pu\\sh \"":                     true,
		"git \\\n push '":                     true,
		"echo $(git push":                     true,
		"x=`git push":                         true,
		"git-push origin )":                   true,
		"gh pr merge 5 '":                     true,
		"gh pr -R o/r merge '":                true,
		"gh repo sync '":                      true,
		"glab mr merge 1 \"":                  true,
		"git send-pack x (":                   true,
		"git svn dcommit '":                   true,
		"git subtree push -P a b c '":         true,
		"jj git push '":                       true,
		"hub push '":                          true,
		"git\tpush":                           true,
		"GIT PUSH '":                          true,
		"git.exe push '":                      true,
		"git add . && git push '":             true,
		"git add . &&\ngit push '":            true,
		"":                                    false,
		"git status '":                        false,
		"git stash push '":                    false,
		"git push-dry '":                      false,
		"git config push.default '":           false,
		"git log; echo push '":                false,
		"pushd git '":                         false,
		"docker push x '":                     false,
		"git merge x '":                       false,
		"gh pr view '":                        false,
		"git add . | tee push '":              false,
		"legit push '":                        false,
		"digit push '":                        false,
		"echo push && git status '":           false,
		strings.Repeat("git ", 1000) + "pull": false,
	} {
		if got := push.Looks(text); got != want {
			t.Errorf("Looks(%.80q) = %t", text, got)
		}
	}
}

func TestLooksIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"git ", "git pus ", "\\", "'", "git-", "gh pr ", "pu;", "a"} {
		if push.Looks(strings.Repeat(unit, 4<<20/len(unit))) {
			t.Errorf("%q looks like a push", unit)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"git push", "git -C x push origin +a:b", "git -c alias.a='!git push \"$@\"' a x", "gh api -X PUT repos/o/r/pulls/1/merge", "git push {a,{b,c}}", "git push -",
		"b=$(git branch --show-current); git push $b", "git rebase -x 'git rebase -x \"git push\"'", "curl -X", "git tag -a", "git checkout -b", "git config alias.a 'a", "git $(x", "git push $(a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		push.Looks(text)
		s, _ := shell.Parse(text)
		cmds := gitcmd.All(s.Commands, nil)
		for _, p := range push.Find(&s, cmds) {
			if p.Tool == "" || p.Cmd < 0 || p.Cmd >= len(cmds) {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}
