package source_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
)

// Strings inside the code inside strings, and text that is no string although it holds quotes.
func TestQuotesWithinQuotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want []string
	}{
		{source.JS, `a = <p>it's {x ? <b c="d'">don't</b> : 'e'} // f</p>; g('h')`,
			strings.Split(`a|=|<|p|>|it's|{|x|?|<|b|c|=|"d'"|>|don't|<|/|b|>|:|'e'|}|// f|<|/|p|>|;|g|(|'h'|)`, "|")},
		{source.JS, `return <A b={c} d />; e('f')`, strings.Split(`return|<|A|b|=|{|c|}|d|/|>|;|e|(|'f'|)`, "|")},
		{source.JS, "x => <>`{y}</>", strings.Split("x|=>|<|>|`|{|y|}|<|/|>", "|")},
		{source.JS, "return (\n <ul>\n  {xs.map(x => <li key={x}>isn't</li>)}\n </ul>\n) // it's\nf('g')",
			strings.Split("return|(|<|ul|>|{|xs|.|map|(|x|=>|<|li|key|=|{|x|}|>|isn't|<|/|li|>|)|}|<|/|ul|>|)|f|(|'g'|)", "|")},
		{source.TS, `f = <T>(x: T) => <any>x; g = <T extends U>(y: T) => 'a'`, strings.Split(`f|=|<|T|>|(|x|:|T|)|=>|<|any|>|x|;|g|=|<|T|extends|U|>|(|y|:|T|)|=>|'a'`, "|")},
		{source.TS, "if (a < b && c > d) e('f')", strings.Split("if|(|a|<|b|&&|c|>|d|)|e|(|'f'|)", "|")},
		{source.JS, "`${m[`k${'}'}`]}` + `${/}/.test(x)}` + y", strings.Split("`${m[`k${'}'}`]}`|+|`${/}/.test(x)}`|+|y", "|")},
		{source.Dart, `'${m['k']} ${f('${g("x")}')}' + r'\' + r"\" + '''${m['k']}''' + a`, strings.Split(`'${m['k']} ${f('${g("x")}')}'|+|r'\'|+|r"\"|+|'''${m['k']}'''|+|a`, "|")},
		{source.Python, `f'{a['k']}' + f"{m["k"]:>{w['x']}}" + f'{{' + f'''{b("'")}''' + c`, strings.Split(`f'{a['k']}'|+|f"{m["k"]:>{w['x']}}"|+|f'{{'|+|f'''{b("'")}'''|+|c`, "|")},
		{source.Python, "f'{a:^9}' + b\nf'{broken' + c\nf\"{x!r}\" 'y'", strings.Split("f'{a:^9}'|+|b|f'{broken'|+|c|f\"{x!r}\"|'y'", "|")},
		{source.CSharp, `$"{m["k"]:N2} {{ {$"{x}"}" + $@"\{m["k"]} "" " + y`, strings.Split(`$"{m["k"]:N2} {{ {$"{x}"}"|+|$@"\{m["k"]} "" "|+|y`, "|")},
		{source.Rust, `f::<'a>(b'\'', 'b', '\u{41}'); 'l: loop { break 'l }`, strings.Split(`f|::|<|'|a|>|(|b'\''|,|'b'|,|'\u{41}'|)|;|'|l|:|loop|{|break|'|l|}`, "|")},
	} {
		f := source.Lex(tt.lang, []byte(tt.src))
		var got []string
		for i := range f.Tokens {
			got = append(got, f.Text(i))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.lang, tt.src, diff)
		}
	}
}
