package coverage

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

func excluded(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || len(f.Added) == 0 || f.Kind == layout.Doc || f.Kind == layout.Generated {
			continue
		}
		if f.Lang != "" && !f.IsTest() {
			pragmas(f, report)
		}
		if f.Lang == "" || configCode(f.Path) {
			omitted(c, f, report)
		}
	}
}

// pragma reports whether the text of a comment or an attribute takes code out of the measurement; whole: all of the file.
func pragma(low string) (ok, whole bool) {
	for _, w := range [...]string{"istanbul ignore file", "c8 ignore file", "v8 ignore file", "coverage:ignore-file", "coverage: ignore file", "#![coverage(off)]", "#![cfg_attr(coverage"} {
		if strings.Contains(low, w) {
			return true, true
		}
	}
	for _, w := range [...]string{"pragma: no cover", "pragma:no cover", "pragma: nocover", "pragma: no-cover", "pragma no cover", "istanbul ignore", "c8 ignore", "v8 ignore", "coverage:ignore", "coverage-ignore", "coverage: ignore", "node:coverage disable", "node:coverage ignore", "lcov_excl", "gcov_excl", "gcovr_excl", "codecoverageignore", ":nocov:", "simplecov:disable",
		"tarpaulin_include", "coverage(off)", "no_coverage", "excludefromcodecoverage", "excludefromjacoco", "jacocogenerated", "excludefromcoverage", "no cover: start", "coverage off", "nocover", "coverage:exclude", "#[cfg(not(coverage"} {
		if strings.Contains(low, w) {
			return true, false
		}
	}
	return false, false
}

