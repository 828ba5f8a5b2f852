// Package gitrepo builds small git repositories for tests.
//
// It owns no table. git runs with an environment of its own: no configuration of the user or the machine, a fixed author and a
// fixed clock, so that commit ids do not depend on where a test runs.
package gitrepo

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Reporter is told of errors; a *testing.T is one. Fatal must not return.
type Reporter interface {
	Helper()
	Fatal(args ...any)
}

// Repo is a work tree. Its methods report any error as fatal.
type Repo struct {
	to  Reporter
	Dir string
}

// New makes a repository in dir, on an unborn branch, for example "feat/demo".
func New(to Reporter, dir, branch string) Repo {
	to.Helper()
	r := Repo{to: to, Dir: dir}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		to.Fatal(err)
	}
	r.Git("init", "-q", "-b", branch)
	return r
}

// Git runs git in the work tree and gives its standard output without the last line end.
func (r Repo) Git(args ...string) string {
	r.to.Helper()
	out, err := run(r.Dir, args...)
	if err != nil {
		r.to.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// Write writes a file below the work tree, with its folders.
func (r Repo) Write(path, content string) {
	r.to.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.to.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.to.Fatal(err)
	}
}

// Commit adds everything and commits it, also when nothing changed. It gives the commit id.
func (r Repo) Commit(message string) string {
	r.to.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

// Path is the absolute path of a file below the work tree.
func (r Repo) Path(path string) string { return filepath.Join(r.Dir, filepath.FromSlash(path)) }

func run(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
