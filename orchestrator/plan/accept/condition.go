package accept

import (
	"math/big"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/depth"
)

// condition evaluates `[ … ]` and `test …`.
func condition(c *shell.Command) outcome {
	words := c.Words[1:]
	if c.Name == "[" {
		if len(words) == 0 || words[len(words)-1].Text != "]" {
			return never // a syntax error
		}
		words = words[:len(words)-1]
	}
	return evaluate(words)
}

func evaluate(words []shell.Word) outcome {
	if len(words) > 4 || len(words) == 4 && words[0].Text != "!" {
		for _, op := range [...]string{"-o", "-a"} {
			if i := slices.IndexFunc(words, func(w shell.Word) bool { return w.Text == op && !w.Quoted }); i > 0 && i < len(words)-1 {
				return join(evaluate(words[:i]), evaluate(words[i+1:]), op == "-a")
			}
		}
	}
	switch {
	case len(words) == 0:
		return never
	case len(words) == 1:
		return filled(words[0])
	case words[0].Text == "!" && !words[0].Quoted:
		return negate(evaluate(words[1:]))
	case words[0].Text == "(" && words[len(words)-1].Text == ")":
		return evaluate(words[1 : len(words)-1])
	case len(words) == 2:
		return unary(words[0].Text, words[1])
	case len(words) == 3:
		return binary(words[0], words[1].Text, words[2])
	}
	return bound
}

func join(a, b outcome, and bool) outcome {
	decides, other := always, never
	if and {
		decides, other = never, always
	}
	switch {
	case a == decides || b == decides:
		return decides
	case a == other && b == other:
		return other
	}
	return bound
}

func negate(o outcome) outcome {
	switch o {
	case always:
		return never
	case never:
		return always
	}
	return bound
}

// filled says whether a word is other than empty.
func filled(w shell.Word) outcome {
	switch {
	case !w.Dynamic && w.Text != "":
		return always
	case !w.Dynamic:
		return never
	case !strings.HasPrefix(w.Text, "$") && !strings.HasPrefix(w.Text, "`"), setByAll(w.Text):
		return always // something stands before the part that is not known
	case ended(w.Text) < len(w.Text) && !strings.ContainsAny(w.Text[ended(w.Text):], "$`"):
		return always // or behind it
	}
	return bound
}

// ended is the length of the variable that a text begins with; the whole text when it begins with something else.
func ended(text string) int {
	if len(text) < 2 || text[0] != '$' || text[1] == '(' {
		return len(text)
	}
	if text[1] == '{' {
		if k := strings.IndexByte(text, '}'); k > 0 {
			return k + 1
		}
		return len(text)
	}
	for i := 1; i < len(text); i++ {
		if b := text[i]; b != '_' && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && (b < '0' || b > '9') {
			return max(i, 2)
		}
	}
	return len(text)
}

// setByAll names variables and commands that give a text everywhere.
func setByAll(text string) bool {
	return slices.Contains([]string{"HOME", "PATH", "PWD", "SHELL", "USER", "LANG", "BASH", "BASHPID", "PPID", "UID", "EUID", "RANDOM", "SECONDS", "HOSTNAME", "$", "?", "#", "-", "0", "(pwd)", "(date)"},
		strings.Trim(strings.TrimPrefix(text, "$"), "{}"))
}

func unary(op string, w shell.Word) outcome {
	switch op {
	case "-n":
		return filled(w)
	case "-z":
		return negate(filled(w))
	case "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-L", "-N", "-O", "-G", "-p", "-r", "-s", "-S", "-u", "-w", "-x":
		if !ofWork(w) {
			return always
		}
	case "-t", "-o":
		return always
	}
	return bound
}

