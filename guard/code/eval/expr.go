package eval

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/token"
)

func (e *eval) cur() *token.Token { return e.peek(0) }

func (e *eval) peek(k int) *token.Token {
	if e.i+k < len(e.toks) {
		return &e.toks[e.i+k]
	}
	return &e.end
}

func (e *eval) is(s string) bool { return e.cur().Is(s) }

func (e *eval) accept(s string) bool {
	if e.is(s) {
		e.i++
		return true
	}
	return false
}

func (e *eval) skipLines() {
	for e.cur().Kind == token.Line {
		e.i++
	}
}

// among reports whether t is one of the operators or names in set, between spaces.
func among(t *token.Token, set string) bool {
	return (t.Kind == token.Op || t.Kind == token.Name) && strings.Contains(set, " "+t.Text+" ")
}

// binary reports whether an operator of set comes next, over line ends where the language allows it.
func (e *eval) binary(set string) (string, bool) {
	t := e.cur()
	if t.Kind == token.Line && (e.lang == effect.Node || e.lang == effect.Ruby || e.lang == effect.Lua) {
		k := 1
		for e.peek(k).Kind == token.Line && k < 4 {
			k++
		}
		if next := e.peek(k); next.Kind == token.Op && !among(next, " - [ ( { * / % & << < > ") && among(next, set) {
			e.i += k + 1
			e.skipLines()
			return next.Text, true
		}
		return "", false
	}
	if !among(t, set) || t.Kind == token.Name && !t.Space && e.i > 0 && e.toks[e.i-1].Is(".") {
		return "", false
	}
	e.i++
	e.skipLines()
	return t.Text, true
}

// expr reads an expression with its conditional part.
func (e *eval) expr() effect.Value {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxNesting {
		e.i++
		e.Ask()
		return effect.Value{}
	}
	v := e.or()
	switch {
	case e.is(":=") && e.lang == effect.Python && v.Name != "":
		e.i++
		name := v.Name
		v = e.expr()
		e.set(name, v, true)
	case e.is("?") && e.lang != effect.Python && e.lang != effect.Lua && e.lang != effect.R:
		e.i++
		e.skipLines()
		a := v
		if !e.is(":") {
			a = e.expr()
		}
		e.skipLines()
		if e.accept(":") {
			e.skipLines()
			return effect.Choose([]effect.Value{a, e.expr()})
		}
		return a
	case e.lang == effect.Python && e.is("if"):
		e.i++
		e.or()
		if e.accept("else") {
			return effect.Choose([]effect.Value{v, e.expr()})
		}
	}
	return v
}

func (e *eval) or() effect.Value {
	v := e.compare()
	for e.lang == effect.Awk && e.is("|") && e.peek(1).Is("getline") {
		e.Run(v, nil)
		e.i += 2
		v = e.compare()
	}
	for {
		op, ok := e.binary(" || && ?? or and ")
		if !ok {
			return v
		}
		if e.lang == effect.Awk && op == "or" {
			return v
		}
		right := e.compare()
		if op == "&&" || op == "and" {
			v = right
		} else if v.Kind != effect.Constant {
			v = effect.Choose([]effect.Value{v, right})
		} else {
			v = right
		}
	}
}

func (e *eval) compare() effect.Value {
	v := e.sum()
	for {
		set := " == != === !== < > <= >= <=> =~ !~ in is not eq ne lt gt instanceof ~ "
		switch {
		case e.print:
			set = " == != < <= >= "
		case e.lang == effect.PHP || e.lang == effect.R || e.lang == effect.Ruby:
			set = " == != === !== < > <= >= <=> =~ !~ instanceof "
		case e.lang == effect.Node:
			set = " == != === !== < > <= >= instanceof "
		}
		op, ok := e.binary(set)
		if !ok {
			return v
		}
		right := e.sum()
		if e.quiet == 0 && (op == "==" || op == "===" || op == "eq") && right.Known() {
			e.narrow(v, right.Text, false)
		}
		v = effect.Value{Kind: effect.Constant}
	}
}

// narrow notes what a comparison says about a variable that holds any name of a folder.
func (e *eval) narrow(v effect.Value, is string, suffix bool) {
	old, ok := e.vars[v.Name]
	if v.Name == "" || !ok || !old.Glob || !strings.HasSuffix(old.Text, "*") || len(is) > effect.MaxText {
		return
	}
	if !suffix {
		old.Text = strings.TrimRight(old.Text, "*")
	}
	old.Text += is
	e.vars[v.Name] = old
}

