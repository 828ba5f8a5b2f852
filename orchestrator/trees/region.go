package trees

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/flock"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/merge"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// Tree is the work tree of a region.
type Tree struct {
	Name      string
	Root      string   // top of the work tree: the whole repository
	Dir       string   // the project's folder in it
	Paths     []string // the region's folders, slash paths below Dir
	GitDir    string   // git folder of the work tree, below CommonDir/worktrees
	CommonDir string
}

// region is a Tree with what we know of it. mu excludes operations of this process from each other, a lock file those of others.
type region struct {
	Tree
	work   work.Tree
	inside []string // the region's folders, slash paths below Root

	mu            sync.Mutex
	start, branch string // where the two refs stand; "" = not known in this process
}

func (t *Trees) workOf(name string) work.Tree {
	return work.Tree{Place: t.place, Name: name, Root: filepath.Join(t.o.Dir, name)}
}

// Region makes the work tree of a region with its module folders, or adopts the one that is there; a broken one is replaced after
// what is in it was saved. paths are slash paths below the project's folder. A *RefusedError says which name or folder cannot be.
func (t *Trees) Region(ctx context.Context, name string, paths []string) (Tree, error) {
	r, err := t.register(name, paths)
	if err != nil {
		return Tree{}, err
	}
	unlock, err := t.lock(ctx, r)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	if err := t.ensure(ctx, r); err != nil {
		return Tree{}, fmt.Errorf("make tree of region %s: %w", name, err)
	}
	return r.Tree, nil
}

