package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/judge/verdict"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/telemetry"
)

// Files in a session's state folder: exports for people, the store is the truth.
const (
	resultFile = "judge-result.json"
	reportFile = "post-mortem.md"
	reviewDir  = "pending_reviews"
)

// exported is judge-result.json and a file in pending_reviews.
type exported struct {
	TaskID  string         `json:"task_id"`
	Level   string         `json:"oversight_level"`
	Verdict Outcome        `json:"verdict"`
	Reasons []Reason       `json:"reasons"`
	Attempt int64          `json:"attempt"`
	Halted  bool           `json:"halted"`
	DiffSHA string         `json:"diff_sha"`
	At      string         `json:"at"`
	Leaves  map[string]any `json:"leaves"` // of the full judge; empty here
}

// export writes the files of a run. An error names the first that could not be written; the verdict stands all the same.
func (b *boundary) export(r *Result, runs []run, open []telemetry.Signal) error {
	dir := b.d.Paths.SessionDir(b.session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	data, err := json.MarshalIndent(exported{
		TaskID: r.TaskID, Level: r.Level, Verdict: r.Verdict, Reasons: r.Reasons, Attempt: r.Attempt, Halted: r.Halted, DiffSHA: r.DiffSHA,
		At: b.d.Now().UTC().Format(time.RFC3339), Leaves: map[string]any{},
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode verdict: %w", err)
	}
	data = append(data, '\n')
	if err := atomicfile.WriteFile(filepath.Join(dir, resultFile), data, 0o600); err != nil {
		return err
	}
	if r.Action == Halt {
		if err := atomicfile.WriteFile(filepath.Join(dir, reportFile), []byte(b.postMortem(r, runs, open)), 0o600); err != nil {
			return err
		}
	}
	if r.Level != "human_review" || r.Verdict == Skipped {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(dir, reviewDir), 0o700); err != nil {
		return fmt.Errorf("make review folder: %w", err)
	}
	return atomicfile.WriteFile(filepath.Join(dir, reviewDir, fmt.Sprintf("%d.json", b.task.Seq)), data, 0o600)
}

// postMortem is what a person reads after the last attempt. runs are the failed ones, the newest first.
func (b *boundary) postMortem(r *Result, runs []run, open []telemetry.Signal) string {
	var w strings.Builder
	t := b.task
	fmt.Fprintf(&w, "# Post-mortem of %s\n\n", r.TaskID)
	fmt.Fprintf(&w, "- Task: %s\n- Project: %s (branch %s)\n- Risk: %s\n- Halted: %s\n\n", orDash(t.Description), t.ProjectRoot, orDash(t.Branch), r.Level, b.d.Now().UTC().Format(time.RFC3339))
	fmt.Fprintf(&w, "%d attempts failed. The work goes on when a person types `devflow approve %s` in the session.\n\n", r.Attempt, r.ResumeCode)
	w.WriteString("## Attempts\n\n| attempt | time | verdict | diff | reasons |\n|---|---|---|---|---|\n")
	for i := len(runs) - 1; i >= 0; i-- {
		a := runs[i]
		fmt.Fprintf(&w, "| %d | %s | %s | %.12s | %s |\n", a.Attempt, time.UnixMilli(a.StartedMS).UTC().Format("15:04:05"), a.Outcome, a.DiffSHA, cell(hardOnes(a.Reasons)))
	}
	w.WriteString("\n## Evidence of the last attempt\n\n```\n")
	for _, reason := range r.Reasons[:min(len(r.Reasons), verdict.MaxListed)] {
		w.WriteString(strings.ReplaceAll(verdict.Describe(reason), "```", "'''"))
	}
	w.WriteString("```\n\n## Signals of the last attempt\n\n")
	if len(open) == 0 {
		w.WriteString("none\n")
	}
	for _, s := range open {
		fmt.Fprintf(&w, "- %s %s (%s)\n", s.Kind, s.Key, s.Severity)
	}
	first := "the findings above"
	if len(r.Reasons) > 0 {
		first = "\"" + r.Reasons[0].String() + "\""
	}
	fmt.Fprintf(&w, "\n## Three questions for you\n\n1. Is %s right, or does the rule not fit this code?\n"+
		"2. Can the task be done as it was described? If something is missing (a decision, an access, a dependency), what is it?\n"+
		"3. What is the one thing the next attempt should do differently? Say it after the approval, or take the change over yourself.\n", first)
	return w.String()
}

func hardOnes(reasons []Reason) []string {
	var texts []string
	for _, r := range reasons {
		if r.Weight() == Hard {
			texts = append(texts, r.String())
		}
	}
	return texts
}

// cell joins texts so that they stay in one cell of a table.
func cell(texts []string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(strings.Join(texts, "<br>"))
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
