package assertion

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units/claim"
	"github.com/devflow-suite/devflow/judge/units/expr"
)

// script finds the assertions of JavaScript and TypeScript: Jest and its kin, chai, node:assert, ava, tap, supertest, types.
func (x *Finder) script(i int) (claim.Assert, bool) {
	f := x.F
	w := f.Text(i)
	call := f.Is(i+1, "(") || f.Is(i+1, "<") && f.Is(x.Generic(i+1), "(")
	if f.Is(i-1, "function") {
		return claim.Assert{}, false
	}
	member := f.Is(i-1, ".") || f.Is(i-1, "?.")
	switch w {
	case "expect", "expectTypeOf", "expectAsync", "assertType", "expectType":
		switch {
		case member && call && w == "expect" && !f.Is(i-2, "chai"):
			return x.scriptLink(i), true
		case call:
			return x.expect(i)
		case f.Is(i+1, ".") && (f.Is(i+2, "soft") || f.Is(i+2, "poll") || f.Is(i+2, "fail")) && f.Is(i+3, "("):
			return x.expect(i + 2)
		}
		return claim.Assert{}, false
	case "assert":
		if call && !member || call && (f.Is(i-2, "t") || f.Is(i-2, "console") || f.Is(i-2, "tap")) {
			return x.scriptCall(i), true
		}
		return claim.Assert{}, false
	case "should":
		if member || call && !member {
			return x.should(i)
		}
		return claim.Assert{}, false
	}
	if !call {
		return claim.Assert{}, false
	}
	if member {
		switch f.Text(i - 2) {
		case "assert", "strict":
			return x.scriptCall(i), true
		case "t", "tap", "test", "st":
			if avaClaim(w) {
				return x.scriptCall(i), true
			}
			return claim.Assert{}, false
		}
	}
	switch w {
	case "strictEqual", "deepStrictEqual", "deepEqual", "notStrictEqual", "notDeepEqual", "equal", "ok", "throws", "rejects", "doesNotThrow", "notEqual", "doesNotReject", "notDeepStrictEqual":
		if !member {
			return x.scriptCall(i), true
		}
		return claim.Assert{}, false
	}
	ordinary := w == "verify" || w == "check" || w == "ensure" || w == "must" || w == "compare"
	if claim.Helper(w) && !f.Is(i-1, "new") && !strings.HasPrefix(w, "is") && !strings.HasPrefix(w, "must") && !strings.HasPrefix(w, "compare") && !strings.HasPrefix(w, "require") && !strings.HasPrefix(w, "eq") &&
		!strings.HasPrefix(w, "want") && (!member || strings.HasPrefix(w, "assert") || strings.HasPrefix(w, "expect")) && (!ordinary || f.Is(x.Closing(x.Generic(i+1))+1, ".")) {
		return x.scriptCall(i), true
	}
	return claim.Assert{}, false
}

// avaClaim reports whether a method of t is one of the claims of ava or tap.
func avaClaim(w string) bool {
	switch w {
	case "is", "not", "deepEqual", "notDeepEqual", "like", "throws", "throwsAsync", "notThrows", "notThrowsAsync", "true", "false", "truthy", "falsy", "regex", "notRegex", "snapshot", "assert", "fail", "pass",
		"equal", "equals", "same", "ok", "notOk", "strictSame", "match", "error", "deepEquals", "rejects", "resolves", "type", "has", "matchSnapshot", "notSame", "doesNotThrow", "strictEqual", "notEqual",
		"deepStrictEqual", "hasStrict", "strictNotSame", "unlike", "notOkay", "ifError", "isNot":
		return true
	}
	return false
}

// scriptCall reads assert.equal(a, b) and the like.
func (x *Finder) scriptCall(i int) claim.Assert {
	f := x.F
	from, awaited := x.Start(i)
	open := x.Generic(i + 1)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: x.Dotted(from, i)}
	links, end := x.Chain(x.Closing(open) + 1)
	a.To = x.Semicolon(end)
	name := f.Text(i)
	args := x.Args(open)
	switch name {
	case "not": // ava
		name = "notEqual"
	case "is":
		name = "equal"
	case "isNot":
		name = "notEqual"
	case "match", "regex", "like":
		name = "matches"
	case "error", "ifError":
		if name == "ifError" || f.Is(i-2, "t") {
			name = "noError"
		}
	case "pass":
		a.Trivial, a.Strength = true, claim.Presence
		return a
	}
	x.Fill(&a, name, args, false)
	for _, l := range links {
		if l.Open >= 0 {
			a.Matcher = f.Text(l.At)
		}
	}
	return a
}

