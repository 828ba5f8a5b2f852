package object

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// Ruby finds RSpec, Minitest and test-unit.
func (x Finder) Ruby(i, to int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	if f.Is(i-1, "def") {
		return claim.Assert{}, false
	}
	switch {
	case (w == "expect" || w == "is_expected") && !f.Is(i-1, "."):
		return x.rspec(i, to)
	case w == "should" || w == "should_not":
		if f.Kind(i+1) == source.String && f.Tokens[i].First {
			return claim.Assert{}, false // shoulda: a test of its own
		}
	case w == "assert" || w == "refute" || w == "flunk" || strings.HasPrefix(w, "assert_") || strings.HasPrefix(w, "refute_"):
		return x.minitest(i, to), true
	case strings.HasPrefix(w, "must_") || strings.HasPrefix(w, "wont_"):
	default:
		return claim.Assert{}, false
	}
	// x.should eq(1), _(x).must_equal 1
	from, _ := x.Start(i)
	a := claim.Assert{From: from, At: i, To: x.lineEnd(i+1, to), Callee: w}
	if i-1 > from {
		a.Looked = [2]int{from, i - 1}
	}
	if a.To > i+1 {
		s := x.Trim([2]int{i + 1, a.To})
		if strings.HasPrefix(w, "should") {
			x.rubyMatcher(&a, s, w == "should_not")
		} else {
			a.Wanted = s
			a.Matcher = w
			x.Claim(&a, w, [][2]int{s}, false)
		}
	} else {
		a.Matcher = w
		x.Claim(&a, w, nil, false)
	}
	return a, true
}

// lineEnd is the token after the statement that token i is part of: it ends with the line, a semicolon or a block.
func (x Finder) lineEnd(i, to int) int {
	f := x.F
	j := i
	for ; j < min(to, len(f.Tokens)); j++ {
		if j > i && f.Tokens[j].First && !f.Is(j, ".") && !f.Is(j, "&.") && !f.Is(j-1, ",") || f.Is(j, ";") || x.Closes(j) || f.Is(j, "end") && f.Tokens[j].First || f.Is(j, "if") && j > i || f.Is(j, "unless") && j > i {
			break
		}
		if f.Is(j, "do") {
			end := f.BlockEnd(j)
			if f.Is(end, "end") {
				end++
			}
			return min(end, len(f.Tokens))
		}
		j = max(j, min(x.Closing(j), len(f.Tokens)-1))
	}
	return min(j, len(f.Tokens))
}

func (x Finder) rspec(i, to int) (claim.Assert, bool) {
	f := x.F
	a := claim.Assert{From: i, At: i, Callee: f.Text(i)}
	j := i + 1
	switch {
	case f.Is(i, "is_expected"):
	case f.Is(j, "(") || f.Is(j, "{"):
		a.Looked = [2]int{j + 1, max(x.Closing(j), j+1)}
		a.Looked[1] = min(a.Looked[1], len(f.Tokens))
		j = x.Closing(j) + 1
	case f.Is(j, "do"):
		j = f.BlockEnd(j)
		a.Looked = [2]int{i + 2, min(j, len(f.Tokens))}
		j++
	default:
		return a, false
	}
	if !f.Is(j, ".") {
		a.To, a.Trivial = min(j, len(f.Tokens)), true
		return a, false
	}
	not := f.Is(j+1, "not_to") || f.Is(j+1, "to_not")
	if !not && !f.Is(j+1, "to") {
		return a, false
	}
	a.To = x.lineEnd(j+2, to)
	x.rubyMatcher(&a, x.Trim([2]int{j + 2, a.To}), not)
	return a, true
}

