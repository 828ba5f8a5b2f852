package shell_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/flow"
)

// role makes "T" and "U" the targets and cd, echo and export harmless.
func role(c *shell.Command) shell.Role {
	switch c.Name {
	case "T", "U":
		return shell.Target
	case "cd", "echo", "export":
		return shell.Setup
	}
	return shell.Other
}

func TestExitProof(t *testing.T) {
	t.Parallel()
	const both, success, failure, nothing = "both", "success", "failure", "nothing"
	for _, tt := range []struct{ src, want string }{
		{"T", both},
		{"cd a && T", both},
		{"cd a; T", both},
		{"(cd a && T)", both},
		{"{ T; }", both},
		{"sh -c 'cd a && T'", both},
		{"eval T", both},
		{"time timeout 5 T", both},
		{"T > log 2>&1", both},
		{"T && U", both},
		{"T && echo ok", both},
		{"T; exit $?", both},
		{"T || exit 1", both},
		{"T || false", both},
		{"set -e; T; echo done", both},
		{"set -eo pipefail; T | tail", success}, // tail may fail, too
		{"bash -o pipefail -c 'T | echo'", both},
		{"echo a | T", both},
		{"x=$(T)", both},
		{"if T; then echo ok; else exit 1; fi", both},
		{"if ! T; then exit 1; fi", both},
		{"for i in 1 2; do T || exit 1; done", both},
		{"f() { T; }; f", both},
		{"f() { T || exit 1; }; f; echo done", both},
		{"f() { exit 0; }; f; T", nothing},
		{"f() { return 0; }; f; T", nothing},
		{"set -e; f() { T; }; f; echo done", both},
		{"make && T", success},
		{"T && make", success},
		{"T && git commit", success},
		{"set -e; make; T", success},
		{"make; T", both},
		{"T | tail", nothing},
		{"T || true", nothing},
		{"T; echo done", nothing},
		{"T &", nothing},
		{"T & wait", nothing},
		{"! T", nothing},
		{"T; U", failure},
		{"echo $(T)", nothing},
		{"if T; then echo ok; else echo bad; fi", nothing},
		{"T && echo ok || echo bad", nothing},
		{"make || T", failure},
		{"false && T", nothing},
		{"[ -f x ] && T", success},
		{"for i in 1 2; do T; done", failure}, // the last run decides the status, an earlier failure is lost
		{"while make; do T; done", nothing},
		{"case $x in a) T;; esac", failure},
		{"exit 0; T", nothing},
		{"T; exit 0", nothing},
		{"T; exit 3", nothing},
		{"find . -exec T \\;", nothing},
		{"set -e; if T; then echo; fi", nothing},
		{"set -e; T || echo bad", nothing},
		{"set -e; set +e; T; echo", nothing},
		{"f() { T; }", nothing},
		{"ls", nothing},
		{"", nothing},
		{"f() { f; f; }; f; T", both},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.src, err)
			continue
		}
		p := s.Exit(role)
		got := map[flow.Proof]string{
			{Success: true, Failure: true}: both, {Success: true}: success, {Failure: true}: failure, {}: nothing,
		}[p]
		if got != tt.want {
			t.Errorf("Exit of %q proves %s, want %s", tt.src, got, tt.want)
		}
	}
}

// Functions that call each other twice would take exponential time.
func TestExitIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, f := range []string{"a b", "b c", "c d", "d a"} {
		name, callee, _ := strings.Cut(f, " ")
		b.WriteString(name + "() { " + strings.Repeat(callee+"; ", 200) + "}\n")
	}
	b.WriteString("a; T")
	s, err := shell.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Exit(role); p != (flow.Proof{}) {
		t.Errorf("proof of an endless script = %+v, want none", p)
	}
}

func FuzzParse(f *testing.F) {
	for _, o := range openers {
		f.Add(o)
		f.Add(o + o + "a;b && c | d > e")
	}
	f.Add("cd a && sudo sh -c 'env A=1 find . -exec rm {} +' <<E\n$(x)\nE\n")
	f.Add("set -eo pipefail; if a; then T; elif b; then c; fi | d & f() { T; }; f || exit $?")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := shell.Parse(src)
		for _, c := range s.Commands {
			if c.Pos < 0 || c.Pos > len(src) || len(c.Words) > 0 && len(c.Args) != len(c.Words)-1 && len(c.Args) != 0 {
				t.Errorf("bad command %+v", c)
			}
			if c.Name == "" && len(c.Words) > 0 && !c.Unreadable && err == nil {
				t.Errorf("program without a name in %q: %+v", src, c)
			}
		}
		s.Exit(role)
		again, err2 := shell.Parse(src)
		if len(again.Commands) != len(s.Commands) || (err == nil) != (err2 == nil) {
			t.Errorf("two readings of %q differ", src)
		}
	})
}
