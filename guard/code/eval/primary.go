package eval

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/act"
	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/scope"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// primary reads a literal, a name, a bracket or a function.
func (e *eval) primary() effect.Value {
	t := e.Cur()
	line := int(t.Line)
	switch t.Kind {
	case token.Text:
		v := e.text(t)
		e.At++
		for (e.lang == effect.Python || e.lang == effect.Ruby) && e.Cur().Kind == token.Text && v.Known() {
			v = e.Join(v, e.text(e.Cur()))
			e.At++
		}
		v.Line = line
		return v
	case token.Run:
		v := e.text(t)
		e.At++
		e.Run(v, nil)
		return effect.Value{}
	case token.Number:
		e.At++
		return effect.Value{Kind: effect.Constant, Text: t.Text}
	case token.Regex:
		e.At++
		return effect.Value{Kind: effect.Constant}
	case token.Name:
		e.At++
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
			e.At++
			return e.lambda("")
		case "$":
			if e.lang == effect.Awk {
				e.At++
				e.guarded()
				return effect.Unsure()
			}
		case ")", "]", "}", ";", ",", ":":
			return effect.Value{} // not ours: the caller goes on
		}
	case token.Line, token.End:
		return effect.Value{}
	}
	e.At++
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
	toks, match, i := e.Toks, e.Match, e.At
	e.Use(code)
	e.At = 0
	e.depth += 8
	v := effect.Value{}
	for e.At < len(e.Toks) {
		from := e.At
		v = e.expr()
		if e.At == from {
			e.At++
		}
	}
	e.depth -= 8
	e.Toks, e.Match, e.At = toks, match, i
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
				e.Accept("*")
			}
			key := e.key(t)
			if e.Cur().Kind == token.Name {
				key = e.Cur().Text
				e.At++
			}
			return e.define(key, e.params(")"))
		}
	case "sub":
		if e.lang == effect.Perl {
			key := e.key(t)
			if e.Cur().Kind == token.Name {
				key = e.Cur().Text
				e.At++
			}
			return e.define(key, nil)
		}
	case "proc":
		if e.lang == effect.Ruby && (e.Is("{") || e.Is("do")) {
			return e.lambda("")
		}
	case "do", "then", "begin", "else", "ensure", "finally", "try", "async", "static":
		return effect.Value{}
	case "class":
		return effect.Value{}
	}
	if e.lang == effect.Node && e.Is("=>") {
		return e.arrow([]string{name})
	}
	return e.lookup(name)
}

// key names a function without a name.
func (e *eval) key(t *token.Token) string {
	return "\x00" + strconv.Itoa(e.code) + ":" + strconv.Itoa(e.At) + ":" + strconv.Itoa(int(t.Line))
}

