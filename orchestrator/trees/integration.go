package trees

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
)

func (t *Trees) branch(region string) string { return "devflock/" + t.o.Run + "/" + region }
func (t *Trees) integration() string         { return "refs/heads/" + t.branch(Reserved) }
func (t *Trees) baseRef() string             { return "refs/devflock/base/" + t.o.Run }
func (t *Trees) startRef(region string) string {
	return "refs/devflock/start/" + t.o.Run + "/" + region
}
func (t *Trees) wipPrefix() string { return "refs/devflock/wip/" + t.o.Run + "/" }
func (t *Trees) keptPrefix(region string) string {
	return "refs/devflock/kept/" + t.o.Run + "/" + region + "/"
}

// kept is the ref that keeps a commit which a branch of ours leaves.
func (t *Trees) kept(region, commit string) string { return t.keptPrefix(region) + commit }

// Advance moves the run's integration branch. ErrMoved (wrapped) says that it is not at from; when it is at to already, all is well.
// While a person has the branch checked out it is a *RefusedError: moving it would change what their work tree is compared with. One
// process.
func (t *Trees) Advance(ctx context.Context, from, to string) error {
	if at, err := t.refs.CheckedOut(ctx, t.integration()); err != nil || at != "" {
		if err == nil {
			err = &RefusedError{Reason: fmt.Sprintf("branch %s is checked out in %s", t.branch(Reserved), at), Hint: fmt.Sprintf("run: git -C %s switch --detach", at)}
		}
		return err
	}
	err := t.refs.Update(ctx, []refs.Change{{Ref: t.integration(), New: to, Old: from}})
	if err == nil {
		return nil
	}
	tip, tipErr := t.Tip(ctx)
	switch {
	case tipErr == nil && tip == to:
		return nil
	case tipErr == nil && tip != from:
		return fmt.Errorf("advance %s from %.12s: it is at %.12s: %w", t.branch(Reserved), from, tip, ErrMoved)
	case errors.Is(tipErr, gitx.ErrNoRev):
		return fmt.Errorf("advance %s from %.12s: it is gone: %w", t.branch(Reserved), from, ErrMoved)
	}
	return fmt.Errorf("advance %s: %w", t.branch(Reserved), err)
}

// Finish moves the final branch to the tip of the run and gives its name. What it leaves stays reachable by a ref. When a person has
// the final branch checked out it stays where it is, and the name of the run's own integration branch comes back. It may be repeated.
func (t *Trees) Finish(ctx context.Context) (branch string, err error) {
	unlock, err := git.LockFolder(ctx, t.o.Project.CommonDir)
	if err != nil {
		return "", fmt.Errorf("finish run %s: %w", t.o.Run, err)
	}
	defer unlock()
	final := "refs/heads/" + Final
	have, err := t.refs.List(ctx, final, t.integration())
	if err != nil {
		return "", fmt.Errorf("finish run %s: %w", t.o.Run, err)
	}
	tip, old := have[t.integration()], have[final]
	if tip == "" {
		return "", fmt.Errorf("finish run %s: no branch %s: %w", t.o.Run, t.branch(Reserved), gitx.ErrNoRev)
	}
	if tip == old {
		return Final, nil
	}
	at, err := t.refs.CheckedOut(ctx, final)
	if err != nil {
		return "", fmt.Errorf("finish run %s: %w", t.o.Run, err)
	}
	if at != "" {
		t.o.Log.Warn("final branch is checked out and stays", "branch", Final, "at", at, "result", t.branch(Reserved))
		return t.branch(Reserved), nil
	}
	updates := []refs.Change{{Ref: final, New: tip, Old: old}}
	if old != "" {
		if updates, err = t.keep(ctx, updates, Reserved, old, tip); err != nil {
			return "", fmt.Errorf("finish run %s: %w", t.o.Run, err)
		}
	}
	if err := t.refs.Update(ctx, updates); err != nil {
		return "", fmt.Errorf("finish run %s: %w", t.o.Run, err)
	}
	return Final, nil
}

// keep adds a ref for a commit that a branch leaves, unless tip holds it or there is one. One or two processes.
func (t *Trees) keep(ctx context.Context, updates []refs.Change, region, commit, tip string) ([]refs.Change, error) {
	held, err := t.store.Contains(ctx, tip, commit)
	if err != nil || held {
		return updates, err
	}
	ref := t.kept(region, commit)
	have, err := t.refs.List(ctx, ref)
	if err != nil || have[ref] != "" {
		return updates, err
	}
	return append(updates, refs.Change{Ref: ref, New: commit, Old: ""}), nil
}

// wip finds a free name below the run's leftovers.
func (t *Trees) wip(have map[string]string, label string) string {
	ref := t.wipPrefix() + clean(label)
	if have[ref] == "" {
		return ref
	}
	for n := 2; ; n++ {
		if next := ref + "-" + strconv.Itoa(n); have[next] == "" {
			return next
		}
	}
}

// clean makes a part of a ref name of any text.
func clean(label string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, label)
	if out = strings.TrimLeft(out, "-"); out == "" {
		return "work"
	}
	return out[:min(len(out), 100)]
}
