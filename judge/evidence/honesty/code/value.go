package code

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Value is what a return statement or a block's last expression gives: tokens, empty for a bare return.
func (b *Body) Value(s Stmt) (from, to int, ok bool) {
	switch {
	case s.Kind == Return:
		return s.From + 1, s.To, true
	case s.Tail:
		return s.From, s.To, true
	}
	return 0, 0, false
}

// Work gives the statements at the top of the body that do something: no docstring, no log line, no marker of an unused
// variable, no bare pass.
func (b *Body) Work() []Stmt {
	var out []Stmt
	for i, s := range b.Stmts {
		if s.Depth > 0 || b.noise(i, s) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// Count is the number of statements that do something, those in blocks included.
func (b *Body) Count() int {
	n := 0
	for i, s := range b.Stmts {
		if !b.noise(i, s) {
			n++
		}
	}
	return n
}

func (b *Body) noise(i int, s Stmt) bool {
	f := b.F
	switch {
	case s.Kind == Pass:
		return true
	case s.Kind != Plain || s.Tail && f.Lang == source.Rust:
		return false
	case s.To == s.From+1 && f.Kind(s.From) == source.String && !s.Tail:
		return true // docstring, "use strict"
	case f.Is(s.From, "...") || f.Is(s.From, "super") && i == 0:
		return f.Is(s.From, "...")
	case f.Is(s.From, "_") && f.Is(s.From+1, "=") && b.names(s.From+2, s.To):
		return true // _ = x
	case f.Is(s.From, "let") && f.Is(s.From+1, "_") && b.names(s.From+3, s.To):
		return true
	case f.Is(s.From, "void") && b.names(s.From+1, s.To), f.Is(s.From, "del") && b.names(s.From+1, s.To):
		return true
	}
	return Logs(f, s.From, s.To)
}

// names reports whether tokens are names and commas only.
func (b *Body) names(from, to int) bool {
	for i := from; i < to; i++ {
		if b.F.Kind(i) != source.Name && !b.F.Is(i, ",") && !b.F.Is(i, "(") && !b.F.Is(i, ")") {
			return false
		}
		if b.F.Is(i, "(") && i > from && b.F.Kind(i-1) == source.Name {
			return false
		}
	}
	return from < to
}

// Logs reports whether a statement is one call that writes to a log or a stream.
func Logs(f *units.File, from, to int) bool {
	i := from
	if f.Is(i, "await") {
		i++
	}
	last := ""
	root := f.Text(i)
	for i < to && (f.Kind(i) == source.Name || f.Is(i, ".") || f.Is(i, "::") || f.Is(i, "?.") || f.Is(i, "!")) {
		if f.Kind(i) == source.Name {
			last = f.Text(i)
		}
		i++
	}
	if !f.Is(i, "(") || last == "" {
		return false
	}
	if k := f.Close(i); k != i && k+1 < to {
		return false
	}
	switch strings.ToLower(root) {
	case "log", "logger", "logging", "console", "slog", "tracing", "klog", "glog", "zap", "_log", "_logger", "print", "println", "eprintln", "debugprint", "warnings",
		"trace", "debug", "info", "warn", "nslog", "puts", "pp":
		return true
	case "system", "fmt", "self", "this", "c", "s":
		switch strings.ToLower(last) {
		case "println", "printf", "print", "debug", "info", "warn", "warning", "trace", "debugf", "infof", "warnf":
			return true
		}
	}
	return false
}

// Constant reports whether tokens are a value that depends on nothing: literals, empty collections, new objects without
// arguments, and wrappers around such.
func Constant(f *units.File, from, to int) bool {
	if from >= to {
		return true
	}
	for i := from; i < to; i++ {
		switch f.Kind(i) {
		case source.String:
			if interpolated(f, i) {
				return false
			}
		case source.Name:
			if !constantName(f, i, from, to) {
				return false
			}
		case source.Op:
			switch f.Text(i) {
			case "(", ")", "[", "]", "{", "}", ",", ".", "::", "&", "*", "-", "!", "<", ">", ":", "|", "??", "@", ">>", "=>", "?":
			case "||", "&&", "==", "+": // of constants
			default:
				return false
			}
		}
	}
	return true
}

func interpolated(f *units.File, i int) bool {
	s := f.Text(i)
	switch f.Lang {
	case source.Python:
		q := strings.IndexAny(s, `"'`)
		return q > 0 && strings.ContainsAny(s[:q], "fF") && strings.Contains(s, "{")
	case source.JS, source.TS:
		return strings.HasPrefix(s, "`") && strings.Contains(s, "${")
	case source.Dart, source.Kotlin, source.PHP:
		return strings.Contains(s, "$")
	case source.Swift:
		return strings.Contains(s, `\(`)
	case source.Ruby:
		return strings.Contains(s, "#{")
	}
	return false
}

func constantName(f *units.File, i, from, to int) bool {
	w := f.Text(i)
	if Literal(w) {
		return true
	}
	if f.Is(i-1, "as") && i > from {
		return true
	}
	called := f.Is(i+1, "(") && i+1 < to
	switch w {
	case "new", "const", "as", "any", "unknown", "never", "await", "async", "map", "make", "struct", "interface", "func", "chan", "string", "int", "int64", "int32", "uint", "float64", "byte", "bool",
		"error", "dict", "list", "set", "tuple", "frozenset", "str", "float", "bytes", "vec", "to_string", "to_owned", "into", "to_vec", "default", "empty", "emptyList", "emptyMap", "emptySet",
		"emptyIterator", "of", "resolve", "value", "asList", "completedFuture", "just", "listOf", "mapOf", "setOf", "number", "boolean", "object", "void", "dyn", "mut", "num", "double", "long",
		"success", "u8", "u16", "u32", "u64", "i32", "i64", "usize", "f64", "f32", "nullptr", "array":
		return true
	case "this", "self", "cls", "super":
		return false
	}
	if w[0] < 'A' || w[0] > 'Z' {
		// Enum.member, Vec::new(), Type{field: 1}
		switch {
		case f.Is(i-1, "::"), f.Is(i-1, ".") && i-2 >= from && upper(f.Text(i-2)):
			return !called || w == "new" || w == "empty" || w == "none" || w == "default" || w == "zero" || w == "ok"
		case f.Is(i+1, ":") && i > from: // a field's name
			return true
		case f.Is(i+1, "!") && w == "vec":
			return true
		}
		return false
	}
	if called {
		switch f.Lang {
		case source.Go:
			return false
		case source.JS, source.TS, source.Java, source.CSharp, source.PHP:
			if f.Is(i-1, ".") {
				return w == "Empty" || w == "Create"
			}
			return f.Is(i-1, "new") || w == "Symbol" || w == "Object" || w == "Array"
		}
	}
	return true
}

func upper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// Literal reports words that stand for a fixed value.
func Literal(w string) bool {
	switch w {
	case "true", "false", "nil", "null", "None", "undefined", "NULL", "nullptr", "True", "False", "Ok", "Some", "NaN", "Nil", "Unit", "Infinity", "NotImplemented", "Ellipsis":
		return true
	}
	return false
}

// Identity is the name of the parameter that tokens hand back unchanged, "" when they do not. self and this count.
func (b *Body) Identity(from, to int) string {
	f := b.F
	name := ""
	for i := from; i < to; i++ {
		switch f.Kind(i) {
		case source.String, source.Number:
			return ""
		case source.Op:
			switch f.Text(i) {
			case "(", ")", "&", "*", ".", "?.", "!", ",", "::":
			default:
				return ""
			}
			continue
		}
		w := f.Text(i)
		switch w {
		case "Ok", "Some", "clone", "to_string", "to_owned", "into", "Promise", "Future", "resolve", "value", "await", "Optional", "of", "Result", "success", "str", "String", "nil", "null":
			continue
		}
		if name != "" && name != w || !b.param(w) {
			return ""
		}
		name = w
	}
	return name
}

// Param reports whether w is a parameter of the function, or its receiver.
func (b *Body) Param(w string) bool { return b.param(w) }

func (b *Body) param(w string) bool {
	if w == "self" || w == "this" {
		return true
	}
	for _, p := range b.Fn.Params {
		if p.Name == w || strings.TrimLeft(p.Name, "*&.") == w {
			return true
		}
	}
	if len(b.Fn.Params) > 0 {
		return false
	}
	// Heads of which nothing is known but their tokens: the first bracket behind the name.
	for i := b.Fn.At + 1; i < b.Fn.From; i++ {
		if b.F.Is(i, w) && b.F.Kind(i) == source.Name {
			return true
		}
	}
	return false
}

// Silent reports whether the body does nothing but give a constant, a parameter as it came, or nothing at all.
func (b *Body) Silent() bool {
	consts := map[string]bool{}
	for _, s := range b.Work() {
		switch {
		case s.In < s.Out || s.Kind == Throw || s.Kind == Jump || s.Kind == Def:
			return false
		case s.Kind == Return || s.Tail:
			from, to, _ := b.Value(s)
			if Constant(b.F, from, to) || b.Identity(from, to) != "" || to == from+1 && consts[b.F.Text(from)] || b.literalWith(from, to, consts) {
				continue
			}
			return false
		}
		name, from, ok := b.Assigned(s)
		if !ok || !Constant(b.F, from, s.To) {
			return false
		}
		consts[name] = true
	}
	return true
}

// literalWith reports tokens that are constants but for names known to be constant, or parameters put in a literal.
func (b *Body) literalWith(from, to int, consts map[string]bool) bool {
	if len(consts) == 0 {
		return false
	}
	for i := from; i < to; i++ {
		if b.F.Kind(i) == source.Name && !consts[b.F.Text(i)] && !constantName(b.F, i, from, to) || b.F.Kind(i) == source.String && interpolated(b.F, i) {
			return false
		}
	}
	return true
}

// Assigned gives the name that a statement assigns first, and where the value begins: x = …, var x T = …, let x = ….
func (b *Body) Assigned(s Stmt) (name string, from int, ok bool) {
	f := b.F
	for i := s.From; i < s.To && i < s.From+14; i++ {
		switch {
		case f.Is(i, "=") || f.Is(i, ":="):
			if name == "" {
				return "", 0, false
			}
			return name, i + 1, true
		case f.Is(i, ":"):
			for ; i+1 < s.To && !f.Is(i+1, "="); i++ {
			}
		case f.Is(i, "("), f.Is(i, "."), f.Is(i, "["):
			return "", 0, false
		case f.Kind(i) == source.Name:
			name = f.Text(i)
		}
	}
	if f.Is(s.From, "var") || f.Is(s.From, "let") { // declared and left zero
		return f.Text(s.From + 1), s.To, true
	}
	return "", 0, false
}
