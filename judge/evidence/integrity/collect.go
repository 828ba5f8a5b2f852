package integrity

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// collects reports whether test runners collect a file by its name and place.
func collects(p string) bool {
	lang := source.Of(p)
	if lang == "" {
		return false
	}
	base := path.Base(p)
	for _, d := range strings.Split(path.Dir(p), "/") {
		switch d = strings.ToLower(strings.Trim(d, "_.")); d {
		case "disabled", "skipped", "skip", "attic", "quarantine", "quarantined", "broken", "archive", "archived", "deprecated_tests", "ignored", "off":
			return false
		case "testdata":
			if lang == source.Go {
				return false
			}
		}
	}
	if lang == source.Go && (base[0] == '_' || base[0] == '.') {
		return false
	}
	if layout.IsTestName(lang, base) {
		return true
	}
	switch lang {
	case source.JS, source.TS, source.Rust, source.C, source.CPP:
		return layout.IsTest(p) // these go by folders, too
	}
	return false
}

// movedTo finds the present form of a test file that is gone: its text under a name that nothing collects.
func (s *survey) movedTo(f *change.File) *change.File {
	if f.Before == nil {
		return nil
	}
	for _, o := range s.c.Files {
		if o.Path == f.OldPath || collects(o.Path) || o.Status == 'M' || o.Deleted() || o.After == nil {
			continue
		}
		if o == f && o.Path != f.OldPath {
			return o
		}
		if o.Status == 'A' && f.Deleted() && change.Similarity(f.Before.Src, o.After.Src) > sameBody {
			return o
		}
	}
	return nil
}

// uncollected finds tests whose file, class or form is one that the runner does not collect any more.
func (s *survey) uncollected() {
	files := map[*change.File]bool{}
	for _, p := range s.c.Tests() {
		if p.Before == nil || p.After == nil {
			continue
		}
		if p.New.Path != p.Old.OldPath && collects(p.Old.OldPath) && !collects(p.New.Path) && p.Similar > sameBody {
			if !files[p.New] && !s.mentioned(p.New) {
				s.add(fileDisabled, verdict.Hard, p.New.After, rule.Finding{
					Path: p.New.Path, Line: max(p.After.Line, 1), Unit: p.After.Name, Before: p.Before.Text(), After: p.After.Text(),
					Text: fmt.Sprintf("%s moved from %s to %s, where no test runner collects it", title(p.After), p.Old.OldPath, p.New.Path),
					Fix:  "give the file a name that the test runner collects",
				})
			}
			files[p.New] = true
			continue
		}
		if how := s.unhinged(p); how != "" {
			s.add(unregistered, verdict.Hard, p.New.After, rule.Finding{
				Path: p.New.Path, Line: p.After.Line, Unit: p.After.Name, Before: p.Before.Text(), After: p.After.Text(),
				Text: fmt.Sprintf("%s does not run any more: %s", title(p.After), how), Fix: "give it back the form that the test runner collects",
			})
		}
	}
	s.shadowed()
}

// mentioned reports whether another file of the project names a file, as an import would.
func (s *survey) mentioned(f *change.File) bool {
	stem := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
	words := change.Words(stem)
	if s.c.Now == nil || len(words) == 0 {
		return false
	}
	for _, p := range s.c.Now.Grep(words[:1], 50)[words[0]] {
		if p.Path != f.Path && source.Of(p.Path) == f.Lang && strings.Contains(p.Text, stem) {
			return true
		}
	}
	return false
}

// unhinged says why a test that is still written down does not run, "" if it does.
func (s *survey) unhinged(p change.TestPair) string {
	b, a, u := p.Before, p.After, p.New.After
	switch u.Lang {
	case source.Java, source.Kotlin, source.CSharp, source.PHP:
		if marked(b.Attrs) && !marked(a.Attrs) && (u.Lang == source.Java && b.Name == a.Name && !strings.Contains(u.Src, "extends TestCase")) {
			return "its annotation is gone"
		}
		for _, m := range [...]string{"private", "static", "abstract"} {
			if (u.Lang != source.Kotlin || m != "static") && modified(u, a, m) && !modified(p.Old.Before, b, m) {
				return "it is " + m + " now"
			}
		}
	case source.Python:
		if p.Old.Before.Lang != source.Python {
			return ""
		}
		if was, is := hosted(p.Old.Before, b), hosted(u, a); was == "" && is != "" {
			return is
		}
	case source.JS, source.TS, source.Dart:
		if was, is := s.uncalled(p.Old.Before, b), s.uncalled(u, a); was == "" && is != "" {
			return "nothing calls " + is + ", in which it stands"
		}
	case source.C, source.CPP:
		if strings.Contains(a.Name, "DISABLED_") && !strings.Contains(b.Name, "DISABLED_") {
			return "its name begins with DISABLED_"
		}
	case source.Go:
		if strings.HasPrefix(a.Name, "Example") && b.Weight > 0 && a.Weight == 0 && b.Name == a.Name && strings.Contains(strings.ToLower(b.Text()), "output:") {
			return "without an output comment it is only compiled"
		}
	}
	return ""
}