// register checks names and paths against each other and remembers the region.
func (t *Trees) register(name string, paths []string) (*region, error) {
	if !shape.RegionName(name) || name == Reserved {
		return nil, &RefusedError{Reason: fmt.Sprintf("%q cannot be the name of a region", name), Hint: "use a-z, 0-9, _ and -, at most 41 characters, and not " + Reserved}
	}
	if len(paths) == 0 {
		return nil, &RefusedError{Reason: fmt.Sprintf("region %s has no folder", name)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	owned := map[string]string{} // path → region
	for other, r := range t.regions {
		if other != name {
			for _, p := range r.Paths {
				owned[p] = other
			}
		}
	}
	for _, p := range paths {
		if err := shape.CheckFolder(p); err != nil {
			return nil, err
		}
		for q, other := range owned {
			a, b := merge.Key(p), merge.Key(q)
			if a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") {
				return nil, &RefusedError{Reason: fmt.Sprintf("folder %q of region %s and folder %q of region %s are one, or one is inside the other", p, name, q, other)}
			}
		}
		owned[p] = name
	}
	r := t.regions[name]
	if r == nil {
		w := t.workOf(name)
		r = &region{work: w, Tree: Tree{Name: name, Root: w.Root, Dir: filepath.Join(w.Root, filepath.FromSlash(t.o.Project.Prefix)), CommonDir: t.o.Project.CommonDir}}
		t.regions[name] = r
	}
	r.Paths = append([]string(nil), paths...)
	r.inside = nil
	for _, p := range paths {
		r.inside = append(r.inside, path.Join(t.o.Project.Prefix, p))
	}
	return r, nil
}

// get gives a region that Region was called for.
func (t *Trees) get(name string) (*region, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.regions[name]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("region %q: %w", name, ErrRegion)
}

// lock excludes other operations on the region, in this and in other processes.
func (t *Trees) lock(ctx context.Context, r *region) (unlock func(), err error) {
	r.mu.Lock()
	release, err := flock.Lock(ctx, t.place.File(r.Name, "lock"))
	if err != nil {
		r.mu.Unlock()
		return nil, fmt.Errorf("region %s: %w", r.Name, err)
	}
	return func() { release(); r.mu.Unlock() }, nil
}

// ensure makes a good work tree with its module folders.
func (t *Trees) ensure(ctx context.Context, r *region) error {
	if err := r.work.Settle(ctx, true); err != nil { // a git of an orchestrator that died
		return err
	}
	if err := r.work.MendLink(); err != nil {
		return err
	}
	gitDir, good := r.work.Link()
	if good && work.Exists(r.work.Index()) && work.Crooked(r.Root, r.inside) == "" { // perhaps half reset: Begin goes on from there
		r.work.GitDir = gitDir
	} else {
		unlock, err := git.LockFolder(ctx, t.o.Project.CommonDir)
		if err != nil {
			return err
		}
		err = t.recreate(ctx, r)
		unlock()
		if err != nil {
			return err
		}
	}
	r.GitDir = r.work.GitDir
	if err := r.work.SetHead(ctx, "refs/heads/"+t.branch(r.Name)); err != nil {
		return err
	}
	if err := r.makeFolders(); err != nil {
		return err
	}
	ignored, err := r.work.Ignored(ctx, r.inside)
	if err == nil && ignored != "" {
		err = &RefusedError{Reason: fmt.Sprintf("the repository ignores the folder %q, so work there could not be committed", ignored), Hint: "change .gitignore, or give the module another folder"}
	}
	return err
}

// Stands reports whether the region's folders are where Begin put them, with no symbolic link on the way. A check, which may write the
// whole tree, can have changed that; no worker must be started on such a tree, and Begin puts it right. No process.
func (t *Trees) Stands(name string) (bool, error) {
	r, err := t.get(name)
	if err != nil {
		return false, err
	}
	return work.Stand(r.Root, r.inside), nil
}

func (r *region) makeFolders() error {
	for _, p := range r.inside {
		if err := r.work.MakeFolder(p); err != nil {
			return err
		}
	}
	return nil
}

// recreate saves what is there, removes it, and makes the tree anew at its branch.
func (t *Trees) recreate(ctx context.Context, r *region) error {
	have, err := t.regionRefs(ctx, r.Name)
	if err != nil {
		return err
	}
	branchRef := "refs/heads/" + t.branch(r.Name)
	tip, branch := have[t.integration()], have[branchRef]
	if tip == "" {
		return fmt.Errorf("no branch %s: %w", t.branch(Reserved), gitx.ErrNoRev)
	}
	if err := t.saveLast(ctx, r, have, "broken"); err != nil {
		return fmt.Errorf("save what is in the broken tree: %w", err)
	}
	if err := r.work.Drop(); err != nil {
		return err
	}
	if at, err := t.refs.CheckedOut(ctx, branchRef); err != nil || at != "" {
		if err == nil {
			err = &RefusedError{Reason: fmt.Sprintf("branch %s is checked out in %s", t.branch(r.Name), at), Hint: fmt.Sprintf("run: git -C %s switch --detach", at)}
		}
		return err
	}
	if branch == "" {
		branch = tip
		if err := t.refs.Update(ctx, []refs.Change{{Ref: branchRef, New: tip}, {Ref: t.startRef(r.Name), New: tip, Old: have[t.startRef(r.Name)]}}); err != nil {
			return err
		}
	}
	if err := r.work.SetHalf(); err != nil {
		return err
	}
	if err := r.work.Add(ctx, t.branch(r.Name), false); err != nil {
		return err
	}
	if err := r.work.Write(ctx, branch); err != nil {
		return err
	}
	if err := r.work.Publish(); err != nil {
		return err
	}
	return r.work.ClearHalf()
}

// saveLast saves what a tree has besides its index, if anything. The tree need not be linked any more.
func (t *Trees) saveLast(ctx context.Context, r *region, have map[string]string, why string) error {
	if !work.Exists(r.Root) || !work.Exists(r.work.Index()) || r.work.Half() {
		return nil
	}
	w := r.work
	w.GitDir = "" // of the repository itself
	parent := orElse(have["refs/heads/"+t.branch(r.Name)], orElse(have[t.integration()], t.base))
	left, err := w.Left(ctx, parent)
	if err != nil || !left.Any() {
		return err
	}
	_, err = t.save(ctx, w, have, left, r.Name+"-"+why, parent)
	return err
}

// save makes a commit of everything in a work tree but ignored files, on top of parent, and a ref for it, which it notes in have. Four
// processes.
func (t *Trees) save(ctx context.Context, w work.Tree, have map[string]string, left work.Left, label, parent string) (string, error) {
	tree, err := w.Snapshot(ctx, left)
	if err != nil {
		return "", err
	}
	commit, err := t.store.Commit(ctx, tree, []string{parent}, "Left over in region "+w.Name+" ("+clean(label)+")\n")
	if err != nil {
		return "", err
	}
	ref := t.wip(have, label)
	if err := t.refs.Update(ctx, []refs.Change{{Ref: ref, New: commit}}); err != nil {
		return "", err
	}
	have[ref] = commit
	t.o.Log.Info("leftovers saved", "region", w.Name, "ref", ref)
	return ref, nil
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// regionRefs reads the refs that matter to a region: tip, branch, start and the run's leftovers. One process.
func (t *Trees) regionRefs(ctx context.Context, name string) (map[string]string, error) {
	return t.refs.List(ctx, t.integration(), "refs/heads/"+t.branch(name), t.startRef(name), strings.TrimSuffix(t.wipPrefix(), "/"))
}
