package git

import (
	"context"
	"os"
	"path/filepath"
)

// arguments shows the argument list of every process, NUL between the arguments.
func arguments(_ context.Context, each func(argv string)) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name[0] < '1' || name[0] > '9' {
			continue
		}
		argv, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && len(argv) > 0 { // else it has ended
			each(string(argv))
		}
	}
	return nil
}
