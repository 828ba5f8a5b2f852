// Package after does what a person may want of a run that nobody drives: take what it has integrated, and clear it away.
//
// It owns no table; the lock of the run keeps a driver out meanwhile.
package after

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Integrate gives what a run has integrated so far its final name, devflock/integration, also when the run has not ended well. It
// gives the branch; runner.ErrHeld while somebody drives the run.
func Integrate(ctx context.Context, deps runner.Deps, id orchestrator.RunID) (branch string, err error) {
	err = still(ctx, deps, id, func(run orchestrator.Run, t *trees.Trees) error {
		if run.Integration == "" {
			return fmt.Errorf("%w: nothing is integrated yet", orchestrator.ErrState)
		}
		if err := reach(ctx, t, run.Integration); err != nil {
			return err
		}
		if branch, err = t.Finish(ctx); err != nil || !run.State.Over() {
			return err
		}
		return t.Remove(ctx) // opening them has made some again
	})
	if err != nil {
		return "", fmt.Errorf("integrate run %s: %w", id, err)
	}
	return branch, nil
}

// reach moves the run's integration branch to what the rows say is integrated: when the trees of an ended run are gone, the branch is
// made again at the base.
func reach(ctx context.Context, t *trees.Trees, integrated string) error {
	tip, err := t.Tip(ctx)
	if err != nil {
		return err
	}
	has, err := t.Contains(ctx, tip, integrated)
	if err != nil || has {
		return err
	}
	return t.Advance(ctx, tip, integrated)
}

// Remove removes the work trees and the folder of a run; work that nobody took is kept under refs/devflock/wip, the integration
// branch and the rows stay. A run that has not ended is failed by it. runner.ErrHeld while somebody drives it.
func Remove(ctx context.Context, deps runner.Deps, id orchestrator.RunID) error {
	p := place.Of(deps.Root, string(id))
	err := still(ctx, deps, id, func(run orchestrator.Run, t *trees.Trees) error {
		if t != nil {
			if err := t.Remove(ctx); err != nil {
				return err
			}
		}
		if run.State.Over() {
			return nil
		}
		return deps.Ledger.SetState(id, orchestrator.RunFailed, "its folder was removed by a person")
	})
	if err == nil {
		err = p.Clear()
	}
	if err != nil {
		return fmt.Errorf("remove run %s: %w", id, err)
	}
	return nil
}

// still does something with the trees of a run that nobody drives.
func still(ctx context.Context, deps runner.Deps, id orchestrator.RunID, do func(orchestrator.Run, *trees.Trees) error) error {
	run, err := deps.Ledger.Run(id)
	if err != nil {
		return err
	}
	p := place.Of(deps.Root, string(id))
	unlock, err := runner.Hold(deps, id)
	if err != nil {
		return err
	}
	defer unlock()
	if run.Base == "" { // never started: there are no trees
		return do(run, nil)
	}
	project, err := trees.Examine(ctx, run.Project)
	if err != nil {
		return err
	}
	t, err := trees.Open(ctx, trees.Options{Run: string(id), Base: run.Base, Project: project, Dir: p.Trees(), Log: deps.Log})
	if err != nil {
		return err
	}
	return do(run, t)
}
