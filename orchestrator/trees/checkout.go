package trees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/flock"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// Names of ours in the state folder, besides those of package work.
const (
	checkoutName = "checkout-"
	leaseKind    = "lease"
)

// Checkout makes a throw-away work tree of a commit, for tests, and gives the project's folder in it. done removes it and may be
// called more than once; what a killed process left goes at the next Open. Two processes.
func (t *Trees) Checkout(ctx context.Context, commit string) (dir string, done func() error, err error) {
	w, release, err := t.checkoutTree(ctx, commit)
	if err != nil {
		return "", nil, fmt.Errorf("check out %.12s: %w", commit, err)
	}
	remove := sync.OnceValue(func() error {
		defer release()
		unlock, err := git.LockFolder(context.WithoutCancel(ctx), t.o.Project.CommonDir)
		if err != nil {
			return err
		}
		defer unlock()
		return t.dropCheckout(w)
	})
	dir = filepath.Join(w.Root, filepath.FromSlash(t.o.Project.Prefix))
	if err = w.Write(ctx, commit); err == nil {
		err = w.Publish()
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("check out %.12s: %w", commit, err), remove())
	}
	return dir, remove, nil
}

// checkoutTree makes the empty work tree and holds the lease on it.
func (t *Trees) checkoutTree(ctx context.Context, commit string) (work.Tree, func(), error) {
	unlock, err := git.LockFolder(ctx, t.o.Project.CommonDir)
	if err != nil {
		return work.Tree{}, nil, err
	}
	defer unlock()
	root, err := os.MkdirTemp(t.place.State, checkoutName)
	if err != nil {
		return work.Tree{}, nil, err
	}
	w := work.Tree{Place: t.place, Name: filepath.Base(root), Root: root}
	release, err := flock.Lock(ctx, t.place.File(w.Name, leaseKind))
	if err != nil {
		return work.Tree{}, nil, err
	}
	if err := w.Add(ctx, commit, true); err != nil {
		release()
		return work.Tree{}, nil, errors.Join(err, t.dropCheckout(w))
	}
	return w, release, nil
}

// dropCheckout removes a throw-away tree and our files of it. The repository is locked.
func (t *Trees) dropCheckout(w work.Tree) error {
	if err := w.Drop(); err != nil {
		return err
	}
	return work.RemoveIf(t.place.File(w.Name, leaseKind))
}

// sweep removes what killed processes left in the state folder: trash, and throw-away trees that nobody holds. The repository is
// locked.
func (t *Trees) sweep() error {
	entries, err := os.ReadDir(t.place.State)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, checkoutName) && e.IsDir():
			err = t.reap(name)
		case strings.HasPrefix(name, work.Trash):
			err = work.RemoveAll(filepath.Join(t.place.State, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reap removes a throw-away tree unless its lease is held.
func (t *Trees) reap(name string) error {
	now, cancel := context.WithCancel(context.Background())
	cancel() // one try
	release, err := flock.Lock(now, t.place.File(name, leaseKind))
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	return t.dropCheckout(work.Tree{Place: t.place, Name: name, Root: filepath.Join(t.place.State, name)})
}
