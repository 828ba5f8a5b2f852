package units_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// claim renders an assertion: callee matcher: actual op expected, strength, marks.
func claim(a *units.Assert) string {
	s := a.Callee
	if a.Matcher != "" {
		s += " " + a.Matcher
	}
	s += ": " + a.Actual
	if a.Op != "" {
		s += " " + a.Op
	}
	if a.Expected != "" {
		s += " | " + a.Expected
	}
	s += " " + [...]string{"?", "presence", "tolerance", "exact"}[a.Strength]
	if a.Trivial {
		s += " trivial"
	}
	if a.Oracle {
		s += " oracle"
	}
	return s
}

func claims(lang source.Lang, src string) (out, spans []string) {
	f := parse(lang, src)
	for _, t := range f.Tests() {
		for _, a := range t.Asserts() {
			out = append(out, claim(&a))
			spans = append(spans, f.Span(a.From, a.To))
		}
	}
	return out, spans
}

type assertCase struct {
	stmt string // statements of a test
	want string // claims, joined by "; "
	span string // of the first; empty: stmt itself
}

func checkAsserts(t *testing.T, lang source.Lang, wrap string, list []assertCase) {
	t.Helper()
	for _, tt := range list {
		got, spans := claims(lang, fmt.Sprintf(wrap, tt.stmt))
		if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", lang, tt.stmt, diff)
			continue
		}
		if tt.span == "" {
			tt.span = tt.stmt
		}
		if len(spans) == 1 && spans[0] != tt.span {
			t.Errorf("%s %s: span %q, want %q", lang, tt.stmt, spans[0], tt.span)
		}
	}
}

func TestGoAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.Go, "package a\nfunc TestA(t *testing.T) {\n%s\n}\n", []assertCase{
		{"if got := f(1); got != want { t.Errorf(\"x\") }", "if: f ( 1 ) == | want exact", ""},
		{"if err := f(); err != nil { t.Fatal(err) }", "if: f ( ) == | nil presence", ""},
		{"if _, err := f(); err == nil { t.Fatal(\"x\") }", "if: f ( ) != | nil presence", ""},
		{"if !reflect.DeepEqual(got, []int{1}) { t.Error() }", "if DeepEqual: got == | [ ] int { 1 } exact", ""},
		{"if diff := cmp.Diff(want, f()); diff != \"\" { t.Error(diff) }", "if cmp.Diff: f ( ) == | want exact", ""},
		{"if !strings.Contains(s, \"a\") { t.Error() }", "if Contains: s | \"a\" tolerance", ""},
		{"if !errors.Is(err, ErrX) { t.Error() }", "if errors.Is: err | ErrX exact", ""},
		{"if len(xs) != 2 { t.Error() }", "if: len ( xs ) == | 2 tolerance", ""},
		{"if !ok { t.Error() }", "if: ok exact", ""},
		{"if err != nil || got != 3 { t.Error() }", "if: got == | 3 exact", ""},
		{"if false && got != 3 { t.Error() }", "if: got == | 3 exact trivial", ""},
		{"if got := f(); got != got { t.Error() }", "if: f ( ) == | got exact trivial", ""},
		{"if len(xs) < 0 { t.Error() }", "if: len ( xs ) >= | 0 tolerance trivial", ""},
		{"if x { log() } else { t.Error() }", "if: x exact", ""},
		{"if x { log() }", "", ""},
		{"for _, c := range cs { if f(c) != c.want { t.Errorf(\"x\") } }", "if: f ( c ) == | c . want exact", "if f(c) != c.want { t.Errorf(\"x\") }"},
		{"assert.Equal(t, 1, f())", "assert.Equal: f ( ) | 1 exact", ""},
		{"require.NoError(t, err)", "require.NoError: err presence", ""},
		{"require.ErrorIs(t, err, ErrX)", "require.ErrorIs: err | ErrX exact", ""},
		{"assert.NotNil(t, x)", "assert.NotNil: x presence", ""},
		{"assert.True(t, a == b)", "assert.True: a == | b exact", ""},
		{"assert.Len(t, xs, 3)", "assert.Len: xs | 3 tolerance", ""},
		{"assert.InDelta(t, 1.0, x, 0.1)", "assert.InDelta: x | 1.0 tolerance", ""},
		{"assert.Equal(t, x, x)", "assert.Equal: x | x exact trivial", ""},
		{"want := f(1)\nassert.Equal(t, want, f(1))", "assert.Equal: f ( 1 ) | want exact oracle", "assert.Equal(t, want, f(1))"},
		{"want := got\nassert.Equal(t, want, got)", "assert.Equal: got | want exact trivial", "assert.Equal(t, want, got)"},
		{"x := 1\nassert.Equal(t, x, 1)", "assert.Equal: x | 1 exact trivial", "assert.Equal(t, x, 1)"},
		{"n := 0\nf(&n)\nassert.Equal(t, n, 1)", "assert.Equal: n | 1 exact", "assert.Equal(t, n, 1)"},
		{"n := 0\nn++\nassert.Equal(t, n, 0)", "assert.Equal: n | 0 exact", "assert.Equal(t, n, 0)"},
		{"is.Equal(f(), 2)", "is.Equal: f ( ) | 2 exact", ""},
		{"c.Assert(f(), qt.Equals, 2)", "c.Assert Equals: f ( ) | 2 exact", ""},
		{"Expect(f()).To(Equal(2))", "Expect Equal: f ( ) | 2 exact", ""},
		{"Expect(err).NotTo(HaveOccurred())", "Expect not.HaveOccurred: err presence", ""},
		{"checkEqual(t, f(), 2)", "checkEqual: f ( ) | 2 exact", ""},
		{"mustDo(t, f())", "mustDo: f ( ) ?", ""},
		{"setup(t)\nt.Log(1)\nt.Helper()", "", ""},
		{"t.Run(\"x\", func(t *testing.T) { if f() != 2 { t.Fatal() } })", "if: f ( ) == | 2 exact", "if f() != 2 { t.Fatal() }"},
		{"select { case <-c: t.Fatal(\"late\") }", "t.Fatal:  ?", "t.Fatal(\"late\")"},
	})
}

func TestPythonAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.Python, "def test_a():\n    %s\n", []assertCase{
		{"assert f(1) == 2", "assert: f ( 1 ) == | 2 exact", ""},
		{"assert f(1) == 2, 'why'", "assert: f ( 1 ) == | 2 exact", ""},
		{"assert x is not None", "assert: x is not | None presence", ""},
		{"assert x is None", "assert: x is | None exact", ""},
		{"assert x", "assert: x presence", ""},
		{"assert not x", "assert: x | false presence", ""},
		{"assert x in y", "assert: x in | y tolerance", ""},
		{"assert x not in y", "assert: x not in | y tolerance", ""},
		{"assert len(x) > 0", "assert: len ( x ) > | 0 presence", ""},
		{"assert isinstance(x, int)", "assert isinstance: x | int presence", ""},
		{"assert f() == pytest.approx(1.5)", "assert: f ( ) == | pytest . approx ( 1.5 ) tolerance", ""},
		{"assert x == ANY", "assert: x == | ANY presence trivial", ""},
		{"assert True", "assert: True presence trivial", ""},
		{"assert x == x", "assert: x == | x exact trivial", ""},
		{"assert f() or True", "assert: f ( ) presence trivial", ""},
		{"assert False", "assert: False exact", ""},
		{"assert (x, 'why')", "assert: ( x , 'why' ) presence trivial", ""},
		{"assert (\n        f()\n        == 2\n    )", "assert: f ( ) == | 2 exact", ""},
		{"x = f()\n    y = x\n    assert x == y", "assert: x == | y exact trivial", "assert x == y"},
		{"x = 1\n    assert x == 1", "assert: x == | 1 exact trivial", "assert x == 1"},
		{"called = False\n    def cb():\n        nonlocal called\n        called = True\n    assert called == False", "assert: called == | False exact", "assert called == False"},
		{"self.assertEqual(f(), 2)", "self.assertEqual: f ( ) | 2 exact", ""},
		{"self.assertEqual(2, f(), msg='x')", "self.assertEqual: f ( ) | 2 exact", ""},
		{"self.assertTrue(x == 1)", "self.assertTrue: x == | 1 exact", ""},
		{"self.assertIn('a', x)", "self.assertIn: x | 'a' tolerance", ""},
		{"self.assertIsNotNone(x)", "self.assertIsNotNone: x presence", ""},
		{"self.assertAlmostEqual(x, 1.0, places=3)", "self.assertAlmostEqual: x | 1.0 tolerance", ""},
		{"with pytest.raises(ValueError):\n        f(0)", "pytest.raises: f ( 0 ) | ValueError exact", "with pytest.raises(ValueError):"},
		{"with pytest.raises(Exception) as e:\n        f(0)", "pytest.raises: f ( 0 ) | Exception presence", "with pytest.raises(Exception) as e:"},
		{"with pytest.raises(Exception, match='no'):\n        f(0)", "pytest.raises: f ( 0 ) | Exception , match = 'no' exact", "with pytest.raises(Exception, match='no'):"},
		{"self.assertRaises(E, f, 1)", "self.assertRaises: f , 1 | E exact", ""},
		{"m.assert_called_once_with(1, a=2)", "assert_called_once_with: m | 1 , a = 2 exact", ""},
		{"m.x.assert_not_called()", "assert_not_called: m . x exact", ""},
		{"m.assert_called()", "assert_called: m presence", ""},
		{"np.testing.assert_allclose(x, y)", "np.testing.assert_allclose: x | y tolerance", ""},
		{"check_equal(f(), 2)", "check_equal: f ( ) | 2 exact", ""},
		{"verify(x)\n    check(y)", "", ""},
		{"assert all(x > 1 for x in y)", "assert: all ( x > 1 for x in y ) presence", ""},
		{"assert f(x)[0]['a'].b == 'c'", "assert: f ( x ) [ 0 ] [ 'a' ] . b == | 'c' exact", ""},
	})
}

func TestScriptAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.TS, "it('a', async () => {\n  %s\n})\n", []assertCase{
		{"expect(f(1)).toBe(2);", "expect toBe: f ( 1 ) | 2 exact", ""},
		{"expect(f(1)).toBe(2)", "expect toBe: f ( 1 ) | 2 exact", ""},
		{"await expect(p).rejects.toThrow('no')", "expect rejects.toThrow: p | 'no' exact", ""},
		{"expect(p).resolves.toEqual(1)", "expect resolves.toEqual: p | 1 exact", ""},
		{"return expect(p).to.eventually.equal(1)", "expect to.eventually.equal: p | 1 exact", ""},
		{"expect(x).not.toEqual(2)", "expect not.toEqual: x | 2 tolerance", ""},
		{"expect(x).to.deep.equal({ a: 1 })", "expect to.deep.equal: x | { a : 1 } exact", ""},
		{"expect(x).to.be.true", "expect to.be.true: x exact", ""},
		{"expect(x).to.not.be.null", "expect not.to.be.null: x presence", ""},
		{"expect(x).to.be.an('array').that.includes(2)", "expect to.be.an.includes: x | 2 tolerance", ""},
		{"expect(x).toBeDefined()", "expect toBeDefined: x presence", ""},
		{"expect(x).toBeTruthy()", "expect toBeTruthy: x presence", ""},
		{"expect(x).toHaveLength(2)", "expect toHaveLength: x | 2 tolerance", ""},
		{"expect(x).toMatchSnapshot()", "expect toMatchSnapshot: x exact", ""},
		{"expect(x).toBeCloseTo(0.3, 5)", "expect toBeCloseTo: x | 0.3 , 5 tolerance", ""},
		{"expect(x).toEqual(expect.anything())", "expect toEqual: x | expect . anything ( ) presence", ""},
		{"expect(x).toEqual(expect.objectContaining({ a: 1 }))", "expect toEqual: x | expect . objectContaining ( { a : 1 } ) tolerance", ""},
		{"expect(a === b).toBe(true)", "expect toBe: a === | b exact", ""},
		{"expect(true).toBe(true)", "expect toBe: true | true exact trivial", ""},
		{"expect(x).toBe(x)", "expect toBe: x | x exact trivial", ""},
		{"expect(x || true).toBe(true)", "expect toBe: x || true | true exact trivial", ""},
		{"expect(true).toBe(false)", "expect toBe: true | false exact", ""},
		{"expect(x)", "expect: x ? trivial", ""},
		{"expect(x).toBe", "expect toBe: x ? trivial", ""},
		{"expect(xs.length).toBeGreaterThanOrEqual(0)", "expect toBeGreaterThanOrEqual: xs . length | 0 tolerance trivial", ""},
		{"const got = f(1)\n  expect(got).toBe(got)", "expect toBe: got | got exact trivial", "expect(got).toBe(got)"},
		{"const want = f(1)\n  expect(f(1)).toBe(want)", "expect toBe: f ( 1 ) | want exact oracle", "expect(f(1)).toBe(want)"},
		{"let n = 0\n  cb(() => { n = 1 })\n  expect(n).toBe(1)", "expect toBe: n | 1 exact", "expect(n).toBe(1)"},
		{"expect(fn).toHaveBeenCalledWith(1, 2)", "expect toHaveBeenCalledWith: fn | 1 , 2 exact", ""},
		{"expect(fn).toHaveBeenCalled()", "expect toHaveBeenCalled: fn presence", ""},
		{"expect(fn).not.toHaveBeenCalled()", "expect not.toHaveBeenCalled: fn exact", ""},
		{"expect(() => f()).toThrow()", "expect toThrow: ( ) => f ( ) presence", ""},
		{"expect(() => f()).toThrow(E)", "expect toThrow: ( ) => f ( ) | E exact", ""},
		{"expect(x)\n    .toBe(1)\n    ;", "expect toBe: x | 1 exact", ""},
		{"assert.equal(f(), 2)", "assert.equal: f ( ) | 2 exact", ""},
		{"assert.strictEqual(f(), 2, 'why')", "assert.strictEqual: f ( ) | 2 exact", ""},
		{"assert(x > 1)", "assert: x > | 1 tolerance", ""},
		{"assert.ok(x)", "assert.ok: x presence", ""},
		{"assert.throws(() => f(), /no/)", "assert.throws: ( ) => f ( ) | /no/ exact", ""},
		{"await assert.rejects(f(), TypeError)", "assert.rejects: f ( ) | TypeError exact", ""},
		{"t.is(f(), 2)", "t.is: f ( ) | 2 exact", ""},
		{"t.deepEqual(f(), { a: 1 })", "t.deepEqual: f ( ) | { a : 1 } exact", ""},
		{"request(app).get('/').expect('Content-Type', /json/).expect(200, done)", ".expect header: request ( app ) . get ( '/' ) | 'Content-Type' , /json/ exact; .expect status: request ( app ) . get ( '/' ) | 200 exact", ""},
		{"expectTypeOf(x).toEqualTypeOf<string>()", "expectTypeOf toEqualTypeOf: x | string exact", ""},
		{"expectTypeOf<A>().toEqualTypeOf<B>()", "expectTypeOf toEqualTypeOf:  | B exact", ""},
		{"x.should.equal(1)", "should equal: x | 1 exact", ""},
		{"expect.soft(x).toBe(1)", "expect.soft toBe: x | 1 exact", ""},
		{"expectUser(x, 1)", "expectUser: x | 1 ?", ""},
		{"xs.forEach(x => expect(x).toBe(1))", "expect toBe: x | 1 exact", "expect(x).toBe(1)"},
		{"expectAll(() => { expect(x).toBe(1) })", "expect toBe: x | 1 exact", "expect(x).toBe(1)"},
	})
}

func TestObjectAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.Java, "class T {\n  @Test void a() {\n    %s\n  }\n}\n", []assertCase{
		{"assertEquals(2, f());", "assertEquals: f ( ) | 2 exact", ""},
		{"assertEquals(\"why\", 2, f());", "assertEquals: f ( ) | 2 exact", ""},
		{"assertEquals(\"a\", f(), \"why\");", "assertEquals: f ( ) | \"a\" exact", ""},
		{"assertEquals(1.0, x, 0.1);", "assertEquals: x | 1.0 exact", ""},
		{"Assert.assertNotNull(x);", "Assert.assertNotNull: x presence", ""},
		{"assertTrue(x.equals(y));", "assertTrue equals: x == | y exact", ""},
		{"assertTrue(x.contains(y));", "assertTrue contains: x | y tolerance", ""},
		{"assertTrue(x);", "assertTrue: x exact", ""},
		{"assertTrue(true);", "assertTrue: true exact trivial", ""},
		{"assertThat(x).isEqualTo(2);", "assertThat isEqualTo: x | 2 exact", ""},
		{"assertThat(x).as(\"why\").isNotNull();", "assertThat isNotNull: x presence", ""},
		{"assertThat(x)\n        .hasSize(1)\n        .containsExactly(y);", "assertThat hasSize.containsExactly: x | y exact", ""},
		{"assertThat(x, is(2));", "assertThat equals: x | 2 exact", ""},
		{"assertThat(x, is(not(nullValue())));", "assertThat not.nullValue: x presence", ""},
		{"assertThat(x, containsString(\"a\"));", "assertThat containsString: x | \"a\" tolerance", ""},
		{"assertThat(x, is(anything()));", "assertThat anything: x presence trivial", ""},
		{"assertThrows(E.class, () -> f());", "assertThrows: ( ) -> f ( ) | E . class exact", ""},
		{"assertThrows(Exception.class, () -> f());", "assertThrows: ( ) -> f ( ) | Exception . class presence", ""},
		{"assertThatThrownBy(() -> f()).isInstanceOf(E.class).hasMessage(\"x\");", "assertThatThrownBy isInstanceOf.hasMessage: ( ) -> f ( ) | \"x\" tolerance", ""},
		{"verify(m).go(1);", "verify go: m | 1 exact", ""},
		{"verify(m, times(2)).go();", "verify go: m | times ( 2 ) exact", ""},
		{"try { f(); fail(\"x\"); } catch (E e) { }", "fail:  ?", "fail(\"x\");"},
		{"assertAll(() -> assertEquals(1, f()), () -> assertEquals(2, g()));", "assertEquals: f ( ) | 1 exact; assertEquals: g ( ) | 2 exact", ""},
		{"assert x > 0 : \"why\";", "assert: x > | 0 tolerance", ""},
		{"final int x = 1;\n    assertEquals(1, x);", "assertEquals: x | 1 exact trivial", "assertEquals(1, x);"},
		{"mvc.perform(get(\"/\")).andExpect(status().isOk());", "andExpect:  | status ( ) . isOk ( ) exact", ".andExpect(status().isOk())"},
		{"Map<String, Integer> m = f();\n    assertEquals(new HashMap<String, Integer>(), m);", "assertEquals: m | new HashMap < String , Integer > ( ) exact", "assertEquals(new HashMap<String, Integer>(), m);"},
	})
	checkAsserts(t, source.Kotlin, "class T {\n  @Test fun a() {\n    %s\n  }\n}\n", []assertCase{
		{"assertEquals(2, f())", "assertEquals: f ( ) | 2 exact", ""},
		{"assertFailsWith<E> { f() }", "assertFailsWith: f ( ) | E exact", ""},
		{"f() shouldBe 1", "shouldBe shouldBe: f ( ) | 1 exact", ""},
		{"verify { m.go() }", "verify: m . go ( ) presence", ""},
		{"assertThat(x).isTrue()", "assertThat isTrue: x exact", ""},
	})
	checkAsserts(t, source.CSharp, "class T {\n  [Fact] public void A() {\n    %s\n  }\n}\n", []assertCase{
		{"Assert.Equal(2, F());", "Assert.Equal: F ( ) | 2 exact", ""},
		{"Assert.Throws<E>(() => F());", "Assert.Throws: ( ) => F ( ) | E exact", ""},
		{"Assert.That(x, Is.EqualTo(2));", "Assert.That Is.EqualTo: x | 2 exact", ""},
		{"x.Should().Be(1);", "x.Should Be: x | 1 exact", ""},
		{"x.ShouldBe(1);", "x.ShouldBe ShouldBe: x | 1 exact", ""},
		{"Assert.True(x == 1);", "Assert.True: x == | 1 exact", ""},
	})
	checkAsserts(t, source.Swift, "class T: XCTestCase {\n  func testA() {\n    %s\n  }\n}\n", []assertCase{
		{"XCTAssertEqual(f(), 2)", "XCTAssertEqual: f ( ) | 2 exact", ""},
		{"XCTAssertNotNil(x)", "XCTAssertNotNil: x presence", ""},
		{"XCTAssertTrue(x == 1)", "XCTAssertTrue: x == | 1 exact", ""},
		{"#expect(f() == 1)", "#expect: f ( ) == | 1 exact", ""},
	})
	checkAsserts(t, source.PHP, "<?php\nclass T {\n  public function testA() {\n    %s\n  }\n}\n", []assertCase{
		{"$this->assertSame(1, f());", "$this->assertSame: f ( ) | 1 exact", ""},
		{"self::assertTrue(true);", "self::assertTrue: true exact trivial", ""},
		{"$this->expectException(E::class);", "$this->expectException:  | E :: class exact", ""},
	})
	checkAsserts(t, source.Ruby, "describe A do\n  it 'b' do\n    %s\n  end\nend\n", []assertCase{
		{"expect(f).to eq(1)", "expect eq: f | 1 exact", ""},
		{"expect(f).not_to be_nil", "expect not.be_nil: f presence", ""},
		{"expect { f }.to raise_error(E)", "expect raise_error: f | E exact", ""},
		{"assert_equal 1, f", "assert_equal: f | 1 exact", ""},
		{"assert x", "assert: x presence", ""},
		{"f.must_equal 1", "must_equal must_equal: f | 1 exact", ""},
		{"expect(1).to eq(1)", "expect eq: 1 | 1 exact trivial", ""},
	})
	checkAsserts(t, source.CPP, "TEST(A, b) {\n  %s\n}\n", []assertCase{
		{"EXPECT_EQ(f(), 1);", "EXPECT_EQ: f ( ) | 1 exact", ""},
		{"EXPECT_EQ(f(), 1) << \"why\" << x;", "EXPECT_EQ: f ( ) | 1 exact", ""},
		{"ASSERT_TRUE(x == 1);", "ASSERT_TRUE: x == | 1 exact", ""},
		{"REQUIRE(f() == 1);", "REQUIRE: f ( ) == | 1 exact", ""},
	})
}

func TestRustAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.Rust, "#[test]\nfn a() {\n    %s\n}\n", []assertCase{
		{"assert_eq!(f(1), 2);", "assert_eq!: f ( 1 ) | 2 exact", ""},
		{"assert_eq!(2, f(1), \"why {}\", x);", "assert_eq!: f ( 1 ) | 2 exact", ""},
		{"assert_ne!(f(1), 2);", "assert_ne!: f ( 1 ) | 2 tolerance", ""},
		{"assert!(x == 1);", "assert!: x == | 1 exact", ""},
		{"assert!(!x.is_ignore());", "assert!: x . is_ignore ( ) | false exact", ""},
		{"assert!(x.is_some());", "assert! is_some: x presence", ""},
		{"assert!(x.is_err());", "assert!: x . is_err ( ) exact", ""},
		{"assert!(matches!(x, Some(1)));", "assert! matches: x == | Some ( 1 ) exact", ""},
		{"assert!(matches!(x, _));", "assert! matches: x == | _ exact trivial", ""},
		{"assert!(true);", "assert!: true exact trivial", ""},
		{"assert_eq!(x, x);", "assert_eq!: x | x exact trivial", ""},
		{"insta::assert_snapshot!(f(), @\"x\");", "insta::assert_snapshot!: f ( ) | @ \"x\" exact", ""},
		{"eqnice!(\"a\", f());", "eqnice!: f ( ) | \"a\" exact", ""},
		{"let x = 1;\n    assert_eq!(x, 1);", "assert_eq!: x | 1 exact trivial", "assert_eq!(x, 1);"},
		{"let mut x = 1;\n    x += 1;\n    assert_eq!(x, 1);", "assert_eq!: x | 1 exact", "assert_eq!(x, 1);"},
		{"assert_valid(f());", "assert_valid: f ( ) presence", ""},
		{"let x = f().expect(\"x\");", "", ""},
		{"let y: Vec<&'a str> = vec!['a', 'b'];\n    assert!(y.len() > 1);", "assert!: y . len ( ) > | 1 tolerance", "assert!(y.len() > 1);"},
	})
}

