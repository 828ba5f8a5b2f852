package units

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
)

func (f *File) testCases() []*Test {
	if f.Lang == "" {
		return nil
	}
	var out []*Test
	w := walker{list: f.scopes()}
	for _, t := range f.found() {
		u := &Test{Name: t.Name, From: t.From, To: t.To, Weight: t.Asserts, Weak: t.Trivial, At: t.At, file: f}
		f.describe(u, &t)
		u.First = f.TokenLine(u.Head)
		u.Line = max(t.Line, u.First)
		u.End = f.lastLine(t.From, t.To, u.Line)
		var names []string
		for _, s := range w.at(t.At) {
			if s.kind != funcScope && s.name != "" {
				names = append(names, s.name)
			}
		}
		if len(names) == 0 && f.Lang == source.Go && u.Call == "" {
			if s := f.signatures().Read(t.At, t.From); s.Owner != "" {
				names = append(names, s.Owner)
			}
		}
		u.Group = strings.Join(names, " > ")
		out = append(out, u)
	}
	return out
}

// describe fills in what stands in front of a test and in its call.
func (f *File) describe(u *Test, t *cases.Test) {
	u.Head = t.At
	if f.isCall(t) {
		u.Call = f.Text(t.At)
		switch f.Lang {
		case source.Ruby:
			open := t.At + 1
			if f.Is(open, "(") {
				open++
			}
			u.Attrs = f.rubyAttrs(open, t.To)
		case source.Kotlin, source.Scala, source.Swift:
			for k := t.At; k < t.From; k++ {
				if f.Is(k, "config") && f.Is(k+1, "(") {
					u.Attrs = f.signatures().Span(k-1, f.Close(k+1)+1)
				}
			}
			if f.Kind(t.At) == source.String {
				u.Call = ""
			}
		default:
			if f.Is(t.At-1, ".") {
				u.Head = t.At - 2
			}
			for f.Is(u.Head-1, "@") && f.Lang == source.Dart {
				u.Head--
			}
			u.Attrs = f.callAttrs(t.At, t.From-1)
		}
		return
	}
	s := f.signatures().Read(t.At, t.From)
	u.Head, u.Attrs = s.Head, s.Attrs
}

// isCall reports whether a test is a call and no declaration.
func (f *File) isCall(t *cases.Test) bool {
	switch f.Lang {
	case source.JS, source.TS, source.Dart:
		return true
	case source.PHP:
		return !f.Is(t.At-1, "function")
	case source.Ruby:
		return !f.Is(t.At-1, "def")
	case source.Kotlin:
		return !f.Is(t.At-1, "fun")
	case source.Swift:
		return !f.Is(t.At-1, "func")
	case source.Scala:
		return !f.Is(t.At-1, "def")
	}
	return false
}

// callOpen is the parenthesis with the arguments of a call whose word is token i: behind modifiers, tables and type
// arguments. It is -1 when there is none.
func (f *File) callOpen(i int) int {
	j := i + 1
	for n := 0; n < 8 && j < len(f.Tokens); n++ {
		switch {
		case f.Is(j, ".") && f.Kind(j+1) == source.Name:
			j += 2
			switch f.Text(j - 1) {
			case "each", "for", "skipIf", "runIf", "if", "todoIf", "failIf":
				if f.Kind(j) == source.String {
					j++
					continue
				}
				if k := f.angles(j); f.Is(k, "(") && f.Is(f.Close(k)+1, "(") {
					j = f.Close(k) + 1
				}
			}
		case f.Is(j, "<"):
			k := f.angles(j)
			if k == j {
				return -1
			}
			j = k
		case f.Is(j, "("):
			return j
		default:
			return -1
		}
	}
	return -1
}

// angles skips type arguments at token j.
func (f *File) angles(j int) int {
	if !f.Is(j, "<") {
		return j
	}
	depth := 0
	for k := j; k < min(j+200, len(f.Tokens)); k++ {
		switch {
		case f.Is(k, "<"):
			depth++
		case f.Is(k, ">"):
			if depth--; depth == 0 {
				return k + 1
			}
		case f.Is(k, ";"):
			return j
		}
		k = max(k, min(f.Close(k), len(f.Tokens)-1))
	}
	return j
}

// callAttrs are the modifiers between the word of a call and its arguments, and the options among those.
func (f *File) callAttrs(i, open int) string {
	var out []string
	s := f.signatures()
	for j := i + 1; j < open; j++ {
		if f.Is(j, ".") && f.Kind(j+1) == source.Name {
			to := j + 2
			if f.Is(to, "(") && to < open {
				to = f.Close(to) + 1
			}
			out = append(out, s.Span(j, min(to, open)))
			j = to - 1
		}
	}
	for n, a := range f.Args(open) {
		named := f.Kind(a[0]) == source.Name && f.Is(a[0]+1, ":") && f.Lang == source.Dart
		object := n > 0 && f.Is(a[0], "{") && f.Close(a[0]) == a[1]-1 && (f.Lang == source.JS || f.Lang == source.TS)
		if named && options(f.Text(a[0])) || object {
			out = append(out, s.Span(a[0], a[1]))
		}
	}
	return strings.Join(out, " ")
}

// options reports whether a named argument of a Dart test says how it runs; others are part of what it does.
func options(w string) bool {
	switch w {
	case "skip", "solo", "testOn", "timeout", "tags", "retry", "onPlatform", "variant", "semanticsEnabled":
		return true
	}
	return false
}

// rubyAttrs are the metadata behind the title of a block: `it "adds", skip: true do`.
func (f *File) rubyAttrs(from, to int) string {
	comma := -1
	for k := from; k < min(to, from+80, len(f.Tokens)); k++ {
		if f.Is(k, "do") || f.Is(k, "{") || f.Is(k, ")") {
			if comma >= 0 {
				return f.signatures().Span(comma+1, k)
			}
			return ""
		}
		if f.Is(k, ",") && comma < 0 {
			comma = k
		}
		k = max(k, f.Close(k))
	}
	return ""
}
