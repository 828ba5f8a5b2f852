package journal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// RescueLimit is how many bytes RenderRescue returns at most.
const RescueLimit = 4096

// Bytes that the parts of a rescue text may take. The plan gets what the others leave, and at least a quarter of the whole.
const (
	planKept    = 4096
	testShown   = 1000
	partShown   = 420
	partsShown  = 2400
	rescueEdits = 10
)

// RescueExtra is what a rescue snapshot cannot find in the store.
type RescueExtra struct {
	Plan              string // text of the plan file; its first 4 KB are kept
	Branch, Head, Cwd string
	Todos             []string // from the transcript, newest list
}

// rescue is the snapshot as kv keeps it.
type rescue struct {
	MS       int64      `json:"ms"`
	Task     string     `json:"task,omitempty"`
	Request  string     `json:"request,omitempty"`
	Plan     string     `json:"plan,omitempty"`
	PlanPath string     `json:"plan_path,omitempty"`
	Spec     string     `json:"spec,omitempty"`
	Branch   string     `json:"branch,omitempty"`
	Head     string     `json:"head,omitempty"`
	Cwd      string     `json:"cwd,omitempty"`
	Runner   string     `json:"runner,omitempty"`
	Failure  string     `json:"failure,omitempty"`
	Fixed    bool       `json:"fixed,omitempty"` // a later run of the tests was green
	Signals  []string   `json:"signals,omitempty"`
	Verdict  string     `json:"verdict,omitempty"`
	Reasons  []string   `json:"reasons,omitempty"`
	Edits    []editNote `json:"edits,omitempty"`
	Todos    []string   `json:"todos,omitempty"`
	State    string     `json:"state,omitempty"`
	Attempts int64      `json:"attempts,omitempty"`
	Work     int64      `json:"work,omitempty"`
	Baseline int64      `json:"baseline,omitempty"`
}

type editNote struct {
	Path  string `json:"path"`
	Count int64  `json:"count"`
	Lines int64  `json:"lines"`
}

func rescueKey(session string) string { return "rescue:" + session }

// BuildRescue keeps what the model needs to go on after a compaction. It replaces the session's earlier snapshot.
func BuildRescue(tx *store.Tx, session string, x RescueExtra, now int64) error {
	if session == "" {
		return nil
	}
	r := rescue{MS: now, Plan: cut(x.Plan, planKept), Branch: x.Branch, Head: x.Head, Cwd: x.Cwd, Todos: x.Todos}
	t, err := telemetry.Current(tx, session)
	if err == nil && t != nil {
		err = r.fill(tx, t)
	}
	if err != nil {
		return fmt.Errorf("build rescue of %s: %w", session, err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("build rescue of %s: %w", session, err)
	}
	return telemetry.Put(tx, rescueKey(session), string(b))
}

func (r *rescue) fill(tx *store.Tx, t *telemetry.Task) error {
	r.Task, r.Request, r.PlanPath, r.Spec = t.ID(), t.Description, t.PlanPath, string(t.SpecStatus)
	r.State, r.Attempts, r.Work, r.Baseline = string(t.State), t.Attempts, t.Work(), t.TokenBaseline
	if r.Branch == "" {
		r.Branch = t.Branch
	}
	if r.Cwd == "" {
		r.Cwd = t.Cwd
	}
	failed, err := LastTest(tx, t, true)
	if err != nil {
		return err
	}
	if failed != nil {
		r.Runner, r.Failure = failed.Runner, failed.Detail
		last, err := LastTest(tx, t, false)
		if err != nil {
			return err
		}
		r.Fixed = last.OK
	}
	open, err := telemetry.OpenSignals(tx, t.SessionID, t.Seq)
	if err != nil {
		return err
	}
	for _, s := range open {
		if s.Severity != "info" {
			r.Signals = append(r.Signals, s.Severity+" "+s.Kind+" "+s.Key)
		}
	}
	v, err := LastVerdict(tx, t)
	if err != nil {
		return err
	}
	if v != nil {
		r.Verdict, r.Reasons = v.Outcome, v.Reasons
	}
	facts, err := TaskFacts(tx, t)
	if err != nil {
		return err
	}
	slices.SortStableFunc(facts.Files, func(a, b FileFacts) int { return int(b.LastMS - a.LastMS) })
	for _, f := range facts.Files[:min(len(facts.Files), rescueEdits)] {
		r.Edits = append(r.Edits, editNote{f.Path, f.Edits, f.Lines})
	}
	return nil
}

// RenderRescue is the text that brings a session back after a compaction: at most RescueLimit bytes of valid UTF-8, the most important
// first. It is "" unless source, of the SessionStart event, is "compact" and there is a snapshot. The snapshot stays until the next one.
func RenderRescue(tx *store.Tx, session, source string) (string, error) {
	if source != "compact" || session == "" {
		return "", nil
	}
	raw, err := telemetry.Get(tx, rescueKey(session))
	if err != nil || raw == "" {
		return "", err
	}
	var r rescue
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		return "", fmt.Errorf("read rescue of %s: %w", session, err)
	}
	return r.render(), nil
}

