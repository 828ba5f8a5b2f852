// Package lint judges a push by four linters: import_boundary, file_size, coverage_gate and compile_check.
//
// They look at the trees of commits, never at the work tree, run at once, and know no clock: the same push gets the same verdict. What
// cannot be looked at is a failure of its linter, and so is a panic in one; only a tool that is not installed is passed over, and said.
// Code of the project is not run, but its own syntax checkers are, from a private folder. The package owns no table.
package lint

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/gate/lint/boundary"
	"github.com/devflow-suite/devflow/judge/gate/lint/compile"
	"github.com/devflow-suite/devflow/judge/gate/lint/coverage"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
	"github.com/devflow-suite/devflow/judge/gate/lint/size"
)

// What the linters look at and say; see package pushed.
type (
	Tree     = pushed.Tree
	Input    = pushed.Input
	Config   = pushed.Config
	Boundary = pushed.Boundary
	Report   = pushed.Report
	Finding  = pushed.Finding
	Status   = pushed.Status
)

// Outcomes.
const (
	OK   = pushed.OK
	Warn = pushed.Warn
	Fail = pushed.Fail
	Skip = pushed.Skip
)

// CommitTree opens the tree of a commit; see pushed.CommitTree.
func CommitTree(ctx context.Context, repo gitx.Repo, objDir, commit string) (Tree, error) {
	t, err := pushed.CommitTree(ctx, repo, objDir, commit)
	if err != nil {
		return nil, err // not a typed nil
	}
	return t, nil
}

// Bounds of a report, in entries.
const (
	maxFindings = 100
	maxSkipped  = 20
)

// Linter is one check. Run gives its findings in any order and what it passed over; an error is a failure of the linter.
type Linter struct {
	Name string
	Run  func(ctx context.Context, in *Input) (found []Finding, skipped []string, looked int, err error)
}

// Linters are the four, in the order of their reports.
func Linters() []Linter {
	return []Linter{
		{"import_boundary", boundary.Check},
		{"file_size", size.Check},
		{"coverage_gate", coverage.Check},
		{"compile_check", compile.Check},
	}
}

// Run runs the four linters at once and returns one report of each, in fixed order. It never panics.
func Run(ctx context.Context, in Input) []Report { return RunThese(ctx, in, Linters()) }

// RunThese is Run with other linters.
func RunThese(ctx context.Context, in Input, linters []Linter) []Report {
	reports := make([]Report, len(linters))
	prefetch(ctx, &in)
	var wg sync.WaitGroup
	for i, l := range linters {
		wg.Go(func() { reports[i] = run(ctx, in, l) })
	}
	wg.Wait()
	return reports
}

// prefetch reads what the linters will ask for. What fails here fails again, and is reported, when it is asked for.
func prefetch(ctx context.Context, in *Input) {
	var now, old []string
	for _, c := range in.Written() {
		if !pushed.Read(c.Path) {
			continue
		}
		now = append(now, c.Path)
		if c.OldPath != "" {
			old = append(old, c.OldPath)
		} else if c.Status != 'A' {
			old = append(old, c.Path)
		}
	}
	_ = pushed.Prefetch(ctx, in.After, now)
	if in.Before != nil {
		_ = pushed.Prefetch(ctx, in.Before, old)
	}
}

func run(ctx context.Context, in Input, l Linter) (r Report) {
	began := time.Now()
	r.Linter = l.Name
	defer func() {
		if p := recover(); p != nil {
			r.Findings = []Finding{{Text: pushed.Text(fmt.Sprintf("the linter itself broke: %v", p)), Fail: true}}
			r.Status = Fail
		}
		r.Took = time.Since(began)
	}()
	found, skipped, looked, err := l.Run(ctx, &in)
	if err != nil {
		found = append(found, Finding{Text: "could not check: " + err.Error(), Fail: true})
	}
	r.Findings, r.Skipped = bounded(found), skipped
	if n := len(r.Skipped); n > maxSkipped {
		r.Skipped = append(r.Skipped[:maxSkipped:maxSkipped], fmt.Sprintf("and %d more", n-maxSkipped))
	}
	for i := range r.Skipped {
		r.Skipped[i] = pushed.Text(r.Skipped[i])
	}
	switch {
	case len(found) > 0 && slices.ContainsFunc(found, func(f Finding) bool { return f.Fail }):
		r.Status = Fail
	case len(found) > 0:
		r.Status = Warn
	case looked == 0 && len(skipped) > 0:
		r.Status = Skip
	default:
		r.Status = OK
	}
	return r
}

// bounded puts failures first, makes texts fit for a message, and cuts the list.
func bounded(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		switch {
		case a.Fail == b.Fail:
			return 0
		case a.Fail:
			return -1
		}
		return 1
	})
	more := len(found) - maxFindings
	if more > 0 {
		found = found[:maxFindings:maxFindings]
	}
	out := make([]Finding, 0, len(found)+1)
	for _, f := range found {
		f.File, f.Text = pushed.Printable(f.File), pushed.Text(f.Text)
		out = append(out, f)
	}
	if more > 0 {
		out = append(out, Finding{Text: fmt.Sprintf("and %d more", more)})
	}
	return out
}
