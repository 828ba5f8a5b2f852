// Package pushes keeps what the push gate has said. It owns table pushes and decides nothing.
package pushes

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Verdict is the answer about a push.
type Verdict string

// The verdicts. Error is a refusal, too.
const (
	Pass  Verdict = "pass"
	Deny  Verdict = "deny"
	Error Verdict = "error"
)

// Status of one step.
type Status string

// The states of a step. A missing tool is Skip, and shown.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
	Skip Status = "skip"
)

// Step is one thing that the gate looked at.
type Step struct {
	Name   string `json:"name"` // verdict import_boundary file_size coverage_gate compile_check tests target
	Status Status `json:"status"`
	Text   string `json:"text,omitempty"`
	MS     int64  `json:"ms"`
}

// Ref is one ref that a push changes.
type Ref struct {
	Remote    string `json:"remote"`
	Name      string `json:"name"` // refs/heads/x
	Old       string `json:"old,omitempty"`
	New       string `json:"new,omitempty"` // empty when the commit is not made yet; Gone when the ref is deleted
	Tree      string `json:"tree,omitempty"`
	Root      string `json:"root,omitempty"`  // work tree that it is pushed from
	Tests     string `json:"tests,omitempty"` // state of the tests on Tree
	Force     bool   `json:"force,omitempty"`
	Protected bool   `json:"protected,omitempty"`
}

// Gone is Ref.New of a ref that is deleted, as git writes it for its hooks.
const Gone = "0000000000000000000000000000000000000000"

// Result is what the gate says. It holds no secret.
type Result struct {
	Verdict Verdict  `json:"verdict"`
	Rules   []string `json:"rules,omitempty"` // that speak against it
	Line    string   `json:"line"`            // for the person, one line
	Text    string   `json:"text,omitempty"`  // for the model when refused, at most gate.MaxText bytes
	Refs    []Ref    `json:"refs,omitempty"`
	Steps   []Step   `json:"steps,omitempty"`
	Tests   string   `json:"tests,omitempty"` // the weakest state of the tests of its refs
	TookMS  int64    `json:"took_ms"`
}

// Refused reports whether the push must not go out.
func (r Result) Refused() bool { return r.Verdict != Pass }

// States of a test suite, the first word of column tests. Behind TestsGreen stands the sum of the commands.
const (
	TestsGreen   = "green"
	TestsRed     = "red"
	TestsSkip    = "skip"    // a tool is missing
	TestsNone    = "none"    // there is no test command
	TestsSession = "session" // green in the session; the gate has not run them
	TestsUnrun   = "unrun"   // the gate was told not to run them
)

// Record keeps an answer about a project, a row per ref; the steps are in the last of them. root is that of refs without one.
// told is false where the person shall hear of it at the next prompt.
func Record(tx *store.Tx, session, root string, res Result, told bool, now time.Time) error {
	refs := res.Refs
	if len(refs) == 0 {
		refs = []Ref{{}}
	}
	for i, ref := range refs {
		steps := "[]"
		if i == len(refs)-1 {
			raw, err := json.Marshal(res.Steps)
			if err != nil {
				return fmt.Errorf("encode steps: %w", err)
			}
			steps = string(raw)
		}
		at := root
		if ref.Root != "" {
			at = ref.Root
		}
		if _, err := tx.Exec("INSERT INTO pushes(ms,session_id,root,remote,ref,old_oid,new_oid,tree,verdict,tests,steps,took_ms,told) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
			now.UnixMilli(), session, at, ref.Remote, ref.Name, ref.Old, ref.New, ref.Tree, string(res.Verdict), ref.Tests, steps, res.TookMS, told || i < len(refs)-1); err != nil {
			return fmt.Errorf("record push of %s: %w", ref.Name, err)
		}
	}
	return nil
}

// Green reports whether the tests of a tree were green before. tests is Ref.Tests of a green run by the same commands.
func Green(tx *store.Tx, root, tree, tests string) (bool, error) {
	if tree == "" {
		return false, nil
	}
	return tx.One("SELECT 1 FROM pushes WHERE root=? AND tree=? AND tests=? LIMIT 1", []any{root, tree, tests}, new(int64))
}

