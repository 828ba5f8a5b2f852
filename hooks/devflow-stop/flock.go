package main

import (
	"os"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/place"
)

// advance starts what the session's runs of devflock need next, as processes of their own: a queued one is planned and started, one
// whose driver has died goes on. A queued run waits as long as there are no endpoints, and one that a finished specification asks for
// waits for a person unless the user said otherwise. A run that somebody drives already is left alone by the process itself, which
// finds it locked.
func advance(s *event.Scene) {
	_, err := os.Stat(place.Standing(s.Paths.Root))
	supplied := err == nil
	var waiting []orchestrator.Run
	err = s.View(func(tx *store.Tx) error {
		runs, err := orchestrator.OfSession(tx, s.Session)
		for _, r := range runs {
			switch {
			case r.State == orchestrator.RunReady, r.State == orchestrator.RunRunning,
				r.State == orchestrator.RunQueued && supplied && (r.Mode != orchestrator.ModeFixed || s.Cfg.Flock.Auto):
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
			args := []string{"resume", "--plain", string(r.ID)}
			if r.State == orchestrator.RunQueued {
				args = []string{"run", "--plain", "--yes", "--queued", string(r.ID), "--endpoints", place.Standing(s.Paths.Root)}
			}
			return hooks.OK, proc.Detach(proc.Cmd{
				Argv: append([]string{s.Sibling("devflock")}, args...),
				Dir:  s.Paths.Root,
				Env:  append(env, "DEVFLOW_HOME="+s.Paths.Root, "DEVFLOW_DB="+s.Paths.DB, "HOME="+s.Paths.Home),
			})
		})
	}
}
