package push_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/shell"
)

// TestLargeLines only has to end: a line that made time grow faster than its length would take minutes.
func TestLargeLines(t *testing.T) {
	t.Parallel()
	known := aliases{"a": "!git push \"$@\"; git push \"$@\"; git push \"$@\"", "b": "!git push " + strings.Repeat("$1", 1000), "c": "push " + strings.Repeat("x ", 1000)}
	for name, unit := range map[string]string{
		"pushes": "git push;", "tags and pushes": "git tag x;git push;", "settings": "git config a.b c;git push;", "exports": "export GIT_A=b;git push;",
		"branches": "git checkout -b x;git push;", "aliases": "git a x;", "declared": "git config alias.z push;git z;", "repositories": "cd x;git commit;git push;",
	} {
		t.Run(name, func(t *testing.T) {
			if got := large(t, strings.Repeat(unit, 256<<10/len(unit)), known); len(got) == 0 {
				t.Error("no push")
			}
		})
	}
	for name, line := range map[string]string{
		"refspecs": "git push origin " + strings.Repeat("a:b ", 1<<16), "one word": "git push origin " + strings.Repeat("x", 256<<10),
		"questions": "git push origin " + strings.Repeat("$(git rev-parse HEAD)", 1<<14), "open": "git push origin \"" + strings.Repeat("$x$(y)", 1<<15) + "\"",
		"options": "git push " + strings.Repeat("-f ", 1<<16), "many -c": "git " + strings.Repeat("-c a.b=c ", 1<<15) + "a x",
		"arguments": "git a " + strings.Repeat("x ", 1<<16), "one argument": "git b " + strings.Repeat("x", 1<<18), "fields": "gh api repos/o/r/merges " + strings.Repeat("-f a=b ", 1<<15),
	} {
		t.Run(name, func(t *testing.T) { large(t, line, known) })
	}
}

func large(t *testing.T, line string, known gitcmd.Aliases) []push.Push {
	t.Helper()
	s, err := shell.Parse(line)
	if err != nil {
		t.Logf("parse: %v", err)
	}
	return push.Find(&s, gitcmd.All(s.Commands, known))
}
