package suite_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/google/go-cmp/cmp"
)

// files is a tree in memory.
type files map[string]string

func (f files) Files() []string { return slices.Sorted(maps.Keys(f)) }

func (f files) Read(_ context.Context, path string) ([]byte, bool, error) {
	text, ok := f[path]
	if text == "unreadable" {
		return nil, false, errors.New("object is missing")
	}
	return []byte(text), ok, nil
}

const (
	npmTest    = `{"scripts":{"test":"node --test"}}`
	npmInit    = `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`
	unitPython = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"
	funcPython = "def test_a():\n    assert True\n"
)

// show gives commands as `folder: argv`.
func show(commands []suite.Command) []string {
	var lines []string
	for _, c := range commands {
		lines = append(lines, c.Dir+": "+strings.Join(c.Argv, " "))
	}
	return lines
}

func TestPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tree    files
		changes []string
		want    []string
	}{
		{"nothing changed", files{"go.mod": "", "a.go": ""}, nil, nil},
		{"no marker", files{"a.txt": ""}, []string{"a.txt"}, nil},
		{"go module", files{"go.mod": "", "a.go": ""}, []string{"a.go"}, []string{": go test ./..."}},
		{"go module without code", files{"go.mod": "", "README.md": ""}, []string{"README.md"}, nil},
		{"a deleted file counts", files{"go.mod": "", "a.go": ""}, []string{"gone/b.go"}, []string{": go test ./..."}},
		{"five levels deep", files{"go.mod": "", "a/b/c/d/e/f.go": ""}, []string{"a/b/c/d/e/f.go"}, []string{": go test ./..."}},
		{"nearest marker", files{"go.mod": "", "a.go": "", "sub/go.mod": "", "sub/b.go": ""}, []string{"sub/b.go"}, []string{"sub: go test ./..."}},
		{"each changed part once, in order", files{"go.mod": "", "a.go": "", "web/package.json": npmTest, "web/x.ts": "", "web/y.ts": ""}, []string{"web/y.ts", "a.go", "web/x.ts"}, []string{": go test ./...", "web: npm test"}},
		{"extension decides between markers of one folder", files{"go.mod": "", "a.go": "", "package.json": npmTest}, []string{"a.go"}, []string{": go test ./..."}},
		{"list order decides for other files", files{"go.mod": "", "a.go": "", "package.json": npmTest}, []string{"README.md"}, []string{": npm test"}},
		{"a file of another language than its nearest marker asks both", files{"go.mod": "", "web/package.json": npmTest, "web/embed.go": ""}, []string{"web/embed.go"}, []string{"web: npm test", ": go test ./..."}},
		{"a marker in test data is none", files{"go.mod": "", "a.go": "", "testdata/p/package.json": npmTest, "testdata/p/x.js": ""}, []string{"testdata/p/x.js"}, []string{": go test ./..."}},
		{"a vendored marker is none", files{"package.json": npmTest, "node_modules/x/package.json": npmTest}, []string{"node_modules/x/i.js"}, []string{": npm test"}},

		{"npm by its lock", files{"package.json": npmTest, "package-lock.json": "{}"}, []string{"x.js"}, []string{": npm test"}},
		{"pnpm by its lock", files{"package.json": npmTest, "pnpm-lock.yaml": ""}, []string{"x.js"}, []string{": pnpm test"}},
		{"yarn by its lock", files{"package.json": npmTest, "yarn.lock": ""}, []string{"x.js"}, []string{": yarn test"}},
		{"bun by its lock", files{"package.json": npmTest, "bun.lock": ""}, []string{"x.js"}, []string{": bun run test"}},
		{"bun's own tests", files{"package.json": "{}", "bun.lockb": "", "a.test.ts": ""}, []string{"a.ts"}, []string{": bun test"}},
		{"lock file of the workspace", files{"package.json": "{}", "pnpm-lock.yaml": "", "packages/a/package.json": npmTest}, []string{"packages/a/x.ts"}, []string{"packages/a: pnpm test"}},
		{"field before lock", files{"package.json": `{"packageManager":"yarn@4.1.0","scripts":{"test":"x"}}`, "package-lock.json": ""}, []string{"x.js"}, []string{": yarn test"}},
		{"byte order mark", files{"package.json": "\ufeff" + npmTest}, []string{"x.js"}, []string{": npm test"}},
		{"placeholder of npm init", files{"package.json": npmInit}, []string{"x.js"}, nil},
		{"no script", files{"package.json": `{"scripts":{"build":"tsc"}}`}, []string{"x.js"}, nil},
		{"package without tests asks the workspace", files{"package.json": npmTest, "packages/a/package.json": npmInit}, []string{"packages/a/x.ts"}, []string{": npm test"}},
		{"broken package.json is npm's to tell", files{"package.json": "{"}, []string{"x.js"}, []string{": npm test"}},
		{"script of a wrong type", files{"package.json": `{"scripts":{"test":7}}`}, []string{"x.js"}, nil},

		{"pytest by configuration", files{"pyproject.toml": "[tool.pytest.ini_options]\n", "a.py": ""}, []string{"a.py"}, []string{": python3 -m pytest -q"}},
		{"pytest by requirements", files{"requirements.txt": "pytest>=8\n", "a.py": ""}, []string{"a.py"}, []string{": python3 -m pytest -q"}},
		{"pytest by conftest", files{"setup.py": "", "tests/conftest.py": ""}, []string{"a.py"}, []string{": python3 -m pytest -q"}},
		{"pytest by the form of a test", files{"pyproject.toml": "", "tests/test_a.py": funcPython}, []string{"a.py"}, []string{": python3 -m pytest -q"}},
		{"unittest", files{"pyproject.toml": "", "test_a.py": unitPython}, []string{"a.py"}, []string{": python3 -m unittest discover -s ."}},
		{"unittest in a plain folder", files{"pyproject.toml": "", "tests/test_a.py": unitPython}, []string{"a.py"}, []string{": python3 -m unittest discover -s tests"}},
		{"unittest in a package", files{"pyproject.toml": "", "tests/__init__.py": "", "tests/test_a.py": unitPython}, []string{"a.py"}, []string{": python3 -m unittest discover -s ."}},
		{"unittest with the other naming", files{"setup.py": "", "tests/a_test.py": unitPython}, []string{"a.py"}, []string{": python3 -m unittest discover -s tests -p *_test.py"}},
		{"python without tests", files{"pyproject.toml": "[project]\n", "a.py": ""}, []string{"a.py"}, nil},
		{"scripts with a test and no marker", files{"tools/a.py": "", "tools/test_a.py": unitPython}, []string{"tools/a.py"}, []string{": python3 -m unittest discover -s tools"}},
		{"django", files{"manage.py": "", "app/tests.py": "from django.test import TestCase\n"}, []string{"app/views.py"}, []string{": python3 manage.py test"}},

		{"cargo", files{"Cargo.toml": "", "src/lib.rs": ""}, []string{"src/lib.rs"}, []string{": cargo test"}},
		{"maven", files{"pom.xml": "<project/>"}, []string{"src/main/java/A.java"}, []string{": mvn -q -B test"}},
		{"maven wrapper and module", files{"mvnw": "", "pom.xml": "<module>core</module>", "core/pom.xml": ""}, []string{"core/src/A.java"}, []string{": ./mvnw -q -B test -pl core -am"}},
		{"gradle wrapper of the root", files{"gradlew": "", "settings.gradle": "", "app/build.gradle.kts": ""}, []string{"app/src/A.kt"}, []string{"app: ../gradlew test"}},
		{"gradle", files{"build.gradle": ""}, []string{"src/A.java"}, []string{": gradle test"}},
		{"flutter", files{"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n", "test/a_test.dart": ""}, []string{"lib/a.dart"}, []string{": flutter test"}},
		{"dart", files{"pubspec.yaml": "name: x\n", "test/a_test.dart": ""}, []string{"lib/a.dart"}, []string{": dart test"}},
		{"dart without tests", files{"pubspec.yaml": "name: x\n"}, []string{"lib/a.dart"}, nil},
		{"dotnet solution", files{"App.sln": "", "src/App/App.csproj": ""}, []string{"src/App/A.cs"}, []string{": dotnet test App.sln"}},
		{"dotnet project", files{"App.csproj": ""}, []string{"A.cs"}, []string{": dotnet test App.csproj"}},
		{"deno task", files{"deno.json": `{"tasks":{"test":"deno test"}}`}, []string{"a.ts"}, []string{": deno task test"}},
		{"deno tests", files{"deno.jsonc": "{} // c", "a_test.ts": ""}, []string{"a.ts"}, []string{": deno test -A"}},
		{"composer", files{"composer.json": `{"scripts":{"test":["phpunit"]}}`}, []string{"a.php"}, []string{": composer test"}},
		{"phpunit", files{"composer.json": "{}", "phpunit.xml.dist": ""}, []string{"a.php"}, []string{": ./vendor/bin/phpunit"}},
		{"rspec", files{"Gemfile": "", "spec/a_spec.rb": ""}, []string{"a.rb"}, []string{": bundle exec rspec"}},
		{"rake", files{"Rakefile": "", "test/test_a.rb": ""}, []string{"a.rb"}, []string{": rake test"}},
		{"rails", files{"Gemfile": "", "bin/rails": "", "test/models/a_test.rb": ""}, []string{"app/a.rb"}, []string{": ./bin/rails test"}},
		{"swift", files{"Package.swift": "", "Tests/AppTests/A.swift": ""}, []string{"Sources/A.swift"}, []string{": swift test"}},
		{"elixir", files{"mix.exs": "", "test/a_test.exs": ""}, []string{"lib/a.ex"}, []string{": mix test"}},

		{"make when nothing else", files{"Makefile": ".PHONY: test\nlint test: build\n\tcc\n", "a.c": ""}, []string{"a.c"}, []string{": make test"}},
		{"make of a folder above", files{"Makefile": "test:\n\tx\n", "lib/Makefile": "all:\n"}, []string{"lib/a.c"}, []string{": make test"}},
		{"make when the marker has no tests", files{"Makefile": "test:\n", "package.json": npmInit}, []string{"a.js"}, []string{": make test"}},
		{"make has no say beside a toolchain", files{"Makefile": "test:\n", "go.mod": "", "a.go": ""}, []string{"a.go"}, []string{": go test ./..."}},
		{"a variable is no target", files{"Makefile": "test := 1\ntest = x\n# test:\n\ttest: x\n.PHONY: test\n"}, []string{"a.c"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := suite.Plan(t.Context(), tt.tree, tt.changes, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Toolchain == "" {
					t.Errorf("%v names no toolchain: a missing tool could not be told from a failure", c.Argv)
				}
			}
			if diff := cmp.Diff(tt.want, show(got)); diff != "" {
				t.Errorf("Plan(%q) of %q (-want +got):\n%s", tt.changes, slices.Sorted(maps.Keys(tt.tree)), diff)
			}
		})
	}
}

