// Package exclude finds existing tests that a change leaves out by configuration: of test runners, build files and manifests.
//
// It owns no table. A pattern counts only when it names a test file that was there before and still is.
package exclude

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "tests-excluded", Axis: verdict.GateIntegrity, Class: verdict.Hard,
		What: "the configuration leaves existing tests out", Why: "they are still there, and nobody runs them",
		Question: "Which tests does this leave out, and do they run anywhere else?", Find: find,
	}}
}

func find(c *change.Change, report func(rule.Finding)) {
	var tests []string
	for _, f := range c.Files {
		if f.After == nil || len(f.Added)+len(f.Removed) == 0 || !runner(f) {
			continue
		}
		if tests == nil {
			tests = existing(c)
		}
		x := looker{c: c, f: f, tests: tests, gone: map[string]bool{}, report: report}
		for _, l := range f.Removed {
			x.gone[strings.TrimSpace(l.Text)] = true
			for _, e := range entries(l.Text) {
				x.gone[e] = true
			}
		}
		for _, l := range f.Added {
			if t := strings.TrimSpace(l.Text); t != "" && len(t) < 2000 && !x.gone[t] && !remark(t) {
				x.line(l.N, t)
			}
		}
		x.cargo()
	}
}

func remark(t string) bool {
	return t[0] == '#' || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "<!--") || strings.HasPrefix(t, ";") || strings.HasPrefix(t, "* ")
}

// runner reports files that say which tests run.
func runner(f *change.File) bool {
	base := strings.ToLower(path.Base(f.Path))
	switch base {
	case "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "pytest.toml", ".pytest.ini", "conftest.py", "package.json", "pom.xml", "cargo.toml", "dart_test.yaml", "nextest.toml", "phpunit.xml", "phpunit.xml.dist", ".rspec", "cmakelists.txt", "makefile", "noxfile.py", "justfile",
		"gradle.properties", "maven.config", "jvm.config", "deno.json", "melos.yaml", "composer.json", "bunfig.toml", "karma.conf.js", ".taprc", "ctestcustom.cmake", "testng.xml", "build.sbt", "settings.gradle", "angular.json", "project.json", "nx.json", ".travis.yml", ".gitlab-ci.yml", "taskfile.yml", "rakefile", "jenkinsfile", "build.xml", "pubspec.yaml", "wallaby.js":
		return true
	}
	for _, w := range [...]string{"jest.config", "vitest", "vite.config", ".mocharc", "mocha.opts", "karma.conf", "ava.config", "playwright.config", "cypress.config", "cypress.json", "build.gradle", "jasmine", "nightwatch", "wdio.conf", "web-test-runner", "jest-", "jest.", "stryker"} {
		if strings.HasPrefix(base, w) {
			return true
		}
	}
	ext := path.Ext(base)
	return (ext == ".yml" || ext == ".yaml") && strings.Contains(f.Path, ".github/") || ext == ".sh" && f.Kind != layout.Test || ext == ".mk" || strings.HasSuffix(base, ".csproj") || strings.HasSuffix(base, ".runsettings") || strings.HasSuffix(base, ".xctestplan") || strings.HasSuffix(f.Path, ".config/nextest.toml") || strings.Contains(f.Path, ".circleci/")
}

// existing lists the test files that were there before and still are.
func existing(c *change.Change) []string {
	out := []string{}
	if c.Base != nil {
		for _, p := range c.Base.Paths() {
			if layout.IsTest(p) && (c.Now == nil || c.Now.Has(p)) && !fixture(p) {
				out = append(out, p)
			}
			if len(out) > 20000 {
				break
			}
		}
		return out
	}
	for _, f := range c.Files {
		if f.IsTest() && f.Lang != "" && !f.IsNew() && !f.Deleted() {
			out = append(out, f.Path)
		}
	}
	return out
}

// fixture reports files below test folders that are no tests themselves.
func fixture(p string) bool {
	base := path.Base(p)
	if strings.Contains(base, ".spec.") || strings.Contains(base, ".test.") || strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.HasSuffix(base, "Test.java") {
		return strings.Contains(p, "fixture") || strings.Contains(p, "testdata")
	}
	for _, d := range strings.Split(strings.ToLower(path.Dir(p)), "/") {
		switch d {
		case "fixtures", "__fixtures__", "fixture", "testdata", "helpers", "support", "mocks", "__mocks__", "utils", "resources", "__snapshots__", "snapshots", "types":
			return true
		}
	}
	return base == "__init__.py" || base == "conftest.py"
}

