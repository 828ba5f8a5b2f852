// Command devflow-pre-compact listens to PreCompact and PostCompact and keeps what a compaction would lose. It never prints:
// anything on stdout would end up in the summary. It fails open.
package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
)

func main() { os.Exit(hooks.Main(hook(), hooks.System())) }
