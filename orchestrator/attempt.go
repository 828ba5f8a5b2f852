package orchestrator

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
)

// Claim starts an attempt at a task that is pending or verify_failed. It is ErrNotClaimable when the task is in another state, the
// run is not running, or a task of the same region is running or waits for its integration.
func (l *Ledger) Claim(id RunID, task string, kind AttemptKind) (Attempt, error) {
	a := Attempt{Run: id, Task: task, Kind: kind, Fence: rand.Text(), State: AttemptRunning, StartedAt: l.now()}
	err := l.db.Update(func(tx *store.Tx) error {
		n, err := tx.Exec(`UPDATE region_tasks SET state='running' WHERE run_id=?1 AND id=?2 AND state IN('pending','verify_failed')
			AND EXISTS(SELECT 1 FROM runs WHERE id=?1 AND state='running')
			AND NOT EXISTS(SELECT 1 FROM region_tasks o WHERE o.run_id=?1 AND o.region=region_tasks.region AND o.state IN('running','verified'))`, id, task)
		if err != nil {
			return err
		}
		if n == 0 {
			if err := l.why(tx, id, task); errors.Is(err, ErrUnknown) {
				return err
			}
			return ErrNotClaimable
		}
		if _, err := tx.One(`SELECT coalesce(max(n),0)+1 FROM attempts WHERE run_id=? AND task=?`, []any{id, task}, &a.Number); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO attempts VALUES(?,?,?,?,?,'running','',0,0,'',0,0,0,0,0,0,?,NULL)`, id, task, a.Number, a.Fence, kind, a.StartedAt.UnixMilli())
		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("claim task %s: %w", task, err)
	}
	return a, nil
}

// Began keeps which process works on an attempt and in which session, before it is asked for anything.
func (l *Ledger) Began(a Attempt, pid int, start int64, session string) error {
	return l.step("begin attempt "+a.name(), func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE attempts SET pid=?,pid_start=?,session=? WHERE run_id=? AND task=? AND n=? AND fence=? AND state='running'`, pid, start, session, a.Run, a.Task, a.Number, a.Fence)
	}, func(*store.Tx) error { return ErrFenced })
}

// Accept ends an attempt whose work was checked and committed: the task is verified.
func (l *Ledger) Accept(a Attempt, commit string, u Usage, cost float64) error {
	return l.end(a, AttemptAccepted, "", u, cost, `UPDATE region_tasks SET state='verified',oid=?3,reason='',attempts=attempts+1 WHERE run_id=?1 AND id=?2 AND state='running'`, commit)
}

// Reject ends an attempt whose work was not accepted. final says that there is no further one.
func (l *Ledger) Reject(a Attempt, failure string, final bool, u Usage, cost float64) error {
	return l.end(a, AttemptRejected, failure, u, cost, `UPDATE region_tasks SET state=?3,reason=?4,attempts=attempts+1 WHERE run_id=?1 AND id=?2 AND state='running'`,
		rejected(final), redact.String(failure))
}

func rejected(final bool) TaskState {
	if final {
		return TaskFailed
	}
	return TaskVerifyFailed
}

// Infra ends an attempt that failed for a reason outside of its work: the task waits again, and the attempt does not count.
func (l *Ledger) Infra(a Attempt, failure string, u Usage, cost float64) error {
	return l.end(a, AttemptInfra, failure, u, cost, `UPDATE region_tasks SET state='pending',reason=?3 WHERE run_id=?1 AND id=?2 AND state='running'`, redact.String(failure))
}

