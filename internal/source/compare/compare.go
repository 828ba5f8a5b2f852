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
	Change Change

	// What a change of an existing file consists of; all zero for a new file.
	NewFuncs []string // functions that were not there before, renamed ones excepted
	Gone     []string // functions that are there no more, renamed ones excepted
	Added    int      // tokens, imports not counted
	Removed  int
	Branches int // branches after minus before
}

// Compare tells what an edit did. before is nil or empty for a new file, after for a deleted one. Files longer than source.MaxSize are
// compared byte by byte.
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
	if len(before) == 0 {
		return Delta{Change: created(lang, after)}
	}
	fa := source.Lex(lang, before)
	fb, from, to := fa.Relex(after)
	a := newVersion(fa, from, to+len(fa.Tokens)-len(fb.Tokens))
	b := newVersion(fb, from, to)
	a.read()
	b.read()
	switch {
	case a.equal(b, true):
		return Delta{Change: NoChange}
	case a.equal(b, false):
		return Delta{Change: ImportsOnly}
	}
	d := Delta{Change: Code, Branches: b.branches - a.branches}
	af, bf := a.functions(), b.functions()
	d.NewFuncs, d.Gone = difference(bf, af), difference(af, bf)
	d.classify(a, b)
	return d
}

// created classifies a new file. The beginning is mostly enough to see that something runs.
func created(lang source.Lang, src []byte) Change {
	const enough = 1 << 10
	if len(src) > 2*enough {
		cut := bytes.LastIndexByte(src[:enough], '\n') + 1
		f := source.Lex(lang, src[:cut])
		if v := newVersion(f, 0, len(f.Tokens)); v.acts() {
			return Code
		}
	}
	f := source.Lex(lang, src)
	v := newVersion(f, 0, len(f.Tokens))
	switch {
	case len(f.Tokens) == 0:
		return NoChange
	case v.runs():
		return Code
	}
	v.read()
	if (&version{}).equal(v, false) {
		return ImportsOnly
	}
	return Declares
}

// classify fills in Change and the counts of tokens.
func (d *Delta) classify(a, b *version) {
	added, removed := tally(a, b)
	for _, n := range added {
		d.Added += n
	}
	for _, n := range removed {
		d.Removed += n
	}
	switch {
	case renamed(a, b):
		d.Change, d.NewFuncs, d.Gone = Refactor, nil, nil
	case d.Added == 0 && d.Removed == 0:
		if len(difference(b.lines(), a.lines())) == 0 { // whole lines moved; anything else swaps operands or arguments
			d.Change = Refactor
		}
	case len(d.NewFuncs) == 0 && d.Branches <= 0 && harmless(added) && (d.Removed > d.Added || b.calls <= a.calls && fresh(added, a)):
		d.Change = Refactor
	}
	if !a.runs() && !b.runs() {
		d.Change = Declares
	}
}

// version is one version of a file. Only the tokens that may differ from the other version's, [from, to), are read; they are whole
// lines.
type version struct {
	f        *source.File
	match    []int32
	from, to int
	tokens   []string // normalised
	origin   []int32  // token of the file, -1 for marks
	names    []bool   // an identifier and no keyword
	imports  []bool   // part of an import statement
	branches int
	calls    int
}

