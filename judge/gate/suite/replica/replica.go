// Package replica makes copies of a tree of a repository in which its tests can run.
//
// A copy is what a checkout would write, without running a filter program: files behind git LFS stay pointers, and the
// copy's notes say so. Installed dependencies that git ignores are linked into it, such that links of the project to
// itself lead to the copy. The package writes below a private temporary folder, which [Replica.Remove] deletes, and
// nothing in the repository. It owns no table and runs nothing but git.
package replica

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// maxListing bounds what one git command may print, in bytes: about half a million files.
const maxListing = 64 << 20

// Replica is a copy of a tree.
type Replica struct {
	Dir   string   // the files; absolute, links resolved
	Notes []string // what differs from a checkout: submodules, files behind git LFS
	work  string   // what is removed in the end: Dir and the index
}

// Make copies a tree (or the tree of a commit) to a new private folder below temp; empty means the system's temporary
// folder. objects is an object folder beside the repository's own, such as that of a snapshot; empty = none. The caller
// removes the copy. The error wraps the cause of ctx when that ended first.
func Make(ctx context.Context, repo gitx.Repo, objects, tree, temp string) (*Replica, error) {
	work, err := os.MkdirTemp(temp, "devflow-suite-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("copy tree: %w", err)
	}
	r := &Replica{work: work}
	if err := r.fill(ctx, repo, objects, tree); err != nil {
		r.Remove()
		return nil, fmt.Errorf("copy tree: %w", err)
	}
	return r, nil
}

func (r *Replica) fill(ctx context.Context, repo gitx.Repo, objects, name string) error {
	work, err := filepath.EvalSymlinks(r.work)
	if err != nil {
		return err
	}
	r.Dir = filepath.Join(work, "tree")
	if err := os.Mkdir(r.Dir, 0o700); err != nil {
		return err
	}
	g := git{repo: repo, dir: r.Dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(work, "index")}}
	if objects != "" {
		g.env = append(g.env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+gitx.QuoteAlternate(objects))
	}
	if err := g.disarm(ctx); err != nil {
		return err
	}
	if _, err := g.run(ctx, nil, "read-tree", "--end-of-options", name); err != nil {
		return err
	}
	if _, err := g.run(ctx, nil, "checkout-index", "--all", "--force", "--quiet"); err != nil {
		return err
	}
	list, err := g.run(ctx, nil, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	files, modules := entries(list)
	r.submodules(repo, modules)
	if err := r.pointers(ctx, g); err != nil {
		return err
	}
	return r.dependencies(ctx, repo, folders(files))
}

// entries splits `ls-files --stage -z` ("mode oid stage" TAB path) into files and submodules (path → commit).
func entries(list []byte) (files []string, modules map[string]string) {
	modules = map[string]string{}
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		head, path, ok := strings.Cut(string(entry), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 {
			continue
		}
		if fields[0] == "160000" {
			modules[path] = fields[1]
			continue
		}
		files = append(files, path)
	}
	return files, modules
}

// folders lists all folders of the files, the root as "".
func folders(files []string) []string {
	seen := map[string]bool{"": true}
	for _, file := range files {
		for dir := parent(file); !seen[dir]; dir = parent(dir) {
			seen[dir] = true
		}
	}
	all := make([]string, 0, len(seen))
	for dir := range seen {
		all = append(all, dir)
	}
	slices.Sort(all)
	return all
}

// submodules links those that are checked out at the commit that the tree names, and tells of the others.
func (r *Replica) submodules(repo gitx.Repo, modules map[string]string) {
	paths := make([]string, 0, len(modules))
	for path := range modules {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		source, target := filepath.Join(repo.Root, filepath.FromSlash(path)), filepath.Join(r.Dir, filepath.FromSlash(path))
		sub, err := gitx.Find(source)
		if err == nil && sub.Root != repo.Root && sub.Head() == modules[path] && os.Remove(target) == nil && os.Symlink(source, target) == nil {
			r.Notes = append(r.Notes, "submodule "+path+" is that of the work tree")
			continue
		}
		r.Notes = append(r.Notes, "submodule "+path+" is empty")
	}
}

// pointers tells how many files are git LFS pointers in the copy.
func (r *Replica) pointers(ctx context.Context, g git) error {
	out, err := g.run(ctx, nil, "ls-files", "-z", "--", ":(attr:filter=lfs)")
	if err != nil {
		return err
	}
	if n := bytes.Count(out, []byte{0}); n > 0 {
		first, _, _ := bytes.Cut(out, []byte{0})
		note := fmt.Sprintf("%s is a git LFS pointer", first)
		if n > 1 {
			note = fmt.Sprintf("%d files are git LFS pointers (%s and others)", n, first)
		}
		r.Notes = append(r.Notes, note)
	}
	return nil
}

// Remove deletes the copy, folders that a test made read-only included. Links are not followed.
func (r *Replica) Remove() {
	if os.RemoveAll(r.work) == nil {
		return
	}
	_ = filepath.WalkDir(r.work, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(r.work)
}

// parent is path.Dir with "" for the root.
func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}
