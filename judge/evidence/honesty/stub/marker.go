package stub

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func marker() rule.Rule {
	return rule.Rule{
		ID: "stub-marker", Axis: verdict.Honesty, Class: verdict.Hard,
		What: "a body that worked was replaced by a marker such as todo!() or NotImplementedError",
		Why:  "what callers relied on now fails at run time, or is silently skipped",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before == nil {
					fresh(p, report)
					continue
				}
				replaced(c, p, report)
			}
		},
	}
}

const implement = "restore the implementation, or finish it in this change"

func replaced(c *change.Change, p change.FuncPair, report func(rule.Finding)) {
	before, after := code.Read(p.Before), code.Read(p.After)
	if before.Count() == 0 || before.Silent() || mark(before) != none {
		return
	}
	m, at := strongest(after)
	if m == none {
		return
	}
	whole := len(after.Work()) == 1
	switch {
	case !whole && after.Stmts[at].Depth > 0:
		branch(p, before, after, report)
		return
	case !whole && had(before, after, at):
		return
	case abstract(p.After) || code.Moved(c, p):
		return
	}
	f := code.Finding(p, after.Stmts[at].Line, "its body is now only a marker that says it is not implemented", implement)
	switch {
	case m == throws:
		f.Text = code.Label(p.After) + ": its body is gone; it now always fails"
		f.Class = verdict.Soft
	case code.Withdrawn(c, p):
		f.Class = verdict.Soft
	}
	report(f)
}

// branch finds a marker in a branch of a function, where statements went.
func branch(p change.FuncPair, before, after *code.Body, report func(rule.Finding)) {
	if after.Count() >= before.Count() || p.Similar < 0.3 {
		return
	}
	for i, s := range after.Stmts {
		if m := classify(after.F, s); m == named && !had(before, after, i) && p.New.Touched(s.Line, s.End) {
			f := code.Finding(p, s.Line, "a branch of it is now a marker that says it is not implemented", implement)
			f.Class = verdict.Soft
			report(f)
			return
		}
	}
}

// fresh finds markers in new functions of concrete types.
func fresh(p change.FuncPair, report func(rule.Finding)) {
	after := code.Read(p.After)
	m, at := strongest(after)
	if m != named || len(after.Work()) != 1 || abstract(p.After) || optional(p) {
		return
	}
	f := code.Finding(p, after.Stmts[at].Line, "new, and nothing but a marker that says it is not implemented", "implement it, or leave it out")
	f.Class = verdict.Soft
	report(f)
}

// weight of a marker.
type weight uint8

const (
	none   weight = iota
	throws        // always fails, and says something else
	named         // says that it is not implemented
)

// strongest is the heaviest marker among the statements at the top, or else in a branch, and where it is.
func strongest(b *code.Body) (w weight, at int) {
	for i, s := range b.Stmts {
		if s.Depth == 0 {
			if m := classify(b.F, s); m > w {
				w, at = m, i
			}
		}
	}
	if w == named || w == throws && len(b.Work()) == 1 {
		return w, at
	}
	for i, s := range b.Stmts {
		if m := classify(b.F, s); m == named && s.Depth > 0 {
			return m, i
		}
	}
	return none, 0
}

func mark(b *code.Body) weight {
	if len(b.Work()) != 1 {
		return none
	}
	w, _ := strongest(b)
	return w
}

// longestMarker bounds a statement that is nothing but a marker, in tokens: a longer one, such as a value with functions in it, does
// something.
const longestMarker = 40

// classify tells what a statement marks.
func classify(f *units.File, s code.Stmt) weight {
	if s.To-s.From > longestMarker {
		return none
	}
	fails := s.Kind == code.Throw
	if !fails {
		value := s.From
		switch {
		case s.Kind == code.Return:
			value++
		case s.Kind == code.Plain && (f.Is(s.From, "unimplemented") || f.Is(s.From, "todo")) && f.Is(s.From+1, "!"):
			return named
		case s.Kind == code.Plain && s.Tail:
		default:
			return none
		}
		if !failing(f, value, s.To) {
			return none
		}
	}
	for i := s.From; i < s.To; i++ {
		switch f.Kind(i) {
		case source.Name:
			w := f.Text(i)
			if strings.Contains(w, "NotImplemented") || strings.Contains(w, "Unimplemented") || strings.Contains(w, "NotYet") || w == "todo" && f.Is(i+1, "!") || w == "unimplemented" && f.Is(i+1, "!") || w == "TODO" {
				return named
			}
			if bare(f, i, s.To) && (w == "UnsupportedOperationException" || w == "UnsupportedError" || w == "NotSupportedException") {
				return named
			}
		case source.String:
			if Unfinished(f.Unquote(i)) {
				return named
			}
		}
	}
	if fails {
		return throws
	}
	return none
}

func bare(f *units.File, i, to int) bool {
	return i+1 >= to || f.Is(i+1, "(") && f.Close(i+1) == i+2
}

