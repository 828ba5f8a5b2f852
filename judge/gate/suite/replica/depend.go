package replica

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
)

// names are those under which package managers install. Build output (target, dist, build) is not among them:
// it comes from another tree. env and deps count only beside what tells that they are meant.
var names = [...]string{
	"node_modules", "bower_components", "jspm_packages", ".pnp.cjs", ".pnp.loader.mjs", ".yarn/cache", ".yarn/unplugged",
	".venv", "venv", "env", ".virtualenv", "vendor", "vendor/bundle", ".bundle", "deps", ".dart_tool", "elm-stuff", "Pods",
}

// dependencies links installed dependencies that git ignores into the copy, in every folder that the copy has.
func (r *Replica) dependencies(ctx context.Context, repo gitx.Repo, folders []string) error {
	var there []string
	for _, dir := range folders {
		if dependency(dir) {
			continue
		}
		for _, name := range names {
			rel := path.Join(dir, name)
			source := filepath.Join(repo.Root, filepath.FromSlash(rel))
			if _, err := os.Stat(source); err == nil && meant(source, name) {
				there = append(there, rel)
			}
		}
	}
	if len(there) == 0 {
		return nil
	}
	real := git{repo: repo, dir: repo.Root}
	out, err := real.run(ctx, []byte(strings.Join(there, "\x00")+"\x00"), "check-ignore", "-z", "--stdin")
	var exit *exitError
	if err != nil && !(errors.As(err, &exit) && exit.status == 1) { // 1: none is ignored
		return err
	}
	for rel := range bytes.SplitSeq(out, []byte{0}) {
		if len(rel) == 0 {
			continue
		}
		if err := r.link(repo, string(rel)); err != nil {
			return err
		}
	}
	return nil
}

// meant is false for a folder of a common name that is no installed dependency.
func meant(source, name string) bool {
	beside := ""
	switch name {
	case "env", ".virtualenv":
		beside = "pyvenv.cfg"
	case "deps":
		beside = "../mix.exs"
	default:
		return true
	}
	_, err := os.Stat(filepath.Join(source, beside))
	return err == nil
}

// link brings one dependency into the copy, unless the tree has something in its place.
func (r *Replica) link(repo gitx.Repo, rel string) error {
	source, target := filepath.Join(repo.Root, filepath.FromSlash(rel)), filepath.Join(r.Dir, filepath.FromSlash(rel))
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	l := linker{from: repo.Root, to: r.Dir}
	switch {
	case !info.IsDir():
	case filepath.Base(rel) == "node_modules":
		return l.modules(source, target)
	case filepath.Base(rel) == "vendor" && exists(filepath.Join(source, "composer")) && exists(filepath.Join(source, "autoload.php")):
		return l.composer(source, target)
	}
	return os.Symlink(source, target)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// linker links entries of dependency folders. Links of the project to itself, as workspaces have them, must lead to the
// copy: else the tests would test the work tree.
type linker struct {
	from, to string // work tree, copy
}

// caches are entries of node_modules that tools write for themselves.
var caches = [...]string{".cache", ".vite", ".vitest", ".vite-temp", ".tmp", ".turbo"}

// modules makes a folder with a link for each package.
func (l linker) modules(source, target string) error {
	return l.each(source, target, func(e fs.DirEntry, from, to string) error {
		switch {
		case slices.Contains(caches[:], e.Name()):
			return nil
		case strings.HasPrefix(e.Name(), "@") && e.IsDir(): // a scope
			return l.each(from, to, func(_ fs.DirEntry, from, to string) error { return l.link(from, to) })
		}
		return l.link(from, to)
	})
}

// composer copies the small files of PHP's autoloader, which find the project by their own place, and links the packages.
func (l linker) composer(source, target string) error {
	own := func(e fs.DirEntry, from, to string) error {
		if e.Type().IsRegular() {
			return copyFile(from, to)
		}
		return l.link(from, to)
	}
	return l.each(source, target, func(e fs.DirEntry, from, to string) error {
		if e.IsDir() && (e.Name() == "composer" || e.Name() == "bin") {
			return l.each(from, to, own)
		}
		return own(e, from, to)
	})
}

// each makes the folder target and calls f for every entry of source.
func (l linker) each(source, target string, f func(e fs.DirEntry, from, to string) error) error {
	entries, err := os.ReadDir(source)
	if err != nil {
		return err
	}
	if err := os.Mkdir(target, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := f(e, filepath.Join(source, e.Name()), filepath.Join(target, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// link makes a link to source, or to its place in the copy when source is a link to a part of the project itself.
func (l linker) link(source, target string) error {
	if real, err := filepath.EvalSymlinks(source); err == nil && real != source {
		if rel, err := filepath.Rel(l.from, real); err == nil && filepath.IsLocal(rel) && !dependency(rel) {
			if inCopy := filepath.Join(l.to, rel); exists(inCopy) {
				return os.Symlink(inCopy, target)
			}
		}
	}
	return os.Symlink(source, target)
}

// dependency tells whether a path leads through a folder of installed packages.
func dependency(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "node_modules" || part == "vendor" {
			return true
		}
	}
	return false
}

// copyFile copies a regular file with its mode.
func copyFile(from, to string) (err error) {
	src, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	_, err = io.Copy(dst, src)
	return err
}
