package evidence_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// places are the files that the fuzzer changes: a test, a source and settings of every language with rules of its own.
var places = [...]string{
	"a/a_test.go", "a/a.go", "tests/test_a.py", "src/a.py", "src/a.test.ts", "src/a.tsx", "src/a.js", "src/test/java/ATest.java", "src/main/java/A.java", "tests/a.rs", "src/lib.rs",
	"test/a_test.dart", "lib/a.dart", "ATest.kt", "ATests.cs", "spec/a_spec.rb", "tests/ATest.php", "Tests/ATests.swift", "run.sh", ".github/workflows/ci.yml", "package.json", "pyproject.toml", "pom.xml",
	"Makefile", "Cargo.toml", "README.md", "tests/snapshots/a.snap",
}

// FuzzFind: whatever stands in the files of a change, no rule breaks, and every finding has its place.
func FuzzFind(f *testing.F) {
	const goTest = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif got := A(1); got != 2 {\n\t\tt.Fatal(got)\n\t}\n}\n"
	f.Add(uint8(0), uint8(1), goTest, strings.Replace(goTest, "t.Fatal(got)", "", 1), "package a\n\nfunc A(n int) int { return n + 1 }\n")
	f.Add(uint8(2), uint8(3), "def test_a():\n    assert a(1) == 2\n", "@pytest.mark.skip\ndef test_a():\n    pass\n", "def a(n):\n    return n + 1\n")
	f.Add(uint8(4), uint8(5), "it('a', () => { expect(a(1)).toBe(2) })\n", "it.only('a', () => { expect(`${a(`${1}`)}`) })\n", "export const a = (n) => <b>{n /* } */}</b>\n")
	f.Add(uint8(7), uint8(8), "class ATest { @Test void a() { assertEquals(2, A.a(1)); } }\n", "class ATest { @Test @Disabled void a() { try { \"\"\"", "class A { static int a(int n) { return n + 1; } }\n")
	f.Add(uint8(9), uint8(10), "#[test]\nfn a() { assert_eq!(a(1), 2); }\n", "#[test]\n#[ignore]\nfn a() { r#\"", "pub fn a(n: u8) -> u8 { n + 1 }\n")
	f.Add(uint8(11), uint8(19), "void main() { test('a', () { expect(a(1), 2); }); }\n", "void main() { test('a', () { '''", "on: push\njobs:\n  a:\n    steps:\n      - run: go test ./...\n")
	rules := evidence.Rules()
	f.Fuzz(func(t *testing.T, first, second uint8, before, after, other string) {
		const enough = 4000
		if len(before)+len(after)+len(other) > enough {
			return
		}
		p, q := places[int(first)%len(places)], places[int(second)%len(places)]
		was, is := map[string][]byte{p: []byte(before)}, map[string][]byte{p: []byte(after)}
		if q != p {
			was[q], is[q] = []byte(other), []byte(after)
		}
		c := rulecase.Of(was, is, nil)
		c.Partial = first >= 128
		reasons, err := evidence.Find(t.Context(), c, rules)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reasons {
			switch {
			case r.Class == verdict.Blind:
				t.Errorf("%s: %s", p, r.Text)
			case !stands(c, r):
				t.Errorf("%s at %s:%d: there is no such line in the change", r, r.File, r.Line)
			}
		}
	})
}

// shop is what the suites test.
var shop = [...]struct{ path, text string }{
	{"cart/cart.go", "package cart\n\nfunc Total(prices []int) int { return len(prices) }\n"}, {"app/cart.py", "def total(prices):\n    return sum(prices)\n"},
	{"src/cart.ts", "export const total = async (prices: number[]) => prices.length\n"}, {"src/main/java/Cart.java", "class Cart {\n    static int total(List<Integer> prices) {\n        return prices.size();\n    }\n}\n"},
	{"src/lib.rs", "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().sum()\n}\n"}, {"lib/cart.dart", "int total(List<int>? prices) => prices!.length;\n"},
}

