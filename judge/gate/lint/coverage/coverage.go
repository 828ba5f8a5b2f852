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
	found tdd.Found // its test, if has
	has   bool
}

// Check is the linter. An error is one of reading the trees or of the private folder.
func Check(ctx context.Context, in *pushed.Input) (found []pushed.Finding, skipped []string, looked int, err error) {
	g := gate{in: in, touched: map[string]bool{}, covered: map[string]string{}}
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
	covered map[string]string   // changed file → its test
	tests   []string            // all tests of the tree …
	stems   map[string][]string // … by their subjects and names
	dirs    map[string][]string // … by their folders
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
		g.files = append(g.files, changed{Change: c, lang: lang, now: now, delta: delta})
	}
	return found, nil
}

// judge looks at the likely tests first, which is mostly enough, and at others for what is left.
func (g *gate) judge(ctx context.Context) (found []pushed.Finding, err error) {
	for _, p := range g.in.After.Files() {
		if layout.IsTest(p) && !layout.Skipped(strings.Split(path.Dir(p), "/")) {
			g.tests = append(g.tests, p)
		}
	}
	g.sort()
	var left []changed
	rest := len(g.files)
	for some := range slices.Chunk(g.files, group) {
		rest -= len(some)
		more, open, err := g.round(ctx, some, g.likely)
		if found = append(found, more...); err != nil {
			return found, err
		}
		more, open, err = g.round(ctx, open, func(some []changed) []string { return append(g.likely(some), g.nearest(some)...) })
		if found, left = append(found, more...), append(left, open...); err != nil {
			return found, err
		}
		if len(left) > maxUncovered {
			break
		}
	}
	failed := 0
	for i, f := range left {
		x := g.uncovered(ctx, f)
		if x.Text == "" {
			continue
		}
		found = append(found, x)
		if x.Fail {
			failed++
		}
		if failed == enough {
			rest += len(left) - i - 1
			break
		}
	}
	if rest > 0 {
		found = append(found, pushed.Finding{Text: fmt.Sprintf("%d more files were not looked at", rest), Fail: failed < enough})
	}
	return found, nil
}

// Bounds of the search, in files.
const (
	maxUncovered = 500 // without a test: more are not looked for
	group        = 512 // searched to the end before the next ones
	batch        = 64  // looked at in one private folder: listing a folder costs time for each file in it
)

// maxRead is how much of a test the finder looks at, in bytes.
const maxRead = 1 << 20

// round looks for the tests of files among those that pick names. Files without a test that counts are left over.
func (g *gate) round(ctx context.Context, files []changed, pick func([]changed) []string) (found []pushed.Finding, left []changed, err error) {
	for some := range slices.Chunk(files, batch) {
		more, rest, err := g.inFolder(ctx, some, pick(some))
		found, left = append(found, more...), append(left, rest...)
		if err != nil {
			return found, left, err
		}
	}
	return found, left, nil
}

func (g *gate) inFolder(ctx context.Context, files []changed, tests []string) (found []pushed.Finding, left []changed, err error) {
	dir, err := os.MkdirTemp("", "devflow-lint-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for tests: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	paths := slices.Clone(tests)
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if err := pushed.Export(ctx, g.in.After, dir, paths, maxRead); err != nil {
		return nil, nil, err
	}
	finder := tdd.NewFinder(dir)
	defer func() { err = errors.Join(err, finder.Close()) }()
	for _, f := range files {
		if ctx.Err() != nil {
			return found, left, context.Cause(ctx)
		}
		if f.found, f.has, err = finder.Find(f.Path); err != nil {
			return found, left, fmt.Errorf("look for a test of %s: %w", pushed.Printable(f.Path), err)
		}
		if !f.has || f.found.Stub {
			left = append(left, f)
			continue
		}
		g.covered[f.Path] = f.found.Path
		if x, bad := g.thin(finder, f); bad {
			found = append(found, x)
		}
	}
	return found, left, nil
}

// thin notes what is doubtful about the test of a file that has one.
func (g *gate) thin(finder *tdd.Finder, f changed) (x pushed.Finding, bad bool) {
	x = pushed.Finding{File: f.Path}
	edit := tdd.Edit{Rel: f.Path, Delta: f.delta, Test: f.found, HasTest: true, TestChanged: g.touched[f.found.Path], LastRun: tdd.RunUnknown}
	edit.Untested = finder.Unmentioned(f.found.Path, f.delta.NewFuncs)
	if f.Status == 'A' && !edit.TestChanged && f.found.Path != f.Path && finder.Stranger(f.found.Path, f.lang, f.now) {
		x.Text = "new, and " + f.found.Path + " names nothing of it"
		return x, true
	}
	if d := tdd.Judge(edit); d.Outcome == tdd.Warn {
		x.Text = d.Why
		return x, true
	}
	return x, false
}

// uncovered says what the rule says of a file without a test that counts.
func (g *gate) uncovered(ctx context.Context, f changed) pushed.Finding {
	x := pushed.Finding{File: f.Path}
	switch d := tdd.Judge(tdd.Edit{Rel: f.Path, Delta: f.delta, Test: f.found, HasTest: f.has, LastRun: tdd.RunUnknown}); d.Outcome {
	case tdd.Pass:
		return x
	case tdd.Warn:
		x.Text = d.Why
		return x
	}
	if f.has {
		x.Text, x.Fail = "its test "+f.found.Path+" asserts nothing: add an assertion that fails without this change", true
		return x
	}
	if test, ok := g.through(ctx, f); ok {
		x.Text = "no test of its own; " + test + " may reach it through its caller"
		return x
	}
	place := "a test"
	if sug := tdd.Suggest(f.Path); sug != "" {
		place = sug
	}
	x.Text, x.Fail = "no test: write "+place+" with an assertion that fails without this change", true
	return x
}

// maxCallers bounds the search of callers, in files.
const maxCallers = 500

// through finds a test of this push that reaches a file through its caller, as the judge of a task does: for Go a changed test of the
// package, elsewhere the changed test of a changed file that names this one.
func (g *gate) through(ctx context.Context, f changed) (test string, ok bool) {
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
		if test := g.covered[o.Path]; g.touched[test] {
			return test, true
		}
	}
	return "", false
}

// names reports whether a text holds a word.
func names(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}
