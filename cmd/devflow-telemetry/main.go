// Command devflow-telemetry shows what devflow remembers: tasks, verdicts, tokens, money and the health of its hooks.
// It reads one SQLite store, creates none, and writes only what waits in the spool. See `devflow-telemetry help`.
package main

import (
	"os"
	"time"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// version is set by the linker; empty: the one in the build information.
var version string

func main() {
	os.Exit(run(os.Args, frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd, Now: time.Now}))
}
