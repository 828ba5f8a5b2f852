package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/script"
	"github.com/devflow-suite/devflow/telemetry"
)

var update = flag.Bool("update", false, "rewrite the expected output of the scripts")

// fixedNow is when every script runs.
var fixedNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devflow-telemetry": func() {
			os.Exit(run(os.Args, frame.System{Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: func() time.Time { return fixedNow }}))
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
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			return script.Home(e, "../../telemetry/report/testdata/seed.sql")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sql": script.Command(script.SQL),
			"version": script.Command(func(ts *testscript.TestScript, args []string) error {
				return setVersion(ts.Getenv("DEVFLOW_DB"), args[0])
			}),
			"spool": script.Command(func(ts *testscript.TestScript, args []string) error {
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
			"usage":  script.Command(script.Exits("devflow-telemetry")),
			"fits":   script.Command(script.Fits(100)),
			"narrow": script.Command(script.Fits(80)),
		},
	})
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

// A description is broken by hand so that Fold has nothing left to break: it cannot join lines.
func TestDescriptionsAreBroken(t *testing.T) {
	t.Parallel()
	for _, line := range frame.Unbroken((&app{}).root()) {
		t.Error(line)
	}
}
