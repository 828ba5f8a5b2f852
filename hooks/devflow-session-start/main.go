// Command devflow-session-start answers Claude Code's SessionStart: after a compaction it brings the plan back,
// otherwise it says what the configuration got wrong and which session ran without devflow. It fails open.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
