package source

import "sort"

// Decl is a function or a type that a file declares.
type Decl struct {
	Name string
	Type bool // a class, struct, interface …; otherwise a function or method
	Line int
	At   int // token of the name
	From int // first token of the body, At+1 if it has none
	To   int // token after the body
}

// Brackets returns for every token that opens a bracket the index of its partner, len(f.Tokens) where it is missing, and 0 for all
// other tokens.
func (f *File) Brackets() []int32 {
	match := make([]int32, len(f.Tokens))
	var stack []int32
	for i := range f.Tokens {
		if f.Tokens[i].Kind != Op || f.Tokens[i].End-f.Tokens[i].Pos != 1 {
			continue
		}
		switch f.Src[f.Tokens[i].Pos] {
		case '(', '[', '{':
			match[i] = int32(len(f.Tokens))
			stack = append(stack, int32(i))
		case ')', ']', '}':
			if len(stack) > 0 {
				match[stack[len(stack)-1]] = int32(i)
				stack = stack[:len(stack)-1]
			}
		}
	}
	return match
}

// Decls lists the functions and types of the file in order of their names. Nested ones are listed, too; anonymous ones are not.
func (f *File) Decls() []Decl { return f.DeclsIn(f.Brackets(), 0, len(f.Tokens)) }

// DeclsIn lists those that a keyword or name among tokens [from, to) announces. match is what Brackets returned.
func (f *File) DeclsIn(match []int32, from, to int) []Decl {
	d := declarer{f: f, match: match}
	for i := from; i < to; i++ {
		if f.Tokens[i].Kind != Name {
			continue
		}
		switch f.Lang {
		case Go:
			if !f.Tokens[i].First && !f.Is(i-1, ";") {
				continue
			}
			d.golang(i)
		case Python:
			d.python(i)
		case Ruby:
			d.ruby(i)
		case Rust, Kotlin, Swift, Scala, PHP:
			d.keyword(i)
		case JS, TS:
			if !d.keyword(i) && !d.assigned(i) {
				d.signature(i)
			}
		case Java, CSharp, Dart, C, CPP:
			if !d.keyword(i) {
				d.signature(i)
			}
		}
	}
	return d.out
}

type declarer struct {
	f     *File
	match []int32
	out   []Decl
}

func (d *declarer) add(at, from, to int, isType bool) {
	d.out = append(d.out, Decl{
		Name: d.f.Text(at), Type: isType, Line: int(d.f.Tokens[at].Line), At: at,
		From: min(from, len(d.f.Tokens)), To: min(max(from, to), len(d.f.Tokens)),
	})
}

// closing is the partner of the bracket at i.
func (d *declarer) closing(i int) int {
	if i < 0 || i >= len(d.match) || d.match[i] == 0 {
		return i
	}
	return int(d.match[i])
}

func (d *declarer) golang(i int) {
	f := d.f
	switch {
	case f.Is(i, "func") && (f.Tokens[i].First || f.Is(i-1, ";")):
		j := i + 1
		if f.Is(j, "(") {
			j = d.closing(j) + 1
		}
		if f.Kind(j) != Name {
			return
		}
		from, to := d.body(j + 1)
		d.add(j, from, to, false)
	case f.Is(i, "type") && f.Tokens[i].First:
		if f.Is(i+1, "(") {
			for j := i + 2; j < d.closing(i+1) && j < len(f.Tokens); j++ {
				if f.Tokens[j].First && f.Kind(j) == Name {
					d.add(j, j+1, j+1, true)
				}
				j = max(j, d.closing(j))
			}
		} else if f.Kind(i+1) == Name {
			from, to := d.body(i + 2)
			d.add(i+1, from, to, true)
		}
	}
}

