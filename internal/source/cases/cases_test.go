package cases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
)

// show renders tests as "name@line asserts/trivial".
func show(lang source.Lang, src string) []string {
	out := []string{}
	for _, t := range cases.Find(source.Lex(lang, []byte(src))) {
		out = append(out, fmt.Sprintf("%s@%d %d/%d", t.Name, t.Line, t.Asserts, t.Trivial))
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []string
	}{
		{source.Go, `package a
func TestA(t *testing.T) { if x != 1 { t.Errorf("x") } }
func TestB(tt *testing.T) { require.NoError(tt, err); assert.Equal(tt, 1, 1) }
func TestC(t *testing.T) { t.Run("x", func(t *testing.T) { checkX(t, 1); setup(t); t.Log("assert") }) }
func TestD(t *testing.T) { _ = f() // t.Error("no")
}
func TestE(t *testing.T) { local(t); idle(t) }
func local(t *testing.T) { t.Helper(); t.Fatal("x") }
func idle(t testing.TB) { t.Helper() }
func TestMain(m *testing.M) { os.Exit(m.Run()) }
func Testify(t *testing.T) { t.Fail() }
func FuzzF(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) { if g(b) { t.Fatal(b) } }) }
func ExampleG() {
	h()
	// Output: 1
}
func ExampleI() { h() }
func (s *Suite) TestJ() { s.Equal(1, x) }
func BenchmarkK(b *testing.B) { b.Fatal() }
func TestL(t *testing.T) { if diff := cmp.Diff(a, b); diff != "" { t.Error(diff) } }
`, []string{"TestA@2 1/0", "TestB@3 1/1", "TestC@4 1/0", "TestD@5 0/0", "TestE@7 1/0", "FuzzF@12 1/0", "ExampleG@13 1/0", "ExampleI@17 0/0", "TestJ@18 1/0", "TestL@20 1/0"}},
		{source.Python, `
import pytest
def test_a():
    assert f(1) == 2
    with pytest.raises(ValueError):
        f(0)

def test_b(): assert True
def test_c():
    assert 1 == 1
    assert x == x, "m"
    assert (a, "always true")
    assert f() or True
def test_d():
    # assert f()
    """assert f()"""
    print("assert f()")
class TestE(unittest.TestCase):
    def setUp(self):
        self.assertTrue(1)
    def test_f(self):
        self.assertEqual(
            f(),
            1,
        )
        self.assertEqual(1, 1)
        m.assert_called_once()
    async def test_g(self):
        check_all(1)
def helper(): assert z
def test_h():
    helper()
def contest(): assert z
def test_i():
    pass
`, []string{"test_a@3 2/0", "test_b@8 0/1", "test_c@9 0/4", "test_d@14 0/0", "test_f@21 2/1", "test_g@28 1/0", "test_h@31 1/0", "test_i@34 0/0"}},
		{source.JS, `
describe('g', () => {
  it('a', () => { expect(f(1)).toBe(2) })
  it("b", async function () { await expect(p).rejects.toThrow(); assert.equal(x, 1) })
  test.each([[1, 2]])('c %i', (a, b) => { expect(true).toBe(true); expect(a).toEqual(a) })
  it.only('d', () => { expect(x) })
  it.todo('e')
  test('f', t => { t.is(a, b); t.deepEqual(c, d) })
  it('g', () => request(app).get('/').expect(200))
  it('h', () => { a.should.equal(1); strictEqual(b, 2); expectX(3) })
  it('i', () => { /* expect(x).toBe(1) */ 'expect(x).toBe(1)' })
  test.describe('j', () => {})
  /re/.test(x)
})
test('k', () => { assert(true); assert.ok(1); expect(1).toBeDefined() })
Deno.test('l', () => assertEquals(a, 1))
`, []string{"a@3 1/0", "b@4 2/0", "c %i@5 0/2", "d@6 0/0", "f@8 2/0", "g@9 1/0", "h@10 3/0", "i@11 0/0", "k@15 0/3", "l@16 1/0"}},
		{source.Java, `class UserTest {
  @Test void a() { assertEquals(1, f()); }
  @ParameterizedTest @ValueSource(ints = {1, 2}) void b(int x) { assertThat(x).isEqualTo(f(x)); }
  @Test(expected = E.class) public void c() { f(); }
  @Test void d() { assertTrue(true); assertEquals(x, x); }
  @Test void e() { verify(m).go(); assertThrows(E.class, () -> f()); }
  @Test void f() { mvc.perform(get("/")).andExpect(status().isOk()); }
  @Test void g() { System.out.println("assertEquals(1, 2)"); }
  public void testH() { assert x > 0; }
  @BeforeEach void i() { assertTrue(x); }
  @Test void j() { check(1); }
  private void check(int x) { assertEquals(1, x); }
}`, []string{"a@2 1/0", "b@3 1/0", "c@4 1/0", "d@5 0/2", "e@6 2/0", "f@7 1/0", "g@8 0/0", "testH@9 1/0", "j@11 1/0"}},
		{source.Kotlin, "class T : StringSpec({ \"s\" { f() shouldBe 1 } })\nclass U : FunSpec({\n  test(\"a\") { x.shouldContain(1) }\n  context(\"c\") { should(\"d\") { shouldThrow<E> { f() } } }\n})\nclass V { @Test fun `e f`() = assertEquals(1, f())\n @Test fun g() { assertTrue(true) }\n @Test fun h() { f() } \n @Test fun i() { coVerify { m() }; verify { n() } } }",
			[]string{"s@1 1/0", "a@3 1/0", "d@4 1/0", "`e f`@6 1/0", "g@7 0/1", "h@8 0/0", "i@9 1/0"}},
		{source.Rust, `
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a() { assert_eq!(f(1), 2); }
    #[test]
    #[should_panic(expected = "x")]
    fn b() { f(0); }
    #[tokio::test]
    async fn c() -> Result<(), E> { f().await?; Ok(()) }
    #[test]
    fn d() { assert!(true); assert_eq!(1, 1); assert!(x == x); }
    #[test]
    fn e() { let x = f().expect("x"); } // assert!(x)
    fn not_a_test() { assert!(y()); }
    #[rstest]
    #[case(1)]
    fn g(#[case] x: u8) { insta::assert_snapshot!(x); debug_assert!(h()); }
    #[test]
    fn i() { not_a_test(); }
}`, []string{"a@6 1/0", "b@9 1/0", "c@11 1/0", "d@13 0/3", "e@15 0/0", "g@19 2/0", "i@21 1/0"}},
		{source.Dart, `void main() {
  group('g', () {
    test('a', () { expect(f(), 1); });
    testWidgets("b", (tester) async { await tester.tap(x); verify(m.go()).called(1); });
    blocTest<B, S>('c', build: () => B(), expect: () => [1]);
    test('d', () { expect(true, true); expect(1, 1); });
    test('e', () { f(); });
  });
}`, []string{"a@3 1/0", "b@4 1/0", "c@5 1/0", "d@6 0/2", "e@7 0/0"}},
		{source.Swift, `final class AuthTests: XCTestCase {
  func testA() throws { XCTAssertEqual(f(), 1) }
  func testB() { XCTAssertTrue(true) }
  func testC() { f() }
  func setUp() { XCTAssert(x) }
  func testD() { XCTFail("x"); try XCTUnwrap(y) }
}
@Test func e() { #expect(f() == 1) }
@Test("named") func g() async throws { try #require(h()) }
describe("q") { it("r") { expect(x).to(equal(1)) } }`,
			[]string{"testA@2 1/0", "testB@3 0/1", "testC@4 0/0", "testD@6 2/0", "e@8 1/0", "g@9 1/0", "r@10 1/0"}},
		{source.CSharp, `public class T {
  [Fact] public void A() { Assert.Equal(1, F()); }
  [Theory, InlineData(1)] public async Task B(int x) { x.Should().Be(1); await Assert.ThrowsAsync<E>(() => F()); }
  [Test] public void C() { Assert.That(true, Is.True); Assert.AreEqual(1, 1); }
  [TestMethod] [ExpectedException(typeof(E))] public void D() => F();
  [Fact] public void E() { F(); }
  [Fact] public void G() { mock.Verify(m => m.F()); x.ShouldBe(1); }
  public void H() { Assert.True(x); }
}`, []string{"A@2 1/0", "B@3 2/0", "C@4 1/1", "D@5 1/0", "E@6 0/0", "G@7 2/0"}},
		{source.Ruby, `
describe User do
  it "a" do
    expect(f).to eq(1)
  end
  it { is_expected.to be_valid }
  it 'b' do
    expect(1).to eq(1)
    # expect(f).to eq 1
  end
  specify("c") { f.must_equal 1 }
  it "d" do
    f
  end
  test "e" do
    assert_equal 1, f
    assert true
  end
  should "f" do
    assert f
  end
end
class T < Minitest::Test
  def test_g
    assert_raises(E) { f }
  end
  def test_h; end
end
`, []string{"a@3 1/0", "@6 1/0", "b@7 0/1", "c@11 1/0", "d@12 0/0", "e@15 1/1", "f@19 1/0", "test_g@24 1/0", "test_h@27 0/0"}},
		{source.PHP, `<?php
class UserTest extends TestCase {
  public function testA(): void { $this->assertSame(1, f()); }
  /** @test */
  public function b() { self::assertTrue(true); $this->expectException(E::class); }
  #[Test]
  public function c() { f(); }
  public function test_d() { $m->shouldReceive('x'); $r->assertStatus(200); }
  public function helper() { $this->assertTrue($x); }
}
it('e', function () { expect(f())->toBe(1); });
test('g', fn () => expect(true)->toBeTrue());
`, []string{"testA@3 1/0", "b@5 1/1", "c@7 0/0", "test_d@8 2/0", "e@11 1/0", "g@12 0/1"}},
		{source.Scala, `class S extends AnyFlatSpec {
  "a" should "b" in { f() should be (1) }
  it should "c" in { assert(f() == 1) }
  test("d") { assertResult(1) { f() } }
  test("e") - { f() ==> 1 }
  "g" in { intercept[E] { f() } }
  test("h") { f() }
  it("i") { assert(true) }
}`, []string{"b@2 1/0", "c@3 1/0", "d@4 1/0", "e@5 1/0", "g@6 1/0", "h@7 0/0", "i@8 0/1"}},
		{source.CPP, `TEST(A, b) { EXPECT_EQ(f(), 1); ASSERT_TRUE(x); }
TEST_F(A, c) { EXPECT_TRUE(true); }
TEST_CASE("d [e]", "[f]") { SECTION("g") { REQUIRE(f() == 1); CHECK_THROWS(h()); } }
BOOST_AUTO_TEST_CASE(i) { BOOST_CHECK_EQUAL(f(), 1); }
TEST(A, j) { f(); }
int main() { EXPECT_EQ(1, f()); }`, []string{"A.b@1 2/0", "A.c@2 0/1", "d [e].[f]@3 2/0", "i@4 1/0", "A.j@5 0/0"}},
		{source.C, `void test_a(void) { TEST_ASSERT_EQUAL_INT(1, f()); }
static void test_b(void **state) { assert_int_equal(f(), 1); assert(x); }
START_TEST(c) { ck_assert_int_eq(f(), 1); }
void test_d(void) { f(); /* assert(x) */ }`, []string{"test_a@1 1/0", "test_b@2 2/0", "c@3 1/0", "test_d@4 0/0"}},
	} {
		if diff := cmp.Diff(tt.want, show(tt.lang, tt.src)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lang, diff)
		}
	}
}

