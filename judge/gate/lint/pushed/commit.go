package pushed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Bounds of a commit's tree in memory.
const (
	maxKept  = 96 << 20 // bytes of content that are kept
	maxBatch = 500      // files of one git process
)

// Commit is the tree of a commit in a repository.
type Commit struct {
	repo   gitx.Repo
	objDir string
	files  []string
	oids   map[string]string

	mu   sync.Mutex
	kept map[string][]byte // by object name
	size int
	big  map[string]bool // too large to read
}

// CommitTree opens the tree of a commit (or any tree). objDir is the private object folder that gitx wants; commit a full object name.
// It costs one git process; contents are read when they are asked for.
func CommitTree(ctx context.Context, repo gitx.Repo, objDir, commit string) (*Commit, error) {
	entries, err := repo.Changes(ctx, objDir, gitx.EmptyTree(commit), commit) // against nothing: everything, with modes and names of blobs
	if err != nil {
		return nil, fmt.Errorf("list tree of %s: %w", commit, err)
	}
	t := &Commit{repo: repo, objDir: objDir, oids: make(map[string]string, len(entries)), kept: map[string][]byte{}, big: map[string]bool{}}
	for _, e := range entries {
		if strings.HasPrefix(e.NewMode, "100") {
			t.files = append(t.files, e.Path)
			t.oids[e.Path] = e.NewOID
		}
	}
	slices.Sort(t.files)
	return t, nil
}

// Files lists all regular files.
func (t *Commit) Files() []string { return t.files }

// Read gives the content of a file. It starts git unless the file was fetched before.
func (t *Commit) Read(ctx context.Context, path string) ([]byte, bool, error) {
	oid, ok := t.oids[path]
	if !ok {
		return nil, false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if data, ok := t.kept[oid]; ok {
		return data, true, nil
	}
	if !t.big[oid] {
		got, err := t.fetch(ctx, []string{oid})
		if err != nil {
			return nil, false, fmt.Errorf("read %s: %w", Printable(path), err)
		}
		if data, ok := got[oid]; ok {
			return data, true, nil
		}
	}
	if t.big[oid] {
		return nil, false, fmt.Errorf("read %s: %w", Printable(path), gitx.ErrTooLarge)
	}
	return nil, false, fmt.Errorf("read %s: object %s is missing", Printable(path), oid)
}

// Prefetch reads files into memory, as many as fit.
func (t *Commit) Prefetch(ctx context.Context, paths []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var want []string
	for _, p := range paths {
		if oid, ok := t.oids[p]; ok && t.kept[oid] == nil && !t.big[oid] {
			want = append(want, oid)
		}
	}
	for batch := range slices.Chunk(want, maxBatch) {
		if t.size > maxKept {
			return nil
		}
		if _, err := t.fetch(ctx, batch); err != nil {
			return fmt.Errorf("read files: %w", err)
		}
	}
	return nil
}

// fetch reads blobs and keeps them. A batch that is too large is halved, so that one huge file hides no other.
func (t *Commit) fetch(ctx context.Context, oids []string) (map[string][]byte, error) {
	got, err := t.repo.Blobs(ctx, t.objDir, oids)
	if errors.Is(err, gitx.ErrTooLarge) {
		if len(oids) == 1 {
			t.big[oids[0]] = true
			return nil, nil
		}
		half := len(oids) / 2
		if _, err := t.fetch(ctx, oids[:half]); err != nil {
			return nil, err
		}
		return t.fetch(ctx, oids[half:])
	}
	if err != nil {
		return nil, err
	}
	for oid, data := range got {
		if t.size > maxKept {
			t.kept, t.size = map[string][]byte{}, 0
		}
		t.kept[oid] = slices.Clone(data) // not a window into the whole batch
		t.size += len(data)
	}
	return got, nil
}
