package orchestrator

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
)

var (
	// ErrUnknown says that there is no such run, region or task.
	ErrUnknown = errors.New("unknown")
	// ErrNotClaimable says that a task is not waiting, or that another task of its region is being worked on.
	ErrNotClaimable = errors.New("task cannot be claimed")
	// ErrFenced says that an attempt is over: somebody else has taken its place, and what it reports is not taken.
	ErrFenced = errors.New("attempt is over")
	// ErrState says that the run or the task is not in a state from which the step leads.
	ErrState = errors.New("wrong state")
	// ErrLimit says that a region asked for more than it may.
	ErrLimit = errors.New("limit of requests reached")
	// ErrExists says that a run of this id exists.
	ErrExists = errors.New("exists already")
)

// Ledger reads and writes the rows of runs. It may be used from many goroutines. Texts that come from outside (requests, failures,
// memories) are stored without the secrets in them. It does not close the database.
type Ledger struct {
	db  *store.DB
	now func() time.Time
}

// Open gives the ledger of a database.
func Open(db *store.DB, now func() time.Time) *Ledger { return &Ledger{db: db, now: now} }

// NewRunID makes an id from the time and four random letters.
func NewRunID(now time.Time) RunID {
	return RunID(now.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4]))
}

// Create stores a run with its regions and tasks; its state becomes ready. A queued run of the same id gets them, any other run of
// the same id is ErrExists.
func (l *Ledger) Create(run Run, regions []RegionState, tasks []TaskRow) error {
	plan, settings, err := encodeRun(run)
	if err != nil {
		return err
	}
	err = l.db.Update(func(tx *store.Tx) error {
		var state string
		found, err := tx.One(`SELECT state FROM runs WHERE id=?`, []any{run.ID}, &state)
		switch {
		case err != nil:
			return err
		case found && RunState(state) != RunQueued:
			return ErrExists
		}
		if _, err := tx.Exec(`INSERT OR REPLACE INTO runs VALUES(?,?,?,?,?,?,?,?,?,?,?,?,NULL)`, run.ID, run.Project, run.Base, run.Mode,
			redact.String(run.Request), plan, settings, RunReady, run.Integration, "", run.Session, l.now().UnixMilli()); err != nil {
			return err
		}
		for _, r := range regions {
			modules, err := json.Marshal(r.Modules)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO regions VALUES(?,?,?,?,?,?,?,?)`, run.ID, r.Name, string(modules), r.Endpoint, r.Session, r.Context, r.Public, r.Private); err != nil {
				return fmt.Errorf("region %s: %w", r.Name, err)
			}
		}
		for i, t := range tasks {
			t.Seq = i
			if err := insertTask(tx, run.ID, t); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("create run %s: %w", run.ID, err)
	}
	return nil
}

func encodeRun(run Run) (plan, settings string, err error) {
	p, err := json.Marshal(run.Plan)
	if err != nil {
		return "", "", fmt.Errorf("encode plan: %w", err)
	}
	s, err := json.Marshal(run.Settings)
	if err != nil {
		return "", "", fmt.Errorf("encode settings: %w", err)
	}
	return string(p), string(s), nil
}

func insertTask(tx *store.Tx, run RunID, t TaskRow) error {
	deps, err := json.Marshal(t.DependsOn)
	if err != nil {
		return err
	}
	if t.State == "" {
		t.State = TaskPending
	}
	_, err = tx.Exec(`INSERT INTO region_tasks VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, run, t.ID, t.Seq, t.Region, t.Module, redact.String(t.Description),
		string(deps), t.Acceptance, t.Network, t.Origin, t.Depth, t.State, t.Attempts, t.Commit, redact.String(t.Reason))
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	return nil
}

// Enqueue stores a request that has no plan yet; see [Enqueue].
func (l *Ledger) Enqueue(r Request) (id RunID, err error) {
	err = l.db.Update(func(tx *store.Tx) error {
		id, err = Enqueue(tx, l.now(), r)
		return err
	})
	return id, err
}

// SetState moves a run. An ended run stays as it is (ErrState); ending one keeps the time.
func (l *Ledger) SetState(id RunID, state RunState, reason string) error {
	return l.step("set state of run "+string(id), func(tx *store.Tx) (int64, error) {
		var ended any
		if state.Over() {
			ended = l.now().UnixMilli()
		}
		return tx.Exec(`UPDATE runs SET state=?,reason=?,ended_ms=? WHERE id=? AND state NOT IN('done','failed')`, state, redact.String(reason), ended, id)
	}, func(tx *store.Tx) error { return l.why(tx, id, "") })
}

// SetBase keeps the commit that a run starts from, and its settings, once: a second base is ErrState.
func (l *Ledger) SetBase(id RunID, base string) error {
	return l.step("set base of run "+string(id), func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE runs SET base=? WHERE id=? AND (base='' OR base=?)`, base, id, base)
	}, func(tx *store.Tx) error { return l.why(tx, id, "") })
}

// SetSettings replaces the limits and choices of a run.
func (l *Ledger) SetSettings(id RunID, s Settings) error {
	_, text, err := encodeRun(Run{Settings: s})
	if err != nil {
		return err
	}
	return l.step("set settings of run "+string(id), func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE runs SET settings=? WHERE id=?`, text, id)
	}, func(tx *store.Tx) error { return l.why(tx, id, "") })
}

// SetSession keeps which session of the client goes on in a region, and how many tokens it holds.
func (l *Ledger) SetSession(id RunID, region, session string, context int64) error {
	return l.region(id, region, "session", func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE regions SET session=?,context=? WHERE run_id=? AND name=?`, session, context, id, region)
	})
}

// SetMemory keeps what a region wants others, and its own next worker, to know.
func (l *Ledger) SetMemory(id RunID, region, public, private string) error {
	return l.region(id, region, "memory", func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE regions SET public=?,private=? WHERE run_id=? AND name=?`, redact.String(public), redact.String(private), id, region)
	})
}

// SetEndpoint gives a region another endpoint of the run's endpoints file.
func (l *Ledger) SetEndpoint(id RunID, region, endpoint string) error {
	return l.region(id, region, "endpoint", func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE regions SET endpoint=? WHERE run_id=? AND name=?`, endpoint, id, region)
	})
}

func (l *Ledger) region(id RunID, name, what string, do func(*store.Tx) (int64, error)) error {
	return l.step("set "+what+" of region "+name, do, func(*store.Tx) error { return ErrUnknown })
}

// step runs one statement that must change a row; why says what is wrong when it changes none.
func (l *Ledger) step(what string, do func(*store.Tx) (int64, error), why func(*store.Tx) error) error {
	err := l.db.Update(func(tx *store.Tx) error {
		switch n, err := do(tx); {
		case err != nil:
			return err
		case n == 0:
			return why(tx)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// why is ErrUnknown when the run, or the task when one is named, is not there, and ErrState otherwise.
func (l *Ledger) why(tx *store.Tx, id RunID, task string) error {
	sql, args := `SELECT state FROM runs WHERE id=?`, []any{id}
	if task != "" {
		sql, args = `SELECT state FROM region_tasks WHERE run_id=? AND id=?`, []any{id, task}
	}
	var state string
	switch found, err := tx.One(sql, args, &state); {
	case err != nil:
		return err
	case !found:
		return ErrUnknown
	}
	return fmt.Errorf("%w: it is %s", ErrState, state)
}
