package e2e_test

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

var update = flag.Bool("update", false, "rewrite the recorded payloads and transcripts")

// scratch is the folder of built programs; TestMain makes and removes it.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	for _, v := range claudecli.Versions() {
		if _, err := claudecli.Find("..", v); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "devflow-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	scratch = dir
	return m.Run()
}

// build compiles packages of this module into one folder.
func build(folder string, packages ...string) (string, error) {
	dir := filepath.Join(scratch, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", dir + "/"}, packages...)...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %v: %w: %s", packages, err, out)
	}
	return dir, nil
}

var testTools = sync.OnceValues(func() (string, error) { return build("tools", "./e2e/recorder", "./e2e/mcpping") })

// product is the folder of the built devflow programs: DEVFLOW_BIN when set (make test builds them static), else built here.
var product = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("DEVFLOW_BIN"); dir != "" {
		return filepath.Abs(dir)
	}
	return build("bin", "./hooks/...", "./cmd/...")
})

// forEachClient runs a test once per pinned client.
func forEachClient(t *testing.T, test func(t *testing.T, c claudecli.Client)) {
	t.Helper()
	for _, v := range claudecli.Versions() {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			c, err := claudecli.Find("..", v)
			if err != nil {
				t.Fatal(err)
			}
			test(t, c)
		})
	}
}
