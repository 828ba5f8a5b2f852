package lend

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// known are the folders in which package managers put what a project needs. Folders that builds write to are not among them.
var known = [...]string{
	"node_modules", "bower_components", "jspm_packages", ".yarn/cache", ".yarn/unplugged", // JavaScript
	".venv", "venv", "env", "__pypackages__", // Python; env only with a pyvenv.cfg
	"vendor", ".bundle", // PHP, Ruby, Go
	"Pods", "Carthage", "deps", // iOS; Elixir: deps only with a mix.exs beside it
}

// folder is one that can be lent.
type folder struct {
	path  string // slash path below the top of the repository
	real  string // absolute, without symbolic links; "" when it cannot be lent
	why   string // then
	venv  bool
	named bool // by a person
}

// find looks for folders that exist and that git ignores in the person's work tree. They may come and go while a run lasts. One git
// process when there is a candidate.
func (s *Shelf) find(ctx context.Context) ([]folder, error) {
	top, err := os.OpenRoot(s.o.Project.Top)
	if err != nil {
		return nil, fmt.Errorf("look for dependency folders: %w", err)
	}
	defer top.Close()
	var list []folder
	for _, p := range s.named {
		f, there := s.candidate(top, p)
		if f.named = true; there {
			list = append(list, f)
		} else {
			s.skip(f, "there is no such folder")
		}
	}
	for _, dir := range s.dirs {
		for _, name := range known {
			f, there := s.candidate(top, path.Join(dir, name))
			if there && applies(top, f) && !slices.ContainsFunc(list, func(o folder) bool { return o.path == f.path }) {
				list = append(list, f)
			}
		}
	}
	if list, err = s.ignored(ctx, list); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b folder) int { return strings.Compare(a.path, b.path) })
	return slices.DeleteFunc(slices.Clone(list), func(f folder) bool { // what lies inside another comes with it
		return slices.ContainsFunc(list, func(o folder) bool { return o.path != f.path && inside(f.path, o.path) })
	}), nil
}

// candidate looks at one path.
func (s *Shelf) candidate(top *os.Root, p string) (f folder, there bool) {
	f.path = p
	if !plain(top, path.Dir(p)) {
		return f, false
	}
	info, err := top.Lstat(p)
	if err != nil {
		return f, false
	}
	real := filepath.Join(s.o.Project.Top, filepath.FromSlash(p))
	if info.Mode()&fs.ModeSymlink != 0 {
		real, err = filepath.EvalSymlinks(real)
		if _, ok := s.below(real); err != nil || !ok {
			f.why = "it is a symbolic link that leads out of the project, or nowhere"
			return f, true
		}
		info, err = os.Lstat(real)
	}
	if err != nil || !info.IsDir() {
		f.why = "it is no folder"
		return f, true
	}
	_, err = os.Lstat(filepath.Join(real, "pyvenv.cfg"))
	f.real, f.venv = real, err == nil
	return f, true
}

// below gives a place as a slash path below the top of the repository.
func (s *Shelf) below(real string) (rel string, ok bool) {
	rel, err := filepath.Rel(s.o.Project.Top, real)
	return filepath.ToSlash(rel), err == nil && rel != "." && filepath.IsLocal(rel)
}

