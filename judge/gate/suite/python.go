package suite

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// maxStyle bounds how many test files are read to see which test library they use.
const maxStyle = 40

// pytest is the command of projects that use it; exit status 5 then means that it found no test, which is a failure.
func pytest(dir string) []Command { return run(dir, "python3", "-m", "pytest", "-q") }

// python prefers pytest when the project names it or a test is written for it; tests that use unittest alone run without.
func (p *planner) python(dir string) ([]Command, error) {
	configured, err := p.namesPytest(dir)
	if err != nil || configured {
		return pytest(dir), err
	}
	tests := p.pythonTests(dir)
	if p.has(dir, "manage.py") && len(tests) > 0 {
		return run(dir, "python3", "manage.py", "test"), nil
	}
	for i, rel := range tests {
		if i == maxStyle {
			break
		}
		text, err := p.text(dir, rel)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(text, "unittest") && !strings.Contains(text, "TestCase") || strings.Contains(text, "import pytest") {
			return pytest(dir), nil
		}
	}
	return p.unittest(dir, tests), nil
}

// namesPytest tells whether a file of configuration or of requirements in dir names pytest.
func (p *planner) namesPytest(dir string) (bool, error) {
	if p.has(dir, "pytest.ini") || p.has(dir, ".pytest.ini") || p.has(dir, "conftest.py") || p.has(dir, "tests/conftest.py") || p.has(dir, "test/conftest.py") {
		return true, nil
	}
	for _, name := range [...]string{
		"pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt",
		"requirements_dev.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "Pipfile", "setup.py",
	} {
		text, err := p.text(dir, name)
		if err != nil {
			return false, err
		}
		if strings.Contains(text, "pytest") {
			return true, nil
		}
	}
	return false, nil
}

// pythonTests lists the test files below dir that do not belong to a project of their own.
func (p *planner) pythonTests(dir string) []string {
	var tests []string
	p.below(dir, func(rel string) bool {
		base := path.Base(rel)
		named := strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "tests.py" || base == "test.py"
		if named && path.Ext(base) == ".py" && !fixture(parent(rel)) && !p.otherProject(dir, parent(rel)) {
			tests = append(tests, rel)
		}
		return false
	})
	return tests
}

// otherProject tells whether a Python marker lies between dir and the folder rel below it.
func (p *planner) otherProject(dir, rel string) bool {
	for ; rel != ""; rel = parent(rel) {
		if p.marked(join(dir, rel), []string{"pyproject.toml", "setup.py", "setup.cfg"}) {
			return true
		}
	}
	return false
}

// unittest makes one call of discover for every start folder and naming pattern: discovery only descends into packages,
// so a folder of tests without __init__.py has to be named.
func (p *planner) unittest(dir string, tests []string) []Command {
	starts := map[[2]string]bool{}
	for _, rel := range tests {
		start := parent(rel)
		for start != "" && p.has(join(dir, start), "__init__.py") {
			start = parent(start)
		}
		if start == "" {
			start = "."
		}
		pattern := "test*.py"
		if !strings.HasPrefix(path.Base(rel), "test") {
			pattern = "*_test.py"
		}
		starts[[2]string{start, pattern}] = true
	}
	keys := slices.SortedFunc(maps.Keys(starts), func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) })
	var commands []Command
	for _, k := range keys {
		argv := []string{"python3", "-m", "unittest", "discover", "-s", k[0]}
		if k[1] != "test*.py" {
			argv = append(argv, "-p", k[1])
		}
		commands = append(commands, Command{Dir: dir, Argv: argv})
	}
	return commands
}
