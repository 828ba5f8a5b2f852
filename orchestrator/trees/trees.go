// Package trees keeps the work trees, branches and merges of a run, and touches nothing of the person's: not their HEAD, index, work
// tree, refs, configuration or stash.
//
// It owns refs/heads/devflock/, refs/devflock/, the linked work trees below Options.Dir and their entries in .git/worktrees. Every
// operation may be killed at any moment and repeated. It owns no table, and knows no task and no worker.
package trees

import (
	"context"
	"errors"
	"log/slog"

	"github.com/devflow-suite/devflow/orchestrator/trees/merge"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
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
	ErrRegion = errors.New("region has no work tree")  // Region was not called for it
	errStub   = errors.New("not built yet")
)

// Options say which run of which project.
type Options struct {
	Run     string // id of the run
	Base    string // commit to start from; "" = the project's HEAD, or an empty tree when there is none
	Project Project
	Dir     string // of the work trees, outside the project; made when missing
	Log     *slog.Logger
}

// Trees are the work trees of one run. Its methods may be called from many goroutines.
type Trees struct{ o Options }

// Tree is the work tree of a region.
type Tree struct {
	Name      string
	Root      string   // top of the work tree
	Dir       string   // the project's folder in it
	Paths     []string // the region's folders, slash paths below Dir
	GitDir    string   // git folder of the work tree
	CommonDir string
}

// Message is that of a commit.
type Message struct {
	Subject, Body string
	Trailers      []string // "Key: value", one a line, at the end
}

// Examine looks at the project in dir; see shape.Examine.
func Examine(ctx context.Context, dir string) (Project, error) { return shape.Examine(ctx, dir) }

// Init makes a repository in dir; see shape.Init.
func Init(ctx context.Context, dir string) (Project, error) { return shape.Init(ctx, dir) }

func Open(ctx context.Context, o Options) (*Trees, error) { return &Trees{o}, errStub }
func (t *Trees) Base() string                             { return t.o.Base }
func (t *Trees) Tip(ctx context.Context) (string, error)  { return "", errStub }
func (t *Trees) Region(ctx context.Context, name string, paths []string) (Tree, error) {
	return Tree{}, errStub
}
func (t *Trees) Begin(ctx context.Context, region string) (start string, err error) {
	return "", errStub
}
func (t *Trees) Outside(ctx context.Context, region string) ([]string, error) { return nil, errStub }
func (t *Trees) Commit(ctx context.Context, region string, m Message) (commit string, changed bool, err error) {
	return "", false, errStub
}
func (t *Trees) Discard(ctx context.Context, region, label string) (ref string, err error) {
	return "", errStub
}
func (t *Trees) Merge(ctx context.Context, tip string, commits []string) (Merged, error) {
	return Merged{}, errStub
}
func (t *Trees) Advance(ctx context.Context, from, to string) error { return errStub }
func (t *Trees) Checkout(ctx context.Context, commit string) (dir string, done func() error, err error) {
	return "", nil, errStub
}
func (t *Trees) Attempted(ctx context.Context, region, trailer string) (commit string, found bool, err error) {
	return "", false, errStub
}
func (t *Trees) Contains(ctx context.Context, tip, commit string) (bool, error) {
	return false, errStub
}
func (t *Trees) Diff(ctx context.Context, from, to string) ([]byte, error) { return nil, errStub }
func (t *Trees) Finish(ctx context.Context) (branch string, err error)     { return "", errStub }
func (t *Trees) Remove(ctx context.Context) error                          { return errStub }