// rubyMatcher reads eq(1), be > 2, be_valid, raise_error(E).
func (x Finder) rubyMatcher(a *claim.Assert, s [2]int, not bool) {
	f := x.F
	if s[1] <= s[0] {
		return
	}
	if f.Kind(s[0]) != source.Name {
		if f.Is(s[0], "==") {
			a.Matcher = "=="
			x.Claim(a, "eq", [][2]int{{s[0] + 1, s[1]}}, not)
		}
		return
	}
	name := f.Text(s[0])
	var args [][2]int
	rest := [2]int{s[0] + 1, s[1]}
	switch {
	case f.Is(rest[0], "("):
		args = x.Args(rest[0])
	case rest[1] > rest[0] && !f.Is(rest[0], ".") && !f.Is(rest[0], "do") && !f.Is(rest[0], "{"):
		args = [][2]int{rest}
	}
	a.Matcher = name
	if not {
		a.Matcher = "not." + name
	}
	if name == "be" && len(args) == 1 && f.Kind(args[0][0]) == source.Op {
		a.Op, a.Wanted, a.Strength = f.Text(args[0][0]), [2]int{args[0][0] + 1, args[0][1]}, claim.Tolerance
		return
	}
	x.Claim(a, name, args, not)
	if a.Strength == claim.Unknown && strings.HasPrefix(name, "be_") {
		a.Strength = claim.Exact // a predicate
	}
}

func (x Finder) minitest(i, to int) claim.Assert {
	f := x.F
	from, _ := x.Start(i)
	a := claim.Assert{From: from, At: i, Callee: f.Text(i)}
	var args [][2]int
	if f.Is(i+1, "(") && f.Glued(i+1) {
		args = x.Args(i + 1)
		a.To = min(x.Closing(i+1)+1, len(f.Tokens))
		if f.Is(a.To, "{") || f.Is(a.To, "do") {
			a.To = x.lineEnd(a.To, to)
		}
	} else {
		a.To = x.lineEnd(i+1, to)
		start := i + 1
		for j := i + 1; j < a.To; j++ {
			if f.Is(j, "do") || f.Is(j, "{") && j > i+1 && !f.Is(j-1, ",") {
				break
			}
			if f.Is(j, ",") {
				args = append(args, [2]int{start, j})
				start = j + 1
			}
			j = max(j, min(x.Closing(j), a.To))
		}
		if start < a.To {
			args = append(args, [2]int{start, a.To})
		}
	}
	x.Fill(&a, f.Text(i), args, true)
	return a
}

// Native finds the macros of C and C++ frameworks.
func (x Finder) Native(i int) (claim.Assert, bool) {
	f := x.F
	if !f.Is(i+1, "(") || f.Is(i-1, "void") {
		return claim.Assert{}, false
	}
	w := f.Text(i)
	u := strings.ToUpper(w)
	for _, p := range [...]string{"DOCTEST_", "CATCH_", "BOOST_", "TEST_", "STATIC_", "CR_", "CK_", "G_", "MU_", "MUNIT_"} {
		u = strings.TrimPrefix(u, p)
	}
	fails := u == "FAIL" || u == "ADD_FAILURE" || u == "FAIL_CHECK" || u == "FAIL_MESSAGE"
	if !fails && !strings.HasPrefix(u, "REQUIRE") && !strings.HasPrefix(u, "EXPECT_") && !strings.HasPrefix(u, "ASSERT") && !(strings.HasPrefix(u, "CHECK") && (w == strings.ToUpper(w))) && w != "BOOST_TEST" {
		return claim.Assert{}, false
	}
	a := claim.Assert{From: i, At: i, Callee: w}
	_, end := x.Chain(x.Closing(i+1) + 1)
	for end < len(f.Tokens) && end < i+expr.Longest && f.Is(end, "<<") { // << "message"
		for end++; end < len(f.Tokens) && !f.Is(end, "<<") && !f.Is(end, ";") && !x.Closes(end); end++ {
			end = max(end, min(x.Closing(end), len(f.Tokens)-1))
		}
	}
	a.To = x.Semicolon(end)
	x.Fill(&a, strings.ToLower(u), x.Args(i+1), false)
	return a, true
}
