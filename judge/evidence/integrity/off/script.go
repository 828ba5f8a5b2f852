package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// testWord knows what the functions of JavaScript's and Dart's runners that take tests are called.
func testWord(w string) bool {
	switch w {
	case "it", "test", "specify", "describe", "context", "suite", "scenario", "feature", "Deno", "QUnit", "tap", "module", "group", "testWidgets", "blocTest", "testGoldens", "patrolTest",
		"goldenTest", "integrationTest", "xit", "fit", "xdescribe", "fdescribe", "bench", "testWithGame":
		return true
	}
	return strings.HasSuffix(w, "Test") || strings.HasPrefix(w, "test") && len(w) > 4 && w[4] >= 'A' && w[4] <= 'Z'
}

// script reads JavaScript and TypeScript.
func (r *reader) script(i int) {
	w := r.Text(i)
	switch w {
	case "skip", "only", "todo", "fixme", "failing", "fails", "fail", "skipIf", "runIf", "ignore":
		switch {
		case r.Is(i-1, ".") || r.Is(i-1, "?."):
			r.modifier(i)
		case r.Is(i+1, ":"):
			r.option(i)
		}
	case "xit", "xtest", "xdescribe", "xcontext", "xspecify", "xsuite", "xfeature", "xscenario":
		if r.calls(i) {
			r.add(Switch{Kind: Skip, What: w, From: i, To: r.chain(i + 1)}, i)
		}
	case "fit", "fdescribe", "fcontext", "ftest", "fspecify", "iit", "ddescribe":
		if r.calls(i) {
			r.add(Switch{Kind: Only, What: w, From: i, To: r.chain(i + 1)}, i)
		}
	case "pending":
		if r.calls(i) && r.Tokens[i].First {
			r.call(i, w)
		}
	case "false":
		if r.Is(i+1, "&&") && r.Tokens[i].First {
			r.add(Switch{Kind: Dead, What: "false &&", From: i, To: r.chain(i + 3)}, i)
		}
	}
}

// calls reports whether the name at token i is called, and not a method or declared.
func (r *reader) calls(i int) bool {
	return (r.Is(i+1, "(") || r.Is(i+1, ".") || r.Is(i+1, "<")) && !r.Is(i-1, ".") && !r.Is(i-1, "function") && !r.Is(i-1, "const")
}

// chain is the token after the calls that begin at token j: (…), .each(…)(…), <T>(…).
func (r *reader) chain(j int) int {
	for j < len(r.Tokens) {
		switch {
		case r.Is(j, "("):
			if c := r.Close(j); c > j {
				j = c + 1
				continue
			}
			return len(r.Tokens)
		case r.Is(j, "."):
			j += 2
			continue
		case r.Kind(j) == source.String:
			j++
			continue
		}
		return j
	}
	return j
}

// root is the first name of a chain of members and calls that holds token i.
func (r *reader) root(i int) int {
	for i > 1 && (r.Is(i-1, ".") || r.Is(i-1, "?.")) {
		i -= 2
		for r.Is(i, ")") && r.opener[i] > 0 {
			i = int(r.opener[i]) - 1
		}
	}
	return i
}

// modifier reads it.skip, describe.only.each, this.skip().
func (r *reader) modifier(i int) {
	w := r.Text(i)
	root := r.root(i)
	if !r.Is(i+1, "(") && !r.Is(i+1, ".") && !r.Is(i+1, "<") && r.Kind(i+1) != source.String {
		r.alias(i, root)
		return
	}
	titled := r.Kind(i+2) == source.String || r.Is(i+1, ".") || r.Is(i+1, "<") || r.Kind(i+1) == source.String || r.mentions(i+2, r.Close(i+1), "=>", "function")
	end := r.chain(i + 1)
	what := r.Span(root, i+1)
	switch {
	case w == "skipIf" || w == "runIf":
		cond := r.argument(i + 1)
		if w == "runIf" {
			cond = "!(" + cond + ")"
		}
		if testWord(r.Text(root)) {
			r.guarded(Switch{Kind: Skip, What: what, From: i, To: end}, i, cond)
		}
	case testWord(r.Text(root)) && titled:
		kind := Skip
		if w == "only" {
			kind = Only
		}
		if w == "fail" && root != i-2 {
			return
		}
		r.guarded(Switch{Kind: kind, What: what, From: i, To: end}, i, r.conditions(i, true))
	case w == "skip" || w == "fixme" || w == "todo":
		if x := r.Text(root); x != "this" && x != "t" && x != "ctx" && x != "context" && x != "test" && x != "it" || root != i-2 {
			return
		}
		cond := r.conditions(i, false)
		if a := r.argument(i + 1); a != "" {
			cond += " " + a
		}
		from, to, whole := r.closure(i)
		r.guarded(Switch{Kind: Skip, What: what, From: from, To: to, Whole: whole}, i, cond)
	}
}

