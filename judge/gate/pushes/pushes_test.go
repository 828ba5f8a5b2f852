package pushes_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/google/go-cmp/cmp"
)

var start = [...]int64{1_767_322_800_000}

func now() time.Time { return time.UnixMilli(start[0]) }

type table struct {
	testing.TB
	db *store.DB
}

func open(t testing.TB) table {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return table{t, db}
}

func (d table) in(do func(tx *store.Tx) error) {
	d.Helper()
	if err := d.db.Update(do); err != nil {
		d.Fatal(err)
	}
}

func (d table) record(session string, res pushes.Result, told bool, at time.Time) {
	d.Helper()
	d.in(func(tx *store.Tx) error { return pushes.Record(tx, session, "/root", res, told, at) })
}

func (d table) passed(root string, ref pushes.Ref, asked bool, at time.Time) (ok bool) {
	d.Helper()
	d.in(func(tx *store.Tx) (err error) {
		ok, err = pushes.Passed(tx, root, ref, asked, at)
		return err
	})
	return ok
}

func (d table) untold(session string) (line string) {
	d.Helper()
	d.in(func(tx *store.Tx) (err error) {
		line, err = pushes.Untold(tx, session)
		return err
	})
	return line
}

func TestWhatIsRecordedIsListed(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.in(func(tx *store.Tx) error {
		list, err := pushes.Recent(tx, "/root", 10)
		if len(list) > 0 {
			t.Errorf("an empty table gives %v", list)
		}
		return err
	})
	steps := []pushes.Step{{Name: "verdict", Status: pushes.OK, Text: "pass", MS: 3}}
	d.record("s1", pushes.Result{Verdict: pushes.Pass, Steps: steps, TookMS: 7, Refs: []pushes.Ref{
		{Remote: "origin", Name: "refs/heads/a", New: "1", Tests: "green x"}, {Remote: "origin", Name: "refs/heads/b", New: "2", Tests: "none"},
		{Remote: "origin", Name: "refs/heads/c", Root: "/other"}, {Remote: "origin", Name: "refs/heads/d", New: "3"},
	}}, true, now())
	d.record("", pushes.Result{Verdict: pushes.Error}, true, now().Add(time.Second))
	want := []pushes.Push{
		{At: now().Add(time.Second), Verdict: pushes.Error},
		{At: now(), Session: "s1", Remote: "origin", Ref: "refs/heads/d", New: "3", Verdict: pushes.Pass, Steps: steps, TookMS: 7},
		{At: now(), Session: "s1", Remote: "origin", Ref: "refs/heads/b", New: "2", Verdict: pushes.Pass, Tests: "none", Steps: []pushes.Step{}, TookMS: 7},
		{At: now(), Session: "s1", Remote: "origin", Ref: "refs/heads/a", New: "1", Verdict: pushes.Pass, Tests: "green x", Steps: []pushes.Step{}, TookMS: 7},
	}
	d.in(func(tx *store.Tx) error {
		list, err := pushes.Recent(tx, "/root", 10)
		if diff := cmp.Diff(want, list); diff != "" {
			t.Error(diff)
		}
		return err
	})
	d.in(func(tx *store.Tx) error {
		if list, err := pushes.Recent(tx, "/root", 2); len(list) != 2 || err != nil {
			t.Errorf("%d rows, %v", len(list), err)
		}
		_, err := tx.Exec("UPDATE pushes SET steps='no JSON'")
		return err
	})
	d.in(func(tx *store.Tx) error {
		list, err := pushes.Recent(tx, "/root", 10)
		if len(list) != 4 || list[0].Steps != nil {
			t.Errorf("rows with other steps: %v", list)
		}
		return err
	})
}

func TestGreenIsOfATreeAndItsCommands(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.record("s1", pushes.Result{Verdict: pushes.Deny, Refs: []pushes.Ref{{Tree: "t1", Tests: "green x"}, {Tree: "t2", Tests: "red"}, {Tree: "", Tests: "green x"}}}, true, now())
	for _, tt := range []struct {
		root, tree, tests string
		want              bool
	}{{"/root", "t1", "green x", true}, {"/root", "t1", "green y", false}, {"/root", "t1", "green", false}, {"/root", "t2", "green x", false}, {"/other", "t1", "green x", false}, {"/root", "", "green x", false}} {
		d.in(func(tx *store.Tx) error {
			ok, err := pushes.Green(tx, tt.root, tt.tree, tt.tests)
			if ok != tt.want {
				t.Errorf("%+v: %v", tt, ok)
			}
			return err
		})
	}
}

func TestPassedIsAboutExactlyThatChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	refs := func(list ...pushes.Ref) pushes.Result { return pushes.Result{Verdict: pushes.Pass, Refs: list} }
	d.record("s1", refs(pushes.Ref{Remote: "origin", Name: "refs/heads/a", New: "1", Tree: "t"}, pushes.Ref{Remote: "origin", Name: "refs/heads/p", Tree: "t"}, pushes.Ref{Remote: "origin", Name: "refs/heads/d", New: pushes.Gone}), true, now())
	d.record("", refs(pushes.Ref{Remote: "origin", Name: "refs/heads/typed", New: "1"}), true, now())
	d.record("s1", refs(pushes.Ref{Remote: "origin", Name: "refs/heads/s", New: "1", Tests: pushes.TestsSession}, pushes.Ref{Remote: "origin", Name: "refs/heads/u", New: "1", Tests: pushes.TestsUnrun}, pushes.Ref{Remote: "origin", Name: "refs/heads/k", New: "1", Tests: pushes.TestsSkip}), true, now())
	d.record("s1", pushes.Result{Verdict: pushes.Deny, Refs: []pushes.Ref{{Remote: "origin", Name: "refs/heads/no", New: "1"}}}, true, now())
	d.record("s1", pushes.Result{Verdict: pushes.Error, Refs: []pushes.Ref{{Remote: "origin", Name: "refs/heads/err", New: "1"}}}, true, now())
	at := func(name, oid, tree string) pushes.Ref {
		return pushes.Ref{Remote: "origin", Name: "refs/heads/" + name, New: oid, Tree: tree}
	}
	soon := now().Add(time.Minute)
	for _, tt := range []struct {
		what  string
		ref   pushes.Ref
		asked bool
		want  bool
	}{
		{"the commit", at("a", "1", ""), true, true},
		{"another commit of the tree", at("a", "2", "t"), false, false},
		{"the tree of a commit that was not made", at("p", "9", "t"), false, true},
		{"another tree", at("p", "9", "u"), false, false},
		{"no tree", at("p", "", ""), false, false},
		{"a deletion", at("d", pushes.Gone, ""), true, true},
		{"a deletion of another", at("a", pushes.Gone, ""), false, false},
		{"typed by a person", at("typed", "1", ""), false, true},
		{"typed, where a rule speaks against it", at("typed", "1", ""), true, false},
		{"tests of the session", at("s", "1", ""), false, false},
		{"tests that did not run", at("u", "1", ""), false, false},
		{"a tool that is missing", at("k", "1", ""), false, true},
		{"refused", at("no", "1", ""), false, false},
		{"an error", at("err", "1", ""), false, false},
		{"another remote", pushes.Ref{Remote: "fork", Name: "refs/heads/a", New: "1"}, false, false},
		{"another ref", at("b", "1", ""), false, false},
	} {
		if got := d.passed("/root", tt.ref, tt.asked, soon); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
	if d.passed("/other", at("a", "1", ""), false, soon) || d.passed("/root", at("a", "1", ""), false, now().Add(11*time.Minute)) {
		t.Error("another project, or long ago")
	}
}

func TestALineIsToldOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	said := func(text string) pushes.Result {
		return pushes.Result{Verdict: pushes.Pass, Refs: []pushes.Ref{{Name: "refs/heads/a", New: "1"}, {Name: "refs/heads/b", New: "1"}}, Steps: []pushes.Step{{Name: "verdict"}, {Name: "auto-push", Text: text}}}
	}
	if got := d.untold("s1"); got != "" {
		t.Errorf("an empty table tells %q", got)
	}
	d.record("s1", said("one"), false, now())
	d.record("s2", said("of another session"), false, now())
	d.record("s1", said("two"), false, now())
	d.record("s1", said("told already"), true, now())
	for _, want := range []string{"two", "", ""} {
		if got := d.untold("s1"); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	if got := d.untold("s2"); got != "of another session" {
		t.Errorf("told %q", got)
	}
	d.record("s3", pushes.Result{Verdict: pushes.Pass}, false, now())
	if got := d.untold("s3"); got != "" {
		t.Errorf("a row without steps tells %q", got)
	}
}

func TestSaidIsAboutTheNewestOfItsKind(t *testing.T) {
	t.Parallel()
	d := open(t)
	step := func(name, text, commit string) {
		d.record("s1", pushes.Result{Verdict: pushes.Pass, Refs: []pushes.Ref{{New: commit}}, Steps: []pushes.Step{{Name: name, Text: text}}}, true, now())
	}
	check := func(text, commit string, want bool) {
		t.Helper()
		d.in(func(tx *store.Tx) error {
			got, err := pushes.Said(tx, "s1", "auto-push", text, commit)
			if got != want {
				t.Errorf("Said(%q, %q) = %v", text, commit, got)
			}
			return err
		})
	}
	check("a", "1", false)
	step("auto-push", "a", "1")
	step("verdict", `says "name":"auto" of "auto-push"`, "2")
	check("a", "1", true)
	check("b", "1", false)
	check("a", "2", false)
	step("auto-push", strings.Repeat("b", 5), "1")
	check("a", "1", false)
	check("bbbbb", "1", true)
}
