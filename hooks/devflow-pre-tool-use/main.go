// Command devflow-pre-tool-use answers PreToolUse: it scores the risk of a task, takes its base tree before the first change, and
// refuses changes in a halted session. Scoring fails open; a tool call that cannot be read is refused.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
