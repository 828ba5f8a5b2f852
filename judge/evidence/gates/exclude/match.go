package exclude

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/devflow-suite/devflow/judge/change"
)

// match gives an existing test that a pattern names. broad: the pattern names a kind of tests that often runs elsewhere.
func (x *looker) match(pattern string) (test string, broad bool) {
	p := strings.NewReplacer(`\\.`, ".", `\.`, ".", "<rootDir>/", "", "^", "", "$", "", `\\/`, "/", "(", "", ")", "").Replace(pattern)
	p = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(p, "!"), "./"), "/")
	if len(strings.Trim(p, "*/.?")) < 3 {
		return "", false
	}
	low := strings.ToLower(p)
	for _, w := range [...]string{"node_modules", "dist", "fixture", "vendor", ".venv", "build", "__mocks__", "helpers", "template", ".git", "target", "coverage"} {
		if strings.Contains(low, w) && !strings.Contains(low, "test_") {
			return "", false
		}
	}
	for _, t := range x.tests {
		if names(p, t) {
			for _, w := range [...]string{"e2e", "integration", "playwright", "cypress", "bench", "example", "browser", "smoke", "acceptance", "perf"} {
				broad = broad || strings.Contains(low, w) && path.Ext(p) == ""
			}
			return t, broad
		}
	}
	return "", false
}

// names reports whether a pattern names a test file.
func names(p, test string) bool {
	if strings.ContainsAny(p, "*?{") {
		if strings.HasSuffix(p, ".*") && !strings.HasSuffix(p, "/.*") && !strings.Contains(path.Base(test), strings.TrimSuffix(path.Base(p), ".*")) && !strings.HasSuffix(p, "Test.*") {
			return false
		}
		for _, glob := range [...]string{p, "**/" + p, p + "/**", strings.TrimSuffix(p, ".class") + ".*"} {
			if ok, err := doublestar.Match(glob, test); err == nil && ok {
				return true
			}
		}
		ok, err := doublestar.Match("**/"+strings.TrimPrefix(p, "**/"), "x/"+test)
		return err == nil && ok
	}
	base := path.Base(test)
	stem := base[:len(base)-len(path.Ext(base))]
	last := p[strings.LastIndexByte(p, '.')+1:]
	return test == p || strings.HasSuffix(test, "/"+p) || strings.HasPrefix(test, p+"/") || strings.Contains("/"+test, "/"+p+"/") || stem == p || base == p || len(last) > 5 && stem == last && !strings.Contains(p, "/")
}

// leavesOut reports whether a place is a list of what does not run.
func leavesOut(low, around string) bool {
	for _, w := range [...]string{"ignore", "exclude", "skip", "deselect", "norecursedirs", "filternottomatch", "filternot", "isnotin", "omit"} {
		if strings.Contains(low, w) || strings.Contains(around, w) {
			return true
		}
	}
	return false
}

// elsewhere reports whether a place is about something else than running tests.
func elsewhere(around string) bool {
	for _, w := range [...]string{"coverage", "[tool.ruff", "[tool.mypy", "[mypy", "[flake8", "flake8]", "[tool.black", "eslint", "lint", "collectcoverage", "nyc", "[tool.hatch", "sdist", "wheel", "[tool.isort", "per-file-ignores", "prettier", "typecheck", "pyright", "watch", "[tool.setuptools", "packages.find", "sonar", "jacoco", "[package]", "javadoc", "checkstyle", "spotless", "modulename", "transformignore", "license"} {
		if strings.Contains(around, w) {
			return true
		}
	}
	return false
}

// near is the text of the lines above a line.
func near(f *change.File, n, lines int) string { return f.After.Lines(max(n-lines, 1), n) }

// context is what a line is indented under, in lower case, the outermost first, each followed by a zero byte; of INI and TOML
// files the section, and of an option that goes on over lines the option.
func context(f *change.File, n int) string {
	line := f.After.Lines(n, n)
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	out := ""
	section := strings.HasSuffix(f.Path, ".toml") || strings.HasSuffix(f.Path, ".cfg") || strings.HasSuffix(f.Path, ".ini")
	for l := n - 1; l > 0 && l > n-400; l-- {
		t := f.After.Lines(l, l)
		text := strings.TrimSpace(t)
		if text == "" {
			continue
		}
		w := len(t) - len(strings.TrimLeft(t, " \t"))
		head := section && text[0] == '[' && w == 0 && strings.HasSuffix(strings.TrimSpace(strings.SplitN(text, "#", 2)[0]), "]")
		if w < indent || head {
			out = strings.ToLower(text) + "\x00" + out
			indent = w
		}
		if head || indent == 0 && !section {
			break
		}
	}
	return out
}

// entries lists what looks like a path, a pattern or a name of a class in a line.
func entries(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\"'`,=[](){}<>:;", r) }) {
		if w = strings.TrimPrefix(w, "./"); strings.ContainsAny(w, "/*.") && len(w) > 2 || strings.Contains(strings.ToLower(w), "test") && len(w) > 6 {
			out = append(out, w)
		}
	}
	return out
}

// cargo reports targets of tests that are no longer declared and not found by themselves either.
func (x *looker) cargo() {
	if strings.ToLower(path.Base(x.f.Path)) != "cargo.toml" || x.f.Before == nil {
		return
	}
	for _, l := range x.f.Removed {
		key, value, ok := strings.Cut(l.Text, "=")
		if !ok || strings.TrimSpace(key) != "path" {
			continue
		}
		p := path.Join(path.Dir(x.f.Path), strings.Trim(strings.TrimSpace(value), `"'`))
		if strings.Contains(x.f.After.Src, strings.Trim(strings.TrimSpace(value), `"'`)) || x.c.Now == nil || !x.c.Now.Has(p) {
			continue
		}
		own := path.Dir(p) == path.Join(path.Dir(x.f.Path), "tests") // found by itself
		if own && !strings.Contains(strings.ReplaceAll(x.f.After.Src, " ", ""), "autotests=false") || !strings.Contains(strings.ToLower(p), "test") {
			continue
		}
		at := min(x.f.Present(l.N), max(x.f.After.NumLines(), 1))
		x.tell(at, p+" is no longer a test target", false)
	}
}
