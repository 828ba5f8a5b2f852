// Package layout knows how projects lay out their files: which are source, tests, documents and configuration, where the test of a
// file belongs, and what a test file is named after.
//
// It looks at nothing but paths relative to a project's root, with slashes; it reads no file, owns no table, and knows the customs
// of fifteen languages but no project. All functions are pure and safe for concurrent use.
package layout

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Kind is what a file is to its project.
type Kind string

// Kinds of files.
const (
	Impl      Kind = "impl"      // source code that wants a test
	Test      Kind = "test"      // tests, their helpers and data
	Doc       Kind = "doc"       // documents, examples, benchmarks
	Config    Kind = "config"    // configuration, manifests, lock files
	Generated Kind = "generated" // written by a program, built, vendored, migrations
	Other     Kind = "other"     // everything else: scripts, queries, styles, wiring such as manage.py
)

// Classify tells what a file is by its path relative to the project's root, with slashes. Only the relative path counts, so that a
// project in /home/u/contest_app is not taken for a test; names are compared by whole words, so that attest_token.py is not one
// either.
func Classify(rel string) Kind {
	rel = path.Clean(strings.TrimPrefix(rel, "./"))
	if rel == "." {
		return Other
	}
	base := path.Base(rel)
	dirs := strings.Split(path.Dir(rel), "/")
	lang := source.Of(base)
	switch {
	case Skipped(dirs):
		return Generated
	case generatedName(base):
		return Generated
	case lang != "" && (IsTestName(lang, base) || inTestDir(dirs)):
		return Test
	case lang == "" && inTestDir(dirs) && !isDoc(base):
		return Test // data of tests
	case isConfig(base, dirs):
		return Config
	case isDoc(base), lang != "" && exampleDir(dirs):
		return Doc
	case lang == "" || wiring(base):
		return Other
	case strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".d.mts") || strings.HasSuffix(base, ".d.cts") || strings.HasSuffix(base, ".pyi"):
		return Other // declarations of types
	}
	return Impl
}

// IsTest reports whether a file in a known language is a test, by its name or its directory. Unlike Classify it does not ask whether it
// is generated.
func IsTest(rel string) bool {
	base := path.Base(rel)
	lang := source.Of(base)
	return lang != "" && (IsTestName(lang, base) || inTestDir(strings.Split(path.Dir(rel), "/")))
}

// Skipped reports directories whose files nobody writes by hand, and migrations, which are run once instead of tested.
func Skipped(dirs []string) bool {
	for i, d := range dirs {
		switch d {
		case "node_modules", ".git", "__pycache__", ".dart_tool", "migrations", "vendor", ".venv", "venv", "site-packages", ".next", ".nuxt", ".gradle",
			"bower_components", "Pods", "DerivedData", ".tox", ".mypy_cache", ".pytest_cache":
			return true
		case "build", "dist", "out", "target", "coverage", "htmlcov", "bin", "obj":
			// Ordinary names for packages deeper down (internal/build): they mean output at the top of a project or a package only.
			if i == 0 && d != "bin" && d != "obj" || i == 2 && Workspace(dirs[0]) && d != "bin" {
				return true
			}
		}
	}
	return false
}

// Workspace names directories that hold the packages of a monorepo.
func Workspace(dir string) bool {
	switch dir {
	case "packages", "apps", "libs", "services", "crates", "modules", "projects", "pkgs":
		return true
	}
	return false
}

func inTestDir(dirs []string) bool {
	for i, d := range dirs {
		switch strings.ToLower(d) {
		case "test", "tests", "__tests__", "spec", "specs", "testdata", "__mocks__", "__snapshots__":
			return true
		}
		// src/androidTest, src/commonTest, src/testFixtures
		if i > 0 && dirs[i-1] == "src" && (hasWordSuffix(d, "Test") || d == "testFixtures") {
			return true
		}
		// C#: App.Tests, App.UnitTests
		if k := strings.LastIndexByte(d, '.'); k > 0 {
			switch d[k+1:] {
			case "Test", "Tests", "UnitTests", "UnitTest", "IntegrationTests", "Specs", "Spec":
				return true
			}
		}
	}
	return false
}

