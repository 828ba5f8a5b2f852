package sandbox_test

import (
	"os"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"go.uber.org/goleak"
)

// TestMain lets this test binary be the launcher.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}
