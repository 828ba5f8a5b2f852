// Package place says where the files of a run lie: <root>/flock/<run>/ for what lasts, a short folder for its sockets, because the
// path of a unix socket may have 107 bytes only, and a folder for the work trees where the client lets its workers write.
//
// It owns these folders and their modes (0700), not what is in them.
package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ErrUnsafe says that the folder for sockets belongs to somebody else, or that others may write in it.
var ErrUnsafe = errors.New("folder is not safe")

// Place is the folder of one run. Its methods give paths and make nothing.
type Place struct {
	Dir string
	Run string
}

// Of gives the place of a run below devflow's root.
func Of(root, run string) Place {
	return Place{Dir: filepath.Join(All(root), run), Run: run}
}

// All is the folder that has the folders of all runs.
func All(root string) string { return filepath.Join(root, "flock") }

// Standing is the file of the endpoints for runs that nobody gave one: those that a session asks for.
func Standing(root string) string { return filepath.Join(All(root), "endpoints.toml") }

// Make makes the folder.
func (p Place) Make() error {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return fmt.Errorf("make folder of the run: %w", err)
	}
	return nil
}

// Endpoints is the file that names the endpoints and holds their keys, mode 0600.
func (p Place) Endpoints() string { return filepath.Join(p.Dir, "endpoints.toml") }

// Lock is the file whose lock says who drives the run.
func (p Place) Lock() string { return filepath.Join(p.Dir, "lock") }

// Log is the file with one JSON line per event.
func (p Place) Log() string { return filepath.Join(p.Dir, "log.jsonl") }

// guarded are the folders below which the client writes only when a person says yes, whatever its permission rules allow: a worker,
// who has nobody to ask, could not write there at all. Measured with 2.1.332.
var guarded = [...]string{".claude", ".devcontainer", ".git", ".husky", ".idea", ".vscode"}

// beside is the folder that takes the work trees of a root that lies below a guarded one.
const beside = ".devflock"

// Trees is the folder of the worktrees, one per region: <root>/flock/<run>/trees. Below a folder that the client guards, as the
// default root ~/.claude/devflow is, it lies beside that folder: ~/.devflock/<run>.
func (p Place) Trees() string {
	const slash = string(filepath.Separator)
	parts := strings.Split(p.Dir, slash)
	for i, part := range parts {
		if slices.Contains(guarded[:], strings.ToLower(part)) {
			return strings.Join(append(slices.Clone(parts[:i]), beside, p.Run), slash)
		}
	}
	return filepath.Join(p.Dir, "trees")
}

// Clear removes the folder of the run with everything in it, and the one of its trees when it is empty.
func (p Place) Clear() error {
	if trees := p.Trees(); filepath.Base(filepath.Dir(trees)) == beside {
		_ = os.Remove(trees) // what is in it is not ours
		_ = os.Remove(filepath.Dir(trees))
	}
	if err := os.RemoveAll(p.Dir); err != nil {
		return fmt.Errorf("remove folder of the run: %w", err)
	}
	return nil
}

// Home is the private home of the worker of a region.
func (p Place) Home(region string) string { return filepath.Join(p.Dir, "homes", region) }

// Checks is the private home of the acceptance commands, with the caches of their tools.
func (p Place) Checks() string { return filepath.Join(p.Dir, "checks") }

// Evidence is the folder of outputs of acceptance commands.
func (p Place) Evidence() string { return filepath.Join(p.Dir, "evidence") }

// Record is the file with the raw lines that a region's client wrote.
func (p Place) Record(region string) string {
	return filepath.Join(p.Dir, "records", region+".jsonl")
}

// Sockets is the folder of the run's sockets; getenv reads the environment.
func (p Place) Sockets(getenv func(string) string) string {
	base := filepath.Join(os.TempDir(), "devflock-"+strconv.Itoa(os.Getuid()))
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && len(dir) < 40 {
		base = filepath.Join(dir, "devflock")
	}
	return filepath.Join(base, p.Run)
}

// ControlSocket is where the one who drives the run listens.
func (p Place) ControlSocket(getenv func(string) string) string {
	return filepath.Join(p.Sockets(getenv), "control")
}

// Size sums the bytes of the files of the run, its work trees included; what cannot be read counts nothing.
func (p Place) Size() (bytes int64) {
	dirs := []string{p.Dir}
	if trees := p.Trees(); !strings.HasPrefix(trees, p.Dir+string(filepath.Separator)) {
		dirs = append(dirs, trees)
	}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					bytes += info.Size()
				}
			}
			return nil
		})
	}
	return bytes
}

// MakeSockets makes the folder of the sockets. It is ErrUnsafe when a folder on the way, which anybody may have made, is not ours
// alone.
func (p Place) MakeSockets(getenv func(string) string) (string, error) {
	dir := p.Sockets(getenv)
	for _, d := range [...]string{filepath.Dir(dir), dir} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make folder of sockets: %w", err)
		}
		info, err := os.Lstat(d)
		if err != nil {
			return "", fmt.Errorf("make folder of sockets: %w", err)
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || ok && int(st.Uid) != os.Getuid() {
			return "", fmt.Errorf("make folder of sockets: %w: %s must be a folder of mode 0700 of this user", ErrUnsafe, d)
		}
	}
	return dir, nil
}