// hasWordSuffix reports whether s ends with the capitalised word and has something before it. A word all in capitals must stand out
// from what is before it: AUDIT does not end with IT.
func hasWordSuffix(s, word string) bool {
	rest, ok := strings.CutSuffix(s, word)
	if !ok || rest == "" {
		return false
	}
	c := rest[len(rest)-1]
	return word != strings.ToUpper(word) || c < 'A' || c > 'Z'
}

// IsTestName knows the names that test runners collect, and the customs of languages whose runners do not go by names.
func IsTestName(lang source.Lang, base string) bool {
	stem, _, _ := strings.Cut(base, ".")
	tail := strings.TrimPrefix(base, stem)
	switch lang {
	case source.Go:
		return strings.HasSuffix(base, "_test.go")
	case source.Python:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "tests" || stem == "test" || stem == "conftest"
	case source.JS, source.TS:
		switch {
		case strings.Contains(tail, ".test.") || strings.Contains(tail, ".spec.") || strings.Contains(tail, ".e2e.") || strings.Contains(tail, ".cy."),
			strings.HasSuffix(stem, "-test"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "-spec"), strings.HasSuffix(stem, "_spec"),
			strings.HasPrefix(stem, "test-"), strings.HasPrefix(stem, "test_"), stem == "test", stem == "tests":
			return !strings.HasPrefix(tail, ".config.")
		}
	case source.Ruby:
		return strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || stem == "spec_helper" || stem == "rails_helper" || stem == "test_helper"
	case source.Dart:
		return strings.HasSuffix(stem, "_test")
	case source.Rust:
		return stem == "tests" || stem == "test" || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") || strings.HasPrefix(stem, "test_")
	case source.C, source.CPP:
		for _, s := range [...]string{"_test", "_tests", "_unittest", "_unittests", "-test", "_spec"} {
			if strings.HasSuffix(stem, s) {
				return true
			}
		}
		return strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "unit-") || camelTest(lang, stem)
	case source.Java, source.Kotlin, source.Scala, source.CSharp, source.PHP, source.Swift:
		return camelTest(lang, stem)
	}
	return false
}

// camelTest reports names such as UserTest, AuthTests, TestUser, UserSpec, UserIT. Contest and Testimonial are none: the word begins
// and ends where the case changes.
func camelTest(lang source.Lang, stem string) bool {
	return camelSubject(lang, stem) != stem || stem == "Test" || stem == "Tests"
}

// camelSubject removes what makes a class name the name of a test.
func camelSubject(lang source.Lang, stem string) string {
	for _, w := range [...]string{"UnitTest", "UnitTests", "TestCase", "TestCases", "Tests", "Test"} {
		if hasWordSuffix(stem, w) {
			return strings.TrimRight(strings.TrimSuffix(stem, w), "_")
		}
	}
	var more string // endings that mean a test in some languages only: DeploymentSpec.java is a model
	switch lang {
	case source.Kotlin, source.Swift, source.PHP:
		more = "Spec"
	case source.Scala:
		more = "Spec Suite"
	case source.CSharp:
		more = "Specs"
	case source.Java:
		more = "IT"
	}
	for w := range strings.FieldsSeq(more) {
		if hasWordSuffix(stem, w) {
			return strings.TrimSuffix(stem, w)
		}
	}
	if rest, ok := strings.CutPrefix(stem, "Test"); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
		return rest
	}
	return stem
}