// body finds the braces of a declaration whose head goes on at j. Bracketed parts of the head are skipped. Where there are no
// braces, an expression body reaches to the end of the statement.
func (d *declarer) body(j int) (from, to int) {
	f := d.f
	head := j
	for ; j < len(f.Tokens) && j < head+400; j++ {
		switch f.Char(j) {
		case '(', '[':
			j = d.closing(j)
			continue
		case '{':
			if f.Lang == TS && (f.Is(j-1, ":") || f.Is(j-1, "|") || f.Is(j-1, "&") || (f.Is(j-1, "=") || f.Is(j-1, "extends")) && generic(f, head, j)) { // a type
				j = d.closing(j)
				continue
			}
			if f.Lang == Go && (f.Is(j-1, "interface") || f.Is(j-1, "struct")) && f.Is(d.closing(j)+1, "{") {
				j = d.closing(j)
				continue
			}
			return j + 1, d.closing(j)
		case ';', '}', ')':
			return j, j
		}
		switch {
		case f.Is(j, "=") || f.Is(j, "=>"):
			if f.Lang == Kotlin || f.Lang == Scala || f.Lang == CSharp || f.Lang == Dart || f.Lang == PHP {
				return j + 1, d.expression(j + 1)
			}
		case f.Tokens[j].First && j > head && begins(f.Text(j)):
			return j, j // the next declaration: this one had no body
		}
	}
	return head, head
}

// generic reports whether token j stands in type parameters that begin at or behind head.
func generic(f *File, head, j int) bool {
	depth := 0
	for i := head; i < j; i++ {
		switch {
		case f.Is(i, "<"):
			depth++
		case f.Is(i, ">"):
			depth--
		}
	}
	return depth > 0
}

// begins reports whether a word at the start of a line begins a declaration.
func begins(w string) bool {
	switch w {
	case "fun", "def", "func", "fn", "class", "object", "interface", "trait", "enum", "struct", "protocol", "extension", "actor", "val", "var", "let",
		"import", "private", "public", "internal", "override", "suspend", "pub", "impl", "use", "mod", "@":
		return true
	}
	return false
}

// expression finds the end of an expression body: its brackets are closed and a new line begins at no deeper level, or a ; comes.
func (d *declarer) expression(j int) int {
	f := d.f
	start := j
	const longest = 4000 // keeps a line of nothing but arrows linear
	for ; j < len(f.Tokens) && j < start+longest; j++ {
		switch {
		case f.Is(j, "(") || f.Is(j, "[") || f.Is(j, "{"):
			j = d.closing(j)
			continue
		case f.Is(j, ";") || f.Is(j, "}") || f.Is(j, ")"):
			return j
		}
		if j > start && f.Tokens[j].First && (f.Kind(j) == Name || f.Is(j, "@")) && f.Lang != CSharp && f.Lang != Dart {
			return j
		}
	}
	return j
}

func (d *declarer) python(i int) {
	f := d.f
	isType := f.Is(i, "class")
	if !isType && !f.Is(i, "def") || f.Kind(i+1) != Name {
		return
	}
	head := i
	if f.Is(i-1, "async") && !f.Tokens[i].First {
		head = i - 1
	}
	if !f.Tokens[head].First {
		return
	}
	j := i + 2
	for j < len(f.Tokens) && !f.Is(j, ":") {
		if f.Is(j, "(") || f.Is(j, "[") {
			j = d.closing(j)
		}
		if f.Tokens[min(j, len(f.Tokens)-1)].First && j > i+2 && !f.Is(j, ")") {
			break
		}
		j++
	}
	from := j + 1
	to := from
	for to < len(f.Tokens) && (!f.Tokens[to].First || f.Tokens[to].Col > f.Tokens[head].Col || f.closer(to)) {
		if k := d.closing(to); k > to {
			to = k
		}
		to++
	}
	d.add(i+1, from, to, isType)
}

// closer reports whether token i closes a bracket: it may stand at any column.
func (f *File) closer(i int) bool { return f.Is(i, ")") || f.Is(i, "]") || f.Is(i, "}") }

func (d *declarer) ruby(i int) {
	f := d.f
	isType := f.Is(i, "class") || f.Is(i, "module")
	if !isType && !f.Is(i, "def") || f.Is(i-1, ".") {
		return
	}
	at := i + 1
	for f.Is(at+1, ".") || f.Is(at+1, "::") {
		at += 2
	}
	if f.Kind(at) != Name {
		return
	}
	d.add(at, at+1, d.f.rubyEnd(i), isType)
}

