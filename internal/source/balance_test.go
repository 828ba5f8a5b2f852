package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
)

// pairs renders brackets with their partners and the lines of those: "( )3".
func pairs(src string) string {
	f := source.Lex(source.JS, []byte(src))
	var out []string
	for i, m := range f.Balance() {
		switch {
		case m == 0:
		case int(m) == len(f.Tokens):
			out = append(out, f.Text(i)+" end")
		default:
			out = append(out, fmt.Sprintf("%s %s%d", f.Text(i), f.Text(int(m)), f.Tokens[m].Line))
		}
	}
	return strings.Join(out, ", ")
}

// Where brackets do not match, the layout decides.
func TestBalance(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ src, want string }{
		"balanced":            {"f(a, {\n})", "( )2, { }2"},
		"not closed":          {"f(() => {\n  g()\n\n\nh()\n", "( h5, ( )1, { h5, ( )2, ( )5"},
		"closed by less":      {"  f(() => {\n  g()\nh()\n", "( h3, ( )1, { h3, ( )2, ( )3"},
		"not opened":          {"  g()\n}\nf(() => {\n})\n", "( )1, ( )4, ( )3, { }4"},
		"closed elsewhere":    {"f(() => {\n  g()\n\n    }\n  h()\n})\n", "( )6, ( )1, { }6, ( )2, ( )5"},
		"argument not closed": {"f(() => {\n  g(1,\n})\n", "( )3, ( )1, { }3, ( }3"},
		"nothing closed":      {"f(() => {\n  g()\n", "( end, ( )1, { end, ( )2"},
	} {
		if diff := cmp.Diff(tt.want, pairs(tt.src)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
