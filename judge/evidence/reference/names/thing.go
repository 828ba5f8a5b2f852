package names

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Kind is what a definition defines.
type Kind uint8

// The kinds.
const (
	Function Kind = iota
	Method
	Type
	Value   // a constant or variable at the top
	ModuleX // Rust: a module
)

// Thing is a definition that other places may refer to.
type Thing struct {
	Name     string
	Kind     Kind
	Class    string // of a method
	Line     int
	At       int
	Override bool // it stands for something of a base class, or it implements a trait
	Private  bool // nothing outside of the class or library could have defined it
	Nested   bool // inside a function: only that function sees it
}

// Things lists what the file defines for others: functions, methods, types, top-level values.
func (r *Reader) Things() []Thing {
	var out []Thing
	seen := map[int]bool{}
	for _, d := range r.decls {
		t := Thing{Name: r.Text(d.At), Line: d.Line, At: d.At}
		switch {
		case r.inner(d.At), r.overload(d.At):
			continue
		case d.Type:
			t.Kind = Type
		default:
			r.owner(&t)
			t.Private = r.private(d.At)
		}
		seen[d.At] = true
		out = append(out, t)
	}
	for i := range r.Tokens {
		if r.Tokens[i].Kind == source.Name && !seen[i] && r.value(i) {
			t := Thing{Name: r.Text(i), Kind: Value, Line: r.TokenLine(i), At: i, Private: r.private(i)}
			if c := r.ClassAt(i); c != nil && r.Lang != source.Go && r.Lang != source.Rust {
				t.Class = c.Name
			}
			if r.Lang == source.Rust && r.Is(i-1, "mod") {
				t.Kind = ModuleX
			}
			out = append(out, t)
		}
	}
	return out
}

// owner fills in the class of a function, or that it stands inside of another one.
func (r *Reader) owner(t *Thing) {
	switch r.Lang {
	case source.Go:
		if r.Is(t.At-1, ")") {
			_, t.Class = r.receiver(t.At)
			t.Kind = Method
		}
		return
	case source.JS, source.TS:
		if r.Is(t.At-1, ".") { // app.use = function
			t.Kind, t.Class = Method, r.Text(t.At-2)
			switch t.Class {
			case "prototype":
				t.Class = r.Text(t.At - 4)
			case "exports":
				t.Kind, t.Class = Function, ""
			}
			return
		}
	}
	c := r.ClassAt(t.At)
	for k := range r.decls {
		if d := &r.decls[k]; !d.Type && d.At != t.At && t.At >= d.From && t.At < d.To && (c == nil || d.From > c.From) {
			t.Nested = true
			return
		}
	}
	if c != nil {
		t.Kind, t.Class = Method, c.Name
		t.Override = c.Trait != "" || r.overrides(t.At)
		return
	}
	t.Nested = r.Parent(t.At) >= 0 && r.Lang != source.Rust && r.Lang != source.Python
}

// private reports methods that nobody outside could have given.
func (r *Reader) private(at int) bool {
	switch r.Lang {
	case source.Dart:
		return r.Text(at)[0] == '_'
	case source.Go:
		return r.Text(at)[0] >= 'a' && r.Text(at)[0] <= 'z'
	case source.Rust:
		return true
	case source.Java, source.Kotlin, source.TS, source.CSharp:
		for i := at - 1; i >= 0 && i > at-30 && !r.Is(i, ";") && !r.Is(i, "}") && !r.Is(i, "{"); i-- {
			if r.Is(i, "private") {
				return true
			}
		}
		return r.Is(at-1, "#")
	case source.JS:
		return r.Is(at-1, "#")
	}
	return false
}

// overrides reports marks of methods that stand for another one.
func (r *Reader) overrides(at int) bool {
	for i := at - 1; i >= 0 && i > at-40; i-- {
		switch {
		case r.Is(i, ";"), r.Is(i, "}"), r.Is(i, "{"):
			return false
		case r.Is(i, "@") && strings.EqualFold(r.Text(i+1), "override"), r.Is(i, "override"):
			return true
		}
	}
	return false
}

// value reports whether the name at i is a constant or variable at the top of the file.
func (r *Reader) value(i int) bool {
	p := r.Parent(i)
	switch r.Lang {
	case source.Go:
		if p < 0 {
			return (r.Is(i-1, "var") || r.Is(i-1, "const")) && r.Tokens[i-1].First
		}
		return r.Is(p, "(") && (r.Is(p-1, "var") || r.Is(p-1, "const")) && r.Parent(p) < 0 && r.Tokens[i].First
	case source.Python:
		return p < 0 && r.Tokens[i].First && r.Tokens[i].Col == 0 && (r.Is(i+1, "=") || r.Is(i+1, ":") && r.Kind(i+2) == source.Name)
	case source.JS, source.TS:
		return p < 0 && (r.Is(i-1, "const") || r.Is(i-1, "let") || r.Is(i-1, "var"))
	case source.Rust:
		return (r.Is(i-1, "const") || r.Is(i-1, "static") || r.Is(i-1, "mod")) && (p < 0 || r.Is(p, "{")) && (r.Is(i+1, ":") || r.Is(i-1, "mod")) ||
			r.Is(i-1, "!") && r.Is(i-2, "macro_rules")
	case source.Dart:
		return p < 0 && (r.Is(i+1, "=") || r.Is(i+1, ";")) && (r.Kind(i-1) == source.Name || r.Is(i-1, ">") || r.Is(i-1, "?"))
	case source.Java, source.CSharp:
		return p >= 0 && r.Is(p, "{") && r.Role(i) == Bind && (r.Is(i+1, "=") || r.Is(i+1, ";")) && r.fieldOf(i)
	}
	return false
}

// fieldOf reports whether token i stands in the body of a class and not deeper.
func (r *Reader) fieldOf(i int) bool {
	c := r.ClassAt(i)
	return c != nil && r.Parent(i) == c.From-1
}