// expect reads expect(x).not.toBe(y), also without a call at the end as in chai. Token i is the name that is called.
func (x *Finder) expect(i int) (claim.Assert, bool) {
	f := x.F
	from, awaited := x.Start(i)
	open := x.Generic(i + 1)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: f.Text(i)}
	if f.Is(i-1, ".") {
		a.Callee = "expect." + f.Text(i)
	}
	if args := x.Args(open); len(args) > 0 {
		a.Looked = args[0]
	}
	links, end := x.Chain(x.Closing(open) + 1)
	a.To = x.Semicolon(end)
	switch {
	case f.Is(i, "fail"):
		a.Strength = claim.Exact
		return a, true
	case len(links) == 0 && f.Is(i, "expect"):
		a.Trivial = true
		return a, true
	}
	if f.Is(i, "expectTypeOf") || f.Is(i, "assertType") || f.Is(i, "expectType") {
		x.types(&a, i, links)
		return a, true
	}
	x.Links(&a, links)
	return a, true
}

// types reads claims about types, which the compiler checks.
func (x *Finder) types(a *claim.Assert, i int, links []expr.Link) {
	f := x.F
	a.Strength = claim.Exact
	if f.Is(i+1, "<") {
		a.Wanted = [2]int{i + 2, x.Generic(i+1) - 1}
	}
	var names []string
	for _, l := range links {
		names = append(names, f.Text(l.At))
		if f.Is(l.At+1, "<") {
			a.Wanted = [2]int{l.At + 2, max(x.Generic(l.At+1)-1, l.At+2)}
		} else if l.Open >= 0 && x.Closing(l.Open) > l.Open+1 {
			a.Wanted = [2]int{l.Open + 1, min(x.Closing(l.Open), len(f.Tokens))}
		}
	}
	a.Matcher = strings.Join(names, ".")
	if a.Wanted[1] == a.Wanted[0]+1 && (f.Is(a.Wanted[0], "any") || f.Is(a.Wanted[0], "unknown")) && f.Is(i, "assertType") {
		a.Trivial = true
	}
	if strings.Contains(a.Matcher, "toMatchTypeOf") || strings.Contains(a.Matcher, "toExtend") || strings.Contains(a.Matcher, "toBeAny") {
		a.Strength = claim.Tolerance
	}
}

// scriptLink reads a link of a chain that is no expect: request(app).get('/').expect(200).
func (x *Finder) scriptLink(i int) claim.Assert {
	f := x.F
	open := x.Generic(i + 1)
	a := claim.Assert{From: i - 1, At: i, To: min(x.Closing(open)+1, len(f.Tokens)), Callee: ".expect", Strength: claim.Exact, Awaited: true}
	from, _ := x.Start(i)
	for f.Is(from, "await") || f.Is(from, "return") {
		from++
	}
	end := i - 1
	for k := from; k < i-1; k++ {
		if f.Is(k, ".") && f.Is(k+1, "expect") {
			end = k
			break
		}
		k = max(k, min(x.Closing(k), i-2))
	}
	if end > from && end-from < expr.Longest {
		a.Looked = [2]int{from, end}
	}
	args := x.Args(open)
	switch {
	case len(args) == 0:
	case f.Kind(args[0][0]) == source.Number:
		a.Matcher = "status"
	case len(args) >= 2 && f.Kind(args[0][0]) == source.String:
		a.Matcher = "header"
	default:
		a.Matcher = "body"
	}
	if n := len(args); n > 0 {
		if n > 1 && args[n-1][1]-args[n-1][0] == 1 && (f.Is(args[n-1][0], "done") || f.Is(args[n-1][0], "cb") || f.Is(args[n-1][0], "fn")) {
			n--
		}
		if n == 1 && f.Is(args[0][0], "done") {
			a.Strength = claim.Unknown
		}
		a.Wanted = [2]int{args[0][0], args[n-1][1]}
	}
	a.Expected = x.Norm(a.Wanted)
	return a
}

// should reads x.should.equal(y), should(x).equal(y) and cy.get(x).should('equal', y).
func (x *Finder) should(i int) (claim.Assert, bool) {
	f := x.F
	from, awaited := x.Start(i)
	a := claim.Assert{From: from, At: i, Awaited: awaited, Callee: "should"}
	j := i + 1
	called := f.Is(j, "(")
	if called {
		j = x.Closing(j) + 1
	}
	links, end := x.Chain(j)
	a.To = x.Semicolon(end)
	if f.Is(i-1, ".") {
		k := from
		for f.Is(k, "await") || f.Is(k, "return") {
			k++
		}
		if i-1-k < expr.Longest {
			a.Looked = [2]int{k, i - 1}
		}
		if called {
			args := x.Args(i + 1)
			if len(args) > 0 && f.Kind(args[0][0]) == source.String {
				a.Matcher = f.Unquote(args[0][0])
				x.Claim(&a, strings.ReplaceAll(strings.ReplaceAll(a.Matcher, "not.", "not"), ".", ""), args[1:], false)
				return a, true
			}
			if len(links) == 0 && len(args) == 0 {
				return a, false
			}
		}
	} else if called {
		if args := x.Args(i + 1); len(args) > 0 {
			a.Looked = args[0]
		}
	}
	if len(links) == 0 && !called {
		return a, false
	}
	x.Links(&a, links)
	return a, true
}
