package lex_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/lex"
)

func TestComments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []lex.Comment
	}{
		{source.Go, "a // b\n\n/* c\nd */ e\n", []lex.Comment{{Text: "// b", Pos: 2, End: 6, Line: 1, EndLine: 1}, {Text: "/* c\nd */", Pos: 8, End: 17, Line: 3, EndLine: 4, Own: true}}},
		{source.Python, "x = '# no'  # yes\n# own\n# two\n", []lex.Comment{{Text: "# yes", Pos: 12, End: 17, Line: 1, EndLine: 1}, {Text: "# own", Pos: 18, End: 23, Line: 2, EndLine: 2, Own: true},
			{Text: "# two", Pos: 24, End: 29, Line: 3, EndLine: 3, Own: true}}},
		{source.Rust, "/* a /* b */ c */ d // e", []lex.Comment{{Text: "/* a /* b */ c */", Pos: 0, End: 17, Line: 1, EndLine: 1, Own: true}, {Text: "// e", Pos: 20, End: 24, Line: 1, EndLine: 1}}},
		{source.Java, "/* a /* b */ c", []lex.Comment{{Text: "/* a /* b */", Pos: 0, End: 12, Line: 1, EndLine: 1, Own: true}}},
		{source.JS, "a = <p>// text</p>; // b", []lex.Comment{{Text: "// b", Pos: 20, End: 24, Line: 1, EndLine: 1}}},
		{source.Ruby, "=begin\na\n=end\nb # c", []lex.Comment{{Text: "=begin\na\n=end", Pos: 0, End: 13, Line: 1, EndLine: 3, Own: true}, {Text: "# c", Pos: 16, End: 19, Line: 4, EndLine: 4}}},
		{"", "run: 'a # b' # c\n", []lex.Comment{{Text: "# c", Pos: 13, End: 16, Line: 1, EndLine: 1}}},
	} {
		if diff := cmp.Diff(tt.want, lex.Comments(source.Lex(tt.lang, []byte(tt.src)))); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.lang, tt.src, diff)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang      source.Lang
		src, want string
	}{
		{source.Go, "a(\"b c\", `d\ne`) // f", "a(\"xxx\", `x\nx`)     "},
		{source.Python, "x = f'a{b}' + '''c''' # d", "x = f'xxxx' + '''x'''    "},
		{source.Rust, `r#"a"b"# 'c'`, `r#"xxx"# 'x'`},
		{source.CSharp, `$@"a"`, `$@"x"`},
		{source.JS, "<p>it's</p>; /a/g", "<p>xxxx</p>; /x/g"},
	} {
		if diff := cmp.Diff(tt.want, lex.Mask(source.Lex(tt.lang, []byte(tt.src)))); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.lang, tt.src, diff)
		}
	}
}

// A mask keeps every line where it is; comments and tokens share no byte, and together they are all that is not blank.
func TestLayoutIsKept(t *testing.T) {
	t.Parallel()
	langs := []source.Lang{source.Go, source.Python, source.JS, source.TS, source.Java, source.Kotlin, source.Rust, source.Dart, source.Swift, source.CSharp, source.Ruby, source.Scala, source.C, ""}
	pieces := []string{"a", "(", ")", "{", "}", "'", "\"", "`", "\"\"\"", "//", "/*", "*/", "#", "\n", "\r\n", " ", "\\", "f'", "r'", "${", "<p>", "</p>", "<b", "/>", "=begin\n", "\n=end", "é", "$\"", "'a", "=", "/", "<<~X\n", "X\n", "1"}
	rapid.Check(t, func(t *rapid.T) {
		lang := rapid.SampledFrom(langs).Draw(t, "lang")
		src := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		f := source.Lex(lang, []byte(src))
		mask := lex.Mask(f)
		if len(mask) != len(src) {
			t.Fatalf("mask of %d bytes for %d", len(mask), len(src))
		}
		for i := range src {
			if (src[i] == '\n') != (mask[i] == '\n') {
				t.Fatalf("line end at %d", i)
			}
		}
		used := make([]bool, len(src))
		for i := range f.Tokens {
			for p := f.Tokens[i].Pos; p < f.Tokens[i].End; p++ {
				used[p] = true
			}
		}
		last := 0
		for _, c := range lex.Comments(f) {
			if c.Pos < last || c.End > len(src) || src[c.Pos:c.End] != c.Text || c.Line != 1+strings.Count(src[:c.Pos], "\n") || c.EndLine != 1+strings.Count(src[:c.End], "\n") {
				t.Fatalf("comment %+v of %q", c, src)
			}
			last = c.End
			for p := c.Pos; p < c.End; p++ {
				if used[p] {
					t.Fatalf("comment %+v overlaps a token of %q", c, src)
				}
			}
		}
	})
}
