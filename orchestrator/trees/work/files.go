package work

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
	"time"

	"golang.org/x/sys/unix"

	"github.com/devflow-suite/devflow/internal/gitx/index"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/audit"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	modeSubmodule = 0o160000
	// maxIndex bounds what is read of an index, in bytes: some million files.
	maxIndex = 512 << 20
)

// Write makes the tracked files those of a commit, over whatever is there, and our index the list of them. One process; in a partial
// clone files whose content is not there are left out, and Absent names them.
func (t Tree) Write(ctx context.Context, commit string) error {
	if err := t.Settle(ctx, false); err != nil {
		return err
	}
	if t.Partial && !Exists(t.Index()) {
		return t.writePartial(ctx, commit)
	}
	_, err := t.Git().Run(ctx, git.Call{Args: []string{"read-tree", "--reset", "-u", commit}})
	var failed *git.Error
	if !errors.As(err, &failed) || !Exists(t.Index()) {
		return err
	}
	if err := readable(t.Root); err != nil { // folders that may not be written, or a damaged index
		return err
	}
	if err := os.Remove(t.Index()); err != nil {
		return err
	}
	return t.Write(ctx, commit)
}

func (t Tree) writePartial(ctx context.Context, commit string) error {
	missing, err := t.Missing(ctx, commit)
	if err != nil {
		return err
	}
	g := t.with(t.scratch()) // a half made index must not become ours
	defer os.Remove(t.scratch())
	if err := RemoveIf(t.scratch()); err != nil {
		return err
	}
	if _, err := g.Run(ctx, git.Call{Args: []string{"read-tree", commit}}); err != nil {
		return err
	}
	var absent []string
	if len(missing) > 0 {
		res, err := g.Run(ctx, git.Call{Args: []string{"ls-files", "-s", "-z"}})
		if err != nil {
			return err
		}
		for record := range strings.SplitSeq(string(res.Stdout), "\x00") {
			head, name, _ := strings.Cut(record, "\t")
			if f := strings.Fields(head); len(f) == 3 && missing[f[1]] {
				absent = append(absent, name)
			}
		}
		if _, err := g.Run(ctx, git.Call{Args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}, Stdin: git.Join(absent)}); err != nil {
			return err
		}
	}
	if err := os.WriteFile(t.File(t.Name, "absent"), git.Join(absent), 0o600); err != nil {
		return err
	}
	if _, err := g.Run(ctx, git.Call{Args: []string{"checkout-index", "-a", "-f", "-u", "-q"}}); err != nil {
		return err
	}
	return os.Rename(t.scratch(), t.Index())
}

// Absent names the tracked files that are not in the tree because a partial clone does not have their content.
func (t Tree) Absent() []string {
	text, err := regular.Read(t.File(t.Name, "absent"), maxIndex)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(text), func(c rune) bool { return c == 0 })
}

