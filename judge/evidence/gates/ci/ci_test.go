package ci_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/gates/ci"
)

const workflow = `name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: go test ./...
      - name: More
        run: |
          make lint
          pytest -q
`

func TestChecks(t *testing.T) {
	t.Parallel()
	edit := func(old, now string) string { return strings.Replace(workflow, old, now, 1) }
	const wf = ".github/workflows/ci.yml"
	tests := []struct{ name, path, before, after, want string }{
		{"or true", wf, workflow, edit("go test ./...", "go test ./... || true"), "12 hard"},
		{"or exit 0", wf, workflow, edit("pytest -q", "pytest -q || exit 0"), "16 hard"},
		{"or echo", wf, workflow, edit("pytest -q", "pytest -q || echo 'not today'"), "16 hard"},
		{"or group", wf, workflow, edit("pytest -q", "pytest -q || { echo failed; }"), "16 hard"},
		{"or failing", wf, workflow, edit("pytest -q", "pytest -q || { cat log; exit 1; }"), ""},
		{"then true", wf, workflow, edit("go test ./...", "go test ./... ; true"), "12 hard"},
		{"continue", wf, workflow, edit("        run: go test ./...\n", "        run: go test ./...\n        continue-on-error: true\n"), "13 hard"},
		{"continue of a matrix", wf, workflow, edit("        run: go test ./...\n", "        run: go test ./...\n        continue-on-error: ${{ matrix.next }}\n"), ""},
		{"continue of the job", wf, workflow, edit("    runs-on: ubuntu-latest\n", "    runs-on: ubuntu-latest\n    continue-on-error: true\n"), "9 hard"},
		{"if false", wf, workflow, edit("        run: go test ./...\n", "        run: go test ./...\n        if: ${{ false }}\n"), "13 hard"},
		{"if never", wf, workflow, edit("    runs-on: ubuntu-latest\n", "    runs-on: ubuntu-latest\n    if: github.event_name == 'never'\n"), "9 hard"},
		{"if a platform", wf, workflow, edit("        run: go test ./...\n", "        run: go test ./...\n        if: runner.os != 'Windows'\n"), ""},
		{"if by hand", wf, workflow, edit("        run: go test ./...\n", "        run: go test ./...\n        if: github.event_name == 'workflow_dispatch'\n"), "13 soft"},
		{"echo", wf, workflow, edit("go test ./...", "echo skipped"), "12 hard"},
		{"true", wf, workflow, edit("          pytest -q", "          true"), "16 hard"},
		{"commented out", wf, workflow, edit("          pytest -q", "          # pytest -q"), "16 hard"},
		{"set +e", wf, workflow, edit("          make lint\n", "          set +e\n          make lint\n"), "15 hard"},
		{"early exit", wf, workflow, edit("          make lint\n", "          exit 0\n          make lint\n"), "15 hard"},
		{"pipe", wf, workflow, edit("pytest -q", "pytest -q 2>&1 | tee log"), "16 soft"},
		{"pipe that fails", wf, workflow, edit("          make lint\n          pytest -q", "          set -o pipefail\n          make lint\n          pytest -q 2>&1 | tee log"), ""},
		{"shell sh", wf, workflow, edit("        run: go test ./...", "        shell: sh\n        run: |\n          go test ./... 2>&1 | tee go.log\n          grep -c ok go.log"), "14 soft"},
		{"no test selected", wf, workflow, edit("go test ./...", "go test -run XXX ./..."), "12 hard"},
		{"benchmarks", wf, workflow, edit("          pytest -q", "          pytest -q\n          go test -run=^$ -bench=. ./..."), ""},
		{"no push", wf, workflow, edit("  push:\n    branches: [main]\n  pull_request:\n", "  workflow_dispatch:\n"), "2 hard"},
		{"other branches", wf, workflow, edit("branches: [main]", "branches: [release]"), "4 soft"},
		{"all ignored", wf, workflow, edit("    branches: [main]\n", "    branches: [main]\n    paths-ignore: ['**']\n"), "5 hard"},
		{"renamed", wf, workflow, edit("name: Test", "name: Test (all platforms)"), ""},
		{"another runner", wf, workflow, edit("go test ./...", "gotestsum -- ./..."), ""},
		{"clean up", wf, workflow, edit("          make lint\n", "          docker rm -f db || true\n          make lint\n"), ""},
		{"upload", wf, workflow, workflow + "      - name: Coverage\n        run: bash upload.sh || true\n", ""},
		{"unknown check", wf, edit("go test ./...", "mvn artifact:check-buildplan"), edit("        run: go test ./...\n", "        run: mvn artifact:check-buildplan\n        if: false\n"), "13 hard"},
		{"gitlab", ".gitlab-ci.yml", "unit:\n  script:\n    - npm test\n", "unit:\n  script:\n    - npm test\n  allow_failure: true\n", "4 hard"},
		{"gitlab by hand", ".gitlab-ci.yml", "unit:\n  script:\n    - npm test\n", "unit:\n  when: manual\n  script:\n    - npm test\n", "2 hard"},
		{"gitlab rules", ".gitlab-ci.yml", "unit:\n  script:\n    - npm test\n", "unit:\n  rules:\n    - when: never\n  script:\n    - npm test\n", "3 hard"},
		{"gitlab hidden", ".gitlab-ci.yml", "unit:\n  script:\n    - npm test\n", ".unit:\n  script:\n    - npm test\n", "1 hard"},
		{"travis", ".travis.yml", "script:\n  - tox\n", "script:\n  - tox || :\n", "2 hard"},
		{"circle", ".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run: npm test\n", "jobs:\n  a:\n    steps:\n      - run: npm test || exit 0\n", "4 hard"},
		{"azure", "azure-pipelines.yml", "steps:\n- script: dotnet test\n  displayName: t\n", "steps:\n- script: dotnet test\n  displayName: t\n  continueOnError: true\n", "4 hard"},
		{"jenkins", "Jenkinsfile", "stage('t') {\n  sh 'mvn -B verify'\n}\n", "stage('t') {\n  sh 'mvn -B verify || true'\n}\n", "2 hard"},
		{"jenkins echo", "Jenkinsfile", "stage('t') {\n  sh 'mvn -B verify'\n}\n", "stage('t') {\n  sh 'echo done'\n}\n", "2 hard"},
		{"make", "Makefile", "test:\n\tgo test ./...\n", "test:\n\t-go test ./...\n", "2 hard"},
		{"make echo", "Makefile", "test:\n\tgo test ./...\n", "test:\n\t@echo ok\n", "2 hard"},
		{"make clean", "Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./...\n\nclean:\n\t-rm -rf out\n", ""},
		{"just", "justfile", "test:\n    cargo test\n", "test:\n    cargo test || true\n", "2 hard"},
		{"tox", "tox.ini", "[testenv]\ncommands =\n    pytest {posargs}\n", "[testenv]\ncommands =\n    - pytest {posargs}\n", "3 hard"},
		{"nox", "noxfile.py", "def tests(session):\n    session.run(\"pytest\", \"tests\")\n", "def tests(session):\n    session.run(\"pytest\", \"tests\", success_codes=[0, 1])\n", "2 hard"},
		{"npm", "package.json", "{\n  \"scripts\": {\n    \"test\": \"jest --ci\"\n  }\n}\n", "{\n  \"scripts\": {\n    \"test\": \"jest --ci || true\"\n  }\n}\n", "3 hard"},
		{"npm echo", "package.json", "{\n  \"scripts\": {\n    \"test\": \"node check.js\"\n  }\n}\n", "{\n  \"scripts\": {\n    \"test\": \"echo ok\"\n  }\n}\n", "3 hard"},
		{"npm exit", "package.json", "{\n  \"scripts\": {\n    \"lint\": \"eslint .\"\n  }\n}\n", "{\n  \"scripts\": {\n    \"lint\": \"exit 0\"\n  }\n}\n", "3 hard"},
		{"npm grown", "package.json", "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n", "{\n  \"scripts\": {\n    \"test\": \"npm run lint && jest --coverage\"\n  }\n}\n", ""},
		{"script", "ci/test.sh", "set -e\ncargo test --all\n", "set -e\ncargo test --all || true\n", "2 hard"},
		{"script counts", "ci/test.sh", "cargo test --all\n", "set +e\ncargo test --all\nrc=$?\nexit $rc\n", ""},
		{"script background", "ci/test.sh", "cargo test --all\n", "cargo test --all &\n", "1 hard"},
		{"husky", ".husky/pre-commit", "npm test\n", "npm test || true\n", "1 hard"},
		{"pre-commit", ".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks:\n  - id: mypy\n", "repos:\n- repo: x\n  hooks:\n  - id: mypy\n    stages: [manual]\n", "5 hard"},
		{"hooks off", "scripts/save.sh", "git commit -am x\n", "git commit --no-verify -am x\n", "1 hard"},
		{"overwritten", "Makefile", "ifeq (, $(shell which golangci-lint))\nendif\n", "ifeq (, $(shell which echo skip\nendif\n", "1 hard"},
		{"words of a message", "Makefile", "all:\n\techo building tests\n", "all:\n\techo building\n", ""},
		{"unknown goal", wf, edit("go test ./...", "./gradlew lib:robo-test:roboTest"), edit("go test ./...", "echo skip"), "12 hard"},
		{"skip tests", wf, edit("go test ./...", "mvn -B verify"), edit("go test ./...", "mvn -B verify -DskipTests"), "12 hard"},
		{"new clean-up script", "scripts/clean.sh", "", "set -eu\nrm -rf build || true\n", ""},
		{"moved with its excuse", wf, edit("pytest -q", "pytest -q || true"), edit("          make lint\n          pytest -q", "          pytest -q || true\n          make lint"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := map[string][]byte{}
			if tt.before != "" {
				before[tt.path] = []byte(tt.before)
			}
			c := rulecase.Of(before, map[string][]byte{tt.path: []byte(tt.after)}, nil)
			var got []string
			for _, f := range rulecase.Findings(ci.Rules()[0], c) {
				got = append(got, strings.TrimPrefix(f, tt.path+":"))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("found %q, want %q in\n%s", s, tt.want, tt.after)
			}
		})
	}
}
