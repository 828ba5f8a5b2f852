// Package off finds what switches tests off in one version of a file: skips, ignore and disable marks, dead blocks, build
// constraints, and marks that let a single test run alone.
//
// It knows the customs of the frameworks of fifteen languages, reads tokens and, where a language puts build constraints
// there, comments. It owns no table and no file, compares nothing and judges nothing: a switch that was always there is
// found like a new one. All functions are pure.
package off

import (
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Kind is what a switch does.
type Kind uint8

// Kinds of switches.
const (
	Skip Kind = iota + 1 // a mark or a call: the tests do not run, or may fail
	Only                 // the others do not run
	Dead                 // code that is never reached, or not compiled
)

// Guard says what a switch hangs on.
type Guard uint8

// Guards, from certain to harmless.
const (
	Always   Guard = iota // on nothing: it is on
	Env                   // on an environment variable, a build tag, a feature or a property
	Other                 // on a condition that nobody knows
	Platform              // on the system, a version, or something that must be installed
)

// Switch is one place that switches tests off. Tokens index the file's.
type Switch struct {
	Kind  Kind
	Guard Guard
	OptIn bool     // with Env: the tests run only where the variable is set
	Vars  []string // with Env: the variables, tags or features
	What  string   // as written, short: `t.Skip`, `@Disabled`, `it.only`
	Line  int
	At    int // token
	From  int // tokens of the tests that it covers: those that begin within
	To    int
	Whole bool   // the whole file
	Title string // of the call that it covers, when no runner knows its name
	Needs string // the module that must be installed, "" for none
}

// Key identifies a switch across two versions of a file.
func (s *Switch) Key() string {
	return s.What + "\x00" + strings.Join(s.Vars, ",") + string(rune('0'+s.Guard))
}

// Covers reports whether the switch holds for a test.
func (s *Switch) Covers(t *units.Test) bool {
	return s.Whole || s.From <= t.From && t.From < s.To || s.Kind != Dead && t.Head <= s.At && s.At < t.To && s.From >= t.Head
}

// reader walks over one file.
type reader struct {
	*units.File
	parent []int32 // innermost opening bracket around each token, -1 at the top
	opener []int32 // closing bracket → opening
	decls  []source.Decl
	out    []Switch
}

// Find lists the switches of a file in order.
func Find(f *units.File) []Switch {
	if f == nil || f.Lang == "" {
		return nil
	}
	r := &reader{File: f}
	r.nest()
	r.decls = f.Decls()
	switch f.Lang {
	case source.Go:
		r.goConstraint()
	case source.Rust:
		r.rustInner()
	}
	for i := range f.Tokens {
		r.token(i)
	}
	sort.SliceStable(r.out, func(a, b int) bool { return r.out[a].Line < r.out[b].Line })
	return r.out
}

// token looks at one token.
func (r *reader) token(i int) {
	if r.Kind(i) == source.Op {
		r.mark(i)
		return
	}
	if r.Kind(i) != source.Name {
		return
	}
	switch r.Lang {
	case source.Python:
		r.python(i)
	case source.Go:
		r.golang(i)
	case source.JS, source.TS:
		r.script(i)
	case source.Dart:
		r.dart(i)
	case source.Ruby:
		r.ruby(i)
	case source.Java, source.Kotlin, source.Scala:
		r.java(i)
	case source.CSharp, source.PHP, source.Swift, source.C, source.CPP:
		r.xunit(i)
	}
	r.dead(i)
}

// mark looks at operators that begin an annotation, attribute or directive.
func (r *reader) mark(i int) {
	switch r.Lang {
	case source.Python:
		if r.Is(i, "@") && r.Tokens[i].First {
			r.decorator(i)
		}
	case source.Java, source.Kotlin, source.Scala, source.Swift, source.Dart:
		if r.Is(i, "@") {
			r.annotation(i)
		}
	case source.Rust, source.PHP:
		if r.Is(i, "#") && r.Is(i+1, "[") {
			r.attribute(i, i+1)
		} else if r.Is(i, "#[") {
			r.attribute(i, i)
		}
	case source.CSharp:
		if r.Is(i, "[") && r.Tokens[i].First {
			r.attribute(i, i)
		}
		r.directive(i)
	case source.C, source.CPP:
		r.directive(i)
	}
}

// nest fills in the brackets around every token.
func (r *reader) nest() {
	r.parent, r.opener = make([]int32, len(r.Tokens)), make([]int32, len(r.Tokens))
	var stack []int32
	for i := range r.Tokens {
		for len(stack) > 0 && int(r.Match[stack[len(stack)-1]]) < i {
			stack = stack[:len(stack)-1]
		}
		r.parent[i] = -1
		if len(stack) > 0 {
			r.parent[i] = stack[len(stack)-1]
			if int(r.Match[stack[len(stack)-1]]) == i {
				r.opener[i] = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if len(stack) > 0 {
					r.parent[i] = stack[len(stack)-1]
				} else {
					r.parent[i] = -1
				}
			}
		}
		if r.Match[i] > 0 && int(r.Match[i]) < len(r.Tokens) {
			stack = append(stack, int32(i))
		}
	}
}

// add notes a switch that stands at token i.
func (r *reader) add(s Switch, i int) {
	s.At, s.Line = i, r.TokenLine(i)
	s.To = min(s.To, len(r.Tokens))
	r.out = append(r.out, s)
}

// guarded is add for a switch that hangs on a condition, as written.
func (r *reader) guarded(s Switch, i int, cond string) {
	switch c := Classify(cond); c.Guard {
	case never:
		return
	default:
		s.Guard, s.Vars, s.OptIn = c.Guard, c.Vars, c.OptIn
	}
	if cond != "" && s.Guard != Always {
		s.What += " " + cond
	}
	r.add(s, i)
}

// name reads a dotted name that begins at token i and gives it with the token after it.
func (r *reader) name(i int) (string, int) {
	start := i
	for r.Kind(i) == source.Name && (r.Is(i+1, ".") || r.Is(i+1, "::")) && r.Kind(i+2) == source.Name {
		i += 2
	}
	if r.Kind(i) != source.Name {
		return "", i
	}
	var b strings.Builder
	for k := start; k <= i; k++ {
		b.WriteString(r.Text(k))
	}
	return b.String(), i + 1
}

func last(name string) string {
	if i := strings.LastIndexAny(name, ".:\\"); i >= 0 {
		return name[i+1:]
	}
	return name
}

// decl finds the next function or type whose name stands at or after token i, and no further than the statement after it.
func (r *reader) decl(i int) (source.Decl, bool) {
	k := sort.Search(len(r.decls), func(n int) bool { return r.decls[n].At >= i })
	if k == len(r.decls) {
		return source.Decl{}, false
	}
	return r.decls[k], true
}

// around finds the innermost function whose body holds token i.
func (r *reader) around(i int) (d source.Decl, ok bool) {
	for k := sort.Search(len(r.decls), func(n int) bool { return r.decls[n].At >= i }) - 1; k >= 0; k-- {
		if c := r.decls[k]; !c.Type && c.From <= i && i < c.To {
			return c, true
		}
	}
	return d, false
}

// class finds the innermost type whose body holds token i.
func (r *reader) class(i int) (d source.Decl, ok bool) {
	for k := sort.Search(len(r.decls), func(n int) bool { return r.decls[n].At >= i }) - 1; k >= 0; k-- {
		if c := r.decls[k]; c.Type && c.From <= i && i < c.To {
			return c, true
		}
	}
	return d, false
}

// first is the first token on the line of token i.
func (r *reader) first(i int) int {
	for i > 0 && !r.Tokens[i].First {
		i--
	}
	return i
}

// within is where a call at token i reaches: the test or the function around it; a hook that runs before each test reaches
// all of its class or file.
func (r *reader) within(i int) (from, to int, whole bool) {
	d, ok := r.around(i)
	if !ok {
		return i, i + 1, false
	}
	switch d.Name {
	case "setUp", "setup", "setup_method", "setUpClass", "setUpModule", "setup_module", "setup_class", "SetUp", "SetupTest", "SetupSuite", "TestMain", "setUpAll", "beforeEach", "setUpWithError", "OneTimeSetUp":
		if c, ok := r.class(d.At); ok {
			return c.At, c.To, false
		}
		return 0, len(r.Tokens), true
	}
	return d.At, d.To, false
}
