package shape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// Oldest git with `merge-tree --write-tree` (release notes of git 2.38).
const (
	oldestMajor = 2
	oldestMinor = 38
)

// maxNamed bounds how many paths a note names.
const maxNamed = 5

// Examine looks at the project in dir. The error is a *RefusedError for what cannot be done, and another one when git or the disk
// failed. It reads only.
func Examine(ctx context.Context, dir string) (Project, error) {
	real, err := folder(dir)
	if err != nil {
		return Project{}, err
	}
	if err := checkVersion(ctx, real); err != nil {
		return Project{}, err
	}
	repo, err := gitx.Find(real)
	if err != nil {
		return Project{}, noRepo(ctx, real)
	}
	p := Project{Dir: real, Top: repo.Root, CommonDir: repo.CommonDir, GitDir: repo.GitDir}
	if rel, err := filepath.Rel(p.Top, p.Dir); err == nil && rel != "." {
		p.Prefix = filepath.ToSlash(rel)
	}
	g := git.Runner{Dir: p.Top, Filters: repo.FilterNames()}
	facts, err := g.Run(ctx, git.Call{Args: []string{"rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format"}})
	if err != nil {
		return Project{}, unusable(p, err)
	}
	f := strings.Fields(string(facts.Stdout))
	if len(f) != 3 {
		return Project{}, fmt.Errorf("examine %s: unexpected answer of git rev-parse %q", real, facts.Stdout)
	}
	if f[0] != "true" {
		return Project{}, &RefusedError{Reason: fmt.Sprintf("the repository at %s has no work tree there", p.Top), Hint: "run devflock in a clone of it", Err: ErrBare}
	}
	p.Format = f[2]
	state, err := g.Status(ctx, false)
	if err != nil {
		return Project{}, fmt.Errorf("examine %s: %w", real, err)
	}
	p.Head, p.Branch = state.Head, state.Branch
	for _, c := range state.Changes {
		p.Dirty = append(p.Dirty, c.Path)
	}
	l, err := look(ctx, g, p)
	if err != nil {
		return Project{}, err
	}
	p.Notes = l.notes(p, f[1] == "true")
	return p, nil
}

// folder gives the real path of an existing folder.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("examine %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", &RefusedError{Reason: fmt.Sprintf("there is no folder %s", abs), Err: err}
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &RefusedError{Reason: fmt.Sprintf("%s is not a folder", abs), Err: syscall.ENOTDIR}
	}
	return real, nil
}

func checkVersion(ctx context.Context, dir string) error {
	line, err := git.Runner{Dir: dir}.Line(ctx, "version")
	if errors.Is(err, gitx.ErrNoGit) {
		return &RefusedError{Reason: "there is no git program on PATH", Hint: "install git 2.38 or newer", Err: ErrNoGit}
	}
	if err != nil {
		return fmt.Errorf("ask git for its version: %w", err)
	}
	if major, minor, ok := version(line); !ok || major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return &RefusedError{Reason: fmt.Sprintf("%q is too old", line), Hint: "devflock merges with `git merge-tree --write-tree`, which needs git 2.38 or newer", Err: ErrOldGit}
	}
	return nil
}

// version reads "git version 2.39.5 (Apple Git-154)".
func version(line string) (major, minor int, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0, false
	}
	parts := strings.Split(f[2], ".")
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}

// noRepo says why there is no work tree at dir: none, a bare repository, or the inside of a .git folder.
func noRepo(ctx context.Context, dir string) error {
	res, err := git.Runner{Dir: dir}.Run(ctx, git.Call{Args: []string{"rev-parse", "--is-bare-repository"}, OK: []int{128}})
	switch answer := strings.TrimSpace(string(res.Stdout)); {
	case err != nil:
		return fmt.Errorf("examine %s: %w", dir, err)
	case res.Exit == 0 && answer == "true":
		return &RefusedError{Reason: fmt.Sprintf("%s is a bare repository", dir), Hint: "run devflock in a clone of it", Err: ErrBare}
	case res.Exit == 0 && answer == "false":
		return &RefusedError{Reason: fmt.Sprintf("%s is inside a .git folder", dir), Hint: "run devflock in the work tree", Err: ErrBare}
	}
	return &RefusedError{Reason: fmt.Sprintf("%s is in no git repository", dir), Hint: "let devflock make one, or run: git init", Err: ErrNoRepo}
}

// unusable explains why git does not answer in a repository that is there: most often it belongs to somebody else.
func unusable(p Project, err error) error {
	var failed *git.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("examine %s: %w", p.Dir, err)
	}
	for _, path := range [...]string{p.Top, filepath.Join(p.Top, ".git"), p.GitDir} {
		info, statErr := os.Lstat(path)
		if statErr != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			return &RefusedError{
				Reason: fmt.Sprintf("the repository at %s belongs to another user, and git does not trust it", p.Top),
				Hint:   fmt.Sprintf("if you do, run: git config --global --add safe.directory %s", p.Top), Err: ErrOwner,
			}
		}
	}
	return &RefusedError{Reason: fmt.Sprintf("git does not accept the repository at %s: %s", p.Top, firstLine(failed.Stderr)), Err: err}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ToValidUTF8(line[:min(len(line), 300)], "?")
}

// list names some of the paths.
func list(paths []string) string {
	shown := paths[:min(len(paths), maxNamed)]
	var b bytes.Buffer
	for i, path := range shown {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", path)
	}
	if more := len(paths) - len(shown); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
