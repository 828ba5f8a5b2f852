// Command devflow installs devflow into Claude Code, checks the installation, shows where the work of a session stands,
// and runs the boundary lane for the stop hook. See `devflow help`.
package main

import (
	"os"
	"time"
)

// version is set by the linker; empty: the one in the build information.
var version string

func main() {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	os.Exit(run(os.Args, system{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now, getwd: os.Getwd, exe: exe}))
}
