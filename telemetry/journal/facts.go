// Package journal reads what a task has left in the store: its files, tests and verdict, the text that brings a session back after a
// compaction, and the derived columns of task_executions. It owns no table: what it keeps, it stores through package telemetry. Table
// judge_runs is only read.
package journal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/ledger"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// FileFacts is what a task did to one file.
type FileFacts = ledger.File

// Facts is what the profiler and the rescue need to know about the edits of a task.
type Facts struct {
	Files   []FileFacts // in order of their first edit
	Lines   int64       // changed lines in all
	TopDirs int         // distinct first path components; files in the root count as one
	Read    int         // files that had been read before
	Worst   string      // of the implementation files' test states: none, then exists, then changed; "" without such a file
}

// TaskFacts collects the edits of a task: from its ledger, or from its own stretch of the session's rows where that is not whole.
func TaskFacts(tx *store.Tx, t *telemetry.Task) (Facts, error) {
	sum, err := telemetry.Ledger(tx, t)
	if err == nil && !sum.Whole {
		sum, err = fromRows(tx, t)
	}
	if err != nil {
		return Facts{}, fmt.Errorf("collect facts of %s: %w", t.ID(), err)
	}
	fs := Facts{Files: sum.Files}
	dirs := map[string]bool{}
	for _, f := range fs.Files {
		fs.Lines += f.Lines
		if f.ReadBefore {
			fs.Read++
		}
		dir, _, nested := strings.Cut(f.Path, "/")
		if !nested {
			dir = ""
		}
		dirs[dir] = true
		if f.Kind == "impl" && testRank(f.TestState) > testRank(fs.Worst) {
			fs.Worst = f.TestState
		}
	}
	fs.TopDirs = len(dirs)
	return fs, nil
}

// Classes lists the distinct classes of the shell commands that a task has run, in no order; those that only read are left out.
func Classes(tx *store.Tx, t *telemetry.Task) ([]string, error) {
	sum, err := telemetry.Ledger(tx, t)
	if err == nil && !sum.Whole {
		sum = ledger.Ledger{}
		err = tx.Query("SELECT DISTINCT class FROM tool_log WHERE session_id=? AND n>=? AND seq=? AND class IS NOT NULL",
			[]any{t.SessionID, t.FirstRow(), t.Seq}, func(r *store.Row) error {
				sum.Ran(r.Text(0))
				return nil
			})
	}
	if err != nil {
		return nil, fmt.Errorf("list command classes of %s: %w", t.ID(), err)
	}
	return sum.Classes, nil
}

// fromRows sums the edits up row by row.
func fromRows(tx *store.Tx, t *telemetry.Task) (ledger.Ledger, error) {
	var files []FileFacts
	index := map[string]int{}
	err := tx.Query("SELECT path,kind,added+removed,read_before,test_state,ms FROM edits WHERE session_id=? AND n>=? AND seq=? ORDER BY n",
		[]any{t.SessionID, t.FirstRow(), t.Seq}, func(r *store.Row) error {
			path := r.Text(0)
			i, known := index[path]
			if !known {
				i = len(files)
				index[path] = i
				files = append(files, FileFacts{Path: path, ReadBefore: r.Bool(3)})
			}
			f := &files[i]
			f.Kind, f.TestState, f.LastMS = r.Text(1), r.Text(4), r.Int(5)
			f.Lines += r.Int(2)
			f.Edits++
			return nil
		})
	return ledger.Ledger{Files: files}, err
}

// testRank orders test states by how little they prove.
func testRank(s string) int {
	switch s {
	case "changed":
		return 1
	case "noncode":
		return 2
	case "exists":
		return 3
	case "none":
		return 4
	}
	return 0
}

// TestRun is one test command.
type TestRun struct {
	N      int64 // its place in tool_log
	Runner string
	OK     bool
	Detail string // of a failure: command and output tail
	MS     int64
}

// LastTest is the newest test command of a task, or its newest failing one; nil if there was none.
func LastTest(tx *store.Tx, t *telemetry.Task, failing bool) (*TestRun, error) {
	query := "SELECT n,runner,ok,detail,ms FROM tool_log WHERE session_id=? AND n>=? AND seq=? AND runner<>'' ORDER BY n DESC LIMIT 1"
	if failing {
		query = "SELECT n,runner,ok,detail,ms FROM tool_log WHERE session_id=? AND n>=? AND seq=? AND runner<>'' AND ok=0 ORDER BY n DESC LIMIT 1"
	}
	var run TestRun
	found, err := tx.One(query, []any{t.SessionID, t.FirstRow(), t.Seq}, &run.N, &run.Runner, &run.OK, &run.Detail, &run.MS)
	if err != nil {
		return nil, fmt.Errorf("find last test of %s: %w", t.ID(), err)
	}
	if !found {
		return nil, nil
	}
	return &run, nil
}

// Verdict is the newest answer of the judge for a task.
type Verdict struct {
	Outcome string   // pass warn fail judge_error skipped_no_diff
	DiffSHA string   // of the judged diff
	Reasons []string // "[prefix] text", never nil
}

// LastVerdict is the newest judge run of a task, one without a diff only where there is no other; nil if it was never judged.
func LastVerdict(tx *store.Tx, t *telemetry.Task) (*Verdict, error) {
	var v Verdict
	var raw string
	found, err := tx.One("SELECT verdict,diff_sha,reasons FROM judge_runs WHERE session_id=? AND seq=? AND verdict IS NOT NULL "+
		"ORDER BY verdict='skipped_no_diff',n DESC LIMIT 1", []any{t.SessionID, t.Seq}, &v.Outcome, &v.DiffSHA, &raw)
	if err != nil {
		return nil, fmt.Errorf("find last verdict of %s: %w", t.ID(), err)
	}
	if !found {
		return nil, nil
	}
	v.Reasons = reasonTexts(raw)
	return &v, nil
}

// reasonTexts reads reasons as the judge stores them: a JSON array of strings, or of objects with a prefix and a text.
func reasonTexts(raw string) []string {
	texts := []string{}
	var items []json.RawMessage
	if raw == "" || json.Unmarshal([]byte(raw), &items) != nil {
		return texts
	}
	for _, item := range items {
		var s string
		var o struct{ Prefix, Text string }
		switch {
		case json.Unmarshal(item, &s) == nil:
			texts = append(texts, s)
		case json.Unmarshal(item, &o) != nil:
		case o.Prefix == "":
			texts = append(texts, o.Text)
		default:
			texts = append(texts, "["+strings.Trim(o.Prefix, "[]")+"] "+o.Text)
		}
	}
	return texts
}

// ExportSpec is the marker file for a task, nil when it has no spec.
func ExportSpec(t *telemetry.Task) ([]byte, error) {
	if t == nil || t.SpecStatus == telemetry.SpecNone || t.SpecStatus == "" {
		return nil, nil
	}
	return spec.Marker{Status: strings.ToUpper(string(t.SpecStatus)), PlanPath: t.PlanPath, StartedAt: t.SpecMS / 1000, Cwd: t.Cwd}.Encode()
}
