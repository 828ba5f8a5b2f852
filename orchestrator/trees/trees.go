// Package trees keeps the work trees, branches and merges of a run, and touches nothing of the person's: not their HEAD, index, work
// tree, refs, configuration, hooks, stash or reflogs.
//
// It owns refs/heads/devflock/, refs/devflock/, the linked work trees below Options.Dir with their entries in .git/worktrees, and
// <Dir>/.state. Every region has an index of ours there: what a worker does to the one in its work tree decides nothing. Every
// operation may be killed at any moment and repeated; what is in a tree is saved under refs/devflock/wip/ before anything is removed.
// Operations on one region exclude each other, also between processes; one process at a time should drive a run.
//
// It owns no table, and knows no task and no worker. Below it are shape (what cannot be done in a project), work (one work tree),
// merge (objects only), refs, audit (what a region may not change) and git (how git is run).
package trees

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/merge"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// The words of the packages below.
type (
	Project        = shape.Project
	RefusedError   = shape.RefusedError
	Merged         = merge.Merged
	ConflictError  = merge.ConflictError
	LostError      = merge.LostError
	CollisionError = merge.CollisionError
)

// Errors that a caller may test for with errors.Is.
var (
	ErrNoRepo = shape.ErrNoRepo                        // Examine: in no repository; Init can make one
	ErrMoved  = errors.New("integration branch moved") // Advance: it is not where the caller believes
	ErrRegion = errors.New("region has no work tree")  // Region was not called for it, or its tree is gone: Begin makes it again
	ErrBegin  = errors.New("tree is half reset")       // an interrupted Begin or Discard: Begin comes first
)

// Final is the branch that Finish moves to the last good run.
const Final = "devflock/integration"

// stateName is our own folder below Options.Dir; no region can have that name.
const stateName = ".state"

// Reserved is the one name that no region can have.
const Reserved = "integration"

// Options say which run of which project.
type Options struct {
	Run     string // id of the run: letters, digits, - and _
	Base    string // commit, branch or tag to start from; "" = the project's HEAD, or an empty tree when there is none
	Project Project
	Dir     string       // of the work trees, outside the project; made when missing
	Log     *slog.Logger // nil = none
}

// Trees are the work trees of one run. Its methods may be called from many goroutines.
type Trees struct {
	o     Options
	base  string
	ident git.Identity
	store *merge.Store
	place work.Place
	refs  *refs.Refs

	mu      sync.Mutex
	regions map[string]*region
}

// Message is that of a commit.
type Message struct {
	Subject, Body string   // the subject is made one line
	Trailers      []string // "Key: value", one a line, at the end
}

// Examine looks at the project in dir; see shape.Examine.
func Examine(ctx context.Context, dir string) (Project, error) { return shape.Examine(ctx, dir) }

// Init makes a repository in dir; see shape.Init.
func Init(ctx context.Context, dir string) (Project, error) { return shape.Init(ctx, dir) }

// Open makes or re-opens the trees of a run. The run's integration branch exists afterwards, at the base or further. What a killed
// process left of Checkout is removed. A *RefusedError says what stands in the way.
func Open(ctx context.Context, o Options) (*Trees, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkOptions(&o); err != nil {
		return nil, err
	}
	t := &Trees{o: o, regions: map[string]*region{}, place: work.Place{Project: o.Project, State: filepath.Join(o.Dir, stateName), Log: o.Log}}
	t.refs = &refs.Refs{Git: t.place.Repo, CommonDir: o.Project.CommonDir, Sha256: o.Project.Format == "sha256", Log: o.Log}
	unlock, err := git.LockFolder(ctx, o.Project.CommonDir)
	if err != nil {
		return nil, fmt.Errorf("open trees of run %s: %w", o.Run, err)
	}
	defer unlock()
	if err := t.open(ctx); err != nil {
		return nil, fmt.Errorf("open trees of run %s: %w", o.Run, err)
	}
	return t, nil
}

