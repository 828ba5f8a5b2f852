package sandbox

import "github.com/devflow-suite/devflow/internal/sandbox/launch"

// Launch is the hidden command that a launcher ends in; args follow it on the command line. It gives the exit status:
// that of the confined command, or 125 when nothing ran, 126 and 127 as a shell. Call it before anything else of the
// program starts, from the main goroutine.
func Launch(args []string) int { return launch.Main(args) }
