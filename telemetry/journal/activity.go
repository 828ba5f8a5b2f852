package journal

import (
	"strconv"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Thresholds of a spiral.
const (
	spiralEdits     = 5  // edits of one file without a green test between
	spiralFailures  = 3  // tool failures in a row
	spiralRepeats   = 3  // identical calls …
	spiralOfTheLast = 10 // … among so many
)

// activity sets the columns that follow from the order of a task's calls and edits.
func (c columns) activity(tx *store.Tx, t *telemetry.Task, _ Extra) error {
	var a activity
	a.edits = map[string]int{}
	a.shas = map[string]map[string]bool{}
	span := []any{t.SessionID, t.FirstRow(), t.Seq}
	// One walk in time order: an edit carries the id of its call, so that the edits of a call come before its result.
	err := tx.Query("SELECT n,0,path,before_sha,after_sha,'',kind,0 FROM edits WHERE session_id=?1 AND n>=?2 AND seq=?3 UNION ALL "+
		"SELECT n,1,tool,input_sha,runner,class,'',ok+2*coalesce(empty,0) FROM tool_log WHERE session_id=?1 AND n>=?2 AND seq=?3 ORDER BY 1,2",
		span, func(r *store.Row) error {
			if r.Int(1) == 0 {
				a.edit(r.Text(2), r.Text(3), r.Text(4), r.Text(6))
			} else {
				a.call(r.Text(2), r.Text(3), r.Text(4), r.Int(7)&1 != 0, r.Int(7)&2 != 0)
			}
			return nil
		})
	if err != nil {
		return err
	}
	c.set("tool_calls_total", a.calls)
	c.set("tool_calls_without_output", a.silent)
	c.set("backtrack_count", a.backtracks)
	c.set("spiral_detected", a.spiral)
	if a.tested {
		c.set("test_retry_count", a.redRuns)
	}
	switch {
	case a.files > 0 && a.files == a.docs:
		c.set("task_category", "docs")
	case a.files > 0 && a.files == a.tests:
		c.set("task_category", "test")
	}
	return nil
}

// activity is what one walk over a task's calls and edits finds.
type activity struct {
	calls, silent, backtracks int64
	redRuns                   int64 // failed test commands before the first green one
	tested, green, spiral     bool
	files, docs, tests        int
	changes                   int // edits so far

	failures int            // in a row
	last     []string       // tool and input of the newest calls
	edits    map[string]int // of a file since the last green test
	shas     map[string]map[string]bool
}

func (a *activity) call(tool, input, runner string, ok, empty bool) {
	a.calls++
	if empty {
		a.silent++
	}
	a.failures++
	if ok {
		a.failures = 0
	}
	a.spiral = a.spiral || a.failures >= spiralFailures
	if runner != "" {
		a.tested = true
		switch {
		case ok:
			a.green = true
			clear(a.edits)
		case !a.green:
			a.redRuns++
		}
	}
	if input == "" {
		return
	}
	if runner != "" {
		input += " " + strconv.Itoa(a.changes) // running the tests again after an edit is no repetition
	}
	a.last = append(a.last, tool+" "+input)
	if len(a.last) > spiralOfTheLast {
		a.last = a.last[1:]
	}
	same := 0
	for _, call := range a.last {
		if call == a.last[len(a.last)-1] {
			same++
		}
	}
	a.spiral = a.spiral || same >= spiralRepeats
}

func (a *activity) edit(path, before, after, kind string) {
	seen := a.shas[path]
	if seen == nil {
		seen = map[string]bool{}
		a.shas[path] = seen
		a.files++
		switch kind {
		case "doc":
			a.docs++
		case "test":
			a.tests++
		}
	}
	if before != "" {
		seen[before] = true
	}
	if after != "" && after != before && seen[after] {
		a.backtracks++
	}
	seen[after] = true
	a.changes++
	a.edits[path]++
	a.spiral = a.spiral || a.edits[path] >= spiralEdits
}
