package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/merge"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
)

const (
	// maxLink bounds what is read of a HEAD, .git or gitdir file, in bytes.
	maxLink = 4 << 10
	// Trash is how the names of folders begin that are being removed.
	Trash = "trash-"
)

// Link gives the entry in .git/worktrees of a good work tree: tree and entry name each other.
func (t Tree) Link() (gitDir string, good bool) {
	gitDir, ok := strings.CutPrefix(readLine(filepath.Join(t.Root, ".git")), "gitdir: ")
	if !ok || filepath.Dir(gitDir) != t.entries() {
		return "", false
	}
	if readLine(filepath.Join(gitDir, "gitdir")) != filepath.Join(t.Root, ".git") {
		return "", false
	}
	return gitDir, Exists(filepath.Join(gitDir, "commondir")) && Exists(filepath.Join(gitDir, "HEAD"))
}

func (t Tree) entries() string { return filepath.Join(t.Project.CommonDir, "worktrees") }

func readLine(path string) string {
	text, err := regular.Read(path, maxLink)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// entry finds the entry that names the tree, good or not; "" when there is none.
func (t Tree) entry() (string, error) {
	entries, err := os.ReadDir(t.entries())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		at := filepath.Join(t.entries(), e.Name())
		if readLine(filepath.Join(at, "gitdir")) == filepath.Join(t.Root, ".git") {
			return at, nil
		}
	}
	return "", nil
}

// MendLink writes the .git file of the tree anew when only that is wrong. A repository that a worker put in its place stays, under
// another name.
func (t Tree) MendLink() error {
	gitDir, err := t.entry()
	if _, good := t.Link(); err != nil || good || gitDir == "" || !Exists(t.Root) {
		return err
	}
	link := filepath.Join(t.Root, ".git")
	if info, err := os.Lstat(link); err == nil && info.IsDir() {
		if err := os.Rename(link, free(filepath.Join(t.Root, putAside))); err != nil {
			return err
		}
	}
	if err := RemoveIf(link); err != nil {
		return err
	}
	return os.WriteFile(link, []byte("gitdir: "+gitDir+"\n"), 0o644)
}

// Add makes the work tree without files, on a branch or, with detach, at a commit. The repository is locked. One process.
func (t *Tree) Add(ctx context.Context, at string, detach bool) error {
	args := []string{"worktree", "add", "-q", "--no-checkout"}
	if detach {
		args = append(args, "--detach")
	}
	if _, err := t.Repo().Run(ctx, git.Call{Args: append(args, t.Root, at)}); err != nil {
		return err
	}
	gitDir, good := t.Link()
	if !good {
		return fmt.Errorf("git worktree add made no work tree at %s", t.Root)
	}
	t.GitDir = gitDir
	return nil
}

// Drop removes the tree, its entry and our files, in whatever state they are. The repository is locked.
func (t Tree) Drop() error {
	if Exists(t.Root) {
		trash, err := os.MkdirTemp(t.State, Trash)
		if err != nil {
			return err
		}
		if err := os.Rename(t.Root, filepath.Join(trash, "tree")); err != nil {
			return err
		}
		if err := RemoveAll(trash); err != nil {
			return err
		}
	}
	gitDir, err := t.entry()
	if err != nil {
		return err
	}
	if gitDir != "" {
		if err := os.RemoveAll(gitDir); err != nil {
			return err
		}
		_ = os.Remove(t.entries()) // when it was the last one
	}
	for _, kind := range [...]string{"index", "index.lock", "save", "save.lock", "absent", "reset"} {
		if err := RemoveIf(t.File(t.Name, kind)); err != nil {
			return err
		}
	}
	return nil
}

// SetHead puts the tree on a branch, whatever a worker did, and ends what it may have begun. No process when all is well.
func (t Tree) SetHead(ctx context.Context, ref string) error {
	for _, name := range [...]string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer"} {
		if err := os.RemoveAll(filepath.Join(t.GitDir, name)); err != nil {
			return err
		}
	}
	head := filepath.Join(t.GitDir, "HEAD")
	switch readLine(head) {
	case "ref: " + ref:
		return nil
	case "ref: refs/heads/.invalid": // refs are in no files
	default:
		return atomicfile.WriteFile(head, []byte("ref: "+ref+"\n"), 0o644)
	}
	_, err := t.Git().Run(ctx, git.Call{Args: []string{"symbolic-ref", "HEAD", ref}})
	return err
}

// MakeFolder makes a folder of a slash path below the tree. A *shape.RefusedError says when something on the way is a file, a symbolic
// link, a submodule, or the same name in another spelling.
func (t Tree) MakeFolder(rel string) error {
	at, done := t.Root, ""
	for part := range strings.SplitSeq(rel, "/") {
		entries, err := os.ReadDir(at)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() != part && merge.Key(e.Name()) == merge.Key(part) {
				return &shape.RefusedError{Reason: fmt.Sprintf("folder %q of a region differs from %q of the project by letter case or Unicode form only", rel, path.Join(done, e.Name()))}
			}
		}
		at, done = filepath.Join(at, part), path.Join(done, part)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = os.Mkdir(at, 0o755)
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			return &shape.RefusedError{Reason: fmt.Sprintf("%q in the project is a symbolic link, so %q cannot be a region's folder", done, rel), Hint: "name the folder that it leads to"}
		case !info.IsDir():
			return &shape.RefusedError{Reason: fmt.Sprintf("%q in the project is a file, so %q cannot be a region's folder", done, rel), Hint: "give the module another folder"}
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// Ignored gives the first of some folders that the tree's own rules ignore. One process.
func (t Tree) Ignored(ctx context.Context, folders []string) (string, error) {
	slashed := make([]string, len(folders))
	for i, p := range folders {
		slashed[i] = p + "/"
	}
	res, err := t.Git().Run(ctx, git.Call{Args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, Stdin: git.Join(slashed), OK: []int{1}})
	if err != nil || res.Exit == 1 {
		return "", err
	}
	name, _, _ := strings.Cut(string(res.Stdout), "\x00")
	return strings.TrimSuffix(name, "/"), nil
}
