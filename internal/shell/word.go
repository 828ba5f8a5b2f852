package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
)

// word removes quotes from x and walks the commands inside its substitutions, whose flows are appended to subs.
func (w *walker) word(x *syntax.Word, subs *[]*flow.Node) Word {
	var out Word
	if x == nil {
		return out
	}
	if len(x.Parts) == 1 { // by far the most frequent: one plain literal
		if lit, ok := x.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{") {
			out.Text = lit.Value
			return out
		}
	}
	var b strings.Builder
	for _, part := range x.Parts {
		w.part(&b, &out, part, false, subs)
	}
	out.Text = b.String()
	return out
}

func (w *walker) part(b *strings.Builder, out *Word, part syntax.WordPart, quoted bool, subs *[]*flow.Node) {
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			unescapeDouble(b, p.Value)
		} else {
			unescape(b, out, p.Value)
		}
	case *syntax.SglQuoted:
		out.Quoted = true
		if p.Dollar {
			unescapeANSI(b, p.Value)
		} else {
			b.WriteString(p.Value)
		}
	case *syntax.DblQuoted:
		out.Quoted = true
		for _, q := range p.Parts {
			w.part(b, out, q, true, subs)
		}
	case *syntax.ExtGlob:
		out.Glob = true
		b.WriteString(w.source(p))
	case *syntax.ParamExp:
		out.Dynamic = true
		b.WriteString(w.source(p))
		w.param(p, subs)
	case *syntax.CmdSubst:
		out.Dynamic = true
		b.WriteString(w.source(p))
		w.subst(p.Stmts, subs)
	case *syntax.ProcSubst:
		out.Dynamic = true
		b.WriteString(w.source(p))
		w.subst(p.Stmts, subs)
	case *syntax.ArithmExp:
		out.Dynamic = true
		b.WriteString(w.source(p))
		w.arithm(p.X, subs)
	default: // brace expressions are only split on request; anything newer is unknown
		out.Dynamic = true
		b.WriteString(w.source(part))
	}
}

// source returns the text of n as written.
func (w *walker) source(n syntax.Node) string {
	return w.slice(int(n.Pos().Offset()), int(n.End().Offset()))
}

func (w *walker) slice(from, to int) string {
	from = min(max(from, 0), len(w.src))
	return w.src[from:min(max(to, from), len(w.src))]
}

func (w *walker) param(p *syntax.ParamExp, subs *[]*flow.Node) {
	w.arithm(p.Index, subs)
	if p.Slice != nil {
		w.arithm(p.Slice.Offset, subs)
		w.arithm(p.Slice.Length, subs)
	}
	if p.Repl != nil {
		w.word(p.Repl.Orig, subs)
		w.word(p.Repl.With, subs)
	}
	if p.Exp != nil {
		w.word(p.Exp.Word, subs)
	}
}

// arithm walks the substitutions in an arithmetic expression. Chains of left-associative operators are followed in a loop, since
// the parser builds them without recursion and they can be as long as the input.
func (w *walker) arithm(x syntax.ArithmExpr, subs *[]*flow.Node) {
	for x != nil {
		switch e := x.(type) {
		case *syntax.BinaryArithm:
			w.arithm(e.Y, subs)
			x = e.X
		case *syntax.UnaryArithm:
			x = e.X
		case *syntax.ParenArithm:
			x = e.X
		case *syntax.Word:
			w.word(e, subs)
			return
		default:
			return
		}
	}
}

// test walks the substitutions in a [[ ]] expression.
func (w *walker) test(x syntax.TestExpr, subs *[]*flow.Node) {
	switch e := x.(type) {
	case *syntax.BinaryTest:
		w.test(e.X, subs)
		w.test(e.Y, subs)
	case *syntax.UnaryTest:
		w.test(e.X, subs)
	case *syntax.ParenTest:
		w.test(e.X, subs)
	case *syntax.Word:
		w.word(e, subs)
	}
}

// unescape handles an unquoted literal: backslash escapes, globs, brace lists.
func unescape(b *strings.Builder, out *Word, s string) {
	brace, lastBracket := -1, strings.LastIndexByte(s, ']')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			out.Quoted = true
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '*', '?', '[':
			// A lone [ is the name of a program and not a pattern.
			if c != '[' || lastBracket > i {
				out.Glob = true
			}
		case '{':
			brace = i
		case ',':
			if brace >= 0 {
				out.Glob = true
			}
		case '.':
			if brace >= 0 && strings.HasPrefix(s[i:], "..") {
				out.Glob = true
			}
		case '}':
			brace = -1
		}
		b.WriteByte(s[i])
	}
}

// unescapeDouble handles text inside double quotes, where a backslash is special only before $ ` " \ and newline.
func unescapeDouble(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
}

// unescapeANSI handles $'…'.
func unescapeANSI(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = `abefnrtvE`, "\a\b\x1b\f\n\r\t\v\x1b"
		if k := strings.IndexByte(from, s[i]); k >= 0 {
			b.WriteByte(to[k])
			continue
		}
		switch c := s[i]; {
		case c == 'x' || c == 'u' || c == 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			v, n := digits(s[i+1:], width, 16)
			if n == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			if c == 'x' {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i += n
		case c >= '0' && c <= '7':
			v, n := digits(s[i:], 3, 8)
			b.WriteByte(byte(v))
			i += n - 1
		case strings.IndexByte(`\'"?`, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
}

// digits reads at most width digits of the base and returns the value and how many there were.
func digits(s string, width, base int) (v uint32, n int) {
	for n < len(s) && n < width {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*uint32(base) + uint32(d)
		n++
	}
	return v, n
}
