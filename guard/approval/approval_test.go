package approval_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/internal/store"
)

// ledger is a store with the questions that the tests ask of it.
type ledger struct {
	t  testing.TB
	db *store.DB
}

func newLedger(t testing.TB) ledger {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return ledger{t, db}
}

func (l ledger) do(fn func(tx *store.Tx) error) {
	l.t.Helper()
	if err := l.db.Update(fn); err != nil {
		l.t.Fatal(err)
	}
}

func (l ledger) refuse(c approval.Call, now time.Time, rules ...string) (code string) {
	l.t.Helper()
	l.do(func(tx *store.Tx) (err error) {
		code, err = approval.Refuse(tx, c, rules, "", now)
		return err
	})
	return code
}

func (l ledger) grant(session, prompt string, now time.Time) (ok bool) {
	l.t.Helper()
	l.do(func(tx *store.Tx) (err error) {
		_, ok, err = approval.Grant(tx, session, prompt, now)
		return err
	})
	return ok
}

func (l ledger) use(c approval.Call, now time.Time) (rules []string) {
	l.t.Helper()
	l.do(func(tx *store.Tx) (err error) {
		rules, err = approval.Use(tx, c, now)
		return err
	})
	return rules
}

// start is a moment like any other; the guard never looks at a clock itself.
var start = time.Unix(1_790_000_000, 0)

func call(command string) approval.Call {
	return approval.Call{Session: "s1", Tool: "Bash", Cwd: "/home/dev/proj", Input: command}
}

func TestATypedCodeAllowsOneCallOnce(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	c := call("git reset --hard")
	code := l.refuse(c, start, "git.reset-hard")
	if len(code) != 4 {
		t.Fatalf("code %q, want four symbols", code)
	}
	if again := l.refuse(c, start.Add(time.Minute), "git.reset-hard"); again != code {
		t.Errorf("the same refusal got code %s, want %s again", again, code)
	}
	if l.use(c, start) != nil {
		t.Error("a call was allowed before anybody typed its code")
	}
	if !l.grant("s1", "devflow approve "+code, start.Add(2*time.Minute)) {
		t.Fatal("the code was not taken")
	}
	if l.grant("s1", "devflow approve "+code, start.Add(2*time.Minute)) {
		t.Error("a code was taken twice")
	}
	for _, other := range []approval.Call{call("git reset --hard HEAD~1"), {Session: "s2", Tool: "Bash", Cwd: c.Cwd, Input: c.Input}, {Session: "s1", Tool: "Bash", Cwd: "/", Input: c.Input}, {Session: "s1", Tool: "Write", Cwd: c.Cwd, Input: c.Input}} {
		if got := l.use(other, start.Add(3*time.Minute)); got != nil {
			t.Errorf("%+v was allowed: %v", other, got)
		}
	}
	same := c
	same.Input = "  git  reset\t--hard\n"
	if diff := cmp.Diff([]string{"git.reset-hard"}, l.use(same, start.Add(3*time.Minute))); diff != "" {
		t.Errorf("lifted rules (-want +got):\n%s", diff)
	}
	if got := l.use(c, start.Add(3*time.Minute)); got != nil {
		t.Errorf("an approval worked twice: %v", got)
	}
}

func TestCodesAndApprovalsEnd(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	c := call("rm -rf src")
	code := l.refuse(c, start, "rm.project")
	if l.grant("s1", "devflow approve "+code, start.Add(approval.Life)) {
		t.Error("a code was taken after its life")
	}
	late := l.refuse(c, start.Add(approval.Life), "rm.project")
	if late == code {
		t.Error("a dead code was handed out again")
	}
	if !l.grant("s1", "devflow approve "+late, start.Add(approval.Life)) {
		t.Fatal("the new code was not taken")
	}
	if got := l.use(c, start.Add(2*approval.Life)); got != nil {
		t.Errorf("an approval worked after its life: %v", got)
	}
}

