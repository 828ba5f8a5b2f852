// Package compare tells what an edit did to a source file: nothing that runs, only imports, a rearrangement, or new code.
//
// It compares tokens, so that comments and layout do not matter, and is fail-safe: what it does not understand is new code. It owns
// no table and no file. All functions are pure and safe for concurrent use.
package compare

import (
	"bytes"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Change is what an edit did to a file.
type Change string

// Changes, from nothing to everything.
const (
	NoChange    Change = "none"        // comments, docstrings, blanks, formatting
	ImportsOnly Change = "imports"     // and import statements
	Declares    Change = "declaration" // types, interfaces, constants in a file in which nothing runs
	Refactor    Change = "refactor"    // removed, renamed, moved or rearranged: no new function, branch, literal, operation or call
	Code        Change = "code"        // anything else
)

// Delta is a comparison of two versions of a file.
type Delta struct {
	Change   Change
	NewFuncs []string // functions that were not there before, renamed ones excepted
	Gone     []string // functions that are there no more, renamed ones excepted
	Added    int      // tokens, imports not counted
	Removed  int
	Branches int // branches after minus before
}

// Compare tells what an edit did. before is nil or empty for a new file, after for a deleted one. Files longer than source.MaxSize are compared byte by byte.
func Compare(lang source.Lang, before, after []byte) Delta {
	if bytes.Equal(before, after) {
		return Delta{Change: NoChange}
	}
	if lang == "" || len(before) > source.MaxSize || len(after) > source.MaxSize {
		if bytes.Equal(bytes.Join(bytes.Fields(before), nil), bytes.Join(bytes.Fields(after), nil)) {
			return Delta{Change: NoChange}
		}
		return Delta{Change: Code}
	}
	a, b := readVersion(lang, before), readVersion(lang, after)
	d := Delta{Branches: b.branches - a.branches}
	d.NewFuncs, d.Gone = difference(b.funcs, a.funcs), difference(a.funcs, b.funcs)
	switch {
	case a.equal(b, true):
		d.Change = NoChange
		return d
	case a.equal(b, false):
		d.Change = ImportsOnly
		return d
	}
	added, removed := tally(a, b)
	for _, n := range added {
		d.Added += n
	}
	for _, n := range removed {
		d.Removed += n
	}
	d.Change = Code
	switch {
	case !a.runs && !b.runs:
		d.Change = Declares
	case renamed(a, b):
		d.Change, d.NewFuncs, d.Gone = Refactor, nil, nil
	case d.Added == 0 && d.Removed == 0:
		if len(difference(b.lines, a.lines)) == 0 { // whole lines moved; anything else swaps operands or arguments
			d.Change = Refactor
		}
	case len(d.NewFuncs) == 0 && d.Branches <= 0 && harmless(added) && (d.Removed > d.Added || b.calls <= a.calls && fresh(added, a)):
		d.Change = Refactor
	}
	return d
}

// version is what Compare knows of one version of a file.
type version struct {
	tokens   []string // normalised
	names    []bool   // token is an identifier and no keyword
	imports  []bool   // token belongs to an import statement
	lines    []string // tokens of each line, joined
	funcs    []string
	branches int
	calls    int
	runs     bool // holds a function with a body, a call or a branch
}

func (v *version) equal(w *version, imports bool) bool {
	i, j := 0, 0
	for {
		for i < len(v.tokens) && !imports && v.imports[i] {
			i++
		}
		for j < len(w.tokens) && !imports && w.imports[j] {
			j++
		}
		if i == len(v.tokens) || j == len(w.tokens) {
			return i == len(v.tokens) && j == len(w.tokens)
		}
		if v.tokens[i] != w.tokens[j] {
			return false
		}
		i++
		j++
	}
}

// Marks for the structure that Python writes with blanks.
const (
	markLine   = "\n"
	markIndent = "\t"
	markDedent = "\b"
)

func readVersion(lang source.Lang, src []byte) *version {
	f := source.Lex(lang, src)
	match := f.Brackets()
	v := &version{}
	imported := importTokens(f, match)
	indents := []int32{0}
	depth := 0
	var line strings.Builder
	add := func(text string, name, imp bool) {
		line.WriteString(text + " ")
		v.tokens, v.names, v.imports = append(v.tokens, text), append(v.names, name), append(v.imports, imp)
	}
	for i := range f.Tokens {
		t := &f.Tokens[i]
		if t.First && line.Len() > 0 {
			v.lines = append(v.lines, line.String())
			line.Reset()
		}
		if lang == source.Python && t.First && depth == 0 {
			if docstring(f, i) {
				continue
			}
			add(markLine, false, imported[i])
			for len(indents) > 1 && t.Col < indents[len(indents)-1] {
				indents = indents[:len(indents)-1]
				add(markDedent, false, imported[i])
			}
			if t.Col > indents[len(indents)-1] {
				indents = append(indents, t.Col)
				add(markIndent, false, imported[i])
			}
		}
		text := f.Text(i)
		switch t.Kind {
		case source.Op:
			switch text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth = max(depth-1, 0)
			case "&&", "||", "??", "?":
				v.branches++
			case "=>":
				v.runs = true
			case ";":
				if lang == source.JS || lang == source.TS {
					continue
				}
			case ",":
				if trailing(f, i) {
					continue
				}
			}
		case source.Name:
			if branch(text) {
				v.branches++
				v.runs = true
			}
			if !imported[i] && f.Is(i+1, "(") && !keyword(text) && !declares(f, i) {
				v.calls++
			}
		case source.String:
			text = plainString(f, i, text)
		}
		add(text, t.Kind == source.Name && !keyword(text), imported[i])
	}
	for range len(indents) - 1 {
		add(markDedent, false, false)
	}
	v.lines = append(v.lines, line.String())
	interfaces := 0
	for _, d := range f.Decls() {
		if d.Type {
			if f.Is(d.At-1, "interface") || f.Is(d.At-1, "protocol") {
				for i := d.From; i < d.To; i++ {
					if f.Is(i+1, "(") && f.Kind(i) == source.Name && !declares(f, i) {
						interfaces++ // methods without a body
					}
				}
			}
			continue
		}
		v.funcs = append(v.funcs, d.Name)
		v.runs = v.runs || d.To > d.From
	}
	v.runs = v.runs || v.calls > interfaces
	return v
}

