package judge

import (
	"encoding/json"
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// maxStored bounds the reasons of one row of judge_runs.
const maxStored = 50

// deterministic is the backend and the model of a verdict for which none was asked.
const deterministic = "deterministic"

// run is one row of judge_runs.
type run struct {
	Session         string
	Seq, N, Attempt int64
	DiffSHA         string
	Usage           Usage
	Level           string
	StartedMS, MS   int64
	Outcome         Outcome
	Reasons         []Reason
	Told            bool
	Tree            string // the work tree that was judged; empty when it could not be seen
}

const runColumns = "session_id,seq,n,coalesce(attempt,0),coalesce(diff_sha,''),coalesce(oversight,''),coalesce(started_ms,0),coalesce(ms,0),verdict,coalesce(reasons,''),told,coalesce(tree,'')"

func insertRun(tx *store.Tx, r *run) error {
	if _, err := tx.One("SELECT coalesce(max(n),0)+1 FROM judge_runs WHERE session_id=? AND seq=?", []any{r.Session, r.Seq}, &r.N); err != nil {
		return fmt.Errorf("number judge run of %s: %w", telemetry.TaskID(r.Session, r.Seq), err)
	}
	reasons, err := json.Marshal(r.Reasons[:min(len(r.Reasons), maxStored)])
	if err != nil {
		return fmt.Errorf("encode reasons: %w", err)
	}
	u := r.Usage
	if u.Backend == "" {
		u.Backend, u.Model = deterministic, deterministic
	}
	var cost any // unknown stays unknown
	if !u.Unpriced {
		cost = u.CostUSD
	}
	if _, err := tx.Exec("INSERT INTO judge_runs(session_id,seq,n,attempt,diff_sha,backend,model,oversight,started_ms,ms,verdict,reasons,told,tree,raw,tokens_in,tokens_out,cost_usd) "+
		"VALUES(?,?,?,?,?,?,?,?,?,?,?,?,0,nullif(?,''),nullif(?,''),?,?,?)",
		r.Session, r.Seq, r.N, r.Attempt, r.DiffSHA, u.Backend, u.Model, r.Level, r.StartedMS, r.MS, string(r.Outcome), string(reasons), r.Tree, u.Raw, u.TokensIn, u.TokensOut, cost); err != nil {
		return fmt.Errorf("store judge run of %s: %w", telemetry.TaskID(r.Session, r.Seq), err)
	}
	return nil
}

// runsOf lists judge runs, the newest first.
func runsOf(tx *store.Tx, where string, args ...any) ([]run, error) {
	var runs []run
	err := tx.Query("SELECT "+runColumns+" FROM judge_runs WHERE "+where, args, func(row *store.Row) error {
		r := run{
			Session: row.Text(0), Seq: row.Int(1), N: row.Int(2), Attempt: row.Int(3), DiffSHA: row.Text(4), Level: row.Text(5),
			StartedMS: row.Int(6), MS: row.Int(7), Outcome: Outcome(row.Text(8)), Told: row.Bool(10), Tree: row.Text(11),
		}
		_ = json.Unmarshal([]byte(row.Text(9)), &r.Reasons) // reasons in another form are no reason to fail
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list judge runs of %v: %w", args[0], err)
	}
	return runs, nil
}

// lastRun is the newest run of a task, nil if it was never judged.
func lastRun(tx *store.Tx, session string, seq int64) (*run, error) {
	runs, err := runsOf(tx, "session_id=? AND seq=? ORDER BY n DESC LIMIT 1", session, seq)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

// Telling is a verdict that nobody has shown yet.
type Telling struct {
	Session string
	Seq, N  int64
	Outcome Outcome
	Context string // for the model, at most verdict.MaxReflection bytes; empty when it is only for the person
	Message string // for the person
}

// maxTasks bounds how many tasks back an untold verdict is looked for: a detached run may end when the next task has begun.
const maxTasks = 4

// Untold is the newest verdict of a session that was neither a pass nor shown, nil when there is none. A verdict that a
// newer one of the same task has replaced is not shown any more.
func Untold(tx *store.Tx, session string) (*Telling, error) {
	runs, err := runsOf(tx, "session_id=?1 AND n=(SELECT max(n) FROM judge_runs j WHERE j.session_id=?1 AND j.seq=judge_runs.seq) ORDER BY seq DESC LIMIT ?2", session, maxTasks)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if r := &runs[i]; !r.Told && (r.Outcome == Fail || r.Outcome == Warn || r.Outcome == Error) {
			return telling(r), nil
		}
	}
	return nil, nil
}

// MarkTold notes that a verdict was shown: it belongs in the transaction of whoever shows it.
func MarkTold(tx *store.Tx, session string, seq, n int64) error {
	if _, err := tx.Exec("UPDATE judge_runs SET told=1 WHERE session_id=? AND seq=? AND n<=? AND told=0", session, seq, n); err != nil {
		return fmt.Errorf("mark verdict of %s as told: %w", telemetry.TaskID(session, seq), err)
	}
	return nil
}

// haltedKey holds the findings that have halted a task: they block no more, whatever happens to the halt.
func haltedKey(session string, seq int64) string { return "halted:" + telemetry.TaskID(session, seq) }

func haltedFindings(tx *store.Tx, session string, seq int64) (map[string]bool, error) {
	raw, err := telemetry.Get(tx, haltedKey(session, seq))
	if err != nil || raw == "" {
		return nil, err
	}
	var list []string
	if json.Unmarshal([]byte(raw), &list) != nil {
		return nil, nil
	}
	known := map[string]bool{}
	for _, f := range list {
		known[f] = true
	}
	return known, nil
}

func keepHalted(tx *store.Tx, session string, seq int64, reasons []Reason, known map[string]bool) error {
	list := make([]string, 0, len(reasons)+len(known))
	for f := range known {
		list = append(list, f)
	}
	for _, r := range reasons {
		if r.Weight() == Hard && !known[r.Finding()] {
			list = append(list, r.Finding())
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode findings: %w", err)
	}
	return telemetry.Put(tx, haltedKey(session, seq), string(raw))
}

// allKnown is true when every hard reason has halted this task before.
func allKnown(reasons []Reason, known map[string]bool) bool {
	for _, r := range reasons {
		if r.Weight() == Hard && !known[r.Finding()] {
			return false
		}
	}
	return len(known) > 0
}

// sameFindings compares two lists of reasons by what they complain about.
func sameFindings(a, b []Reason) bool {
	seen := map[string]int{}
	for _, r := range a {
		seen[r.Finding()]++
	}
	for _, r := range b {
		seen[r.Finding()]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}

// encode is the JSON of a list of strings.
func encode(list []string) string {
	data, err := json.Marshal(list)
	if err != nil {
		return "[]" // unreachable: strings always encode
	}
	return string(data)
}
