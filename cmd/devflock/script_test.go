package main

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/bind"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/testkit/script"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixedNow is when every script runs.
var fixedNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devflock": func() {
			sys := frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: func() time.Time { return fixedNow }, Getwd: os.Getwd, Exe: os.Args[0]}
			os.Exit(run(os.Args, sys, os.Environ(), openFake))
		},
		"devflock-real": func() { // as it is installed
			sys := frame.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Getwd: os.Getwd, Exe: os.Args[0]}
			os.Exit(run(os.Args, sys, os.Environ(), bind.Open))
		},
	})
}

// Scripts have these commands besides the usual ones:
//
//	exits CODE ARGS.. runs devflock and wants that exit code
//	fits FILE         fails when a line of the file is longer than 80 characters or ends in a blank
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			e.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
			for _, who := range [...]string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "A Person")
				e.Setenv("GIT_"+who+"_EMAIL", "person@example.com")
				e.Setenv("GIT_"+who+"_DATE", "2026-11-30T12:00:00Z")
			}
			return script.Home(e, "")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": script.Command(script.Exits("devflock")),
			"fits":  script.Command(script.Fits(80)),
		},
	})
}

// A description is broken by hand so that Fold has nothing left to break: it cannot join lines.
func TestDescriptionsAreBroken(t *testing.T) {
	t.Parallel()
	for _, line := range frame.Unbroken((&app{&desk.App{}}).root()) {
		t.Error(line)
	}
}
