package source_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
)

func texts(f *source.File) []string {
	out := []string{}
	for i := range f.Tokens {
		out = append(out, f.Text(i))
	}
	return out
}

func TestLexTellsCodeFromTheRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want string // tokens joined by blanks
	}{
		{source.Go, "a // b \"c\n/* d\n */ `e//\n` 'f' \"\\\"g\" h", "a `e//\n` 'f' \"\\\"g\" h"},
		{source.Go, "x := 0x1F + 1.5e-3", "x := 0x1F + 1.5e-3"},
		{source.Python, "a # 'b\n'''c # d''' r'\\' e", "a '''c # d''' r'\\' e"},
		{source.Python, "f\"{x}\" + rb'y' + fx", "f\"{x}\" + rb'y' + fx"},
		{source.JS, "a = b / c / d; e = /f\"[/]g/i; return /h/", "a = b / c / d ; e = /f\"[/]g/i ; return /h/"},
		{source.JS, "`a${b + `c${'}'}`}d` + e", "`a${b + `c${'}'}`}d` + e"},
		{source.JS, "$x.y?.z ?? 'don\\'t'", "$x . y ?. z ?? 'don\\'t'"},
		{source.TS, "<p>don't</p>\nx", "< p > don't < / p > x"},
		{source.Java, "'\\'' \"a\\\"\" \"\"\"b\n\"c\" \"\"\" d", "'\\'' \"a\\\"\" \"\"\"b\n\"c\" \"\"\" d"},
		{source.Kotlin, "\"a${m[\"k\"]}\" \"\"\"b\"c\"\"\"\" /* x /* y */ z */ `fun x`", "\"a${m[\"k\"]}\" \"\"\"b\"c\"\"\"\" `fun x`"},
		{source.Rust, "'a: 'b' r#\"c\"d\"# b'\\n' x'", "' a : 'b' r#\"c\"d\"# b'\\n' x '"},
		{source.Rust, "assert!(x) /* /* */ */ y", "assert ! ( x ) y"},
		{source.Dart, "'a${m['k']}' r'\\' \"\"\"b\"\"\"", "'a${m['k']}' r'\\' \"\"\"b\"\"\""},
		{source.Swift, "\"a\\(x[\"k\"])\" #\"b\"c\"# /* /* */ */ d", "\"a\\(x[\"k\"])\" #\"b\"c\"# d"},
		{source.CSharp, "@\"a\"\"b\\\" $\"c{d}\" $@\"e\" \"\"\"f\"g\"\"\" h", "@\"a\"\"b\\\" $\"c{d}\" $@\"e\" \"\"\"f\"g\"\"\" h"},
		{source.Ruby, "a = <<~E + b\n  'x\nE\nc", "a = <<~E + b c"},
		{source.Ruby, "=begin\nx\n=end\na.empty? %w[b c] \"#{d[\"e\"]}\"; /f'/ =~ g / h", "a . empty? %w[b c] \"#{d[\"e\"]}\" ; /f'/ =~ g / h"},
		{source.PHP, "<html>it's</html><?php $a = 'b'; // c ?>x'<?php #[D]\n# e\n<<<E\n'f\nE; g", "$a = 'b' ; # [ D ] <<<E\n'f\nE ; g"},
		{source.Scala, "s\"a${b(\"c\")}\" 'd' 'sym \"\"\"e\"\"\"", "s\"a${b(\"c\")}\" 'd' ' sym \"\"\"e\"\"\""},
		{source.CPP, "R\"x(a)\")x\" L\"b\" 1'000 'c' /* d */ e::f", "R\"x(a)\")x\" L\"b\" 1'000 'c' e :: f"},
		{source.C, "#include <a.h>\n\"b", "# include < a . h > \"b"},
		{source.Go, "\"open\nnext", "\"open next"},
	} {
		got := strings.Join(texts(source.Lex(tt.lang, []byte(tt.src))), " ")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.lang, tt.src, diff)
		}
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	f := source.Lex(source.Python, []byte("a\n  b '''x\n'''; c\n\n\td"))
	type pos struct {
		Text      string
		Line, Col int32
		First     bool
	}
	got := []pos{}
	for i, tk := range f.Tokens {
		got = append(got, pos{f.Text(i), tk.Line, tk.Col, tk.First})
	}
	want := []pos{{"a", 1, 0, true}, {"b", 2, 2, true}, {"'''x\n'''", 2, 4, false}, {";", 3, 3, false}, {"c", 3, 5, false}, {"d", 5, 1, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]source.Lang{
		"a.go": source.Go, "b/A.TSX": source.TS, "c.mjs": source.JS, "d.kts": source.Kotlin, "e.hpp": source.CPP, "f.h": source.C, "g.md": "", "Makefile": "",
		"h.rb": source.Ruby, "i.cs": source.CSharp, "j.scala": source.Scala, "k.php": source.PHP, "l.swift": source.Swift, "m.rs": source.Rust, "n.pyi": source.Python,
	} {
		if got := source.Of(file); got != want {
			t.Errorf("Of(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestDecls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want string // name, or name/ for types, with the number of body tokens
	}{
		{source.Go, "func A() {}\nfunc (r *T[K]) B(x int) (y struct{}, err error) { a() }\ntype T struct{ x int }\ntype (\n\tU int\n\tV struct {\n\t\tx int\n\t}\n)\nfunc C() interface{} { b }", "A:0 B:3 T/:2 U/:0 V/:0 C:1"},
		{source.Python, "class A(B):\n  x = 1\n  async def b(self, c=(1)) -> int:\n    return 1\n\n  @property\n  def d(self): return 2\ndef e(\n  f,\n):\n  g()\nh", "A/:30 b:2 d:2 e:3"},
		{source.JS, "function a() { b() }\nclass C { d(x) { e } async *f() {} }\nconst g = (h) => h + 1\nconst i = async function () { j }\nk.l = m => { n }\nif (o) { p }\ndescribe('q', () => { r })", "a:3 C/:14 d:1 f:0 g:3 i:1 l:1"},
		{source.TS, "export const a = (b: number): string => { c }\nclass D { private e(f?: G): Promise<H> { i } }\ninterface J { k(): void }\ntype L = { m: number }\nfunction n<T>(o: T): T { return o }", "a:1 D/:15 e:1 J/:5 L/:3 n:2"},
		{source.Java, "public class A extends B { A(int x) { super(x); }\n@Test void c() throws D { new E() { void f() {} }; }\nint g(); if (h) { i(); } record J(int k) { } }", "A/:58 A:5 c:13 f:0 J/:0"},
		{source.Kotlin, "class A(val b: Int) { fun <T> List<T>.c(d: Int): Int = d + 1\n fun e() { f() } }\nobject G\ninterface H { fun i() }", "A/:30 c:3 e:3 G/:0 H/:4 i:0"},
		{source.Rust, "impl A { pub fn b(&self) -> C { d } }\nstruct E { f: u8 }\nenum G { H }\ntrait I { fn j(&self); }\nfn k<'a>(x: &'a str) {}", "b:1 E/:3 G/:1 I/:7 j:0 k:0"},
		{source.Dart, "class A { A(this.b); int c(int d) => d + 1; void e() { f(); } }\nvoid main() { if (g) { h(); } }", "A/:28 c:3 e:4 main:10"},
		{source.Swift, "struct A { func b(c: Int) -> Int { d } }\nextension E { }\nprotocol F { func g() }", "A/:12 b:1 E/:0 F/:4 g:0"},
		{source.CSharp, "class A { public int B(int c) => c + 1; public A(int x) : base(x) { } async Task<D> E<F>() where F : G { h(); } }", "A/:46 B:3 A:0 E:4"},
		{source.Ruby, "class A\n  def self.b(c)\n    d\n  end\n\n  def e?\n    f\n  end\nend\n", "A/:13 b:4 e?:1"},
		{source.PHP, "<?php class A { public function b(int $c): int { return $c; } }\nfunction &d() {}", "A/:14 b:3 d:0"},
		{source.Scala, "class A { def b(c: Int): Int = c + 1\n def d = { e } }\nobject F\ntrait G { def h: Int }", "A/:19 b:3 d:3 F/:0 G/:4 h:0"},
		{source.CPP, "int a(int b) { return b; }\nvoid A::c() const noexcept { d(); }\nstruct E { E() : f(1) {} int f; };\nTEST(G, h) { i(); }\nif (x) { y(); }", "a:3 c:4 E/:13 E:0 TEST:4"},
		{source.C, "static int a(void)\n{\n  b(1);\n}\nint c(int);\nstruct d { int e; };", "a:5 d/:3"},
	} {
		f := source.Lex(tt.lang, []byte(tt.src))
		var got []string
		for _, d := range f.Decls() {
			mark := ""
			if d.Type {
				mark = "/"
			}
			got = append(got, d.Name+mark+":"+itoa(d.To-d.From))
		}
		if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lang, diff)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// Lexing must stay linear, and declarations must not be looked for without end, whatever a file holds.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	langs := []source.Lang{source.Go, source.Python, source.JS, source.TS, source.Java, source.Kotlin, source.Rust, source.Dart, source.Swift, source.CSharp,
		source.Ruby, source.PHP, source.Scala, source.C, source.CPP, ""}
	for _, piece := range []string{"(", "{", "[", "\"", "'", "`", "/", "/*", "//", "\"${", "`${", "\"#{", "\"\\(", "/[", "<<~A\n", "<<<A\n", "def a;", "def a():\n", "fn a(", "a=x=>", "func ",
		"class A ", "R\"(", "@\"", "%w[", "#\"", "r#\"", "a(b){", "\\", "\\\n", "?>", "<?php ", "\x00", "\xff", "type (\n", "fun <", "a:(", "=begin\n", "'''", "\"\"\"", "@Test\n"} {
		src := []byte(strings.Repeat(piece, 60_000/len(piece)))
		for _, l := range langs {
			source.Lex(l, src).Decls()
		}
	}
}

func TestRelexIsLex(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang          source.Lang
		before, after string
	}{
		{source.Go, "a\nb\nc\nd\n", "a\nx\ny\nc\nd\n"},
		{source.Go, "a\n/* b\nc\n*/ d\ne\n", "a\nb\nc\n*/ d\ne\n"},
		{source.Go, "a\nb\nc\n", "a\n`b\nc\n"},
		{source.JS, "a =\n/b/\nc\n", "a\n/b/\nc\n"},
		{source.Python, "a\n  b\n  c\nd\n", "a\n  b\n    c\nd\n"},
		{source.Ruby, "a <<~E\n b\nE\nc\n", "a <<~F\n b\nE\nc\n"},
		{source.PHP, "<?php\na;\nb;\n", "<?php\na; ?>\nb;\n"},
		{source.Go, "", "a\n"}, {source.Go, "a\n", ""}, {source.Go, "a b", "a b c"}, {source.Go, "a\nb\n", "a\nb\n"},
	} {
		sameTokens(t, tt.lang, tt.before, tt.after)
	}
}