func TestDartAsserts(t *testing.T) {
	t.Parallel()
	checkAsserts(t, source.Dart, "void main() {\n  test('a', () async {\n    %s\n  });\n}\n", []assertCase{
		{"expect(f(1), 2);", "expect equals: f ( 1 ) | 2 exact", ""},
		{"expect(f(1), equals(2));", "expect equals: f ( 1 ) | 2 exact", ""},
		{"expect(x, isNotNull);", "expect isNotNull: x presence", ""},
		{"expect(x, isTrue);", "expect isTrue: x exact", ""},
		{"expect(x, isA<int>());", "expect isA: x presence", ""},
		{"expect(x, anything);", "expect anything: x presence trivial", ""},
		{"expect(true, isTrue);", "expect isTrue: true exact trivial", ""},
		{"expect(x, x);", "expect equals: x | x exact trivial", ""},
		{"expect(() => f(), throwsA(isA<E>()));", "expect throwsA: ( ) => f ( ) | isA < E > ( ) exact", ""},
		{"await expectLater(s, emitsInOrder([1, 2]));", "expectLater emitsInOrder: s | [ 1 , 2 ] exact", ""},
		{"verify(() => m.go()).called(1);", "verify called: ( ) => m . go ( ) | 1 exact", ""},
		{"verifyNever(() => m.go());", "verifyNever: ( ) => m . go ( ) exact", ""},
		{"expect(find.text('a'), findsOneWidget);", "expect findsOneWidget: find . text ( 'a' ) presence", ""},
		{"expect(x, hasLength(2), reason: 'why');", "expect hasLength: x | 2 tolerance", ""},
		{"expect(x, closeTo(1.0, 0.1));", "expect closeTo: x | 1.0 , 0.1 tolerance", ""},
		{"expect(m['a'], {'b': 1});", "expect equals: m [ 'a' ] | { 'b' : 1 } exact", ""},
	})
	got, _ := claims(source.Dart, "void main() { blocTest<B, S>('c', build: () => B(), expect: () => [1]); }")
	if diff := cmp.Diff([]string{"expect::  | [ 1 ] exact"}, got); diff != "" {
		t.Error(diff)
	}
}
