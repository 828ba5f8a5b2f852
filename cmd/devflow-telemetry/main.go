// Command devflow-telemetry shows what devflow remembers: tasks, verdicts, tokens, money and the health of its hooks.
// It reads one SQLite store, creates none, and writes only what waits in the spool. See `devflow-telemetry help`.
package main

import (
	"os"
	"time"
)

// version is set by the linker; empty: the one in the build information.
var version string

func main() {
	os.Exit(run(os.Args, system{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now}))
}
