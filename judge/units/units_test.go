package units_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

func parse(lang source.Lang, src string) *units.File { return units.Parse("x", lang, []byte(src)) }

// function renders "Class.Name(params) result [attrs] first-line-end".
func function(fn *units.Func) string {
	var params []string
	for _, p := range fn.Params {
		s := strings.TrimSpace(p.Name + " " + p.Type)
		if p.Default != "" {
			s += "=" + p.Default
		}
		if p.Optional {
			s += "?"
		}
		params = append(params, s)
	}
	mark := ""
	if fn.Test {
		mark = " test"
	}
	return fmt.Sprintf("%s.%s(%s) %s [%s] %d-%d-%d%s", fn.Class, fn.Name, strings.Join(params, "; "), fn.Result, strings.ReplaceAll(fn.Attrs, "\n", "|"), fn.First, fn.Line, fn.End, mark)
}

func TestFuncs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []string
	}{
		{source.Go, `package a
func F(a, b int, c ...string) (int, error) {
	return 0, nil
}
func (s *Set[K]) Add(ctx context.Context, k K) {}
func G[T any](f func(int) error, m map[string]int) []T { return nil }
func TestA(t *testing.T) {}
func H(int, []string) {}
func I() {
}
`, []string{".F(a int; b int; c ...string?) (int, error) [] 2-2-4", "Set.Add(ctx context.Context; k K)  [] 5-5-5", ".G(f func(int) error; m map[string]int) []T [] 6-6-6",
			".TestA(t *testing.T)  [] 7-7-7 test", ".H(int; []string)  [] 8-8-8", ".I()  [] 9-9-10"}},
		{source.Python, `class A(B):
    @property
    @cache(
        size=1,
    )
    def f(self, a: int, *, b: Dict[str, int] = {}, c=None, **kw) -> Optional[int]:
        def inner(x): return x
        return 1

    @staticmethod
    async def g(cls=1): pass

def test_x(tmp_path: Path) -> None:
    assert 1
`, []string{"A.f(a int; b Dict[str, int]={}?; c=None?; kw **?) Optional[int] [@property|@cache( size=1, )] 2-6-8", ".inner(x)  [] 7-7-7", "A.g(cls=1?)  [@staticmethod] 10-11-11", ".test_x(tmp_path Path) None [] 13-13-14 test"}},
		{source.TS, `export async function f(a: string, b?: Map<string, number>, c = 1): Promise<void> {
  return
}
export class A<T> extends B {
  @Input() name: string
  private async m(@Inject(X) private readonly x: X, { a, b }: P = {}): Promise<number> { return 1 }
  get n(): number { return 1 }
}
const g = async (x: number): Promise<void> => { }
export const h: Handler = x => x + 1
Foo.prototype.bar = function (a) { return a }
it('adds', () => {})
`, []string{".f(a string; b Map<string, number>?; c=1?) Promise<void> [] 1-1-3", "A.m(x X; { a, b } P={}?) Promise<number> [] 6-6-6", "A.n() number [] 7-7-7",
			".g(x number) Promise<void> [] 9-9-9", ".h(x)  [] 10-10-10", "Foo.bar(a)  [] 11-11-11"}},
		{source.Java, `class A {
    private int x;
    @Override
    public static <T extends B> Map<String, List<T>> f(final Map<String, T> a, @Nullable int[] b, String... c) throws E {
        return null;
    }
    A(int x) { this.x = x; }
    @Test(expected = E.class) void t() {}
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void u(int x) { }
}`, []string{"A.f(a Map<String, T>; b int[]; c String...?) Map<String, List<T>> [@Override] 3-4-6", "A.A(x int)  [] 7-7-7", "A.t() void [@Test(expected = E.class)] 8-8-8 test",
			"A.u(x int) void [@ParameterizedTest|@ValueSource(ints = {1, 2})] 9-11-11 test"}},
		{source.Rust, `use a;
impl<T> Display for A<T> where T: X {
    #[inline]
    pub(crate) async fn f(&mut self, mut a: Vec<(u8, T)>, b: &str) -> Result<(), E> where T: Y {
        Ok(())
    }
}
mod tests {
    #[test]
    #[should_panic(expected = "x")]
    fn t() {}
}
pub fn g<F: Fn(u8) -> u8>(f: F) {}
`, []string{"A.f(a Vec<(u8, T)>; b &str) Result<(), E> [#[inline]] 3-4-6", ".t()  [#[test]|#[should_panic(expected = \"x\")]] 9-11-11 test", ".g(f F)  [] 13-13-13"}},
		{source.Dart, `class A extends B {
  @override
  Future<Map<String, int>> f(int a, {required String b, int? c = 1, super.key}) async {
    return {};
  }
  int g(void Function(int) cb, [int x = 0]) => x;
  A(this.x);
}
void main() { test('x', () {}); }
`, []string{"A.f(a int; b String; c int?=1?; key?) Future<Map<String, int>> [@override] 2-3-5", "A.g(cb void Function(int); x int=0?) int [] 6-6-6", ".main() void [] 9-9-9"}},
		{source.Kotlin, `class A {
    val x = 1
    @Throws(E::class)
    override suspend fun <T> List<T>.f(a: Int, b: Map<String, Int> = mapOf(), vararg c: T): Result<T> {
        return x
    }
    fun g() = 1
}`, []string{"A.f(a Int; b Map<String, Int>=mapOf()?; c vararg T?) Result<T> [@Throws(E::class)] 3-4-6", "A.g()  [] 7-7-7"}},
		{source.CSharp, `class A {
  [Fact]
  [Trait("a", "b")]
  public async Task<int> F(this Foo a, int b = 1, params string[] c) { return 1; }
}`, []string{"A.F(a Foo; b int=1?; c string[]?) Task<int> [[Fact]|[Trait(\"a\", \"b\")]] 2-4-4 test"}},
		{source.Ruby, `module M
  class A
    def self.f(a, b = 1, *c, d:, e: 2, &f)
      1
    end
  end
end
`, []string{"A.f(a; b=1?; c *?; d; e=2?; f &?)  [] 3-3-5"}},
		{source.PHP, `<?php
class A {
  #[Test]
  public static function f(?int $a, array &$b = [], string ...$c): ?string { return null; }
}`, []string{"A.f($a ?int; $b array &=[]?; $c string ...?) ?string [#[Test]] 3-4-4 test"}},
		{source.Swift, `struct A {
  @discardableResult
  public func f(_ a: Int, for b: [String: Int] = [:]) throws -> Int? { 1 }
}`, []string{"A.f(a Int; b [String: Int]=[:]?) Int? [@discardableResult] 2-3-3"}},
	} {
		var got []string
		for _, fn := range parse(tt.lang, tt.src).Funcs() {
			got = append(got, function(fn))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lang, diff)
		}
	}
}

