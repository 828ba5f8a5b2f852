package sandbox_test

import (
	"os"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"go.uber.org/goleak"
)

// TestMain lets this test binary be the launcher, and the programs that tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "sandbox":
			os.Exit(sandbox.Launch(os.Args[2:]))
		case "orchestrator":
			os.Exit(orchestrate(os.Args[2:]))
		case "finder":
			os.Exit(finder(os.Args[2]))
		}
	}
	goleak.VerifyTestMain(m)
}