func marked(attrs string) bool {
	for _, w := range change.Words(attrs) {
		switch w {
		case "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Theory", "Fact", "TestCase", "TestMethod":
			return true
		}
	}
	return false
}

// modified reports whether a word stands among the modifiers of a declared test.
func modified(u *units.File, t *units.Test, word string) bool {
	if t.Call != "" {
		return false
	}
	for i := t.Head; i < t.At; i++ {
		if u.Is(i, word) {
			return true
		}
	}
	return false
}

// hosted says why the class or function around a Python test keeps it from being collected.
func hosted(u *units.File, t *units.Test) string {
	for _, d := range u.Decls() {
		if d.From > t.At || t.At >= d.To || d.At == t.At {
			continue
		}
		if !d.Type {
			return "it stands inside the function " + d.Name
		}
		if strings.HasPrefix(d.Name, "Test") {
			continue
		}
		bases := u.Span(d.At+1, d.From)
		if !strings.Contains(bases, "(") || bases == "( object )" || bases == "(object)" || bases == "():" || bases == "(object):" {
			return "its class is called " + d.Name + " now"
		}
	}
	return ""
}

// uncalled names the function around a test that is a call, when nothing in the file calls, exports or passes it on.
func (s *survey) uncalled(u *units.File, t *units.Test) string {
	for _, d := range u.Decls() {
		if d.Type || d.From > t.At || t.At >= d.To || d.At == t.At {
			continue
		}
		if d.Name == "main" || u.Lang == source.Dart && u.Tokens[max(d.At-1, 0)].Col > 0 && u.Tokens[d.At].Col > 20 {
			break
		}
		n := 0
		for i := range u.Tokens {
			if u.Is(i, d.Name) {
				n++
			}
		}
		first := d.At
		for first > 0 && !u.Tokens[first].First {
			first--
		}
		if n == 1 && !u.Is(first, "export") && !u.Is(first, "module") && !u.Is(first, "exports") && d.Name[0] != '_' == (u.Lang != source.Dart) || n == 1 && u.Lang == source.Dart {
			if u.Is(first, "export") {
				return ""
			}
			return d.Name
		}
	}
	return s.shelved(u, t)
}

// shelved names what holds the function around a test, alone or in a list, when nothing else in the file names it.
func (s *survey) shelved(u *units.File, t *units.Test) string {
	for open := t.At - 1; open > 0; open-- {
		if !u.Is(open, "{") || u.Close(open) < t.At {
			continue
		}
		first := open
		for first > 0 && !u.Tokens[first].First {
			first--
		}
		set := -1
		for i := first + 1; i < open && set < 0; i++ {
			if u.Is(i, "=") {
				set = i
			}
		}
		if set < 0 || u.Kind(set-1) != source.Name || u.Is(set-2, ".") || u.Is(first, "export") || !value(u, set+1, open) {
			continue
		}
		n := 0
		for i := range u.Tokens {
			if u.Is(i, u.Text(set-1)) {
				n++
			}
		}
		if n == 1 {
			return u.Text(set - 1)
		}
	}
	return ""
}

// value reports whether tokens [from, open) and the block behind them are a function, alone or in a list, that is called by
// nobody and handed to nobody there.
func value(u *units.File, from, open int) bool {
	for u.Is(from, "[") {
		from++
	}
	for ; from < open; from++ {
		switch u.Text(from) {
		case "async", "function", "=>":
		case "(":
			from = u.Close(from)
		default:
			if !u.Is(from-1, "function") && !u.Is(from+1, "=>") {
				return false
			}
		}
	}
	return !u.Is(u.Close(open)+1, "(") && !u.Is(u.Close(open)+1, ")")
}

// shadowed finds tests of Python that a later one of the same name replaces.
func (s *survey) shadowed() {
	for _, f := range s.c.Files {
		if f.Lang != source.Python || f.After == nil || f.Before == nil {
			continue
		}
		was := map[string]int{}
		for _, t := range f.Before.Tests() {
			was[t.Group+"\x00"+t.Name]++
		}
		first := map[string]*units.Test{}
		for _, t := range f.After.Tests() {
			k := t.Group + "\x00" + t.Name
			o := first[k]
			if o == nil {
				first[k] = t
				continue
			}
			if was[k] == 1 && f.After.Tokens[o.At].Col == f.After.Tokens[t.At].Col && t.Body() != o.Body() {
				s.add(unregistered, verdict.Hard, f.After, rule.Finding{
					Path: f.Path, Line: t.Line, Unit: t.Name, Before: o.Text(), After: t.Text(),
					Text: fmt.Sprintf("%s of line %d does not run any more: this one has the same name and takes its place", t.Name, o.Line), Fix: "give the new test its own name",
				})
			}
			was[k] = 0
		}
	}
}
