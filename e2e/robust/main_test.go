package robust_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Variables that a test run gives to the processes that it starts of itself.
const (
	programsVar = "DEVFLOW_BIN"         // folder of the built programs; without it they are built
	loneVar     = "DEVFLOW_ROBUST_LONE" // folder made by lone
)

// limit bounds everything that is waited for; only a broken run reaches it.
const limit = 2 * time.Minute

// built holds the folders of the programs under test; TestMain sets it.
var built struct {
	programs string // all of them: a Stop starts the boundary lane
	lone     string // the hooks beside a boundary lane that does nothing, so that no process outlives a test
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "devflow-robust")
	if err == nil {
		defer os.RemoveAll(dir)
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "robust:", err)
		return 1
	}
	return m.Run()
}

func prepare(dir string) (err error) {
	if built.programs = os.Getenv(programsVar); built.programs == "" {
		built.programs = filepath.Join(dir, "bin")
		if err := os.Mkdir(built.programs, 0o755); err != nil {
			return err
		}
		if err := command("..", "go", "build", "-o", built.programs+"/", "../hooks/...", "../cmd/..."); err != nil {
			return err
		}
	}
	if built.programs, err = filepath.Abs(built.programs); err != nil {
		return err
	}
	if built.lone = os.Getenv(loneVar); built.lone == "" {
		built.lone = filepath.Join(dir, "lone")
		return lone(built.programs, built.lone)
	}
	return nil
}

// lone copies the hooks and puts a script in the place of the boundary lane. The copying and writing is done by other
// processes: a program that this one had open for writing could be busy when it is started.
func lone(from, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	hooks, err := filepath.Glob(filepath.Join(from, "devflow-*"))
	if err != nil || len(hooks) < len(programs) {
		return fmt.Errorf("find the hooks in %s: %d there, %v", from, len(hooks), err)
	}
	if err := command(".", "cp", append(hooks, to)...); err != nil {
		return err
	}
	return command(to, "sh", "-c", `printf '#!/bin/sh\necho "{}"\n' > devflow && chmod 755 devflow`)
}

func command(dir, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out.String())
	}
	return nil
}