// honest reports lines that cannot well be measured: guards of types and platforms, abstract bodies, debugging aids.
func honest(low string) bool {
	if t := strings.TrimSpace(low); strings.HasPrefix(t, "import ") || strings.HasPrefix(t, "from ") {
		return true
	}
	for _, w := range [...]string{"type_checking", "importerror", "modulenotfounderror", "notimplementederror", "__name__", "sys.platform", "sys.version", "win32", "windows", "darwin", "os.name", "platform", "abstract", "overload", "unreachable", "assert_never", "never", "__repr__", "typing", "debug", "generated", "linux", "pypy", "defensive", "should not happen", "shouldn't happen", "impossible", "todo!", "default:", "raise assertionerror", "protocol", "...", "except"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// head reports whether a line begins a function or a type.
func head(low string) bool {
	for _, w := range strings.Fields(low)[:min(len(strings.Fields(low)), 4)] {
		switch w {
		case "def", "class", "func", "fn", "function", "fun", "struct", "interface", "impl":
			return true
		}
	}
	return false
}

func pragmas(f *change.File, report func(rule.Finding)) {
	told := 0
	gone := 0
	was := map[string]bool{}
	for _, l := range f.Removed {
		was[strings.ToLower(strings.TrimSpace(l.Text))] = true
		if ok, _ := pragma(strings.ToLower(l.Text)); ok {
			gone++
		}
	}
	for _, l := range f.Added {
		low := strings.ToLower(l.Text)
		ok, whole := pragma(low)
		if !ok || f.Lang == source.Go && strings.Contains(low, "_nocover") {
			continue
		}
		if gone > 0 { // moved or rewritten
			gone--
			continue
		}
		code, beside := low, false
		for _, mark := range [...]string{"#", "//", "/*"} {
			if i := strings.Index(low, mark); i > 0 && strings.TrimSpace(low[:i]) != "" {
				code, beside = low[:i], true
			}
		}
		known := was[strings.TrimSpace(code)]
		if !beside { // on a line of its own: the code behind it
			next := l.N + 1
			for next <= f.After.NumLines() && strings.TrimSpace(f.After.Lines(next, next)) == "" {
				next++
			}
			code = strings.ToLower(f.After.Lines(next, next))
			known = !f.Touched(next, next) && strings.TrimSpace(code) != ""
		}
		if !whole && (honest(code) || !known && !(head(code) && !f.IsNew())) || strings.Contains(low, "ignore-end") || strings.Contains(low, "ignore stop") || strings.Contains(low, "excl_stop") || strings.Contains(low, "ignore end") {
			continue
		}
		if told++; told > 3 {
			return
		}
		what := "code is taken out of the measurement of coverage"
		if whole {
			what = "the whole file is taken out of the measurement of coverage"
		}
		report(rule.Finding{Path: f.Path, Line: l.N, Text: what, Evidence: strings.TrimSpace(l.Text), Fix: "test it, or say why it cannot be tested"})
	}
}

// omitted reports entries of lists of what is not measured that name existing source.
func omitted(c *change.Change, f *change.File, report func(rule.Finding)) {
	if !strings.Contains(strings.ToLower(f.After.Src), "cov") && !strings.Contains(strings.ToLower(f.After.Src), "jacoco") && !strings.Contains(strings.ToLower(f.Path), "nyc") && !strings.Contains(strings.ToLower(f.Path), "c8rc") && !strings.Contains(strings.ToLower(f.Path), "cov") {
		return
	}
	gone := map[string]bool{}
	for _, l := range f.Removed {
		for _, e := range entries(l.Text) {
			gone[e] = true
		}
	}
	told := 0
	for _, l := range f.Added {
		low := strings.ToLower(l.Text)
		context := surrounding(f, l.N)
		if !strings.Contains(context, "cov") && !strings.Contains(context, "jacoco") && !strings.Contains(context, "nyc") && !strings.Contains(context, "c8") && !strings.Contains(strings.ToLower(path.Base(f.Path)), "codecov") && !strings.Contains(strings.ToLower(path.Base(f.Path)), "cover") && !strings.Contains(strings.ToLower(path.Base(f.Path)), "nyc") && !strings.Contains(strings.ToLower(path.Base(f.Path)), "c8rc") && !strings.Contains(low, "cov") {
			continue
		}
		if !listed(context) && !listed(low) {
			continue
		}
		for _, e := range entries(l.Text) {
			if gone[e] || !covers(c, e, f) {
				continue
			}
			if told++; told > 2 {
				return
			}
			report(rule.Finding{Path: f.Path, Line: l.N, Text: e + " is taken out of the measurement of coverage", Evidence: strings.TrimSpace(l.Text), Fix: "measure it"})
			break
		}
	}
}

// listed reports whether a context is a list of what is not measured.
func listed(context string) bool {
	for _, w := range [...]string{"omit", "exclude", "ignore", "skip", "coveragepathignorepatterns", "without", "filter"} {
		if strings.Contains(context, w) {
			return true
		}
	}
	return false
}

// surrounding is what stands around a line in lower case: the line and those that it is indented under.
func surrounding(f *change.File, n int) string {
	line := f.After.Lines(n, n)
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	out := strings.ToLower(line)
	for l := n - 1; l > 0 && l > n-40; l-- {
		t := f.After.Lines(l, l)
		text := strings.TrimSpace(t)
		if text == "" {
			continue
		}
		w := len(t) - len(strings.TrimLeft(t, " \t"))
		if w < indent || text[0] == '[' && strings.HasSuffix(text, "]") {
			out += " " + strings.ToLower(text)
			indent = w
			if text[0] == '[' && w == 0 {
				break
			}
		}
	}
	return out
}

// entries lists what looks like a path or a pattern of paths in a line.
func entries(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\"'`,=[](){}<>:", r) }) {
		w = strings.TrimPrefix(strings.TrimPrefix(w, "!"), "./")
		if strings.ContainsAny(w, "/*.") && len(w) > 2 || strings.HasSuffix(w, ".py") {
			out = append(out, w)
		}
	}
	return out
}

// covers reports whether a pattern names source code that was there before.
func covers(c *change.Change, pattern string, self *change.File) bool {
	pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, "/"), "/**")
	n := 0
	match := func(p string) bool {
		if layout.Classify(p) != layout.Impl {
			return false
		}
		if p == pattern || strings.HasSuffix(p, "/"+pattern) || strings.HasPrefix(p, pattern+"/") || strings.Contains(p, "/"+pattern+"/") {
			return true
		}
		if strings.ContainsAny(pattern, "*?") {
			ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), p)
			if err == nil && ok {
				return true
			}
			ok, err = doublestar.Match("**/"+strings.TrimPrefix(strings.TrimPrefix(pattern, "*/"), "/"), p)
			return err == nil && ok
		}
		return false
	}
	if c.Base != nil {
		for _, p := range c.Base.Paths() {
			if n++; n > 20000 {
				break
			}
			if match(p) {
				return true
			}
		}
		return false
	}
	for _, f := range c.Files {
		if f != self && !f.IsNew() && match(f.Path) {
			return true
		}
	}
	return false
}