func TestTests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []string
	}{
		{source.JS, `describe('a', () => {
  describe.skip("b", () => {
    it.only('c', { retry: 3 }, async () => {
      expect(1).toBe(x)
    })
    test.each([1, 2])('d %i', n => {}, 500)
  })
  xit('e', function () {})
})
`, []string{"a > b|c|it|.only { retry: 3 }|3-3-5", "a > b|d %i|test|.each([1, 2])|6-6-6", "a|e|xit||8-8-8"}},
		{source.Dart, `void main() {
  group('a', () {
    test(
      'b',
      () {},
      skip: 'why',
    );
    blocTest<A, B>('c', build: () => A(), solo: true);
  });
}
`, []string{"a|b|test|skip: 'why'|3-3-7", "a|c|blocTest|solo: true|8-8-8"}},
		{source.Python, `class TestA:
    @pytest.mark.skip(reason="x")
    def test_b(self):
        pass
`, []string{"TestA|test_b||@pytest.mark.skip(reason=\"x\")|2-3-4"}},
		{source.Go, "func TestA(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) {})\n}\nfunc (s *Suite) TestB() {\n}\n", []string{"|TestA|||1-1-3", "Suite|TestB|||4-4-5"}},
		{source.Rust, "#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore]\n    fn a() {\n    }\n}\n", []string{"tests|a||#[test] #[ignore]|3-5-6"}},
		{source.Java, "class T {\n  @Nested\n  class U {\n    @Test\n    @Disabled(\"x\") void a() {\n    }\n  }\n}\n", []string{"T > U|a||@Test @Disabled(\"x\")|4-5-6"}},
		{source.Ruby, "RSpec.describe A do\n  context 'b' do\n    it 'c', skip: true do\n      x\n    end\n  end\nend\n", []string{"A > b|c|it|skip: true|3-3-5"}},
		{source.Kotlin, "class T {\n  @Test @Ignore fun `a b`() {\n  }\n}\n", []string{"T|`a b`||@Test @Ignore|2-2-3"}},
	} {
		var got []string
		for _, u := range parse(tt.lang, tt.src).Tests() {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s|%d-%d-%d", u.Group, u.Name, u.Call, strings.ReplaceAll(u.Attrs, "\n", " "), u.First, u.Line, u.End))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lang, diff)
		}
	}
}
