package state

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// IFS is what unquoted values are split at.
func (s *State) IFS() string {
	if v, ok := s.Vars.Lookup("IFS"); ok && v.Known && len(v.Words) == 1 {
		return v.Words[0].Text
	}
	return word.DefaultIFS
}

// Subscript is the literal index of an array element, "" if there is none or it is computed.
func Subscript(x syntax.ArithmExpr) string {
	if e, ok := x.(*syntax.Word); ok {
		return e.Lit()
	}
	return ""
}

// Lookup returns the value of a parameter.
func (s *State) Lookup(name string) (v vars.Value, assigned bool) {
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case s.Given && n < len(s.Params) && n >= 0:
			return vars.One(s.Params[n]), true
		case s.Given && !s.Open, n == 9 && !s.Given: // rm$IFS$9-rf$IFS$9/: nobody has a ninth parameter
			return vars.Value{Words: []word.Word{{}}, Known: true}, true
		}
		return vars.Value{}, true
	}
	switch name {
	case "@", "*":
		if !s.Given || s.Open {
			return vars.Value{}, true
		}
		return vars.Value{Words: s.Params[min(1, len(s.Params)):], Known: true, List: true}, true
	case "HOME", "PWD", "OLDPWD", "USER", "UID": // the default of ${HOME:-/} is never what is meant
		v, _ = s.Vars.Lookup(name)
		return v, true
	}
	return s.Vars.Lookup(name)
}

// Expand applies the operator of ${x…} and reports whether the result is known.
func (s *State) Expand(p *syntax.ParamExp, v vars.Value, assigned bool, arg word.Word, spend func(int) bool) (vars.Value, bool) {
	if p.Exp != nil && p.Repl == nil && p.Slice == nil {
		return s.operate(p, v, assigned, arg)
	}
	known := v.Known && p.Param != nil && !p.Length && !p.Width && !p.IsSet && p.Flags == nil && p.NestedParam == nil && p.Names == 0 && len(p.Modifiers) == 0
	if !known {
		return v, false
	}
	if p.Index != nil {
		var ok bool
		if v, ok = element(v, Subscript(p.Index)); !ok {
			return v, false
		}
	}
	if p.Excl { // ${!name}
		if len(v.Words) != 1 || v.List || v.Words[0].Dynamic {
			return v, false
		}
		v, _ = s.Lookup(v.Words[0].Text)
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
		if !spend(len(x.Text) * (1 + len(to))) {
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
		return vars.One(word.Word{}), true
	}
	return vars.One(v.Words[n]), true
}

// slice is ${x:from:length} with literal numbers.
func slice(v vars.Value, s *syntax.Slice) (vars.Value, bool) {
	if v.List || len(v.Words) != 1 || v.Words[0].Dynamic {
		return v, false
	}
	x := v.Words[0]
	from, err := strconv.Atoi(Subscript(s.Offset))
	if err != nil || from < 0 {
		return v, false
	}
	x.Text = x.Text[min(from, len(x.Text)):]
	if s.Length != nil {
		n, err := strconv.Atoi(Subscript(s.Length))
		if err != nil || n < 0 {
			return v, false
		}
		x.Text = x.Text[:min(n, len(x.Text))]
	}
	return vars.One(x), true
}

// operate applies the operators with a word: defaults, prefixes and suffixes, upper and lower case.
func (s *State) operate(p *syntax.ParamExp, v vars.Value, assigned bool, arg word.Word) (vars.Value, bool) {
	if p.Param == nil || p.Length || p.Excl || p.Names != 0 {
		return v, false
	}
	if p.Index != nil && v.Known {
		var ok bool
		if v, ok = element(v, Subscript(p.Index)); !ok {
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
			s.Assign(p.Param.Value, v)
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

// OnlyList reports whether a quoted part is "$@" or "${a[@]}" alone, which may become no word at all.
func OnlyList(p *syntax.DblQuoted) bool {
	if len(p.Parts) != 1 {
		return false
	}
	x, ok := p.Parts[0].(*syntax.ParamExp)
	return ok && x.Param != nil && (x.Param.Value == "@" || Subscript(x.Index) == "@")
}
