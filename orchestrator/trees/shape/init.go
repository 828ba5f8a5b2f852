package shape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// excluded goes to info/exclude of a repository that Init makes, so that its first commit holds neither secrets nor what can be built.
const excluded = `# made by devflock; change it as you like
.env
.env.*
!.env.example
node_modules/
.venv/
__pycache__/
.DS_Store
`

// maxNested bounds how deep Init looks for repositories inside the folder.
const maxNested = 8

// Init makes a repository in dir when it is in none, or in one that ignores it. Files that are there become the first commit, except
// what looks like a secret or can be built (.git/info/exclude lists it); in an empty folder HEAD stays before its first commit. No
// template and no hook is used. It may be repeated after a kill. In a repository it is Examine.
func Init(ctx context.Context, dir string) (Project, error) {
	real, err := folder(dir)
	if err != nil {
		return Project{}, err
	}
	marker := filepath.Join(real, ".git", "devflock-init")
	if _, err := os.Lstat(marker); err != nil {
		p, err := Examine(ctx, real)
		if err == nil || !errors.Is(err, ErrNoRepo) {
			return p, err
		}
		if nested := nestedRepos(real); len(nested) > 0 {
			return Project{}, &RefusedError{Reason: fmt.Sprintf("%s is in no repository and holds others: %s", real, list(nested)), Hint: "run devflock in one of them, or run git init and decide what they are"}
		}
	}
	if err := makeRepo(ctx, real, marker); err != nil {
		return Project{}, fmt.Errorf("make repository in %s: %w", real, err)
	}
	return Examine(ctx, real)
}

func makeRepo(ctx context.Context, dir, marker string) error {
	if err := os.MkdirAll(filepath.Dir(marker), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil { // from here on the folder is ours to finish
		return err
	}
	g := git.Runner{Dir: dir, GitDir: filepath.Join(dir, ".git"), WorkTree: dir, Mark: dir}
	if err := git.Settle(ctx, dir); err != nil { // of one that was killed here
		return err
	}
	if _, err := g.Run(ctx, git.Call{Args: []string{"init", "-q", "--template="}}); err != nil {
		return err
	}
	head, err := g.Run(ctx, git.Call{Args: []string{"rev-parse", "-q", "--verify", "HEAD^{commit}"}, OK: []int{1}})
	if err != nil {
		return err
	}
	if head.Exit != 0 { // else only the marker was left to be removed
		if err := firstCommit(ctx, g, dir); err != nil {
			return err
		}
	}
	return os.Remove(marker)
}

func firstCommit(ctx context.Context, g git.Runner, dir string) error {
	exclude := filepath.Join(dir, ".git", "info", "exclude")
	if err := os.MkdirAll(filepath.Dir(exclude), 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(exclude, []byte(excluded), 0o644); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(dir, ".git", "index.lock")) // of a git that died here: nobody else knows this repository yet
	if _, err := g.Run(ctx, git.Call{Args: []string{"add", "-A"}}); err != nil {
		return err
	}
	tracked, err := g.Run(ctx, git.Call{Args: []string{"ls-files", "-z"}})
	if err != nil || len(tracked.Stdout) == 0 {
		return err
	}
	config, err := g.Config(ctx, "^"+git.IdentityPattern+"$")
	if err != nil {
		return err
	}
	g.Env = git.IdentityOf(config).Env()
	_, err = g.Run(ctx, git.Call{Args: []string{"commit", "-q", "--no-verify", "-m", "Files as devflock found them"}})
	return err
}

// nestedRepos lists folders below dir that are repositories.
func nestedRepos(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil {
			return fs.SkipDir
		}
		switch {
		case d.Name() == ".git" && rel != ".git":
			found = append(found, filepath.ToSlash(filepath.Dir(rel)))
			return skip(d)
		case d.IsDir() && (d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) >= maxNested):
			return fs.SkipDir
		}
		return nil
	})
	return found
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
