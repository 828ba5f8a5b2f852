package judge

import (
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Waiting is a judged task whose work a person has to review before an agent may push it.
type Waiting struct {
	TaskID   string   `json:"task_id"`
	Root     string   `json:"project"`
	What     string   `json:"description"`
	Verdict  Outcome  `json:"verdict"`
	Reasons  []Reason `json:"reasons"`
	JudgedMS int64    `json:"judged_ms"`
}

// maxWaiting bounds the list; the newest come first.
const maxWaiting = 100

// Pending lists the tasks of the level human_review whose newest verdict nobody has pushed past yet.
func Pending(tx *store.Tx) ([]Waiting, error) {
	runs, err := runsOf(tx, "oversight='human_review' AND verdict IN('pass','warn','fail') "+
		"AND n=(SELECT max(n) FROM judge_runs j WHERE j.session_id=judge_runs.session_id AND j.seq=judge_runs.seq) "+
		"AND NOT EXISTS(SELECT 1 FROM pushes p JOIN tasks t ON p.root=t.project_root WHERE t.session_id=judge_runs.session_id AND t.seq=judge_runs.seq AND p.verdict='pass' AND p.ms>judge_runs.started_ms) "+
		"ORDER BY started_ms DESC LIMIT ?", maxWaiting)
	if err != nil {
		return nil, err
	}
	list := make([]Waiting, 0, len(runs))
	for _, r := range runs {
		t, err := telemetry.Find(tx, r.Session, r.Seq)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		list = append(list, Waiting{t.ID(), t.ProjectRoot, t.Description, r.Outcome, r.Reasons, r.StartedMS})
	}
	return list, nil
}
