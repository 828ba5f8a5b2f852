package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
)

// aside ends the name of a worker's own file while the protected one stands in its place.
const aside = ".devflock-aside"

// maxProtected bounds how many files are protected; more are an error, because a part of them would be none.
const maxProtected = 5000

// protect puts the protected files of root into the state of their commit and gives what puts them back. A run that was killed in
// between is put right by the next.
func (v *Verifier) protect(ctx context.Context, root string) (restore func() error, err error) {
	none := func() error { return nil }
	if v.o.Protect.Commit == "" || len(v.o.Protect.Paths) == 0 {
		return none, nil
	}
	wanted, err := v.protected(ctx, root)
	if err != nil {
		return none, fmt.Errorf("protect files: %w", err)
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return none, fmt.Errorf("protect files: %w", err)
	}
	s := &swap{top: top}
	for _, file := range wanted {
		if err := s.put(file); err != nil {
			return none, fmt.Errorf("protect %s: %w", file.path, errors.Join(err, s.undo()))
		}
	}
	return s.undo, nil
}

// original is a file as it is in the commit.
type original struct {
	path    string // slash path below the project's folder
	content []byte
	mode    fs.FileMode
}

// protected lists the files.
func (v *Verifier) protected(ctx context.Context, root string) ([]original, error) {
	for _, p := range v.o.Protect.Paths {
		if !doublestar.ValidatePattern(p) {
			return nil, fmt.Errorf("%q is no pattern", p)
		}
	}
	repo, err := gitx.Find(root)
	if err != nil {
		return nil, err
	}
	prefix, err := filepath.Rel(repo.Root, root)
	if err != nil {
		return nil, err
	}
	objects := filepath.Join(repo.CommonDir, "objects")
	list, err := repo.List(ctx, objects, v.o.Protect.Commit)
	if err != nil {
		return nil, err
	}
	var files []original
	var oids []string
	for _, e := range list {
		rel := e.Path
		if prefix != "." {
			var ok bool
			if rel, ok = strings.CutPrefix(e.Path, filepath.ToSlash(prefix)+"/"); !ok {
				continue
			}
		}
		if e.Mode != "100644" && e.Mode != "100755" || !v.matches(rel) {
			continue
		}
		mode := fs.FileMode(0o644)
		if e.Mode == "100755" {
			mode = 0o755
		}
		files, oids = append(files, original{path: rel, mode: mode}), append(oids, e.OID)
		if len(files) > maxProtected {
			return nil, fmt.Errorf("more than %d files match", maxProtected)
		}
	}
	blobs, err := repo.Blobs(ctx, objects, oids)
	if err != nil {
		return nil, err
	}
	for i := range files {
		content, ok := blobs[oids[i]]
		if !ok {
			return nil, fmt.Errorf("%s: its content is missing", files[i].path)
		}
		files[i].content = content
	}
	return files, nil
}

func (v *Verifier) matches(rel string) bool {
	for _, p := range v.o.Protect.Paths {
		if ok, _ := doublestar.Match(p, rel); ok {
			return true
		}
	}
	return false
}

// swap remembers what stands where.
type swap struct {
	top  *os.Root
	done []original
}

func (s *swap) put(o original) error {
	kept := o.path + aside
	if _, err := s.top.Lstat(kept); err == nil { // of a run that was killed
		if err := errors.Join(s.top.RemoveAll(o.path), s.top.Rename(kept, o.path)); err != nil {
			return err
		}
	}
	if s.same(o) {
		return nil
	}
	err := s.top.Rename(o.path, kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.done = append(s.done, o)
	if err := s.top.MkdirAll(path.Dir(o.path), 0o755); err != nil {
		return err
	}
	f, err := s.top.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.mode)
	if err != nil {
		return err
	}
	_, err = f.Write(o.content)
	return errors.Join(err, f.Close())
}

// same reports whether a file stands as it should. Line ends that git converted on checkout count as changed, which costs nothing
// but a swap.
func (s *swap) same(o original) bool {
	info, err := s.top.Lstat(o.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(o.content)) || info.Mode().Perm()&0o100 != o.mode&0o100 {
		return false
	}
	content, err := regular.ReadIn(s.top, o.path, info.Size())
	return err == nil && bytes.Equal(content, o.content)
}

// undo puts everything back as it was, and may be called once.
func (s *swap) undo() error {
	var errs []error
	for i := len(s.done) - 1; i >= 0; i-- {
		o := s.done[i]
		if err := s.top.RemoveAll(o.path); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := s.top.Rename(o.path+aside, o.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, s.top.Close())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("put protected files back: %w", err)
	}
	return nil
}
