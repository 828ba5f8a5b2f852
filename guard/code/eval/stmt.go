package eval

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/imports"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// block reads statements up to closing, or all of them if closing is "".
func (e *eval) block(closing string) {
	e.depth++
	defer func() { e.depth-- }()
	for e.Cur().Kind != token.End {
		if closing != "" && e.Accept(closing) {
			return
		}
		if e.depth > maxNesting {
			e.Ask()
			e.At++
			return
		}
		from := e.At
		if e.Is("{") && closing != "" {
			e.At++
			e.block("}")
			continue
		}
		e.statement()
		if e.At == from {
			e.At++
		}
	}
}

// statement reads one statement, or one piece of what it does not understand.
func (e *eval) statement() {
	t := e.Cur()
	if t.Kind == token.Line || t.Kind == token.Op && strings.Contains(" ; { } , ) ] : = ", " "+t.Text+" ") {
		e.At++
		return
	}
	if t.Kind == token.Name && !e.Peek(1).Is("=") && e.keyword(t.Text) {
		return
	}
	if e.lang == effect.Python && t.Kind == token.Name && e.Peek(1).Is(":") && e.annotated() {
		return
	}
	e.assignment(e.expr())
}

// annotated reads `x: type = value` of Python.
func (e *eval) annotated() bool {
	for k := 2; k < 20; k++ {
		switch t := e.Peek(k); {
		case t.Kind == token.Line, t.Kind == token.End:
			return false
		case t.Is("="):
			name, nest := e.Cur().Text, e.Cur().Nest
			e.At += k + 1
			e.Set(name, e.expr(), nest)
			return true
		}
	}
	return false
}

// assignment handles what may follow an expression: =, +=, more targets, as.
func (e *eval) assignment(v effect.Value) {
	targets := []string{v.Name}
	nest := e.Peek(-1).Nest
	for e.At > 0 && e.Is(",") && v.Name != "" && e.lang != effect.Perl && e.lang != effect.Node && e.lang != effect.PHP && e.lang != effect.Awk && e.lang != effect.R {
		e.At++
		x := e.expr()
		targets = append(targets, x.Name)
	}
	if len(targets) == 1 && v.Kind == effect.List && (e.lang == effect.Perl || e.lang == effect.Python || e.lang == effect.PHP || e.lang == effect.Node) {
		targets = targets[:0]
		for _, x := range v.Items {
			targets = append(targets, x.Name)
		}
	}
	t := e.Cur()
	if t.Kind != token.Op {
		if t.Is("as") && e.lang == effect.Python {
			e.At++
			if e.Cur().Kind == token.Name {
				e.Set(e.Cur().Text, v, nest)
				e.At++
			}
		}
		if e.lang == effect.Perl && (t.Is("for") || t.Is("foreach")) || e.lang == effect.R && t.Is("for") {
			e.At++
			e.Vars["$_"] = e.expr().Iter()
		}
		return
	}
	switch t.Text {
	case "=", ":=", "||=", "??=", "//=", "<-":
		e.At++
		e.SkipLines()
		right := e.expr()
		for e.Is("=") { // a = b = c
			e.At++
			targets = append(targets[:1], right.Name)
			right = e.expr()
			e.Set(targets[len(targets)-1], right, nest)
		}
		if e.lang == effect.Python && e.Is(",") {
			items := []effect.Value{right}
			for e.Accept(",") {
				items = append(items, e.expr())
			}
			right = effect.Value{Kind: effect.List, Items: items}
		}
		if len(targets) == 1 {
			if right.Kind == effect.Function && v.Kind != effect.Function { // f = lambda x: …
				e.Funcs[targets[0]] = e.Funcs[right.Text]
				delete(e.Vars, targets[0])
				return
			}
			if e.lang == effect.Perl && strings.HasPrefix(targets[0], "$") && right.Kind == effect.List {
				right = right.Iter()
			}
			e.Set(targets[0], right, nest)
			return
		}
		e.Bind(targets, effect.ListOf(right))
	case "+=", ".=":
		e.At++
		e.Set(v.Name, e.Join(v, e.expr()), nest)
	}
}

