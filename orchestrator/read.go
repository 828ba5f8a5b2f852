package orchestrator

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

const (
	runColumns     = `SELECT id,project,base,mode,request,plan,settings,state,integration,reason,session,created_ms,ended_ms`
	attemptColumns = `SELECT run_id,task,n,fence,kind,state,session,pid,pid_start,failure,tokens_in,tokens_out,cache_read,cache_write,requests,cost_usd,started_ms,ended_ms`
)

// Run gives a run; ErrUnknown when there is none.
func (l *Ledger) Run(id RunID) (Run, error) {
	runs, err := l.runs(runColumns+` FROM runs WHERE id=?`, id)
	if err == nil && len(runs) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return runs[0], nil
}

// Runs gives the newest runs, at most limit, the newest first.
func (l *Ledger) Runs(limit int) ([]Run, error) {
	runs, err := l.runs(runColumns+` FROM runs ORDER BY created_ms DESC,id DESC LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	return runs, nil
}

func (l *Ledger) runs(sql string, args ...any) (runs []Run, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		runs, err = readRuns(tx, sql, args...)
		return err
	})
	return runs, err
}

func readRuns(tx *store.Tx, sql string, args ...any) (runs []Run, err error) {
	return runs, tx.Query(sql, args, func(r *store.Row) error {
		run := Run{
			ID: RunID(r.Text(0)), Project: r.Text(1), Base: r.Text(2), Mode: Mode(r.Text(3)), Request: r.Text(4), State: RunState(r.Text(7)),
			Integration: r.Text(8), Reason: r.Text(9), Session: r.Text(10), CreatedAt: moment(r, 11), EndedAt: moment(r, 12),
		}
		if err := json.Unmarshal([]byte(r.Text(5)), &run.Plan); err != nil {
			return fmt.Errorf("decode plan: %w", err)
		}
		if err := json.Unmarshal([]byte(r.Text(6)), &run.Settings); err != nil {
			return fmt.Errorf("decode settings: %w", err)
		}
		runs = append(runs, run)
		return nil
	})
}

// Regions gives the regions of a run by name.
func (l *Ledger) Regions(id RunID) (regions []RegionState, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		regions = nil
		return tx.Query(`SELECT name,modules,endpoint,session,context,public,private FROM regions WHERE run_id=? ORDER BY name`, []any{id}, func(r *store.Row) error {
			s := RegionState{Run: id, Name: r.Text(0), Endpoint: r.Text(2), Session: r.Text(3), Context: r.Int(4), Public: r.Text(5), Private: r.Text(6)}
			if err := json.Unmarshal([]byte(r.Text(1)), &s.Modules); err != nil {
				return fmt.Errorf("decode modules: %w", err)
			}
			regions = append(regions, s)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read regions of run %s: %w", id, err)
	}
	return regions, nil
}

// Tasks gives the tasks of a run in the order in which they were made.
func (l *Ledger) Tasks(id RunID) (tasks []TaskRow, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		tasks = nil
		return eachTask(tx, id, func(t TaskRow) { tasks = append(tasks, t) })
	})
	if err != nil {
		return nil, fmt.Errorf("read tasks of run %s: %w", id, err)
	}
	return tasks, nil
}

func eachTask(tx *store.Tx, id RunID, each func(TaskRow)) error {
	return tx.Query(`SELECT id,seq,region,module,description,depends_on,acceptance,network,origin,depth,state,attempts,oid,reason
		FROM region_tasks WHERE run_id=? ORDER BY seq`, []any{id}, func(r *store.Row) error {
		t := TaskRow{
			Task: Task{ID: r.Text(0), Module: r.Text(3), Description: r.Text(4), Acceptance: r.Text(6), Network: r.Bool(7)},
			Run:  id, Seq: int(r.Int(1)), Region: r.Text(2), Origin: r.Text(8), Depth: int(r.Int(9)), State: TaskState(r.Text(10)), Attempts: int(r.Int(11)),
			Commit: r.Text(12), Reason: r.Text(13),
		}
		if err := json.Unmarshal([]byte(r.Text(5)), &t.DependsOn); err != nil {
			return fmt.Errorf("decode dependencies: %w", err)
		}
		each(t)
		return nil
	})
}

// Attempts gives every attempt of a run in the order in which they started.
func (l *Ledger) Attempts(id RunID) (attempts []Attempt, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		attempts = nil
		return tx.Query(attemptColumns+` FROM attempts WHERE run_id=? ORDER BY started_ms,task,n`, []any{id}, func(r *store.Row) error {
			attempts = append(attempts, readAttempt(r))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read attempts of run %s: %w", id, err)
	}
	return attempts, nil
}

func readAttempt(r *store.Row) Attempt {
	return Attempt{
		Run: RunID(r.Text(0)), Task: r.Text(1), Number: int(r.Int(2)), Fence: r.Text(3), Kind: AttemptKind(r.Text(4)), State: AttemptState(r.Text(5)), Session: r.Text(6),
		PID: int(r.Int(7)), PIDStart: r.Int(8), Failure: r.Text(9), Usage: Usage{r.Int(10), r.Int(11), r.Int(12), r.Int(13), r.Int(14)}, CostUSD: r.Float(15),
		StartedAt: moment(r, 16), EndedAt: moment(r, 17),
	}
}

func moment(r *store.Row, column int) time.Time {
	if r.Null(column) {
		return time.Time{}
	}
	return time.UnixMilli(r.Int(column))
}

// Spent sums what the attempts of a run have used so far, those that did not count included.
func (l *Ledger) Spent(id RunID) (u Usage, cost float64, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		_, err := tx.One(`SELECT sum(tokens_in),sum(tokens_out),sum(cache_read),sum(cache_write),sum(requests),sum(cost_usd) FROM attempts WHERE run_id=?`, []any{id},
			&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Requests, &cost)
		return err
	})
	if err != nil {
		return Usage{}, 0, fmt.Errorf("read spending of run %s: %w", id, err)
	}
	return u, cost, nil
}