// Submodules lists the links to other repositories in our index, without a process.
func (t Tree) Submodules() ([]string, error) {
	text, err := regular.Read(t.Index(), maxIndex)
	if err != nil {
		return nil, fmt.Errorf("read index of %s: %w", t.Name, err)
	}
	x, err := index.Parse(text, t.Project.Format == "sha256")
	if err != nil {
		return nil, fmt.Errorf("read index of %s: %w", t.Name, err)
	}
	var paths []string
	for _, e := range x.Entries {
		if e.Mode == modeSubmodule {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}

// Left is what a tree has besides our index.
type Left struct {
	Changes []git.Change // in path order
	odd     []string     // submodules with files
	nested  []string     // .git of repositories inside
	ignored []string     // as git.State
}

// Any tells whether there is anything.
func (l Left) Any() bool { return len(l.Changes) > 0 || len(l.odd) > 0 || len(l.nested) > 0 }

// taken tells whether Snapshot has taken an untracked file.
func (l Left) taken(name string) bool {
	if _, ok := slices.BinarySearchFunc(l.Changes, name, func(c git.Change, name string) int { return strings.Compare(c.Path, name) }); ok {
		return true
	}
	for at := name; at != "."; at = path.Dir(at) { // what expose has renamed
		if base := strings.TrimRight(path.Base(at), "_"); base == putAside || strings.HasSuffix(base, filesOf) {
			return true
		}
	}
	return slices.ContainsFunc(l.Changes, func(c git.Change) bool { return strings.HasSuffix(c.Path, "/") && strings.HasPrefix(name, c.Path) })
}

// Left compares the tree with our index, which stands at commit; a damaged one is made anew. One process.
func (t Tree) Left(ctx context.Context, commit string) (Left, error) {
	if err := t.Settle(ctx, false); err != nil {
		return Left{}, err
	}
	l, err := t.left(ctx)
	if err == nil || ctx.Err() != nil {
		return l, err
	}
	if cut, err := t.cutOverlong(); err != nil {
		return Left{}, err
	} else if cut {
		if l, err = t.left(ctx); err == nil {
			return l, nil
		}
	}
	if err := RemoveIf(t.Index()); err != nil {
		return Left{}, err
	}
	if _, err := t.Git().Run(ctx, git.Call{Args: []string{"read-tree", commit}}); err != nil {
		return Left{}, err
	}
	if l, err = t.left(ctx); err == nil {
		return l, nil
	}
	if err := readable(t.Root); err != nil { // folders that cannot be listed
		return Left{}, err
	}
	return t.left(ctx)
}

func (t Tree) left(ctx context.Context) (Left, error) {
	s, err := t.Git().Status(ctx, true)
	if err != nil {
		return Left{}, err
	}
	l := Left{ignored: s.Ignored}
	for _, c := range s.Changes {
		if c.Work != '.' {
			l.Changes = append(l.Changes, c)
		}
	}
	slices.SortFunc(l.Changes, func(a, b git.Change) int { return strings.Compare(a.Path, b.Path) })
	if l.nested, err = audit.Nested(t.Root, []string{""}, s.Ignored); err != nil {
		return Left{}, err
	}
	subs, err := t.Submodules()
	if err != nil {
		return Left{}, err
	}
	for _, name := range subs {
		if entries, err := os.ReadDir(filepath.Join(t.Root, filepath.FromSlash(name))); err == nil && len(entries) > 0 {
			l.odd = append(l.odd, name)
		}
	}
	return l, nil
}

// maxClean bounds how often what comes to light is cleaned: a .gitignore that goes uncovers what it hid.
const maxClean = 8

// Reset makes the tree that of a commit: tracked files first, then everything goes that the commit's own rules do not ignore. left is
// what Snapshot took before; again is called for what was ignored until now and would go. One process, two with ignored files, four
// when something goes. Half is set from the first change on; the caller ends it.
func (t Tree) Reset(ctx context.Context, commit string, left Left, again func() error) error {
	half := t.Half()
	if err := t.SetHalf(); err != nil {
		return err
	}
	if half {
		left, _ = t.left(ctx) // for the links only; when git cannot tell, Write will
	}
	for _, c := range left.Changes { // git would write and compare through a link in place of a folder
		full := filepath.Join(t.Root, filepath.FromSlash(c.Path))
		if info, err := os.Lstat(full); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if err := os.Remove(full); err != nil {
				return err
			}
		}
	}
	if err := t.Write(ctx, commit); err != nil {
		return err
	}
	if half || left.Any() || len(left.ignored) > 0 {
		if err := t.clean(ctx, left, half, again); err != nil {
			return err
		}
	}
	return t.Publish()
}

func (t Tree) clean(ctx context.Context, left Left, half bool, again func() error) error {
	g := t.Git()
	for round := range maxClean {
		res, err := g.Run(ctx, git.Call{Args: []string{"ls-files", "-z", "--others", "--exclude-standard"}})
		if err != nil {
			return err
		}
		if len(res.Stdout) == 0 && (round > 0 || !left.Any() && !half) {
			return nil
		}
		fresh := false
		for name := range strings.SplitSeq(strings.TrimSuffix(string(res.Stdout), "\x00"), "\x00") {
			fresh = fresh || name != "" && !left.taken(name)
		}
		if fresh && (!half || round > 0) { // ignored until now; in a reset that was interrupted the first ones were saved before
			if err := again(); err != nil {
				return err
			}
		}
		call := git.Call{Args: []string{"clean", "-ffdq"}}
		if _, err := g.Run(ctx, call); err != nil { // folders that may not be written
			if err := readable(t.Root); err != nil {
				return err
			}
			if _, err := g.Run(ctx, call); err != nil {
				return err
			}
		}
		if len(res.Stdout) == 0 {
			return nil
		}
	}
	return fmt.Errorf("clean %s: new files come up again and again", t.Root)
}

// Stage gives the tree object of our index with some paths as they are on the disk. keep makes that our index. Two processes.
func (t Tree) Stage(ctx context.Context, paths []string) (tree string, keep func() error, err error) {
	if err := t.Settle(ctx, false); err != nil {
		return "", nil, err
	}
	if err := copyIndex(t.Index(), t.scratch()); err != nil {
		return "", nil, err
	}
	if err := t.freshen(paths); err != nil {
		return "", nil, err
	}
	g := t.with(t.scratch())
	if len(paths) > 0 {
		if _, err := g.Run(ctx, git.Call{Args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}, Stdin: git.Join(paths)}); err != nil {
			return "", nil, errors.Join(err, RemoveIf(t.scratch()))
		}
	}
	if tree, err = g.Line(ctx, "write-tree"); err != nil {
		return "", nil, errors.Join(err, RemoveIf(t.scratch()))
	}
	return tree, func() error {
		if err := os.Rename(t.scratch(), t.Index()); err != nil {
			return err
		}
		return t.Publish()
	}, nil
}

// freshen gives files whose time was set back the present time. git compares times by the second, and looks at the content of a file
// again that is as new as the index; one with an old time could be changed unseen for the rest of this second.
func (t Tree) freshen(paths []string) error {
	for _, p := range paths {
		full := filepath.Join(t.Root, filepath.FromSlash(p))
		var st unix.Stat_t
		if err := unix.Lstat(full, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mtim.Sec >= st.Ctim.Sec {
			continue // what cannot be looked at, git will report
		}
		now := time.Now()
		if err := os.Chtimes(full, now, now); err != nil {
			return err
		}
	}
	return nil
}

// Publish gives the work tree a copy of our index, so that a worker's git sees what we see.
func (t Tree) Publish() error {
	temp := filepath.Join(t.GitDir, "index.devflock")
	if err := copyIndex(t.Index(), temp); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(t.GitDir, "index"))
}

// copyIndex keeps the time of the index: git looks at a file again when it is not older than the index.
func copyIndex(from, to string) error {
	src, err := regular.Open(from)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	_, err = io.Copy(dst, src)
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return nil
}