// rubyEnd finds the token after the block that begins on the line of token i: the first on a later line at no deeper column,
// which is its `end` or `}` wherever people indent.
func (f *File) rubyEnd(i int) int {
	head := sort.Search(i, func(k int) bool { return f.Tokens[k].Line >= f.Tokens[i].Line })
	col, line := f.Tokens[head].Col, f.Tokens[i].Line
	next := i + sort.Search(len(f.Tokens)-i, func(k int) bool { return f.Tokens[i+k].Line > line })
	for j := next; j < len(f.Tokens); j++ {
		t := &f.Tokens[j]
		if !t.First || t.Col > col {
			continue
		}
		return j
	}
	return len(f.Tokens)
}

// BlockEnd is rubyEnd for callers that look for tests.
func (f *File) BlockEnd(i int) int { return f.rubyEnd(i) }

// keyword finds declarations that a keyword announces.
func (d *declarer) keyword(i int) bool {
	f := d.f
	isType, isFunc := false, false
	switch f.Text(i) {
	case "fn":
		isFunc = f.Lang == Rust
	case "fun":
		isFunc = f.Lang == Kotlin
	case "func":
		isFunc = f.Lang == Swift
	case "def":
		isFunc = f.Lang == Scala
	case "function":
		isFunc = f.Lang == PHP || f.Lang == JS || f.Lang == TS
	case "class", "interface", "enum", "struct", "trait", "object", "protocol", "extension", "actor", "record", "mixin", "union":
		isType = !f.Is(i-1, ".") && !f.Is(i-1, "::") && f.Kind(i+1) == Name && d.typeWord(f.Text(i))
	case "type":
		isType = (f.Lang == TS && f.Is(i+2, "=") || f.Lang == Rust) && f.Kind(i+1) == Name
	}
	switch {
	case isType:
		at := i + 1
		if f.Is(at, "class") && f.Kind(at+1) == Name { // enum class X
			at++
		}
		from, to := at+1, at+1
		if at+1 >= len(f.Tokens) || !f.Tokens[at+1].First || !begins(f.Text(at+1)) { // a type without a body
			from, to = d.body(at + 1)
		}
		d.add(at, from, to, true)
		return true
	case !isFunc:
		return false
	}
	at := i + 1
	if f.Is(at, "*") || f.Is(at, "&") {
		at++
	}
	if f.Lang == Kotlin { // fun <T> Receiver<T>.name(
		if f.Is(at, "<") {
			for at < len(f.Tokens) && !f.Is(at, ">") {
				at++
			}
			at++
		}
		for k := at; k < at+12 && k < len(f.Tokens); k++ {
			if f.Is(k, "(") {
				at = k - 1
				break
			}
		}
	}
	if f.Kind(at) != Name {
		return false
	}
	from, to := d.body(at + 1)
	d.add(at, from, to, false)
	return true
}

// typeWord reports whether a word announces a type in the language, and is not just a name.
func (d *declarer) typeWord(w string) bool {
	switch w {
	case "class", "enum":
		return d.f.Lang != Rust || w == "enum"
	case "struct", "union":
		return d.f.Lang == Rust || d.f.Lang == Swift || d.f.Lang == C || d.f.Lang == CPP || d.f.Lang == CSharp
	case "interface":
		return d.f.Lang != C && d.f.Lang != CPP && d.f.Lang != Rust && d.f.Lang != Swift
	case "trait":
		return d.f.Lang == Rust || d.f.Lang == PHP || d.f.Lang == Scala
	case "object":
		return d.f.Lang == Kotlin || d.f.Lang == Scala
	case "protocol", "extension", "actor":
		return d.f.Lang == Swift
	case "record":
		return d.f.Lang == Java || d.f.Lang == CSharp
	case "mixin":
		return d.f.Lang == Dart
	}
	return false
}

// typedValue reports whether a word announces a value, so that a colon behind its name begins a type.
func typedValue(w string) bool {
	switch w {
	case "const", "let", "var", "private", "protected", "public", "readonly", "static":
		return true
	}
	return false
}

