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
	kept := ""
	var done []string
	for _, dir := range folders {
		if slices.Contains(done, dir) {
			continue
		}
		done = append(done, dir)
		at := place{repo: repo, hooks: dir}
		left, err := at.remove()
		if err != nil {
			return State{}, fmt.Errorf("remove pre-push hook: %w", err)
		}
		if left != "" {
			kept = left
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
	s.Kept = kept
	return s, nil
}

// remove cleans one folder. kept is an older hook that has no place to go back to.
func (p place) remove() (kept string, err error) {
	hook, err := read(p.path(hookName))
	if err != nil {
		return "", err
	}
	chained, err := read(p.path(chainedName))
	if err != nil {
		return "", err
	}
	switch {
	case chained.exists && (!hook.exists || ours(hook.text)):
		err = os.Rename(p.path(chainedName), p.path(hookName))
	case hook.exists && ours(hook.text):
		err = os.Remove(p.path(hookName))
	case chained.exists:
		kept, err = p.strand(hook, chained)
	}
	if err != nil {
		return "", err
	}
	for _, name := range [...]string{legacyName, oldName} {
		if err := p.forget(name); err != nil {
			return "", err
		}
	}
	if link := filepath.Join(p.hooks, chainedDir, hookName); isLink(link) {
		if err := os.Remove(link); err != nil {
			return "", err
		}
		_ = os.Remove(p.path(chainedDir)) // only if nobody has put something there
	}
	return kept, nil
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