// sum reads operands joined by arithmetic and string operators, from left to right.
func (e *eval) sum() effect.Value {
	v := e.unary()
	for {
		set := " + - * / // % ** | ^ << >> & .. "
		switch e.lang {
		case effect.Perl, effect.PHP:
			set = " + - * / % ** | ^ << >> & . .. x "
		case effect.Awk:
			set = " + - * / % ^ ** "
		case effect.R:
			set = " + - * / ^ : % "
		}
		if e.lang == effect.Awk && e.juxtaposed() {
			v = e.Join(v, e.unary())
			continue
		}
		if e.print && e.is("|") {
			return v
		}
		op, ok := e.binary(set)
		if !ok {
			return v
		}
		right := e.unary()
		switch {
		case op == "." || op == ".." && e.lang == effect.Lua || op == "&" && e.lang == effect.AppleScript || op == "<<" && e.lang == effect.Ruby:
			v = e.Join(v, right)
		case op == "+" && e.lang != effect.Awk && e.lang != effect.R && (v.Kind != effect.Constant || right.Kind != effect.Constant):
			if v.Path && e.lang == effect.Ruby {
				v = e.JoinPath(v, right)
			} else {
				v = e.Join(v, right)
			}
		case op == "/" && e.lang == effect.Python && (v.Path || right.Path || v.Kind == effect.Choice):
			v = e.JoinPath(v, right)
			v.Path = true
		case op == "/" && v.Kind == effect.Unknown && right.Known():
			v = e.JoinPath(effect.Unsure(), right)
			v.Path = true
		case op == "%" && v.Known() && (e.lang == effect.Python || e.lang == effect.Ruby):
			v = e.percent(v, right)
		default:
			v = effect.Value{}
			if right.Kind == effect.Constant {
				v = effect.Value{Kind: effect.Constant}
			}
		}
	}
}

// juxtaposed reports whether awk joins the next operand to the one before.
func (e *eval) juxtaposed() bool {
	t := e.cur()
	switch t.Kind {
	case token.Text, token.Number:
		return true
	case token.Name:
		return !among(t, " in getline if else while for do print printf return exit next ")
	}
	return t.Is("$") || t.Is("(")
}

func (e *eval) unary() effect.Value {
	t := e.cur()
	if t.Kind == token.Op || t.Kind == token.Name {
		switch t.Text {
		case "!", "not", "unless":
			e.i++
			e.quiet++
			v := e.guarded()
			e.quiet--
			if v.Kind != effect.Function {
				v = effect.Value{Kind: effect.Constant}
			}
			return v
		case "await", "new", "typeof", "yield", "async", "void", "delete", "throw", "defined", "my", "our", "local", "clone", "raise":
			if t.Kind == token.Name && !(t.Text == "delete" && e.lang != effect.Node) && !e.peek(1).Is("=") && !e.peek(1).Is(".") && (e.lang != effect.Python || t.Text == "await") {
				e.i++
				return e.guarded()
			}
		case "-", "+", "*", "**", "&", "...", "\\", "++", "--", "~", "@", "..":
			e.i++
			v := e.guarded()
			if t.Text == "-" && v.Kind == effect.Constant {
				v.Text = "-" + v.Text
			}
			return v
		}
	}
	return e.postfix()
}

// guarded is unary one level deeper: `!!!!…` must not exhaust the stack.
func (e *eval) guarded() effect.Value {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxNesting {
		e.i++
		return effect.Value{}
	}
	return e.unary()
}

// percent is the string formatting of Python and Ruby: "%s/x" % v.
func (e *eval) percent(format, arg effect.Value) effect.Value {
	args := []effect.Value{arg}
	if arg.Kind == effect.List {
		args = arg.Items
	}
	out, rest := effect.Str(""), format.Text
	for n := 0; ; n++ {
		before, after, found := strings.Cut(rest, "%")
		out = e.Join(out, effect.Str(before))
		if !found || n > effect.MaxChoices {
			break
		}
		rest = strings.TrimLeft(after, "-+ #0123456789.")
		if name, tail, ok := strings.Cut(rest, ")"); ok && strings.HasPrefix(rest, "(") {
			v, _ := arg.Get(name[1:])
			out, rest = e.Join(out, v.Part()), tail
		} else if strings.HasPrefix(rest, "%") {
			out, n = e.Join(out, effect.Str("%")), n-1
		} else if n < len(args) {
			out = e.Join(out, args[n].Part())
		} else {
			out = e.Join(out, effect.Unsure())
		}
		if rest != "" {
			rest = rest[1:]
		}
	}
	return out
}