// looker looks at the lines of one file.
type looker struct {
	c      *change.Change
	f      *change.File
	tests  []string
	gone   map[string]bool
	report func(rule.Finding)
	told   int
}

func (x *looker) tell(n int, text string, soft bool) {
	if x.told++; x.told > 3 {
		return
	}
	out := rule.Finding{Path: x.f.Path, Line: n, Text: text, Evidence: strings.TrimSpace(x.f.After.Lines(n, n)), Fix: "let them run"}
	if soft {
		out.Class = verdict.Soft
	}
	x.report(out)
}

func (x *looker) line(n int, t string) {
	low := strings.ToLower(t)
	around := context(x.f, n)
	if what, soft := off(x.f.Path, low, around); what != "" {
		x.tell(n, what, soft)
		return
	}
	if what, soft := x.selection(t, low, around); what != "" {
		x.tell(n, what, soft)
		return
	}
	if what, soft := x.flags(t); what != "" {
		x.tell(n, what, soft)
		return
	}
	if !leavesOut(low, around) || elsewhere(around+" "+low) {
		return
	}
	if !x.aboutTests(around, low) {
		return
	}
	for _, e := range entries(t) {
		if x.gone[e] {
			continue
		}
		if hit, broad := x.match(e); hit != "" {
			x.tell(n, hit+" is left out of the tests", broad)
			return
		}
	}
}

// aboutTests reports whether a place in a file that holds more than the runner's settings is one of them.
func (x *looker) aboutTests(around, low string) bool {
	base := strings.ToLower(path.Base(x.f.Path))
	switch {
	case base == "pyproject.toml" || base == "setup.cfg" || base == "tox.ini":
		return strings.Contains(around, "pytest") || strings.Contains(low, "pytest") || strings.Contains(low, "addopts") || strings.Contains(low, "norecursedirs")
	case base == "conftest.py":
		return strings.Contains(around+low, "collect_ignore")
	case base == "package.json":
		return strings.Contains(around, "jest") || strings.Contains(around, "mocha") || strings.Contains(around, "vitest") || strings.Contains(around, "ava") || strings.Contains(low, "test")
	case base == "pom.xml":
		return strings.Contains(strings.ToLower(near(x.f, x.f.After.NumLines(), 1<<20)), "surefire") || strings.Contains(around, "surefire") || strings.Contains(low, "test")
	case strings.HasPrefix(base, "build.gradle"), base == "build.sbt":
		return strings.Contains(around+low, "test")
	case strings.HasPrefix(base, "vite.config"):
		return strings.Contains(around, "test")
	case base == "makefile", base == "justfile", strings.HasSuffix(base, ".sh"), strings.HasSuffix(base, ".yml"), strings.HasSuffix(base, ".yaml"), base == "cmakelists.txt", base == "noxfile.py", base == "rakefile", base == "jenkinsfile":
		return strings.HasPrefix(base, "dart_test") || strings.HasPrefix(base, ".mocharc")
	case base == "cargo.toml":
		return false
	}
	return true
}

