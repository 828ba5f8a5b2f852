package alive_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/alive"
)

const former = `from shop import total, legacy_total


def test_total():
    assert total([3, 4]) == 7


def test_legacy():
    assert legacy_total([3, 4]) == 8


def test_empty():
    assert total([]) == 0
`

func TestFate(t *testing.T) {
	t.Parallel()
	source := "def total(n):\n    return sum(n)\n\n\ndef legacy_total(n):\n    return sum(n) + 1\n"
	c := rulecase.Of(
		map[string][]byte{"tests/test_shop.py": []byte(former), "shop.py": []byte(source)},
		map[string][]byte{
			"tests/test_shop.py": []byte("from shop import total\n\n\ndef test_sum():\n    for n, want in [([3, 4], 7)]:\n        assert total(n) == want\n"),
			"shop.py":            []byte("def total(n):\n    return sum(n)\n"),
		}, nil)
	x := alive.Of(c)
	got := map[string]alive.Kind{}
	for _, gone := range x.Gone() {
		got[gone.Name] = x.Fate(gone).Kind
	}
	if got["test_legacy"] != alive.Obsolete {
		t.Errorf("test_legacy: got %d, want obsolete: %v", got["test_legacy"], got)
	}
	if k, gone := got["test_empty"]; !gone || k == alive.Obsolete || k == alive.Moved {
		t.Errorf("test_empty: got %d (gone %v), nothing excuses it", k, gone)
	}
}

func TestElsewhere(t *testing.T) {
	t.Parallel()
	moved := "from shop import legacy_total\n\n\ndef test_old_totals():\n    assert legacy_total([3, 4]) == 8\n    assert legacy_total([]) == 1\n"
	c := rulecase.Of(
		map[string][]byte{"tests/test_shop.py": []byte(former)},
		map[string][]byte{"tests/test_shop.py": []byte("from shop import total\n\n\ndef test_total():\n    assert total([3, 4]) == 7\n\n\ndef test_empty():\n    assert total([]) == 0\n"), "tests/test_old.py": []byte(moved)}, nil)
	x := alive.Of(c)
	for _, gone := range x.Gone() {
		if f, ok := x.Elsewhere(gone); !ok || f.Path != "tests/test_old.py" {
			t.Errorf("%s: got %+v, want it in tests/test_old.py", gone.Name, f)
		}
	}
}