// assigned finds `const f = () => …`, `f = async function`, `f: x => …`.
func (d *declarer) assigned(i int) bool {
	f := d.f
	j := i + 1
	if f.Is(j, ":") && typedValue(f.Text(i-1)) { // const f: Type = …
		for k := j; k < j+30 && k < len(f.Tokens); k++ {
			if f.Is(k, "=") {
				j = k
				break
			}
		}
	}
	if !f.Is(j, "=") && !f.Is(j, ":") || f.Is(i-1, "?") || f.Is(i-1, "type") || f.Is(j, "=") && f.Is(i-1, ":") {
		return false
	}
	j++
	if f.Is(j, "async") {
		j++
	}
	arrow := -1
	switch {
	case f.Is(j, "function"):
		arrow = j
	case f.Is(j, "("):
		k := d.closing(j) + 1
		for n := 0; n < 12 && k+n < len(f.Tokens); n++ { // (…): Type =>
			if f.Is(k+n, "=>") {
				arrow = k + n
				break
			}
			if n == 0 && !f.Is(k, ":") {
				break
			}
		}
	case f.Kind(j) == Name && f.Is(j+1, "=>"):
		arrow = j + 1
	}
	if arrow < 0 {
		return false
	}
	if f.Is(arrow+1, "{") || f.Is(arrow, "function") {
		from, to := d.body(arrow + 1)
		d.add(i, from, to, false)
	} else {
		d.add(i, arrow+1, d.expression(arrow+1), false)
	}
	return true
}

// signature finds functions that nothing but their shape announces: a name, parameters, a body.
func (d *declarer) signature(i int) bool {
	f := d.f
	j := i + 1
	if f.Is(j, "<") { // type parameters
		for n := 0; n < 20 && j < len(f.Tokens) && !f.Is(j, ">"); n++ {
			j++
		}
		j++
	}
	if !f.Is(j, "(") || control(f.Text(i)) {
		return false
	}
	if f.Is(i-1, "*") && f.Is(i-2, "function") {
		return false
	}
	switch f.Text(i - 1) {
	case ".", "new", "return", "=", "(", ",", "?.", "->", "await", "throw", "case", "&&", "||", "!", "+", "-", "==", "!=", "<", "?", "@", "[", "else", "=>", "#",
		":", "function", "record", "class":
		nullable := f.Is(i-1, "?") && (f.Lang == Dart || f.Lang == CSharp) && f.Glued(i-1) && !f.Glued(i) // Type? name() {}
		if !nullable && (f.Lang != JS && f.Lang != TS || !f.Is(i-1, ",") && !f.Is(i-1, "#")) {            // { a() {}, b() {} }
			return false
		}
	}
	k := d.closing(j) + 1
	for n := 0; n < 40 && k < len(f.Tokens); n++ {
		switch {
		case f.Is(k, "{") && f.Lang == TS && (f.Is(k-1, ":") || f.Is(k-1, "|") || f.Is(k-1, "&") || f.Is(k-1, "<")): // a type
			k = d.closing(k)
		case f.Is(k, "{"):
			d.add(i, k+1, d.closing(k), false)
			return true
		case f.Is(k, "=>") && (f.Lang == CSharp || f.Lang == Dart):
			d.add(i, k+1, d.expression(k+1), false)
			return true
		case f.Is(k, "("), f.Is(k, "["):
			if n == 0 {
				return false
			}
			k = d.closing(k)
		case f.Kind(k) == Name, f.Is(k, ":"), f.Is(k, ","), f.Is(k, "<"), f.Is(k, ">"), f.Is(k, "::"), f.Is(k, "->"), f.Is(k, "."), f.Is(k, "&"),
			f.Is(k, "*"), f.Is(k, "?"), f.Is(k, "|"), f.Is(k, "="):
			if n == 0 && f.Is(k, ".") || f.Is(k, "=") && f.Lang != CPP || f.Tokens[k].First && f.Lang == JS {
				return false
			}
		default:
			return false
		}
		k++
	}
	return false
}

// control reports whether a word before parentheses is a statement and no function.
func control(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "return", "synchronized", "try", "using", "lock", "fixed", "foreach", "do", "else", "function",
		"sizeof", "when", "with", "await", "throw", "typeof", "new", "super", "this", "assert", "in", "of", "case", "delete", "yield", "checked",
		"unchecked", "nameof", "defined", "alignas", "decltype", "static_assert", "__attribute__", "constexpr", "requires", "catchError":
		return true
	}
	return false
}
