package eval

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// block reads statements up to closing, or all of them if closing is "".
func (e *eval) block(closing string) {
	e.depth++
	defer func() { e.depth-- }()
	for e.cur().Kind != token.End {
		if closing != "" && e.accept(closing) {
			return
		}
		if e.depth > maxNesting {
			e.Ask()
			e.i++
			return
		}
		from := e.i
		if e.is("{") && closing != "" {
			e.i++
			e.block("}")
			continue
		}
		e.statement()
		if e.i == from {
			e.i++
		}
	}
}

// statement reads one statement, or one piece of what it does not understand.
func (e *eval) statement() {
	t := e.cur()
	if t.Kind == token.Line || t.Kind == token.Op && strings.Contains(" ; { } , ) ] : = ", " "+t.Text+" ") {
		e.i++
		return
	}
	if t.Kind == token.Name && !e.peek(1).Is("=") && e.keyword(t.Text) {
		return
	}
	if e.lang == effect.Python && t.Kind == token.Name && e.peek(1).Is(":") && e.annotated() {
		return
	}
	e.assignment(e.expr())
}

// annotated reads `x: type = value` of Python.
func (e *eval) annotated() bool {
	for k := 2; k < 20; k++ {
		switch t := e.peek(k); {
		case t.Kind == token.Line, t.Kind == token.End:
			return false
		case t.Is("="):
			name, nest := e.cur().Text, e.cur().Nest
			e.i += k + 1
			e.set(name, e.expr(), nest)
			return true
		}
	}
	return false
}

// assignment handles what may follow an expression: =, +=, more targets, as.
func (e *eval) assignment(v effect.Value) {
	targets := []string{v.Name}
	nest := e.peek(-1).Nest
	for e.i > 0 && e.is(",") && v.Name != "" && e.lang != effect.Perl && e.lang != effect.Node && e.lang != effect.PHP && e.lang != effect.Awk && e.lang != effect.R {
		e.i++
		x := e.expr()
		targets = append(targets, x.Name)
	}
	if len(targets) == 1 && v.Kind == effect.List && (e.lang == effect.Perl || e.lang == effect.Python || e.lang == effect.PHP || e.lang == effect.Node) {
		targets = targets[:0]
		for _, x := range v.Items {
			targets = append(targets, x.Name)
		}
	}
	t := e.cur()
	if t.Kind != token.Op {
		if t.Is("as") && e.lang == effect.Python {
			e.i++
			if e.cur().Kind == token.Name {
				e.set(e.cur().Text, v, nest)
				e.i++
			}
		}
		if e.lang == effect.Perl && (t.Is("for") || t.Is("foreach")) || e.lang == effect.R && t.Is("for") {
			e.i++
			e.vars["$_"] = e.expr().Iter()
		}
		return
	}
	switch t.Text {
	case "=", ":=", "||=", "??=", "//=", "<-":
		e.i++
		e.skipLines()
		right := e.expr()
		for e.is("=") { // a = b = c
			e.i++
			targets = append(targets[:1], right.Name)
			right = e.expr()
			e.set(targets[len(targets)-1], right, nest)
		}
		if e.lang == effect.Python && e.is(",") {
			items := []effect.Value{right}
			for e.accept(",") {
				items = append(items, e.expr())
			}
			right = effect.Value{Kind: effect.List, Items: items}
		}
		if len(targets) == 1 {
			if right.Kind == effect.Function && v.Kind != effect.Function { // f = lambda x: …
				e.fns[targets[0]] = e.fns[right.Text]
				delete(e.vars, targets[0])
				return
			}
			if e.lang == effect.Perl && strings.HasPrefix(targets[0], "$") && right.Kind == effect.List {
				right = right.Iter()
			}
			e.set(targets[0], right, nest)
			return
		}
		e.bind(targets, effect.ListOf(right))
	case "+=", ".=":
		e.i++
		e.set(v.Name, e.Join(v, e.expr()), nest)
	}
}

