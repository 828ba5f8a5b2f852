package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// golang finds `if got != want { t.Errorf(…) }`, testify, is, quicktest, gocheck, gomega and helpers that are given t.
func (x *Finder) golang(i, to int) (claim.Assert, bool) {
	f := x.F
	if x.testing == nil {
		x.learnTesting()
	}
	if f.Is(i, "if") {
		return x.goIf(i, to)
	}
	if !f.Is(i+1, "(") || f.Is(i-1, "func") {
		return claim.Assert{}, false
	}
	w := f.Text(i)
	recv := ""
	if f.Is(i-1, ".") {
		recv = f.Text(i - 2)
	}
	if x.testing[recv] {
		if failing(w) && !x.direct[i] {
			return x.goCall(i, claim.Assert{Callee: recv + "." + w}), true
		}
		return claim.Assert{}, false
	}
	switch w {
	case "Expect", "Ω", "Eventually", "Consistently", "EventuallyWithOffset", "ExpectWithOffset":
		return x.gomega(i)
	}
	args := x.Args(i + 1)
	given := len(args) > 0 && args[0][1]-args[0][0] == 1 && x.testing[f.Text(args[0][0])]
	switch {
	case given:
		if recv == "" && !claim.Helper(w) || recv != "" && !claim.Helper(w) && !claims(w) || prepares(w) {
			return claim.Assert{}, false
		}
		args = args[1:]
	case !library(recv) || !claims(w):
		return claim.Assert{}, false
	}
	a := x.goCall(i, claim.Assert{})
	if recv != "" {
		a.Callee = recv + "." + w
	} else {
		a.Callee = w
	}
	x.goFill(&a, recv, w, args)
	return a, true
}

// goFill fills in the operands of a call of an assertion library.
func (x *Finder) goFill(a *claim.Assert, recv, w string, args [][2]int) {
	f := x.F
	if (w == "Assert" || w == "Check") && len(args) >= 2 { // quicktest: got, checker, want; gotest.tools: a comparison
		p := args[1]
		if p[1]-p[0] <= 3 && f.Kind(p[1]-1) == source.Name && (recv == "qt" || recv == "c" || f.Is(p[0], "qt") || len(args) >= 3) {
			a.Looked = args[0]
			a.Matcher = f.Text(p[1] - 1)
			x.Claim(a, a.Matcher, args[2:], false)
			return
		}
	}
	if w == "Assert" && len(args) >= 1 && f.Is(args[0][1]-1, ")") { // gotest.tools: is.Equal(a, b)
		if open := x.Opening(args[0][1] - 1); open > args[0][0] && f.Is(open-2, ".") && (f.Is(open-3, "is") || f.Is(open-3, "cmp")) {
			a.Matcher = f.Text(open - 1)
			x.Fill(a, a.Matcher, x.Args(open), false)
			return
		}
	}
	name := strings.TrimSuffix(w, "f")
	if claim.Knows(w) {
		name = w
	}
	x.Fill(a, name, args, recv != "is" && recv != "c" && recv != "qt")
}

// goCall sets the span of the call whose name is token i.
func (x *Finder) goCall(i int, a claim.Assert) claim.Assert {
	from, _ := x.Start(i)
	a.From, a.At, a.To = from, i, x.Semicolon(x.Closing(i+1)+1)
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
	if w == "Set" || w == "Some" || w == "Checked" || w == "Valid" || w == "Done" || w == "Enabled" || w == "Visible" || w == "Success" {
		return false
	}
	switch w {
	case "Assert", "Check", "Fail", "FailNow", "Failf", "FailNowf", "Eventually", "Never", "Cmp", "Condition", "Conditionf", "Eventuallyf":
		return true
	case "Match", "String", "Type", "Status", "Header", "Body", "Code", "Value", "Text", "Key", "Keys", "Values", "Field", "Count", "Size", "Message", "Is", "In", "List", "Map", "Any", "Array", "Object",
		"Function", "Logs", "Error_", "Before", "After", "Test", "Number", "Property", "Items", "Item", "Count_", "Calls", "Called", "Class", "Length":
		return w == "Error" || w == "Is" && false
	}
	return claim.Knows(strings.TrimSuffix(w, "f"))
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

func (x *Finder) learnTesting() {
	f := x.F
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
func (x *Finder) goIf(i, to int) (claim.Assert, bool) {
	f := x.F
	open, semi := -1, -1
	for j := i + 1; j < min(to, i+expr.Longest); j++ {
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
		j = max(j, x.Closing(j))
	}
	if open < 0 {
		return claim.Assert{}, false
	}
	end := x.Closing(open)
	claimed, ok := false, x.failsDirectly(open, end)
	to = min(end+1, len(f.Tokens))
	if f.Is(to, "else") && f.Is(to+1, "{") {
		rest := to + 1
		if !ok && x.failsDirectly(rest, x.Closing(rest)) {
			claimed, ok = true, true
		}
		if ok {
			to = min(x.Closing(rest)+1, len(f.Tokens))
		}
	}
	if !ok {
		return claim.Assert{}, false
	}
	a := claim.Assert{From: i, To: to, At: i, Callee: "if"}
	from := i + 1
	if semi > 0 {
		from = semi + 1
	}
	x.Condition(&a, [2]int{from, open}, claimed)
	if semi > 0 {
		x.goInit(&a, i+1, semi)
	}
	return a, true
}

// goInit puts the value of `if got := f(); got != want` where its name is looked at.
func (x *Finder) goInit(a *claim.Assert, from, semi int) {
	f := x.F
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
			if args := x.Args(at + 2); len(args) >= 2 {
				a.Matcher, a.Op, a.Strength = f.Text(j+1)+"."+f.Text(at+1), "==", claim.Exact
				x.Pair(a, args[1], args[0])
			}
		}
		return
	}
}

// failsDirectly reports whether a block itself, not one inside it, fails the test; those calls belong to the if.
func (x *Finder) failsDirectly(open, end int) bool {
	f := x.F
	found := false
	for j := open + 1; j < min(end, len(f.Tokens)); j++ {
		if f.Is(j, "{") {
			j = max(j, x.Closing(j))
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
func (x *Finder) gomega(i int) (claim.Assert, bool) {
	f := x.F
	a := x.goCall(i, claim.Assert{Callee: "Expect"})
	a.Callee = f.Text(i)
	if args := x.Args(i + 1); len(args) > 0 {
		a.Looked = args[0]
	}
	links, end := x.Chain(x.Closing(i+1) + 1)
	a.To = x.Semicolon(end)
	for _, l := range links {
		name := f.Text(l.At)
		if l.Open < 0 || name == "WithTimeout" || name == "WithPolling" || name == "Within" || name == "WithContext" || name == "WithOffset" {
			continue
		}
		args := x.Args(l.Open)
		not := name == "NotTo" || name == "ToNot" || name == "ShouldNot"
		if len(args) > 0 {
			x.Matcher(&a, args[0], not)
		}
		return a, true
	}
	return a, false
}