// suites are tests as people write them, for changes that mean nothing.
var suites = [...]struct{ path, moved, text string }{
	{"cart/cart_test.go", "cart/total_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tprices := []int{3, 4}\n\tfor _, tc := range []struct {\n\t\tgiven []int\n\t\tneed  int\n\t}{\n\t\t{prices, 7},\n\t\t{nil, 0},\n\t} {\n\t\tif sum := Total(tc.given); sum != tc.need {\n\t\t\tt.Errorf(\"sum %d, need %d\", sum, tc.need)\n\t\t}\n\t}\n}\n"},
	{"tests/test_cart.py", "tests/test_total.py", "from app.cart import total\n\n\ndef test_total():\n    prices = [3, 4]\n    sum = total(prices)\n    assert sum == 7\n    assert total([]) == 0\n"},
	{"src/cart.test.ts", "src/total.test.ts", "import { total } from './cart'\n\ndescribe('cart', () => {\n  it('adds', async () => {\n    const prices = [3, 4]\n    const sum = await total(prices)\n    expect(sum).toBe(7)\n    await expect(total([])).resolves.toBe(0)\n  })\n})\n"},
	{"src/test/java/CartTest.java", "src/test/java/TotalTest.java", "import static org.junit.jupiter.api.Assertions.*;\n\nclass CartTest {\n    @Test\n    void adds() {\n        List<Integer> prices = List.of(3, 4);\n        int sum = Cart.total(prices);\n        assertEquals(7, sum);\n        assertThrows(IllegalArgumentException.class, () -> Cart.total(null));\n    }\n}\n"},
	{"tests/cart.rs", "tests/total.rs", "use cart::total;\n\n#[test]\nfn adds() {\n    let prices = [3, 4];\n    let sum = total(&prices);\n    assert_eq!(sum, 7);\n    assert!(total(&[]) == 0);\n}\n"},
	{"test/cart_test.dart", "test/total_test.dart", "import 'package:cart/cart.dart';\n\nvoid main() {\n  test('adds', () {\n    final prices = [3, 4];\n    final sum = total(prices);\n    expect(sum, 7);\n    expect(() => total(null), throwsArgumentError);\n  });\n}\n"},
}

// What changes nothing about a test gives no hard finding: new names, other white space, comments, another file.
func TestChangesThatMeanNothing(t *testing.T) {
	t.Parallel()
	rules, rest := evidence.Rules(), map[string][]byte{}
	for _, f := range shop {
		rest[f.path] = []byte(f.text)
	}
	for _, s := range suites {
		comment := "// "
		if strings.HasSuffix(s.path, ".py") {
			comment = "# "
		}
		text := func(edit func(line string) string) map[string][]byte {
			var b strings.Builder
			for line := range strings.Lines(s.text) {
				b.WriteString(edit(line))
			}
			return map[string][]byte{s.path: []byte(b.String())}
		}
		indent := func(unit string) func(string) string {
			return func(line string) string {
				body := strings.TrimLeft(line, " \t")
				return strings.Replace(line[:len(line)-len(body)], unit, unit+unit, -1) + body
			}
		}
		blank := func(line string) string { return strings.TrimRight(line, "\n") + "  \n\n" }
		for name, after := range map[string]map[string][]byte{
			"names":       text(func(l string) string { return strings.NewReplacer("prices", "amounts", "sum", "result").Replace(l) }),
			"indentation": text(indent("  ")),
			"tabs":        text(indent("\t")),
			"blank lines": text(blank),
			"comments": text(func(l string) string {
				return l + l[:len(l)-len(strings.TrimLeft(l, " \t"))] + comment + "as the shop adds\n"
			}),
			"line ends":     {s.path: []byte(strings.ReplaceAll(s.text, "\n", "\r\n"))},
			"another file":  {s.moved: []byte(s.text)},
			"a second test": {s.path: []byte(s.text), s.moved: []byte(s.text)},
		} {
			reasons, err := evidence.Find(t.Context(), rulecase.Of(map[string][]byte{s.path: []byte(s.text)}, after, rest), rules)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range reasons {
				if r.Class == verdict.Hard || r.Class == verdict.Blind {
					t.Errorf("%s, %s: %s at line %d", s.path, name, r, r.Line)
				}
			}
		}
	}
}
