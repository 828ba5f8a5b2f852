package tdd

import (
	"slices"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/program"
)

// Run is a command line that runs tests.
type Run struct {
	Runner string      // of the first test command: "pytest", "go test", "npm test"
	Dirs   []shell.Dir // where the test commands work, each once; see shell.Dir for what is not known
	Green  bool        // exit status 0 proves that tests ran and passed
	Red    bool        // another exit status proves that tests failed
	Masked bool        // status 0 proves nothing: `pytest | tail`, `pytest || true`, `pytest; echo done`
}

// Outcome is what an exit status proves: RunGreen, RunRed, or RunUnknown where another command of the line may have decided it.
func (r Run) Outcome(ok bool) LastRun {
	switch {
	case ok && r.Green:
		return RunGreen
	case !ok && r.Red:
		return RunRed
	}
	return RunUnknown
}

// TestCommand reports whether a command line runs tests. It looks at programs and their arguments, never at text, so that
// `cat pytest.ini` and `echo jest` do not. A failure of a command that only prepares (cd, export, source) counts as one of the tests.
func TestCommand(s shell.Script) (Run, bool) {
	var r Run
	for i := range s.Commands {
		runner, dir, ok := program.Test(&s.Commands[i])
		if !ok {
			continue
		}
		if r.Runner == "" {
			r.Runner = runner
		}
		if !slices.Contains(r.Dirs, dir) {
			r.Dirs = append(r.Dirs, dir)
		}
	}
	if r.Runner == "" {
		return Run{}, false
	}
	proof := s.Exit(func(c *shell.Command) shell.Role {
		if _, _, ok := program.Test(c); ok {
			return shell.Target
		}
		if program.Prepares(c) {
			return shell.Setup
		}
		return shell.Other
	})
	r.Green, r.Red, r.Masked = proof.Success, proof.Failure, !proof.Success
	return r, true
}

// CompileCommand reports whether a command line compiles, type-checks, vets or lints, and with what.
func CompileCommand(s shell.Script) (tool string, ok bool) {
	for i := range s.Commands {
		if tool, _, ok := program.Compile(&s.Commands[i]); ok {
			return tool, true
		}
	}
	return "", false
}

// CountDiagnostics counts the errors that a compiler, type checker or linter reports in its output: each place once, warnings not.
// It reads at most 1 MiB.
func CountDiagnostics(output string) int { return program.Diagnostics(output) }
