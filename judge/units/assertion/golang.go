package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// golang finds `if got != want { t.Errorf(…) }`, testify, is, quicktest, gocheck, gomega and helpers that are given t.
func (x *finder) golang(i, to int) (Assert, bool) {
	f := x.f
	if x.testing == nil {
		x.learnTesting()
	}
	if f.Is(i, "if") {
		return x.goIf(i, to)
	}
	if !f.Is(i+1, "(") || f.Is(i-1, "func") {
		return Assert{}, false
	}
	w := f.Text(i)
	recv := ""
	if f.Is(i-1, ".") {
		recv = f.Text(i - 2)
	}
	if x.testing[recv] {
		if failing(w) && !x.direct[i] {
			return x.goCall(i, Assert{Callee: recv + "." + w}), true
		}
		return Assert{}, false
	}
	switch w {
	case "Expect", "Ω", "Eventually", "Consistently", "EventuallyWithOffset", "ExpectWithOffset":
		return x.gomega(i)
	}
	args := x.args(i + 1)
	given := len(args) > 0 && args[0][1]-args[0][0] == 1 && x.testing[f.Text(args[0][0])]
	switch {
	case given:
		if recv == "" && !helper(w) || recv != "" && !helper(w) && !claims(w) || prepares(w) {
			return Assert{}, false
		}
		args = args[1:]
	case !library(recv) || !claims(w):
		return Assert{}, false
	}
	a := x.goCall(i, Assert{})
	if recv != "" {
		a.Callee = recv + "." + w
	} else {
		a.Callee = w
	}
	x.goFill(&a, recv, w, args)
	return a, true
}

// goFill fills in the operands of a call of an assertion library.
func (x *finder) goFill(a *Assert, recv, w string, args [][2]int) {
	f := x.f
	if (w == "Assert" || w == "Check") && len(args) >= 2 { // quicktest: got, checker, want; gotest.tools: a comparison
		p := args[1]
		if p[1]-p[0] <= 3 && f.Kind(p[1]-1) == source.Name && (recv == "qt" || recv == "c" || f.Is(p[0], "qt") || len(args) >= 3) {
			a.Looked = args[0]
			a.Matcher = f.Text(p[1] - 1)
			x.claim(a, a.Matcher, args[2:], false)
			return
		}
	}
	if w == "Assert" && len(args) >= 1 && f.Is(args[0][1]-1, ")") { // gotest.tools: is.Equal(a, b)
		if open := x.opening(args[0][1] - 1); open > args[0][0] && f.Is(open-2, ".") && (f.Is(open-3, "is") || f.Is(open-3, "cmp")) {
			a.Matcher = f.Text(open - 1)
			x.fill(a, a.Matcher, x.args(open), false)
			return
		}
	}
	name := strings.TrimSuffix(w, "f")
	if k, _ := kindOf(w); k != unknown {
		name = w
	}
	x.fill(a, name, args, recv != "is" && recv != "c" && recv != "qt")
}

// goCall sets the span of the call whose name is token i.
func (x *finder) goCall(i int, a Assert) Assert {
	from, _ := x.start(i)
	a.From, a.At, a.To = from, i, x.semicolon(x.closing(i+1)+1)
	return a
}

func failing(w string) bool {
	switch w {
	case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
		return true
	}
	return false
}

// library reports whether a name is what packages of assertions and suites are called.
func library(recv string) bool {
	switch recv {
	case "assert", "require", "is", "c", "qt", "s", "suite", "a", "r", "td", "must", "check", "expect", "assertions", "req", "ts", "as", "testutil", "tassert", "trequire":
		return true
	}
	return false
}

// claims reports whether a method's name is one of the claims of assertion libraries.
func claims(w string) bool {
	k, _ := kindOf(strings.TrimSuffix(w, "f"))
	if k == truthy && (w == "Set" || w == "Some" || w == "Checked" || w == "Valid" || w == "Done" || w == "Enabled" || w == "Visible" || w == "Success") {
		return false
	}
	switch w {
	case "Assert", "Check", "Fail", "FailNow", "Failf", "FailNowf", "Eventually", "Never", "Cmp", "Condition", "Conditionf", "Eventuallyf":
		return true
	case "Match", "String", "Type", "Status", "Header", "Body", "Code", "Value", "Text", "Key", "Keys", "Values", "Field", "Count", "Size", "Message", "Is", "In", "List", "Map", "Any", "Array", "Object",
		"Function", "Logs", "Error_", "Before", "After", "Test", "Number", "Property", "Items", "Item", "Count_", "Calls", "Called", "Class", "Length":
		return w == "Error" || w == "Is" && false
	}
	return k != unknown
}

