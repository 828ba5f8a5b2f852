// Package review judges by hand: a work tree against a commit, or a patch, with no session and nothing installed, and
// writes the verdict for eyes, for programs and for code scanning.
//
// It owns no table and leaves nothing behind. What looks is handed in by the caller.
package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/matter"
)

// Options say what is judged. Patch, when it is not nil, is judged without a repository.
type Options struct {
	Dir   string // in the work tree
	Base  string // revision to compare with; empty = HEAD, or nothing before the first commit
	Patch []byte
	Task  string // what the change claims to do, for a model
	Panel judge.Panel
}

// Report is a verdict with what it is about.
type Report struct {
	judge.Verdict
	Root    string // work tree; empty for a patch
	Base    string // revision; empty for a patch or when there is no commit yet
	Files   int    // that differ
	Read    int    // of them
	Usage   judge.Usage
	Partial bool // a patch: the rest of the project was not there to ask
}

// Run judges. The error is for what kept it from looking at all: no repository, no such revision, a text that is no
// patch.
func Run(ctx context.Context, o Options) (Report, error) {
	c, report, done, err := o.open(ctx)
	if err != nil {
		return Report{}, err
	}
	defer done()
	defer c.Close()
	if c.Change != nil {
		c.Change.Task = o.Task
	}
	c.Task.Description, c.Spec = o.Task, o.Task
	report.Verdict = o.Panel.Evaluate(ctx, c)
	if ctx.Err() != nil { // half a look is none
		return Report{}, context.Cause(ctx)
	}
	report.Files, report.Read = c.Read()
	report.Usage = c.Spent()
	return report, nil
}

// open makes the case, and says how to let go of what it stands on.
func (o Options) open(ctx context.Context) (c *judge.Case, r Report, done func(), err error) {
	if o.Patch != nil {
		c, err = matter.OfPatch(o.Patch)
		return c, Report{Partial: true}, func() {}, err
	}
	repo, err := gitx.Find(o.Dir)
	if err != nil {
		return nil, r, nil, err
	}
	if dir, err := filepath.EvalSymlinks(o.Dir); err == nil { // git can be told that the files are elsewhere
		if rel, err := filepath.Rel(repo.Root, dir); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil, r, nil, fmt.Errorf("judge %s: %w here: core.worktree names %s", o.Dir, gitx.ErrNoRepo, repo.Root)
		}
	}
	r.Root, r.Base = repo.Root, o.Base
	if r.Base == "" {
		r.Base = repo.Head()
	}
	objs, err := os.MkdirTemp("", "devflow-judge-")
	if err != nil {
		return nil, r, nil, fmt.Errorf("make object folder: %w", err)
	}
	done = func() { os.RemoveAll(objs) }
	if c, err = matter.WorkTree(ctx, repo, objs, r.Base); err != nil {
		done()
		if errors.Is(err, gitx.ErrTooLarge) {
			return nil, r, nil, fmt.Errorf("look at %s: %w", repo.Root, err)
		}
		return nil, r, nil, err
	}
	return c, r, done, nil
}