// failing reports whether a value is an error: errors.New(…), Err(…), Promise.reject(…), Future.error(…).
func failing(f *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		switch f.Text(i) {
		case "throw", "Err", "reject", "Errorf", "todo", "unimplemented", "TODO", "failedFuture":
			return true
		case "New", "error", "failure":
			if f.Is(i-1, ".") {
				return true
			}
		}
		if f.Kind(i) == source.Name && strings.Contains(f.Text(i), "NotImplemented") {
			return true
		}
	}
	return false
}

// Unfinished reports words that say that something is not done.
func Unfinished(text string) bool {
	t := strings.ToLower(text)
	for _, w := range [...]string{
		"not implemented", "unimplemented", "notimplemented", "not yet", "implement me", "to be implemented", "to be done", "to be written", "coming soon", "placeholder",
		"work in progress", "missing implementation", "implementation pending", "implementation missing", "implementation goes here", "needs implementation", "needs to be implemented",
		"unfinished", "not finished", "not done", "not ready", "implement this", "finish this", "finish me", "no implementation", "implement later", "implemented later", "left as an exercise",
	} {
		if strings.Contains(t, w) {
			return true
		}
	}
	for _, w := range strings.FieldsFunc(t, func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch w {
		case "todo", "nyi", "tbd", "wip", "fixme", "stub", "stubbed":
			return true
		}
	}
	return false
}

// had reports whether the same statement stood in the former body.
func had(before, after *code.Body, at int) bool {
	text := after.F.Norm(after.Stmts[at].From, after.Stmts[at].To)
	for _, s := range before.Stmts {
		if before.F.Norm(s.From, s.To) == text {
			return true
		}
	}
	return false
}

// abstract reports functions that are meant to have no body of their own.
func abstract(fn *units.Func) bool {
	head := fn.Attrs
	f := fn.File()
	for i := fn.Head; i < fn.From && i >= 0; i++ {
		if f.Is(i, "abstract") {
			return true
		}
	}
	return strings.Contains(head, "overload") || strings.Contains(head, "abstract")
}

// optional reports new functions that say no on behalf of others: interfaces, bases, fakes, platforms without the feature.
func optional(p change.FuncPair) bool {
	for _, w := range [...]string{"noop", "null", "fake", "mock", "stub", "dummy", "base", "abstract", "interface", "protocol", "unsupported", "empty", "unimplemented", "mixin", "example"} {
		if strings.Contains(strings.ToLower(p.After.Class), w) || strings.Contains(strings.ToLower(p.After.Name), w) || strings.Contains(strings.ToLower(pathBase(p.New.Path)), w) {
			return true
		}
	}
	f := p.After.File()
	for _, c := range f.Comments() {
		if c.Line > 20 {
			break
		}
		if strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "// +build") {
			return true
		}
	}
	return inAbstract(p.After)
}

func pathBase(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// inAbstract reports whether the type around a function is one that others fill in: abstract class, interface, trait,
// protocol, ABC.
func inAbstract(fn *units.Func) bool {
	f := fn.File()
	for i := fn.At - 1; i >= 0; i-- {
		switch f.Text(i) {
		case "interface", "trait", "protocol", "mixin":
			if encloses(f, i, fn) {
				return true
			}
		case "class":
			if !encloses(f, i, fn) {
				continue
			}
			if f.Is(i-1, "abstract") || f.Is(i-2, "abstract") || f.Is(i-1, "sealed") || f.Is(i-1, "open") {
				return true
			}
			for j := i + 1; j < i+30 && !f.Is(j, "{") && !(f.Is(j, ":") && f.Lang == source.Python); j++ {
				if w := f.Text(j); w == "ABC" || w == "ABCMeta" || w == "Protocol" {
					return true
				}
			}
			return usesAbstract(f, i)
		}
	}
	return false
}

// usesAbstract reports whether several methods of Python's class at i raise NotImplementedError: a base by custom.
func usesAbstract(f *units.File, i int) bool {
	if f.Lang != source.Python {
		return false
	}
	methods, markers := 0, 0
	for j := i + 1; j < len(f.Tokens); j++ {
		if f.Tokens[j].First && f.Tokens[j].Col <= f.Tokens[i].Col && !f.Is(j, ")") {
			break
		}
		switch f.Text(j) {
		case "def":
			methods++
		case "NotImplementedError":
			markers++
		}
	}
	return markers > 1 || markers == 1 && methods <= 2
}

func encloses(f *units.File, i int, fn *units.Func) bool {
	if f.Lang == source.Python {
		return f.Tokens[i].First && f.Tokens[i].Col < f.Tokens[max(fn.At-1, 0)].Col
	}
	for j := i + 1; j < len(f.Tokens) && j < i+80; j++ {
		if f.Is(j, "{") {
			return f.Close(j) > fn.At
		}
		if f.Is(j, ";") {
			return false
		}
	}
	return false
}
