package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/brace"
	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// plain returns the text of a word that is one literal without anything to expand: by far the most frequent case.
func plain(x *syntax.Word) (string, bool) {
	if len(x.Parts) == 1 {
		if lit, ok := x.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{") {
			return lit.Value, true
		}
	}
	return "", false
}

// word removes quotes from x where the shell does not split, and walks the commands inside its substitutions.
func (w *walker) word(x *syntax.Word, subs *subst) Word {
	if x == nil {
		return Word{}
	}
	if text, ok := plain(x); ok {
		return Word{Text: text}
	}
	f := word.Fields{Whole: true}
	for _, part := range x.Parts {
		w.part(&f, part, false, subs)
	}
	return f.One()
}

// words appends the words that x becomes as part of a command: known variables are split, brace lists expanded.
func (w *walker) words(out []Word, x *syntax.Word, subs *subst) []Word {
	if text, ok := plain(x); ok {
		return append(out, Word{Text: text})
	}
	for _, parts := range brace.Expand(x) {
		var f word.Fields
		for _, part := range parts {
			w.part(&f, part, false, subs)
		}
		out = f.Append(out)
	}
	return out
}

func (w *walker) part(f *word.Fields, part syntax.WordPart, quoted bool, subs *subst) {
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			word.UnescapeDouble(f.Text(), p.Value)
		} else {
			word.Unescape(f.Text(), f.Mark(), p.Value)
		}
	case *syntax.SglQuoted:
		f.Quote()
		if p.Dollar {
			word.UnescapeANSI(f.Text(), p.Value)
		} else {
			f.Text().WriteString(p.Value)
		}
	case *syntax.DblQuoted:
		if !state.OnlyList(p) {
			f.Quote()
		}
		for _, q := range p.Parts {
			w.part(f, q, true, subs)
		}
	case *syntax.ExtGlob:
		f.Mark().Glob = true
		f.Text().WriteString(w.source(p))
	case *syntax.ParamExp:
		w.param(f, p, quoted, subs)
	case *syntax.CmdSubst:
		w.cmdSubst(f, p, quoted, subs)
	case *syntax.ProcSubst:
		source := w.source(p)
		w.subst(p.Stmts, source, p.Op == syntax.CmdOut, subs)
		f.Written(source)
	case *syntax.ArithmExp:
		w.arithm(p.X, subs)
		f.Written(w.source(p))
	default: // anything newer is unknown
		f.Written(w.source(part))
	}
}

// cmdSubst expands $(…): to what it prints if that can be computed, else as written.
func (w *walker) cmdSubst(f *word.Fields, p *syntax.CmdSubst, quoted bool, subs *subst) {
	source := w.source(p)
	feed := w.subst(p.Stmts, source, false, subs)
	if feed.Kind != FeedText || feed.Text.Dynamic || len(p.Stmts) == 0 {
		f.Written(source)
		return
	}
	f.Add(Word{Text: strings.TrimRight(feed.Text.Text, "\n")}, quoted, w.shell.IFS())
}

// subst walks the statements of a command or process substitution. reads is true for >( ), whose input is the output of the command.
func (w *walker) subst(stmts []*syntax.Stmt, source string, reads bool, subs *subst) Feed {
	c, from, capture, stdin := &static.Capture{}, len(w.out.Commands), w.capture, w.stdin
	w.capture = c
	if reads {
		w.capture, w.stdin, c.Unknown = nil, Feed{Kind: FeedPipe}, true
	}
	n := w.forked(InSubst, func() *flow.Node { return w.stmts(stmts) })
	w.capture, w.stdin = capture, stdin
	feed := w.feed(c, from)
	subs.flows = append(subs.flows, n)
	subs.outs = append(subs.outs, output{source, feed})
	return feed
}

// source returns the text of n as written.
func (w *walker) source(n syntax.Node) string {
	return w.slice(int(n.Pos().Offset()), int(n.End().Offset()))
}

func (w *walker) slice(from, to int) string {
	from = min(max(from, 0), len(w.src))
	return w.src[from:min(max(to, from), len(w.src))]
}

// arithm walks the substitutions in an arithmetic expression; what it assigns is not known. Chains of left-associative operators are
// followed in a loop, since the parser builds them without recursion and they can be as long as the input.
func (w *walker) arithm(x syntax.ArithmExpr, subs *subst) {
	for x != nil {
		switch e := x.(type) {
		case *syntax.BinaryArithm:
			if e.Op == syntax.Assgn || strings.HasSuffix(e.Op.String(), "=") && len(e.Op.String()) > 1 {
				w.lose(e.X)
			}
			w.arithm(e.Y, subs)
			x = e.X
		case *syntax.UnaryArithm:
			if e.Op == syntax.Inc || e.Op == syntax.Dec {
				w.lose(e.X)
			}
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

// lose notes that an arithmetic expression assigns to a variable.
func (w *walker) lose(x syntax.ArithmExpr) {
	if e, ok := x.(*syntax.Word); ok {
		if name := e.Lit(); name != "" {
			w.shell.Unknown(name)
		}
	}
}

// test walks the substitutions in a [[ ]] expression.
func (w *walker) test(x syntax.TestExpr, subs *subst) {
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