// lookup resolves a name.
func (e *eval) lookup(name string) effect.Value {
	if name == "" {
		return effect.Value{}
	}
	if v, ok := e.Vars[name]; ok {
		v.Name = name
		return v
	}
	if e.Funcs[name] != nil {
		if !e.Is("(") && !e.Is("=") && (e.lang != effect.Ruby && e.lang != effect.Perl || !e.Operand()) {
			e.Leak(name)
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
	for _, mod := range e.Star {
		if act.Of(e.lang, full) == 0 && act.Of(e.lang, mod+"."+full) != 0 {
			full = mod + "." + full
		}
	}
	return effect.Value{Kind: effect.Ref, Text: full, Name: name}
}

// round reads a parenthesis: a group, a tuple, or the parameters of an arrow function.
func (e *eval) round() effect.Value {
	if e.lang == effect.Node {
		if close := int(e.Match[e.At]); close > 0 && close+1 < len(e.Toks) {
			next := &e.Toks[close+1]
			if next.Is("=>") || next.Is(":") && close+3 < len(e.Toks) && e.Toks[close+3].Is("=>") {
				return e.arrow(nil)
			}
		}
	}
	e.At++
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
	e.At++
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
		e.SkipLines()
		if e.Accept(closing) || e.Cur().Kind == token.End {
			return items, named, comma
		}
		from := e.At
		if name, ok := e.Label(); ok {
			v := e.expr()
			named.Keys, named.Items = append(named.Keys, name), append(named.Items, v)
			if (e.lang == effect.Perl || closing == "]") && e.lang != effect.PHP {
				items = append(items, effect.Str(name), v)
			}
		} else {
			v := e.expr()
			if e.Is("=>") || closing == "}" && e.Is(":") { // a key that is an expression
				e.At++
				x := e.expr()
				named.Keys, named.Items = append(named.Keys, v.Text), append(named.Items, x)
				if e.lang == effect.Perl {
					items = append(items, v, x)
				}
			} else if e.lang == effect.Python && (e.Is("for") || e.Is("async")) {
				items = append(items, e.comprehension(v))
			} else if e.At > from {
				items = append(items, v)
			}
		}
		e.SkipLines()
		if e.Accept(",") {
			comma = true
		} else if e.At == from {
			if t := e.Cur(); token.Among(t, " ) ] } ") && closing != "}" && !t.Is(closing) {
				return items, named, comma // unbalanced
			}
			e.At++
		}
	}
}

// comprehension reads `for x in xs if …` behind an element. The names are bound for the next pass.
func (e *eval) comprehension(element effect.Value) effect.Value {
	for e.Accept("async") || e.Is("for") {
		if !e.Accept("for") {
			continue
		}
		names := e.Targets("in")
		e.Bind(names, e.or())
		for e.Accept("if") {
			e.or()
		}
	}
	return effect.Value{Kind: effect.Each, Items: []effect.Value{element}}
}

// object reads {…} where a value is expected: fields, elements, or statements of a block.
func (e *eval) object() effect.Value {
	e.At++
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
	if closing == ")" && !e.Accept("(") {
		return nil
	}
	e.defaults = e.defaults[:0]
	for !e.Is(closing) && e.Cur().Kind != token.End && e.Cur().Kind != token.Line || e.Cur().Kind == token.Line && closing == ")" {
		t := e.Cur()
		star := ""
		if t.Is("*") || t.Is("...") {
			star = "*"
			e.At++
			t = e.Cur()
		}
		e.At++
		if t.Kind != token.Name {
			if t.Is("{") { // a pattern: its names stay unknown
				if m := int(e.Match[e.At-1]); m > e.At {
					e.At = m + 1
				}
				out = append(out, "")
			}
			continue
		}
		if e.lang == effect.PHP && e.Cur().Kind == token.Name {
			continue // a type
		}
		if t.Text != "self" && t.Text != "cls" && t.Text != "$self" {
			out = append(out, star+t.Text)
		}
		for !e.Is(",") && !e.Is(closing) && e.Cur().Kind != token.Line && e.Cur().Kind != token.End {
			if e.Accept("=") || e.lang == effect.Ruby && e.Accept(":") {
				for len(e.defaults) < len(out) {
					e.defaults = append(e.defaults, effect.Value{Kind: effect.Constant})
				}
				if v := e.or(); len(out) > 0 {
					e.defaults[len(out)-1] = v
				}
				continue
			}
			e.At++
		}
		e.Accept(",")
	}
	if closing != "\n" {
		e.Accept(closing)
	}
	return out
}

// define notes a function and binds its parameters to what it was called with in the pass before. Its body follows; a body in braces is
// read here.
func (e *eval) define(key string, params []string) effect.Value {
	f := e.Funcs[key]
	if f == nil {
		f = &scope.Func{Args: make([]effect.Value, len(params))}
		for i := range f.Args {
			f.Args[i] = effect.Value{Kind: effect.Constant}
		}
		e.Funcs[key] = f
	}
	f.Params = params
	for i := range f.Args {
		if i >= len(params) {
			break
		}
		v := f.Args[i]
		if i < len(e.defaults) {
			v = effect.Choose([]effect.Value{v, e.defaults[i]})
		}
		if i < len(e.it) {
			v = e.it[i]
			f.Called = true
		} else if key[0] == 0 && !f.Called && e.pass > 0 { // a callback: anything
			v = effect.Value{}
		}
		e.Vars[strings.TrimPrefix(params[i], "*")] = v
	}
	e.it, e.defaults = nil, e.defaults[:0]
	old := e.Now
	e.Now = f
	if e.lang == effect.Node || e.lang == effect.PHP || e.lang == effect.Perl {
		for e.lang != effect.Perl && !e.Is("{") && !e.Is("=>") && e.Cur().Kind != token.End && !e.Is(";") && e.lang == effect.PHP {
			e.At++ // use (…), : type
		}
		e.SkipLines()
		if e.Accept("{") {
			e.block("}")
			e.Now = old
		}
	}
	return effect.Value{Kind: effect.Function, Text: key}
}

// arrow reads an arrow function of JavaScript; names are its parameters if they have been read.
func (e *eval) arrow(names []string) effect.Value {
	t := e.Cur()
	if names == nil {
		names = e.params(")")
		for !e.Is("=>") && e.Cur().Kind != token.End {
			e.At++ // a return type
		}
	}
	key := e.key(t)
	e.Accept("=>")
	e.SkipLines()
	if e.Is("{") {
		return e.define(key, names)
	}
	v := e.define(key, names)
	old := e.Now
	e.Now = nil
	e.Funcs[key].Result = e.expr()
	e.Now = old
	return v
}

// lambda reads Python's lambda, up to the colon, or Ruby's -> and proc.
func (e *eval) lambda(closing string) effect.Value {
	t := e.Cur()
	if closing == ":" && e.lang == effect.Python {
		key := e.key(t)
		v := e.define(key, e.params(":"))
		e.Funcs[key].Result = e.expr()
		return v
	}
	var names []string
	if e.Is("(") {
		names = e.params(")")
	}
	e.rubyBlock(nil, names)
	return effect.Value{}
}

// rubyBlock reads { |x| … } or do |x| … end; x is bound to it. The body behind do is read as ordinary statements.
func (e *eval) rubyBlock(it []effect.Value, names []string) bool {
	braces := e.Is("{")
	if !braces && !e.Is("do") {
		return false
	}
	e.At++
	if e.Accept("|") {
		names = e.params("|")
	}
	for i, n := range names {
		v := effect.Value{}
		if i < len(it) {
			v = it[i]
		}
		e.Vars[strings.TrimPrefix(n, "*")] = v
	}
	if len(it) > 0 {
		e.Vars["_1"], e.Vars["it"] = it[0], it[0]
	}
	if braces {
		e.block("}")
	}
	return true
}