// plain reports whether every part of a slash path is a folder and no link.
func plain(root *os.Root, p string) bool {
	if p == "." || p == "" {
		return true
	}
	at := ""
	for part := range strings.SplitSeq(p, "/") {
		at = path.Join(at, part)
		if info, err := root.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// applies leaves out names that mean something else in most projects.
func applies(top *os.Root, f folder) bool {
	switch path.Base(f.path) {
	case "env":
		return f.venv
	case "deps":
		_, err := top.Lstat(path.Join(path.Dir(f.path), "mix.exs"))
		return err == nil
	}
	return true
}

// maxConfig bounds what is read of a configuration file, in bytes; a longer one counts as one with a password.
const maxConfig = 64 << 10

// secret names a file of a folder in which its tool keeps passwords, when there is one in it: pip.conf of a Python environment
// (addresses with a user) and config of .bundle (keys that name a host; https://bundler.io/man/bundle-config.1.html).
func secret(dir string) string {
	suspect := map[string]func(line string) bool{
		"pip.conf": func(line string) bool { return strings.Contains(line, "@") },
		"config": func(line string) bool {
			key, _, _ := strings.Cut(line, ":")
			return strings.HasPrefix(key, "BUNDLE_") && strings.Contains(key, "__") && !strings.HasPrefix(key, "BUNDLE_BUILD__")
		},
	}
	for _, name := range [...]string{"pip.conf", "config"} {
		file := filepath.Join(dir, name)
		if info, err := os.Lstat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := regular.Read(file, maxConfig)
		if err != nil {
			return name
		}
		for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
			if suspect[name](strings.TrimSpace(sc.Text())) {
				return name
			}
		}
	}
	return ""
}

// ignored keeps the folders that git ignores, where they lead to included: what is tracked is in every work tree, and what is
// neither is the person's unfinished work.
func (s *Shelf) ignored(ctx context.Context, list []folder) ([]folder, error) {
	var paths []string
	for _, f := range list {
		paths = append(paths, f.path)
		if rel, ok := s.below(f.real); ok && rel != f.path {
			paths = append(paths, rel)
		}
	}
	p := s.o.Project
	yes, err := ignored(ctx, git.Runner{Dir: p.Top, GitDir: p.GitDir, WorkTree: p.Top}, paths)
	if err != nil {
		return nil, fmt.Errorf("look for dependency folders: %w", err)
	}
	var good []folder
	for _, f := range list {
		rel, _ := s.below(f.real)
		switch {
		case !yes[f.path]:
			if f.named {
				s.skip(f, "git does not ignore it")
			}
		case f.real == "":
			s.skip(f, f.why)
		case !yes[rel]:
			s.skip(f, "it is a symbolic link to something that git does not ignore")
		default:
			if file := secret(f.real); file != "" {
				s.skip(f, path.Join(f.path, file)+" may hold a password")
				continue
			}
			if f.venv {
				s.interpreter(f)
			}
			good = append(good, f)
		}
	}
	return good, nil
}

// interpreter tells a person when a Python environment is lent without the Python that it needs. Showing that is theirs to decide: a
// link in a folder of the project could name any place.
func (s *Shelf) interpreter(f folder) {
	python, err := filepath.EvalSymlinks(filepath.Join(f.real, "bin", "python"))
	if err != nil {
		return
	}
	prefix := filepath.Dir(filepath.Dir(python))
	for _, seen := range append([]sandbox.Bind{{From: "/usr"}, {From: "/nix/store"}, {From: f.real}}, s.o.Visible...) {
		if inside(prefix, filepath.Clean(seen.From)) || inside(prefix, real(seen.From)) {
			return
		}
	}
	s.note(fmt.Sprintf("%s needs the Python in %s, which workers do not see: add --expose %s", f.path, prefix, prefix))
}

// ignored gives those of some slash paths that git ignores. Paths that git refuses to look at (inside a submodule, behind a link)
// count as not ignored. One process, more when one is refused.
func ignored(ctx context.Context, g git.Runner, paths []string) (map[string]bool, error) {
	yes := map[string]bool{}
	if len(paths) == 0 {
		return yes, nil
	}
	var plain []string // a colon at the start would mean something
	for _, p := range paths {
		plain = append(plain, "./"+p)
	}
	res, err := g.Run(ctx, git.Call{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: git.Join(plain), OK: []int{1, 128}})
	switch {
	case err != nil:
		return nil, err
	case res.Exit == 128 && len(paths) > 1:
		for _, p := range paths {
			one, err := ignored(ctx, g, []string{p})
			if err != nil {
				return nil, err
			}
			yes[p] = one[p]
		}
		return yes, nil
	case res.Exit == 128:
		return yes, nil
	}
	for p := range strings.SplitSeq(string(res.Stdout), "\x00") {
		yes[strings.TrimPrefix(p, "./")] = true
	}
	return yes, nil
}
