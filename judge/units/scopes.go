package units

import (
	"sort"

	"github.com/devflow-suite/devflow/internal/source"
)

// Group is a block around tests: describe, context and group blocks, Rust modules. Classes are not listed.
type Group struct {
	Name  string
	Call  string // describe, group, mod …
	Attrs string // as of Test: ".skip", "skip: 'why'"
	Head  int    // first token
	From  int    // first token of the body; for calls of the arguments
	To    int    // token after it
	Line  int
	End   int
}

// Groups lists the blocks around tests in order.
func (f *File) Groups() []Group {
	if !f.read.groups {
		f.groups, f.read.groups = f.findGroups(), true
	}
	return f.groups
}

func (f *File) findGroups() []Group {
	var out []Group
	for i := range f.Tokens {
		if f.Tokens[i].Kind != source.Name || f.Is(i-1, ".") && !f.Is(i-2, "test") && !f.Is(i-2, "RSpec") || !groupWord(f.Lang, f.Text(i)) {
			continue
		}
		if g, ok := f.group(i); ok {
			g.Line = f.TokenLine(i)
			g.End = max(f.TokenLine(min(g.To, len(f.Tokens)-1)), g.Line)
			out = append(out, g)
		}
	}
	return out
}

func groupWord(lang source.Lang, w string) bool {
	switch w {
	case "describe", "context", "suite", "fdescribe", "xdescribe", "fcontext", "xcontext", "feature":
		switch lang {
		case source.JS, source.TS, source.Ruby, source.Kotlin, source.Swift, source.PHP, source.Scala:
			return true
		}
	case "group":
		return lang == source.Dart
	case "mod":
		return lang == source.Rust
	}
	return false
}

// group reads the block whose word is token i.
func (f *File) group(i int) (Group, bool) {
	g := Group{Call: f.Text(i), Head: i}
	if f.Is(i-1, ".") {
		g.Head = i - 2
	}
	switch f.Lang {
	case source.Rust:
		if f.Kind(i+1) != source.Name || !f.Is(i+2, "{") {
			return g, false
		}
		s := f.signatures().Read(i+1, i+3)
		g.Name, g.From, g.To, g.Head, g.Attrs = f.Text(i+1), i+3, f.end(i+2), s.Head, s.Attrs
		return g, true
	case source.Ruby:
		return f.rubyGroup(g, i)
	}
	open := f.callOpen(i)
	if open < 0 {
		return g, false
	}
	g.Name, g.From, g.To = f.title(open+1), open+1, f.end(open)
	if k := f.end(open) + 1; f.Is(k, "{") && (f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala) {
		g.To = f.end(k)
	}
	g.Attrs = f.callAttrs(i, open)
	return g, g.To > g.From
}

func (f *File) rubyGroup(g Group, i int) (Group, bool) {
	if !f.Tokens[g.Head].First {
		return g, false
	}
	open := i
	if f.Is(i+1, "(") {
		open = i + 1
	}
	g.Name, g.From = f.title(open+1), i+1
	for k := i + 1; k < min(i+60, len(f.Tokens)); k++ {
		if f.Is(k, "do") {
			g.Attrs, g.To = f.rubyAttrs(open+1, k), f.BlockEnd(k)
			return g, true
		}
		if f.Tokens[k].Line > f.Tokens[i].Line+3 {
			break
		}
		k = max(k, f.end(k))
	}
	return g, false
}

// title is the text of a first argument.
func (f *File) title(i int) string {
	if f.Kind(i) == source.String {
		return f.Unquote(i)
	}
	return f.Text(i)
}

// scope is a named stretch of tokens.
type scope struct {
	name     string
	from, to int
	kind     scopeKind
}

type scopeKind uint8

const (
	typeScope scopeKind = iota
	groupScope
	funcScope
)

// scopes lists types, blocks around tests and functions in order of their beginnings.
func (f *File) scopes() []scope {
	if f.read.scopes {
		return f.scoped
	}
	f.read.scopes = true
	var out []scope
	for _, d := range f.Decls() {
		k := funcScope
		if d.Type {
			k = typeScope
		}
		if d.To > d.From {
			out = append(out, scope{d.Name, d.At, d.To, k})
		}
	}
	if f.Lang == source.Rust {
		for i := range f.Tokens {
			if f.Is(i, "impl") && (f.Tokens[i].First || f.Is(i-1, "unsafe") || f.Is(i-1, "}") || f.Is(i-1, "]")) {
				if name, open := f.implType(i); open > 0 {
					out = append(out, scope{name, i, f.end(open), typeScope})
				}
			}
		}
	}
	for _, g := range f.Groups() {
		out = append(out, scope{g.Name, g.From, g.To, groupScope})
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].from < out[b].from })
	f.scoped = out
	return out
}

// implType is the type of an impl block and its opening brace.
func (f *File) implType(i int) (name string, open int) {
	angle := 0
	for k := i + 1; k < min(i+200, len(f.Tokens)); k++ {
		switch {
		case f.Is(k, "<"):
			angle++
		case f.Is(k, ">"):
			angle--
		case angle > 0:
		case f.Is(k, "for"):
			name = ""
		case f.Is(k, "where"):
			for k < len(f.Tokens) && !f.Is(k, "{") {
				k++
			}
			return name, min(k, len(f.Tokens)-1)
		case f.Is(k, "{"):
			return name, k
		case f.Is(k, ";"):
			return "", 0
		case f.Kind(k) == source.Name && !f.Is(k, "dyn") && !f.Is(k, "mut"):
			name = f.Text(k)
		}
	}
	return "", 0
}

// walker tells which scopes are around tokens that come in rising order.
type walker struct {
	list  []scope
	stack []scope
}

// at moves to token i: the scopes around it are those on the stack, the outermost first.
func (w *walker) at(i int) []scope {
	for len(w.list) > 0 && w.list[0].from < i {
		s := w.list[0]
		w.list = w.list[1:]
		for len(w.stack) > 0 && w.stack[len(w.stack)-1].to <= s.from {
			w.stack = w.stack[:len(w.stack)-1]
		}
		w.stack = append(w.stack, s)
	}
	for len(w.stack) > 0 && w.stack[len(w.stack)-1].to <= i {
		w.stack = w.stack[:len(w.stack)-1]
	}
	return w.stack
}
