// Package lend shows workers and their checks the dependency folders of the person's project: node_modules, .venv, vendor and the
// like. Git ignores them, so a work tree does not have them, and without a network nobody can make them again.
//
// A folder is lent, never copied: under bwrap it is mounted read-only at its place in the work tree, on an empty folder, and at its
// own place besides, because the scripts of a Python environment name that. Under landlock, and without a confinement, a symbolic
// link stands in the tree, but only where git ignores a link of that name too, so that it can never be committed. The kernel keeps
// whoever borrows from writing, except without a confinement. Nothing of a folder is walked through or read, but for the files in
// which some tools keep passwords: a folder with one stays out.
//
// It owns the empty folders and the links that it makes in work trees, and no table. It never writes in the person's project.
package lend

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
)

// Options say what is lent to whom.
type Options struct {
	Project shape.Project
	Modules []string       // the plan's folders, slash paths below the project's; known names are looked for in each
	Paths   []string       // more folders, slash paths below the project's
	Kind    sandbox.Kind   // of the confinement
	Visible []sandbox.Bind // what the borrowers may read besides
	Tell    func(string)   // told once why a folder is not lent, one sentence; nil = nobody
}

// Shelf lends the folders of one project. It may be used from many goroutines.
type Shelf struct {
	o     Options
	dirs  []string // where known names are looked for, slash paths below the top; "" = the top
	named []string // Options.Paths below the top

	mu    sync.Mutex
	notes []string
}

// Loan is what a borrower gets besides everything else.
type Loan struct {
	ReadOnly  []sandbox.Bind
	ReadWrite []sandbox.Bind // private folders where tools keep caches inside of a dependency folder
	Made      bool           // a folder to mount on was not there before: who was started earlier does not see the loan
}

// Modules are the folders of a plan.
func Modules(p orchestrator.Plan) []string {
	var list []string
	for _, m := range p.Modules {
		list = append(list, m.Path)
	}
	return list
}

// New makes a shelf. Nothing is looked at before Show.
func New(o Options) *Shelf {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	s := &Shelf{o: o}
	add := func(dir string) {
		if dir == "." {
			dir = ""
		}
		if !slices.Contains(s.dirs, dir) {
			s.dirs = append(s.dirs, dir)
		}
	}
	for _, m := range append([]string{"."}, o.Modules...) {
		if !filepath.IsLocal(m) {
			continue
		}
		for dir := path.Join(o.Project.Prefix, m); ; dir = path.Dir(dir) { // tools look for packages upwards
			add(dir)
			if dir == "." || dir == "" {
				break
			}
		}
	}
	slices.Sort(s.dirs)
	for _, p := range o.Paths {
		s.named = append(s.named, path.Join(o.Project.Prefix, filepath.ToSlash(p)))
	}
	return s
}

// Notes are what a person should know about folders that were not lent, one sentence each.
func (s *Shelf) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

// note keeps and tells a sentence once.
func (s *Shelf) note(sentence string) {
	s.mu.Lock()
	known := slices.Contains(s.notes, sentence)
	if !known {
		s.notes = append(s.notes, sentence)
	}
	s.mu.Unlock()
	if !known {
		s.o.Tell(sentence)
	}
}

// Show prepares the work tree whose project folder is root, and gives what a command there may see besides. A folder that cannot be
// lent is left out with a note; an error says that ctx has ended or that nothing could be looked at. scratch is a folder for private
// caches that no borrower can write otherwise; "" = none are made.
func (s *Shelf) Show(ctx context.Context, root, scratch string) (Loan, error) {
	found, err := s.find(ctx)
	if err != nil || len(found) == 0 && s.o.Kind == sandbox.Bwrap {
		return Loan{}, err
	}
	t, err := s.enter(root)
	if err != nil {
		return Loan{}, err
	}
	defer t.close()
	if s.o.Kind == sandbox.Bwrap {
		return s.mount(t, found, scratch), nil
	}
	return s.link(ctx, t, found)
}

// Lend is Show in the form of verify.Lend.
func (s *Shelf) Lend(ctx context.Context, root, scratch string) (read, write []sandbox.Bind, err error) {
	l, err := s.Show(ctx, root, scratch)
	return l.ReadOnly, l.ReadWrite, err
}

// Tidy takes links away that git has begun to see, because a worker has changed what is ignored. Without a confinement that uses
// links it does nothing. What it cannot do, the audit of the tree will say.
func (s *Shelf) Tidy(ctx context.Context, root string) {
	if s.o.Kind != sandbox.Bwrap {
		_, _ = s.Show(ctx, root, "") // see above
	}
}

// inside reports whether a slash path is dir or below it; "" holds everything.
func inside(p, dir string) bool {
	return p == dir || dir == "" || strings.HasPrefix(p, dir+"/")
}
