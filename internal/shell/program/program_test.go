package program_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/program"
)

// last returns the last command of src.
func last(t *testing.T, src string) *shell.Command {
	t.Helper()
	s, err := shell.Parse(src)
	if err != nil || len(s.Commands) == 0 {
		t.Fatalf("Parse(%q): %d commands, %v", src, len(s.Commands), err)
	}
	return &s.Commands[len(s.Commands)-1]
}

func TestTestRuns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		// What a pattern over the text missed.
		{"npm run test", "npm test"},
		{"yarn test", "yarn test"},
		{"make test", "make test"},
		{"make check", "make test"},
		{"./gradlew test", "gradle test"},
		{"python -m unittest", "unittest"},
		{"bun test", "bun test"},
		{"cargo test", "cargo test"},
		{"cargo nextest run --workspace", "cargo nextest"},
		{"go test ./...", "go test"},
		{"dotnet test", "dotnet test"},
		{"mocha", "mocha"},
		{"bundle exec rspec spec/a_spec.rb", "rspec"},
		{"node --test", "node --test"},
		{"vendor/bin/phpunit", "phpunit"},
		{"./vendor/bin/pest --parallel", "pest"},
		{"sbt test", "sbt test"},
		{"ctest --output-on-failure", "ctest"},
		{"swift test", "swift test"},
		{"flutter test", "flutter test"},
		{"dart test", "dart test"},
		{"mvn -q test", "mvn test"},
		{"./mvnw verify", "mvn test"},
		{"tox -e py311", "tox"},
		{"nox", "nox"},
		{"deno test -A", "deno test"},
		{"rake test", "rake test"},
		{"cd packages/a && npx vitest run", "vitest"},
		{"FOO=1 env BAR=2 timeout 60 pytest -q", "pytest"},
		// Runners of runners.
		{"npx --yes jest@29 src", "jest"},
		{"pnpm exec jest", "jest"},
		{"pnpm --filter web test", "pnpm test"},
		{"pnpm -r run test:unit", "pnpm test"},
		{"yarn workspace app test", "yarn test"},
		{"yarn jest --ci", "jest"},
		{"bunx vitest", "vitest"},
		{"bun run test", "bun test"},
		{"npm t", "npm test"},
		{"npm --prefix web test", "npm test"},
		{"npm run-script test-ci -- --bail", "npm test"},
		{"uv run pytest tests", "pytest"},
		{"uvx --from pytest pytest", "pytest"},
		{"poetry run python -m pytest", "pytest"},
		{"pipenv run pytest", "pytest"},
		{"hatch run test:unit", ""},
		{"hatch test", "hatch test"},
		{"python3.11 -W error -m pytest", "pytest"},
		{"python manage.py test app", "django test"},
		{"python tests/test_user.py", "python file"},
		{"coverage run -m pytest", "coverage run"},
		{"php artisan test", "artisan test"},
		{"php vendor/bin/phpunit", "phpunit"},
		{"composer run test", "composer test"},
		{"bin/rails test", "rails test"},
		{"ruby -Itest test/user_test.rb", "ruby file"},
		{"go run gotest.tools/gotestsum@latest ./...", "gotestsum"},
		{"go tool gotestsum", "gotestsum"},
		{"go -C tools test ./...", "go test"},
		{"cargo +nightly test --all", "cargo test"},
		{"node node_modules/.bin/jest", "jest"},
		{"node tests/a.test.js", "node file"},
		{"nyc mocha", "mocha"},
		{"npx c8 node --test", "node --test"},
		{"npx playwright test", "playwright test"},
		{"npx cypress run", "cypress"},
		{"ng test --watch=false", "ng test"},
		{"nx test web", "nx test"},
		{"nx run web:test", "nx test"},
		{"turbo run test", "turbo test"},
		{"just test", "just test"},
		{"gradle :app:testDebugUnitTest", "gradle test"},
		{"gradle clean check", "gradle test"},
		{"mill core.test", "mill test"},
		{"bazel test //...", "bazel test"},
		{"cmake --build build --target test", "cmake test"},
		{"xcodebuild -scheme A test", "xcodebuild test"},
		{"meson test -C build", "meson test"},
		{"make -C sub test -j4", "make test"},
		{"make build test", "make test"},
		{"./run_tests.sh", "run_tests"},
		{"bash scripts/test.sh", "test"},
		{"docker ps", ""},
		// Not test runs.
		{"cat pytest.ini", ""},
		{"echo jest", ""},
		{"echo 'npm test'", ""},
		{"grep -r pytest .", ""},
		{"go vet ./...", ""},
		{"go build", ""},
		{"go test -c ./x", ""},
		{"go test -run '^$' -bench . ./x", ""},
		{"npm run testimonials", ""},
		{"npm run test:types", ""},
		{"npm install jest", ""},
		{"npm ls vitest", ""},
		{"npm run contest", ""},
		{"yarn add mocha", ""},
		{"pnpm add -D vitest", ""},
		{"pip install pytest", ""},
		{"pytest --collect-only", ""},
		{"pytest --version", ""},
		{"cargo test --no-run", ""},
		{"cargo build", ""},
		{"jest --listTests", ""},
		{"vitest list", ""},
		{"npx playwright install", ""},
		{"make -n test", ""},
		{"make testdata", ""},
		{"mvn -DskipTests verify", ""},
		{"gradle build -x test", ""},
		{"dotnet build", ""},
		{"python -c 'import pytest'", ""},
		{"python src/attest.py", ""},
		{"test -f x", ""},
		{"[ -d tests ]", ""},
		{"ls tests", ""},
		{"git commit -m 'make test'", ""},
		{"$RUNNER test", ""},
		{"which pytest", ""},
		{"command -v pytest", ""},
		{"bash -c \"$X\"", ""},
	} {
		got, _, ok := program.Test(last(t, tt.src))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Test(%q) = %q, %v; want %q", tt.src, got, ok, tt.want)
		}
	}
}

