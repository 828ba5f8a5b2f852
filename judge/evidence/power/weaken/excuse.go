package weaken

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/units"
)

// context is what the whole change says about assertions that went.
type context struct {
	asserted map[string]int  // what is looked at by assertions that are new anywhere, and how often
	removed  map[string]bool // names that source files no longer declare
	changed  map[string]bool // names of functions and types of source files whose bodies changed
	came     map[string]bool // names of source files that are new
	added    map[string]bool // words of added lines of source files
	dropped  map[string]bool // words of their removed lines
	spoken   map[string]bool // words of their present texts
	helpers  map[string]bool // functions of the change that assert
	source   int             // changed source files
	depends  bool            // what the project depends on changed
}

type contextKey struct{}

func contextOf(c *change.Change, all []outcome) *context {
	return c.Once(contextKey{}, func() any { return newContext(c, all) }).(*context)
}

func newContext(c *change.Change, all []outcome) *context {
	x := &context{asserted: map[string]int{}, removed: map[string]bool{}, changed: map[string]bool{}, came: map[string]bool{}, added: map[string]bool{}, dropped: map[string]bool{}, spoken: map[string]bool{}, helpers: map[string]bool{}}
	for i := range all {
		for _, j := range all[i].fresh {
			x.asserted[claim(&all[i].pair.After.Asserts[j])]++
		}
	}
	for _, p := range pairs.Of(c) {
		if p.Before == nil {
			for _, a := range p.After.Asserts {
				x.asserted[claim(&a)]++
			}
		}
	}
	for _, f := range c.Files {
		x.depends = x.depends || manifest(f.Path)
		if f.IsTest() || f.Lang == "" && f.Kind != layout.Impl {
			continue
		}
		x.source++
		for _, l := range f.Added {
			for _, w := range change.Words(l.Text) {
				x.added[w] = true
			}
		}
		for _, l := range f.Removed {
			for _, w := range change.Words(l.Text) {
				x.dropped[w] = true
			}
		}
		now := map[string]bool{}
		if f.After != nil {
			for _, w := range change.Words(f.After.Src) {
				x.spoken[w] = true
			}
			for _, d := range f.After.Decls() {
				now[d.Name] = true
				end := f.After.TokenLine(min(d.To, len(f.After.Tokens)-1))
				if !d.Type && f.Touched(d.Line, max(end, d.Line)) {
					x.changed[d.Name] = true
				}
			}
		}
		if f.Before != nil {
			for _, d := range f.Before.Decls() {
				if !now[d.Name] {
					x.removed[d.Name] = true
				} else if !d.Type && f.TouchedOld(d.Line, f.Before.TokenLine(min(d.To, len(f.Before.Tokens)-1))) {
					x.changed[d.Name] = true
				}
				delete(now, d.Name)
			}
		}
		for name := range now {
			x.came[name] = true
		}
	}
	for name := range x.came {
		delete(x.removed, name) // it moved
	}
	for _, f := range c.Funcs() {
		if f.After != nil && (pairs.Helper(f.New, f.After) && len(f.After.File().AssertsIn(f.After.From, f.After.To)) > 0 || pairs.Asserting(f.After.Name)) {
			x.helpers[f.After.Name] = true
		}
	}
	return x
}

// excused reports whether an assertion that went has a good reason: what it looked at is asserted elsewhere, or gone.
// claim names what an assertion looks at and asks for.
func claim(a *units.Assert) string { return a.Actual + "\x00" + a.Expected }

// left counts down what is asserted elsewhere.
func (x *context) excused(o *outcome, a *units.Assert, left map[string]int) bool {
	if key := claim(a); left[key] > 0 && a.Actual != "" {
		left[key]--
		return true
	}
	for _, w := range change.Words(a.Actual + " " + a.Expected) {
		if x.removed[w] && len(w) > 2 {
			return true
		}
	}
	return x.covered(o, a)
}

