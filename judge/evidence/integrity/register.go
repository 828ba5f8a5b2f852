package integrity

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// registers finds what connected tests with their runner and is gone, while the tests are still there: module lines of
// Rust, classes of a suite, imports of a file of tests, names in lists of C, and names that pytest is told to ignore.
func (s *survey) registers() {
	for _, f := range s.c.Files {
		if f.Before == nil || f.After == nil {
			continue
		}
		switch f.Lang {
		case source.Rust:
			s.modules(f)
		case source.Java, source.Kotlin:
			s.suites(f)
		case source.JS, source.TS, source.Dart:
			s.imports(f)
		case source.Python:
			s.python(f)
		case source.C, source.CPP:
			s.calls(f)
		}
	}
}

// modules looks at `mod name;` of Rust.
func (s *survey) modules(f *change.File) {
	now := modLines(f.After)
	for name, line := range modLines(f.Before) {
		if now[name] > 0 || s.c.Now == nil {
			continue
		}
		dir := path.Dir(f.Path)
		if base := path.Base(f.Path); base != "lib.rs" && base != "main.rs" && base != "mod.rs" && path.Base(dir) != "tests" {
			dir = strings.TrimSuffix(f.Path, ".rs")
		}
		for _, p := range [...]string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
			text, ok := s.c.Now.Read(p)
			if !ok {
				continue
			}
			tests := units.Parse(p, source.Rust, text).Tests()
			if len(tests) == 0 {
				continue
			}
			s.unregister(f, line, verdict.Hard, name, fmt.Sprintf("`mod %s;` is gone: the %s of %s are not compiled any more", name, count(len(tests)), p))
		}
	}
}

// unregister notes that something that stood on a former line of a file connected tests with their runner.
func (s *survey) unregister(f *change.File, old int, class verdict.Class, unit, text string) {
	s.add(unregistered, class, f.After, rule.Finding{
		Path: f.Path, Line: max(min(f.Present(old), f.After.NumLines()), 1), Unit: unit, Text: text, Before: f.Before.Lines(old, old), Fix: "put the line back, or delete the tests with the code that they exercise",
	})
}

func modLines(u *units.File) map[string]int {
	out := map[string]int{}
	for i := range u.Tokens {
		if u.Is(i, "mod") && u.Kind(i+1) == source.Name && u.Is(i+2, ";") {
			out[u.Text(i+1)] = u.TokenLine(i)
		}
	}
	return out
}

// suites looks at lists of classes in @SuiteClasses and @SelectClasses.
func (s *survey) suites(f *change.File) {
	now := suiteClasses(f.After)
	for name, line := range suiteClasses(f.Before) {
		if now[name] > 0 || s.c.Now == nil {
			continue
		}
		for _, p := range s.c.Now.Grep([]string{name}, 20)[name] {
			if strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path)) == name {
				s.unregister(f, line, verdict.Hard, name, name+" is not in the suite any more, but still there")
				break
			}
		}
	}
}

func suiteClasses(u *units.File) map[string]int {
	out := map[string]int{}
	for i := range u.Tokens {
		if !u.Is(i, "SuiteClasses") && !u.Is(i, "SelectClasses") || !u.Is(i+1, "(") {
			continue
		}
		for k := i + 2; k < u.Close(i+1); k++ {
			if u.Kind(k) == source.Name && (u.Is(k+1, ".") || u.Is(k+1, "::")) && u.Is(k+2, "class") {
				out[u.Text(k)] = u.TokenLine(k)
			}
		}
	}
	return out
}

// imports looks at test files that another test file brought in and ran.
func (s *survey) imports(f *change.File) {
	if !f.IsTest() || s.c.Now == nil {
		return
	}
	now := importLines(f.After)
	for spec, line := range importLines(f.Before) {
		if _, ok := now[spec]; ok || spec[0] != '.' && f.Lang != source.Dart {
			continue
		}
		p := path.Join(path.Dir(f.Path), spec)
		for _, ext := range [...]string{"", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx"} {
			text, ok := s.c.Now.Read(p + ext)
			if !ok || s.c.File(p+ext) != nil {
				continue
			}
			tests := units.Parse(p+ext, f.Lang, text).Tests()
			if len(tests) == 0 || s.brought(f, p+ext) {
				break
			}
			class := verdict.Hard
			if collects(p + ext) {
				if f.Lang != source.Dart || len(importLines(f.Before)) < 3 {
					break // the runner finds it by itself
				}
				class = verdict.Soft
			}
			s.unregister(f, line, class, spec, fmt.Sprintf("%s is not brought in any more: its %s do not run", p+ext, count(len(tests))))
		}
	}
}

