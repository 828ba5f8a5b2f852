// Package imports reads the declarations by which interpreter code gives names to modules and their parts. It owns no table and no
// file.
package imports

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/scope"
	"github.com/devflow-suite/devflow/guard/code/token"
)

type reader struct {
	*token.Cursor
	*scope.Scope
	m *lib.Machine
}

// Read reads import, from, use and their like at c and binds the names in s. It reports false if word begins no such declaration.
func Read(c *token.Cursor, s *scope.Scope, m *lib.Machine, word string) bool {
	r := reader{c, s, m}
	return r.declaration(word)
}

// declaration reads import, from, use and their like. It reports false if the word is none here.
func (r *reader) declaration(w string) bool {
	switch {
	case r.m.Lang == effect.Python && w == "import":
		r.At++
		for r.Cur().Kind == token.Name {
			mod := r.Dotted()
			if r.Accept("as") && r.Cur().Kind == token.Name {
				r.Vars[r.Cur().Text] = effect.Value{Kind: effect.Ref, Text: lib.Canonical(effect.Python, mod)}
				r.At++
			} else if root, _, _ := strings.Cut(mod, "."); r.Vars[root].Kind != effect.Unknown {
				delete(r.Vars, root)
			}
			if !r.Accept(",") {
				break
			}
		}
		return true
	case r.m.Lang == effect.Python && w == "from":
		r.At++
		mod := r.Dotted()
		if !r.Accept("import") {
			return true
		}
		r.Accept("(")
		for r.Cur().Kind == token.Name || r.Is("*") || r.Is(",") || r.Cur().Kind == token.Line && r.Peek(-1).Is(",") {
			t := r.Cur()
			r.At++
			switch {
			case t.Is("*"):
				r.Star = append(r.Star, mod)
			case t.Kind == token.Name:
				name := t.Text
				if r.Accept("as") {
					name = r.Cur().Text
					r.At++
				}
				r.Vars[name] = r.m.Attr(effect.Value{Kind: effect.Ref, Text: mod}, t.Text)
			}
		}
		r.Accept(")")
		return true
	case r.m.Lang == effect.Node && w == "import" && !r.Peek(1).Is("(") && !r.Peek(1).Is("."):
		r.importNode()
		return true
	case (r.m.Lang == effect.Perl || r.m.Lang == effect.PHP) && (w == "use" || w == "no" || w == "package" || w == "namespace"):
		for r.Cur().Kind != token.End && !r.Is(";") && !r.Is("{") {
			r.At++
		}
		return true
	}
	return false
}

// importNode reads an import declaration of JavaScript.
func (r *reader) importNode() {
	r.At++
	var names, keys, whole []string
	for k := 0; k < 200; k++ {
		t := r.Cur()
		switch {
		case t.Kind == token.End, t.Is(";"), t.Kind == token.Line && !r.Peek(-1).Is(","):
			return
		case t.Is("{"):
			names, keys = r.Pattern()
			continue
		case t.Kind == token.Text:
			mod := effect.Value{Kind: effect.Ref, Text: lib.Canonical(effect.Node, t.Text)}
			for _, w := range whole {
				r.Vars[w] = mod
			}
			for i, n := range names {
				r.Vars[n] = r.m.Attr(mod, keys[i])
				if keys[i] == "default" || keys[i] == "promises" {
					r.Vars[n] = mod
				}
			}
			r.At++
			return
		case t.Kind == token.Name && !token.Among(t, " from as type "):
			whole = append(whole, t.Text)
		}
		r.At++
	}
}
