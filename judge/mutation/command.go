package mutation

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
)

// maxTests bounds the test files of one run.
const maxTests = 5

// command is what runs only the tests that a mutant concerns.
type command struct {
	dir  string // slash path in the tree
	argv []string
}

// affected names the command for a mutant; false when nobody can tell which tests are meant or how they are run.
func affected(c *change.Change, m Mutant) (command, bool) {
	dir := path.Dir(m.Path)
	switch source.Of(m.Path) {
	case source.Go:
		root, ok := up(c, dir, "go.mod")
		if !ok {
			return command{}, false
		}
		return command{root, []string{"go", "test", "-count=1", "./" + within(root, dir)}}, true
	case source.Rust:
		root, ok := up(c, dir, "Cargo.toml")
		return command{root, []string{"cargo", "test", "--offline", "--quiet"}}, ok
	}
	tests := testsOf(c, m)
	if len(tests) == 0 {
		return command{}, false
	}
	switch source.Of(m.Path) {
	case source.Python:
		return command{"", append([]string{"python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"}, tests...)}, true
	case source.Dart:
		root, ok := up(c, dir, "pubspec.yaml")
		return command{root, append([]string{"dart", "test"}, inside(root, tests)...)}, ok
	case source.JS, source.TS:
		root, ok := up(c, dir, "package.json")
		if !ok {
			return command{}, false
		}
		manifest, _ := c.Now.Read(join(root, "package.json"))
		text := string(manifest)
		files := inside(root, tests)
		for _, r := range [...]struct {
			name string
			argv []string
		}{{`"vitest"`, []string{"npx", "--no-install", "vitest", "run"}}, {`"jest"`, []string{"npx", "--no-install", "jest"}}, {`"mocha"`, []string{"npx", "--no-install", "mocha"}}, {"node --test", []string{"node", "--test"}}} {
			if strings.Contains(text, r.name) {
				return command{root, append(r.argv, files...)}, true
			}
		}
	}
	return command{}, false
}

// testsOf are the test files that name the mutant's function or file.
func testsOf(c *change.Change, m Mutant) []string {
	stem := layout.Stem(m.Path)
	found := c.Now.Grep([]string{m.Unit, stem}, 200)
	var tests []string
	for _, word := range [...]string{m.Unit, stem} {
		for _, p := range found[word] {
			if layout.IsTest(p.Path) && layout.IsTestName(source.Of(p.Path), path.Base(p.Path)) && !slices.Contains(tests, p.Path) && len(tests) < maxTests {
				tests = append(tests, p.Path)
			}
		}
	}
	return tests
}

// up is the nearest folder at or above dir that holds a file.
func up(c *change.Change, dir, name string) (string, bool) {
	for {
		if dir == "." {
			dir = ""
		}
		if c.Now.Has(join(dir, name)) {
			return dir, true
		}
		if dir == "" {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// within is dir as seen from root.
func within(root, dir string) string {
	if root == "" {
		return dir
	}
	return strings.TrimPrefix(strings.TrimPrefix(dir, root), "/")
}

func inside(root string, files []string) []string {
	out := make([]string, 0, len(files))
	for _, f := range files {
		out = append(out, within(root, f))
	}
	return out
}