// fresh is how long an answer holds for git's own hook, which runs while the push does.
const fresh = 10 * time.Minute

// Passed reports whether the gate let exactly this change of a ref pass a moment ago, by all that it looks at. A commit that
// was not made yet then is known by its tree. With asked, only an answer to a hook of the client counts:
// a person may have lifted a rule there.
func Passed(tx *store.Tx, root string, ref Ref, asked bool, now time.Time) (bool, error) {
	return tx.One("SELECT 1 FROM pushes WHERE root=? AND remote=? AND ref=? AND (new_oid=? AND new_oid<>'' OR new_oid='' AND tree=? AND tree<>'') AND verdict=? AND tests NOT IN(?,?) AND (session_id<>'' OR NOT ?) AND ms>? LIMIT 1",
		[]any{root, ref.Remote, ref.Name, ref.New, ref.Tree, string(Pass), TestsSession, TestsUnrun, asked, now.Add(-fresh).UnixMilli()}, new(int64))
}

// Push is one row of pushes for people.
type Push struct {
	At      time.Time `json:"at"`
	Session string    `json:"session,omitempty"`
	Remote  string    `json:"remote"`
	Ref     string    `json:"ref"`
	New     string    `json:"new,omitempty"`
	Verdict Verdict   `json:"verdict"`
	Tests   string    `json:"tests,omitempty"`
	Steps   []Step    `json:"steps,omitempty"`
	TookMS  int64     `json:"took_ms"`
}

// Recent lists the newest answers about a project, the newest first.
func Recent(tx *store.Tx, root string, limit int) ([]Push, error) {
	var list []Push
	err := tx.Query("SELECT ms,coalesce(session_id,''),coalesce(remote,''),coalesce(ref,''),coalesce(new_oid,''),verdict,coalesce(tests,''),coalesce(steps,''),coalesce(took_ms,0) FROM pushes WHERE root=? ORDER BY id DESC LIMIT ?",
		[]any{root, limit}, func(r *store.Row) error {
			p := Push{At: time.UnixMilli(r.Int(0)), Session: r.Text(1), Remote: r.Text(2), Ref: r.Text(3), New: r.Text(4), Verdict: Verdict(r.Text(5)), Tests: r.Text(6), TookMS: r.Int(8)}
			_ = json.Unmarshal([]byte(r.Text(7)), &p.Steps) // steps in another form are not shown
			list = append(list, p)
			return nil
		})
	return list, err
}

// Untold gives the line of the newest answer that the person was not shown, empty when there is none, and notes that it is
// shown: it belongs in the transaction of whoever shows it.
func Untold(tx *store.Tx, session string) (line string, err error) {
	var id int64
	var steps string
	found, err := tx.One("SELECT id,steps FROM pushes WHERE session_id=? AND told=0 ORDER BY id DESC LIMIT 1", []any{session}, &id, &steps)
	if err != nil || !found {
		return "", err
	}
	if _, err := tx.Exec("UPDATE pushes SET told=1 WHERE session_id=? AND id<=? AND told=0", session, id); err != nil {
		return "", fmt.Errorf("mark pushes of %s as told: %w", session, err)
	}
	var list []Step
	if json.Unmarshal([]byte(steps), &list) != nil || len(list) == 0 {
		return "", nil
	}
	return list[len(list)-1].Text, nil
}

// Said reports whether the newest answer of a session that holds a step of this name was about the same commit and said
// the same.
func Said(tx *store.Tx, session, step, text, commit string) (bool, error) {
	var steps, oid string
	found, err := tx.One(`SELECT steps,coalesce(new_oid,'') FROM pushes WHERE session_id=? AND instr(steps,?)>0 ORDER BY id DESC LIMIT 1`,
		[]any{session, `"name":"` + step + `"`}, &steps, &oid)
	if err != nil || !found || oid != commit {
		return false, err
	}
	var list []Step
	if json.Unmarshal([]byte(steps), &list) != nil {
		return false, nil
	}
	for _, s := range list {
		if s.Name == step && s.Text == text {
			return true, nil
		}
	}
	return false, nil
}