// brought reports whether another file names a file, as an import would.
func (s *survey) brought(f *change.File, p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	words := change.Words(stem)
	if len(words) == 0 {
		return true
	}
	for _, place := range s.c.Now.Grep(words[:1], 50)[words[0]] {
		if place.Path != p && strings.Contains(place.Text, "/"+stem) {
			return true
		}
	}
	return false
}

// importLines lists import '…', require('…') by what they name.
func importLines(u *units.File) map[string]int {
	out := map[string]int{}
	for i := range u.Tokens {
		if u.Kind(i) != source.String || !u.Is(i-1, "import") && !u.Is(i-1, "from") && !(u.Is(i-1, "(") && (u.Is(i-2, "require") || u.Is(i-2, "import"))) {
			continue
		}
		if spec := u.Unquote(i); spec != "" {
			out[spec] = u.TokenLine(i)
		}
	}
	return out
}

// python looks at what conftest.py tells pytest to ignore, and at `del test_x`.
func (s *survey) python(f *change.File) {
	before, now := ignored(f.Before), ignored(f.After)
	for name, line := range now {
		if before[name] > 0 {
			continue
		}
		s.add(fileDisabled, verdict.Hard, f.After, rule.Finding{
			Path: f.Path, Line: line, Unit: name, Text: fmt.Sprintf("pytest is told not to collect %s", name), Fix: "remove the entry, so that its tests run",
		})
	}
	for i := range f.After.Tokens {
		if f.After.Is(i, "del") && f.After.Tokens[i].First && strings.HasPrefix(strings.ToLower(f.After.Text(i+1)), "test") && f.Touched(f.After.TokenLine(i), f.After.TokenLine(i)) && hasTest(f.Before, f.After.Text(i+1)) {
			s.add(unregistered, verdict.Hard, f.After, rule.Finding{
				Path: f.Path, Line: f.After.TokenLine(i), Unit: f.After.Text(i + 1), Text: f.After.Text(i+1) + " is deleted by the file itself: no runner collects it", Fix: "remove the statement",
			})
		}
	}
}

func hasTest(u *units.File, name string) bool {
	for _, t := range u.Tests() {
		if t.Name == name || strings.HasPrefix(t.Group, name) {
			return true
		}
	}
	return false
}

// ignored lists the entries of collect_ignore and collect_ignore_glob with their lines.
func ignored(u *units.File) map[string]int {
	out := map[string]int{}
	for i := range u.Tokens {
		if !u.Is(i, "collect_ignore") && !u.Is(i, "collect_ignore_glob") {
			continue
		}
		end := i + 1
		for end < len(u.Tokens) && !u.Tokens[end].First {
			end = max(end, u.Close(end)) + 1
		}
		for k := i + 1; k < end; k++ {
			if u.Kind(k) == source.String {
				out[u.Unquote(k)] = u.TokenLine(k)
			}
		}
	}
	return out
}

// calls looks at C and C++, where tests are called by name: RUN_TEST(test_x).
func (s *survey) calls(f *change.File) {
	uses := func(u *units.File) map[string]int {
		out := map[string]int{}
		for i := range u.Tokens {
			if u.Kind(i) == source.Name && strings.HasPrefix(u.Text(i), "test") && (u.Is(i-1, "(") || u.Is(i-1, ",") || u.Is(i-1, "&")) {
				out[u.Text(i)] = u.TokenLine(i)
			}
		}
		return out
	}
	now := uses(f.After)
	for name, line := range uses(f.Before) {
		if now[name] > 0 || !hasTest(f.After, name) {
			continue
		}
		s.unregister(f, line, verdict.Hard, name, name+" is not called any more")
	}
}
