// Package refs reads and changes the refs of devflock in a repository, and tells who has one of them checked out.
//
// It owns lock files that a killed git of ours left on refs below refs/heads/devflock/ and refs/devflock/; no other.
package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// Change is that of one ref. Old "" = it must not exist, New "" = it is deleted.
type Change struct{ Ref, New, Old string }

// maxHead bounds what is read of a HEAD file, in bytes.
const maxHead = 4 << 10

// Refs are those of one repository. Its methods may be called from many goroutines.
type Refs struct {
	Git       func() git.Runner // on the repository, without a work tree
	CommonDir string
	Sha256    bool
	Reftable  bool // refs are no files
	Log       *slog.Logger

	mu sync.Mutex // one update at a time
}

// List reads refs: exact names and everything below them. One process.
func (r *Refs) List(ctx context.Context, patterns ...string) (map[string]string, error) {
	res, err := r.Git().Run(ctx, git.Call{Args: append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, patterns...)})
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(res.Stdout)) {
		if oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			refs[name] = oid
		}
	}
	return refs, nil
}

// Update changes refs, all or none. A lock file that a killed git of ours left on one of them is removed. One process. An *git.Error
// means that a ref is not at its old value, or that somebody else holds a lock.
func (r *Refs) Update(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var in strings.Builder
	zero := strings.Repeat("0", 40)
	if r.Sha256 {
		zero = strings.Repeat("0", 64)
	}
	for _, u := range changes {
		old, verb := u.Old, u.New
		if old == "" {
			old = zero
		}
		if verb == "" {
			fmt.Fprintf(&in, "delete %s %s\n", u.Ref, old)
		} else {
			fmt.Fprintf(&in, "update %s %s %s\n", u.Ref, u.New, old)
		}
	}
	g := r.Git()
	g.Mark = r.mark()
	run := func() error {
		_, err := g.Run(ctx, git.Call{Args: []string{"update-ref", "--no-deref", "--stdin"}, Stdin: []byte(in.String())})
		return err
	}
	err := run()
	var failed *git.Error
	if !errors.As(err, &failed) {
		return err
	}
	cleared, clearErr := r.clearLocks(ctx, changes)
	if clearErr != nil {
		return fmt.Errorf("%w; %w", err, clearErr)
	}
	if cleared {
		return run()
	}
	return err
}

// mark is on every update-ref of devflock in this repository, of any run.
func (r *Refs) mark() string { return filepath.Join(r.CommonDir, "devflock-refs") }

// clearLocks removes lock files of the refs that are to be changed, all of them devflock's, once no update-ref of devflock is alive.
func (r *Refs) clearLocks(ctx context.Context, changes []Change) (bool, error) {
	var locks []string
	for _, u := range changes {
		path := filepath.Join(r.CommonDir, filepath.FromSlash(u.Ref)+".lock")
		if _, err := os.Lstat(path); err == nil {
			locks = append(locks, path)
		}
	}
	if len(locks) == 0 {
		return false, nil
	}
	if err := git.Settle(ctx, r.mark()); err != nil {
		return false, err
	}
	for _, path := range locks {
		r.Log.Warn("lock of a dead git removed", "path", path)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, nil
}

// CheckedOut gives the work tree that has a branch checked out; "" for none.
func (r *Refs) CheckedOut(ctx context.Context, ref string) (string, error) {
	if r.Reftable {
		res, err := r.Git().Run(ctx, git.Call{Args: []string{"worktree", "list", "--porcelain", "-z"}})
		if err != nil {
			return "", fmt.Errorf("list work trees: %w", err)
		}
		at := ""
		for line := range strings.SplitSeq(string(res.Stdout), "\x00") {
			if path, ok := strings.CutPrefix(line, "worktree "); ok {
				at = path
			} else if line == "branch "+ref {
				return at, nil
			}
		}
		return "", nil
	}
	common := r.CommonDir
	if headIs(common, ref) {
		return r.mainTree(), nil
	}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("list work trees: %w", err)
	}
	for _, e := range entries {
		gitDir := filepath.Join(common, "worktrees", e.Name())
		if !headIs(gitDir, ref) {
			continue
		}
		link, err := regular.Read(filepath.Join(gitDir, "gitdir"), maxHead)
		if err != nil {
			continue
		}
		at := filepath.Dir(strings.TrimSpace(string(link)))
		if _, err := os.Stat(at); err == nil {
			return at, nil
		}
	}
	return "", nil
}

// mainTree names the main work tree, for a message.
func (r *Refs) mainTree() string {
	return strings.TrimSuffix(r.CommonDir, string(filepath.Separator)+".git")
}

func headIs(gitDir, ref string) bool {
	text, err := regular.Read(filepath.Join(gitDir, "HEAD"), maxHead)
	return err == nil && strings.TrimSpace(string(text)) == "ref: "+ref
}
