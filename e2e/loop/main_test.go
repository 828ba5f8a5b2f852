package loop_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// programs is the folder of the built devflow programs: DEVFLOW_BIN when set, else TestMain builds them.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "devflow-loop")
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if programs, err = build(dir); err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		return 1
	}
	return m.Run()
}

// build compiles the programs, without symbols: linking is most of the time.
func build(dir string) (string, error) {
	if given := os.Getenv("DEVFLOW_BIN"); given != "" {
		return filepath.Abs(given)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", dir+"/", "./hooks/...", "./cmd/...")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w: %s", err, out)
	}
	return dir, nil
}