func checkOptions(o *Options) error {
	if !validRun(o.Run) {
		return fmt.Errorf("open trees: run id %q: only letters, digits, - and _, and not %q", o.Run, Reserved)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("open trees: %w", err)
	}
	real, err := filepath.EvalSymlinks(o.Dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return fmt.Errorf("open trees: %w", err)
	}
	o.Dir = real
	for _, place := range [...]string{o.Project.Top, o.Project.CommonDir} {
		if rel, err := filepath.Rel(place, real); err == nil && filepath.IsLocal(rel) {
			return &RefusedError{Reason: fmt.Sprintf("the workers' trees at %s would lie inside the repository %s", real, place), Hint: "set DEVFLOW_HOME to a folder outside it"}
		}
	}
	return os.MkdirAll(filepath.Join(real, stateName), 0o700)
}

func validRun(id string) bool {
	for i, r := range id {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '-' && r != '_') {
			return false
		}
	}
	return id != "" && len(id) <= 100 && !strings.EqualFold(id, Reserved)
}

func (t *Trees) open(ctx context.Context) error {
	p := t.o.Project
	config, err := t.place.Repo().Config(ctx, `^(`+git.IdentityPattern+`|core\.sharedrepository|extensions\.(partialclone|refstorage)|remote\..*\.promisor)$`)
	if err != nil {
		return err
	}
	t.ident = git.IdentityOf(config)
	shared := ""
	for _, kv := range config {
		switch {
		case kv[0] == "core.sharedrepository":
			shared = kv[1]
		case kv[0] == "extensions.refstorage":
			t.refs.Reftable = kv[1] == "reftable"
		case strings.HasSuffix(kv[0], ".promisor"), kv[0] == "extensions.partialclone":
			t.place.Partial = t.place.Partial || kv[1] != "false"
		}
	}
	t.store, err = merge.Open(merge.Options{
		Dir: filepath.Join(t.place.State, "objects.git"), CommonDir: p.CommonDir, Format: p.Format, Shared: shared, Mark: filepath.Join(t.place.State, "objects.git"), Identity: t.ident, Attributes: t.attributes,
	})
	if err != nil {
		return err
	}
	t.place.Missing = t.store.Missing
	if t.place.Folded, err = foldedCase(filepath.Join(t.place.State, "Case")); err != nil {
		return err
	}
	if err := t.openRefs(ctx); err != nil {
		return err
	}
	return t.sweep()
}

// foldedCase tells whether a file is found by another spelling of its name.
func foldedCase(path string) (bool, error) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return false, err
	}
	_, err := os.Lstat(filepath.Join(filepath.Dir(path), strings.ToLower(filepath.Base(path))))
	return err == nil, nil
}

// openRefs makes the integration branch and the ref that keeps the base, or reads them.
func (t *Trees) openRefs(ctx context.Context) error {
	have, err := t.refs.List(ctx, "refs/heads/devflock", t.baseRef())
	if err != nil {
		return err
	}
	if have["refs/heads/devflock"] != "" {
		return &RefusedError{Reason: "there is a branch named devflock, so branches below devflock/ cannot exist", Hint: "rename it: git branch -m devflock something-else"}
	}
	base, tip := have[t.baseRef()], have[t.integration()]
	asked, err := t.askedBase(ctx, base)
	if err != nil {
		return err
	}
	if tip != "" {
		ok, err := t.store.Contains(ctx, tip, asked)
		if err != nil {
			return err
		}
		if !ok {
			return &RefusedError{Reason: fmt.Sprintf("branch %s does not contain the run's base %.12s", t.branch(Reserved), asked), Hint: "start a new run"}
		}
	}
	t.base = asked
	var updates []refs.Change
	if base != asked {
		updates = append(updates, refs.Change{Ref: t.baseRef(), New: asked, Old: base})
	}
	if tip == "" {
		updates = append(updates, refs.Change{Ref: t.integration(), New: asked, Old: ""})
	}
	return t.refs.Update(ctx, updates)
}

