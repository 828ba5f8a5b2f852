package commandline_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/commandline"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value     string
		low, high int64
		want      int64
		mistake   string
	}{
		{"1", 1, math.MaxInt64, 1, ""},
		{"0", 0, commandline.MaxDays, 0, ""},
		{"36500", 0, commandline.MaxDays, 36500, ""},
		{"36501", 0, commandline.MaxDays, 0, `--x is "36501", want a whole number from 0 to 36500`},
		{"99999999999999999999", 0, commandline.MaxDays, 0, `--x is "99999999999999999999", want a whole number from 0 to 36500`},
		{"0", 1, math.MaxInt64, 0, `--x is "0", want a whole number from 1`},
		{"-1", 0, math.MaxInt64, 0, `--x is "-1", want a whole number from 0`},
		{"4x", 1, math.MaxInt64, 0, `--x is "4x", want a whole number from 1`},
		{"", 1, math.MaxInt64, 0, `--x is "", want a whole number from 1`},
		{"1.5", 1, math.MaxInt64, 0, `--x is "1.5", want a whole number from 1`},
		{"\x1b[2J", 1, math.MaxInt64, 0, `--x is "\x1b[2J", want a whole number from 1`},
	}
	for _, tt := range tests {
		got, err := commandline.Number("x", tt.value, tt.low, tt.high)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.want || text != tt.mistake {
			t.Errorf("Number(%q, %d, %d) = %d, %q; want %d, %q", tt.value, tt.low, tt.high, got, text, tt.want, tt.mistake)
		}
	}
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	if err := commandline.OneOf("format", "csv", "jsonl", "csv"); err != nil {
		t.Error(err)
	}
	err := commandline.OneOf("scope", "all", "user", "project", "local")
	if want := `--scope is "all", want user, project or local`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReword(t *testing.T) {
	t.Parallel()
	n := &commandline.Mistake{Flag: "n", Value: "x", Want: "a whole number from 1"}
	tests := []struct {
		library string
		found   *commandline.Mistake
		args    []string
		want    string
	}{
		{"flag provided but not defined: -bogus", nil, []string{"devflow", "status", "--bogus"}, "unknown flag --bogus"},
		{"flag provided but not defined: -bogus", nil, []string{"devflow", "status", "--bogus=3"}, "unknown flag --bogus"},
		{"flag provided but not defined: -bogus", nil, []string{"devflow", "-bogus"}, "unknown flag -bogus"},
		{"flag needs an argument: --session", nil, []string{"devflow", "status", "--session"}, "--session needs a value"},
		{"flag needs an argument: n", nil, []string{"devflow", "-n"}, "-n needs a value"},
		{`invalid value "may\"be" for flag -json: parse error`, nil, []string{"--json=may\"be"}, `--json is "may\"be", want true or false`},
		{`invalid value "x" for flag -n: whatever`, n, []string{"recent", "-n", "x"}, `-n is "x", want a whole number from 1`},
		{`invalid value "x" for flag -n: whatever`, n, []string{"recent", "--n=x"}, `--n is "x", want a whole number from 1`},
		{"invalid value", nil, nil, "invalid value"},
		{"invalid value x", nil, nil, "invalid value x"},
		{"something else", nil, nil, "something else"},
	}
	for _, tt := range tests {
		if got := commandline.Reword(errors.New(tt.library), tt.found, tt.args).Error(); got != tt.want {
			t.Errorf("Reword(%q, %v) = %q, want %q", tt.library, tt.args, got, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"short", "  short\n", "  short\n"},
		{"blanks at the end", "NAME:   \n", "NAME:\n"},
		{"under the first word", "   one two three four five\n", "   one two three\n   four five\n"},
		{"under the second column", "  -n N  one two three four\n", "  -n N  one two\n        three four\n"},
		{"the second column is too far right", "   a-very-long-name  one two\n", "   a-very-long-name\n   one two\n"},
		{"a long word", "abcdefghijklmnopqrstuvwxyz a\n", "abcdefghijklmnopqrstuvwxyz\na\n"},
		{"no end", "one", "one"},
		{"characters, not bytes", strings.Repeat("é", 20) + "\n", strings.Repeat("é", 20) + "\n"},
	}
	for _, tt := range tests {
		var b strings.Builder
		f := &commandline.Fold{W: &b, Width: 20}
		for i := range len(tt.in) { // in pieces, as a template writes
			if _, err := f.Write([]byte{tt.in[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, b.String(), tt.want)
		}
	}
}
