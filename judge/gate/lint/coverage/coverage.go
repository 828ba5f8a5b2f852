// Package coverage looks for changed code without a test, by the rules of package tdd over the pushed tree.
//
// The finder of package tdd reads a folder; the package gives it a private one with the changed files and the tests that may be about
// them, taken from the pushed commit, and removes it. The work tree is not looked at. What a push did to a file decides as it does
// elsewhere: comments, imports and declarations need no test, a rearrangement without one is a note. The package owns no table.
package coverage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
	"github.com/devflow-suite/devflow/tdd"
)

// enough failures decide: the rest of a push is not searched.
const enough = 100

// changed is an implementation file of the push that wants a test.
type changed struct {
	gitx.Change
	lang  tdd.Lang
	now   []byte
	delta tdd.Delta
}

// Check is the linter. An error is one of reading the trees or of the private folder.
func Check(ctx context.Context, in *pushed.Input) (found []pushed.Finding, skipped []string, looked int, err error) {
	g := gate{in: in, touched: map[string]bool{}}
	for _, c := range in.Written() {
		g.touched[c.Path] = true
	}
	found, err = g.collect(ctx)
	if err != nil {
		return found, nil, len(g.files), err
	}
	if len(g.files) == 0 {
		return found, nil, 0, nil
	}
	if g.dir, err = os.MkdirTemp("", "devflow-lint-"); err != nil {
		return found, nil, 0, fmt.Errorf("make a folder for tests: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(g.dir)) }()
	more, err := g.judge(ctx)
	found = append(found, more...)
	if in.Config.TestsOptional {
		for i := range found {
			found[i].Fail = false
		}
	}
	return found, nil, len(g.files), err
}

type gate struct {
	in      *pushed.Input
	files   []changed
	touched map[string]bool
	dir     string
	tests   []string // all tests of the tree
}

// collect keeps the changed files that want a test.
func (g *gate) collect(ctx context.Context) (found []pushed.Finding, err error) {
	for _, c := range g.in.Written() {
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
		if tdd.Classify(c.Path) != tdd.Impl || pushed.Vendored(c.Path) || pushed.Fixture(c.Path) || !tdd.InScope(c.Path, g.in.Config.SourceDirs) {
			continue
		}
		now, ok, err := g.in.After.Read(ctx, c.Path)
		if errors.Is(err, gitx.ErrTooLarge) {
			found = append(found, pushed.Finding{File: c.Path, Text: "too large to look for its test", Fail: true})
			continue
		}
		if err != nil {
			return found, err
		}
		old, err := g.in.Old(ctx, c)
		if err != nil {
			return found, err
		}
		if !ok || pushed.Binary(now) || pushed.Generated(c.Path, old, now) {
			continue
		}
		lang := tdd.LanguageOf(c.Path)
		delta := tdd.Compare(lang, old, now)
		if d := tdd.Judge(tdd.Edit{Rel: c.Path, Delta: delta}); d.Outcome == tdd.Pass { // whatever its test is
			continue
		}
		g.files = append(g.files, changed{c, lang, now, delta})
	}
	return found, nil
}

// judge looks at the likely tests first, which is mostly enough, and at all others for what is left.
func (g *gate) judge(ctx context.Context) ([]pushed.Finding, error) {
	for _, p := range g.in.After.Files() {
		if layout.IsTest(p) && !layout.Skipped(strings.Split(path.Dir(p), "/")) {
			g.tests = append(g.tests, p)
		}
	}
	own := make([]string, 0, len(g.files))
	for _, f := range g.files {
		own = append(own, f.Path)
	}
	if err := g.export(ctx, append(own, g.likely()...)); err != nil {
		return nil, err
	}
	found, left, err := g.round(ctx, g.files, false)
	if err != nil || len(left) == 0 {
		return found, err
	}
	if err := g.export(ctx, g.nearest(left)); err != nil {
		return found, err
	}
	more, _, err := g.round(ctx, left, true)
	return append(found, more...), err
}

// maxRead is how much of a test the finder looks at, in bytes.
const maxRead = 1 << 20

func (g *gate) export(ctx context.Context, paths []string) error {
	return pushed.Export(ctx, g.in.After, g.dir, paths, maxRead)
}

// round judges files. Unless it is the last one, those without a test that counts are left for the next.
func (g *gate) round(ctx context.Context, files []changed, last bool) (found []pushed.Finding, left []changed, err error) {
	finder := tdd.NewFinder(g.dir)
	defer func() { err = errors.Join(err, finder.Close()) }()
	failed := 0
	for i, f := range files {
		if ctx.Err() != nil {
			return found, left, context.Cause(ctx)
		}
		if failed == enough {
			found = append(found, pushed.Finding{Text: fmt.Sprintf("%d more files were not looked at", len(files)-i)})
			break
		}
		edit := tdd.Edit{Rel: f.Path, Delta: f.delta, LastRun: tdd.RunUnknown}
		edit.Test, edit.HasTest, err = finder.Find(f.Path)
		if err != nil {
			return found, left, fmt.Errorf("look for a test of %s: %w", pushed.Printable(f.Path), err)
		}
		covered := edit.HasTest && !edit.Test.Stub
		if !covered && !last {
			left = append(left, f)
			continue
		}
		if x, bad := g.say(ctx, finder, f, edit, covered); bad {
			found = append(found, x)
			if x.Fail {
				failed++
			}
		}
	}
	return found, left, nil
}

// say turns the rule's answer into a finding.
func (g *gate) say(ctx context.Context, finder *tdd.Finder, f changed, edit tdd.Edit, covered bool) (x pushed.Finding, bad bool) {
	x = pushed.Finding{File: f.Path}
	if covered {
		edit.TestChanged = g.touched[edit.Test.Path]
		edit.Untested = finder.Unmentioned(edit.Test.Path, f.delta.NewFuncs)
		if f.Status == 'A' && !edit.TestChanged && edit.Test.Path != f.Path && finder.Stranger(edit.Test.Path, f.lang, f.now) {
			x.Text = "new, and " + edit.Test.Path + " names nothing of it"
			return x, true
		}
	}
	d := tdd.Judge(edit)
	switch d.Outcome {
	case tdd.Pass:
		return x, false
	case tdd.Warn:
		x.Text = d.Why
		return x, true
	}
	if edit.HasTest {
		x.Text, x.Fail = "its test "+edit.Test.Path+" asserts nothing: add an assertion that fails without this change", true
		return x, true
	}
	if test, ok := g.through(ctx, finder, f); ok {
		x.Text = "no test of its own; " + test + " may reach it through its caller"
		return x, true
	}
	place := "a test"
	if sug := tdd.Suggest(f.Path); sug != "" {
		place = sug
	}
	x.Text, x.Fail = "no test: write "+place+" with an assertion that fails without this change", true
	return x, true
}

// maxCallers bounds the search of callers, in files.
const maxCallers = 500

// through finds a test of this push that reaches a file through its caller, as the judge of a task does: for Go a changed test of the
// package, elsewhere the changed test of a changed file that names this one.
func (g *gate) through(ctx context.Context, finder *tdd.Finder, f changed) (test string, ok bool) {
	if f.lang == source.Go {
		for _, t := range g.tests {
			if g.touched[t] && path.Dir(t) == path.Dir(f.Path) && strings.HasSuffix(t, "_test.go") {
				data, ok, err := g.in.After.Read(ctx, t)
				if err == nil && ok && tdd.HasAssertion(f.lang, data) {
					return t, true
				}
			}
		}
		return "", false
	}
	stem := layout.Stem(f.Path)
	for _, o := range g.files[:min(len(g.files), maxCallers)] {
		if o.Path == f.Path || o.lang != f.lang || !strings.Contains(string(o.now), stem) || !names(string(o.now), stem) {
			continue
		}
		found, has, err := finder.Find(o.Path)
		if err == nil && has && !found.Stub && g.touched[found.Path] {
			return found.Path, true
		}
	}
	return "", false
}

// names reports whether a text holds a word.
func names(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}