// off knows switches that need no name of a test.
func off(p, low, around string) (what string, soft bool) {
	base := strings.ToLower(path.Base(p))
	flat := strings.ReplaceAll(low, " ", "")
	switch {
	case strings.Contains(flat, "<skiptests>true"), strings.Contains(flat, "<maven.test.skip>true"), strings.Contains(flat, "<skipunittests>true"), strings.Contains(flat, "maven.test.skip=true") && !strings.HasSuffix(base, ".sh"), base == "maven.config" && strings.Contains(flat, "-dskiptests"), strings.HasPrefix(flat, "skiptests=true"):
		return "tests are skipped", false
	case strings.Contains(flat, "<testfailureignore>true"), strings.Contains(flat, "<maven.test.failure.ignore>true"):
		return "failures of tests are ignored", false
	case strings.Contains(flat, "<skip>true") && (strings.Contains(around, "surefire") || strings.Contains(around, "failsafe")):
		return "the plugin that runs the tests is skipped", false
	case strings.HasPrefix(base, "build.gradle"):
		inTest := strings.Contains(around, "test") || strings.HasPrefix(flat, "test.") || strings.HasPrefix(flat, "test{") || strings.Contains(flat, "tasks.test") || strings.Contains(flat, "named(\"test\")") || strings.Contains(flat, "withtype<test>") || strings.Contains(flat, "withtype(test)")
		switch {
		case !inTest:
		case strings.Contains(flat, "ignorefailures=true"):
			return "failures of tests are ignored", false
		case strings.Contains(flat, "enabled=false") && !strings.Contains(flat, "isenabled=false&&"), strings.Contains(flat, "onlyif{false}"), strings.Contains(flat, "onlyif({false})"):
			return "the task that runs the tests is switched off", false
		case strings.Contains(flat, "excludetags"):
			return "tests with a tag are left out", true
		case strings.Contains(flat, "failonnomatchingtests=false"):
			return "no test at all is a success", true
		}
	case base == "dart_test.yaml" && (strings.HasPrefix(flat, "skip:") && !strings.HasSuffix(flat, "false")):
		return "tests are skipped", strings.Contains(around, "tags") || strings.Contains(around, "on_platform") || strings.Contains(around, "platforms")
	case base == "dart_test.yaml" && strings.HasPrefix(flat, "exclude_tags:"):
		return "tests with a tag are left out", true
	case base == "cmakelists.txt" && (strings.Contains(flat, "build_testingoff") || strings.Contains(low, "build_testing off") || strings.Contains(low, "disabled true")):
		return "tests are switched off", false
	case base == "cargo.toml" && (flat == "test=false" || strings.HasPrefix(flat, "test=false#")):
		if strings.Contains(around, "[[example") || strings.Contains(around, "[[bench") {
			return "", false
		}
		return "tests of this target are switched off (test = false)", false
	case base == "cargo.toml" && strings.HasPrefix(flat, "autotests=false"):
		return "tests are no longer found by themselves (autotests = false)", false
	case strings.Contains(flat, "passwithnotests:true"), strings.Contains(flat, `"passwithnotests":true`):
		return "no test at all is a success (passWithNoTests)", true
	case strings.Contains(flat, "items.clear()"), strings.Contains(flat, "items[:]=[]"), strings.Contains(flat, "delitems[:]"):
		if base == "conftest.py" {
			return "the collected tests are thrown away", false
		}
	case strings.Contains(flat, "<excludedgroups>"):
		return "groups of tests are left out", true
	case base == "nextest.toml" && strings.HasPrefix(flat, "default-filter=") && strings.Contains(flat, "not"):
		return "tests are left out by the default filter", false
	}
	return "", false
}

// selection knows options of pytest, and settings that say which tests run.
func (x *looker) selection(t, low, around string) (what string, soft bool) {
	base := strings.ToLower(path.Base(x.f.Path))
	ini := base == "pytest.ini" || base == "pyproject.toml" || base == "setup.cfg" || base == "tox.ini" || base == ".pytest.ini" || base == "pytest.toml"
	if ini && (strings.Contains(low, "addopts") || strings.Contains(around, "addopts")) {
		before := ""
		if x.f.Before != nil {
			before = x.f.Before.Src
		}
		w := strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t\"'[],", r) })
		for i, o := range w {
			switch {
			case o == "--collect-only" || o == "--co" || o == "--setup-plan":
				return "tests are collected and not run (" + o + ")", false
			case (o == "-k" || strings.HasPrefix(o, "-k=") || strings.HasPrefix(o, "-k ")) && !strings.Contains(before, "-k "):
				return "tests are selected by name (-k)", false
			case o == "-m" && i+1 < len(w) && w[i+1] == "not" && !strings.Contains(before, "-m"):
				return "tests with a mark are left out (-m)", true
			case strings.HasPrefix(o, "--deselect"):
				return "a test is left out (" + o + ")", false
			}
		}
	}
	key := includeKey(low)
	if key == "" {
		key = includeKey(lastKey(around))
	}
	if key == "" || x.f.Before == nil || !x.aboutTests(around, low) && !ini || elsewhere(around) {
		return "", false
	}
	return x.narrowed(key, t)
}

// includeKey names a setting that says which tests run.
func includeKey(low string) string {
	name := strings.TrimLeft(low, "\"' -")
	if i := strings.IndexAny(name, ":= "); i >= 0 {
		name = name[:i]
	}
	name = strings.Trim(name, "\"'")
	switch name {
	case "testmatch", "testregex", "spec", "testpaths", "python_files", "specpattern", "testfiles", "test_files", "roots", "python_functions", "python_classes":
		return name
	}
	if name == "include" && strings.ContainsAny(low, "[:") {
		return name
	}
	return ""
}

func lastKey(around string) string {
	k := strings.LastIndexByte(strings.TrimSuffix(around, "\x00"), '\x00')
	if k < 0 {
		return " "
	}
	return around[k+1:] + " "
}

