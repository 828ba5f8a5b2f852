// Package swarm is the three workers that look at a change of high risk beside the judge: Sec, QA and Doc.
//
// Each has a deterministic part, which is enough for a report, and asks a model where one is configured. Sec decides:
// unsafe fails the change, and so does a missing report of Sec, because silence of the one who looks for holes is no
// answer. QA and Doc give notes. The package owns no table; reports live in the verdict of the diff that they are about.
package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/swarm/leaks"
	"golang.org/x/sync/errgroup"
)

// Fanout runs the workers of a swarm, all at once or as many as it sees fit, and returns when all have ended.
type Fanout interface {
	Run(ctx context.Context, tasks []func(ctx context.Context))
}

// Goroutines is the Fanout without a scheduler: one goroutine for each.
type Goroutines struct{}

// Run implements Fanout.
func (Goroutines) Run(ctx context.Context, tasks []func(ctx context.Context)) {
	var g errgroup.Group
	for _, task := range tasks {
		g.Go(func() error { task(ctx); return nil })
	}
	_ = g.Wait()
}

// Status is what a worker came to.
type Status string

// The statuses. Sec says safe or unsafe, the others ok or one of the rest.
const (
	Safe    Status = "safe"
	Unsafe  Status = "unsafe"
	OK      Status = "ok"
	Weak    Status = "weak"
	Missing Status = "missing"
	Drift   Status = "drift"
)

// Names of the workers.
const (
	Sec = "sec"
	QA  = "qa"
	Doc = "doc"
)

// Report is what a worker says about one diff.
type Report struct {
	Worker   string
	Status   Status
	Summary  string // one line
	Findings []Finding
	Mode     string // static, or model when one was asked as well
}

// Finding is one place that a worker names.
type Finding struct {
	File     string
	Line     int
	Class    string // hard-coded credential, injection, empty, race …
	Evidence string
}

// WorkerLimit bounds one worker; source: governance rules of the project.
const WorkerLimit = 40 * time.Second

// Swarm is an examiner of changes of high risk; to all others it says nothing.
type Swarm struct {
	Fanout       Fanout      // nil = Goroutines
	Rules        []rule.Rule // of the axis security, for Sec
	Leaks        *leaks.Finder
	Model        Model // nil = none is configured
	RequireModel bool  // a report of Sec without a model is none
	Limit        time.Duration
	Always       bool // look at changes of any risk, too
}

// Name implements judge.Examiner.
func (Swarm) Name() string { return "swarm" }

// Examine implements judge.Examiner. It never fails: what Sec could not do is a hard reason.
func (s Swarm) Examine(ctx context.Context, c *judge.Case) ([]judge.Reason, error) {
	if !s.Always && !c.Task.HighRisk() || c.NoDiff || c.Change == nil { // a change that nobody could read is no pass anyway
		return nil, nil
	}
	in := s.gather(c)
	limit := s.Limit
	if limit == 0 {
		limit = WorkerLimit
	}
	workers := [...]func(context.Context) (Report, error){
		func(ctx context.Context) (Report, error) { return s.sec(ctx, c, in) },
		func(ctx context.Context) (Report, error) { return s.qa(ctx, c, in) },
		func(ctx context.Context) (Report, error) { return s.doc(ctx, c, in) },
	}
	reports := make([]Report, len(workers))
	errs := make([]error, len(workers))
	var tasks []func(context.Context)
	for i, work := range workers {
		errs[i] = errors.New("the worker was not run")
		tasks = append(tasks, func(ctx context.Context) {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("the worker broke: %v", p)
				}
			}()
			ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
			defer cancel()
			reports[i], errs[i] = work(ctx)
		})
	}
	fanout := s.Fanout
	if fanout == nil {
		fanout = Goroutines{}
	}
	fanout.Run(ctx, tasks)
	return reasons(reports, errs), nil
}

