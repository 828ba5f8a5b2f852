package eval

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// primary reads a literal, a name, a bracket or a function.
func (e *eval) primary() effect.Value {
	t := e.cur()
	line := int(t.Line)
	switch t.Kind {
	case token.Text:
		v := e.text(t)
		e.i++
		for (e.lang == effect.Python || e.lang == effect.Ruby) && e.cur().Kind == token.Text && v.Known() {
			v = e.Join(v, e.text(e.cur()))
			e.i++
		}
		v.Line = line
		return v
	case token.Run:
		v := e.text(t)
		e.i++
		e.Run(v, nil)
		return effect.Value{}
	case token.Number:
		e.i++
		return effect.Value{Kind: effect.Constant, Text: t.Text}
	case token.Regex:
		e.i++
		return effect.Value{Kind: effect.Constant}
	case token.Name:
		e.i++
		return e.word(t)
	case token.Op:
		switch t.Text {
		case "(":
			return e.round()
		case "[":
			return e.list("]")
		case "{":
			return e.object()
		case "->": // Ruby's lambda
			e.i++
			return e.lambda("")
		case "$":
			if e.lang == effect.Awk {
				e.i++
				e.guarded()
				return effect.Unsure()
			}
		case ")", "]", "}", ";", ",", ":":
			return effect.Value{} // not ours: the caller goes on
		}
	case token.Line, token.End:
		return effect.Value{}
	}
	e.i++
	return effect.Value{}
}

// text is the value of a string; the code in it is read.
func (e *eval) text(t *token.Token) effect.Value {
	if t.Parts == nil {
		return effect.Value{Kind: effect.Text, Text: t.Text, Line: int(t.Line)}
	}
	out := effect.Str("")
	for _, p := range *t.Parts {
		switch {
		case p.Code != nil:
			x := e.hole(p.Code)
			if x.Kind == effect.Each || x.Kind == effect.List {
				x = x.Iter()
			}
			if x.Kind != effect.Choice {
				x = x.Part()
			}
			out = e.Join(out, x)
		case p.Bad:
			out = e.Join(out, effect.Unsure())
		case out.Text == "" && out.Kind == effect.Text: // long texts are not copied
			out = effect.Str(p.Text)
		default:
			out = e.Join(out, effect.Str(p.Text))
		}
	}
	out.Line = int(t.Line)
	return out
}

// hole reads the code in a string with the variables of its surroundings.
func (e *eval) hole(code []token.Token) effect.Value {
	if e.depth > maxNesting {
		return effect.Value{}
	}
	toks, match, i := e.toks, e.match, e.i
	e.use(code)
	e.i = 0
	e.depth += 8
	v := effect.Value{}
	for e.i < len(e.toks) {
		from := e.i
		v = e.expr()
		if e.i == from {
			e.i++
		}
	}
	e.depth -= 8
	e.toks, e.match, e.i = toks, match, i
	return v
}

// word is the value of a name.
func (e *eval) word(t *token.Token) effect.Value {
	name := t.Text
	switch name {
	case "True", "False", "None", "true", "false", "nil", "null", "undefined", "NULL", "TRUE", "FALSE", "NaN":
		return effect.Value{Kind: effect.Constant, Text: name}
	case "lambda":
		if e.lang == effect.Python || e.lang == effect.Ruby {
			return e.lambda(":")
		}
	case "function", "func", "fn":
		if e.lang == effect.Node || e.lang == effect.PHP || e.lang == effect.Lua || e.lang == effect.R {
			if e.lang == effect.Node {
				e.accept("*")
			}
			key := e.key(t)
			if e.cur().Kind == token.Name {
				key = e.cur().Text
				e.i++
			}
			return e.define(key, e.params(")"))
		}
	case "sub":
		if e.lang == effect.Perl {
			key := e.key(t)
			if e.cur().Kind == token.Name {
				key = e.cur().Text
				e.i++
			}
			return e.define(key, nil)
		}
	case "proc":
		if e.lang == effect.Ruby && (e.is("{") || e.is("do")) {
			return e.lambda("")
		}
	case "do", "then", "begin", "else", "ensure", "finally", "try", "async", "static":
		return effect.Value{}
	case "class":
		return effect.Value{}
	}
	if e.lang == effect.Node && e.is("=>") {
		return e.arrow([]string{name})
	}
	return e.lookup(name)
}

// key names a function without a name.
func (e *eval) key(t *token.Token) string {
	return "\x00" + strconv.Itoa(e.code) + ":" + strconv.Itoa(e.i) + ":" + strconv.Itoa(int(t.Line))
}

