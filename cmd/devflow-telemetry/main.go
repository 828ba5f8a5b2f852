// Command devflow-telemetry shows what devflow remembers: tasks, verdicts, tokens, money and the health of its hooks.
// It reads one SQLite store, creates none, and writes only what waits in the spool. See `devflow-telemetry help`.
package main

import (
	"os"
	"time"
)

func main() {
	os.Exit(run(os.Args, system{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now}))
}
