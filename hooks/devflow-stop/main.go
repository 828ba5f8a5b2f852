// Command devflow-stop answers Stop, StopFailure and SubagentStop: it drains the spool, lets a halt and an unfinished spec speak, counts
// tokens and cost, and has the turn judged. It fails open: a judge that cannot look is never a pass and never a block.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
