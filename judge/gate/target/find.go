package target

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// Find gives the repository that a push is made from: cwd is where the command line starts (absolute), home what ~ stands for.
// It reads files only. Of a bare repository Root is the git folder itself. ErrUnreadable is returned (wrapped) when the folder
// is known only at run time, gitx.ErrNoRepo when there is no repository.
func Find(cwd, home string, p push.Push) (gitx.Repo, error) {
	if p.Elsewhere || p.Dir.Unknown || strings.ContainsAny(p.Dir.Path+p.GitDir, "$`") {
		return gitx.Repo{}, fmt.Errorf("find repository of %s: %w", p.Tool, ErrUnreadable)
	}
	if !filepath.IsAbs(cwd) {
		return gitx.Repo{}, fmt.Errorf("find repository of %s: folder %q is not absolute", p.Tool, cwd)
	}
	dir := under(cwd, home, p.Dir.Path)
	if p.GitDir == "" {
		return enclosing(dir)
	}
	gitDir := under(dir, home, p.GitDir)
	if repo, err := gitx.Find(filepath.Dir(gitDir)); err == nil && sameFile(repo.GitDir, gitDir) {
		return repo, nil
	}
	return bare(gitDir)
}

// enclosing is the repository around a folder, one without a work tree included.
func enclosing(dir string) (gitx.Repo, error) {
	repo, err := gitx.Find(dir)
	if err == nil {
		return repo, nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if repo, bareErr := bare(at); bareErr == nil {
			return repo, nil
		}
		if at == filepath.Dir(at) {
			return gitx.Repo{}, err
		}
	}
}

// bare takes a folder as a git folder.
func bare(dir string) (gitx.Repo, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		_, err = os.Stat(filepath.Join(real, "HEAD"))
	}
	common := real
	if err == nil {
		if text, readErr := os.ReadFile(filepath.Join(real, "commondir")); readErr == nil { // of a linked work tree
			if common = strings.TrimSpace(string(text)); !filepath.IsAbs(common) {
				common = filepath.Join(real, common)
			}
		}
		_, err = os.Stat(filepath.Join(common, "objects"))
	}
	if err != nil {
		return gitx.Repo{}, fmt.Errorf("find repository %s: %w: %w", dir, gitx.ErrNoRepo, err)
	}
	return gitx.Repo{Root: real, GitDir: real, CommonDir: common}, nil
}

func under(dir, home, path string) string {
	switch {
	case path == "":
		return dir
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
