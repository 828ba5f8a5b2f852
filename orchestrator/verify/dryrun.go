package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/schedule/check"
)

// FlagKind says what is wrong with an acceptance command.
type FlagKind string

// The kinds.
const (
	AlreadyTrue FlagKind = "already true" // it passes before the work, so it cannot tell whether the work was done
	CannotRun   FlagKind = "cannot run"   // a program that it needs is not there, and no task will make it
	TooSlow     FlagKind = "too slow"     // it did not end within the time-out
)

// Flag is an acceptance command that a person should look at.
type Flag struct {
	Task   string   `json:"task"`
	Kind   FlagKind `json:"kind"`
	Reason string   `json:"reason"` // one sentence
}

// Dry says what to try.
type Dry struct {
	Plan  orchestrator.Plan
	Tasks []orchestrator.Task // nil = those of the plan
	Width int                 // commands at once; 0 = 4
	// Tree makes a throw-away tree of the base and gives the project's folder in it; see Base. It is called for each of the Width at
	// most once, from many goroutines. done removes it.
	Tree func(ctx context.Context) (dir string, done func() error, err error)
}

// DefaultWidth is how many commands are tried at once when Dry.Width is 0.
const DefaultWidth = 4

// DryRun runs every acceptance command of a plan on the base, before any work, and flags those that pass, cannot run or do not end.
// Commands that run side by side have trees of their own. Flags are in the order of the tasks. The error is the first of those that
// kept a command from being tried; the flags of the others are given with it.
func DryRun(ctx context.Context, v *Verifier, d Dry) ([]Flag, error) {
	tasks := d.Tasks
	if tasks == nil {
		tasks = d.Plan.Tasks
	}
	width := d.Width
	if width <= 0 {
		width = DefaultWidth
	}
	todo := make(chan int)
	flags := make([]Flag, len(tasks))
	var (
		mu    sync.Mutex
		first error
		wg    sync.WaitGroup
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = fmt.Errorf("dry run: %w", err)
		}
	}
	for i := range min(width, len(tasks)) {
		wg.Go(func() {
			if err := v.slot(ctx, d, fmt.Sprintf("dry-run-%d", i), tasks, todo, flags); err != nil {
				fail(err)
			}
		})
	}
	for i, t := range tasks {
		if strings.TrimSpace(t.Acceptance) == "" {
			continue
		}
		select {
		case todo <- i:
		case <-ctx.Done():
			fail(context.Cause(ctx))
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(todo)
	wg.Wait()
	return slices.DeleteFunc(flags, func(f Flag) bool { return f.Kind == "" }), first
}

// slot tries commands one after the other in a tree of its own, which is made when the first one comes.
func (v *Verifier) slot(ctx context.Context, d Dry, home string, tasks []orchestrator.Task, todo <-chan int, flags []Flag) (err error) {
	dir, remove := "", func() error { return nil }
	defer func() {
		if doneErr := remove(); doneErr != nil && err == nil {
			err = doneErr
		}
	}()
	for i := range todo {
		if dir == "" {
			made, done, treeErr := d.Tree(ctx)
			if treeErr != nil {
				for range todo { // let the others go on
				}
				return treeErr
			}
			dir, remove = made, done
		}
		o, tryErr := v.try(ctx, d.Plan, home, dir, tasks[i])
		if tryErr != nil {
			if err == nil {
				err = fmt.Errorf("task %s: %w", tasks[i].ID, tryErr)
			}
			continue
		}
		flags[i] = v.judge(tasks[i], o)
	}
	return err
}

func (v *Verifier) try(ctx context.Context, plan orchestrator.Plan, home, dir string, t orchestrator.Task) (outcome, error) {
	var o outcome
	runner := check.Runner{Plan: plan, Verifier: verifierFunc(func(ctx context.Context, c schedule.Check) (schedule.Verdict, error) {
		c.Region = home
		var err error
		o, err = v.run(ctx, c)
		return schedule.Verdict{}, err
	})}
	_, err := runner.Accept(ctx, home, dir, orchestrator.TaskRow{Task: t})
	return o, err
}

type verifierFunc func(context.Context, schedule.Check) (schedule.Verdict, error)

func (f verifierFunc) Verify(ctx context.Context, c schedule.Check) (schedule.Verdict, error) {
	return f(ctx, c)
}

func (v *Verifier) judge(t orchestrator.Task, o outcome) Flag {
	switch {
	case o.timedOut:
		return Flag{t.ID, TooSlow, fmt.Sprintf("its check did not end within %s", v.o.Timeout)}
	case o.exit == 0:
		return Flag{t.ID, AlreadyTrue, "its check passes before the work: it cannot tell whether the work was done"}
	case o.exit == 126 || o.exit == 127:
		if program, ok := missing(o.output); ok {
			return Flag{t.ID, CannotRun, "its check cannot run: " + program + " is not installed, or not visible inside the confinement"}
		}
	}
	return Flag{}
}

// missing finds the program that a shell did not find. One with a slash is a file of the project, which a task may yet make.
func missing(output string) (program string, ok bool) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		rest, found := strings.CutSuffix(line, ": command not found") // bash
		if !found {
			rest, found = strings.CutSuffix(line, ": not found") // dash
		}
		if !found {
			continue
		}
		program = rest[strings.LastIndexByte(rest, ' ')+1:]
		if program != "" && program == filepath.Base(program) {
			return program, true
		}
	}
	return "", false
}