// generatedName knows the endings that code generators use.
func generatedName(base string) bool {
	lower := strings.ToLower(base)
	for _, s := range [...]string{
		".g.dart", ".freezed.dart", ".gr.dart", ".mocks.dart", ".config.dart", ".generated.ts", ".generated.js", ".gen.ts", ".gen.go", ".pb.go", ".pb.ts", ".pb.py",
		".pb.cc", ".pb.h", ".pb.dart", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb.js", "_pb.d.ts", "_pb.ts", ".moc.cpp", ".designer.cs", ".g.cs", ".g.i.cs",
		"_generated.go", "_gen.go", "_string.go", ".min.js", ".bundle.js", "_grpc.pb.go", ".pbxproj", ".snap",
	} {
		if strings.HasSuffix(lower, s) {
			return true
		}
	}
	return strings.HasPrefix(lower, "zz_generated")
}

// wiring names files that start or assemble a program and hold no rule of their own. The list is the published one.
func wiring(base string) bool {
	switch base {
	case "setup.py", "conftest.py", "manage.py", "wsgi.py", "asgi.py", "main.dart", "app.ts", "index.ts", "index.js":
		return true
	}
	return false
}

func exampleDir(dirs []string) bool {
	top := dirs[0]
	if len(dirs) > 2 && Workspace(dirs[0]) {
		top = dirs[2]
	}
	switch strings.ToLower(top) {
	case "example", "examples", "docs", "doc", "samples", "sample", "demo", "demos", "bench", "benches", "benchmark", "benchmarks", "fuzz":
		return true
	}
	return false
}

func isDoc(base string) bool {
	switch strings.ToLower(path.Ext(base)) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt", ".org", ".tex", ".rtf", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico",
		".po", ".pot", ".ipynb", ".csv", ".drawio", ".puml":
		return !strings.EqualFold(base, "CMakeLists.txt") && !strings.HasPrefix(strings.ToLower(base), "requirements")
	}
	name, _, _ := strings.Cut(strings.ToUpper(base), ".")
	switch name {
	case "README", "LICENSE", "LICENCE", "COPYING", "CHANGELOG", "CHANGES", "AUTHORS", "CONTRIBUTORS", "CONTRIBUTING", "NOTICE", "NEWS", "TODO", "SECURITY", "CODEOWNERS",
		"MAINTAINERS":
		return source.Of(base) == ""
	}
	return false
}

// isConfig knows configuration by ending, by name, and by the .config. infix of JavaScript tools.
func isConfig(base string, dirs []string) bool {
	lower := strings.ToLower(base)
	switch path.Ext(lower) {
	case ".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties", ".xml", ".lock", ".lockb", ".editorconfig", ".plist", ".gradle",
		".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".props", ".targets", ".cmake", ".mk", ".bazel", ".bzl", ".nix", ".tf", ".tfvars", ".hcl", ".gemspec", ".cabal", ".podspec",
		".xcconfig", ".storyboard", ".xib", ".entitlements", ".mod", ".sum", ".work", ".sbt":
		return true
	}
	for _, infix := range [...]string{".config.", ".conf.", ".setup.", "rc."} {
		if k := strings.Index(lower, infix); k > 0 && (infix != "rc." || base[0] == '.') {
			return true
		}
	}
	switch base {
	case "Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "makefile", "Justfile", "justfile", "Rakefile", "Gemfile", "Procfile", "Vagrantfile", "Jenkinsfile", "Brewfile",
		"Podfile", "Fastfile", "CMakeLists.txt", "Package.swift", "build.rs", "build.sc", "BUILD", "WORKSPACE", "Tiltfile", "Caddyfile", "gradlew", "mvnw", "noxfile.py",
		"gulpfile.js", "Gruntfile.js", "build.gradle.kts", "settings.gradle.kts", "meson.build":
		return true
	}
	switch {
	case strings.HasPrefix(lower, "dockerfile."), strings.HasPrefix(lower, "requirements") && strings.HasSuffix(lower, ".txt"), strings.HasPrefix(lower, ".env"):
		return true
	case base[0] == '.' && source.Of(base) == "": // .gitignore, .eslintrc
		return true
	}
	for _, d := range dirs {
		if d == ".github" || d == ".circleci" || d == ".vscode" || d == ".idea" || d == ".husky" || d == ".claude" {
			return true
		}
	}
	return false
}