// keyword handles statements that begin with a word. It reports false if the word begins an expression.
func (e *eval) keyword(w string) bool {
	switch w {
	case "import", "from", "use", "require_relative", "package", "namespace", "no":
		return imports.Read(&e.Cursor, e.Scope, e.m, w)
	case "include", "extend":
		if e.lang == effect.Ruby && e.Peek(1).Kind == token.Name {
			e.Star = append(e.Star, e.Peek(1).Text)
			e.At += 2
			return true
		}
	case "const", "let", "var":
		if e.lang == effect.Node {
			e.At++
			e.declare()
			return true
		}
	case "def":
		e.def()
		return true
	case "for", "foreach":
		return e.forLoop()
	case "return":
		e.At++
		v := e.expr()
		if f := e.Now; f != nil {
			if f.Returns && f.Result.Kind != effect.Constant {
				v = effect.Choose([]effect.Value{f.Result, v})
			}
			f.Result, f.Returns = v, true
		}
		return true
	case "export", "default", "local", "my", "our", "static", "public", "private", "protected", "with", "if", "elif", "elsif", "elseif", "else", "while",
		"until", "unless", "when", "case", "try", "except", "catch", "finally", "ensure", "begin", "rescue", "do", "then", "end", "raise", "throw", "assert", "class",
		"module", "async", "global", "nonlocal", "switch", "echo", "del", "BEGIN", "END", "module_function", "repeat", "tell":
		if e.lang == effect.Python && w == "class" || e.Peek(1).Is(".") || e.Peek(1).Is("(") && (w == "end" || w == "default" || w == "del" || w == "with" && e.lang == effect.Node) {
			return false
		}
		quiet := (w == "unless" || w == "until") && e.quiet == 0
		e.At++
		if quiet {
			e.quiet++
			e.expr()
			e.quiet--
		}
		return true
	case "print", "printf", "puts", "p", "pp", "say", "die", "warn":
		if e.lang == effect.Awk && strings.HasPrefix(w, "print") {
			e.At++
			e.awkPrint()
			return true
		}
	case "exec":
		if e.lang == effect.Python && !e.Peek(1).Is("(") { // python 2
			e.At++
			e.m.Do(lib.Call{Name: "exec", Args: []effect.Value{e.expr()}, Line: int(e.Peek(-1).Line)})
			return true
		}
	case "shell", "script":
		if e.lang == effect.AppleScript {
			e.At++
			e.Accept("script")
			e.Run(e.expr(), nil)
			return true
		}
	}
	return false
}

// def reads the head of a function in Python or Ruby.
func (e *eval) def() {
	e.At++
	name := ""
	for e.Cur().Kind == token.Name || e.Is(".") {
		name = e.Cur().Text
		e.At++
	}
	if name == "" {
		return
	}
	var params []string
	if e.Is("(") {
		params = e.params(")")
	} else if e.lang == effect.Ruby {
		params = e.params("\n")
	}
	e.define(name, params)
}

// forLoop reads the head of a loop and binds its variables.
func (e *eval) forLoop() bool {
	e.At++
	paren := false
	switch e.lang {
	case effect.Perl:
		name := "$_"
		e.Accept("my")
		if t := e.Cur(); t.Kind == token.Name && strings.HasPrefix(t.Text, "$") {
			name = t.Text
			e.At++
		}
		if !e.Is("(") {
			return true
		}
		e.Vars[name] = e.expr().Iter()
		return true
	case effect.PHP:
		if e.Accept("(") {
			v := e.expr()
			if e.Accept("as") {
				var names []string
				for e.Cur().Kind == token.Name || e.Is("=>") {
					if e.Cur().Kind == token.Name {
						names = append(names, e.Cur().Text)
					}
					e.At++
				}
				if len(names) > 0 {
					e.Bind(names[len(names)-1:], v)
				}
			}
		}
		return true
	case effect.Node, effect.R, effect.Awk:
		e.Accept("await")
		paren = e.Accept("(")
	}
	k := 0 // for (…;…;…) has no in
	for ; k < 40; k++ {
		if t := e.Peek(k); t.Is("in") || t.Is("of") {
			break
		} else if t.Is(";") || t.Is("{") && e.lang != effect.Node || t.Kind == token.End || t.Is(")") && paren {
			return true
		}
	}
	names := e.Targets("in")
	v := e.expr()
	if e.lang == effect.Python && e.Is(",") {
		v = effect.ListOf(v)
		for e.Accept(",") {
			v.Items = append(v.Items, e.expr())
		}
	}
	e.Bind(names, v)
	return true
}

// declare reads `{a: b, c} = value`, `[a, b] = value` or `a = value` behind const, let and var.
func (e *eval) declare() {
	nest := e.Cur().Nest
	if !e.Is("{") && !e.Is("[") {
		if t := e.Cur(); t.Kind == token.Name && e.Peek(1).Is(":") { // a type
			for k := 2; k < 24; k++ {
				if e.Peek(k).Is("=") {
					e.At += k + 1
					e.Set(t.Text, e.expr(), nest)
					return
				}
			}
		}
		return // an assignment like any other
	}
	object := e.Is("{")
	names, keys := e.Pattern()
	if !e.Accept("=") {
		return
	}
	e.SkipLines()
	v := e.expr()
	if !object {
		e.Bind(names, effect.ListOf(v))
		return
	}
	for i, n := range names {
		e.Set(n, e.m.Attr(v, keys[i]), nest)
	}
}
