package special

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func tested() rule.Rule {
	return rule.Rule{
		ID: "test-env-branch", Axis: verdict.Honesty, Class: verdict.Hard,
		What:     "shipped code that finds out whether it is being tested",
		Why:      "what the tests see is then not what users get",
		Question: "What does this branch do differently under test, and would the tests still pass without it?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, f := range c.Files {
				if code.Product(f) {
					probes(c, f, report)
				}
			}
		},
	}
}

// configures reports files whose work is to know the surroundings, or to test.
func configures(path string) bool {
	for _, w := range segments(path[strings.LastIndexByte(path, '/')+1:]) {
		switch w {
		case "config", "conf", "settings", "test", "tests", "testing", "testutil", "setup", "fixtures":
			return true
		}
	}
	return strings.HasPrefix(path, "scripts/") || strings.HasPrefix(path, "tools/") || strings.Contains(path, "testutil")
}

func probes(c *change.Change, f *change.File, report func(rule.Finding)) {
	u := f.After
	last := 0
	for i := range u.Tokens {
		line := u.TokenLine(i)
		if line == last || u.Kind(i) != source.Name || !f.Touched(line, line) {
			continue
		}
		p := probe(u, i)
		if p.word == "" || f.Before != nil && strings.Contains(f.Before.Src, p.word) && had(f.Before, p.word) {
			continue
		}
		class, fn := weigh(c, f, i, p)
		if class == "" {
			continue
		}
		last = line
		out := rule.Finding{
			Class: class, Path: f.Path, Line: line, Text: "finds out whether it is being tested (" + p.word + ")", Evidence: strings.TrimSpace(u.Lines(line, line)),
			Fix: "do the same under test as elsewhere; hand in what has to differ",
		}
		if fn.After != nil {
			text := out.Text
			out = code.Finding(fn, line, text, out.Fix)
			out.Class = class
		}
		report(out)
	}
}

// had reports whether the former file probed for the word.
func had(u *units.File, word string) bool {
	for i := range u.Tokens {
		if u.Kind(i) == source.Name {
			if p := probe(u, i); p.word == word {
				return true
			}
		}
	}
	return false
}

// weigh tells how heavy a probe is where it stands; "" for not at all.
func weigh(c *change.Change, f *change.File, i int, p found) (verdict.Class, change.FuncPair) {
	var fn change.FuncPair
	for _, q := range c.Funcs() {
		if q.New == f && q.After != nil && q.After.From <= i && i < q.After.To && (fn.After == nil || q.After.From > fn.After.From) {
			fn = q
		}
	}
	if fn.After != nil && code.InTests(fn.After) || fn.After == nil && p.word == "cfg(test)" {
		return "", fn
	}
	early := fn.After != nil && earlyExit(code.Read(fn.After), i)
	switch {
	case fn.Before != nil && early:
		return verdict.Hard, fn
	case p.weak || f.Kind == layout.Config || configures(f.Path):
		return "", fn
	case fn.Before != nil && knewTesting(fn.Before), asked(c, f):
		return verdict.Soft, fn
	case early || !elsewhere(c, f, p):
		return verdict.Hard, fn
	}
	return verdict.Soft, fn
}

// asked reports whether the change took such a question out of shipped code: then it was only written anew.
func asked(c *change.Change, f *change.File) bool {
	for _, g := range c.Files {
		if g.Before == nil || g.Lang != f.Lang || layout.Classify(g.OldPath) == layout.Test {
			continue
		}
		u := g.Before
		for i := range u.Tokens {
			if u.Kind(i) == source.Name && g.TouchedOld(u.TokenLine(i), u.TokenLine(i)) && probe(u, i).word != "" {
				return true
			}
		}
	}
	return false
}

// knewTesting reports functions that asked whether they are tested before, in other words.
func knewTesting(fn *units.Func) bool {
	u := fn.File()
	for i := fn.From; i < fn.To; i++ {
		if u.Kind(i) == source.Name && u.Is(i+1, "(") && testing(u.Text(i)) >= plain {
			return true
		}
	}
	return false
}

// earlyExit reports whether token i stands in the head of an if whose block gives a constant.
func earlyExit(b *code.Body, i int) bool {
	for k, s := range b.Stmts {
		if i < s.From || i >= s.To {
			continue
		}
		if s.Kind == code.If && k+1 < len(b.Stmts) {
			inner := b.Stmts[k+1]
			if inner.Kind == code.Return || inner.Kind == code.Throw || inner.Tail {
				from, to, ok := b.Value(inner)
				return !ok || code.Constant(b.F, from, to) || b.Identity(from, to) != ""
			}
		}
		if s.Kind == code.Return { // return probe ? a : b
			return true
		}
	}
	return false
}

// elsewhere reports whether shipped code probed for the same thing before the change: then it is a feature of the project.
func elsewhere(c *change.Change, f *change.File, p found) bool {
	words := change.Words(p.word)
	if c.Base == nil || len(words) == 0 {
		return false
	}
	key := words[len(words)-1]
	for _, w := range words {
		if len(w) > len(key) {
			key = w
		}
	}
	for _, place := range c.Base.Grep([]string{key}, 40)[key] {
		if source.Of(place.Path) != f.Lang || layout.Classify(place.Path) == layout.Test || configures(place.Path) {
			continue
		}
		u := units.Parse(place.Path, f.Lang, []byte(place.Text))
		if had(u, p.word) {
			return true
		}
	}
	return false
}
