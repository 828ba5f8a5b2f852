package lend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// tree is a work tree that is prepared. Workers write in it: no link is followed there.
type tree struct {
	*os.Root
	top string
}

func (t tree) close() { _ = t.Close() } // only looked at

func (t tree) full(p string) string { return filepath.Join(t.top, filepath.FromSlash(p)) }

func (s *Shelf) enter(root string) (tree, error) {
	top := filepath.Clean(root)
	if prefix := s.o.Project.Prefix; prefix != "" {
		var ok bool
		if top, ok = strings.CutSuffix(filepath.ToSlash(top), "/"+prefix); !ok {
			return tree{}, fmt.Errorf("lend dependency folders: %s does not end in %s", root, prefix)
		}
		top = filepath.FromSlash(top)
	}
	r, err := os.OpenRoot(top)
	if err != nil {
		return tree{}, fmt.Errorf("lend dependency folders: %w", err)
	}
	return tree{r, top}, nil
}

// parents makes the folders above a path. They are empty, and so no change for git.
func (t tree) parents(p string) error {
	at := ""
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		at = path.Join(at, part)
		info, err := t.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = t.Mkdir(at, 0o755)
		case err == nil && !info.IsDir():
			err = fmt.Errorf("%s is no folder in the work tree", at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stands says what a path of the tree is.
type stands int

const (
	nothing stands = iota
	emptyFolder
	ourLink
	others // somebody's: it stays
)

func (t tree) look(f folder) stands {
	info, err := t.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nothing
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		if to, err := t.Readlink(f.path); err == nil && to == f.real {
			return ourLink
		}
	case err == nil && info.IsDir():
		d, err := t.Open(f.path)
		if err != nil {
			return others
		}
		defer d.Close()
		if _, err := d.Readdirnames(1); errors.Is(err, io.EOF) {
			return emptyFolder
		}
	}
	return others
}

// skip notes why a folder is not lent in a tree.
func (s *Shelf) skip(f folder, why string) {
	s.note(fmt.Sprintf("%s is not lent to workers: %s", f.path, why))
}

const taken = "something else stands there in a work tree"

// mount makes the empty folders that bwrap mounts on.
func (s *Shelf) mount(t tree, found []folder, scratch string) Loan {
	var l Loan
	var lent []folder
	for _, f := range found {
		made, err := t.place(f)
		if err != nil {
			s.skip(f, err.Error())
			continue
		}
		l.Made = l.Made || made
		lent = append(lent, f)
		own := filepath.Join(s.o.Project.Top, filepath.FromSlash(f.path))
		l.ReadOnly = append(l.ReadOnly, sandbox.Bind{From: f.real, To: t.full(f.path)}, sandbox.Bind{From: own})
		l.ReadWrite = append(l.ReadWrite, s.private(f, t.full(f.path), scratch)...)
	}
	l.ReadOnly = append(l.ReadOnly, s.editable(t, lent)...)
	return l
}

// place has an empty folder stand at a path.
func (t tree) place(f folder) (made bool, err error) {
	if err := t.parents(f.path); err != nil {
		return false, err
	}
	switch t.look(f) {
	case emptyFolder:
		return false, nil
	case others:
		return false, errors.New(taken)
	case ourLink: // of a run under landlock
		if err := t.Remove(f.path); err != nil {
			return false, err
		}
	case nothing:
	}
	return true, t.Mkdir(f.path, 0o755)
}

// caches are folders inside of node_modules that tools write to and do not do without (Vite tells a read-only file system from a
// missing right). They can be mounted over where the person has them.
var caches = [...]string{".cache", ".vite", ".vite-temp", ".vitest"}

// private gives a borrower caches of its own.
func (s *Shelf) private(f folder, at, scratch string) []sandbox.Bind {
	if scratch == "" || path.Base(f.path) != "node_modules" {
		return nil
	}
	var binds []sandbox.Bind
	for _, name := range caches {
		if info, err := os.Lstat(filepath.Join(f.real, name)); err != nil || !info.IsDir() {
			continue
		}
		own := filepath.Join(scratch, filepath.FromSlash(f.path), name)
		if err := os.MkdirAll(own, 0o700); err != nil {
			s.note(fmt.Sprintf("%s has no cache of its own: %v", path.Join(f.path, name), err))
			continue
		}
		binds = append(binds, sandbox.Bind{From: own, To: filepath.Join(at, name)})
	}
	return binds
}

// editable shows the tree's modules where the person's lie when a Python environment is lent: a project that is installed there in
// editable mode is named by its absolute path, and must be the worker's, not the person's.
func (s *Shelf) editable(t tree, lent []folder) []sandbox.Bind {
	if !slices.ContainsFunc(lent, func(f folder) bool { return f.venv }) {
		return nil
	}
	var binds []sandbox.Bind
	for _, m := range s.o.Modules {
		p := path.Join(s.o.Project.Prefix, m)
		if p == "." || !filepath.IsLocal(m) || !plain(t.Root, p) {
			continue
		}
		own := filepath.Join(s.o.Project.Top, filepath.FromSlash(p))
		if !s.crossed(own, lent) {
			binds = append(binds, sandbox.Bind{From: t.full(p), To: own})
		}
	}
	return binds
}

// crossed reports whether something else is shown above or below a place of the person's: it could not be mounted in a folder of the
// tree, which may lack it. Folders that are lent are there, but for those that a link leads to.
func (s *Shelf) crossed(own string, lent []folder) bool {
	for _, b := range s.o.Visible {
		for _, at := range [...]string{b.From, real(b.From)} {
			if overlap(at, own) && !slices.ContainsFunc(lent, func(f folder) bool { return inside(at, f.real) }) {
				return true
			}
		}
	}
	return slices.ContainsFunc(lent, func(f folder) bool {
		return f.real != filepath.Join(s.o.Project.Top, filepath.FromSlash(f.path)) && overlap(f.real, own)
	})
}

func real(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}

// overlap reports whether one of two absolute paths holds the other.
func overlap(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	return inside(a, b) || inside(b, a)
}

// link puts symbolic links where git ignores them, and takes them away where it does not any more.
func (s *Shelf) link(ctx context.Context, t tree, found []folder) (Loan, error) {
	var can []folder
	for _, f := range found {
		if err := t.parents(f.path); err != nil {
			s.skip(f, err.Error())
			continue
		}
		switch t.look(f) {
		case others:
			s.skip(f, taken)
			continue
		case emptyFolder: // of a run under bwrap; as a folder git may ignore what it would not as a link
			if err := t.Remove(f.path); err != nil {
				s.skip(f, err.Error())
				continue
			}
		case nothing, ourLink:
		}
		can = append(can, f)
	}
	yes, err := s.invisible(ctx, t, can)
	if err != nil {
		return Loan{}, err
	}
	var l Loan
	for _, f := range can {
		if err := t.stand(f, yes[f.path]); err != nil {
			s.skip(f, err.Error())
			continue
		}
		if !yes[f.path] {
			s.skip(f, fmt.Sprintf("under %s it would be a symbolic link, and git ignores the folder but no link of that name (in .gitignore, write %s without a slash at the end)", s.o.Kind, path.Base(f.path)))
			continue
		}
		l.ReadOnly = append(l.ReadOnly, sandbox.Bind{From: f.real})
	}
	return l, nil
}

// stand has a link stand at a path, or none.
func (t tree) stand(f folder, wanted bool) error {
	there := t.look(f) == ourLink
	switch {
	case wanted && !there:
		return t.Symlink(f.real, f.path)
	case !wanted && there:
		return t.Remove(f.path)
	}
	return nil
}

// invisible gives the paths at which git does not see a link in the tree. A tree that is no repository is thrown away: nothing of it
// is committed.
func (s *Shelf) invisible(ctx context.Context, t tree, list []folder) (map[string]bool, error) {
	paths := make([]string, len(list))
	yes := map[string]bool{}
	for i, f := range list {
		paths[i], yes[f.path] = f.path, true
	}
	if _, err := t.Lstat(".git"); errors.Is(err, fs.ErrNotExist) {
		return yes, nil
	}
	repo, err := gitx.Find(t.top)
	if err != nil || repo.CommonDir != s.o.Project.CommonDir { // somebody has changed .git: nothing is to be trusted
		return map[string]bool{}, nil
	}
	yes, err = ignored(ctx, git.Runner{Dir: t.top, GitDir: repo.GitDir, WorkTree: t.top}, paths)
	if err != nil {
		return nil, fmt.Errorf("lend dependency folders: %w", err)
	}
	return yes, nil
}