// declares reports whether the name at token i, before a parenthesis, is declared and not called: int f(…), fun f(…).
func declares(f *source.File, i int) bool {
	if f.Kind(i-1) != source.Name {
		return f.Lang != source.Python && (f.Is(i-1, ">") || f.Is(i-1, "*") && (f.Lang == source.C || f.Lang == source.CPP)) && !f.Is(i-2, "=") && f.Lang != source.JS && f.Lang != source.TS
	}
	switch f.Text(i - 1) {
	case "return", "new", "await", "throw", "in", "of", "not", "and", "or", "if", "else", "do", "yield", "raise", "case", "print", "puts", "defer", "go", "is", "assert", "delete",
		"typeof", "then", "unless", "when", "try":
		return false
	}
	return true
}

// docstring reports whether the logical line that begins at token i is nothing but a string.
func docstring(f *source.File, i int) bool {
	return f.Kind(i) == source.String && (i+1 == len(f.Tokens) || f.Tokens[i+1].First)
}

// trailing reports whether the comma at token i stands before a closing bracket, where formatters put one. In Python a tuple of one
// element needs it.
func trailing(f *source.File, i int) bool {
	if !f.Is(i+1, ")") && !f.Is(i+1, "]") && !f.Is(i+1, "}") {
		return false
	}
	if f.Lang != source.Python || !f.Is(i+1, ")") {
		return true
	}
	depth, others := 0, 0
	for j := i - 1; j >= 0 && i-j < 5000; j-- {
		switch {
		case f.Is(j, ")") || f.Is(j, "]") || f.Is(j, "}"):
			depth++
		case f.Is(j, "(") && depth == 0:
			return others > 0 || f.Kind(j-1) == source.Name && !keyword(f.Text(j-1)) || f.Is(j-1, ")") || f.Is(j-1, "]")
		case f.Is(j, "(") || f.Is(j, "[") || f.Is(j, "{"):
			depth--
		case f.Is(j, ",") && depth == 0:
			others++
		}
	}
	return false
}

// plainString makes 'a' and "a" the same where the language does.
func plainString(f *source.File, i int, text string) string {
	switch f.Lang {
	case source.Python, source.JS, source.TS, source.Dart, source.Ruby, source.PHP:
		if len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && !strings.HasPrefix(text[1:], text[:1]+text[:1]) {
			if inner := f.Unquote(i); !strings.ContainsAny(inner, "\"'\\$#{}`\n") {
				return `"` + inner + `"`
			}
		}
	}
	return text
}

// importTokens marks the tokens of import statements.
func importTokens(f *source.File, match []int32) []bool {
	marks := make([]bool, len(f.Tokens))
	for i := 0; i < len(f.Tokens); i++ {
		end := importEnd(f, match, i)
		for j := i; j < end; j++ {
			marks[j] = true
		}
		i = max(i, end-1)
	}
	return marks
}

