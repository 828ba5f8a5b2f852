// Package script holds what the scripted tests of the programs in cmd share: a home of their own and some commands.
//
// It is for tests only.
package script

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/devflow-suite/devflow/internal/store"
)

// Home gives a script a home, a temporary folder and a database below its work folder, and $SEED, the statements that fill
// one.
func Home(e *testscript.Env, seed string) error {
	seed, err := filepath.Abs(seed)
	if err != nil {
		return err
	}
	e.Setenv("SEED", seed)
	e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
	e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
	e.Setenv("DEVFLOW_HOME", filepath.Join(e.WorkDir, "home", ".claude", "devflow"))
	e.Setenv("DEVFLOW_DB", filepath.Join(e.WorkDir, "home", ".claude", "devflow", "telemetry", "devflow.db"))
	return os.MkdirAll(filepath.Join(e.WorkDir, "tmp"), 0o700)
}

// Command makes a command of a script that cannot be negated.
func Command(fn func(*testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(fn(ts, args))
	}
}

// SQL is the command sql FILE...: it runs the statements of the files on $DEVFLOW_DB, which it creates. A statement ends in ";"
// at the end of a line; lines that begin with "--" are comments.
func SQL(ts *testscript.TestScript, args []string) error {
	db, err := store.Open(ts.Getenv("DEVFLOW_DB"), store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(db.Update(func(tx *store.Tx) error {
		for _, file := range args {
			if err := run(tx, ts.ReadFile(file)); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return nil
	}), db.Close())
}

func run(tx *store.Tx, text string) error {
	var statement strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "--") || strings.TrimSpace(line) == "" {
			continue
		}
		statement.WriteString(line)
		if !strings.HasSuffix(strings.TrimSpace(line), ";") {
			continue
		}
		if _, err := tx.Exec(statement.String()); err != nil {
			return err
		}
		statement.Reset()
	}
	if statement.Len() > 0 {
		return fmt.Errorf("statement without end: %s", statement.String())
	}
	return nil
}

// Exits is the command exits CODE ARGS...: it runs a program and wants that exit code.
func Exits(program string) func(*testscript.TestScript, []string) error {
	return func(ts *testscript.TestScript, args []string) error {
		err := ts.Exec(program, args[1:]...)
		var exit interface{ ExitCode() int }
		if !errors.As(err, &exit) {
			return fmt.Errorf("got %v, want exit code %s", err, args[0])
		}
		if got := fmt.Sprint(exit.ExitCode()); got != args[0] {
			return fmt.Errorf("got exit code %s, want %s", got, args[0])
		}
		return nil
	}
}

// Fits is the command fits FILE: it fails when a line of the file is longer than width characters or ends in a blank.
func Fits(width int) func(*testscript.TestScript, []string) error {
	return func(ts *testscript.TestScript, args []string) error {
		scanner := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
		for n := 1; scanner.Scan(); n++ {
			if line := scanner.Text(); len([]rune(line)) > width || strings.HasSuffix(line, " ") {
				return fmt.Errorf("line %d is %d characters long: %q", n, len([]rune(line)), line)
			}
		}
		return scanner.Err()
	}
}