// lookup resolves a name.
func (e *eval) lookup(name string) effect.Value {
	if name == "" {
		return effect.Value{}
	}
	if v, ok := e.vars[name]; ok {
		v.Name = name
		return v
	}
	if e.fns[name] != nil {
		if !e.is("(") && !e.is("=") && (e.lang != effect.Ruby && e.lang != effect.Perl || !e.operand()) {
			e.leak(name)
		}
		return effect.Value{Kind: effect.Function, Text: name, Name: name}
	}
	if v, ok := e.m.Special(name); ok {
		v.Name = name
		return v
	}
	if strings.IndexByte("$@%", name[0]) >= 0 && e.lang != effect.Node {
		return effect.Value{Name: name}
	}
	full := lib.Canonical(e.lang, strings.TrimPrefix(name, "&"))
	for _, mod := range e.star {
		if lib.ActOf(e.lang, full) == 0 && lib.ActOf(e.lang, mod+"."+full) != 0 {
			full = mod + "." + full
		}
	}
	return effect.Value{Kind: effect.Ref, Text: full, Name: name}
}

// leak notes that a function may be called with anything.
func (e *eval) leak(name string) {
	f := e.fns[name]
	f.called = true
	for i := range f.args {
		f.args[i] = effect.Choose([]effect.Value{f.args[i], {}})
	}
}

// round reads a parenthesis: a group, a tuple, or the parameters of an arrow function.
func (e *eval) round() effect.Value {
	if e.lang == effect.Node {
		if close := int(e.match[e.i]); close > 0 && close+1 < len(e.toks) {
			next := &e.toks[close+1]
			if next.Is("=>") || next.Is(":") && close+3 < len(e.toks) && e.toks[close+3].Is("=>") {
				return e.arrow(nil)
			}
		}
	}
	e.i++
	printing := e.print
	e.print = false
	items, _, tuple := e.sequence(")")
	e.print = printing
	if len(items) == 1 && !tuple && e.lang != effect.Perl {
		return items[0]
	}
	if len(items) == 1 && e.lang == effect.Perl && items[0].Kind != effect.Text && items[0].Kind != effect.Constant {
		return items[0]
	}
	return effect.Value{Kind: effect.List, Items: items}
}

func (e *eval) list(closing string) effect.Value {
	e.i++
	items, _, _ := e.sequence(closing)
	if len(items) == 1 && items[0].Kind == effect.Each {
		return items[0]
	}
	return effect.Value{Kind: effect.List, Items: items}
}

// sequence reads arguments or elements up to closing. Named ones come back as one object.
func (e *eval) sequence(closing string) (items []effect.Value, named effect.Value, comma bool) {
	named.Kind = effect.Object
	for {
		e.skipLines()
		if e.accept(closing) || e.cur().Kind == token.End {
			return items, named, comma
		}
		from := e.i
		if name, ok := e.label(); ok {
			v := e.expr()
			named.Keys, named.Items = append(named.Keys, name), append(named.Items, v)
			if (e.lang == effect.Perl || closing == "]") && e.lang != effect.PHP {
				items = append(items, effect.Str(name), v)
			}
		} else {
			v := e.expr()
			if e.is("=>") || closing == "}" && e.is(":") { // a key that is an expression
				e.i++
				x := e.expr()
				named.Keys, named.Items = append(named.Keys, v.Text), append(named.Items, x)
				if e.lang == effect.Perl {
					items = append(items, v, x)
				}
			} else if e.lang == effect.Python && (e.is("for") || e.is("async")) {
				items = append(items, e.comprehension(v))
			} else if e.i > from {
				items = append(items, v)
			}
		}
		e.skipLines()
		if e.accept(",") {
			comma = true
		} else if e.i == from {
			if t := e.cur(); among(t, " ) ] } ") && closing != "}" && !t.Is(closing) {
				return items, named, comma // unbalanced
			}
			e.i++
		}
	}
}

// label reads `name=`, `name:` or `"name" =>` before an argument.
func (e *eval) label() (string, bool) {
	t, next := e.cur(), e.peek(1)
	if t.Kind != token.Name && t.Kind != token.Text || t.Parts != nil || next.Kind != token.Op {
		return "", false
	}
	ok := false
	switch next.Text {
	case "=":
		ok = t.Kind == token.Name && (e.lang == effect.Python || e.lang == effect.R)
	case ":":
		ok = e.lang != effect.Perl && (e.lang != effect.Python || t.Kind == token.Text) && e.lang != effect.Lua
	case "=>":
		ok = e.lang != effect.Node
	}
	if ok {
		e.i += 2
	}
	return t.Text, ok
}

// comprehension reads `for x in xs if …` behind an element. The names are bound for the next pass.
func (e *eval) comprehension(element effect.Value) effect.Value {
	for e.accept("async") || e.is("for") {
		if !e.accept("for") {
			continue
		}
		names := e.targets("in")
		e.bind(names, e.or())
		for e.accept("if") {
			e.or()
		}
	}
	return effect.Value{Kind: effect.Each, Items: []effect.Value{element}}
}

// object reads {…} where a value is expected: fields, elements, or statements of a block.
func (e *eval) object() effect.Value {
	e.i++
	items, named, _ := e.sequence("}")
	if len(items) > 0 && len(named.Keys) == 0 {
		if len(items) == 1 && items[0].Kind == effect.Each {
			return items[0]
		}
		if e.lang == effect.Node { // {a, b}: shorthand
			for _, x := range items {
				named.Keys, named.Items = append(named.Keys, x.Name), append(named.Items, x)
			}
			return named
		}
		return effect.Value{Kind: effect.List, Items: items}
	}
	return named
}

