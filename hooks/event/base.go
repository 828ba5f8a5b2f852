package event

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// baseTimeout bounds the snapshot before a task's first change. The shortest registered timeout of PreToolUse is 10 s.
const baseTimeout = 6 * time.Second

// CommitWithBase is Commit for a call that is about to change files. Before the task's first such call it takes the base
// tree, outside of any transaction: a snapshot takes tens of milliseconds and other hooks wait for the write lock.
func (s *Scene) CommitWithBase(mutates bool, decide func(tx *store.Tx, t *telemetry.Task) error) error {
	s.Fact.Mutates = mutates
	guarded := func(tx *store.Tx, t *telemetry.Task) error {
		if mutates && s.Fact.Base == nil && t.NeedsBase() && !t.Denied() {
			return &retry{"the base tree"}
		}
		return decide(tx, t)
	}
	err := s.Commit(guarded)
	var again *retry
	if !errors.As(err, &again) {
		return err
	}
	s.Fact.Base = s.base()
	return s.Commit(guarded)
}

// base snapshots the work tree. When that is not possible the base says so: the judge then cannot judge this task, and
// says that, instead of judging against a tree that was taken too late.
func (s *Scene) base() *telemetry.Base {
	b := &telemetry.Base{Root: s.Root, Tree: telemetry.NoTree}
	if !s.HasRepo {
		return b
	}
	b.Branch, b.Commit = s.Repo.Branch(), s.Repo.Head()
	ctx, cancel := context.WithTimeoutCause(context.Background(), baseTimeout, fmt.Errorf("not done within %s", baseTimeout))
	defer cancel()
	tree, err := s.Repo.Snapshot(ctx, s.Objects())
	if err != nil {
		if !errors.Is(err, gitx.ErrNoRepo) {
			s.Log("take base tree", err)
		}
		return b
	}
	b.Tree = tree
	return b
}