// narrowed reports whether the patterns of a setting name fewer of the existing tests than before.
func (x *looker) narrowed(key, t string) (what string, soft bool) {
	value := t
	if i := strings.IndexAny(t, ":="); i >= 0 && includeKey(strings.ToLower(t)) != "" {
		value = t[i+1:]
	}
	pats := entries(value)
	if len(pats) == 0 {
		pats = strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\"'[],", r) })
	}
	if len(pats) == 0 || key == "testregex" && !x.exact(pats) {
		return "", false
	}
	if key == "python_functions" || key == "python_classes" {
		for _, p := range pats {
			if strings.HasPrefix(p, "test") || strings.HasPrefix(p, "Test") || strings.HasPrefix(p, "*") {
				return "", false
			}
		}
		return "tests are no longer found by their names (" + t + ")", false
	}
	hits, total := x.selected(pats), len(x.tests)
	for _, l := range x.f.Removed {
		if low := strings.ToLower(strings.TrimSpace(l.Text)); includeKey(low) == key && strings.ContainsAny(low, ":=") {
			if was := entries(l.Text[strings.IndexAny(l.Text, ":=")+1:]); len(was) > 0 {
				total = x.selected(was)
			} else {
				total = x.selected(strings.FieldsFunc(l.Text[strings.IndexAny(l.Text, ":=")+1:], func(r rune) bool { return strings.ContainsRune(" \t\"'[],", r) }))
			}
		}
	}
	switch {
	case total == 0, hits >= total:
		return "", false
	case hits == 0 && strings.ContainsAny(strings.Join(pats, ""), "*/.") && key != "roots":
		return "none of the existing tests is selected any more (" + clip(t) + ")", !x.exact(pats)
	case x.exact(pats) && hits <= len(pats):
		return "only a few of the tests are selected (" + clip(t) + ")", false
	case 2*hits < total && key == "testpaths":
		return "fewer tests are selected (" + clip(t) + ")", true
	}
	return "", false
}

// selected counts the existing tests that patterns name.
func (x *looker) selected(pats []string) int {
	n := 0
	for _, test := range x.tests {
		for _, p := range pats {
			if names(strings.TrimPrefix(p, "<rootDir>/"), test) {
				n++
				break
			}
		}
	}
	return n
}

// exact reports whether patterns name single files.
func (x *looker) exact(pats []string) bool {
	for _, p := range pats {
		if strings.ContainsAny(path.Base(p), "*{") || path.Ext(p) == "" {
			return false
		}
	}
	return true
}

func clip(s string) string {
	if len(s) > 70 {
		return s[:70] + "…"
	}
	return s
}

// flags knows options of runners on a command line.
func (x *looker) flags(t string) (what string, soft bool) {
	low := strings.ToLower(t)
	test := false
	for _, w := range [...]string{"pytest", "jest", "vitest", "mocha", "ava", "addopts", "phpunit", "rspec", "cargo test", "cargo nextest", "dotnet test", "gradle", "mvn", "tox", "nose", "unittest", "dart test", "flutter test", "tap ", "playwright", "cypress", "jasmine", "karma", "node --test", "go test"} {
		test = test || strings.Contains(low, w)
	}
	if !test && !strings.Contains(context(x.f, lineOf(x.f, t)), "addopts") {
		return "", false
	}
	w := strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t\"'[],", r) })
	for i, o := range w {
		name, value, eq := strings.Cut(o, "=")
		if !eq && i+1 < len(w) {
			value = w[i+1]
		}
		switch name {
		case "--ignore", "--ignore-glob", "--deselect", "--exclude", "--testPathIgnorePatterns", "--ignore-files", "--exclude-from", "--exclude-path", "--test-exclude", "--ignore-pattern", "--exclude-filter", "--testPathIgnorePattern":
		case "--skip":
			if !strings.Contains(low, "cargo") {
				continue
			}
			return "tests are left out by name (--skip " + value + ")", true
		default:
			continue
		}
		if x.gone[strings.Trim(value, "\\")] {
			continue
		}
		value, _, _ = strings.Cut(value, "::")
		if hit, broad := x.match(strings.Trim(value, "\\")); hit != "" {
			return hit + " is left out of the tests (" + name + ")", broad
		}
	}
	return "", false
}

func lineOf(f *change.File, t string) int {
	for _, l := range f.Added {
		if strings.TrimSpace(l.Text) == t {
			return l.N
		}
	}
	return 1
}
