package layout

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Stem is the name under which tests know a file: its base without the ending, or its directory's name for files whose own name
// says nothing (__init__.py, mod.rs).
func Stem(rel string) string {
	base := path.Base(rel)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch base {
	case "__init__.py", "mod.rs":
		if d := path.Base(path.Dir(rel)); d != "." && d != "src" {
			return d
		}
	}
	return stem
}

// Subject is the stem of the file that a test is about, by the test's name. It is the inverse of the names that Suggest makes.
func Subject(lang source.Lang, base string) string {
	stem := strings.TrimSuffix(base, path.Ext(base))
	trim := func(prefixes, suffixes string) string {
		for s := range strings.FieldsSeq(suffixes) {
			if v, ok := strings.CutSuffix(stem, s); ok && v != "" {
				return v
			}
		}
		for p := range strings.FieldsSeq(prefixes) {
			if v, ok := strings.CutPrefix(stem, p); ok && v != "" {
				return v
			}
		}
		return stem
	}
	switch lang {
	case source.Go, source.Dart:
		return trim("", "_test")
	case source.Python:
		return trim("test_", "_test")
	case source.JS, source.TS:
		return trim("test- test_", ".test .spec .e2e-spec .e2e .cy -test _test -spec _spec")
	case source.Ruby:
		return trim("test_", "_spec _test")
	case source.Rust:
		return trim("test_", "_tests _test")
	case source.C, source.CPP:
		if s := trim("test_ test- unit- unit_test_", "_unittests _unittest _tests _test -test _spec"); s != stem {
			return s
		}
		return camelSubject(lang, stem)
	case source.Java, source.Kotlin, source.Scala, source.CSharp, source.PHP, source.Swift:
		return camelSubject(lang, stem)
	}
	return stem
}

// SameStem compares stems. C and C++ projects mix user_list.c with UserListTest.cpp.
func SameStem(lang source.Lang, a, b string) bool {
	if a == b {
		return true
	}
	if lang != source.C && lang != source.CPP {
		return false
	}
	fold := strings.NewReplacer("_", "", "-", "")
	return strings.EqualFold(fold.Replace(a), fold.Replace(b))
}

// Family reports whether a test in language t can test code in language l.
func Family(l, t source.Lang) bool {
	group := func(l source.Lang) source.Lang {
		switch l {
		case source.TS:
			return source.JS
		case source.Kotlin, source.Scala:
			return source.Java
		case source.CPP:
			return source.C
		}
		return l
	}
	return group(l) == group(t)
}

// IsSourceDir knows the names of directories that hold the source of a project or package.
func IsSourceDir(d string) bool {
	switch d {
	case "src", "lib", "app", "internal", "pkg", "source", "Sources", "Source":
		return true
	}
	return false
}

// TestRoots are the directories in which tests of a language live, the customary one first.
func TestRoots(l source.Lang) []string {
	switch l {
	case source.Python, source.PHP, source.Rust:
		return []string{"tests", "test"}
	case source.JS, source.TS:
		return []string{"tests", "test", "__tests__", "spec"}
	case source.Ruby:
		return []string{"spec", "test"}
	case source.Dart:
		return []string{"test", "integration_test"}
	case source.Swift:
		return []string{"Tests", "tests"}
	case source.C, source.CPP:
		return []string{"tests", "test", "unittests", "unittest"}
	case source.CSharp, source.Java, source.Kotlin, source.Scala:
		return []string{"tests", "test"}
	}
	return nil
}

// testName is the customary name of the test of a file.
func testName(l source.Lang, stem, ext string) string {
	switch l {
	case source.Go, source.Dart, source.C, source.CPP, source.Rust:
		return stem + "_test" + ext
	case source.Python:
		return "test_" + stem + ".py"
	case source.JS, source.TS:
		return stem + ".test" + ext
	case source.Ruby:
		return stem + "_spec.rb"
	case source.Swift, source.CSharp:
		return stem + "Tests" + ext
	case source.Scala:
		return stem + "Spec.scala"
	}
	return stem + "Test" + ext
}

// split parts the directories of rel into the project or package they belong to, its source directory and what is below.
func split(rel string) (base, below []string) {
	dir := path.Dir(rel)
	if dir == "." {
		return nil, nil
	}
	dirs := strings.Split(dir, "/")
	start := 0
	if Workspace(dirs[0]) && len(dirs) > 1 {
		start = 2
	}
	for i := start; i < len(dirs); i++ {
		if IsSourceDir(dirs[i]) {
			return dirs[:i], dirs[i+1:]
		}
	}
	return dirs[:start], dirs[start:]
}

// Suggest is the path, relative to the root and inside it, at which the test of a file belongs by the customs of its language. It
// looks at nothing but the path. "" if the language is not known.
func Suggest(rel string) string {
	rel = path.Clean(strings.TrimPrefix(rel, "/"))
	if strings.HasPrefix(rel, "../") {
		return ""
	}
	l := source.Of(rel)
	roots := TestRoots(l)
	ext := path.Ext(rel)
	if l == source.C || l == source.CPP {
		switch ext {
		case ".h":
			ext = ".c"
		case ".hpp", ".hh", ".hxx", ".ipp":
			ext = ".cpp"
		}
	}
	name := testName(l, Stem(rel), ext)
	dirs := strings.Split(path.Dir(rel), "/")
	switch {
	case l == source.Go:
		return path.Join(path.Dir(rel), name)
	case roots == nil:
		return ""
	case l == source.Rust && !slices.Contains(dirs, "src"):
		return path.Join(path.Dir(rel), name)
	}
	// src/main/kotlin → src/test/kotlin, src/commonMain → src/commonTest
	for i := range dirs {
		if i == 0 || dirs[i-1] != "src" {
			continue
		}
		if dirs[i] == "main" {
			dirs[i] = "test"
			return path.Join(path.Join(dirs...), name)
		}
		if set, ok := strings.CutSuffix(dirs[i], "Main"); ok && l == source.Kotlin {
			dirs[i] = set + "Test"
			return path.Join(path.Join(dirs...), name)
		}
	}
	base, below := split(rel)
	switch {
	case l == source.Rust:
		below = nil // every file directly in tests/ is a program of its own
		name = strings.TrimSuffix(name, "_test.rs") + ".rs"
	case l == source.Swift && len(below) > 0, l == source.CSharp && len(below) > 0:
		below = slices.Clone(below)
		below[0] += map[source.Lang]string{source.Swift: "Tests", source.CSharp: ".Tests"}[l]
	}
	return path.Join(path.Join(base...), roots[0], path.Join(below...), name)
}
