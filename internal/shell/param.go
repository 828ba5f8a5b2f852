package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// ifs is what unquoted values are split at.
func (w *walker) ifs() string {
	if v, ok := w.shell.vars.Lookup("IFS"); ok && v.Known && len(v.Words) == 1 {
		return v.Words[0].Text
	}
	return word.DefaultIFS
}

// subscript is the literal index of an array element, "" if there is none or it is computed.
func subscript(x syntax.ArithmExpr) string {
	if e, ok := x.(*syntax.Word); ok {
		return e.Lit()
	}
	return ""
}

// lookup returns the value of a parameter.
func (w *walker) lookup(name string) (v vars.Value, assigned bool) {
	s := w.shell
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case s.given && n < len(s.params) && n >= 0:
			return vars.One(s.params[n]), true
		case s.given && !s.open:
			return vars.Value{Words: []Word{{}}, Known: true}, true
		}
		return vars.Value{}, true
	}
	switch name {
	case "@", "*":
		if !s.given || s.open {
			return vars.Value{}, true
		}
		return vars.Value{Words: s.params[min(1, len(s.params)):], Known: true, List: true}, true
	case "HOME", "PWD", "OLDPWD", "USER", "UID": // the default of ${HOME:-/} is never what is meant
		v, assigned = s.vars.Lookup(name)
		return v, true
	}
	return s.vars.Lookup(name)
}

// param expands a parameter: to what the script has assigned to it, else as written.
func (w *walker) param(f *word.Fields, p *syntax.ParamExp, quoted bool, subs *subst) {
	var v vars.Value
	assigned := true
	if p.Param != nil {
		v, assigned = w.lookup(p.Param.Value)
		if p.Param.Value == "IFS" && !assigned && !p.Length && !p.Excl {
			w.parts(p, subs)
			f.Add(Word{Text: word.DefaultIFS}, quoted, word.DefaultIFS)
			return
		}
	}
	v, known := w.operate(p, v, assigned, subs)
	size := 0
	for _, x := range v.Words {
		size += len(x.Text)
	}
	if !known || !w.spend(size+len(v.Words)) {
		f.Written(w.source(p))
		return
	}
	index := subscript(p.Index)
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*" && !quoted, index == "@", index == "*" && !quoted:
		f.List(v.Words, quoted, w.ifs())
	case len(v.Words) == 0:
		f.Add(Word{}, quoted, "")
	case v.List && (p.Param.Value == "*" || index == "*"):
		f.Add(word.Join(v.Words, (w.ifs() + " ")[:1]), quoted, w.ifs())
	default:
		f.Add(v.Words[0], quoted, w.ifs())
	}
}

// parts walks the substitutions inside a parameter expansion.
func (w *walker) parts(p *syntax.ParamExp, subs *subst) {
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

// operate applies the operator of ${x…} and reports whether the result is known.
func (w *walker) operate(p *syntax.ParamExp, v vars.Value, assigned bool, subs *subst) (vars.Value, bool) {
	if p.Exp != nil && p.Repl == nil && p.Slice == nil {
		arg := w.word(p.Exp.Word, subs)
		w.arithm(p.Index, subs)
		return w.expansion(p, v, assigned, arg)
	}
	w.parts(p, subs)
	known := v.Known && p.Param != nil && !p.Length && !p.Width && !p.IsSet && p.Flags == nil && p.NestedParam == nil && p.Names == 0 && len(p.Modifiers) == 0
	if !known {
		return v, false
	}
	if p.Index != nil {
		var ok bool
		if v, ok = element(v, subscript(p.Index)); !ok {
			return v, false
		}
	}
	if p.Excl { // ${!name}
		if len(v.Words) != 1 || v.List || v.Words[0].Dynamic {
			return v, false
		}
		v, _ = w.lookup(v.Words[0].Text)
		return v, v.Known
	}
	switch {
	case p.Slice != nil:
		return slice(v, p.Slice)
	case p.Repl != nil:
		from, to := p.Repl.Orig.Lit(), ""
		if p.Repl.With != nil {
			to = p.Repl.With.Lit()
		}
		if len(v.Words) != 1 || v.Words[0].Dynamic || from == "" || strings.ContainsAny(from, "*?[\\#%") || p.Repl.With != nil && to == "" && len(p.Repl.With.Parts) > 0 {
			return v, false
		}
		x := v.Words[0]
		if !w.spend(len(x.Text) * (1 + len(to))) {
			return v, false
		}
		n := 1
		if p.Repl.All {
			n = -1
		}
		x.Text = strings.Replace(x.Text, from, to, n)
		return vars.One(x), true
	}
	return v, true
}

// element is an element of an array, or all of it.
func element(v vars.Value, index string) (vars.Value, bool) {
	if index == "@" || index == "*" {
		v.List = true
		return v, true
	}
	n, err := strconv.Atoi(index)
	if err != nil {
		return v, false
	}
	if n < 0 {
		n += len(v.Words)
	}
	if n < 0 || n >= len(v.Words) {
		return vars.One(Word{}), true
	}
	return vars.One(v.Words[n]), true
}

// slice is ${x:from:length} with literal numbers.
func slice(v vars.Value, s *syntax.Slice) (vars.Value, bool) {
	if v.List || len(v.Words) != 1 || v.Words[0].Dynamic {
		return v, false
	}
	x := v.Words[0]
	from, err := strconv.Atoi(subscript(s.Offset))
	if err != nil || from < 0 {
		return v, false
	}
	x.Text = x.Text[min(from, len(x.Text)):]
	if s.Length != nil {
		n, err := strconv.Atoi(subscript(s.Length))
		if err != nil || n < 0 {
			return v, false
		}
		x.Text = x.Text[:min(n, len(x.Text))]
	}
	return vars.One(x), true
}

// expansion applies the operators with a word: defaults, prefixes and suffixes, upper and lower case.
func (w *walker) expansion(p *syntax.ParamExp, v vars.Value, assigned bool, arg Word) (vars.Value, bool) {
	if p.Param == nil || p.Length || p.Excl || p.Names != 0 {
		return v, false
	}
	if p.Index != nil && v.Known {
		var ok bool
		if v, ok = element(v, subscript(p.Index)); !ok {
			return v, false
		}
	}
	empty := len(v.Words) == 0 || len(v.Words) == 1 && v.Words[0].Text == ""
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if v.Known && (!empty || p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.AssignUnset) {
			return v, true
		}
		if assigned && !v.Known {
			return v, false
		}
		v = vars.One(arg)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			w.assign(p.Param.Value, v)
		}
		return v, true
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if v.Known && !empty {
			return vars.One(arg), true
		}
		return v, false
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v, v.Known
	}
	if !v.Known || v.List || len(v.Words) != 1 || v.Words[0].Dynamic || arg.Dynamic {
		return v, false
	}
	x := v.Words[0]
	switch op := p.Exp.Op; {
	case op == syntax.UpperAll:
		x.Text = strings.ToUpper(x.Text)
	case op == syntax.LowerAll:
		x.Text = strings.ToLower(x.Text)
	case arg.Glob:
		return v, false
	case op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix:
		x.Text = strings.TrimPrefix(x.Text, arg.Text)
	case op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix:
		x.Text = strings.TrimSuffix(x.Text, arg.Text)
	default:
		return v, false
	}
	return vars.One(x), true
}
