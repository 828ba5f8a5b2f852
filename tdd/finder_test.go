package tdd_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/tdd"
)

// tree writes files into a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func find(t *testing.T, dir, rel string) (tdd.Found, bool) {
	t.Helper()
	f := tdd.NewFinder(dir)
	defer f.Close()
	found, ok, err := f.Find(rel)
	if err != nil {
		t.Fatalf("Find(%q): %v", rel, err)
	}
	return found, ok
}

const (
	pyTest  = "def test_a():\n    assert f() == 1\n"
	jsTest  = "it('a', () => { expect(f()).toBe(1) })\n"
	goTest  = "package a\nfunc TestA(t *testing.T) { if f() != 1 { t.Fatal() } }\n"
	ktTest  = "class ATest { @Test fun a() { assertEquals(1, f()) } }\n"
	rbTest  = "it 'a' do\n  expect(f).to eq(1)\nend\n"
	csTest  = "class T { [Fact] public void A() { Assert.Equal(1, F()); } }\n"
	rsTest  = "#[test]\nfn a() { assert_eq!(f(), 1); }\n"
	swTest  = "class T: XCTestCase { func testA() { XCTAssertEqual(f(), 1) } }\n"
	dartT   = "void main() { test('a', () { expect(f(), 1); }); }\n"
	phpTest = "<?php class T { public function testA() { $this->assertSame(1, f()); } }\n"
	scTest  = "class S { \"a\" should \"b\" in { assert(f() == 1) } }\n"
	cTest   = "void test_a(void) { assert(f() == 1); }\n"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		rel   string
		want  tdd.Found // zero: nothing
	}{
		{"python mirror", map[string]string{"src/a.py": "", "tests/test_a.py": pyTest}, "src/a.py", tdd.Found{Path: "tests/test_a.py", Via: tdd.ViaMirror}},
		{"python stub", map[string]string{"src/a.py": "", "tests/test_a.py": ""}, "src/a.py", tdd.Found{Path: "tests/test_a.py", Via: tdd.ViaMirror, Stub: true}},
		{"python trivial", map[string]string{"src/a.py": "", "tests/test_a.py": "def test_a():\n    assert True\n"}, "src/a.py", tdd.Found{Path: "tests/test_a.py", Via: tdd.ViaMirror, Stub: true}},
		{"stub, then real", map[string]string{"src/a.py": "", "src/test_a.py": "", "tests/test_a.py": pyTest}, "src/a.py", tdd.Found{Path: "tests/test_a.py", Via: tdd.ViaMirror}},
		{"python sibling", map[string]string{"src/a.py": "", "src/test_a.py": pyTest}, "src/a.py", tdd.Found{Path: "src/test_a.py", Via: tdd.ViaSibling}},
		{"python unit directory", map[string]string{"src/p/a.py": "", "tests/unit/p/test_a.py": pyTest}, "src/p/a.py", tdd.Found{Path: "tests/unit/p/test_a.py", Via: tdd.ViaMirror}},
		{"python import", map[string]string{"src/auth/token.py": "def mint(): pass\n", "tests/test_login.py": "from auth.token import mint\n" + pyTest}, "src/auth/token.py", tdd.Found{Path: "tests/test_login.py", Via: tdd.ViaReference}},
		{"python import of the package", map[string]string{"src/auth/token.py": "def mint(): pass\n", "tests/test_login.py": "from auth import mint\n" + pyTest}, "src/auth/token.py", tdd.Found{Path: "tests/test_login.py", Via: tdd.ViaReference}},
		{"python import of another one", map[string]string{"src/auth/token.py": "", "tests/test_login.py": "from billing.token import mint\n" + pyTest}, "src/auth/token.py", tdd.Found{}},
		{"python name in a comment", map[string]string{"src/auth/token.py": "", "tests/test_login.py": "# from auth.token import mint\n" + pyTest}, "src/auth/token.py", tdd.Found{}},
		{"python namesake elsewhere", map[string]string{"src/auth/user.py": "", "checks/billing/test_user.py": "from billing.user import x\n" + pyTest}, "src/auth/user.py", tdd.Found{}},
		{"python index", map[string]string{"src/auth/user.py": "", "checks/auth/test_user.py": pyTest}, "src/auth/user.py", tdd.Found{Path: "checks/auth/test_user.py", Via: tdd.ViaIndex}},
		{"go next to it", map[string]string{"a/h.go": "package a", "a/h_test.go": goTest}, "a/h.go", tdd.Found{Path: "a/h_test.go", Via: tdd.ViaSibling}},
		{"go same package", map[string]string{"a/h.go": "package a\nfunc Parse() {}", "a/x_test.go": "package a\nfunc TestP(t *testing.T) { if Parse() { t.Error() } }"}, "a/h.go", tdd.Found{Path: "a/x_test.go", Via: tdd.ViaPackage}},
		{"go same package, other names", map[string]string{"a/h.go": "package a\nfunc Parse() {}", "a/x_test.go": goTest}, "a/h.go", tdd.Found{}},
		{"go other directory", map[string]string{"a/h.go": "package a\nfunc Parse() {}", "tests/h_test.go": goTest}, "a/h.go", tdd.Found{}},
		{"ts sibling", map[string]string{"src/x.ts": "", "src/x.test.tsx": jsTest}, "src/x.ts", tdd.Found{Path: "src/x.test.tsx", Via: tdd.ViaSibling}},
		{"ts __tests__", map[string]string{"src/x.ts": "", "src/__tests__/x.spec.ts": jsTest}, "src/x.ts", tdd.Found{Path: "src/__tests__/x.spec.ts", Via: tdd.ViaSibling}},
		{"ts monorepo", map[string]string{"packages/a/src/x.ts": "", "packages/a/test/x.test.ts": jsTest, "packages/b/test/x.test.ts": ""}, "packages/a/src/x.ts", tdd.Found{Path: "packages/a/test/x.test.ts", Via: tdd.ViaMirror}},
		{"ts other package", map[string]string{"packages/a/src/x.ts": "", "packages/b/test/x.test.ts": "import { y } from '../src/x'\n" + jsTest}, "packages/a/src/x.ts", tdd.Found{}},
		{"ts import", map[string]string{"src/a/x.ts": "", "test/all.test.ts": "import { y } from '../src/a/x'\n" + jsTest}, "src/a/x.ts", tdd.Found{Path: "test/all.test.ts", Via: tdd.ViaReference}},
		{"ts barrel", map[string]string{"src/a/x.ts": "export function mint() {}", "test/all.test.ts": "import { mint } from '../src'\nmint()\n" + jsTest}, "src/a/x.ts", tdd.Found{Path: "test/all.test.ts", Via: tdd.ViaReference}},
		{"js root", map[string]string{"lib/app.js": "app.route = function route() {}", "test/all.js": "var x = require('../')\nx.route()\n" + jsTest}, "lib/app.js", tdd.Found{Path: "test/all.js", Via: tdd.ViaReference}},
		{"js require alias", map[string]string{"src/auth/x.js": "", "test/all.test.js": "const x = require('@/auth/x')\n" + jsTest}, "src/auth/x.js", tdd.Found{Path: "test/all.test.js", Via: tdd.ViaReference}},
		{"kotlin", map[string]string{"src/main/kotlin/a/A.kt": "", "src/test/kotlin/a/ATest.kt": ktTest}, "src/main/kotlin/a/A.kt", tdd.Found{Path: "src/test/kotlin/a/ATest.kt", Via: tdd.ViaMirror}},
		{"java tested in kotlin", map[string]string{"src/main/java/a/A.java": "", "src/test/kotlin/a/ATest.kt": ktTest}, "src/main/java/a/A.java", tdd.Found{Path: "src/test/kotlin/a/ATest.kt", Via: tdd.ViaMirror}},
		{"java use", map[string]string{"src/main/java/a/Mint.java": "class Mint {}", "src/test/java/a/AllTest.java": "class AllTest { @Test void a() { assertEquals(1, new Mint().go()); } }"}, "src/main/java/a/Mint.java", tdd.Found{Path: "src/test/java/a/AllTest.java", Via: tdd.ViaReference}},
		{"rust in the module", map[string]string{"src/a.rs": "fn f() {}\n#[cfg(test)]\nmod tests {\n" + rsTest + "}"}, "src/a.rs", tdd.Found{Path: "src/a.rs", Via: tdd.ViaModule}},
		{"rust none", map[string]string{"src/a.rs": "fn f() {}"}, "src/a.rs", tdd.Found{}},
		{"rust tests file", map[string]string{"src/a.rs": "mod tests;", "src/a/tests.rs": rsTest}, "src/a.rs", tdd.Found{Path: "src/a/tests.rs", Via: tdd.ViaSibling}},
		{"rust integration", map[string]string{"src/a.rs": "", "tests/a.rs": rsTest}, "src/a.rs", tdd.Found{Path: "tests/a.rs", Via: tdd.ViaMirror}},
		{"rust use", map[string]string{"crates/x/src/a.rs": "", "crates/x/tests/all.rs": "use x::a::f;\n" + rsTest}, "crates/x/src/a.rs", tdd.Found{Path: "crates/x/tests/all.rs", Via: tdd.ViaReference}},
		{"dart", map[string]string{"lib/a/x.dart": "", "test/a/x_test.dart": dartT}, "lib/a/x.dart", tdd.Found{Path: "test/a/x_test.dart", Via: tdd.ViaMirror}},
		{"dart import", map[string]string{"lib/a/x.dart": "", "test/all_test.dart": "import 'package:p/a/x.dart';\n" + dartT}, "lib/a/x.dart", tdd.Found{Path: "test/all_test.dart", Via: tdd.ViaReference}},
		{"swift", map[string]string{"Sources/M/X.swift": "", "Tests/MTests/XTests.swift": swTest}, "Sources/M/X.swift", tdd.Found{Path: "Tests/MTests/XTests.swift", Via: tdd.ViaMirror}},
		{"csharp", map[string]string{"src/App/Sub/X.cs": "", "tests/App.Tests/Sub/XTests.cs": csTest}, "src/App/Sub/X.cs", tdd.Found{Path: "tests/App.Tests/Sub/XTests.cs", Via: tdd.ViaMirror}},
		{"csharp beside", map[string]string{"App/X.cs": "", "App.Tests/XTest.cs": csTest}, "App/X.cs", tdd.Found{Path: "App.Tests/XTest.cs", Via: tdd.ViaMirror}},
		{"ruby", map[string]string{"app/models/user.rb": "", "spec/models/user_spec.rb": rbTest}, "app/models/user.rb", tdd.Found{Path: "spec/models/user_spec.rb", Via: tdd.ViaMirror}},
		{"ruby constant", map[string]string{"lib/user_list.rb": "", "spec/all_spec.rb": "describe UserList do\n" + rbTest + "end\n"}, "lib/user_list.rb", tdd.Found{Path: "spec/all_spec.rb", Via: tdd.ViaReference}},
		{"php", map[string]string{"src/A/X.php": "", "tests/Unit/A/XTest.php": phpTest}, "src/A/X.php", tdd.Found{Path: "tests/Unit/A/XTest.php", Via: tdd.ViaMirror}},
		{"scala", map[string]string{"src/main/scala/A.scala": "", "src/test/scala/ASpec.scala": scTest}, "src/main/scala/A.scala", tdd.Found{Path: "src/test/scala/ASpec.scala", Via: tdd.ViaMirror}},
		{"c", map[string]string{"src/a.c": "", "test/test_a.c": cTest}, "src/a.c", tdd.Found{Path: "test/test_a.c", Via: tdd.ViaMirror}},
		{"c++ camel case", map[string]string{"src/user_list.cc": "", "tests/UserListTest.cpp": "TEST(A, b) { EXPECT_EQ(f(), 1); }"}, "src/user_list.cc", tdd.Found{Path: "tests/UserListTest.cpp", Via: tdd.ViaMirror}},
		{"c include", map[string]string{"src/a.c": "", "test/all_test.c": "#include \"../src/a.h\"\n" + cTest}, "src/a.c", tdd.Found{Path: "test/all_test.c", Via: tdd.ViaReference}},
		{"no code", map[string]string{"a.md": ""}, "a.md", tdd.Found{}},
		{"file does not exist yet", map[string]string{"tests/test_new.py": pyTest}, "src/new.py", tdd.Found{Path: "tests/test_new.py", Via: tdd.ViaMirror}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := find(t, tree(t, tt.files), tt.rel)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != (tt.want.Path != "") {
				t.Errorf("Find(%q) of %v: ok %v (-want +got):\n%s", tt.rel, slices.Collect(maps.Keys(tt.files)), ok, diff)
			}
		})
	}
}