// importEnd returns the token after the import statement that begins at token i, or i.
func importEnd(f *source.File, match []int32, i int) int {
	if !f.Tokens[i].First {
		return i
	}
	line := func() int {
		j := i + 1
		for j < len(f.Tokens) && !f.Tokens[j].First {
			if f.Is(j, "(") || f.Is(j, "{") {
				j = min(int(match[j]), len(f.Tokens)-1)
			}
			if j++; f.Is(j-1, ";") {
				break
			}
		}
		return j
	}
	statement := func() int {
		j := i
		for j < len(f.Tokens) && !f.Is(j, ";") && j < i+2000 {
			if f.Is(j, "{") {
				j = int(match[j])
			}
			j++
		}
		return min(j+1, len(f.Tokens))
	}
	word := f.Text(i)
	switch f.Lang {
	case source.Go:
		if word == "import" {
			return line()
		}
	case source.Python:
		if word == "import" || word == "from" && f.Kind(i+1) != source.String {
			return line()
		}
	case source.JS, source.TS:
		if word == "import" && !f.Is(i+1, "(") && !f.Is(i+1, ".") {
			return line()
		}
		if (word == "const" || word == "let" || word == "var") && (f.Is(i+2, "=") && f.Is(i+3, "require") || f.Is(i+1, "{") && f.Is(int(match[i+1])+2, "require")) {
			for end, j := line(), i; j < end; j++ {
				if f.Is(j, "require") && f.Is(j+1, "(") {
					if after := int(match[j+1]) + 1; after == end || f.Is(after, ";") { // nothing is called on it
						return end
					}
				}
			}
		}
	case source.Java, source.Kotlin, source.Scala, source.Swift, source.Dart:
		if word == "import" || f.Lang == source.Dart && (word == "export" || word == "part") {
			return line()
		}
	case source.Rust:
		if word == "use" || word == "pub" && f.Is(i+1, "use") || word == "extern" && f.Is(i+1, "crate") {
			return statement()
		}
	case source.CSharp:
		if (word == "using" || word == "global" && f.Is(i+1, "using")) && !f.Is(i+1, "(") && !f.Is(i+1, "var") && f.Tokens[i].Col == 0 && !f.Is(i+2, "=") {
			return statement()
		}
	case source.PHP:
		if word == "use" && f.Tokens[i].Col == 0 {
			return statement()
		}
	case source.Ruby:
		if (word == "require" || word == "require_relative") && f.Kind(i+1) == source.String {
			return line()
		}
	case source.C, source.CPP:
		if word == "#" && f.Is(i+1, "include") {
			return line()
		}
	}
	return i
}

// difference lists the names of a that b has not, each as often as it is missing.
func difference(a, b []string) []string {
	count := map[string]int{}
	for _, n := range b {
		count[n]++
	}
	var out []string
	for _, n := range a {
		if count[n]--; count[n] < 0 {
			out = append(out, n)
		}
	}
	return out
}

// tally counts the tokens that only one of the versions has.
func tally(a, b *version) (added, removed map[string]int) {
	added, removed = map[string]int{}, map[string]int{}
	count := map[string]int{}
	for i, t := range b.tokens {
		if !b.imports[i] {
			count[t]++
		}
	}
	for i, t := range a.tokens {
		if !a.imports[i] {
			count[t]--
		}
	}
	for t, n := range count {
		switch {
		case n > 0:
			added[t] = n
		case n < 0:
			removed[t] = -n
		}
	}
	return added, removed
}

// renamed reports whether the versions differ by a one-to-one renaming of names only.
func renamed(a, b *version) bool {
	if len(a.tokens) != len(b.tokens) {
		return false
	}
	to, from := map[string]string{}, map[string]string{}
	for i, t := range a.tokens {
		u := b.tokens[i]
		if !a.names[i] || !b.names[i] {
			if t != u {
				return false
			}
			continue
		}
		if x, ok := to[t]; ok && x != u {
			return false
		}
		if y, ok := from[u]; ok && y != t {
			return false
		}
		to[t], from[u] = u, t
	}
	return true
}

// harmless reports whether the added tokens bring no new behaviour: names, assignment, brackets and separators only.
func harmless(added map[string]int) bool {
	for t := range added {
		switch t {
		case "=", ":=", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "let", "const", "var", "val", "final", "auto", "self", "this", markLine, markIndent, markDedent:
			continue
		}
		c := t[0]
		if keyword(t) || c != '_' && c != '$' && c != '@' && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return false
		}
	}
	return true
}

// branch reports keywords that begin another way through the code.
func branch(w string) bool {
	switch w {
	case "if", "elif", "elsif", "else", "for", "foreach", "while", "until", "unless", "switch", "case", "match", "when", "select", "try", "catch", "except", "rescue", "guard", "and", "or",
		"loop", "ensure", "finally":
		return true
	}
	return false
}

// fresh reports whether all added names are new ones, as those of an extracted variable are. A name that was there before and is now
// used once more changes what the code works on.
func fresh(added map[string]int, before *version) bool {
	old := map[string]bool{}
	for i, t := range before.tokens {
		old[t] = old[t] || before.names[i]
	}
	for t := range added {
		if old[t] {
			return false
		}
	}
	return true
}

// keyword reports words that are no names in any of the languages, or that do something where they stand.
func keyword(w string) bool {
	if branch(w) {
		return true
	}
	switch w {
	case "return", "throw", "throws", "raise", "await", "async", "yield", "break", "continue", "goto", "defer", "go", "not", "in", "is", "new", "delete", "lambda", "func", "function",
		"fn", "def", "fun", "true", "false", "True", "False", "None", "null", "nil", "undefined", "import", "from", "package", "class", "struct", "interface", "enum", "trait", "do",
		"with", "pass", "del", "global", "nonlocal", "assert", "super", "static", "public", "private", "protected", "override", "abstract", "unsafe", "typeof", "instanceof", "void",
		"let", "const", "var", "val", "final", "auto", "self", "this", "end", "then", "begin", "module", "extends", "implements", "impl", "pub", "mut", "ref", "as", "where", "using":
		return true
	}
	return false
}
