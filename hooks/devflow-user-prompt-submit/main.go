// Command devflow-user-prompt-submit answers UserPromptSubmit and UserPromptExpansion: it keeps spec commands, ends a
// halt when a person types the code, and brings verdicts that were reached while nobody waited. It fails open.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
