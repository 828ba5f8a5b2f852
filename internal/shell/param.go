package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// param expands a parameter: to what the script has assigned to it, else as written.
func (w *walker) param(f *word.Fields, p *syntax.ParamExp, quoted bool, subs *subst) {
	var v vars.Value
	assigned := true
	if p.Param != nil {
		v, assigned = w.shell.Lookup(p.Param.Value)
		if p.Param.Value == "IFS" && !assigned && !p.Length && !p.Excl {
			w.parts(p, subs)
			f.Add(Word{Text: word.DefaultIFS}, quoted, word.DefaultIFS)
			return
		}
	}
	v, known := w.shell.Expand(p, v, assigned, w.parts(p, subs), w.spend)
	size := 0
	for _, x := range v.Words {
		size += len(x.Text)
	}
	if !known || !w.spend(size+len(v.Words)) {
		f.Written(w.source(p))
		return
	}
	index := state.Subscript(p.Index)
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*" && !quoted, index == "@", index == "*" && !quoted:
		f.List(v.Words, quoted, w.shell.IFS())
	case len(v.Words) == 0:
		f.Add(Word{}, quoted, "")
	case v.List && (p.Param.Value == "*" || index == "*"):
		f.Add(word.Join(v.Words, (w.shell.IFS() + " ")[:1]), quoted, w.shell.IFS())
	default:
		f.Add(v.Words[0], quoted, w.shell.IFS())
	}
}

// parts walks the substitutions inside a parameter expansion and returns the word behind its operator.
func (w *walker) parts(p *syntax.ParamExp, subs *subst) (arg Word) {
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
		arg = w.word(p.Exp.Word, subs)
	}
	return arg
}
