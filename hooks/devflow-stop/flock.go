package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
)

// advance starts what the session's runs of devflock need next, as processes of their own: a queued one is planned and started, one
// whose driver has died goes on. A run that somebody drives already is left alone by the process itself, which finds it locked.
func advance(s *event.Scene) {
	var waiting []orchestrator.Run
	err := s.View(func(tx *store.Tx) error {
		runs, err := orchestrator.OfSession(tx, s.Session)
		for _, r := range runs {
			switch r.State {
			case orchestrator.RunQueued, orchestrator.RunReady, orchestrator.RunRunning:
				waiting = append(waiting, r)
			}
		}
		return err
	})
	if err != nil {
		s.Log("read runs", err)
		return
	}
	for _, r := range waiting {
		s.Module("flock", func() (hooks.Outcome, error) {
			env, _ := environ.Safe(os.Environ()) // the project's tools are found as the person finds them; keys stay in the endpoints file
			return hooks.OK, proc.Detach(proc.Cmd{
				Argv: []string{s.Sibling("devflock"), "advance", string(r.ID)},
				Dir:  s.Paths.Root,
				Env:  append(env, "DEVFLOW_HOME="+s.Paths.Root, "DEVFLOW_DB="+s.Paths.DB, "HOME="+s.Paths.Home),
			})
		})
	}
}
