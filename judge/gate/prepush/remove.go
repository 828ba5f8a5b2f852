package prepush

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Remove takes our hook out and puts the chained one back, byte for byte. A hook of somebody else that stands in its
// place stays; then the chained one is dropped if it is the same, else left and named in State.Kept. Without an
// installation it does nothing. The result is what Check says then.
func Remove(ctx context.Context, repo gitx.Repo) (State, error) {
	p, err := locate(ctx, repo)
	if err != nil {
		return State{}, fmt.Errorf("remove pre-push hook: %w", err)
	}
	folders := []string{p.hooks}
	made := map[string]string{}
	for _, n := range notes(repo) {
		folders = append(folders, filepath.Dir(n.Hook))
		made[filepath.Dir(n.Hook)] = n.Made
	}
	folders = append(folders, filepath.Join(repo.CommonDir, "hooks"))
	var all removal
	var done []string
	for _, dir := range folders {
		if slices.Contains(done, dir) {
			continue
		}
		done = append(done, dir)
		at := place{repo: repo, hooks: dir}
		r, err := at.remove()
		if err != nil {
			return State{}, fmt.Errorf("remove pre-push hook: %w", err)
		}
		all.ours = all.ours || r.ours
		all.back = all.back || r.back && dir == p.hooks
		if r.kept != "" {
			all.kept = r.kept
		}
		for at := dir; made[dir] != "" && inside(made[dir], at); at = filepath.Dir(at) {
			if os.Remove(at) != nil { // not empty
				break
			}
		}
	}
	for _, dir := range [...]string{repo.GitDir, repo.CommonDir} {
		if err := os.Remove(filepath.Join(dir, noteName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return State{}, fmt.Errorf("remove pre-push hook: %w", err)
		}
	}
	s, err := p.check()
	if err != nil {
		return s, fmt.Errorf("remove pre-push hook: %w", err)
	}
	s.Removed, s.Back, s.Kept = all.ours, all.back, all.kept
	return s, nil
}

// removal is what became of one folder.
type removal struct {
	ours bool   // there was something of ours
	back bool   // the chained hook is in its old place
	kept string // an older hook that has no place to go back to
}

// remove cleans one folder.
func (p place) remove() (r removal, err error) {
	hook, err := read(p.path(hookName))
	if err != nil {
		return r, err
	}
	chained, err := read(p.path(chainedName))
	if err != nil {
		return r, err
	}
	r.ours = hook.exists && ours(hook.text) || chained.exists
	switch {
	case chained.exists && (!hook.exists || ours(hook.text)):
		r.back = true
		err = os.Rename(p.path(chainedName), p.path(hookName))
	case hook.exists && ours(hook.text):
		err = os.Remove(p.path(hookName))
	case chained.exists:
		r.kept, err = p.strand(hook, chained)
	}
	if err != nil {
		return r, err
	}
	for _, name := range [...]string{legacyName, oldName} {
		if old, err := read(p.path(name)); err == nil && ours(old.text) {
			r.ours = true
		}
		if err := p.forget(name); err != nil {
			return r, err
		}
	}
	if link := filepath.Join(p.hooks, chainedDir, hookName); isLink(link) {
		if err := os.Remove(link); err != nil {
			return r, err
		}
		_ = os.Remove(p.path(chainedDir)) // only if nobody has put something there
	}
	return r, nil
}

// strand finds a place for a chained hook whose own is taken by somebody else's.
func (p place) strand(hook, chained file) (kept string, err error) {
	if same(hook, chained) {
		return "", os.Remove(p.path(chainedName))
	}
	for _, name := range [...]string{legacyName, oldName} {
		moved, err := read(p.path(name))
		if err != nil {
			return "", err
		}
		if !moved.exists || !ours(moved.text) {
			continue
		}
		if name == legacyName && owner(p.path(chainedName), chained.text) == "pre-commit" { // would run itself
			return "", os.Remove(p.path(chainedName))
		}
		return "", os.Rename(p.path(chainedName), p.path(name))
	}
	return p.path(chainedName), nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