func TestDirectoryOfRuns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		{"cd packages/a && npx vitest run", "packages/a"},
		{"npm --prefix web test", "web"},
		{"pnpm -C web test", "web"},
		{"yarn --cwd=web test", "web"},
		{"make -C sub test", "sub"},
		{"cd a; go -C b test ./...", "a/b"},
		{"cargo test --manifest-path crates/x/Cargo.toml", "crates/x"},
		{"mvn -f svc/pom.xml test", "svc"},
		{"gradle -p app test", "app"},
		{"ctest --test-dir build", "build"},
		{"uv run --directory api pytest", "api"},
		{"env -C api pytest", "api"},
		{"pytest packages/a", ""},
	} {
		_, dir, ok := program.Test(last(t, tt.src))
		if !ok || dir.Path != tt.want {
			t.Errorf("directory of %q = %q, %v; want %q", tt.src, dir.Path, ok, tt.want)
		}
	}
}

func TestCompiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		{"go build ./...", "go build"},
		{"go vet ./...", "go vet"},
		{"npx tsc --noEmit", "tsc"},
		{"npm run build", "npm build"},
		{"pnpm typecheck", "pnpm typecheck"},
		{"yarn build", "yarn build"},
		{"cargo check", "cargo check"},
		{"cargo clippy -- -D warnings", "cargo clippy"},
		{"make", "make"},
		{"make -j8 all", "make all"},
		{"cmake --build build", "cmake"},
		{"gcc -c a.c", "gcc"},
		{"javac A.java", "javac"},
		{"mvn -q compile", "mvn compile"},
		{"./gradlew :app:assembleDebug", "gradle assembleDebug"},
		{"dotnet build", "dotnet build"},
		{"swift build", "swift build"},
		{"dart analyze lib", "dart analyze"},
		{"python -m compileall src", "compileall"},
		{"uv run mypy src", "mypy"},
		{"ruff check .", "ruff"},
		{"php -l a.php", "php -l"},
		{"bash -n x.sh", "bash -n"},
		{"golangci-lint run", "golangci-lint"},
		{"go test ./...", ""},
		{"npm test", ""},
		{"echo make", ""},
		{"tsc --version", ""},
		{"ruff format .", ""},
		{"npm run dev", ""},
		{"make clean", ""},
		{"go install golang.org/x/tools/gopls@latest", ""},
	} {
		got, _, _ := program.Compile(last(t, tt.src))
		if got != tt.want {
			t.Errorf("Compile(%q) = %q, want %q", tt.src, got, tt.want)
		}
	}
}

func TestPrepares(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"cd a": true, "export A=1": true, ". venv/bin/activate": true, "A=1": true, "mkdir -p x": true, "conda activate x": true,
		"npm ci": false, "make": false, "conda install x": false, "$X": false,
	} {
		if got := program.Prepares(last(t, src)); got != want {
			t.Errorf("Prepares(%q) = %v, want %v", src, got, want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"npx", "npx -c", "npx npx npx a", "yarn workspace", "uv tool run", "python -m", "mise exec a@1 --", "hatch run :", "go run", "make -C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, _ := shell.Parse(src)
		for i := range s.Commands {
			program.Test(&s.Commands[i])
			program.Compile(&s.Commands[i])
			if c, ok := program.Resolve(&s.Commands[i]); ok && strings.TrimSpace(c.Name) == "" && c.Name == "" {
				t.Errorf("Resolve(%q) is nameless", src)
			}
		}
	})
}
