// Package desk is what the commands of devflock have in common: the flags that several of them take, the run that a command line
// means, and how a run is driven in front of a person.
//
// It owns no table and no command.
package desk

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wait"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// Opener gives the engine that does the work.
type Opener func(engine.System) (engine.Engine, error)

// App is one run of the program.
type App struct {
	frame.App
	environ []string
	opener  Opener

	mu   sync.Mutex
	soft context.CancelCauseFunc // ends what goes on so that it can be resumed
	hard chan struct{}           // closed: nothing is waited for any more
	hits int
}

// New is a run of the program that was called with args. The context ends with the first interrupt.
func New(args []string, sys frame.System, environ []string, open Opener) (*App, context.Context) {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &App{App: frame.New(args, sys), environ: environ, opener: open, soft: cancel, hard: make(chan struct{})}, ctx
}

// ErrInterrupted is why a command was ended.
var ErrInterrupted = errors.New("interrupted")

// Interrupt is Ctrl-C, wherever it came from.
func (a *App) Interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hits++
	switch a.hits {
	case 1:
		a.soft(ErrInterrupted)
	case 2:
		close(a.hard)
	}
}

// Open gives the engine. The caller closes it.
func (a *App) Open() (engine.Engine, error) {
	return a.opener(engine.System{Getenv: a.Getenv, Environ: a.environ, Now: a.Now, Exe: a.Exe})
}

// Width is that of the screen on standard output; 0 when it is none.
func (a *App) Width() int { return frame.Columns(a.Stdout) }

// Dumb reports whether the cursor of the terminal cannot be moved.
func (a *App) Dumb() bool { return a.Getenv("TERM") == "dumb" }

// Waiting is where people are told that something takes long: standard error.
func (a *App) Waiting() *wait.Screen {
	terminal := frame.Columns(a.Stderr) > 0
	return &wait.Screen{W: a.Stderr, Redraw: terminal && !a.Dumb(), Mute: !terminal}
}

// Asker asks on this terminal.
func (a *App) Asker() *ask.Asker {
	in, _ := a.Stdin.(*os.File)
	return &ask.Asker{In: in, Out: a.Stdout, Environ: a.environ, Plain: a.Dumb() || a.Getenv("ACCESSIBLE") != "", Width: a.Width()}
}
