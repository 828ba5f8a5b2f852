// Command devflock splits a project over several confined Claude Code workers, verifies what each did, and integrates it on a branch
// of its own. Bare, it leads through a run; every step is also a command. See `devflock help`.
package main

import (
	"os"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/bind"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// version is set by the linker; empty: the one in the build information.
var version string

func main() {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	sys := frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Getwd: os.Getwd, Exe: exe}
	os.Exit(run(os.Args, sys, os.Environ(), bind.Open))
}
