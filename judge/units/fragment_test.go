package units_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// sides reads the former and the present pieces of the only file of a patch.
func sides(t *testing.T, path, hunks string) (before, after *units.File) {
	t.Helper()
	files, err := diff.Fragments([]byte("diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n" + hunks))
	if err != nil || len(files) != 1 {
		t.Fatalf("read patch: %v, %d files", err, len(files))
	}
	if files[0].Unreadable != "" {
		t.Fatal(files[0].Unreadable)
	}
	return units.Parse(path, source.Of(path), files[0].Before), units.Parse(path, source.Of(path), files[0].After)
}

// outline renders tests with their lines and claims.
func outline(f *units.File) []string {
	var out []string
	for _, u := range f.Tests() {
		var list []string
		for _, a := range u.Asserts() {
			list = append(list, fmt.Sprintf("%d %s", a.Line, claim(&a)))
		}
		out = append(out, fmt.Sprintf("%s>%s %d-%d: %s", u.Group, u.Name, u.First, u.End, strings.Join(list, "; ")))
	}
	return out
}

// A patch shows pieces of files: heads without ends, ends without heads, several functions.
func TestFragments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path, hunks   string
		before, after []string
	}{
		"go, a whole test and a cut one": {"a_test.go", `@@ -10,6 +10,5 @@
 func TestA(t *testing.T) {
 	got := f(1)
-	if got != 2 {
-		t.Errorf("got %d", got)
-	}
+	_ = got
+	_ = 1
 }
@@ -30,5 +29,4 @@
 func TestB(t *testing.T) {
 	s := newStack()
-	require.Equal(t, 0, s.Len())
 	for i := range 3 {
 		s.Push(i)
@@ -50,4 +48,4 @@
 		check(t, s)
 	}
 }
-func TestC(t *testing.T) { t.Fatal("x") }
+func TestC(t *testing.T) { t.Fatal("y") }
`, []string{">TestA 10-15: 12 if: got == | 2 exact", ">TestB 30-52: 32 require.Equal: s . Len ( ) | 0 exact; 50 check: s exact", ">TestC 53-53: 53 t.Fatal:  ?"},
			[]string{">TestA 10-14: ", ">TestB 29-50: 48 check: s exact", ">TestC 51-51: 51 t.Fatal:  ?"}},
		"typescript, calls": {"a.test.ts", `@@ -20,6 +20,6 @@
 describe('client', () => {
   it('rejects', async () => {
     const c = connect()
-    await expect(c.send('x')).rejects.toThrow('closed')
+    expect(c.send('x')).rejects.toThrow('closed')
   })
 
@@ -40,4 +40,4 @@
     expect(tail).toBe(1)
   })
   it('adds', () => {
-    expect(add(1, 2)).toBe(3)
+    expect(add(1, 2)).toBeDefined()
`, []string{"client>rejects 21-24: 23 expect rejects.toThrow: c . send ( 'x' ) | 'closed' exact", "client>adds 42-43: 43 expect toBe: add ( 1 , 2 ) | 3 exact"},
			[]string{"client>rejects 21-24: 23 expect rejects.toThrow: c . send ( 'x' ) | 'closed' exact", "client>adds 42-43: 43 expect toBeDefined: add ( 1 , 2 ) presence"}},
		"python, the end of one test and the next": {"test_a.py", `@@ -5,6 +5,5 @@
     assert tail == 1
 
 
 def test_b():
-    assert f() == 2
-    assert g() == 3
+    assert f() == 2
`, []string{">test_b 8-10: 9 assert: f ( ) == | 2 exact; 10 assert: g ( ) == | 3 exact"}, []string{">test_b 8-9: 9 assert: f ( ) == | 2 exact"}},
		"java, a class that goes on": {"ATest.java", `@@ -3,7 +3,7 @@
 class ATest {
     @Test
     void a() {
-        assertEquals(1, f());
+        f();
     }
 
     @Test
@@ -30,4 +30,4 @@
     void z() {
-        assertTrue(x > 1);
+        assertTrue(x > 0);
     }
 }
`, []string{"ATest>a 4-7: 6 assertEquals: f ( ) | 1 exact", "ATest>z 9-32: 31 assertTrue: x > | 1 tolerance"},
			[]string{"ATest>a 4-7: ", "ATest>z 9-32: 31 assertTrue: x > | 0 tolerance"}},
		"rust, a module that is cut": {"a.rs", `@@ -40,8 +40,8 @@
 #[cfg(test)]
 mod tests {
     use super::*;
 
     #[test]
     fn a() {
-        assert_eq!(f(1), 2);
+        assert!(f(1) > 0);
     }
`, []string{"tests>a 44-47: 46 assert_eq!: f ( 1 ) | 2 exact"}, []string{"tests>a 44-47: 46 assert!: f ( 1 ) > | 0 tolerance"}},
		"dart": {"a_test.dart", `@@ -7,6 +7,6 @@
   group('g', () {
     test('a', () async {
-      expect(f(), 1);
+      expect(f(), isNotNull);
     });
 
     test('b', () {
`, []string{"g>a 8-10: 9 expect equals: f ( ) | 1 exact", "g>b 12-12: "}, []string{"g>a 8-10: 9 expect isNotNull: f ( ) presence", "g>b 12-12: "}},
	} {
		before, after := sides(t, tt.path, tt.hunks)
		if d := cmp.Diff(tt.before, outline(before)); d != "" {
			t.Errorf("%s, before (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(tt.after, outline(after)); d != "" {
			t.Errorf("%s, after (-want +got):\n%s", name, d)
		}
	}
}

// A function that takes *testing.T is read wherever it stands; what it does is an assertion.
func TestHelperFragment(t *testing.T) {
	t.Parallel()
	before, after := sides(t, "internal/testutil/check.go", `@@ -8,7 +8,7 @@
 import "testing"
 func Equal[T comparable](t *testing.T, got, want T) {
 	t.Helper()
 	if got != want {
-		t.Fatalf("got %v, want %v", got, want)
+		t.Logf("got %v, want %v", got, want)
 	}
 }
`)
	for n, f := range []*units.File{before, after} {
		fn := f.Funcs()[0]
		if len(fn.Params) != 3 || fn.Params[0] != (units.Param{Name: "t", Type: "*testing.T"}) {
			t.Errorf("parameters %+v", fn.Params)
		}
		if got := len(f.AssertsIn(fn.From, fn.To)); got != 1-n {
			t.Errorf("%d assertions on side %d", got, n)
		}
	}
}