// set assigns a variable. In an indented block the old value stays possible.
func (e *eval) set(name string, v effect.Value, nest bool) {
	if name == "" || len(name) > 200 {
		return
	}
	if old, ok := e.vars[name]; ok && nest && old.Kind != effect.Constant && old.Kind != effect.Unknown && !(old.Kind == v.Kind && old.Kind == effect.List) {
		if v.Kind == effect.Constant {
			return
		}
		v = effect.Choose([]effect.Value{old, v})
	}
	v.Name = ""
	e.vars[name] = v
}

// bind gives the loop variables the elements of v.
func (e *eval) bind(names []string, v effect.Value) {
	x := v.Iter()
	if len(names) == 1 {
		if names[0] != "" {
			e.vars[names[0]] = x
		}
		return
	}
	for i, n := range names {
		if n == "" {
			continue
		}
		var all []effect.Value
		for _, o := range x.Options() {
			if o.Kind == effect.List && i < len(o.Items) {
				all = append(all, o.Items[i])
			} else if o.Kind != effect.List && i == len(names)-1 {
				all = append(all, o) // enumerate, items of a map: the last name gets the element
			}
		}
		e.vars[n] = effect.Choose(all)
	}
}

// targets reads the names of a for loop up to the word in or of.
func (e *eval) targets(stop string) []string {
	var names []string
	for k := 0; k < 40; k++ {
		t := e.cur()
		if t.Is(stop) || t.Is("of") {
			e.i++
			break
		}
		if t.Kind == token.Line || t.Kind == token.End {
			break
		}
		if t.Kind == token.Name && !among(t, " const let var local ") {
			names = append(names, t.Text)
		}
		e.i++
	}
	return names
}

// keyword handles statements that begin with a word. It reports false if the word begins an expression.
func (e *eval) keyword(w string) bool {
	switch w {
	case "import", "from", "use", "require_relative", "package", "namespace", "no":
		return e.imports(w)
	case "include", "extend":
		if e.lang == effect.Ruby && e.peek(1).Kind == token.Name {
			e.star = append(e.star, e.peek(1).Text)
			e.i += 2
			return true
		}
	case "const", "let", "var":
		if e.lang == effect.Node {
			e.i++
			e.declare()
			return true
		}
	case "def":
		e.def()
		return true
	case "for", "foreach":
		return e.forLoop()
	case "return":
		e.i++
		v := e.expr()
		if f := e.now; f != nil {
			if f.returns && f.result.Kind != effect.Constant {
				v = effect.Choose([]effect.Value{f.result, v})
			}
			f.result, f.returns = v, true
		}
		return true
	case "export", "default", "local", "my", "our", "static", "public", "private", "protected", "with", "if", "elif", "elsif", "elseif", "else", "while",
		"until", "unless", "when", "case", "try", "except", "catch", "finally", "ensure", "begin", "rescue", "do", "then", "end", "raise", "throw", "assert", "class",
		"module", "async", "global", "nonlocal", "switch", "echo", "del", "BEGIN", "END", "module_function", "repeat", "tell":
		if e.lang == effect.Python && w == "class" || e.peek(1).Is(".") || e.peek(1).Is("(") && (w == "end" || w == "default" || w == "del" || w == "with" && e.lang == effect.Node) {
			return false
		}
		quiet := (w == "unless" || w == "until") && e.quiet == 0
		e.i++
		if quiet {
			e.quiet++
			e.expr()
			e.quiet--
		}
		return true
	case "print", "printf", "puts", "p", "pp", "say", "die", "warn":
		if e.lang == effect.Awk && strings.HasPrefix(w, "print") {
			e.i++
			e.awkPrint()
			return true
		}
	case "exec":
		if e.lang == effect.Python && !e.peek(1).Is("(") { // python 2
			e.i++
			e.m.Do(lib.Call{Name: "exec", Args: []effect.Value{e.expr()}, Line: int(e.peek(-1).Line)})
			return true
		}
	case "shell", "script":
		if e.lang == effect.AppleScript {
			e.i++
			e.accept("script")
			e.Run(e.expr(), nil)
			return true
		}
	}
	return false
}

