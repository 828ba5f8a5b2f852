package static_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

func output(line, in string) (word.Word, bool) {
	var args []word.Word
	for _, f := range strings.Split(line, " ")[1:] {
		args = append(args, word.Word{Text: f})
	}
	return static.Output(strings.SplitN(line, " ", 2)[0], args, word.Word{Text: in}, true)
}

func TestOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, in, want string }{
		{"echo a b", "", "a b\n"}, {"echo -n a", "", "a"}, {`echo -e a\x41\0101`, "", "aAA\n"}, {`echo a\n`, "", "a\\n\n"}, {`echo -e a\cb`, "", "a"},
		{"printf %s-%s. a b c", "", "a-b.c-."}, {`printf \x41\102%%`, "", "AB%"}, {"printf %5s|%-3s| a b", "", "    a|b  |"}, {"printf %x%d 255 010", "", "ff8"}, {`printf %b a\tb`, "", "a\tb"},
		{"cat", "x", "x"}, {"cat -", "x", "x"}, {"tee f", "x", "x"}, {"base64 -d", "YWI=\n", "ab"}, {"base64", "ab", "YWI=\n"}, {"xxd -r -p", "61 62", "ab"}, {"rev", "ab\ncd", "ba\ndc"}, {"tac", "a\nb\n", "b\na\n"},
		{"tr a-c A-C", "abcd", "ABCd"}, {"tr -d b", "abc", "ac"}, {"tr ab x", "abc", "xxc"}, {"sed s/a/b/", "aa\naa\n", "ba\nba\n"}, {"sed -e s|a|b|g", "aa", "bb"}, {"cut -c 2-3", "abcd\n", "bc\n"}, {"cut -d : -f 2", "a:b:c\n", "b\n"},
	} {
		if got, ok := output(tt.line, tt.in); !ok || got.Text != tt.want {
			t.Errorf("%s < %q = %q, %v; want %q", tt.line, tt.in, got.Text, ok, tt.want)
		}
	}
	for _, line := range []string{"cat f", "curl x", "sed s/a.*/b/", "tr -c a b", "base64 -w x", "printf", "printf %f 1", "date", "cut -x"} {
		if got, ok := output(line, "x"); ok {
			t.Errorf("%s computed %q", line, got.Text)
		}
	}
}

func FuzzOutput(f *testing.F) {
	for _, s := range []string{"echo -e \\", "printf %", "printf %*d 1", "printf %s%s a", "tr a-", "tr \\ a", "sed s///", "cut -f", "cut -c -", "base64 -d", "xxd -r -p", "rev", "printf %300s x", "printf %.9s x"} {
		f.Add(s, "in\n")
	}
	f.Fuzz(func(t *testing.T, line, in string) {
		if out, ok := output(line, in); ok && len(out.Text) > 300*(len(line)+1)+64*len(in)+len(in)*2+16 {
			t.Errorf("%q on %d bytes printed %d", line, len(in), len(out.Text))
		}
	})
}
