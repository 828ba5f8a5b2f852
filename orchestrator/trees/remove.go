package trees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// Remove is the one way in which a run's trees and branches go. What is in a tree is saved under refs/devflock/wip/<run>/ first. A
// region's branch goes when the integration branch holds it, otherwise a ref below refs/devflock/kept/ takes its commit over. The
// run's integration branch goes when the final branch or the base holds it, otherwise it stays. Empty folders go. It works on what is
// left when half of it is gone already, and may be repeated. The Trees are of no use afterwards.
func (t *Trees) Remove(ctx context.Context) error {
	if err := t.remove(ctx); err != nil {
		return fmt.Errorf("remove trees of run %s: %w", t.o.Run, err)
	}
	return nil
}

func (t *Trees) remove(ctx context.Context) error {
	if err := os.MkdirAll(t.place.State, 0o700); err != nil { // when it was removed before, for the locks
		return err
	}
	names, err := t.found()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := t.removeTree(ctx, name); err != nil {
			return fmt.Errorf("region %s: %w", name, err)
		}
	}
	unlock, err := git.LockFolder(ctx, t.o.Project.CommonDir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := t.strays(); err != nil {
		return err
	}
	if err := t.removeRefs(ctx); err != nil {
		return err
	}
	if err := work.RemoveAll(t.place.State); err != nil {
		return err
	}
	if err := os.Remove(t.o.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.o.Log.Debug("folder stays", "path", t.o.Dir, "error", err)
	}
	t.mu.Lock()
	t.regions = map[string]*region{}
	t.mu.Unlock()
	return nil
}

// found lists the regions that have a tree or a file of ours.
func (t *Trees) found() ([]string, error) {
	seen := map[string]bool{}
	var names []string
	for dir, cut := range map[string]bool{t.o.Dir: false, t.place.State: true} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			name, _, file := strings.Cut(e.Name(), ".")
			if shape.RegionName(name) && file == cut && !seen[name] && (cut || e.IsDir()) && !strings.HasPrefix(name, checkoutName) {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// removeTree saves what is in a tree, and removes it.
func (t *Trees) removeTree(ctx context.Context, name string) error {
	r, err := t.get(name)
	if err != nil { // of an earlier process
		w := t.workOf(name)
		r = &region{work: w, Tree: Tree{Name: name, Root: w.Root}}
	}
	unlock, err := t.lock(ctx, r)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.work.Settle(ctx, true); err != nil {
		return err
	}
	have, err := t.regionRefs(ctx, name)
	if err != nil {
		return err
	}
	if err := t.saveLast(ctx, r, have, "removed"); err != nil {
		return fmt.Errorf("save what is left: %w", err)
	}
	folder, err := git.LockFolder(ctx, t.o.Project.CommonDir)
	if err != nil {
		return err
	}
	defer folder()
	return r.work.Drop()
}

// strays removes trees whose folder is gone but which git still lists, and throw-away trees.
func (t *Trees) strays() error {
	if err := t.sweep(); err != nil {
		return err
	}
	all := filepath.Join(t.o.Project.CommonDir, "worktrees")
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		link, err := os.ReadFile(filepath.Join(all, e.Name(), "gitdir"))
		root := filepath.Dir(strings.TrimSpace(string(link)))
		if err != nil || !strings.HasPrefix(root, t.o.Dir+string(filepath.Separator)) || work.Exists(root) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(all, e.Name())); err != nil {
			return err
		}
	}
	_ = os.Remove(all) // when it is empty
	return nil
}

// removeRefs deletes branches whose commits are held elsewhere, and keeps those of others, in one transaction.
func (t *Trees) removeRefs(ctx context.Context) error {
	run, final := t.o.Run, "refs/heads/"+Final
	heads, starts, kepts := "refs/heads/devflock/"+run, "refs/devflock/start/"+run, "refs/devflock/kept/"+run
	have, err := t.refs.List(ctx, heads, starts, kepts, t.baseRef(), final)
	if err != nil {
		return err
	}
	tip := orElse(have[t.integration()], have[final])
	held := func(by, commit string) (bool, error) {
		if by == "" {
			return false, nil
		}
		return t.store.Contains(ctx, by, commit)
	}
	var updates []refs.Change
	for ref, commit := range have {
		region, isBranch := strings.CutPrefix(ref, heads+"/")
		switch {
		case ref == final:
		case ref == t.integration():
			ok, err := held(have[final], commit)
			if err != nil {
				return err
			}
			if ok || commit == t.base {
				updates = append(updates, refs.Change{Ref: ref, New: "", Old: commit})
			}
		case isBranch:
			at, err := t.refs.CheckedOut(ctx, ref)
			if err != nil {
				return err
			}
			if at != "" {
				t.o.Log.Warn("branch is checked out and stays", "branch", strings.TrimPrefix(ref, "refs/heads/"), "at", at)
				continue
			}
			ok, err := held(tip, commit)
			if err != nil {
				return err
			}
			if kept := t.kept(region, commit); !ok && have[kept] == "" {
				updates = append(updates, refs.Change{Ref: kept, New: commit, Old: ""})
			}
			updates = append(updates, refs.Change{Ref: ref, New: "", Old: commit})
		case strings.HasPrefix(ref, kepts+"/"):
			ok, err := held(tip, commit)
			if err != nil {
				return err
			}
			if ok {
				updates = append(updates, refs.Change{Ref: ref, New: "", Old: commit})
			}
		default: // start and base
			updates = append(updates, refs.Change{Ref: ref, New: "", Old: commit})
		}
	}
	return t.refs.Update(ctx, updates)
}

// Size is how many bytes the run's trees take on the disk, hard links counted once each.
func (t *Trees) Size(ctx context.Context) (int64, error) {
	var total int64
	err := filepath.WalkDir(t.o.Dir, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil // gone meanwhile, or not readable
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		return total, fmt.Errorf("measure trees of run %s: %w", t.o.Run, err)
	}
	return total, nil
}