func TestPlanTakesTheUsersCommand(t *testing.T) {
	t.Parallel()
	got, err := suite.Plan(t.Context(), files{"go.mod": "", "a.go": ""}, []string{"a.go"}, "make check && ./it")
	want := []suite.Command{{Toolchain: suite.Override, Argv: []string{"sh", "-c", "make check && ./it"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if got[0].String() != "make check && ./it" {
		t.Errorf("String() = %q", got[0])
	}
}

func TestPlanOfATreeThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if got, err := suite.Plan(t.Context(), files{"package.json": "unreadable"}, []string{"a.js"}, ""); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

// FuzzPlan feeds foreign bytes to every reader of a manifest.
func FuzzPlan(f *testing.F) {
	f.Add(npmTest, "a.js")
	f.Add("test:\n\tx\n:", "a/b/c.py")
	f.Add("<module>", "core/A.java")
	f.Add("{\"tasks\"", "//a")
	f.Fuzz(func(t *testing.T, text, change string) {
		tree := files{}
		for _, name := range []string{
			"package.json", "Makefile", "pyproject.toml", "setup.cfg", "pubspec.yaml", "composer.json", "deno.json", "pom.xml", "a/pom.xml", "test/a_test.dart",
			"tests/test_a.py", "a/package.json", "go.mod", "Cargo.toml",
		} {
			tree[name] = text
		}
		got, err := suite.Plan(t.Context(), tree, []string{change}, "")
		if err != nil && !strings.Contains(err.Error(), "missing") {
			t.Fatal(err)
		}
		for _, c := range got {
			if len(c.Argv) == 0 || c.Toolchain == "" {
				t.Errorf("incomplete command %+v", c)
			}
		}
	})
}
