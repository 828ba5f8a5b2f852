// Package plan reads, checks and writes plans: what a manager answered, and the plan files that people keep and edit.
//
// A plan is held against a JSON schema and then against rules of its own (names, folders that cannot overlap, dependencies without
// cycles, acceptance commands that are able to fail). Everything that is wrong is reported at once, in a stable order, in words
// that a model and a person can act on. It owns the format of plan files; it owns no table, starts no process and looks at no
// project: whether a folder exists is not its business.
package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/orchestrator/plan/accept"
)

// Bounds of a plan. The numbers are those of C4 of the specification where it names one.
const (
	MaxTasks       = 200     // tasks of a plan; modules too, as each has a task
	MaxBytes       = 4 << 20 // of a reply or a plan file
	MaxDescription = 8000    // bytes
	MaxSummary     = 4000    // bytes
	MaxPath        = 200     // bytes
	minDescription = 10      // characters
	minWeight      = 0.1
	maxWeight      = 100
	maxProblems    = 200 // that are listed; the rest is counted
)

// Problem is one thing that is wrong with a plan.
type Problem struct {
	Line  int    // of the plan file, from 1; 0 when it is not from a file
	Where string // place in the JSON: "tasks[2].depends_on"; "" for the plan as a whole
	Text  string
}

// String gives "line 7: place: text".
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Where != "" {
		b.WriteString(p.Where + ": ")
	}
	return b.String() + p.Text
}

// Problems is everything that is wrong with a plan, as an error. An empty one is no error: use Err to turn a list into an error.
type Problems []Problem

// Error gives one problem a line.
func (ps Problems) Error() string {
	noun := "problems"
	if len(ps) == 1 {
		noun = "problem"
	}
	return fmt.Sprintf("check plan: %d %s:\n%s", len(ps), noun, ps.List())
}

// List gives one problem a line, each behind "- ": for a prompt or a person.
func (ps Problems) List() string {
	var b strings.Builder
	for i, p := range ps {
		if i == maxProblems {
			fmt.Fprintf(&b, "- and %d more\n", len(ps)-i)
			break
		}
		b.WriteString("- " + p.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Err gives ps as an error, nil when there is no problem.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

func (ps *Problems) add(where, format string, args ...any) {
	*ps = append(*ps, Problem{Where: where, Text: fmt.Sprintf(format, args...)})
}

// Lint says why an acceptance command proves nothing, "" when it is able to fail and to succeed. It looks at what decides the exit
// status of the whole command, not at single words.
func Lint(command string) string { return accept.Lint(command) }

// clip makes foreign text fit for a message: one line, bounded, nothing that a terminal would obey.
func clip(s string) string {
	const long = 80
	if len(s) > long {
		s = strings.ToValidUTF8(s[:long], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, s)
}

func quote(s string) string { return `"` + clip(s) + `"` }
