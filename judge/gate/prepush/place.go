package prepush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/regular"
)

// maxHook bounds what is read of a hook, in bytes: a larger one is a program.
const maxHook = 1 << 20

// place is where git looks for the hook of a work tree.
type place struct {
	repo  gitx.Repo
	hooks string // the folder; absolute
}

func (p place) path(name string) string { return filepath.Join(p.hooks, name) }

// locate asks git, which knows core.hooksPath of every configuration file.
func locate(ctx context.Context, repo gitx.Repo) (place, error) {
	out, err := runGit(ctx, repo, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return place{}, err
	}
	dir := strings.TrimSuffix(out, "\n")
	if dir == "" {
		return place{}, errors.New("git rev-parse: no hooks folder")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(repo.Root, dir)
	}
	return place{repo: repo, hooks: filepath.Clean(dir)}, nil
}

// runGit runs git in the work tree. Variables that redirect git do not reach it, those that say where the user's own
// settings are do.
func runGit(ctx context.Context, repo gitx.Repo, args ...string) (string, error) {
	env := []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}
	for _, name := range [...]string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"git", "-c", "core.fsmonitor=false"}, args...), Dir: repo.Root, Env: env})
	if err != nil {
		return "", err
	}
	if res.Exit != 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
		return "", fmt.Errorf("git %s: exit %d: %s", args[0], res.Exit, line)
	}
	return string(res.Stdout), nil
}

// inside tells whether path is root or below it, with links resolved as far as the path exists.
func inside(root, path string) bool {
	real := path
	for rest := ""; ; {
		if r, err := filepath.EvalSymlinks(real); err == nil {
			real = filepath.Join(r, rest)
			break
		}
		if real == filepath.Dir(real) {
			return false
		}
		rest, real = filepath.Join(filepath.Base(real), rest), filepath.Dir(real)
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(rel)
}

// shared tells whether the hooks folder lies outside of the repository.
func (p place) shared() bool {
	if inside(p.repo.Root, p.hooks) || inside(p.repo.CommonDir, p.hooks) {
		return false
	}
	main := filepath.Dir(p.repo.CommonDir) // the main work tree of a linked one
	return filepath.Base(p.repo.CommonDir) != ".git" || !inside(main, p.hooks)
}

// tracked tells whether the project tracks the hook.
func (p place) tracked(ctx context.Context) (bool, error) {
	rel, err := filepath.Rel(p.repo.Root, p.path(hookName))
	if err != nil || !filepath.IsLocal(rel) {
		return false, nil
	}
	out, err := runGit(ctx, p.repo, "--literal-pathspecs", "ls-files", "-z", "--", filepath.ToSlash(rel))
	return out != "", err
}

// file is what stands under a name.
type file struct {
	exists bool
	runs   bool   // git would run it
	text   []byte // empty for a large program or one that cannot be read
}

func read(path string) (file, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		return file{}, nil
	}
	if err != nil {
		return file{}, err
	}
	f := file{exists: true}
	if info.IsDir() {
		return f, fmt.Errorf("%s is a folder", path)
	}
	if info, err = os.Stat(path); err == nil {
		f.runs = info.Mode().IsRegular() && info.Mode()&0o111 != 0
		f.text, _ = regular.Read(path, maxHook)
	}
	return f, nil
}

// note is what we remember of an installation, in the git folder. By it a hook that is gone is missed.
type note struct {
	Hook string `json:"hook"`           // absolute path
	Exe  string `json:"exe"`            // what it runs
	Made string `json:"made,omitempty"` // the topmost folder on the way to it that was not there before
}

// absent gives the topmost folder on the way to dir, dir included, that is not there; empty when dir is.
func absent(dir string) string {
	top := ""
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return top
		}
		top = dir
	}
}

const noteName = "devflow-pre-push"

// noteDir is the git folder that all work trees share when the hooks are there, else that of the work tree.
func (p place) noteDir() string {
	if inside(p.repo.CommonDir, p.hooks) {
		return p.repo.CommonDir
	}
	return p.repo.GitDir
}

func writeNote(dir string, n note) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err // unreachable: strings and a bool
	}
	data = append(data, '\n')
	path := filepath.Join(dir, noteName)
	if old, err := regular.Read(path, maxHook); err == nil && string(old) == string(data) {
		return nil
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

// notes reads what we remember, of this work tree first.
func notes(repo gitx.Repo) []note {
	var found []note
	for i, dir := range [...]string{repo.GitDir, repo.CommonDir} {
		if i == 1 && dir == repo.GitDir {
			break
		}
		data, err := regular.Read(filepath.Join(dir, noteName), maxHook)
		var n note
		if err == nil && json.Unmarshal(data, &n) == nil && filepath.IsAbs(n.Hook) {
			found = append(found, n)
		}
	}
	return found
}
