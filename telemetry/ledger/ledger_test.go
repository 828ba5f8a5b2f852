package ledger_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/telemetry/ledger"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{Seq: 3, Whole: true}
	if !l.Ran("test") || l.Ran("test") || l.Ran("read") || l.Ran("") || !l.Ran("deploy") {
		t.Error("classes are noted once, reading is none")
	}
	l.Add(ledger.File{Path: "a", Kind: "impl", Lines: 3, ReadBefore: true, TestState: "none", LastMS: 1})
	l.Add(ledger.File{Path: "b", Kind: "doc", Lines: 1, LastMS: 2})
	l.Add(ledger.File{Path: "a", Kind: "impl", Lines: 4, TestState: "exists", LastMS: 3})
	want := ledger.Ledger{Seq: 3, Whole: true, Classes: []string{"test", "deploy"}, Files: []ledger.File{
		{Path: "a", Kind: "impl", Lines: 7, Edits: 2, ReadBefore: true, TestState: "exists", LastMS: 3},
		{Path: "b", Kind: "doc", Lines: 1, Edits: 1, LastMS: 2},
	}}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, ledger.Parse(l.Encode())); diff != "" {
		t.Error(diff)
	}
	if l.Find("c") != nil || l.Find("b").Kind != "doc" {
		t.Error("found the wrong file")
	}
}

func TestLedgerWithoutRoom(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{Seq: 1, Whole: true}
	for i := range 129 {
		l.Add(ledger.File{Path: strconv.Itoa(i)})
	}
	l.Add(ledger.File{Path: "1"})
	if diff := cmp.Diff(ledger.Ledger{Seq: 1}, ledger.Parse(l.Encode())); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedLedger(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "1", "1\x1f1\x1ea\x1fb", "1\x1f1\x1ea\x1fimpl\x1fnone\x1f1\x1fx\x1f1\x1f1\x1e"} {
		if l := ledger.Parse(text); l.Whole || len(l.Files) != 0 {
			t.Errorf("%q: %+v", text, l)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "1\x1f1\x1ftest\x1ea\x1fimpl\x1fnone\x1f1\x1f2\x1f3\x1f4\x1e", "1\x1f0\x1e", "\x1e\x1f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := ledger.Parse(text)
		if diff := cmp.Diff(got, ledger.Parse(got.Encode())); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	})
}
