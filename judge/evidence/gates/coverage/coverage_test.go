package coverage_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/gates/coverage"
)

func TestCoverage(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, before, after, want string }{
		{"python", ".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 60\n", "coverage-threshold:2 hard"},
		{"a little", ".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 89\n", "coverage-threshold:2 soft"},
		{"raised", ".coveragerc", "[report]\nfail_under = 60\n", "[report]\nfail_under = 90\n", ""},
		{"to nothing", "pyproject.toml", "[tool.coverage.report]\nfail_under = 3\n", "[tool.coverage.report]\nfail_under = 0\n", "coverage-threshold:2 hard"},
		{"removed", "pyproject.toml", "[tool.coverage.report]\nfail_under = 90\nshow_missing = true\n", "[tool.coverage.report]\nshow_missing = true\n", "coverage-threshold:2 soft"},
		{"option", "tox.ini", "[testenv]\ncommands = pytest --cov --cov-fail-under=100\n", "[testenv]\ncommands = pytest --cov --cov-fail-under=50\n", "coverage-threshold:2 hard"},
		{"jest", "jest.config.js", "module.exports = {\n  coverageThreshold: {\n    global: { branches: 80, lines: 90 },\n  },\n}\n", "module.exports = {\n  coverageThreshold: {\n    global: { branches: 80, lines: 40 },\n  },\n}\n", "coverage-threshold:3 hard"},
		{"vitest", "vitest.config.ts", "export default {\n  test: {\n    coverage: {\n      thresholds: {\n        lines: 90,\n      },\n    },\n  },\n}\n", "export default {\n  test: {\n    coverage: {\n      thresholds: {\n        lines: 10,\n      },\n    },\n  },\n}\n", "coverage-threshold:5 hard"},
		{"codecov target", "codecov.yml", "coverage:\n  status:\n    project:\n      default:\n        target: 85%\n", "coverage:\n  status:\n    project:\n      default:\n        target: 50%\n", "coverage-threshold:5 hard"},
		{"codecov slack", "codecov.yml", "coverage:\n  status:\n    project:\n      default:\n        threshold: 1%\n", "coverage:\n  status:\n    project:\n      default:\n        threshold: 30%\n", "coverage-threshold:5 hard"},
		{"codecov off", "codecov.yml", "", "coverage:\n  status:\n    project: off\n", "coverage-threshold:3 hard"},
		{"codecov pointless", "codecov.yml", "", "coverage:\n  status:\n    project:\n      default:\n        target: 0%\n", "coverage-threshold:5 hard"},
		{"jacoco", "pom.xml", "<rule>jacoco\n  <minimum>0.80</minimum>\n</rule>\n", "<rule>jacoco\n  <minimum>0.20</minimum>\n</rule>\n", "coverage-threshold:2 hard"},
		{"gradle", "build.gradle", "jacocoTestCoverageVerification {\n  violationRules {\n    rule { limit { minimum = 0.8 } }\n  }\n}\n", "jacocoTestCoverageVerification {\n  violationRules {\n    rule { limit { minimum = 0.5 } }\n  }\n}\n", "coverage-threshold:3 hard"},
		{"dart", ".github/workflows/a.yml", "jobs:\n  a:\n    with:\n      min_coverage: 100\n", "jobs:\n  a:\n    with:\n      min_coverage: 70\n", "coverage-threshold:4 hard"},
		{"rust", ".github/workflows/a.yml", "jobs:\n  a:\n    run: cargo llvm-cov --fail-under-lines 80\n", "jobs:\n  a:\n    run: cargo llvm-cov --fail-under-lines 20\n", "coverage-threshold:3 hard"},
		{"ruby", "spec/spec_helper.rb", "SimpleCov.start\n", "SimpleCov.start\n# none\n", ""},
		{"nyc off", ".nycrc.json", "{\n  \"check-coverage\": true\n}\n", "{\n  \"check-coverage\": false\n}\n", "coverage-threshold:2 hard"},
		{"another number", "pyproject.toml", "[tool.ruff]\nline-length = 100\n\n[tool.coverage.report]\nfail_under = 90\n", "[tool.ruff]\nline-length = 88\n\n[tool.coverage.report]\nfail_under = 90\n", ""},
		{"a version", ".github/workflows/a.yml", "jobs:\n  a:\n    uses: codecov/codecov-action@v4\n    timeout-minutes: 30\n", "jobs:\n  a:\n    uses: codecov/codecov-action@v4\n    timeout-minutes: 10\n", ""},
		{"pragma on old code", "src/a.py", "def f(x):\n    if x:\n        return 1\n    return 2\n", "def f(x):\n    if x:  # pragma: no cover\n        return 1\n    return 2\n", "coverage-excluded:2 soft"},
		{"pragma on a function", "src/a.go", "package a\n\nfunc F() int { return 1 }\n", "package a\n\n// coverage:ignore\nfunc F() int { return 1 }\n", "coverage-excluded:3 soft"},
		{"pragma on new code", "src/a.py", "def f(x):\n    return 2\n", "def f(x):\n    if x:  # pragma: no cover\n        return 1\n    return 2\n", ""},
		{"pragma on a guard", "src/a.py", "import a\n", "import a\n\nif TYPE_CHECKING:  # pragma: no cover\n    import b\n", ""},
		{"whole file", "src/a.ts", "export const a = 1\n", "/* istanbul ignore file */\nexport const a = 1\n", "coverage-excluded:1 soft"},
		{"omit", ".coveragerc", "[run]\nsource = src\n", "[run]\nsource = src\nomit =\n    src/pay.py\n", "coverage-excluded:4 soft"},
		{"omit tests", ".coveragerc", "[run]\nsource = src\n", "[run]\nsource = src\nomit =\n    tests/*\n", ""},
		{"ignore patterns", "jest.config.js", "module.exports = {\n  collectCoverage: true,\n}\n", "module.exports = {\n  collectCoverage: true,\n  coveragePathIgnorePatterns: ['src/pay.py'],\n}\n", "coverage-excluded:3 soft"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := map[string][]byte{}
			if tt.before != "" {
				before[tt.path] = []byte(tt.before)
			}
			c := rulecase.Of(before, map[string][]byte{tt.path: []byte(tt.after)}, map[string][]byte{"src/pay.py": []byte("x = 1\n"), "tests/test_pay.py": []byte("x = 1\n")})
			var got []string
			for _, r := range coverage.Rules() {
				for _, f := range rulecase.Findings(r, c) {
					got = append(got, r.ID+":"+strings.TrimPrefix(f, tt.path+":"))
				}
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("found %q, want %q in\n%s", s, tt.want, tt.after)
			}
		})
	}
}
