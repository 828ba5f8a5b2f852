// Package changeset reads what differs between two trees of a repository: every file with its added and removed lines
// and, where asked for, its whole content before and after.
//
// It puts internal/gitx and internal/diff together and owns nothing. It does not know what kinds of files there are:
// the caller says whose content it wants.
package changeset

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// File is one file that differs.
type File struct {
	gitx.Change
	Lines         diff.File // without lines for binary content and when the patch could not be read
	Before, After []byte    // whole content, of wanted files only; nil where there is none or it could not be read
	Hidden        bool      // a text that .gitattributes calls binary: its lines were read all the same
}

// Deleted is true when the file is not there any more.
func (f *File) Deleted() bool { return f.Status == 'D' }

// Regular is true when the file is there, and is neither a symbolic link nor a submodule.
func (f *File) Regular() bool { return !f.Deleted() && f.NewMode != "120000" && !f.Submodule() }

// Read lists the files that differ between trees a and b, in path order. The list itself is complete or nil. The error,
// which may wrap gitx.ErrTooLarge, tells what else could not be read; the files then lack their lines or contents. want
// chooses the files whose content is read. It starts three git processes, one without a difference, and one more when a
// wanted file is a text that attributes hide.
func Read(ctx context.Context, r gitx.Repo, objDir, a, b string, want func(path string) bool) ([]File, error) {
	changes, err := r.Changes(ctx, objDir, a, b)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return []File{}, nil
	}
	files := make([]File, 0, len(changes))
	for _, c := range changes {
		files = append(files, File{Change: c})
	}
	err = lines(ctx, r, objDir, a, b, files)
	if errors.Is(err, gitx.ErrTooLarge) {
		return files, errors.Join(err, part(ctx, r, objDir, a, b, files, want))
	}
	return files, errors.Join(err, contents(ctx, r, objDir, a, b, files, want))
}

// Bounds of what is read of a change that is too large to be read whole, in bytes.
const (
	maxEach = 512 << 10 // both sides of one file
	maxPart = 12 << 20  // all files
)

// part reads the small files of a large change, in path order, as far as they go. The caller knows that it is not all.
func part(ctx context.Context, r gitx.Repo, objDir, a, b string, files []File, want func(path string) bool) error {
	oids := make([]string, 0, 2*len(files))
	for i := range files {
		oids = append(oids, files[i].OldOID, files[i].NewOID)
	}
	sizes, err := r.Sizes(ctx, objDir, oids)
	if err != nil {
		return err
	}
	read := map[string]bool{}
	var names []string
	total, length := int64(0), 0
	flush := func() {
		if len(names) > 0 {
			err = errors.Join(err, lines(ctx, r, objDir, a, b, files, names...))
		}
		names, length = names[:0], 0
	}
	for i := range files {
		f := &files[i]
		size := sizes[f.OldOID] + sizes[f.NewOID]
		if !want(f.Path) || size > maxEach || total+size > maxPart {
			continue
		}
		total += size
		read[f.Path] = true
		names = append(names, f.Path)
		if f.OldPath != "" {
			names = append(names, f.OldPath)
		}
		if length += len(f.Path) + len(f.OldPath); length > maxNames || len(names) > maxHidden {
			flush()
		}
	}
	flush()
	return errors.Join(err, contents(ctx, r, objDir, a, b, files, func(path string) bool { return read[path] }))
}

// maxNames bounds the names in one argument list, in bytes.
const maxNames = 60 << 10

// lines attaches the patch, or with paths the patch of these.
func lines(ctx context.Context, r gitx.Repo, objDir, a, b string, files []File, paths ...string) error {
	patch, err := r.Patch(ctx, objDir, a, b, paths...)
	if err != nil {
		return err
	}
	parsed, err := diff.Parse(patch)
	if err != nil {
		return err
	}
	byPath := make(map[string]diff.File, len(parsed))
	for _, p := range parsed {
		byPath[p.Path()] = p
	}
	for i := range files {
		if p, ok := byPath[files[i].Path]; ok {
			files[i].Lines = p
		}
	}
	return nil
}

// contents reads the wanted files whole.
func contents(ctx context.Context, r gitx.Repo, objDir, a, b string, files []File, want func(path string) bool) error {
	var oids []string
	for i := range files {
		if want(files[i].Path) {
			oids = append(oids, files[i].OldOID, files[i].NewOID)
		}
	}
	blobs, err := r.Blobs(ctx, objDir, oids)
	var hidden []string
	for i := range files {
		f := &files[i]
		if !want(f.Path) {
			continue
		}
		f.Before, f.After = blobs[f.OldOID], blobs[f.NewOID]
		if f.Regular() && f.Lines.Binary && f.After != nil && max(len(f.Before), len(f.After)) <= gitx.MaxDiffed && !IsBinary(f.After) {
			f.Hidden = true
			hidden = append(hidden, f.Path)
		}
	}
	if len(hidden) == 0 {
		return err
	}
	if len(hidden) > maxHidden {
		return errors.Join(err, fmt.Errorf("%d texts hidden by attributes: %w", len(hidden), gitx.ErrTooLarge))
	}
	return errors.Join(err, lines(ctx, r, objDir, a, b, files, hidden...))
}

// maxHidden bounds how many files are asked for by name: an argument list has an end.
const maxHidden = 500

// IsBinary is git's own test: a NUL in the first bytes.
func IsBinary(content []byte) bool {
	const first = 8000
	return bytes.IndexByte(content[:min(len(content), first)], 0) >= 0
}
