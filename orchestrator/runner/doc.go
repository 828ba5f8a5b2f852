// Package runner puts a run together and drives it: it makes the rows and the folder of a run, gives every region a gateway and a
// confined worker, hands them to the scheduler, and answers whoever asks over the control socket. A fresh run, an interrupted one
// and one whose driver was killed go the same way.
//
// It owns the folder of a run (orchestrator/place) and no table. It decides nothing about tasks, which is the scheduler's, and does
// not know who judges.
package runner

import (
	"errors"
	"log/slog"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

var (
	// ErrHeld says that another process drives the run.
	ErrHeld = errors.New("another process drives the run")
	// ErrUnplanned says that a run has no plan yet.
	ErrUnplanned = errors.New("run has no plan yet")
	// ErrNoEndpoint says that a region has no endpoint in the run's endpoints file.
	ErrNoEndpoint = errors.New("no such endpoint")
)

// Deps is what a run needs of the program around it. All functions are called from many goroutines.
type Deps struct {
	Ledger  *orchestrator.Ledger
	Root    string               // devflow's root folder
	Self    []string             // starts our sandbox launcher: the program and its hidden command
	Getenv  func(string) string  // the environment; nothing of it reaches a worker but PATH and LANG
	Judge   schedule.Judge       // who looks at a change before it is integrated; nil = nobody
	Observe func(schedule.Event) // told every event; nil = nobody
	Log     *slog.Logger         // for people; nil = none. The run's own log file is written besides
	Now     func() time.Time
}