func (r *rescue) render() string {
	head := "[devflow:rescue] What was going on before the compaction (" + time.UnixMilli(r.MS).UTC().Format("15:04") + "Z):\n"
	if r.Request != "" {
		head += "Request: " + cut(r.Request, 240) + "\n"
	}
	rest := cut(r.parts(), partsShown)
	plan := ""
	if r.Plan != "" {
		title := "Plan"
		if r.PlanPath != "" {
			title += " (" + cut(r.PlanPath, 200) + ")"
		}
		room := RescueLimit - len(head) - len(title) - len(rest) - 3
		plan = title + ":\n" + strings.TrimRight(cut(r.Plan, room), "\n") + "\n"
	} else if r.PlanPath != "" {
		plan = "Plan: read " + cut(r.PlanPath, 200) + "\n"
	}
	return cut(strings.ToValidUTF8(head+plan+rest, "?"), RescueLimit)
}

// parts are the sections after the plan, in order of their weight.
func (r *rescue) parts() string {
	var b strings.Builder
	line := func(title, text string) {
		if text != "" {
			b.WriteString(title + ": " + text + "\n")
		}
	}
	list := func(title string, items []string) {
		if len(items) > 0 {
			line(title, cut(strings.Join(items, "; "), partShown))
		}
	}
	if r.Spec != string(telemetry.SpecNone) {
		line("Spec", strings.ToUpper(r.Spec))
	}
	place := r.Branch
	if r.Head != "" {
		place += " at " + r.Head[:boundary(r.Head, min(len(r.Head), 12))]
	}
	line("Branch", strings.TrimSpace(cut(place, 200)))
	line("Folder", cut(r.Cwd, 300))
	if r.Runner != "" {
		title := "Last failing test (" + r.Runner + ")"
		if r.Fixed {
			line(title, "green since")
		} else {
			b.WriteString(title + ":\n" + cutHead(strings.TrimSpace(r.Failure), testShown) + "\n")
		}
	}
	list("Open signals", r.Signals)
	if r.Verdict != "" {
		list("Last verdict", append([]string{r.Verdict}, r.Reasons...))
	}
	edits := make([]string, len(r.Edits))
	for i, e := range r.Edits {
		edits[i] = e.Path + " ×" + strconv.FormatInt(e.Count, 10)
	}
	list("Edited, newest first", edits)
	list("To do", r.Todos)
	if r.Task != "" {
		line("Task", r.Task+", "+r.State+", failed attempts "+strconv.FormatInt(r.Attempts, 10)+", work tokens "+strconv.FormatInt(r.Work, 10)+
			" (since baseline "+strconv.FormatInt(max(0, r.Work-r.Baseline), 10)+")")
	}
	return b.String()
}

// cut shortens a text to at most n bytes without breaking a character; a cut is marked where there is room for the mark.
func cut(s string, n int) string {
	const mark = " …"
	switch {
	case len(s) <= n:
		return s
	case n < 2*len(mark):
		return s[:boundary(s, max(n, 0))]
	}
	return s[:boundary(s, n-len(mark))] + mark
}

// cutHead is cut from the front: the command line stays, and of the output its end.
func cutHead(s string, n int) string {
	if len(s) <= n {
		return s
	}
	command, output, _ := strings.Cut(s, "\n")
	command = cut(command, n/3)
	from := len(output) - (n - len(command) - len("\n…"))
	for from > 0 && from < len(output) && !utf8.RuneStart(output[from]) {
		from++
	}
	return command + "\n…" + output[max(from, 0):]
}

func boundary(s string, n int) int {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
