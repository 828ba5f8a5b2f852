package layout_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/source/layout"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]layout.Kind{
		// Substrings of a path are not tests; names that runners collect are.
		"latest_build/src/pay.py": layout.Impl, "hammock/src/pay.py": layout.Impl, "contest_app/pay.py": layout.Impl, "fixtures-api/pay.py": layout.Impl, "src/attest_token.py": layout.Impl,
		"src/pay.py": layout.Impl, "UserTest.kt": layout.Test, "AuthTests.swift": layout.Test, "src/contest.py": layout.Impl, "src/Contest.java": layout.Impl, "src/Testimonial.java": layout.Impl,
		"src/latest.ts": layout.Impl, "src/protest.go": layout.Impl, "src/Latest.kt": layout.Impl, "attestation/test_pay.py": layout.Test,
		// Go
		"handlers.go": layout.Impl, "a/b_test.go": layout.Test, "internal/build/x.go": layout.Impl, "cmd/bin/x.go": layout.Impl, "testdata/x.go": layout.Test, "api.pb.go": layout.Generated, "vendor/x/y.go": layout.Generated,
		// Python
		"tests/test_a.py": layout.Test, "src/a_test.py": layout.Test, "tests/conftest.py": layout.Test, "conftest.py": layout.Test, "app/tests.py": layout.Test, "setup.py": layout.Other, "manage.py": layout.Other,
		"app/migrations/0001_x.py": layout.Generated, "x_pb2.py": layout.Generated, "src/__init__.py": layout.Impl, "tests/helpers.py": layout.Test, "stubs/x.pyi": layout.Other, "app/tasks.py": layout.Impl,
		// JavaScript
		"src/x.js": layout.Impl, "packages/a/src/x.ts": layout.Impl, "src/x.test.tsx": layout.Test, "src/x.spec.ts": layout.Test, "src/__tests__/x.js": layout.Test, "cypress/x.cy.ts": layout.Test,
		"vite.config.ts": layout.Config, "jest.setup.js": layout.Config, ".eslintrc.js": layout.Config, "src/index.ts": layout.Other, "src/index.tsx": layout.Impl, "types/x.d.ts": layout.Other, "dist/x.js": layout.Generated,
		"packages/a/dist/x.js": layout.Generated, "node_modules/x/y.js": layout.Generated, "x.min.js": layout.Generated, "test.js": layout.Test, "src/testing.js": layout.Impl, "src/a.mts": layout.Impl, "src/a.cjs": layout.Impl,
		// JVM
		"src/main/java/a/User.java": layout.Impl, "src/test/java/a/UserTest.java": layout.Test, "src/androidTest/a/X.kt": layout.Test, "src/commonTest/kotlin/X.kt": layout.Test, "UserIT.java": layout.Test,
		"src/main/java/a/DeploymentSpec.java": layout.Impl, "UserSpec.kt": layout.Test, "UserSpec.scala": layout.Test, "UserSuite.scala": layout.Test, "build.gradle.kts": layout.Config, "build.sbt": layout.Config,
		"src/main/java/com/example/App.java": layout.Impl, "TestUser.java": layout.Test,
		// Others
		"src/lib.rs": layout.Impl, "tests/api.rs": layout.Test, "src/user/tests.rs": layout.Test, "build.rs": layout.Config, "lib/a.dart": layout.Impl, "test/a_test.dart": layout.Test, "lib/main.dart": layout.Other,
		"lib/a.g.dart": layout.Generated, "lib/a.freezed.dart": layout.Generated, "Sources/A/x.swift": layout.Impl, "Tests/ATests/x.swift": layout.Test, "Package.swift": layout.Config,
		"App/X.cs": layout.Impl, "App.Tests/Y.cs": layout.Test, "X.Designer.cs": layout.Generated, "App/UserTests.cs": layout.Test, "lib/a.rb": layout.Impl, "spec/a_spec.rb": layout.Test, "app/spec/models/x.rb": layout.Test,
		"Rakefile": layout.Config, "src/A.php": layout.Impl, "tests/ATest.php": layout.Test, "src/a.c": layout.Impl, "src/a.h": layout.Impl, "test/test_a.c": layout.Test, "src/a_unittest.cc": layout.Test, "src/a.cpp": layout.Impl,
		"CMakeLists.txt": layout.Config,
		// No code
		"README.md": layout.Doc, "docs/a.txt": layout.Doc, "LICENSE": layout.Doc, "docs/conf.py": layout.Doc, "examples/a.go": layout.Doc, "Examples/A/a.swift": layout.Doc, "benches/a.rs": layout.Doc, "packages/bench/x.ts": layout.Impl, "src/docs/render.ts": layout.Impl, "package.json": layout.Config,
		"go.mod": layout.Config, "requirements-dev.txt": layout.Config, "Dockerfile": layout.Config, ".github/workflows/ci.yml": layout.Config, ".gitignore": layout.Config, "deploy.tf": layout.Config,
		"run.sh": layout.Other, "db/x.sql": layout.Other, "style.css": layout.Other, "./src/pay.py": layout.Impl, "": layout.Other, ".": layout.Other, "tests/data.bin": layout.Test, "logo.png": layout.Doc,
	} {
		if got := layout.Classify(rel); got != want {
			t.Errorf("Classify(%q) = %s, want %s", rel, got, want)
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
		if got := layout.Suggest(rel); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", rel, got, want)
		}
	}
}
