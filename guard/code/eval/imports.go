package eval

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// imports reads import, from, use and their like. It reports false if the word is none here.
func (e *eval) imports(w string) bool {
	switch {
	case e.lang == effect.Python && w == "import":
		e.i++
		for e.cur().Kind == token.Name {
			mod := e.dotted()
			if e.accept("as") && e.cur().Kind == token.Name {
				e.vars[e.cur().Text] = effect.Value{Kind: effect.Ref, Text: lib.Canonical(effect.Python, mod)}
				e.i++
			} else if root, _, _ := strings.Cut(mod, "."); e.vars[root].Kind != effect.Unknown {
				delete(e.vars, root)
			}
			if !e.accept(",") {
				break
			}
		}
		return true
	case e.lang == effect.Python && w == "from":
		e.i++
		mod := e.dotted()
		if !e.accept("import") {
			return true
		}
		e.accept("(")
		for e.cur().Kind == token.Name || e.is("*") || e.is(",") || e.cur().Kind == token.Line && e.peek(-1).Is(",") {
			t := e.cur()
			e.i++
			switch {
			case t.Is("*"):
				e.star = append(e.star, mod)
			case t.Kind == token.Name:
				name := t.Text
				if e.accept("as") {
					name = e.cur().Text
					e.i++
				}
				e.vars[name] = e.m.Attr(effect.Value{Kind: effect.Ref, Text: mod}, t.Text)
			}
		}
		e.accept(")")
		return true
	case e.lang == effect.Node && w == "import" && !e.peek(1).Is("(") && !e.peek(1).Is("."):
		e.importNode()
		return true
	case (e.lang == effect.Perl || e.lang == effect.PHP) && (w == "use" || w == "no" || w == "package" || w == "namespace"):
		for e.cur().Kind != token.End && !e.is(";") && !e.is("{") {
			e.i++
		}
		return true
	}
	return false
}

func (e *eval) dotted() string {
	var b strings.Builder
	for (e.cur().Kind == token.Name || e.is(".")) && b.Len() < 200 && !e.is("import") && !e.is("as") {
		b.WriteString(e.cur().Text)
		e.i++
	}
	return b.String()
}

// importNode reads an import declaration of JavaScript.
func (e *eval) importNode() {
	e.i++
	var names, keys, whole []string
	for k := 0; k < 200; k++ {
		t := e.cur()
		switch {
		case t.Kind == token.End, t.Is(";"), t.Kind == token.Line && !e.peek(-1).Is(","):
			return
		case t.Is("{"):
			names, keys = e.pattern()
			continue
		case t.Kind == token.Text:
			mod := effect.Value{Kind: effect.Ref, Text: lib.Canonical(effect.Node, t.Text)}
			for _, w := range whole {
				e.vars[w] = mod
			}
			for i, n := range names {
				e.vars[n] = e.m.Attr(mod, keys[i])
				if keys[i] == "default" || keys[i] == "promises" {
					e.vars[n] = mod
				}
			}
			e.i++
			return
		case t.Kind == token.Name && !among(t, " from as type "):
			whole = append(whole, t.Text)
		}
		e.i++
	}
}