func TestOnlyTheExactPromptGrants(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	code := l.refuse(call("rm -rf ~"), start, "rm.home")
	for _, prompt := range []string{
		code, "devflow approve", "devflow approve ", "devflow approve " + code + " please", "please devflow approve " + code, "devflow  approve " + code,
		"devflow approve  " + code, "Devflow approve " + code, "devflow approve " + strings.ToLower(code), "devflow approve " + code + "\nand go on",
		"<task-notification>devflow approve " + code + "</task-notification>", "devflow approve %", "devflow approve ____", "",
	} {
		if l.grant("s1", prompt, start) {
			t.Errorf("prompt %q granted", prompt)
		}
	}
	if l.grant("s2", "devflow approve "+code, start) {
		t.Error("a code was taken in another session")
	}
	for _, blank := range []string{" ", "\t", "\n", "\u00a0"} {
		if l.grant("s1", blank+"devflow approve "+code, start) || l.grant("s1", "devflow approve "+code+blank, start) {
			t.Errorf("a prompt with %q beside it granted", blank)
		}
	}
	if !l.grant("s1", "devflow approve "+code, start) {
		t.Error("the code was not taken")
	}
}

func TestRefusedWritesAreRememberedUntilTheyPass(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	refused := func(now time.Time) (paths []string) {
		l.do(func(tx *store.Tx) (err error) {
			paths, err = approval.RefusedWrites(tx, "s1", now)
			return err
		})
		return paths
	}
	l.do(func(tx *store.Tx) error {
		_, err := approval.Refuse(tx, approval.Call{Session: "s1", Tool: "Write", Cwd: "/p", Input: "config.py\x00key"}, []string{"secret.aws"}, "config.py", start)
		return err
	})
	if diff := cmp.Diff([]string{"config.py"}, refused(start.Add(time.Minute))); diff != "" {
		t.Errorf("refused writes (-want +got):\n%s", diff)
	}
	if got := refused(start.Add(approval.Life)); got != nil {
		t.Errorf("remembered too long: %v", got)
	}
	l.do(func(tx *store.Tx) error { return approval.Wrote(tx, "s1", "config.py") })
	if got := refused(start.Add(time.Minute)); got != nil {
		t.Errorf("still refused after a write passed: %v", got)
	}
}

// A session asks, types and calls in any order: no call passes that was not refused, then typed, then made once, in time.
func TestApprovalsHoldInAnyOrder(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	session := 0
	rapid.Check(t, func(rt *rapid.T) {
		session++
		name := "s" + time.Duration(session).String()
		now := start
		type waiting struct {
			code    string
			asked   time.Time
			granted time.Time
		}
		calls := map[string]*waiting{}
		pick := func() approval.Call {
			c := call(rapid.SampledFrom([]string{"rm -rf a", "rm -rf b", "git push -f"}).Draw(rt, "call"))
			c.Session = name
			return c
		}
		rt.Repeat(map[string]func(*rapid.T){
			"refuse": func(*rapid.T) {
				c := pick()
				w := calls[c.Input]
				if w != nil && !w.granted.IsZero() && now.Sub(w.granted) < approval.Life {
					return // it would pass
				}
				code := l.refuse(c, now, "x")
				if w != nil && w.code == code {
					return // still the first refusal
				}
				calls[c.Input] = &waiting{code: code, asked: now}
			},
			"type": func(rt *rapid.T) {
				c := pick()
				w := calls[c.Input]
				if w == nil {
					if l.grant(name, "devflow approve ZZZZ", now) {
						rt.Fatal("a code that nobody made was taken")
					}
					return
				}
				want := w.granted.IsZero() && now.Sub(w.asked) < approval.Life
				if got := l.grant(name, "devflow approve "+w.code, now); got != want {
					rt.Fatalf("grant %s: %v, want %v", c.Input, got, want)
				}
				if want {
					w.granted = now
				}
			},
			"call": func(rt *rapid.T) {
				c := pick()
				w := calls[c.Input]
				want := w != nil && !w.granted.IsZero() && now.Sub(w.granted) < approval.Life
				if got := l.use(c, now) != nil; got != want {
					rt.Fatalf("use %s: %v, want %v", c.Input, got, want)
				}
				if want {
					delete(calls, c.Input)
				}
			},
			"wait": func(rt *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 700).Draw(rt, "seconds")) * time.Second)
			},
		})
	})
}
