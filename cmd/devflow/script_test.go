package main

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/testkit/script"
)

// fixedNow is when every script runs.
var fixedNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devflow": func() {
			os.Exit(run(os.Args, frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: func() time.Time { return fixedNow }, Getwd: os.Getwd, Exe: os.Args[0]}))
		},
		"gone": func() { // starts devflow in a folder that is no more
			if err := errors.Join(os.Mkdir("gone", 0o700), os.Chdir("gone"), os.Remove("../gone")); err != nil {
				panic(err)
			}
			os.Exit(run(append([]string{"devflow"}, os.Args[1:]...), frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Getwd: os.Getwd}))
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
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			return script.Home(e, "../../telemetry/report/testdata/seed.sql")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sql":   script.Command(script.SQL),
			"exits": script.Command(script.Exits("devflow")),
			"fits":  script.Command(script.Fits(80)),
		},
	})
}

// A description is broken by hand so that Fold has nothing left to break: it cannot join lines.
func TestDescriptionsAreBroken(t *testing.T) {
	t.Parallel()
	for _, line := range frame.Unbroken((&app{}).root()) {
		t.Error(line)
	}
}
