package cases

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// trivial reports whether the assertion at token i cannot fail: it looks at constants only, or at a thing and itself.
func (s *scanner) trivial(i, to int) bool {
	f := s.f
	open := i + 1
	switch {
	case !f.Is(open, "(") && f.Is(open, "!"): // Rust macro
		open++
	case f.Is(open, ".") && f.Is(open+2, "("): // assert.equal(…), Assert.Equal(…)
		open += 2
	}
	if f.Lang == source.Ruby && !f.Is(open, "(") {
		return s.constant(s.bare(open, to))
	}
	if !f.Is(open, "(") || f.Lang == source.Python && f.Is(i, "assert") || f.Lang == source.Java && f.Is(i, "assert") {
		return s.trivialStatement(i+1, to)
	}
	if s.closing(open)-open > longest {
		return false
	}
	if f.Is(s.closing(open)+1, "{") { // assertResult(1) { f() }
		return false
	}
	args := s.arguments(open)
	if f.Lang == source.Go && len(args) > 0 && args[0].to == args[0].from+1 && s.testing[f.Text(args[0].from)] {
		args = args[1:]
	}
	// The chain behind: expect(a).toBe(b), expect(a).not.toEqual(b), expect(a).to eq(b)
	end := min(s.closing(open), len(f.Tokens))
	last := end
	if strings.EqualFold(f.Text(i), "expect") || strings.HasPrefix(f.Text(i), "assertThat") || f.Is(i, "Ω") {
		for j := end + 1; f.Is(j, ".") && f.Kind(j+1) == source.Name; {
			j += 2
			if f.Is(j, "(") {
				last = j
				args = append(args, s.arguments(j)...)
				j = s.closing(j) + 1
			}
		}
		if f.Lang == source.Ruby { // .to eq b
			for j := end + 1; j < to && j < end+30 && f.Tokens[j].Line == f.Tokens[end].Line; j++ {
				if f.Kind(j) == source.Name && (f.Is(j, "eq") || f.Is(j, "be") || f.Is(j, "eql") || f.Is(j, "equal")) && f.Is(j+1, "(") {
					last = j + 1
					args = append(args, s.arguments(j+1)...)
				}
			}
			if last == end {
				return false
			}
		}
	}
	return s.constant(args)
}

// constant reports whether all arguments are constants, or the first two are the same, or the only one compares like with like.
func (s *scanner) constant(args []span) bool {
	if len(args) == 0 {
		return false
	}
	all := true
	for _, a := range args {
		all = all && s.literal(a)
	}
	if all {
		return true
	}
	if len(args) >= 2 && s.same(args[0], args[1]) {
		return true
	}
	return s.selfCompare(args[0])
}

type span struct{ from, to int }

// arguments splits the arguments in the parentheses that open at token i.
func (s *scanner) arguments(i int) []span {
	f := s.f
	end := min(s.closing(i), len(f.Tokens))
	var out []span
	start := i + 1
	for j := i + 1; j < end; j++ {
		if f.Is(j, ",") {
			out = append(out, span{start, j})
			start = j + 1
		}
		j = max(j, s.closing(j))
	}
	if start < end {
		out = append(out, span{start, end})
	}
	return out
}

// bare splits the arguments of a Ruby call without parentheses, which end with the line or a block.
func (s *scanner) bare(i, to int) []span {
	f := s.f
	var out []span
	start, j := i, i
	for ; j < min(to, len(f.Tokens), i+longest); j++ {
		if f.Tokens[j].First || f.Is(j, "do") || f.Is(j, "{") || f.Is(j, "}") || f.Is(j, ";") || f.Is(j, "end") {
			break
		}
		if f.Is(j, ",") {
			out = append(out, span{start, j})
			start = j + 1
		}
		j = max(j, s.closing(j))
	}
	if start < j {
		out = append(out, span{start, min(j, len(f.Tokens))})
	}
	return out
}

// literal reports whether the tokens are one constant.
func (s *scanner) literal(a span) bool {
	f := s.f
	for a.from < a.to && (f.Is(a.from, "-") || f.Is(a.from, "!") || f.Is(a.from, "not")) {
		a.from++
	}
	if a.to-a.from != 1 {
		return false
	}
	switch f.Kind(a.from) {
	case source.Number, source.String:
		// A string with code inside is no constant.
		return f.Kind(a.from) == source.Number || !strings.ContainsAny(f.Src[f.Tokens[a.from].Pos:f.Tokens[a.from].End], "{\\$")
	case source.Name:
		switch f.Text(a.from) {
		case "true", "false", "True", "False", "None", "nil", "null", "undefined", "NULL", "nullptr", "TRUE", "FALSE":
			return true
		}
	}
	return false
}

// same reports whether two spans have the same tokens and call nothing.
func (s *scanner) same(a, b span) bool {
	if a.to-a.from != b.to-b.from || a.to == a.from {
		return false
	}
	for k := range a.to - a.from {
		if s.f.Text(a.from+k) != s.f.Text(b.from+k) || s.f.Is(a.from+k, "(") {
			return false
		}
	}
	return true
}

// selfCompare recognises `x == x`, `1 == 1`, `… or True`.
func (s *scanner) selfCompare(a span) bool {
	f := s.f
	for j := a.from; j < a.to; j++ {
		switch f.Text(j) {
		case "==", "===", "is", ">=", "<=":
			l, r := span{a.from, j}, span{j + 1, a.to}
			return s.same(l, r) || s.literal(l) && s.literal(r)
		case "or", "||":
			if s.literal(span{j + 1, a.to}) && !f.Is(j+1, "False") && !f.Is(j+1, "false") {
				return true
			}
		}
		j = max(j, s.closing(j))
	}
	return false
}

// trivialStatement is trivial for `assert x, "message"`, which ends with its line or a semicolon.
func (s *scanner) trivialStatement(i, to int) bool {
	f := s.f
	j := i
	for j < min(to, len(f.Tokens)) && !f.Is(j, ";") && !f.Is(j, ",") && !f.Is(j, ":") {
		if j > i && f.Tokens[j].First {
			break
		}
		j = max(j, s.closing(j)) + 1
	}
	a := span{i, min(j, len(f.Tokens))}
	if f.Is(a.from, "(") && s.closing(a.from) == a.to-1 {
		args := s.arguments(a.from)
		if f.Lang == source.Python && len(args) > 1 {
			return true // a tuple is always true
		}
		a = span{a.from + 1, a.to - 1}
	}
	return s.constant([]span{a})
}