// A test of a project beside this one, or behind a symbolic link, is not ours.
func TestFindStaysInside(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"p/src/user.py": "", "tests/test_user.py": pyTest, "q/tests/test_user.py": pyTest})
	p := filepath.Join(dir, "p")
	if err := os.Symlink(filepath.Join(dir, "tests"), filepath.Join(p, "tests")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "tests", "test_user.py"), filepath.Join(p, "src", "test_user.py")); err != nil {
		t.Fatal(err)
	}
	if got, ok := find(t, p, "src/user.py"); ok {
		t.Errorf("found %+v outside the project", got)
	}
	f := tdd.NewFinder(p)
	defer f.Close()
	for _, rel := range []string{"../q/src/user.py", "/etc/passwd", "a/../../x.py"} {
		if _, _, err := f.Find(rel); !errors.Is(err, tdd.ErrOutside) {
			t.Errorf("Find(%q): %v, want ErrOutside", rel, err)
		}
	}
	if _, _, err := tdd.NewFinder(filepath.Join(dir, "missing")).Find("a.py"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Find in a missing project: %v", err)
	}
}

// What Suggest says, Find accepts.
func TestSuggestedPlaceIsFound(t *testing.T) {
	t.Parallel()
	for rel, text := range map[string]string{
		"src/user.py": pyTest, "mypkg/sub/a.py": pyTest, "a.py": pyTest, "src/p/__init__.py": pyTest, "h.go": goTest, "internal/a/b.go": goTest, "lib/a/x.dart": dartT, "src/a/x.ts": jsTest,
		"packages/a/src/x.tsx": jsTest, "apps/web/lib/x.js": jsTest, "src/main/java/a/U.java": "class UTest { @Test void a() { assertEquals(1, f()); } }", "src/main/kotlin/A.kt": ktTest,
		"src/commonMain/kotlin/A.kt": ktTest, "core/src/main/scala/A.scala": scTest, "src/auth/token.rs": rsTest, "Sources/Auth/Token.swift": swTest, "src/App/Sub/Token.cs": csTest,
		"App/Token.cs": csTest, "lib/auth/token.rb": rbTest, "app/models/user.rb": rbTest, "src/Auth/Token.php": phpTest, "src/a.c": cTest, "lib/x/a.hpp": "TEST(A, b) { EXPECT_EQ(f(), 1); }",
		"src/deep/er/x.mjs": jsTest, "crates/x/src/a.rs": rsTest, "A.java": "class ATest { @Test void a() { assertEquals(1, f()); } }",
	} {
		sug := tdd.Suggest(rel)
		if got, ok := find(t, tree(t, map[string]string{rel: "", sug: text}), rel); !ok || got.Path != sug || got.Stub {
			t.Errorf("Suggest(%q) = %q, but Find gives %+v, %v", rel, sug, got, ok)
		}
		if tdd.Classify(sug) != tdd.Test {
			t.Errorf("Classify(%q) = %s", sug, tdd.Classify(sug))
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"src/a.py": "", "tests/test_a.py": pyTest, "x/y/b.test.ts": jsTest, "node_modules/m/c.test.js": jsTest, ".git/d_test.go": goTest, "tests/data.json": "{}"})
	f := tdd.NewFinder(dir)
	defer f.Close()
	root, err := f.Root()
	if err != nil {
		t.Fatal(err)
	}
	ix, err := tdd.BuildIndex(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tests/test_a.py", "x/y/b.test.ts"}, ix.Tests); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
	back, err := tdd.DecodeIndex(ix.Encode())
	if err != nil || back.Encode() != ix.Encode() || !back.Fresh(root) {
		t.Errorf("decoded index: %v, fresh %v", err, back.Fresh(root))
	}
	if err := os.WriteFile(filepath.Join(dir, "x", "y", "c.test.ts"), []byte(jsTest), 0o644); err != nil {
		t.Fatal(err)
	}
	if back.Fresh(root) {
		t.Error("index is still fresh after a test was added")
	}
	// A finder with an old index looks no further than it.
	f.UseIndex(tdd.Index{})
	if got, ok, err := f.Find("src/zzz.py"); ok || err != nil {
		t.Errorf("Find with an empty index = %+v, %v, %v", got, ok, err)
	}
}

func FuzzDecodeIndex(f *testing.F) {
	f.Add("tdd-index 1 1 1 false\n1 \".\"\n\"a_test.go\"\n")
	f.Add("tdd-index 1 0 0 true\n")
	f.Add("tdd-index 1 99999999 1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		ix, err := tdd.DecodeIndex(text)
		if err != nil {
			return
		}
		again, err := tdd.DecodeIndex(ix.Encode())
		if err != nil || again.Encode() != ix.Encode() {
			t.Fatalf("%q does not survive: %v", text, err)
		}
	})
}
