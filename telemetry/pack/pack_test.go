package pack_test

import (
	"testing"

	"github.com/devflow-suite/devflow/telemetry/pack"
)

// record is what the tests pack.
type record struct {
	name string
	n    int64
	ok   bool
	more string
}

func (r *record) fields() []any { return []any{&r.name, &r.n, &r.ok, &r.more} }

func TestJoinAndSplit(t *testing.T) {
	t.Parallel()
	for _, want := range []record{{}, {"é\n", -1 << 63, true, "x"}, {"", 1<<63 - 1, false, " "}} {
		var got record
		if !pack.Split(pack.Join(want.fields()), got.fields()) || got != want {
			t.Errorf("%+v became %+v", want, got)
		}
	}
	odd, got := record{name: "a\x1fb"}, record{}
	if !pack.Split(pack.Join(odd.fields()), got.fields()) || got.name != "a b" {
		t.Errorf("%+v", got)
	}
}

func TestSplitOfAnOlderText(t *testing.T) {
	t.Parallel()
	got := record{more: "kept"}
	if !pack.Split("a\x1f7", got.fields()) || got != (record{"a", 7, false, "kept"}) {
		t.Errorf("%+v", got)
	}
	got = record{}
	if !pack.Split("a\x1f7\x1ftrue\x1fb\x1fof a newer version", got.fields()) || got != (record{"a", 7, true, "b"}) {
		t.Errorf("%+v", got)
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "a\x1f7\x1ftrue\x1fb", "a\x1fx", "a\x1f7\x1fmaybe", "\x1f\x1f\x1f\x1f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, again record
		if !pack.Split(text, got.fields()) {
			return
		}
		if !pack.Split(pack.Join(got.fields()), again.fields()) || got != again {
			t.Errorf("%q: %+v, then %+v", text, got, again)
		}
	})
}
