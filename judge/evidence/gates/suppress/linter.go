package suppress

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
)

type renewedKey struct{}

// renewed reports whether a change brings in a linter or another version of one: it warns of code that did not change.
func renewed(c *change.Change) bool {
	return c.Once(renewedKey{}, func() any {
		for _, f := range c.Files {
			base := strings.ToLower(path.Base(f.Path))
			if f.IsNew() && strings.HasPrefix(base, ".") && linter(base) {
				return true
			}
			switch base {
			case "package.json", "requirements.txt", "requirements-dev.txt", "pyproject.toml", "tox.ini", ".pre-commit-config.yaml", "pubspec.yaml", "go.mod", "pom.xml", "build.gradle", ".travis.yml":
			default:
				continue
			}
			for _, l := range f.Added {
				if linter(strings.ToLower(l.Text)) && strings.ContainsAny(l.Text, "0123456789") {
					return true
				}
			}
		}
		return false
	}).(bool)
}

// linter reports whether a text, in lower case, names a linter.
func linter(text string) bool {
	for _, w := range [...]string{"eslint", "tslint", "\"xo\"", "golangci", "staticcheck", "flake8", "pylint", "mypy", "ruff", "pedantic", "effective_dart", "lints:", "errorprone", "error_prone", "checkstyle", "rubocop", "standard\""} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
