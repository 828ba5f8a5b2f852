package event

import (
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/program"
	"github.com/devflow-suite/devflow/profiler"
)

// Run is what a shell command ran, as far as its words tell.
type Run struct {
	Class  profiler.Class
	Tests  string      // test runner, "" if none
	Builds string      // compiler or checker, "" if none
	Proof  shell.Proof // what the exit status proves about the tests
}

// ReadRun looks for test and build commands in a script.
func ReadRun(script shell.Script, class profiler.Class) Run {
	r := Run{Class: class}
	for i := range script.Commands {
		if runner, _, ok := program.Test(&script.Commands[i]); ok && r.Tests == "" {
			r.Tests = runner
		}
		if tool, _, ok := program.Compile(&script.Commands[i]); ok && r.Builds == "" {
			r.Builds = tool
		}
	}
	if r.Tests != "" {
		r.Proof = script.Exit(func(c *shell.Command) shell.Role {
			if _, _, ok := program.Test(c); ok {
				return shell.Target
			}
			if program.Prepares(c) {
				return shell.Setup
			}
			return shell.Other
		})
	}
	return r
}

// Class of tool_log for the run.
func (r Run) LogClass() string {
	switch {
	case r.Tests != "":
		return "test"
	case r.Builds != "":
		return "build"
	}
	return string(r.Class)
}
