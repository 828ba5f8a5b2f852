package gate

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// States of a test suite, the first word of column tests.
const (
	TestsGreen = "green"
	TestsRed   = "red"
	TestsSkip  = "skip"
	TestsNone  = "none"
)

// Record keeps an answer, a row per ref. told is false where the person shall hear of it at the next prompt.
func Record(tx *store.Tx, req Request, res Result, told bool, now time.Time) error {
	steps, err := json.Marshal(res.Steps)
	if err != nil {
		return fmt.Errorf("encode steps: %w", err)
	}
	refs := res.Refs
	if len(refs) == 0 {
		refs = []Ref{{}}
	}
	for _, ref := range refs {
		if _, err := tx.Exec("INSERT INTO pushes(ms,session_id,root,remote,ref,old_oid,new_oid,tree,verdict,tests,steps,took_ms,told) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
			now.UnixMilli(), req.Session, req.Root, ref.Remote, ref.Name, ref.Old, ref.New, ref.Tree, string(res.Verdict), res.Tests, string(steps), res.TookMS, told); err != nil {
			return fmt.Errorf("record push of %s: %w", ref.Name, err)
		}
	}
	return nil
}

// Green reports whether the tests of a tree were green before. tests is Result.Tests of a green run by the same commands.
func Green(tx *store.Tx, root, tree, tests string) (bool, error) {
	if tree == "" {
		return false, nil
	}
	return tx.One("SELECT 1 FROM pushes WHERE root=? AND tree=? AND tests=? LIMIT 1", []any{root, tree, tests}, new(int64))
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
