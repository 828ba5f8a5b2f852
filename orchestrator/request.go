package orchestrator

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
)

// RequestLimits bound what regions may ask of each other, so that two cannot keep each other busy for ever.
type RequestLimits struct {
	Depth int // requests of requests; 0 = DefaultRequestDepth
	Total int // requests of the whole run; 0 = DefaultRequests
}

// Defaults of RequestLimits: our choice, enough for an interface that changes once on each side.
const (
	DefaultRequestDepth = 3
	DefaultRequests     = 40
)

// Request adds a task that one region asks another for; t.Region, t.Module and t.Description are the request, t.Origin who asks and
// t.DependsOn what it waits for. The id is given by the ledger. A request that is the same in words and still open gives the task
// that is there (created is false). Beyond the limits it is ErrLimit, in an ended run ErrState.
func (l *Ledger) Request(id RunID, caller string, t TaskRow, limits RequestLimits) (task string, created bool, err error) {
	if limits.Depth == 0 {
		limits.Depth = DefaultRequestDepth
	}
	if limits.Total == 0 {
		limits.Total = DefaultRequests
	}
	t.Description = redact.String(t.Description) // as it is stored, so that the same words are found again
	err = l.db.Update(func(tx *store.Tx) error {
		task, created = "", false
		var state string
		switch found, err := tx.One(`SELECT state FROM runs WHERE id=?`, []any{id}, &state); {
		case err != nil:
			return err
		case !found:
			return ErrUnknown
		case RunState(state).Over():
			return fmt.Errorf("%w: the run is %s", ErrState, state)
		}
		same, requests := "", 0
		if err := eachTask(tx, id, func(o TaskRow) {
			if o.Origin != "" {
				requests++
			}
			if o.ID == caller {
				t.Depth = o.Depth + 1
			}
			if o.Origin == t.Origin && o.Region == t.Region && !o.State.Over() && sameWords(o.Description, t.Description) {
				same = o.ID
			}
			t.Seq = max(t.Seq, o.Seq+1)
		}); err != nil {
			return err
		}
		switch {
		case same != "":
			task = same
			return nil
		case t.Depth > limits.Depth:
			return fmt.Errorf("%w: requests that follow from requests may be %d deep", ErrLimit, limits.Depth)
		case requests >= limits.Total:
			return fmt.Errorf("%w: a run may have %d", ErrLimit, limits.Total)
		}
		t.ID, t.State, t.Attempts, t.Commit = "req-"+strings.ToLower(rand.Text()[:8]), TaskPending, 0, ""
		task, created = t.ID, true
		return insertTask(tx, id, t)
	})
	if err != nil {
		return "", false, fmt.Errorf("request change of region %s: %w", t.Region, err)
	}
	return task, created, nil
}

func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// Await makes a task, and what depends on it directly, wait for another one, before its next attempt. It is ErrState when the other
// one waits for it already, or when either has ended.
func (l *Ledger) Await(id RunID, task, other string) error {
	err := l.db.Update(func(tx *store.Tx) error {
		rows := map[string]TaskRow{}
		var order []string
		if err := eachTask(tx, id, func(t TaskRow) { rows[t.ID], order = t, append(order, t.ID) }); err != nil {
			return err
		}
		t, known := rows[task]
		o, knownOther := rows[other]
		switch {
		case !known || !knownOther:
			return ErrUnknown
		case t.State.Over() || o.State == TaskFailed || o.State == TaskBlocked || dependsOn(rows, other, task):
			return ErrState
		}
		for _, name := range order {
			r := rows[name]
			if name != task && !slices.Contains(r.DependsOn, task) || slices.Contains(r.DependsOn, other) || name == other || r.State.Over() {
				continue
			}
			deps, err := json.Marshal(append(r.DependsOn, other))
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE region_tasks SET depends_on=? WHERE run_id=? AND id=?`, string(deps), id, name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("let task %s wait for %s: %w", task, other, err)
	}
	return nil
}

// dependsOn is whether a task waits for another one, by however many steps.
func dependsOn(rows map[string]TaskRow, task, other string) bool {
	seen := map[string]bool{}
	for todo := []string{task}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if name == other {
			return true
		}
		if !seen[name] {
			seen[name] = true
			todo = append(todo, rows[name].DependsOn...)
		}
	}
	return false
}