// askedBase resolves the base: what the options say, else what the run has already, else HEAD, else an empty commit.
func (t *Trees) askedBase(ctx context.Context, known string) (string, error) {
	want := t.o.Base
	if want == "" {
		want = known
	}
	if want == "" {
		want = t.o.Project.Head
	}
	if want == "" {
		return t.emptyBase(ctx)
	}
	res, err := t.place.Repo().Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", "--end-of-options", want + "^{commit}"}, OK: []int{1, 128}})
	if err != nil {
		return "", err
	}
	if res.Exit != 0 {
		return "", &RefusedError{Reason: fmt.Sprintf("there is no commit %q in the repository", want), Err: gitx.ErrNoRev}
	}
	commit := strings.TrimSpace(string(res.Stdout))
	_, err = t.store.Tree(ctx, commit)
	return commit, err
}

// emptyBase is a commit of an empty tree. It is the same one each time.
func (t *Trees) emptyBase(ctx context.Context) (string, error) {
	tree, err := t.place.Repo().Run(ctx, git.Call{Args: []string{"hash-object", "-w", "-t", "tree", "--stdin"}, Stdin: []byte{}})
	if err != nil {
		return "", fmt.Errorf("write empty tree: %w", err)
	}
	const date = "2000-01-01T00:00:00Z"
	env := append(git.Own().Env(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	return t.store.Commit(ctx, strings.TrimSpace(string(tree.Stdout)), nil, "Empty start of devflock\n", env...)
}

// Base is the commit that the run started from; a ref keeps it.
func (t *Trees) Base() string { return t.base }

// Tip is the commit of the run's integration branch. One process.
func (t *Trees) Tip(ctx context.Context) (string, error) {
	have, err := t.refs.List(ctx, t.integration())
	if err != nil {
		return "", err
	}
	tip := have[t.integration()]
	if tip == "" {
		return "", fmt.Errorf("read branch %s: %w", t.branch(Reserved), gitx.ErrNoRev)
	}
	return tip, nil
}

// Merge merges commits into tip, by objects only; nothing moves. See merge.Store.Merge for the errors. Three processes for a commit,
// four when it adds files, one for the call.
func (t *Trees) Merge(ctx context.Context, tip string, commits []string) (Merged, error) {
	return t.store.Merge(ctx, tip, commits)
}

// Contains tells whether commit is reachable from tip. One process.
func (t *Trees) Contains(ctx context.Context, tip, commit string) (bool, error) {
	return t.store.Contains(ctx, tip, commit)
}

// Diff is the patch between two commits; see merge.Store.Diff. One process.
func (t *Trees) Diff(ctx context.Context, from, to string) ([]byte, error) {
	return t.store.Diff(ctx, from, to)
}

// attributes reads the attribute merge of paths as the tree's own .gitattributes files and the repository's say. Two processes.
func (t *Trees) attributes(ctx context.Context, tree string, paths []string) (map[string]string, error) {
	dir, err := os.MkdirTemp(t.place.State, work.Trash)
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	defer os.RemoveAll(dir)
	g := t.place.Repo()
	g.Index, g.WorkTree = filepath.Join(dir, "index"), dir // none of the person's
	g.Settings = append(g.Settings, [2]string{"core.bare", "false"})
	if _, err := g.Run(ctx, git.Call{Args: []string{"read-tree", tree}}); err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	return checkAttr(ctx, g, "merge", paths, "--cached")
}

// checkAttr gives the values of an attribute; one that is not specified is left out.
func checkAttr(ctx context.Context, g git.Runner, name string, paths []string, more ...string) (map[string]string, error) {
	res, err := g.Run(ctx, git.Call{Args: append(append([]string{"check-attr", "-z", "--stdin"}, more...), name), Stdin: git.Join(paths)})
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	values := map[string]string{}
	f := strings.Split(string(res.Stdout), "\x00") // path, attribute, value
	for i := 0; i+2 < len(f); i += 3 {
		if f[i+2] != "unspecified" {
			values[f[i]] = f[i+2]
		}
	}
	return values, nil
}
