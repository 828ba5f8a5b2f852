package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

var update = flag.Bool("update", false, "rewrite the expected output of the scripts")

// fixedNow is when every script runs.
var fixedNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devflow-telemetry": func() {
			os.Exit(run(os.Args, system{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: func() time.Time { return fixedNow }}))
		},
	})
}

// Scripts have these commands besides the usual ones:
//
//	sql FILE...        runs the statements of the files on $DEVFLOW_DB, which it creates
//	version N          sets the schema version of $DEVFLOW_DB
//	spool SESSION N    leaves one fact of a session, N minutes old, in the spool
//	usage CODE ARGS... runs devflow-telemetry and wants that exit code
//	fits FILE          fails when a line of the file is longer than 100 characters or ends in a blank
//	narrow FILE        the same with 80 characters
func TestScripts(t *testing.T) {
	t.Parallel()
	seed, err := filepath.Abs("../../telemetry/report/testdata/seed.sql")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
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
				return withDB(ts, func(tx *store.Tx) error {
					for _, file := range args {
						if err := runSQL(tx, ts.ReadFile(file)); err != nil {
							return fmt.Errorf("%s: %w", file, err)
						}
					}
					return nil
				})
			}),
			"version": command(func(ts *testscript.TestScript, args []string) error {
				return setVersion(ts.Getenv("DEVFLOW_DB"), args[0])
			}),
			"spool": command(func(ts *testscript.TestScript, args []string) error {
				var minutes time.Duration
				if _, err := fmt.Sscan(args[1], &minutes); err != nil {
					return err
				}
				f := telemetry.NewFact(fixedNow.Add(-minutes*time.Minute), args[0], "UserPromptSubmit")
				f.Root, f.Cwd, f.Description = "/home/dev/spooled", "/home/dev/spooled", "came through the spool"
				record, err := f.Encode()
				if err != nil {
					return err
				}
				return store.Spool{Dirs: []string{filepath.Join(ts.Getenv("DEVFLOW_HOME"), "spool")}}.Append(args[0], record)
			}),
			"usage":  command(exitsWith),
			"fits":   command(func(ts *testscript.TestScript, args []string) error { return fits(ts.ReadFile(args[0]), 100) }),
			"narrow": command(func(ts *testscript.TestScript, args []string) error { return fits(ts.ReadFile(args[0]), 80) }),
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

func withDB(ts *testscript.TestScript, fn func(*store.Tx) error) error {
	db, err := store.Open(ts.Getenv("DEVFLOW_DB"), store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(db.Update(fn), db.Close())
}

// runSQL runs statements that end in ";" at the end of a line. Lines that begin with "--" are comments.
func runSQL(tx *store.Tx, text string) error {
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

// setVersion writes user_version into the header of a closed database: bytes 60 to 63, big endian.
func setVersion(path, version string) error {
	var v byte
	if _, err := fmt.Sscan(version, &v); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{0, 0, 0, v}, 60)
	for _, ext := range [...]string{"-wal", "-shm"} {
		if rerr := os.Remove(path + ext); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return errors.Join(err, f.Close())
}

// exitsWith runs the command line after its first argument, which is the wanted exit code.
func exitsWith(ts *testscript.TestScript, args []string) error {
	err := ts.Exec("devflow-telemetry", args[1:]...)
	var exit interface{ ExitCode() int }
	if !errors.As(err, &exit) {
		return fmt.Errorf("got %v, want exit code %s", err, args[0])
	}
	if got := fmt.Sprint(exit.ExitCode()); got != args[0] {
		return fmt.Errorf("got exit code %s, want %s", got, args[0])
	}
	return nil
}

func fits(text string, width int) error {
	scanner := bufio.NewScanner(strings.NewReader(text))
	for n := 1; scanner.Scan(); n++ {
		if line := scanner.Text(); len([]rune(line)) > width || strings.HasSuffix(line, " ") {
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
