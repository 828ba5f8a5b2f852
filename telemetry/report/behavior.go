package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Finding kinds of Behavior.
const (
	Thrashing      = "thrashing"       // one file edited again and again in one task
	ErrorLoop      = "error_loop"      // tool calls that failed one after the other
	RestartCluster = "restart_cluster" // sessions started again and again in one folder
)

// Limits of the three detectors, medium and critical. Source: the published telemetry tool.
const (
	thrashHigh, thrashCritical   = 5, 10 // edits of one file
	errorHigh, errorCritical     = 3, 5  // failures in a row
	restartHigh, restartCritical = 3, 5  // sessions within restartWindow
	restartWindow                = 30 * time.Minute
)

// Finding is one thing that went round in circles.
type Finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"` // high or critical
	Count    int64  `json:"count"`    // edits, failures or sessions
	TaskID   string `json:"task_id,omitempty"`
	Where    string `json:"where"` // file, failing tool, or folder
	LastMS   int64  `json:"last_ms"`
}

const thrashSQL = `SELECT session_id, seq, path, count(*), max(ms) FROM edits WHERE ms >= ?
GROUP BY session_id, seq, path HAVING count(*) >= ?`

const failuresSQL = `SELECT session_id, seq, ok, tool, ms FROM tool_log WHERE ms >= ? ORDER BY session_id, n`

const startsSQL = `SELECT cwd, session_id, min(started_ms) FROM tasks WHERE started_ms >= ? AND cwd IS NOT NULL
GROUP BY cwd, session_id ORDER BY cwd, 3`

// Behavior looks for thrashing, error loops and restart clusters in the last days (0: everything). Critical findings come
// first, then the higher counts. At most n are returned, with the number found.
func Behavior(db *store.DB, now time.Time, days, n int) (findings []Finding, total int, err error) {
	from := since(now, days).UnixMilli()
	findings = []Finding{}
	add := func(f Finding, critical int64) {
		f.Severity = "high"
		if f.Count >= critical {
			f.Severity = "critical"
		}
		findings = append(findings, f)
	}
	err = view(db, "behavior", func(tx *store.Tx) error {
		err := tx.Query(thrashSQL, []any{from, thrashHigh}, func(r *store.Row) error {
			add(Finding{Kind: Thrashing, Count: r.Int(3), TaskID: telemetry.TaskID(r.Text(0), r.Int(1)), Where: r.Text(2), LastMS: r.Int(4)}, thrashCritical)
			return nil
		})
		if err == nil {
			err = errorLoops(tx, from, func(f Finding) { add(f, errorCritical) })
		}
		if err == nil {
			err = restarts(tx, from, func(f Finding) { add(f, restartCritical) })
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Count, a.Count), cmp.Compare(b.LastMS, a.LastMS),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Where, b.Where))
	})
	total = len(findings)
	return findings[:min(n, total)], total, nil
}

// errorLoops reports the longest run of failures of each task, if it is long enough.
func errorLoops(tx *store.Tx, from int64, found func(Finding)) error {
	var best, run Finding
	flush := func() {
		if best.Count >= errorHigh {
			found(best)
		}
		best, run = Finding{}, Finding{}
	}
	err := tx.Query(failuresSQL, []any{from}, func(r *store.Row) error {
		if id := telemetry.TaskID(r.Text(0), r.Int(1)); id != run.TaskID {
			flush()
			run = Finding{Kind: ErrorLoop, TaskID: id}
		}
		if r.Null(2) || r.Bool(2) {
			run.Count = 0
			return nil
		}
		run.Count++
		run.Where, run.LastMS = r.Text(3), r.Int(4)
		if run.Count > best.Count {
			best = run
		}
		return nil
	})
	if err == nil {
		flush()
	}
	return err
}

// restarts reports the densest half hour of each folder, if it saw enough sessions begin.
func restarts(tx *store.Tx, from int64, found func(Finding)) error {
	var starts []int64
	var dir string
	flush := func() {
		best := Finding{Kind: RestartCluster, Where: dir}
		for first, last := 0, 0; last < len(starts); last++ {
			for starts[last]-starts[first] > restartWindow.Milliseconds() {
				first++
			}
			if n := int64(last - first + 1); n > best.Count {
				best.Count, best.LastMS = n, starts[last]
			}
		}
		if best.Count >= restartHigh {
			found(best)
		}
		starts = starts[:0]
	}
	err := tx.Query(startsSQL, []any{from}, func(r *store.Row) error {
		if r.Text(0) != dir {
			flush()
			dir = r.Text(0)
		}
		starts = append(starts, r.Int(2))
		return nil
	})
	if err == nil {
		flush()
	}
	return err
}
