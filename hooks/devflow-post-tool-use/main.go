// Command devflow-post-tool-use answers PostToolUse, PostToolUseFailure, SubagentStart and CwdChanged: it records what a tool
// did, notices implementation without tests, and guards context and tokens. It fails open.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
