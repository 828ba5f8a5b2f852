package cases_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
)

// A verb that the code under test may bear is no assertion by itself.
func TestOrdinaryVerbs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lang source.Lang
		src  string
		want int
	}{
		{source.Python, "from src.token import verify\n\ndef test_verify():\n    verify('one')\n", 0},
		{source.Python, "def test_x():\n    check(1)\n", 0},
		{source.Python, "def check(x):\n    assert x == 2\n\ndef test_x():\n    check(f(1))\n", 1},
		{source.Python, "def test_x():\n    check_equal(f(1), 2)\n", 1},
		{source.Python, "def test_x():\n    assert_valid(f(1))\n", 1},
		{source.JS, "test('x', () => { verify(token); });\n", 0},
		{source.JS, "test('x', () => { verify(mock.call()).once(); });\n", 1},
		{source.JS, "test('x', () => { checkValid(f(1)); });\n", 1},
	} {
		found := cases.Find(source.Lex(tc.lang, []byte(tc.src)))
		if len(found) != 1 || found[0].Asserts != tc.want {
			t.Errorf("%s: %+v, want one case with %d assertions", tc.src, found, tc.want)
		}
	}
}