// postfix reads a primary and the attributes, calls and indexes behind it.
func (e *eval) postfix() effect.Value {
	v := e.primary()
	for {
		t := e.cur()
		if t.Kind == token.Line && (e.lang == effect.Node || e.lang == effect.Ruby) {
			k := 1
			for e.peek(k).Kind == token.Line && k < 4 {
				k++
			}
			if next := e.peek(k); !next.Is(".") && !next.Is("?.") && !next.Is("&.") || e.peek(k+1).Kind != token.Name {
				break
			}
			e.i += k
			t = e.cur()
		}
		switch {
		case t.Kind == token.Text && e.lang == effect.Lua && (v.Kind == effect.Ref || v.Kind == effect.Method):
			v = e.Invoke(v, []effect.Value{e.primary()}, nil, int(t.Line))
		case t.Kind == token.Text && e.lang == effect.Node && v.Kind == effect.Ref && !t.Space && (v.Text == "$" || strings.HasSuffix(v.Text, ".$")):
			e.Run(e.primary(), nil)
			v = effect.Value{}
		case t.Kind != token.Op:
			return e.command(v)
		case (t.Text == "." && e.lang != effect.Perl && e.lang != effect.PHP) || t.Text == "?." || t.Text == "&." || t.Text == "::" || t.Text == "->" && e.lang != effect.Python && e.lang != effect.Ruby ||
			t.Text == ":" && e.lang == effect.Lua && e.peek(1).Kind == token.Name && e.peek(2).Is("("):
			e.i++
			v = e.member(v)
		case t.Text == "(" && (e.lang != effect.Perl || v.Kind == effect.Ref || v.Kind == effect.Method || v.Kind == effect.Function) && e.lang != effect.Awk || t.Text == "(" && v.Kind == effect.Ref:
			v = e.call(v)
		case t.Text == "[" && (e.lang != effect.Ruby || !t.Space || v.Kind == effect.Text || v.Kind == effect.List):
			v = e.index(v, "]")
		case t.Text == "{" && e.lang == effect.Perl && v.Name != "" && !t.Space:
			v = e.index(v, "}")
		case t.Text == "!" && e.lang == effect.Node && !t.Space && (e.peek(1).Is(".") || e.peek(1).Is(")")):
			e.i++
		default:
			return e.command(v)
		}
	}
	return e.force(v)
}

// member reads the name behind a dot or arrow.
func (e *eval) member(v effect.Value) effect.Value {
	t := e.cur()
	switch {
	case t.Kind == token.Name:
		e.i++
		return e.m.Attr(v, t.Text)
	case t.Is("(") && e.lang == effect.Perl, t.Is("[") && e.lang != effect.Node, t.Is("{") && e.lang != effect.Node, t.Is("("), t.Is("["):
		if t.Is("{") {
			return e.index(v, "}")
		}
		if t.Is("[") {
			return e.index(v, "]")
		}
		return e.call(v)
	case t.Kind == token.Text:
		e.i++
		return e.m.Attr(v, t.Text)
	}
	return effect.Value{}
}

// force gives the value of an attribute that is not called.
func (e *eval) force(v effect.Value) effect.Value {
	if v.Kind != effect.Method {
		return v
	}
	if e.lang == effect.Ruby { // methods need no parentheses
		return e.methodCall(v.Items[0], v.Text, nil, nil, v.Line)
	}
	recv := v.Items[0]
	switch v.Text {
	case "parent", "dirname":
		return recv.Parent()
	case "stdout", "text", "stdin", "length", "name", "stem", "suffix":
		if v.Text == "name" && (recv.Path || recv.Glob) || v.Text == "stdin" && recv.Kind == effect.Process {
			return recv
		}
	}
	return effect.Value{}
}

// index reads v[…].
func (e *eval) index(v effect.Value, closing string) effect.Value {
	e.i++
	e.skipLines()
	var keys []effect.Value
	for !e.is(closing) && e.cur().Kind != token.End {
		from := e.i
		if t := e.cur(); closing == "}" && t.Kind == token.Name && e.peek(1).Is("}") {
			keys = append(keys, effect.Str(t.Text))
			e.i++
		} else {
			keys = append(keys, e.expr())
		}
		e.skipLines()
		if !e.accept(",") && e.i == from {
			e.i++
		}
	}
	e.accept(closing)
	if len(keys) == 0 {
		return effect.Value{}
	}
	key := keys[0]
	if e.lang == effect.Perl && v.Name == "$_" && e.now != nil && closing == "]" {
		v = effect.ListOf(e.now.args...)
	}
	switch v.Kind {
	case effect.Ref:
		return e.m.Index(v, key, keys)
	case effect.Object:
		x, _ := v.Get(key.Text)
		return x
	case effect.List:
		for n := range v.Items {
			if key.Kind == effect.Constant && key.Text == strconv.Itoa(n) {
				return v.Items[n]
			}
			if n > 99 {
				break
			}
		}
		if len(keys) > 1 {
			return v
		}
		if key.Kind != effect.Constant {
			return effect.Choose(v.Items)
		}
	case effect.Each:
		return v.Items[0]
	}
	return effect.Value{}
}
