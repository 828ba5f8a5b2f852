// Command devflow installs devflow into Claude Code, checks the installation, shows where the work of a session stands,
// and runs the boundary lane for the stop hook. See `devflow help`.
package main

import (
	"os"
	"time"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// version is set by the linker; empty: the one in the build information.
var version string

func main() {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	os.Exit(run(os.Args, frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Getwd: os.Getwd, Exe: exe}))
}
