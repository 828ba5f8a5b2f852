package trees

import (
	"context"
	"fmt"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// Begin puts the region's tree exactly at the tip of the integration branch and gives that commit, which becomes the parent of the
// region's next commit. Ignored files stay. What was left over is saved under a ref first; a commit that was not integrated is kept.
// Two processes when nothing has to change, four when the tip has moved, five with ignored files; more for leftovers.
func (t *Trees) Begin(ctx context.Context, name string) (start string, err error) {
	r, err := t.get(name)
	if err != nil {
		return "", err
	}
	unlock, err := t.lock(ctx, r)
	if err != nil {
		return "", err
	}
	defer unlock()
	if start, err = t.begin(ctx, r); err != nil {
		return "", fmt.Errorf("begin in region %s: %w", name, err)
	}
	return start, nil
}

func (t *Trees) begin(ctx context.Context, r *region) (string, error) {
	if err := t.mend(ctx, r); err != nil {
		return "", err
	}
	have, err := t.regionRefs(ctx, r.Name)
	if err != nil {
		return "", err
	}
	tip := have[t.integration()]
	if tip == "" {
		return "", fmt.Errorf("no branch %s: %w", t.branch(Reserved), gitx.ErrNoRev)
	}
	if _, err := t.stand(ctx, r, have, tip, r.Name+"-begin", false); err != nil {
		return "", err
	}
	return tip, r.makeFolders()
}

// mend makes the region's tree usable. No process when it is.
func (t *Trees) mend(ctx context.Context, r *region) error {
	if _, good := r.work.Link(); !good || !work.Exists(r.work.Index()) || r.work.GitDir == "" {
		return t.ensure(ctx, r)
	}
	return r.work.SetHead(ctx, "refs/heads/"+t.branch(r.Name))
}

// stand puts tree, branch and start of a region at a commit. What is in the tree besides is saved as label first. A commit of the
// branch that commit does not hold is kept: as the label when it is to be discarded, otherwise as one that was not integrated.
func (t *Trees) stand(ctx context.Context, r *region, have map[string]string, commit, label string, discard bool) (saved string, err error) {
	branchRef, startRef := "refs/heads/"+t.branch(r.Name), t.startRef(r.Name)
	branch, start := have[branchRef], have[startRef]
	half := r.work.Half()
	var left work.Left
	if !half {
		if left, err = r.work.Left(ctx, orElse(branch, commit)); err != nil {
			return "", err
		}
		if left.Any() {
			if saved, err = t.save(ctx, r.work, have, left, label, orElse(branch, commit)); err != nil {
				return "", fmt.Errorf("save what was left over: %w", err)
			}
		}
	}
	if half || left.Any() || branch != commit {
		err := r.work.Reset(ctx, commit, left, func() error {
			_, err := t.save(ctx, r.work, have, work.Left{}, label+"-ignored", commit)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	var updates []refs.Change
	if branch != commit {
		switch {
		case branch == "" || branch == start && !discard: // where Begin put it: the integration branch holds it
		case discard && saved != "": // the parent of what was saved
		case discard:
			saved = t.wip(have, label)
			updates = append(updates, refs.Change{Ref: saved, New: branch, Old: ""})
		default:
			if updates, err = t.keep(ctx, updates, r.Name, branch, commit); err != nil {
				return "", err
			}
		}
		updates = append(updates, refs.Change{Ref: branchRef, New: commit, Old: branch})
	}
	if start != commit {
		updates = append(updates, refs.Change{Ref: startRef, New: commit, Old: start})
	}
	if err := t.refs.Update(ctx, updates); err != nil {
		return "", err
	}
	r.start, r.branch = commit, commit
	return saved, r.work.ClearHalf()
}

// Discard saves what is in the region's tree, and a commit that was made since Begin, under refs/devflock/wip/<run>/<label>, and puts
// the tree back to where Begin put it. ref is empty when there was nothing. A label that is taken gets a number.
func (t *Trees) Discard(ctx context.Context, name, label string) (ref string, err error) {
	r, err := t.get(name)
	if err != nil {
		return "", err
	}
	unlock, err := t.lock(ctx, r)
	if err != nil {
		return "", err
	}
	defer unlock()
	if ref, err = t.discard(ctx, r, label); err != nil {
		return "", fmt.Errorf("discard work of region %s: %w", name, err)
	}
	return ref, nil
}

func (t *Trees) discard(ctx context.Context, r *region, label string) (string, error) {
	if err := t.mend(ctx, r); err != nil {
		return "", err
	}
	have, err := t.regionRefs(ctx, r.Name)
	if err != nil {
		return "", err
	}
	start := orElse(have[t.startRef(r.Name)], have[t.integration()])
	return t.stand(ctx, r, have, start, label, true)
}