func newVersion(f *source.File, from, to int) *version {
	v := &version{f: f, match: f.Brackets(), from: from, to: to}
	n := to - from + 8
	v.tokens, v.origin, v.names, v.imports = make([]string, 0, n), make([]int32, 0, n), make([]bool, 0, n), make([]bool, 0, n)
	return v
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

func (v *version) add(text string, at int, name, imported bool) {
	v.tokens, v.origin = append(v.tokens, text), append(v.origin, int32(at))
	v.names, v.imports = append(v.names, name), append(v.imports, imported)
}

// read normalises the tokens.
func (v *version) read() {
	f := v.f
	var py *indents
	if f.Lang == source.Python {
		py = newIndents(f, v.from)
	}
	importEnd := v.importBefore()
	for i := v.from; i < v.to; i++ {
		t := &f.Tokens[i]
		if i >= importEnd && t.First {
			importEnd = importAt(f, v.match, i)
		}
		imported := i < importEnd
		if py != nil && t.First && py.depth == 0 {
			if docstring(f, i) {
				continue
			}
			v.add(markLine, -1, false, imported)
			py.step(t.Col, func(mark string) { v.add(mark, -1, false, imported) })
		}
		text := f.Text(i)
		name := false
		switch t.Kind {
		case source.Op:
			if py != nil {
				py.bracket(text)
			}
			if v.operator(i, text) {
				continue
			}
		case source.Name:
			name = !keyword(text)
			if branch(text) {
				v.branches++
			}
			if name && !imported && f.Is(i+1, "(") && !declares(f, i) {
				v.calls++
			}
		case source.String:
			text = plainString(f, i, text)
		}
		v.add(text, i, name, imported)
	}
	if py != nil { // how the common rest is indented
		col := int32(0)
		if v.to < len(f.Tokens) {
			col = f.Tokens[v.to].Col
		}
		py.step(col, func(mark string) { v.add(mark, -1, false, false) })
	}
}

// operator counts branches and reports whether the operator at token i is layout.
func (v *version) operator(i int, text string) bool {
	switch text {
	case "&&", "||", "??", "?":
		v.branches++
	case ";":
		return v.f.Lang == source.JS || v.f.Lang == source.TS
	case ",":
		return trailing(v.f, i)
	}
	return false
}

// indents follows the indentation of Python.
type indents struct {
	stack []int32
	depth int // of brackets
}

func newIndents(f *source.File, to int) *indents {
	py := &indents{stack: []int32{0}}
	for i := range to {
		if f.Tokens[i].First && py.depth == 0 && !docstring(f, i) {
			py.step(f.Tokens[i].Col, nil)
		}
		if f.Tokens[i].Kind == source.Op {
			py.bracket(f.Text(i))
		}
	}
	return py
}

func (py *indents) step(col int32, mark func(string)) {
	for len(py.stack) > 1 && col < py.stack[len(py.stack)-1] {
		py.stack = py.stack[:len(py.stack)-1]
		if mark != nil {
			mark(markDedent)
		}
	}
	if col > py.stack[len(py.stack)-1] {
		py.stack = append(py.stack, col)
		if mark != nil {
			mark(markIndent)
		}
	}
}

func (py *indents) bracket(text string) {
	switch text {
	case "(", "[", "{":
		py.depth++
	case ")", "]", "}":
		py.depth = max(py.depth-1, 0)
	}
}

// lines joins the tokens of each line.
func (v *version) lines() []string {
	var out []string
	var b strings.Builder
	for i, text := range v.tokens {
		at := v.origin[i]
		if at >= 0 && v.f.Tokens[at].First && b.Len() > 0 || text == markLine {
			out = append(out, b.String())
			b.Reset()
		}
		b.WriteString(text + " ")
	}
	return append(out, b.String())
}

// functions lists the functions whose names are among the tokens.
func (v *version) functions() []string {
	var out []string
	for _, d := range v.f.DeclsIn(v.match, v.from, v.to) {
		if !d.Type {
			out = append(out, d.Name)
		}
	}
	return out
}

// acts reports whether the file surely runs: it holds a branch or an arrow function with a body.
func (v *version) acts() bool {
	for i := range v.f.Tokens {
		switch t := &v.f.Tokens[i]; {
		case t.Kind == source.Name && branch(v.f.Text(i)), t.Kind == source.Op && v.f.Is(i, "=>") && v.f.Is(i+1, "{"):
			return true
		}
	}
	return false
}

// runs reports whether anything in the whole file runs: a branch, a call, or a function with a body.
func (v *version) runs() bool {
	if v.acts() {
		return true
	}
	f := v.f
	importEnd, calls := 0, 0
	for i := range f.Tokens {
		if i >= importEnd && f.Tokens[i].First {
			importEnd = importAt(f, v.match, i)
		}
		if i >= importEnd && f.Tokens[i].Kind == source.Name && f.Is(i+1, "(") && !keyword(f.Text(i)) && !declares(f, i) {
			calls++
		}
		if calls > 50 { // no interface has as many methods, or it can do with a test
			return true
		}
	}
	arrow := 0 // first token that is not known to be in a type
	for _, d := range f.DeclsIn(v.match, 0, len(f.Tokens)) {
		switch word := f.Text(d.At - 1); {
		case !d.Type:
			if d.To > d.From && d.At >= arrow {
				return true
			}
		case word == "interface" || word == "protocol" || word == "type":
			for i := d.From; i < d.To; i++ {
				if f.Is(i+1, "(") && f.Kind(i) == source.Name && !keyword(f.Text(i)) && !declares(f, i) {
					calls-- // methods without a body
				}
			}
			if v.arrow(arrow, d.At) {
				return true
			}
			arrow = max(arrow, d.To)
		}
	}
	return calls > 0 || v.arrow(arrow, len(f.Tokens))
}

// arrow reports whether an arrow function is among tokens [from, to).
func (v *version) arrow(from, to int) bool {
	for i := from; i < to; i++ {
		if v.f.Is(i, "=>") {
			return true
		}
	}
	return false
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
	// A renamed name must not occur in the part that both share.
	shared := func(name string) bool {
		for i := range a.f.Tokens {
			if (i < a.from || i >= a.to) && a.f.Is(i, name) {
				return true
			}
		}
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
	const most = 50
	n := 0
	for t, u := range to {
		if t == u {
			continue
		}
		if n++; n > most || shared(t) || shared(u) {
			return false
		}
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

// fresh reports whether all added names are new ones, as those of an extracted variable are. A name that was there before and is now
// used once more changes what the code works on.
func fresh(added map[string]int, before *version) bool {
	old := map[string]bool{}
	for i := range before.f.Tokens {
		if before.f.Tokens[i].Kind == source.Name {
			old[before.f.Text(i)] = true
		}
	}
	for t := range added {
		if old[t] {
			return false
		}
	}
	return true
}
