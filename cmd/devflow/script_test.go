package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/store"
)

// fixedNow is when every script runs.
var fixedNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devflow": func() {
			os.Exit(run(os.Args, system{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: func() time.Time { return fixedNow }, getwd: os.Getwd, exe: os.Args[0]}))
		},
		"gone": func() { // starts devflow in a folder that is no more
			if err := errors.Join(os.Mkdir("gone", 0o700), os.Chdir("gone"), os.Remove("../gone")); err != nil {
				panic(err)
			}
			os.Exit(run(append([]string{"devflow"}, os.Args[1:]...), system{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now, getwd: os.Getwd}))
		},
	})
}

// Scripts have these commands besides the usual ones:
//
//	sql FILE          runs the statements of a file on $DEVFLOW_DB, which it creates
//	exits CODE ARGS.. runs devflow and wants that exit code
//	fits FILE         fails when a line of the file is longer than 80 characters or ends in a blank
func TestScripts(t *testing.T) {
	t.Parallel()
	seed, err := filepath.Abs("../../telemetry/report/testdata/seed.sql")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SEED", seed)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("DEVFLOW_HOME", filepath.Join(e.WorkDir, "home", ".claude", "devflow"))
			e.Setenv("DEVFLOW_DB", filepath.Join(e.WorkDir, "home", ".claude", "devflow", "telemetry", "devflow.db"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "tmp"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sql": command(func(ts *testscript.TestScript, args []string) error {
				return runSQL(ts.Getenv("DEVFLOW_DB"), ts.ReadFile(args[0]))
			}),
			"exits": command(exitsWith),
			"fits":  command(func(ts *testscript.TestScript, args []string) error { return fits(ts.ReadFile(args[0])) }),
		},
	})
}

func command(fn func(*testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(fn(ts, args))
	}
}

// runSQL runs statements that end in ";" at the end of a line.
func runSQL(path, text string) error {
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *store.Tx) error {
		for part := range strings.SplitSeq(text, ";\n") {
			if part = strings.TrimSpace(part); part != "" {
				if _, err := tx.Exec(part); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return errors.Join(err, db.Close())
}

// exitsWith runs the command line after its first argument, which is the wanted exit code.
func exitsWith(ts *testscript.TestScript, args []string) error {
	err := ts.Exec("devflow", args[1:]...)
	var exit interface{ ExitCode() int }
	if !errors.As(err, &exit) {
		return fmt.Errorf("got %v, want exit code %s", err, args[0])
	}
	if got := fmt.Sprint(exit.ExitCode()); got != args[0] {
		return fmt.Errorf("got exit code %s, want %s", got, args[0])
	}
	return nil
}

func fits(text string) error {
	scanner := bufio.NewScanner(strings.NewReader(text))
	for n := 1; scanner.Scan(); n++ {
		if line := scanner.Text(); len([]rune(line)) > 80 || strings.HasSuffix(line, " ") {
			return fmt.Errorf("line %d is %d characters long: %q", n, len([]rune(line)), line)
		}
	}
	return scanner.Err()
}

// A description is broken by hand so that Fold has nothing left to break: it cannot join lines.
func TestDescriptionsAreBroken(t *testing.T) {
	t.Parallel()
	const indent = 3
	var check func(*cli.Command)
	check = func(c *cli.Command) {
		for line := range strings.Lines(c.Description) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > helpWidth-indent {
				t.Errorf("%s: line of %d characters: %s", c.Name, n, line)
			}
		}
		for _, sub := range c.Commands {
			check(sub)
		}
	}
	check(newApp(&app{}, nil))
}