// end ends a running attempt and moves its task, both or neither.
func (l *Ledger) end(a Attempt, state AttemptState, failure string, u Usage, cost float64, move string, args ...any) error {
	err := l.db.Update(func(tx *store.Tx) error {
		n, err := tx.Exec(`UPDATE attempts SET state=?,failure=?,tokens_in=?,tokens_out=?,cache_read=?,cache_write=?,requests=?,cost_usd=?,ended_ms=?
			WHERE run_id=? AND task=? AND n=? AND fence=? AND state='running'`, state, redact.String(failure), u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Requests, cost,
			l.now().UnixMilli(), a.Run, a.Task, a.Number, a.Fence)
		switch {
		case err != nil:
			return err
		case n == 0:
			return ErrFenced
		}
		n, err = tx.Exec(move, append([]any{a.Run, a.Task}, args...)...)
		if err == nil && n == 0 {
			return ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("end attempt %s: %w", a.name(), err)
	}
	return nil
}

func (a Attempt) name() string { return fmt.Sprintf("%s-%d", a.Task, a.Number) }

// Land says that commits are reachable from the integration branch, which now stands at integration: the tasks are done. Tasks that
// are done already are left so; one in any other state than verified is ErrState, and nothing is changed.
func (l *Ledger) Land(id RunID, tasks []string, integration string) error {
	err := l.db.Update(func(tx *store.Tx) error {
		for _, task := range tasks {
			n, err := tx.Exec(`UPDATE region_tasks SET state='done' WHERE run_id=? AND id=? AND state IN('verified','done')`, id, task)
			if err != nil {
				return err
			}
			if n == 0 {
				return fmt.Errorf("task %s: %w", task, l.why(tx, id, task))
			}
		}
		n, err := tx.Exec(`UPDATE runs SET integration=? WHERE id=?`, integration, id)
		if err == nil && n == 0 {
			return ErrUnknown
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("land tasks of run %s: %w", id, err)
	}
	return nil
}

// Return takes a verified task back because its commit was not good after the merge.
func (l *Ledger) Return(id RunID, task, failure string, final bool) error {
	return l.step("return task "+task, func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE region_tasks SET state=?,reason=?,oid='' WHERE run_id=? AND id=? AND state='verified'`, rejected(final), redact.String(failure), id, task)
	}, func(tx *store.Tx) error { return l.why(tx, id, task) })
}

// Fail ends a waiting task without a further attempt.
func (l *Ledger) Fail(id RunID, task, reason string) error {
	return l.give(id, task, TaskFailed, reason)
}

// Block ends a waiting task because something that it depends on will not come.
func (l *Ledger) Block(id RunID, task, reason string) error {
	return l.give(id, task, TaskBlocked, reason)
}

func (l *Ledger) give(id RunID, task string, state TaskState, reason string) error {
	return l.step(fmt.Sprintf("set task %s %s", task, state), func(tx *store.Tx) (int64, error) {
		return tx.Exec(`UPDATE region_tasks SET state=?,reason=? WHERE run_id=? AND id=? AND state IN('pending','verify_failed')`, state, redact.String(reason), id, task)
	}, func(tx *store.Tx) error { return l.why(tx, id, task) })
}

// Recover ends the attempts of an orchestrator that died: they are lost, and their tasks wait again. It gives those attempts, so
// that their processes can be stopped and their work looked for. Only the one who holds the run's lock may call it.
func (l *Ledger) Recover(id RunID) ([]Attempt, error) {
	var lost []Attempt
	err := l.db.Update(func(tx *store.Tx) error {
		lost = nil
		if err := tx.Query(attemptColumns+` FROM attempts WHERE run_id=? AND state='running' ORDER BY task,n`, []any{id}, func(r *store.Row) error {
			a := readAttempt(r)
			a.State = AttemptLost
			lost = append(lost, a)
			return nil
		}); err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE attempts SET state='lost',ended_ms=? WHERE run_id=? AND state='running'`, l.now().UnixMilli(), id); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE region_tasks SET state='pending' WHERE run_id=? AND state='running'`, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("recover run %s: %w", id, err)
	}
	return lost, nil
}

// Adopt takes the work of a lost attempt whose commit was found on its region's branch: the task is verified.
func (l *Ledger) Adopt(a Attempt, commit string) error {
	err := l.db.Update(func(tx *store.Tx) error {
		n, err := tx.Exec(`UPDATE attempts SET state='accepted' WHERE run_id=? AND task=? AND n=? AND fence=? AND state='lost'
			AND n=(SELECT max(n) FROM attempts WHERE run_id=? AND task=?)`, a.Run, a.Task, a.Number, a.Fence, a.Run, a.Task)
		if err == nil && n == 1 {
			n, err = tx.Exec(`UPDATE region_tasks SET state='verified',oid=?,reason='',attempts=attempts+1 WHERE run_id=? AND id=? AND state='pending'`, commit, a.Run, a.Task)
		}
		if err == nil && n == 0 {
			return ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("adopt attempt %s: %w", a.name(), err)
	}
	return nil
}