// covered reports whether a new assertion of the same unit, or a new call of a helper, looks at the same thing as a whole.
func (x *context) covered(o *outcome, a *units.Assert) bool {
	root := rootOf(a.Actual)
	after := o.pair.After
	fresh := append([]int(nil), o.fresh...)
	for _, s := range o.swaps {
		fresh = append(fresh, s.now)
	}
	for _, j := range fresh {
		n := &after.Asserts[j]
		if !n.Trivial && n.Actual == a.Actual && contains(after.File, n, o.pair.Before.File, a) || !n.Trivial && len(a.Expected) >= telling && n.Expected == a.Expected && n.Strength >= a.Strength {
			return true
		}
		if n.Trivial || n.Strength != units.Unknown && n.Strength < units.Tolerance {
			continue
		}
		if root != "" && rootOf(n.Actual) == root && n.Strength != units.Tolerance || n.Strength == units.Unknown && pairs.Asserting(last(n.Callee)) {
			return true
		}
	}
	had := map[string]bool{}
	for i := o.pair.Before.From; i < o.pair.Before.To; i++ {
		had[o.pair.Before.File.Text(i)] = true
	}
	f := after.File
	for i := after.From; i < after.To; i++ {
		if w := f.Text(i); f.Is(i+1, "(") && !had[w] && (!f.Is(i-1, ".") && (w == "check" || w == "verify" || w == "ensure") || x.helpers[w] || pairs.Asserting(w) && w != "expect") {
			return true
		}
	}
	return false
}

// telling is how long an expectation must be to say what it is about.
const telling = 12

// contains reports whether a present assertion asks for a text that holds, blanks aside, the text a former one asked for.
func contains(now *units.File, n *units.Assert, old *units.File, a *units.Assert) bool {
	const least = 3
	want := strings.Join(texts(old, a), "")
	if len(want) < least {
		return false
	}
	for _, t := range texts(now, n) {
		if len(t) > len(want) && strings.Contains(t, want) {
			return true
		}
	}
	return false
}

// texts lists the string literals of an assertion without blanks.
func texts(f *units.File, a *units.Assert) []string {
	var out []string
	for i := a.From; i < a.To; i++ {
		if f.Kind(i) == source.String {
			out = append(out, squeeze(f.Unquote(i)))
		}
	}
	return out
}

// parted reports whether an assertion names something that the source no longer speaks of.
func (x *context) parted(a *units.Assert) bool {
	for _, w := range change.Words(a.Actual + " " + a.Expected) {
		if len(w) > 4 && x.dropped[w] && !x.spoken[w] {
			return true
		}
	}
	return false
}

// withdrawn reports whether an expectation names what source code no longer speaks of.
func (x *context) withdrawn(expected string) bool {
	const least = 4
	for _, w := range change.Words(expected) {
		if len(w) > least && x.dropped[w] && !x.spoken[w] {
			return true
		}
	}
	return false
}

// manifest reports whether a file says what the project depends on.
func manifest(p string) bool {
	switch base := path.Base(p); base {
	case "go.mod", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.toml", "Cargo.lock", "pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml", "pyproject.toml", "poetry.lock", "uv.lock",
		"setup.py", "setup.cfg", "pubspec.yaml", "pubspec.lock", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock":
		return true
	default:
		return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
	}
}

// last is the part behind the last dot.
func last(callee string) string {
	callee = strings.TrimSuffix(callee, "!")
	if i := strings.LastIndexAny(callee, ".:"); i >= 0 {
		return strings.TrimSpace(callee[i+1:])
	}
	return callee
}

// rootOf is the name that an expression begins with: `list` of `list [ 0 ] . name`, and of `len ( list )`.
func rootOf(expr string) string {
	words := change.Words(expr)
	for _, w := range words {
		switch w {
		case "len", "size", "await", "new", "str", "int", "list", "sorted", "set", "self", "this", "type":
			continue
		}
		if w[0] >= '0' && w[0] <= '9' {
			continue
		}
		return w
	}
	return ""
}
