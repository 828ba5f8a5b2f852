package shell_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Each piece recurses in the parser, or builds a tree as deep as the input is long.
var openers = []string{
	"(", "{ ", "[", "[[ ", "[[ ! ", "[[ ( ", "$(", "`", "\"$(", "\"`", "'", "\"", "${a:-", "${a/", "${a[", "$((", "$[", "((", "$((1+(",
	"$((-", "$((!", "$((a?", "$((a=", "$((a**", "$((a[", "if ", "if a; then ", "if a; then b; elif ", "case a in b) ", "while ", "until a; do ",
	"for i in a; do ", "select i in a; do ", "f() ", "f() { ", "function f { ", "! ", "time ", "time -p ", "coproc ", "<(", ">(", "a <<E\n$(", "a <<E\n`",
	"a=(", "a=($(", "a[", "let a=", "declare a=(", "x=$(", "@(", "a && ", "a | ", "a || ", "! a && ", "a; ", "a & ", "a\n", "cd a;", "cd a && ", "eval cd a;", "A=1 ", "time a;", "f() { a; }; ", "f() { f; }; f; ", "sh -c a;", "sudo a;", "echo $(cd a);", "sh -c '", "eval ", "sudo ",
	"find -exec ", "$'", "\\", "{a,", "<<<$(", "\\`", "$", "${", "))", "}", ";;", "]] ", "fi ", "a ", "a=b ", "> ", ">a ", "<<E ", "#", "\x00", "\r\n", "é",

	"a=b;", "x=$x$x;", "x+=$x;", "{1..9}", "f(){ f|f; };f;", "f(){ f $@ $@; };f a;", "alias a='a a';a;", "set -- $@ $@ a;", "xargs ", "ssh h ", "docker run i ", "x=a;for i in 1 2;do x=$x$x;done;",
	"read x <<< a;", "bash <<E\n", "trap a EXIT;", "echo a|xargs ", "source <(", "git bisect run ", "x=$(echo $x$x);", "while read x;do ", "a=(${a[@]} ${a[@]} b);", "echo a|sh|", "$IFS",
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	for _, o := range openers {
		t.Run(o, func(t *testing.T) {
			t.Parallel()
			src := strings.Repeat(o, 1<<20/len(o))
			s, err := shell.Parse(src)
			if err != nil && !errors.Is(err, shell.ErrTooDeep) && !errors.Is(err, shell.ErrSyntax) {
				t.Errorf("Parse(%q…): %v", o, err)
			}
			s.Exit(func(*shell.Command) shell.Role { return shell.Target })
		})
	}
}

func TestDeepNestingIsReported(t *testing.T) {
	t.Parallel()
	for _, o := range []string{"(", "{ ", "$(", "if ", "$((1+(", "f() ", "time ", "${a:-${a:-"} {
		if _, err := shell.Parse(strings.Repeat(o, 200_000)); !errors.Is(err, shell.ErrTooDeep) {
			t.Errorf("200,000 × %q: err = %v, want ErrTooDeep", o, err)
		}
	}
	// What people and programs write is far from the bound.
	for _, n := range []int{1, 10, 100} {
		src := strings.Repeat("$(echo \"", n) + "x" + strings.Repeat("\")", n)
		s, err := shell.Parse(src)
		if err != nil || len(s.Commands) != n+1 {
			t.Errorf("%d levels: %d commands, %v", n, len(s.Commands), err)
		}
	}
}

// A directory that is longer than any path is not followed.
func TestEndlessCd(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse(strings.Repeat("cd abcdefgh;", 10_000) + "x")
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Commands[len(s.Commands)-1].Dir; !d.Unknown || len(d.Path) > 4096 {
		t.Errorf("directory of %d bytes, unknown %v", len(d.Path), d.Unknown)
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	if _, err := shell.Parse(strings.Repeat("a", shell.MaxSource+1)); !errors.Is(err, shell.ErrTooLong) {
		t.Errorf("err = %v, want ErrTooLong", err)
	}
}