// mentions reports whether one of the words is among tokens [from, to), looking at no more than a few.
func (r *reader) mentions(from, to int, words ...string) bool {
	for k := from; k < to && k < from+40; k++ {
		for _, w := range words {
			if r.Is(k, w) {
				return true
			}
		}
	}
	return false
}

// closure is where a call at token i reaches in languages whose tests are closures: the test itself, or for a hook the
// group around it.
func (r *reader) closure(i int) (from, to int, whole bool) {
	for b := int(r.parent[i]); b >= 0; b = int(r.parent[b]) {
		if !r.Is(b, "{") {
			continue
		}
		if _, function := r.header(b); !function {
			continue
		}
		p := int(r.parent[b])
		if p < 0 || !r.Is(p, "(") {
			break
		}
		switch r.Text(r.root(p - 1)) {
		case "before", "beforeEach", "beforeAll", "setUp", "setUpAll", "setup", "suiteSetup":
			g := int(r.parent[p])
			if g < 0 {
				return 0, len(r.Tokens), true
			}
			return g, r.Close(g), false
		case "describe", "context", "suite", "group":
			return b, r.Close(b), false
		}
		break
	}
	return i, i + 1, false
}

// option reads { skip: true } and, in Dart, skip: 'why' among the arguments of a test or group.
func (r *reader) option(i int) {
	p := int(r.parent[i])
	if r.Lang != source.Dart {
		if p < 0 || !r.Is(p, "{") || !r.Is(p-1, ",") && !r.Is(p-1, "(") {
			return
		}
		p = int(r.parent[p])
	}
	if p < 0 || !r.Is(p, "(") {
		return
	}
	callee := p - 1
	if r.Is(callee, ">") { // type arguments
		for callee > 0 && !r.Is(callee, "<") {
			callee--
		}
		callee--
	}
	root := r.root(callee)
	if !testWord(r.Text(root)) && !(r.Lang != source.Dart && r.Text(callee) == "test") {
		return
	}
	from, to := r.value(i, p)
	w, cond := r.Text(i), r.Span(from, to)
	if r.Kind(from) == source.String && to == from+1 {
		cond = ""
	}
	s := Switch{Kind: Skip, What: w + ":", From: root, To: r.Close(p)}
	switch w {
	case "only", "solo":
		s.Kind = Only
	case "testOn", "onPlatform":
		cond = "platform"
	case "failing", "fails", "fail", "skipIf", "runIf", "fixme":
		return
	}
	r.guarded(s, i, cond)
}

// value is the value behind a label at token i, up to the comma.
func (r *reader) value(i, open int) (from, to int) {
	from = i + 2
	for to = from; to < len(r.Tokens) && !r.Is(to, ",") && !r.Is(to, "}") && !r.Is(to, ")"); to++ {
		to = max(to, r.Close(to))
	}
	return from, to
}

// dart reads Dart.
func (r *reader) dart(i int) {
	switch r.Text(i) {
	case "skip", "solo", "testOn", "onPlatform":
		if r.Is(i+1, ":") {
			r.option(i)
		}
	case "markTestSkipped":
		if r.Is(i+1, "(") {
			from, to, whole := r.closure(i)
			r.guarded(Switch{Kind: Skip, What: "markTestSkipped", From: from, To: to, Whole: whole}, i, r.conditions(i, false))
		}
	}
}