// reasons folds the reports: only Sec decides anything.
func reasons(reports []Report, errs []error) []judge.Reason {
	var out []judge.Reason
	for i, r := range reports {
		name := [...]string{Sec, QA, Doc}[i]
		switch {
		case errs[i] != nil && name == Sec:
			out = append(out, unavailable(errs[i]))
		case errs[i] != nil:
			out = append(out, judge.Reason{Prefix: name, Class: judge.Note, Text: "no report: " + errs[i].Error()})
		case r.Status == Unsafe:
			x := judge.Reason{Prefix: Sec, Class: judge.Hard, Text: "unsafe: " + r.Summary, Fix: "remove what is named, or let a person decide"}
			if len(r.Findings) > 0 {
				f := r.Findings[0]
				x.File, x.Line, x.Evidence = f.File, f.Line, f.Evidence
			}
			out = append(out, x)
		case name != Sec && r.Status != OK:
			x := judge.Reason{Prefix: name, Class: judge.Note, Text: string(r.Status) + ": " + r.Summary}
			out = append(out, x)
		case name == Sec:
			out = append(out, judge.Reason{Prefix: "judge", Class: judge.Note, Text: "sec: " + string(r.Status) + " (" + r.Mode + "): " + r.Summary})
		}
	}
	return out
}

func unavailable(err error) judge.Reason {
	return judge.Reason{
		Prefix: Sec, Class: judge.Hard, Text: "swarm-reports-unavailable: " + err.Error(),
		Fix: "end the turn again; when it stays, a person decides",
	}
}

// input is what the workers read. A change belongs to one goroutine: the swarm gathers before it fans out.
type input struct {
	files  []file
	static []Finding         // of the rules
	tests  map[string]string // function → text of the tests that name it
	docs   string
}

// file is a changed text file.
type file struct {
	path  string
	kind  string
	lines map[int]string // added
	first int
	text  string // present content
	funcs []function
}

// function is a changed function that is no test.
type function struct {
	name, params, body string
	line               int
}

// Bounds of what workers read.
const (
	maxFuncs  = 40
	maxPlaces = 40 // of one name, in tests
)

func (s Swarm) gather(c *judge.Case) *input {
	in := &input{tests: map[string]string{}}
	for i := range s.Rules {
		s.Rules[i].Find(c.Change, func(f rule.Finding) {
			class := f.Class
			if class == "" {
				class = s.Rules[i].Class
			}
			if class == judge.Hard {
				in.static = append(in.static, Finding{f.Path, f.Line, s.Rules[i].ID, f.Evidence})
			}
		})
	}
	var names []string
	for _, f := range c.Change.Files {
		if f.After == nil || len(f.Added) == 0 {
			continue
		}
		x := file{path: f.Path, kind: string(f.Kind), lines: map[int]string{}, text: f.After.Src, first: f.Added[0].N}
		for _, l := range f.Added {
			x.lines[l.N] = l.Text
		}
		if !f.IsTest() && f.Lang != "" {
			for _, fn := range f.After.Funcs() {
				if fn.Test || !f.Touched(fn.Line, fn.End) || len(names) >= maxFuncs {
					continue
				}
				g := function{name: fn.Name, line: fn.Line, body: fn.Text()}
				for _, p := range fn.Params {
					g.params += p.Name + " " + p.Type + ", "
				}
				x.funcs = append(x.funcs, g)
				names = append(names, fn.Name)
			}
		}
		in.files = append(in.files, x)
	}
	in.readTests(c.Change, names)
	in.readDocs(c.Change)
	return in
}

// readTests collects what tests of the project say about the changed functions: the lines around each mention.
func (in *input) readTests(c *change.Change, names []string) {
	if c.Now == nil || len(names) == 0 {
		return
	}
	const around = 12
	for name, places := range c.Now.Grep(names, maxPlaces) {
		text := ""
		for _, p := range places {
			if !layout.IsTest(p.Path) {
				continue
			}
			content, ok := c.Now.Read(p.Path)
			if !ok {
				continue
			}
			text += window(string(content), p.Line, around)
		}
		in.tests[name] = text
	}
}
