package eval

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// expr reads an expression with its conditional part.
func (e *eval) expr() effect.Value {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxNesting {
		e.At++
		e.Ask()
		return effect.Value{}
	}
	v := e.or()
	switch {
	case e.Is(":=") && e.lang == effect.Python && v.Name != "":
		e.At++
		name := v.Name
		v = e.expr()
		e.Set(name, v, true)
	case e.Is("?") && e.lang != effect.Python && e.lang != effect.Lua && e.lang != effect.R:
		e.At++
		e.SkipLines()
		a := v
		if !e.Is(":") {
			a = e.expr()
		}
		e.SkipLines()
		if e.Accept(":") {
			e.SkipLines()
			return effect.Choose([]effect.Value{a, e.expr()})
		}
		return a
	case e.lang == effect.Python && e.Is("if"):
		e.At++
		e.or()
		if e.Accept("else") {
			return effect.Choose([]effect.Value{v, e.expr()})
		}
	}
	return v
}

func (e *eval) or() effect.Value {
	v := e.compare()
	for e.lang == effect.Awk && e.Is("|") && e.Peek(1).Is("getline") {
		e.Run(v, nil)
		e.At += 2
		v = e.compare()
	}
	for {
		op, ok := e.Binary(" || && ?? or and ")
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
		op, ok := e.Binary(set)
		if !ok {
			return v
		}
		right := e.sum()
		if e.quiet == 0 && (op == "==" || op == "===" || op == "eq") && right.Known() {
			e.Narrow(v, right.Text, false)
		}
		v = effect.Value{Kind: effect.Constant}
	}
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
		if e.lang == effect.Awk && e.Juxtaposed() {
			v = e.Join(v, e.unary())
			continue
		}
		if e.print && e.Is("|") {
			return v
		}
		op, ok := e.Binary(set)
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
			v = e.Percent(v, right)
		default:
			v = effect.Value{}
			if right.Kind == effect.Constant {
				v = effect.Value{Kind: effect.Constant}
			}
		}
	}
}

func (e *eval) unary() effect.Value {
	t := e.Cur()
	if t.Kind == token.Op || t.Kind == token.Name {
		switch t.Text {
		case "!", "not", "unless":
			e.At++
			e.quiet++
			v := e.guarded()
			e.quiet--
			if v.Kind != effect.Function {
				v = effect.Value{Kind: effect.Constant}
			}
			return v
		case "await", "new", "typeof", "yield", "async", "void", "delete", "throw", "defined", "my", "our", "local", "clone", "raise":
			if t.Kind == token.Name && !(t.Text == "delete" && e.lang != effect.Node) && !e.Peek(1).Is("=") && !e.Peek(1).Is(".") && (e.lang != effect.Python || t.Text == "await") {
				e.At++
				return e.guarded()
			}
		case "-", "+", "*", "**", "&", "...", "\\", "++", "--", "~", "@", "..":
			e.At++
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
		e.At++
		return effect.Value{}
	}
	return e.unary()
}

// postfix reads a primary and the attributes, calls and indexes behind it.
func (e *eval) postfix() effect.Value {
	v := e.primary()
	for {
		t := e.Cur()
		if t.Kind == token.Line && (e.lang == effect.Node || e.lang == effect.Ruby) {
			k := 1
			for e.Peek(k).Kind == token.Line && k < 4 {
				k++
			}
			if next := e.Peek(k); !next.Is(".") && !next.Is("?.") && !next.Is("&.") || e.Peek(k+1).Kind != token.Name {
				break
			}
			e.At += k
			t = e.Cur()
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
			t.Text == ":" && e.lang == effect.Lua && e.Peek(1).Kind == token.Name && e.Peek(2).Is("("):
			e.At++
			v = e.member(v)
		case t.Text == "(" && (e.lang != effect.Perl || v.Kind == effect.Ref || v.Kind == effect.Method || v.Kind == effect.Function) && e.lang != effect.Awk || t.Text == "(" && v.Kind == effect.Ref:
			v = e.call(v)
		case t.Text == "[" && (e.lang != effect.Ruby || !t.Space || v.Kind == effect.Text || v.Kind == effect.List):
			v = e.index(v, "]")
		case t.Text == "{" && e.lang == effect.Perl && v.Name != "" && !t.Space:
			v = e.index(v, "}")
		case t.Text == "!" && e.lang == effect.Node && !t.Space && (e.Peek(1).Is(".") || e.Peek(1).Is(")")):
			e.At++
		default:
			return e.command(v)
		}
	}
	return e.force(v)
}

// member reads the name behind a dot or arrow.
func (e *eval) member(v effect.Value) effect.Value {
	t := e.Cur()
	switch {
	case t.Kind == token.Name:
		e.At++
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
		e.At++
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
	e.At++
	e.SkipLines()
	var keys []effect.Value
	for !e.Is(closing) && e.Cur().Kind != token.End {
		from := e.At
		if t := e.Cur(); closing == "}" && t.Kind == token.Name && e.Peek(1).Is("}") {
			keys = append(keys, effect.Str(t.Text))
			e.At++
		} else {
			keys = append(keys, e.expr())
		}
		e.SkipLines()
		if !e.Accept(",") && e.At == from {
			e.At++
		}
	}
	e.Accept(closing)
	if len(keys) == 0 {
		return effect.Value{}
	}
	key := keys[0]
	if e.lang == effect.Perl && v.Name == "$_" && e.Now != nil && closing == "]" {
		v = effect.ListOf(e.Now.Args...)
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