// Any stops early, but says what Find says.
func TestAny(t *testing.T) {
	t.Parallel()
	const stub = "def test_a():\n    pass\n\n"
	for name, tt := range map[string]struct {
		src  string
		want bool
	}{
		"at once":      {"def test_a():\n    assert f()\n\n" + strings.Repeat(stub, 1000), true},
		"at the end":   {strings.Repeat(stub, 1000) + "def test_b():\n    assert f()\n", true},
		"in between":   {strings.Repeat(stub, 300) + "def test_b():\n    assert f()\n" + strings.Repeat(stub, 300), true},
		"nowhere":      {strings.Repeat(stub, 1000), false},
		"cut off":      {"def test_b():\n    assert (\n" + strings.Repeat("\n", 2000) + "        True)\n" + strings.Repeat("# more\n", 500), false},
		"empty":        {"", false},
		"in a comment": {"# def test_b(): assert f()\n" + strings.Repeat(stub, 500), false},
	} {
		if got := cases.Any(source.Python, []byte(tt.src)); got != tt.want {
			t.Errorf("%s: Any = %v, want %v", name, got, tt.want)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	langs := []source.Lang{source.Go, source.Python, source.JS, source.Java, source.Kotlin, source.Rust, source.Ruby, source.PHP, source.Scala, source.CPP, source.CSharp}
	for _, piece := range []string{"it(", "assert(", "test('a', ", "expect(x).", "@Test ", "[Fact]", "#[test]", "it 'a' do\n", "assert x == ", "def test_a():\n", "func TestA(t *testing.T) {", "\"a\" in {",
		"TEST(a,b){", "void testA() {", "check(t,", "assert x or ", "function testA(){", "void a(){a();}", "test.each("} {
		for _, l := range langs {
			cases.Find(source.Lex(l, []byte(strings.Repeat(piece, 60_000/len(piece)))))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, l := range []source.Lang{source.Go, source.Python, source.JS, source.Ruby, source.Rust, source.Scala, source.Kotlin, source.CSharp, source.PHP, source.CPP} {
		f.Add(string(l), "@Test [Fact] #[test] func TestA(t *testing.T) { it('a', () => { assert(x == x); expect(1).toBe(2) }) }\ndef test_b():\n  assert x, y\n\"c\" in { check(t) }")
	}
	f.Fuzz(func(t *testing.T, lang, src string) {
		file := source.Lex(source.Lang(lang), []byte(src))
		end := 0
		for _, c := range cases.Find(file) {
			if c.From < end || c.To < c.From || c.To > len(file.Tokens) || c.Asserts < 0 || c.Trivial < 0 {
				t.Fatalf("case %+v after token %d of %q", c, end, src)
			}
			end = c.To
		}
		cases.Asserts(file)
	})
}
