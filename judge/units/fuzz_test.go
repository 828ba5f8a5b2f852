package units_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// sound fails where a place is outside of the file or of what it belongs to.
func sound(t *testing.T, f *units.File) {
	t.Helper()
	n, lines := len(f.Tokens), f.NumLines()+1
	inside := func(what string, from, to, line, end int) {
		if from < 0 || to < from || to > n || n > 0 && line < 1 || end < line || end > lines {
			t.Fatalf("%s: tokens %d to %d of %d, lines %d to %d of %d in %q", what, from, to, n, line, end, lines, f.Src)
		}
	}
	for _, fn := range f.Funcs() {
		inside("function "+fn.Name, fn.From, fn.To, fn.First, fn.End)
		if fn.Head > fn.At || fn.At > fn.From || fn.Line < fn.First {
			t.Fatalf("head %d, name %d, body %d in %q", fn.Head, fn.At, fn.From, f.Src)
		}
		_, _ = fn.Text(), fn.Body()
	}
	for _, u := range f.Tests() {
		inside("test "+u.Name, u.From, u.To, u.First, u.End)
		last := 0
		for _, a := range u.Asserts() {
			inside("assertion "+a.Callee, a.From, a.To, a.Line, a.End)
			if a.From >= a.To || a.At < a.From || a.At >= a.To || a.At < last {
				t.Fatalf("assertion %+v after %d in %q", a, last, f.Src)
			}
			last = a.At
			for _, s := range [...][2]int{a.Looked, a.Wanted} {
				if s[0] < 0 || s[1] < s[0] || s[1] > n {
					t.Fatalf("operand %v of %+v in %q", s, a, f.Src)
				}
			}
		}
		_, _ = u.Text(), u.Body()
	}
	for _, g := range f.Groups() {
		inside("group "+g.Name, g.From, g.To, g.Line, g.End)
	}
	f.AssertsIn(0, n)
	f.Comments()
	f.Masked()
}

var languages = [...]source.Lang{source.Go, source.Python, source.JS, source.TS, source.Java, source.Kotlin, source.Rust, source.Dart, source.Swift, source.CSharp, source.Ruby, source.PHP, source.Scala, source.C,
	source.CPP, ""}

func FuzzParse(f *testing.F) {
	for i := range languages {
		f.Add(i, "@Test #[test] [Fact] func TestA(t *testing.T) { if got := f(); got != want { t.Fatal(x) } it('a', () => { expect(x).not.toBe(y); assert.equal(1, 2) }) }\ndef test_b(self, a=1):\n  assert x == y or True, 'z'\n  with raises(E):\n    f()\n")
		f.Add(i, "void testX(int a, {String? b}) { assertThat(x, is(not(1))).isEqualTo(<p>it's</p>); assert_eq!(a, b); verify(m).go(); x shouldBe y; f'{a[\"b\"]}' }\n describe \"c\" do\n it { expect(f).to eq 1 }\n end\n")
	}
	f.Fuzz(func(t *testing.T, lang int, src string) {
		sound(t, units.Parse("x", languages[uint(lang)%uint(len(languages))], []byte(src)))
	})
}

// Whatever is repeated, the cost stays linear: it is read in passing.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"it('a', () => {", "expect(x).", "expect(", "assert(", "@A(", "#[a]", "if x { t.Error() } ", "if a != b {", "def test_a():\n assert (", "assert x or ", "x.y.", "a = b; ", "f(a, ",
		"func TestA(t *testing.T) { ", "<T", "describe('a', ", "{", ")", "} ", "assert_eq!(a, ", "x shouldBe ", "f'{", "<p>", "class A { void testB() { assertThat(", "a || ", "!", "verify(m).", "x := y\n", "assert x == x\n",
		"it 'a' do\n", "check(t, ", "  }\n", "{\n"} {
		for _, l := range languages {
			f := units.Parse("x", l, []byte(strings.Repeat(piece, 20_000/len(piece))))
			sound(t, f)
		}
	}
}
