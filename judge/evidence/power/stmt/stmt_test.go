package stmt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []string
	}{
		{source.Go, "a := f(\n\t1,\n)\nif a != 1 {\n\tt.Fatal(a)\n} else {\n\tb()\n}\nfor range x {\n}\nreturn", []string{"a := f ( 1 , )", "if a != 1 { t . Fatal ( a ) } else { b ( ) }", "for range x { }", "return"}},
		{source.Python, "a = f(\n  1)\nif a:\n    b()\nelse:\n    c()\ntry:\n    d(); e()\nexcept E:\n    pass\nassert a; g()\n", []string{"a = f ( 1 )", "if a : b ( ) else : c ( )", "try : d ( ) ; e ( ) except E : pass", "assert a", "g ( )"}},
		{source.JS, "const a = f()\n  .then(b)\nif (a) return\nexpect(a)\n  .toBe(1);\ntry { x() } catch (e) {} finally { y() }\nfor (const q of z) { w(q) }", []string{"const a = f ( ) . then ( b )", "if ( a ) return", "expect ( a ) . toBe ( 1 )", "try { x ( ) } catch ( e ) { } finally { y ( ) }", "for ( const q of z ) { w ( q ) }"}},
		{source.Java, "int[] a = {1, 2};\nif (a == null) return;\nelse b();\nassertThat(a)\n  .isEqualTo(1);\ntry (R r = q()) { x(); } catch (A | B e) { }\nwhile (true) { }", []string{"int [ ] a = { 1 , 2 }", "if ( a == null ) return ; else b ( )", "assertThat ( a ) . isEqualTo ( 1 )", "try ( R r = q ( ) ) { x ( ) ; } catch ( A | B e ) { }", "while ( true ) { }"}},
		{source.Rust, "let a = f(1)?;\nif a != 1 { panic!() }\nlet Some(x) = y else { return; };\nfn g() {}\nassert_eq!(a, 1);", []string{"let a = f ( 1 ) ?", "if a != 1 { panic ! ( ) }", "let Some ( x ) = y else { return ; }", "fn g ( ) { }", "assert_eq ! ( a , 1 )"}},
		{source.Ruby, "a = f\nif a\n  b\nelse\n  c\nend\nexpect(a).to eq(1)\n", []string{"a = f", "if a b else c end", "expect ( a ) . to eq ( 1 )"}},
	} {
		f := units.Parse("x", tt.lang, []byte(tt.src))
		var got []string
		for _, s := range stmt.Split(f, 0, len(f.Tokens)) {
			got = append(got, f.Norm(s.From, s.To))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lang, diff)
		}
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang      source.Lang
		src, want string
	}{
		{source.Go, "if x := f(); x { a() } else if y { b() } else { c() }", "if:a ( )|elif:b ( )|else:c ( )"},
		{source.JS, "if (x) a()\nelse b()", "if:a ( )|else:b ( )"},
		{source.JS, "try { a() } catch { } finally { b() }", "try:a ( )|catch:|finally:b ( )"},
		{source.Dart, "try { a(); } on X catch (e) { b(); }", "try:a ( ) ;|on:b ( ) ;"},
		{source.Python, "try:\n    a()\nexcept (A, B) as e:\n    pass\nelse:\n    c()\n", "try:a ( )|except:pass|else:c ( )"},
		{source.Python, "for x in sorted(y, key=lambda z: z): a()", "for:a ( )"},
		{source.Ruby, "begin\n  a\nrescue E => e\n  b\nend", "begin:a|rescue:b"},
		{source.Rust, "if let Some(x) = y { a() }", "if:a ( )"},
	} {
		f := units.Parse("x", tt.lang, []byte(tt.src))
		all := stmt.Split(f, 0, len(f.Tokens))
		if len(all) != 1 {
			t.Errorf("%s %q: %d statements", tt.lang, tt.src, len(all))
		}
		var got []string
		for _, b := range stmt.Blocks(f, all[0]) {
			got = append(got, fmt.Sprintf("%s:%s", b.Word, f.Norm(b.From, b.To)))
		}
		if g := strings.Join(got, "|"); g != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.lang, tt.src, g, tt.want)
		}
	}
}
