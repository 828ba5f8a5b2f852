package leaf

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/model/shown"
	"github.com/devflow-suite/devflow/judge/model/vote"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Bounds of what is taken from one answer.
const (
	MaxFindings  = 10
	maxReasoning = 2000 // bytes
	maxItem      = 200  // bytes of a quoted demand
)

// Case is what the answer is held against.
type Case struct {
	Diff shown.Diff
	Task string // task and specification as they were shown
}

// Answer is what is left of a model's answer.
type Answer struct {
	Columns  map[string]any   // telemetry columns by name; only those that the model answered with ground
	Findings []verdict.Reason // soft
	Overall  string           // what the model thinks of the whole; never used
}

type wireLeaf struct {
	Reason string          `json:"reason"`
	Quote  string          `json:"quote"`
	Value  json.RawMessage `json:"value"`
}

type wire struct {
	Leaves map[string]wireLeaf `json:"leaves"`
	Asked  []struct {
		Item     string `json:"item"`
		Evidence string `json:"evidence"`
		Status   string `json:"status"`
	} `json:"asked"`
	Unasked []struct {
		What  string `json:"what"`
		Quote string `json:"quote"`
	} `json:"unasked"`
	Summary string `json:"summary"`
	Overall string `json:"overall"`
}

// Read takes what counts from an answer that satisfies Schema.
func Read(answer []byte, c Case) (Answer, error) {
	var w wire
	if err := json.Unmarshal(answer, &w); err != nil {
		return Answer{}, fmt.Errorf("read leaves: %w", err)
	}
	out := Answer{Columns: map[string]any{}, Overall: w.Overall}
	var reasoning strings.Builder
	for _, l := range leaves {
		got, ok := w.Leaves[l.key]
		if !ok {
			continue
		}
		value, bad, ok := l.value(got.Value)
		if !ok || vote.Contradicts(got.Reason, bad) {
			continue
		}
		if bad {
			finding, grounded := l.finding(got, c.Diff)
			if !grounded {
				continue
			}
			out.Findings = append(out.Findings, finding)
			fmt.Fprintf(&reasoning, "%s=%s: %s\n", l.key, strings.Trim(string(got.Value), `"`), got.Reason)
		}
		if l.key == "edge_case_coverage" && value == "thorough" && len(c.Diff.Cut)+len(c.Diff.Listed) > 0 {
			value = "adequate" // nobody who saw a part can say more
		}
		if l.column != "" {
			out.Columns[l.column] = value
		}
	}
	if n, ok := out.Columns["lob_violations"]; ok {
		out.Columns["arch_pattern_violations"] = n
	}
	out.Findings = append(out.Findings, w.scope(c)...)
	if len(out.Findings) > MaxFindings {
		out.Findings = out.Findings[:MaxFindings]
	}
	reasoning.WriteString(w.Summary)
	if text := strings.TrimSpace(reasoning.String()); text != "" {
		out.Columns["judge_reasoning"] = redact.Clip(text, maxReasoning)
	}
	return out, nil
}

// value reads the value of a leaf: as its column keeps it, and whether it speaks against the work.
func (l leaf) value(raw json.RawMessage) (value any, bad, ok bool) {
	if l.values == "" {
		var score float64
		if json.Unmarshal(raw, &score) != nil || !(score >= 0 && score <= 1) {
			return nil, false, false
		}
		return score, score < l.least, true
	}
	var word string
	if json.Unmarshal(raw, &word) != nil || !slices.Contains(strings.Split(l.values, "|"), word) {
		return nil, false, false
	}
	bad = !slices.Contains(strings.Split(l.good, "|"), word)
	switch l.column {
	case "lob_violations", "type_contract_violations": // counts
		if bad {
			return 1, bad, true
		}
		return 0, bad, true
	case "duplication_detected", "unjustified_complexity":
		return bad, bad, true
	}
	return word, bad, true
}

func (l leaf) finding(got wireLeaf, d shown.Diff) (verdict.Reason, bool) {
	path, line, ok := d.Find(got.Quote)
	if !ok {
		return verdict.Reason{}, false
	}
	return verdict.Reason{
		Prefix: l.axis.Prefix(), Rule: l.rule, Axis: l.axis, Class: verdict.Soft, File: path, Line: line,
		Text:     l.text + ": " + path,
		Evidence: firstLine(got.Quote), Fix: l.fix + " (A model's opinion: " + redact.Clip(oneLine(got.Reason), maxItem) + ")",
	}, true
}

// scope turns the two lists of axis 10 into findings: a demand counts when it is quoted from the task, a change that nobody
// asked for when it is quoted from the diff.
func (w wire) scope(c Case) []verdict.Reason {
	if strings.TrimSpace(c.Task) == "" {
		return nil
	}
	axis := verdict.Scope
	var out []verdict.Reason
	for _, a := range w.Asked {
		if a.Status == "done" || !shown.In(c.Task, a.Item) || a.Status == "not_done" && shown.In(c.Diff.Text, a.Evidence) {
			continue
		}
		r := verdict.Reason{Prefix: axis.Prefix(), Rule: "scope-not-done", Axis: axis, Class: verdict.Soft, Evidence: redact.Clip(oneLine(a.Item), maxItem),
			Text: "the task asks for something that a model does not find in the change", Fix: "Do it, or say in the task that it is left out."}
		if a.Status == "partial" {
			r.Rule, r.Text = "scope-partial", "the task asks for something that a model finds done only in part"
		}
		r.Text += ": " + r.Evidence
		r.File, r.Line, _ = c.Diff.Find(a.Evidence)
		out = append(out, r)
	}
	for _, u := range w.Unasked {
		path, line, ok := c.Diff.Find(u.Quote)
		if !ok {
			continue
		}
		out = append(out, verdict.Reason{Prefix: axis.Prefix(), Rule: "scope-unasked", Axis: axis, Class: verdict.Soft, File: path, Line: line,
			Text: "the change does something that nobody asked for: " + path, Evidence: firstLine(u.Quote),
			Fix: "Take it out, or name it in the task. (A model's opinion: " + redact.Clip(oneLine(u.What), maxItem) + ")"})
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return redact.Clip(s, verdict.MaxEvidence)
}
