package tdd_test

import (
	"testing"

	"github.com/devflow-suite/devflow/tdd"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]tdd.Kind{
		// Substrings of a path are not tests; names that runners collect are.
		"latest_build/src/pay.py": tdd.Impl, "hammock/src/pay.py": tdd.Impl, "contest_app/pay.py": tdd.Impl, "fixtures-api/pay.py": tdd.Impl, "src/attest_token.py": tdd.Impl,
		"src/pay.py": tdd.Impl, "UserTest.kt": tdd.Test, "AuthTests.swift": tdd.Test, "src/contest.py": tdd.Impl, "src/Contest.java": tdd.Impl, "src/Testimonial.java": tdd.Impl,
		"src/latest.ts": tdd.Impl, "src/protest.go": tdd.Impl, "src/Latest.kt": tdd.Impl, "attestation/test_pay.py": tdd.Test,
		// Go
		"handlers.go": tdd.Impl, "a/b_test.go": tdd.Test, "internal/build/x.go": tdd.Impl, "cmd/bin/x.go": tdd.Impl, "testdata/x.go": tdd.Test, "api.pb.go": tdd.Generated, "vendor/x/y.go": tdd.Generated,
		// Python
		"tests/test_a.py": tdd.Test, "src/a_test.py": tdd.Test, "tests/conftest.py": tdd.Test, "conftest.py": tdd.Test, "app/tests.py": tdd.Test, "setup.py": tdd.Other, "manage.py": tdd.Other,
		"app/migrations/0001_x.py": tdd.Generated, "x_pb2.py": tdd.Generated, "src/__init__.py": tdd.Impl, "tests/helpers.py": tdd.Test, "stubs/x.pyi": tdd.Other, "app/tasks.py": tdd.Impl,
		// JavaScript
		"src/x.js": tdd.Impl, "packages/a/src/x.ts": tdd.Impl, "src/x.test.tsx": tdd.Test, "src/x.spec.ts": tdd.Test, "src/__tests__/x.js": tdd.Test, "cypress/x.cy.ts": tdd.Test,
		"vite.config.ts": tdd.Config, "jest.setup.js": tdd.Config, ".eslintrc.js": tdd.Config, "src/index.ts": tdd.Other, "src/index.tsx": tdd.Impl, "types/x.d.ts": tdd.Other, "dist/x.js": tdd.Generated,
		"packages/a/dist/x.js": tdd.Generated, "node_modules/x/y.js": tdd.Generated, "x.min.js": tdd.Generated, "test.js": tdd.Test, "src/testing.js": tdd.Impl, "src/a.mts": tdd.Impl, "src/a.cjs": tdd.Impl,
		// JVM
		"src/main/java/a/User.java": tdd.Impl, "src/test/java/a/UserTest.java": tdd.Test, "src/androidTest/a/X.kt": tdd.Test, "src/commonTest/kotlin/X.kt": tdd.Test, "UserIT.java": tdd.Test,
		"src/main/java/a/DeploymentSpec.java": tdd.Impl, "UserSpec.kt": tdd.Test, "UserSpec.scala": tdd.Test, "UserSuite.scala": tdd.Test, "build.gradle.kts": tdd.Config, "build.sbt": tdd.Config,
		"src/main/java/com/example/App.java": tdd.Impl, "TestUser.java": tdd.Test,
		// Others
		"src/lib.rs": tdd.Impl, "tests/api.rs": tdd.Test, "src/user/tests.rs": tdd.Test, "build.rs": tdd.Config, "lib/a.dart": tdd.Impl, "test/a_test.dart": tdd.Test, "lib/main.dart": tdd.Other,
		"lib/a.g.dart": tdd.Generated, "lib/a.freezed.dart": tdd.Generated, "Sources/A/x.swift": tdd.Impl, "Tests/ATests/x.swift": tdd.Test, "Package.swift": tdd.Config,
		"App/X.cs": tdd.Impl, "App.Tests/Y.cs": tdd.Test, "X.Designer.cs": tdd.Generated, "App/UserTests.cs": tdd.Test, "lib/a.rb": tdd.Impl, "spec/a_spec.rb": tdd.Test, "app/spec/models/x.rb": tdd.Test,
		"Rakefile": tdd.Config, "src/A.php": tdd.Impl, "tests/ATest.php": tdd.Test, "src/a.c": tdd.Impl, "src/a.h": tdd.Impl, "test/test_a.c": tdd.Test, "src/a_unittest.cc": tdd.Test, "src/a.cpp": tdd.Impl,
		"CMakeLists.txt": tdd.Config,
		// No code
		"README.md": tdd.Doc, "docs/a.txt": tdd.Doc, "LICENSE": tdd.Doc, "docs/conf.py": tdd.Doc, "examples/a.go": tdd.Doc, "src/docs/render.ts": tdd.Impl, "package.json": tdd.Config,
		"go.mod": tdd.Config, "requirements-dev.txt": tdd.Config, "Dockerfile": tdd.Config, ".github/workflows/ci.yml": tdd.Config, ".gitignore": tdd.Config, "deploy.tf": tdd.Config,
		"run.sh": tdd.Other, "db/x.sql": tdd.Other, "style.css": tdd.Other, "./src/pay.py": tdd.Impl, "": tdd.Other, ".": tdd.Other, "tests/data.bin": tdd.Test, "logo.png": tdd.Doc,
	} {
		if got := tdd.Classify(rel); got != want {
			t.Errorf("Classify(%q) = %s, want %s", rel, got, want)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rel            string
		found, changed bool
		want           string
	}{
		{"src/a.py", true, true, tdd.TestChanged}, {"src/a.py", true, false, tdd.TestExists}, {"src/a.py", false, true, tdd.TestNone},
		{"README.md", false, false, tdd.TestNonCode}, {"go.mod", false, false, tdd.TestNonCode}, {"db/migrations/1.sql", false, false, tdd.TestNone}, {"a.sql", false, false, tdd.TestNone},
		{"run.sh", false, false, tdd.TestNone}, {"a.css", false, false, tdd.TestNonCode}, {"a_test.go", false, false, tdd.TestChanged}, {"manage.py", false, false, tdd.TestNone},
	} {
		if got := tdd.State(tt.rel, tt.found, tt.changed); got != tt.want {
			t.Errorf("State(%q, %v, %v) = %s, want %s", tt.rel, tt.found, tt.changed, got, tt.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]string{
		"src/user.py": "tests/test_user.py", "src/main/kotlin/A.kt": "src/test/kotlin/ATest.kt", "h.go": "h_test.go", "internal/a/b.go": "internal/a/b_test.go",
		"lib/a/x.dart": "test/a/x_test.dart", "src/a/x.ts": "tests/a/x.test.ts", "packages/a/src/x.ts": "packages/a/tests/x.test.ts", "src/x.tsx": "tests/x.test.tsx",
		"src/main/java/a/U.java": "src/test/java/a/UTest.java", "src/commonMain/kotlin/A.kt": "src/commonTest/kotlin/ATest.kt", "src/auth/token.rs": "tests/token.rs",
		"Sources/Auth/Token.swift": "Tests/AuthTests/TokenTests.swift", "src/App/Token.cs": "tests/App.Tests/TokenTests.cs", "lib/auth/token.rb": "spec/auth/token_spec.rb",
		"app/models/user.rb": "spec/models/user_spec.rb", "src/Auth/Token.php": "tests/Auth/TokenTest.php", "src/a.c": "tests/a_test.c", "src/a.hpp": "tests/a_test.cpp",
		"mypkg/a.py": "tests/mypkg/test_a.py", "a.py": "tests/test_a.py", "src/mypkg/__init__.py": "tests/mypkg/test_mypkg.py", "src/main/scala/A.scala": "src/test/scala/ASpec.scala",
		"README.md": "", "../x.py": "", "/src/user.py": "tests/test_user.py",
	} {
		if got := tdd.Suggest(rel); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", rel, got, want)
		}
	}
}
