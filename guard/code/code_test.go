package code_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/guard/code"
	"github.com/devflow-suite/devflow/internal/shell"
)

type row struct {
	name, command string
	want          []string
}

// effects are those of all commands of a line.
func effects(t testing.TB, command string) (out []string, found bool) {
	t.Helper()
	s, err := shell.Parse(command)
	if err != nil {
		t.Fatalf("parse %q: %v", command, err)
	}
	for i := range s.Commands {
		e, ok := code.Run(&s.Commands[i])
		if !ok {
			continue
		}
		found = true
		out = append(out, e.Shell()...)
		if e.Unreadable {
			out = append(out, "?")
		}
	}
	return out, found
}

func TestDangers(t *testing.T) {
	t.Parallel()
	for _, r := range dangers {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got, found := effects(t, r.command)
			if !found {
				t.Fatalf("%s: no code found", r.command)
			}
			if diff := cmp.Diff(got, r.want); diff != "" {
				t.Errorf("%s: effects (-got +want):\n%s", r.command, diff)
			}
		})
	}
}

func TestHonestWork(t *testing.T) {
	t.Parallel()
	for _, r := range honest {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got, _ := effects(t, r.command)
			if diff := cmp.Diff(got, r.want); diff != "" {
				t.Errorf("%s: effects (-got +want):\n%s", r.command, diff)
			}
		})
	}
}