// sameTokens checks that reading after by way of before gives what reading it alone gives.
func sameTokens(t *testing.T, lang source.Lang, before, after string) {
	t.Helper()
	f := source.Lex(lang, []byte(before))
	got, from, to := f.Relex([]byte(after))
	want := source.Lex(lang, []byte(after))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Relex of %q by way of %q (-want +got):\n%s", after, before, diff)
	}
	if from < 0 || from > to || to > len(got.Tokens) || len(got.Tokens)-to > len(f.Tokens) {
		t.Fatalf("Relex of %q by way of %q: from %d to %d of %d", after, before, from, to, len(got.Tokens))
	}
	for i := range from {
		if got.Text(i) != f.Text(i) {
			t.Fatalf("token %d of %q and %q differ before %d", i, before, after, from)
		}
	}
	for i := to; i < len(got.Tokens); i++ {
		if got.Text(i) != f.Text(i-len(got.Tokens)+len(f.Tokens)) {
			t.Fatalf("token %d of %q and %q differ after %d", i, before, after, to)
		}
	}
}

func FuzzRelex(f *testing.F) {
	for _, l := range []source.Lang{source.Go, source.Python, source.JS, source.Ruby, source.PHP, source.CSharp, source.Swift, source.Rust, source.CPP, source.Kotlin} {
		f.Add(string(l), "class A {\n def b(c) => `d${\"e\"}`\n} // f\n# g\n<<~H\nH\n%w[i] /j/ 'k'\n r#\"l\"#\n @\"m\" \\(n\n", 7, 9, "x\n/y/\n")
	}
	f.Fuzz(func(t *testing.T, lang, src string, cut, end int, put string) {
		cut = min(max(cut, 0), len(src))
		end = min(max(end, cut), len(src))
		sameTokens(t, source.Lang(lang), src, src[:cut]+put+src[end:])
	})
}

