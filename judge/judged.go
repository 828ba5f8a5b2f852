package judge

import "github.com/devflow-suite/devflow/internal/store"

// Judged is a verdict about a work tree, for whoever wants to publish that.
type Judged struct {
	Session string
	Level   string // of the task when it was judged
	Tree    string
	Outcome Outcome
	Reasons []Reason
}

// JudgedTrees lists the newest verdicts about work trees of a project, the newest first.
func JudgedTrees(tx *store.Tx, root string, limit int) ([]Judged, error) {
	runs, err := runsOf(tx, "tree IS NOT NULL AND EXISTS(SELECT 1 FROM tasks t WHERE t.session_id=judge_runs.session_id AND t.seq=judge_runs.seq AND t.project_root=?) "+
		"ORDER BY started_ms DESC LIMIT ?", root, limit)
	list := make([]Judged, 0, len(runs))
	for _, r := range runs {
		list = append(list, Judged{r.Session, r.Level, r.Tree, r.Outcome, r.Reasons})
	}
	return list, err
}