func binary(a shell.Word, op string, b shell.Word) outcome {
	switch op {
	case "-nt", "-ot", "-ef":
		return bound
	case "-a", "-o":
		return join(filled(a), filled(b), op == "-a")
	}
	if a.Text == b.Text && !strings.Contains(a.Text, "RANDOM") && !strings.Contains(a.Text, "$(") && !strings.Contains(a.Text, "`") {
		return truth(slices.Contains([]string{"=", "==", "=~", "-eq", "-le", "-ge"}, op))
	}
	if a.Dynamic || b.Dynamic || b.Glob {
		return bound
	}
	switch op {
	case "=", "==":
		return truth(a.Text == b.Text)
	case "!=":
		return truth(a.Text != b.Text)
	case "<":
		return truth(a.Text < b.Text)
	case ">":
		return truth(a.Text > b.Text)
	}
	x, okX := new(big.Int).SetString(strings.TrimSpace(a.Text), 10)
	y, okY := new(big.Int).SetString(strings.TrimSpace(b.Text), 10)
	if !okX || !okY {
		if strings.HasPrefix(op, "-") {
			return never // integer expression expected
		}
		return bound
	}
	switch d := x.Cmp(y); op {
	case "-eq":
		return truth(d == 0)
	case "-ne":
		return truth(d != 0)
	case "-lt":
		return truth(d < 0)
	case "-le":
		return truth(d <= 0)
	case "-gt":
		return truth(d > 0)
	case "-ge":
		return truth(d >= 0)
	}
	return bound
}

func truth(b bool) outcome {
	if b {
		return always
	}
	return never
}

// clause evaluates `[[ … ]]`, `((…))` and `let`, whose words the package shell does not list.
func clause(c *shell.Command) outcome {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&depth.Reader{Source: c.Text}, "")
	if err != nil || len(file.Stmts) != 1 {
		return bound
	}
	if x, ok := file.Stmts[0].Cmd.(*syntax.TestClause); ok {
		return tested(x.X)
	}
	// Arithmetic: fixed when it names nothing. Whether it is zero is not computed: it is the same for every work.
	if strings.ContainsAny(strings.TrimPrefix(c.Text, "let"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$`") {
		return bound
	}
	return always
}

func tested(x syntax.TestExpr) outcome {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return tested(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return negate(tested(x.X))
		}
		return unary(x.Op.String(), asWord(x.X))
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			return join(tested(x.X), tested(x.Y), x.Op == syntax.AndTest)
		case syntax.TsReMatch:
			if w := asWord(x.Y); w.Text == ".*" || w.Text == "" {
				return always
			}
			if !asWord(x.X).Dynamic && !asWord(x.Y).Dynamic {
				return always // the same for every work
			}
			return bound
		}
		if b := asWord(x.Y); b.Text == "*" && (x.Op == syntax.TsMatch || x.Op == syntax.TsMatchShort) {
			return always
		}
		return binary(asWord(x.X), x.Op.String(), asWord(x.Y))
	case *syntax.Word:
		return filled(asWord(x))
	}
	return bound
}

// asWord gives the text of a word in a test.
func asWord(x syntax.Node) shell.Word {
	w, ok := x.(*syntax.Word)
	if !ok {
		return shell.Word{Text: "$", Dynamic: true}
	}
	out := shell.Word{}
	parts := w.Parts
	for i := range parts {
		switch p := parts[i].(type) {
		case *syntax.Lit:
			out.Text += p.Value
			out.Glob = out.Glob || strings.ContainsAny(p.Value, "*?[")
		case *syntax.SglQuoted:
			out.Text, out.Quoted = out.Text+p.Value, true
		case *syntax.DblQuoted:
			out.Quoted = true
			inner := asWord(&syntax.Word{Parts: p.Parts})
			out.Text, out.Dynamic = out.Text+inner.Text, out.Dynamic || inner.Dynamic
		case *syntax.ParamExp:
			out.Dynamic = true
			if p.Param != nil && p.Exp == nil {
				out.Text += "$" + p.Param.Value
			} else {
				out.Text += "$(x)"
			}
		default:
			out.Text, out.Dynamic = out.Text+"$(x)", true
		}
	}
	return out
}
