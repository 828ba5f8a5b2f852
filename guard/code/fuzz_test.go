package code_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/code"
	"github.com/devflow-suite/devflow/internal/shell"
)

var langs = [...]code.Lang{code.Python, code.Node, code.Perl, code.Ruby, code.PHP, code.Awk, code.Lua, code.R, code.AppleScript}

func FuzzRead(f *testing.F) {
	for i, r := range dangers {
		s, err := shell.Parse(r.command)
		if err != nil {
			f.Fatal(err)
		}
		for k := range s.Commands {
			if lang, src, ok := code.Of(&s.Commands[k]); ok {
				for n, l := range langs {
					if l == lang || i%7 == 0 {
						f.Add(uint8(n), src.Text)
					}
				}
			}
		}
	}
	for _, s := range [...]string{"", "\\", "'''", "f'{", "`${`${", "<<A", "%w[", "q{", "s{a}{b}e", "/[", "#{#{#{", "x = {", "print >", "(((((", "r\"(", "--[[", "a=a+a\n"} {
		for n := range langs {
			f.Add(uint8(n), s)
		}
	}
	f.Fuzz(func(t *testing.T, lang uint8, src string) {
		e := code.Read(langs[int(lang)%len(langs)], src)
		for _, line := range e.Shell() { // what is found can be handed on
			if len(line) == 0 {
				t.Errorf("%q: an empty line", src)
			}
		}
		for _, list := range [...][]code.Path{e.Writes, e.Deletes, e.Trees} {
			for _, p := range list {
				if p.Text == "" && !p.Dynamic || p.Line < 0 {
					t.Errorf("%q: path %+v", src, p)
				}
			}
		}
	})
}

func FuzzRun(f *testing.F) {
	for _, r := range dangers {
		f.Add(r.command)
	}
	for _, r := range honest {
		f.Add(r.command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		s, _ := shell.Parse(command)
		for i := range s.Commands {
			c := &s.Commands[i]
			_, _, ok := code.Of(c)
			e, ran := code.Run(c)
			if ok && !ran {
				t.Errorf("%q: Of finds code, Run does not", command)
			}
			_ = e.Shell()
		}
	})
}

var pieces = [...]string{
	"(", "[", "{", "f(", "a[", "{a:", "!", "-", "not ", "'", "\"", "`", "'''", "f'{", "`${", "\"#{", "\"@{[", "/[", "/a", "<<A ", "<<'A' ", "%w[", "q{", "x=>", "lambda:",
	"a.b", "a+", "a,", "a=a+a;", "a='x'+a\n", "?a:", "if ", "for x in ", "x if ", "def f(", "import a,", "function(){", "${", "@{", "do |x|", "exec('", "eval(", "--[[", "/*", "=begin\n",
	"os.system(x);", "def f(a):\n g(a)\n", "f=f;", "[x for x in ", "a||", "print>", "\\\n", "print|", "<a*>", "s/a/b/e;", "$a->", "x.map(", "(a)=>", "&",
}

// TestHostileShapes feeds a lot of every bracket and quote: the reader must come to an end without exhausting the stack. A cost that
// is not linear shows as a test that does not end.
func TestHostileShapes(t *testing.T) {
	t.Parallel()
	for _, piece := range pieces {
		t.Run(piece, func(t *testing.T) {
			t.Parallel()
			src := strings.Repeat(piece, (24<<10)/len(piece))
			for _, l := range langs {
				code.Read(l, src)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	body := strings.Repeat("def f(a):\n    with open('x.txt') as g:\n        return g.read() + f'{a}/x' # comment\n\nprint(f('b'))\n", 2000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		code.Read(code.Python, body)
	}
}
