// Package check runs the commands by which a run decides: the acceptance check of a task in its region's tree or in a merged one, and
// the run's own test.
//
// It owns no table and no file; how a command is confined is its verifier's.
package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// Check is a command to run on a tree.
type Check struct {
	Region  string // whose work tree it is; "" = a throw-away tree of a merge, in which everything may be written
	Root    string // absolute: the project's folder in that tree
	Dir     string // absolute, Root or below it: where the command runs; made when missing
	Command string // shell
	Network bool
}

// Verifier runs checks, confined and with its own time-out. An error means that nothing was found out; it counts as infrastructure.
type Verifier interface {
	Verify(ctx context.Context, c Check) (land.Verdict, error)
}

// Runner runs the checks of a run.
type Runner struct {
	Verifier Verifier
	Plan     orchestrator.Plan
	Test     string        // the run's own; "" = none
	Limit    time.Duration // that the verifier has by its own word; 0 = none
	Grace    time.Duration // what it may take beyond that before it is given up
}

// Merged checks a merged tree: with the run's own test, or without one with the acceptance checks of the tasks in it.
func (r Runner) Merged(ctx context.Context, dir string, tasks []orchestrator.TaskRow) (land.Verdict, error) {
	if r.Test != "" {
		return r.verify(ctx, Check{Root: dir, Dir: dir, Command: r.Test})
	}
	for _, t := range tasks {
		if t.Acceptance == "" {
			continue
		}
		v, err := r.Accept(ctx, "", dir, t)
		if err != nil {
			return land.Verdict{}, err
		}
		if !v.OK {
			v.Output = fmt.Sprintf("acceptance check of task %s: %s\n%s", t.ID, words.Line(t.Acceptance, 400), v.Output)
			return v, nil
		}
	}
	return land.Verdict{OK: true}, nil
}

// Accept runs the acceptance check of a task in the tree of a region, or of a merge when region is "".
func (r Runner) Accept(ctx context.Context, region, root string, t orchestrator.TaskRow) (land.Verdict, error) {
	dir, err := r.moduleDir(root, t)
	if err != nil {
		return land.Verdict{}, err
	}
	return r.verify(ctx, Check{Region: region, Root: root, Dir: dir, Command: t.Acceptance, Network: t.Network})
}

// verify runs a check, with a bound for a verifier that forgets its own.
func (r Runner) verify(ctx context.Context, c Check) (land.Verdict, error) {
	if r.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Limit+r.Grace, fmt.Errorf("verifier did not end %s after its time-out of %s", r.Grace, r.Limit))
		defer cancel()
	}
	v, err := r.Verifier.Verify(ctx, c)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return land.Verdict{}, fmt.Errorf("run check: %w", err)
	}
	v.Output = words.Clip(v.Output, words.MaxFailure)
	return v, nil
}

// moduleDir is the folder of a task's module below root, made when it is not there: git keeps no empty folder.
func (r Runner) moduleDir(root string, t orchestrator.TaskRow) (string, error) {
	m, known := r.Plan.Module(t.Module)
	if !known || m.Path == "" {
		return root, nil
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return "", fmt.Errorf("open tree: %w", err)
	}
	defer func() { _ = top.Close() }() // nothing was written through it
	if err := top.MkdirAll(filepath.FromSlash(m.Path), 0o755); err != nil {
		return "", fmt.Errorf("make folder of module %s: %w", m.Name, err)
	}
	return filepath.Join(root, filepath.FromSlash(m.Path)), nil
}
