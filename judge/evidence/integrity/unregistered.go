package integrity

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// sameBody is how similar a function must be to a former test to be that test under another form; source:
// docs/judge-quality.md.
const sameBody = 0.85

// stillWritten reports whether a test that is no test any more still stands in its file: as a function that no runner
// collects, or as a call that is none of a runner. An empty class excuses it.
func (s *survey) stillWritten(f *change.File, t *units.Test, out *rule.Finding) (kind, verdict.Class, bool) {
	if t.Call != "" {
		return s.stillTitled(f, t, out)
	}
	body := t.Body()
	var best *units.Func
	score := 0.0
	for _, fn := range f.After.Funcs() {
		if fn.Test || had(f.Before, fn.Name) && fn.Name != t.Name {
			continue
		}
		if sim := change.Similarity(body, fn.Body()); sim > score && fn.To-fn.From > 2 {
			best, score = fn, sim
		}
	}
	if best == nil || score < sameBody {
		return 0, "", false
	}
	if s.words(f)[best.Name] > 1 && best.Name != t.Name { // something calls it: it became a helper
		return unregistered, "", true
	}
	if best.Name == t.Name && s.words(f)[best.Name] > 1 && s.tested(f, best.Name) {
		return unregistered, "", true
	}
	out.Line, out.After = best.Line, best.Text()
	how := "its mark as a test is gone"
	if best.Name != t.Name {
		how = "it is called " + best.Name + " now"
	}
	out.Text = fmt.Sprintf("%s does not run any more: %s, and the test runner does not collect it", title(t), how)
	out.Fix = "give it back the form that the test runner collects"
	return unregistered, verdict.Hard, true
}

// tested reports whether a present test mentions a name.
func (s *survey) tested(f *change.File, name string) bool {
	for _, t := range f.After.Tests() {
		for i := t.From; i < t.To; i++ {
			if f.After.Is(i, name) {
				return true
			}
		}
	}
	return false
}

func had(u *units.File, name string) bool {
	for _, fn := range u.Funcs() {
		if fn.Name == name && !fn.Test {
			return true
		}
	}
	return false
}

// stillTitled looks for the title of a former test among the calls of the present file.
func (s *survey) stillTitled(f *change.File, t *units.Test, out *rule.Finding) (kind, verdict.Class, bool) {
	u := f.After
	for i := range u.Tokens {
		if u.Kind(i) != source.String || u.Unquote(i) != t.Name || !f.Touched(u.TokenLine(i), u.TokenLine(i)) && !f.Touched(u.TokenLine(i-1), u.TokenLine(i-1)) {
			continue
		}
		open := i - 1
		if !u.Is(open, "(") {
			if u.Lang != source.Ruby && u.Lang != source.Scala && u.Lang != source.Kotlin {
				continue
			}
			open = i
		}
		callee := open - 1
		if open == i {
			callee = i - 1
		}
		name := u.Text(callee)
		from := callee
		for from > 1 && u.Is(from-1, ".") {
			from -= 2
		}
		switch name {
		case "describe", "context", "group", "suite":
			return 0, "", false // it became a group
		}
		if u.Kind(callee) != source.Name && !u.Is(callee, ")") {
			continue
		}
		out.Line, out.After = u.TokenLine(i), u.Lines(u.TokenLine(i), u.TokenLine(i)+t.End-t.Line)
		how := "`" + short(u.Span(from, i+1)) + "`"
		switch {
		case s.comparing(u, callee):
			return skipped, "", true
		case name == "todo" || name == "skip" || strings.HasPrefix(name, "x") || name == "pending" || name == "ignore" || name == "it" || name == "test" || name == "specify":
			out.Text = fmt.Sprintf("%s has no body that runs any more: %s", title(t), how)
			out.Fix = "let the test run again, and make the code pass it"
			return skipped, verdict.Hard, true
		case s.runs(u, name):
			return unregistered, "", true
		}
		out.Text = fmt.Sprintf("%s is no test any more: %s is no function of the test runner", title(t), how)
		out.Fix = "give it back the form that the test runner collects"
		return unregistered, verdict.Hard, true
	}
	return 0, "", false
}

// comparing reports whether the callee is chosen by a condition: (isWindows ? it : it.skip)(…).
func (s *survey) comparing(u *units.File, callee int) bool { return u.Is(callee, ")") }

// runs reports whether a function is known to register tests: it is imported, or its body or value mentions one of the
// runner's functions other than skip.
func (s *survey) runs(u *units.File, name string) bool {
	for _, fn := range u.Funcs() {
		if fn.Name != name {
			continue
		}
		for i := fn.From; i < fn.To; i++ {
			switch u.Text(i) {
			case "it", "test", "testWidgets", "specify", "blocTest":
				if !u.Is(i+1, ".") || !u.Is(i+2, "skip") && !u.Is(i+2, "todo") {
					return true
				}
			}
		}
		return false
	}
	for i := range u.Tokens {
		if !u.Is(i, name) || !u.Is(i+1, "=") || u.Is(i-1, ".") {
			continue
		}
		line := u.Tokens[i].Line
		conditional, skips := false, false
		for k := i + 2; k < len(u.Tokens) && u.Tokens[k].Line == line; k++ {
			conditional = conditional || u.Is(k, "?")
			skips = skips || u.Is(k, "skip") || u.Is(k, "todo")
		}
		return conditional || !skips
	}
	for i := range u.Tokens { // imported, or declared somewhere that we do not see
		if u.Is(i, name) && (u.Is(i-1, "{") || u.Is(i-1, ",") || u.Is(i-1, "import")) {
			return true
		}
	}
	return u.Lang == source.Dart || u.Lang == source.Ruby || u.Lang == source.Kotlin || u.Lang == source.Scala
}