func FuzzLex(f *testing.F) {
	for _, l := range []source.Lang{source.Go, source.Python, source.JS, source.Ruby, source.PHP, source.CSharp, source.Swift, source.Rust, source.CPP, source.Kotlin} {
		f.Add(string(l), "class A { def b(c) => `d${\"e\"}` } // f\n# g\n<<~H\nH\n%w[i] /j/ 'k' r#\"l\"# @\"m\" \\(n")
	}
	f.Fuzz(func(t *testing.T, lang, src string) {
		file := source.Lex(source.Lang(lang), []byte(src))
		end, line := int32(0), int32(1)
		for i, tk := range file.Tokens {
			if tk.Pos < end || tk.End <= tk.Pos || tk.Line < line || int(tk.End) > len(src) {
				t.Fatalf("token %d of %q is %+v after %d", i, src, tk, end)
			}
			end, line = tk.End, tk.Line
			if want := int32(strings.Count(src[:tk.Pos], "\n") + 1); want != tk.Line {
				t.Fatalf("token %d of %q is on line %d, not %d", i, src, want, tk.Line)
			}
		}
		for _, d := range file.Decls() {
			if d.From < d.At || d.To < d.From || d.To > len(file.Tokens) {
				t.Fatalf("declaration %+v of %q", d, src)
			}
		}
	})
}