// helper reports whether a name says that its function asserts.
func helper(w string) bool {
	w = strings.TrimLeft(w, "_$")
	for _, p := range [...]string{"assert", "expect", "verify", "check", "ensure", "refute", "require", "must", "want", "compare", "equal", "is", "eq"} {
		if len(w) < len(p) || !strings.EqualFold(w[:len(p)], p) {
			continue
		}
		rest := w[len(p):]
		if p == "is" || p == "eq" || p == "want" || p == "must" || p == "equal" || p == "compare" {
			return rest == "" && p != "is" || rest != "" && (rest[0] < 'a' || rest[0] > 'z')
		}
		if rest == "" || p == "assert" || rest[0] < 'a' || rest[0] > 'z' {
			return true
		}
	}
	return false
}

// prepares reports whether the name of a helper that is given t says that it sets things up.
func prepares(w string) bool {
	l := strings.ToLower(w)
	for _, p := range [...]string{"setup", "new", "make", "start", "init", "create", "mustnew", "mustopen", "mustparse", "mustread", "mustwrite", "mustload", "mustcreate", "mustmarshal", "checkout"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return false
}

func (x *finder) learnTesting() {
	f := x.f
	x.testing, x.direct = map[string]bool{}, map[int]bool{}
	for i := range f.Tokens {
		if f.Is(i, "testing") && f.Is(i+1, ".") && (f.Is(i+2, "T") || f.Is(i+2, "F") || f.Is(i+2, "TB") || f.Is(i+2, "B")) {
			switch {
			case f.Is(i-1, "*") && f.Kind(i-2) == source.Name:
				x.testing[f.Text(i-2)] = true
			case f.Kind(i-1) == source.Name:
				x.testing[f.Text(i-1)] = true
			}
		}
	}
	if len(x.testing) == 0 { // a piece of a file
		x.testing["t"] = true
	}
}

// goIf reads an if whose block fails the test.
func (x *finder) goIf(i, to int) (Assert, bool) {
	f := x.f
	open, semi := -1, -1
	for j := i + 1; j < min(to, i+longest); j++ {
		if f.Is(j, "{") && (!f.Is(j-2, "]") || f.Kind(j-1) != source.Name) && !f.Is(j-1, "]") {
			open = j
			break
		}
		if f.Is(j, ";") {
			semi = j
		}
		if f.Is(j, "}") || f.Is(j, ")") {
			break
		}
		j = max(j, x.closing(j))
	}
	if open < 0 {
		return Assert{}, false
	}
	end := x.closing(open)
	claim, ok := false, x.failsDirectly(open, end)
	to = min(end+1, len(f.Tokens))
	if f.Is(to, "else") && f.Is(to+1, "{") {
		rest := to + 1
		if !ok && x.failsDirectly(rest, x.closing(rest)) {
			claim, ok = true, true
		}
		if ok {
			to = min(x.closing(rest)+1, len(f.Tokens))
		}
	}
	if !ok {
		return Assert{}, false
	}
	a := Assert{From: i, To: to, At: i, Callee: "if"}
	from := i + 1
	if semi > 0 {
		from = semi + 1
	}
	x.condition(&a, [2]int{from, open}, claim)
	if semi > 0 {
		x.goInit(&a, i+1, semi)
	}
	return a, true
}

// goInit puts the value of `if got := f(); got != want` where its name is looked at.
func (x *finder) goInit(a *Assert, from, semi int) {
	f := x.f
	s := a.Looked
	if s[1]-s[0] != 1 {
		return
	}
	for j := from; j < semi; j++ {
		if !f.Is(j, ":=") && !f.Is(j, "=") {
			continue
		}
		named := false
		for k := from; k < j; k++ {
			named = named || f.Text(k) == f.Text(s[0])
		}
		if !named {
			return
		}
		a.Looked = [2]int{j + 1, semi}
		if at := j + 2; (f.Is(j+1, "cmp") || f.Is(j+1, "gocmp")) && f.Is(at+1, "Diff") && f.Is(at+2, "(") || f.Is(j+1, "deep") && f.Is(at+1, "Equal") {
			if args := x.args(at + 2); len(args) >= 2 {
				a.Matcher, a.Op, a.Strength = f.Text(j+1)+"."+f.Text(at+1), "==", Exact
				x.pair(a, args[1], args[0])
			}
		}
		return
	}
}

// failsDirectly reports whether a block itself, not one inside it, fails the test; those calls belong to the if.
func (x *finder) failsDirectly(open, end int) bool {
	f := x.f
	found := false
	for j := open + 1; j < min(end, len(f.Tokens)); j++ {
		if f.Is(j, "{") {
			j = max(j, x.closing(j))
			continue
		}
		if f.Kind(j) == source.Name && f.Is(j+1, "(") && f.Is(j-1, ".") && x.testing[f.Text(j-2)] && failing(f.Text(j)) {
			x.direct[j] = true
			found = true
		}
	}
	return found
}

// gomega reads Expect(x).To(Equal(y)).
func (x *finder) gomega(i int) (Assert, bool) {
	f := x.f
	a := x.goCall(i, Assert{Callee: "Expect"})
	a.Callee = f.Text(i)
	if args := x.args(i + 1); len(args) > 0 {
		a.Looked = args[0]
	}
	links, end := x.chain(x.closing(i+1) + 1)
	a.To = x.semicolon(end)
	for _, l := range links {
		name := f.Text(l.at)
		if l.open < 0 || name == "WithTimeout" || name == "WithPolling" || name == "Within" || name == "WithContext" || name == "WithOffset" {
			continue
		}
		args := x.args(l.open)
		not := name == "NotTo" || name == "ToNot" || name == "ShouldNot"
		if len(args) > 0 {
			x.matcher(&a, args[0], not)
		}
		return a, true
	}
	return a, false
}

// matcher fills in what a matcher in the argument of a chain claims: Equal(y), is(not(y)), isA<X>(), or a value.
func (x *finder) matcher(a *Assert, s [2]int, not bool) {
	f := x.f
	s = x.trim(s)
	for n := 0; n < 5; n++ {
		if f.Is(s[0], "const") || f.Is(s[0], "new") {
			s[0]++
		}
		i := s[0]
		for (f.Is(i+1, ".") || f.Is(i+1, "::")) && f.Kind(i+2) == source.Name && i+2 < s[1] {
			i += 2
		}
		j := x.generic(i + 1)
		if f.Kind(i) != source.Name || !f.Is(j, "(") {
			if f.Kind(i) == source.Name && i == s[1]-1 && (bareMatcher(f.Text(i))) {
				x.named(a, f.Text(i), nil, not)
				if f.Is(i, "anything") {
					a.Trivial = !not
				}
				return
			}
			break
		}
		args := x.args(j)
		name := f.Text(i)
		switch name {
		case "not", "isNot", "Not":
			if len(args) == 1 {
				not, s = !not, x.trim(args[0])
				continue
			}
		case "is", "Is", "describedAs":
			if len(args) == 1 && f.Lang != source.Go {
				s = x.trim(args[0])
				continue
			}
		}
		if k, _ := kindOf(name); k == unknown && !strings.HasPrefix(name, "is") && !strings.HasPrefix(name, "has") && !(f.Lang == source.Go && name != strings.ToLower(name[:1])+name[1:]) {
			break
		}
		x.named(a, name, args, not)
		return
	}
	a.Matcher = "equals"
	if not {
		a.Matcher = "not.equals"
	}
	x.claim(a, "equals", [][2]int{s}, not)
}

// bareMatcher reports whether a name without a call is a matcher, as in Dart.
func bareMatcher(name string) bool {
	k, _ := kindOf(name)
	return k != unknown && (strings.HasPrefix(name, "is") || strings.HasPrefix(name, "throws") || strings.HasPrefix(name, "finds") || name == "anything" || name == "completes" || name == "emitsDone" ||
		strings.HasPrefix(name, "returns"))
}

func (x *finder) named(a *Assert, name string, args [][2]int, not bool) {
	a.Matcher = name
	if not {
		a.Matcher = "not." + name
	}
	x.claim(a, name, args, not)
}
