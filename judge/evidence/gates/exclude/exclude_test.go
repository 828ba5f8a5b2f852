package exclude_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/gates/exclude"
)

func TestExcludedTests(t *testing.T) {
	t.Parallel()
	tree := map[string][]byte{}
	for _, p := range []string{"tests/test_calc.py", "tests/test_io.py", "tests/unit/test_deep.py", "src/a.test.ts", "src/b.test.ts", "test/app.js", "e2e/login.spec.ts", "src/test/java/app/PayTest.java", "tests/cli.rs", "test/pay_test.dart", "custom/itest.rs"} {
		tree[p] = []byte("x\n")
	}
	tests := []struct{ name, path, before, after, want string }{
		{"narrowed by a new file", "pytest.ini", "", "[pytest]\naddopts = --ignore=tests/test_calc.py\n", "2 hard"},
		{"addopts", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q\"\n", "[tool.pytest.ini_options]\naddopts = \"-q --ignore=tests/test_calc.py\"\n", "2 hard"},
		{"addopts list", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n]\n", "[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n  \"--deselect=tests/test_calc.py::test_a\",\n]\n", "4 hard"},
		{"by name", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\naddopts = -k not_test_calc\ntestpaths = tests\n", "2 hard"},
		{"by mark", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\naddopts = -m \"not slow\"\ntestpaths = tests\n", "2 soft"},
		{"collected only", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\naddopts = --collect-only\ntestpaths = tests\n", "2 hard"},
		{"strict marks", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\naddopts = --strict-markers -ra\ntestpaths = tests\n", ""},
		{"paths", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\ntestpaths = tests/unit/test_deep.py\n", "2 hard"},
		{"a folder that is not there", "setup.cfg", "[tool:pytest]\ntestpaths = tests\n", "[tool:pytest]\ntestpaths = tests docs\n", ""},
		{"collect_ignore", "conftest.py", "import os\n", "import os\n\ncollect_ignore = [\"tests/test_calc.py\"]\n", "3 hard"},
		{"thrown away", "conftest.py", "import os\n", "import os\n\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n", "5 hard"},
		{"norecursedirs", "pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = unit\n", ""},
		{"norecursedirs path", "pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = tests/unit\n", "2 hard"},
		{"jest", "jest.config.js", "module.exports = {\n}\n", "module.exports = {\n  testPathIgnorePatterns: ['a.test.ts'],\n}\n", "2 hard"},
		{"jest modules", "jest.config.js", "module.exports = {\n}\n", "module.exports = {\n  testPathIgnorePatterns: ['/node_modules/', '/dist/'],\n}\n", ""},
		{"vitest", "vitest.config.ts", "export default {\n  test: {\n  },\n}\n", "export default {\n  test: {\n    exclude: ['**/a.test.ts'],\n  },\n}\n", "3 hard"},
		{"vitest end to end", "vitest.config.ts", "export default {\n  test: {\n  },\n}\n", "export default {\n  test: {\n    exclude: ['e2e/**'],\n  },\n}\n", "3 soft"},
		{"vitest coverage", "vitest.config.ts", "export default {\n  test: {\n    coverage: {\n    },\n  },\n}\n", "export default {\n  test: {\n    coverage: {\n      exclude: ['**/*.test.ts'],\n    },\n  },\n}\n", ""},
		{"vitest narrowed", "vitest.config.ts", "export default {\n  test: {\n    include: ['src/**/*.test.ts'],\n  },\n}\n", "export default {\n  test: {\n    include: ['src/a.test.ts'],\n  },\n}\n", "3 hard"},
		{"script", "package.json", "{\n  \"scripts\": {\n    \"test\": \"mocha test\"\n  }\n}\n", "{\n  \"scripts\": {\n    \"test\": \"mocha test --ignore test/app.js\"\n  }\n}\n", "3 hard"},
		{"published files", "package.json", "{\n  \"files\": [\n    \"src\"\n  ]\n}\n", "{\n  \"files\": [\n    \"src\",\n    \"!src/a.test.ts\"\n  ]\n}\n", ""},
		{"maven", "pom.xml", "<properties>\n</properties>\n", "<properties>\n  <skipTests>true</skipTests>\n</properties>\n", "2 hard"},
		{"maven failures", "pom.xml", "<properties>\n</properties>\n", "<properties>\n  <maven.test.failure.ignore>true</maven.test.failure.ignore>\n</properties>\n", "2 hard"},
		{"surefire", "pom.xml", "<plugin>\n  <artifactId>maven-surefire-plugin</artifactId>\n  <configuration>\n  </configuration>\n</plugin>\n", "<plugin>\n  <artifactId>maven-surefire-plugin</artifactId>\n  <configuration>\n    <excludes>\n      <exclude>**/PayTest.java</exclude>\n    </excludes>\n  </configuration>\n</plugin>\n", "5 hard"},
		{"gradle", "build.gradle", "test {\n}\n", "test {\n  ignoreFailures = true\n}\n", "2 hard"},
		{"gradle exclude", "build.gradle", "test {\n}\n", "test {\n  exclude '**/PayTest*'\n}\n", "2 hard"},
		{"gradle dependency", "build.gradle", "dependencies {\n}\n", "dependencies {\n  exclude group: 'x'\n}\n", ""},
		{"cargo", "Cargo.toml", "[lib]\n", "[lib]\ntest = false\n", "2 hard"},
		{"cargo example", "Cargo.toml", "[[example]]\nname = \"x\"\n", "[[example]]\nname = \"x\"\ntest = false\n", ""},
		{"cargo target gone", "Cargo.toml", "[package]\nname = \"x\"\n\n[[test]]\nname = \"i\"\npath = \"custom/itest.rs\"\n", "[package]\nname = \"x\"\n", "2 hard"},
		{"dart", "dart_test.yaml", "timeout: 2x\n", "timeout: 2x\nskip: true\n", "2 hard"},
		{"ci flag", ".github/workflows/a.yml", "jobs:\n  a:\n    run: pytest\n", "jobs:\n  a:\n    run: pytest --ignore=tests/test_io.py\n", "3 hard"},
		{"linter", "pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\nexclude = [\"tests/test_calc.py\"]\n", ""},
		{"typescript", "tsconfig.json", "{\n}\n", "{\n  \"exclude\": [\"src/a.test.ts\"]\n}\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := map[string][]byte{}
			if tt.before != "" {
				before[tt.path] = []byte(tt.before)
			}
			c := rulecase.Of(before, map[string][]byte{tt.path: []byte(tt.after)}, tree)
			var got []string
			for _, f := range rulecase.Findings(exclude.Rules()[0], c) {
				got = append(got, strings.TrimPrefix(f, tt.path+":"))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("found %q, want %q in\n%s", s, tt.want, tt.after)
			}
		})
	}
}
