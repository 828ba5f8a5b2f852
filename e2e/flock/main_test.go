package flock_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
)

// root is the repository.
const root = "../.."

// scratch is the folder of built programs; TestMain makes and removes it.
var scratch string

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case lateName:
		os.Exit(late())
	case raiderName:
		os.Exit(raid(os.Args[1:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	flag.Parse()
	for _, v := range claudecli.Versions() {
		if _, err := claudecli.Find(root, v); err != nil {
			fmt.Fprintln(os.Stderr, "e2e/flock:", err)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "devflock-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e/flock:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	scratch = dir
	return m.Run()
}

// devflock is the built program: of DEVFLOW_BIN when set (make test builds it static), else built here, once.
var devflock = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("DEVFLOW_BIN"); dir != "" {
		return filepath.Abs(filepath.Join(dir, "devflock"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	program := filepath.Join(scratch, "devflock")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/devflock")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build devflock: %w: %s", err, out)
	}
	return program, nil
})

// eachClient runs a test once per pinned client, side by side.
func eachClient(t *testing.T, test func(t *testing.T, c claudecli.Client)) {
	t.Helper()
	for _, v := range claudecli.Versions() {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			test(t, client(t, v))
		})
	}
}

func client(t *testing.T, version string) claudecli.Client {
	t.Helper()
	c, err := claudecli.Find(root, version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