// params reads a parameter list up to closing; the opening bracket is next.
func (e *eval) params(closing string) []string {
	var out []string
	if closing == ")" && !e.accept("(") {
		return nil
	}
	e.defaults = e.defaults[:0]
	for !e.is(closing) && e.cur().Kind != token.End && e.cur().Kind != token.Line || e.cur().Kind == token.Line && closing == ")" {
		t := e.cur()
		star := ""
		if t.Is("*") || t.Is("...") {
			star = "*"
			e.i++
			t = e.cur()
		}
		e.i++
		if t.Kind != token.Name {
			if t.Is("{") { // a pattern: its names stay unknown
				if m := int(e.match[e.i-1]); m > e.i {
					e.i = m + 1
				}
				out = append(out, "")
			}
			continue
		}
		if e.lang == effect.PHP && e.cur().Kind == token.Name {
			continue // a type
		}
		if t.Text != "self" && t.Text != "cls" && t.Text != "$self" {
			out = append(out, star+t.Text)
		}
		for !e.is(",") && !e.is(closing) && e.cur().Kind != token.Line && e.cur().Kind != token.End {
			if e.accept("=") || e.lang == effect.Ruby && e.accept(":") {
				for len(e.defaults) < len(out) {
					e.defaults = append(e.defaults, effect.Value{Kind: effect.Constant})
				}
				if v := e.or(); len(out) > 0 {
					e.defaults[len(out)-1] = v
				}
				continue
			}
			e.i++
		}
		e.accept(",")
	}
	if closing != "\n" {
		e.accept(closing)
	}
	return out
}

// define notes a function and binds its parameters to what it was called with in the pass before. Its body follows; a body in braces is
// read here.
func (e *eval) define(key string, params []string) effect.Value {
	f := e.fns[key]
	if f == nil {
		f = &fn{args: make([]effect.Value, len(params))}
		for i := range f.args {
			f.args[i] = effect.Value{Kind: effect.Constant}
		}
		e.fns[key] = f
	}
	f.params = params
	for i := range f.args {
		if i >= len(params) {
			break
		}
		v := f.args[i]
		if i < len(e.defaults) {
			v = effect.Choose([]effect.Value{v, e.defaults[i]})
		}
		if i < len(e.it) {
			v = e.it[i]
			f.called = true
		} else if key[0] == 0 && !f.called && e.pass > 0 { // a callback: anything
			v = effect.Value{}
		}
		e.vars[strings.TrimPrefix(params[i], "*")] = v
	}
	e.it, e.defaults = nil, e.defaults[:0]
	old := e.now
	e.now = f
	if e.lang == effect.Node || e.lang == effect.PHP || e.lang == effect.Perl {
		for e.lang != effect.Perl && !e.is("{") && !e.is("=>") && e.cur().Kind != token.End && !e.is(";") && e.lang == effect.PHP {
			e.i++ // use (…), : type
		}
		e.skipLines()
		if e.accept("{") {
			e.block("}")
			e.now = old
		}
	}
	return effect.Value{Kind: effect.Function, Text: key}
}

// arrow reads an arrow function of JavaScript; names are its parameters if they have been read.
func (e *eval) arrow(names []string) effect.Value {
	t := e.cur()
	if names == nil {
		names = e.params(")")
		for !e.is("=>") && e.cur().Kind != token.End {
			e.i++ // a return type
		}
	}
	key := e.key(t)
	e.accept("=>")
	e.skipLines()
	if e.is("{") {
		return e.define(key, names)
	}
	v := e.define(key, names)
	old := e.now
	e.now = nil
	e.fns[key].result = e.expr()
	e.now = old
	return v
}

// lambda reads Python's lambda, up to the colon, or Ruby's -> and proc.
func (e *eval) lambda(closing string) effect.Value {
	t := e.cur()
	if closing == ":" && e.lang == effect.Python {
		key := e.key(t)
		v := e.define(key, e.params(":"))
		e.fns[key].result = e.expr()
		return v
	}
	var names []string
	if e.is("(") {
		names = e.params(")")
	}
	e.rubyBlock(nil, names)
	return effect.Value{}
}

// rubyBlock reads { |x| … } or do |x| … end; x is bound to it. The body behind do is read as ordinary statements.
func (e *eval) rubyBlock(it []effect.Value, names []string) bool {
	braces := e.is("{")
	if !braces && !e.is("do") {
		return false
	}
	e.i++
	if e.accept("|") {
		names = e.params("|")
	}
	for i, n := range names {
		v := effect.Value{}
		if i < len(it) {
			v = it[i]
		}
		e.vars[strings.TrimPrefix(n, "*")] = v
	}
	if len(it) > 0 {
		e.vars["_1"], e.vars["it"] = it[0], it[0]
	}
	if braces {
		e.block("}")
	}
	return true
}