// def reads the head of a function in Python or Ruby.
func (e *eval) def() {
	e.i++
	name := ""
	for e.cur().Kind == token.Name || e.is(".") {
		name = e.cur().Text
		e.i++
	}
	if name == "" {
		return
	}
	var params []string
	if e.is("(") {
		params = e.params(")")
	} else if e.lang == effect.Ruby {
		params = e.params("\n")
	}
	e.define(name, params)
}

// forLoop reads the head of a loop and binds its variables.
func (e *eval) forLoop() bool {
	e.i++
	paren := false
	switch e.lang {
	case effect.Perl:
		name := "$_"
		e.accept("my")
		if t := e.cur(); t.Kind == token.Name && strings.HasPrefix(t.Text, "$") {
			name = t.Text
			e.i++
		}
		if !e.is("(") {
			return true
		}
		e.vars[name] = e.expr().Iter()
		return true
	case effect.PHP:
		if e.accept("(") {
			v := e.expr()
			if e.accept("as") {
				var names []string
				for e.cur().Kind == token.Name || e.is("=>") {
					if e.cur().Kind == token.Name {
						names = append(names, e.cur().Text)
					}
					e.i++
				}
				if len(names) > 0 {
					e.bind(names[len(names)-1:], v)
				}
			}
		}
		return true
	case effect.Node, effect.R, effect.Awk:
		e.accept("await")
		paren = e.accept("(")
	}
	k := 0 // for (…;…;…) has no in
	for ; k < 40; k++ {
		if t := e.peek(k); t.Is("in") || t.Is("of") {
			break
		} else if t.Is(";") || t.Is("{") && e.lang != effect.Node || t.Kind == token.End || t.Is(")") && paren {
			return true
		}
	}
	names := e.targets("in")
	v := e.expr()
	if e.lang == effect.Python && e.is(",") {
		v = effect.ListOf(v)
		for e.accept(",") {
			v.Items = append(v.Items, e.expr())
		}
	}
	e.bind(names, v)
	return true
}

// declare reads `{a: b, c} = value`, `[a, b] = value` or `a = value` behind const, let and var.
func (e *eval) declare() {
	nest := e.cur().Nest
	if !e.is("{") && !e.is("[") {
		if t := e.cur(); t.Kind == token.Name && e.peek(1).Is(":") { // a type
			for k := 2; k < 24; k++ {
				if e.peek(k).Is("=") {
					e.i += k + 1
					e.set(t.Text, e.expr(), nest)
					return
				}
			}
		}
		return // an assignment like any other
	}
	object := e.is("{")
	names, keys := e.pattern()
	if !e.accept("=") {
		return
	}
	e.skipLines()
	v := e.expr()
	if !object {
		e.bind(names, effect.ListOf(v))
		return
	}
	for i, n := range names {
		e.set(n, e.m.Attr(v, keys[i]), nest)
	}
}

// pattern reads {a, b: c} or [a, b]; keys are the names in the object.
func (e *eval) pattern() (names, keys []string) {
	stop := int(e.match[e.i])
	for e.i++; e.i < stop; e.i++ {
		t := e.cur()
		if t.Kind != token.Name && t.Kind != token.Text {
			continue
		}
		key, name := t.Text, t.Text
		if (e.peek(1).Is(":") || e.peek(1).Is("as")) && e.peek(2).Kind == token.Name {
			name = e.peek(2).Text
			e.i += 2
		}
		names, keys = append(names, name), append(keys, key)
		for e.i < stop && !e.is(",") {
			e.i++
		}
	}
	if stop > 0 {
		e.i = stop + 1
	}
	return names, keys
}
