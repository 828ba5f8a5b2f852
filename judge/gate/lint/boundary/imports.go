package boundary

import (
	"go/parser"
	"go/token"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// ref is one import of a file.
type ref struct {
	line  int
	spec  string   // as it is written: a path, a dotted name, a Rust path
	names []string // Python: what is imported from it
	level int      // Python: leading dots
	types bool     // of types only: nothing is left of it when the program runs
}

// imports lists the imports of a file.
func imports(lang source.Lang, src []byte) []ref {
	switch lang {
	case source.Go:
		return goImports(src)
	case source.JS, source.TS:
		return scriptImports(source.Lex(lang, src))
	case source.Dart:
		return dartImports(source.Lex(lang, src))
	case source.Python:
		return pythonImports(source.Lex(lang, src))
	case source.Java, source.Kotlin:
		return dottedImports(source.Lex(lang, src))
	case source.Swift:
		return swiftImports(source.Lex(lang, src))
	case source.Rust:
		return rustImports(source.Lex(lang, src))
	}
	return nil
}

func goImports(src []byte) (out []ref) {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", src, parser.ImportsOnly) // what is broken is the matter of another linter
	if f == nil {
		return nil
	}
	for _, s := range f.Imports {
		out = append(out, ref{line: set.Position(s.Pos()).Line, spec: strings.Trim(s.Path.Value, "\"`")})
	}
	return out
}

// literal is the text of a string without holes.
func literal(x *source.File, i int) (string, bool) {
	if x.Kind(i) != source.String {
		return "", false
	}
	s := x.Unquote(i)
	return s, s != "" && !strings.Contains(s, "${") && !strings.ContainsAny(s, "\n\x00")
}

// maxClause bounds what lies between import and from, in tokens.
const maxClause = 4000

func scriptImports(x *source.File) (out []ref) {
	add := func(i int, types bool) {
		if s, ok := literal(x, i); ok {
			s, _, _ = strings.Cut(s, "?") // ./x.svg?raw
			if _, after, ok := strings.Cut(s, "!"); ok {
				s = after // loaders
			}
			out = append(out, ref{line: int(x.Tokens[i].Line), spec: s, types: types})
		}
	}
	for i := range x.Tokens {
		if x.Is(i-1, ".") {
			continue
		}
		switch {
		case x.Is(i, "require") && x.Is(i+1, "(") && (x.Is(i+3, ")") || x.Is(i+3, ",")):
			add(i+2, false)
		case x.Is(i, "require") && x.Is(i+1, ".") && x.Is(i+2, "resolve") && x.Is(i+3, "("):
			add(i+4, false)
		case x.Is(i, "import") && x.Is(i+1, "("):
			add(i+2, x.Lang == source.TS && x.Is(i+3, ")") && x.Is(i+4, ".") && typePlace(x, i-1))
		case x.Is(i, "import") && x.Kind(i+1) == source.String:
			add(i+1, false)
		case x.Is(i, "import"), x.Is(i, "export") && (x.Is(i+1, "*") || x.Is(i+1, "{") || x.Is(i+1, "type")):
			if from := clause(x, i+1); from > 0 {
				add(from+1, onlyTypes(x, i+1, from))
			}
		}
	}
	return out
}

// typePlace reports tokens behind which a type stands.
func typePlace(x *source.File, i int) bool {
	switch x.Text(i) {
	case ":", "<", "|", "&", "typeof", "as", "extends", "implements", "keyof", "satisfies":
		return x.Kind(i) != source.String
	}
	return x.Is(i, "=") && x.Is(i-2, "type") // type X = import("./x").X
}

// clause finds the `from` of an import or export that begins at token i, 0 if it has none.
func clause(x *source.File, i int) int {
	for j := i; j < len(x.Tokens) && j < i+maxClause; j++ {
		switch {
		case x.Is(j, "from") && x.Kind(j+1) == source.String:
			return j
		case x.Kind(j) == source.String, x.Is(j, ";"), x.Is(j, "("), x.Is(j, "="), x.Is(j, "=>"), j > i && (x.Is(j, "import") || x.Is(j, "export")):
			return 0
		}
	}
	return 0
}

// onlyTypes reports import type X from, and import { type A, type B } from.
func onlyTypes(x *source.File, i, from int) bool {
	if x.Is(i, "type") && i+1 < from && !x.Is(i+1, ",") {
		return true
	}
	if !x.Is(i, "{") {
		return false
	}
	some := false
	for j := i; j < from && !x.Is(j, "}"); j++ {
		if (x.Is(j, "{") || x.Is(j, ",")) && !x.Is(j+1, "}") {
			if !x.Is(j+1, "type") || x.Is(j+2, ",") || x.Is(j+2, "}") || x.Is(j+2, "as") && !x.Is(j+3, "as") && (x.Is(j+4, ",") || x.Is(j+4, "}")) {
				return false
			}
			some = true
		}
	}
	return some
}

func dartImports(x *source.File) (out []ref) {
	for i := range x.Tokens {
		if !x.Tokens[i].First || !x.Is(i, "import") && !x.Is(i, "export") && !x.Is(i, "part") || x.Kind(i+1) != source.String {
			continue
		}
		for j := i + 1; j < len(x.Tokens) && j < i+maxClause && !x.Is(j, ";"); j++ {
			if x.Tokens[j].First && (x.Is(j, "import") || x.Is(j, "export")) {
				break
			}
			if s, ok := literal(x, j); ok && (j == i+1 || x.Is(j-1, ")")) { // `if (dart.library.io) 'x.dart'` too
				out = append(out, ref{line: int(x.Tokens[j].Line), spec: s})
			}
		}
	}
	return out
}

func pythonImports(x *source.File) (out []ref) {
	typing := int32(-1) // column of an open `if TYPE_CHECKING:`
	for i := range x.Tokens {
		t := &x.Tokens[i]
		if x.Is(i, "import_module") && x.Is(i+1, "(") {
			if s, ok := literal(x, i+2); ok && x.Is(i+3, ")") {
				out = append(out, ref{line: int(t.Line), spec: s})
			}
		}
		if !t.First && !x.Is(i-1, ";") && !x.Is(i-1, ":") {
			continue
		}
		if t.First && typing >= 0 && t.Col <= typing {
			typing = -1
		}
		switch {
		case x.Is(i, "if") && (x.Is(i+1, "TYPE_CHECKING") && x.Is(i+2, ":") || x.Is(i+2, ".") && x.Is(i+3, "TYPE_CHECKING") && x.Is(i+4, ":")):
			typing = t.Col
		case x.Is(i, "import"):
			for j := i + 1; ; {
				name, next := dotted(x, j)
				if name == "" {
					break
				}
				out = append(out, ref{line: int(t.Line), spec: name, types: typing >= 0})
				if x.Is(next, "as") {
					next += 2
				}
				if !x.Is(next, ",") {
					break
				}
				j = next + 1
			}
		case x.Is(i, "from"):
			if r, ok := pythonFrom(x, i); ok {
				r.types = typing >= 0
				out = append(out, r)
			}
		}
	}
	return out
}

func pythonFrom(x *source.File, i int) (r ref, ok bool) {
	r.line = int(x.Tokens[i].Line)
	j := i + 1
	for x.Kind(j) == source.Op && strings.Trim(x.Text(j), ".") == "" {
		r.level += len(x.Text(j))
		j++
	}
	if !x.Is(j, "import") {
		r.spec, j = dotted(x, j)
	}
	if !x.Is(j, "import") || r.spec == "" && r.level == 0 {
		return r, false
	}
	many := x.Is(j+1, "(")
	for k := j + 1; k < len(x.Tokens) && k < j+maxClause && !x.Is(k, ")"); k++ {
		if k > j+1 && (!many && x.Tokens[k].First && !x.Is(k-1, ",") || x.Is(k, "import") || x.Is(k, "from")) {
			break
		}
		if x.Kind(k) == source.Name && (x.Is(k-1, "import") || x.Is(k-1, "(") || x.Is(k-1, ",")) {
			r.names = append(r.names, x.Text(k))
		}
	}
	return r, true
}

// dotted reads a.b.c at token i and gives the token behind it.
func dotted(x *source.File, i int) (name string, next int) {
	if x.Kind(i) != source.Name {
		return "", i
	}
	name = x.Text(i)
	for i++; x.Is(i, ".") && x.Kind(i+1) == source.Name; i += 2 {
		name += "." + x.Text(i+1)
	}
	return name, i
}

func dottedImports(x *source.File) (out []ref) {
	for i := range x.Tokens {
		if !x.Tokens[i].First || !x.Is(i, "import") {
			continue
		}
		j := i + 1
		if x.Is(j, "static") {
			j++
		}
		if name, _ := dotted(x, j); strings.Contains(name, ".") {
			out = append(out, ref{line: int(x.Tokens[i].Line), spec: name})
		}
	}
	return out
}

func swiftImports(x *source.File) (out []ref) {
	for i := range x.Tokens {
		if !x.Is(i, "import") || !x.Tokens[i].First && !strings.HasPrefix(x.Text(i-1), "@") && !x.Is(i-2, "@") {
			continue
		}
		j := i + 1
		switch x.Text(j) {
		case "struct", "class", "enum", "protocol", "func", "var", "let", "typealias":
			j++
		}
		if name, _ := dotted(x, j); name != "" {
			out = append(out, ref{line: int(x.Tokens[i].Line), spec: name})
		}
	}
	return out
}

// rustImports lists the paths of use declarations, and those in code, that begin with crate, self or super.
func rustImports(x *source.File) (out []ref) {
	for i := 0; i < len(x.Tokens); i++ {
		if !x.Is(i, "crate") && !x.Is(i, "super") && !x.Is(i, "self") || !x.Is(i+1, "::") || x.Is(i-1, "::") {
			continue
		}
		if x.Is(i, "self") && !x.Is(i-1, "use") && !x.Is(i-1, "{") && !x.Is(i-1, ",") {
			continue
		}
		paths, next := rustTree(x, i, 0)
		for _, p := range paths {
			out = append(out, ref{line: int(x.Tokens[i].Line), spec: p})
		}
		i = max(next-1, i)
	}
	return out
}

// maxTree bounds the nesting of braces, and the paths, of one use.
const maxTree, maxPaths = 16, 2000

// rustTree expands a::{b, c::d} at token i and gives the token behind it.
func rustTree(x *source.File, i, depth int) (paths []string, next int) {
	head := ""
	for x.Kind(i) == source.Name {
		if head += x.Text(i); !x.Is(i+1, "::") {
			return []string{head}, i + 1
		}
		head += "::"
		i += 2
	}
	head = strings.TrimSuffix(head, "::")
	if !x.Is(i, "{") || depth == maxTree {
		return []string{head}, i + 1
	}
	for i++; i < len(x.Tokens) && !x.Is(i, "}"); {
		sub, after := rustTree(x, i, depth+1)
		for _, s := range sub {
			if len(paths) < maxPaths {
				paths = append(paths, strings.TrimSuffix(head+"::"+s, "::"))
			}
		}
		for i = max(after, i+1); i < len(x.Tokens) && !x.Is(i, ",") && !x.Is(i, "}") && !x.Is(i, ";"); i++ {
		}
		if x.Is(i, ";") {
			return paths, i
		}
		if x.Is(i, ",") {
			i++
		}
	}
	return paths, i + 1
}
