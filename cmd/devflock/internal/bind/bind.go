// Package bind binds what the command line needs to the libraries of the orchestrator.
package bind

import (
	"errors"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
)

// LaunchCommand is the hidden command that confines itself and becomes another program.
const LaunchCommand = "sandbox"

// Launch is that command.
func Launch(args []string) int { return 1 }

// Open gives the engine.
func Open(engine.System) (engine.Engine, error) { return engine.Engine{}, errors.New("not built") }
