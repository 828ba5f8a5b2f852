package review

import (
	"encoding/json"
	"io"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Word is the outcome for people and programs: PASS, WARN, FAIL, COULD_NOT_JUDGE, or NOTHING_TO_JUDGE.
func (r Report) Word() string {
	switch r.Outcome {
	case judge.Pass:
		return "PASS"
	case judge.Warn:
		return "WARN"
	case judge.Fail:
		return "FAIL"
	case judge.Skipped:
		return "NOTHING_TO_JUDGE"
	}
	return "COULD_NOT_JUDGE"
}

// level is what a reason does to the outcome.
func level(c judge.Class) string {
	switch c {
	case judge.Hard:
		return "FAIL"
	case judge.Soft:
		return "WARN"
	case judge.Note:
		return "NOTE"
	}
	return "COULD_NOT_JUDGE"
}

// finding is a reason as programs read it.
type finding struct {
	Level    string       `json:"level"` // FAIL WARN NOTE COULD_NOT_JUDGE
	Rule     string       `json:"rule,omitempty"`
	Axis     verdict.Axis `json:"axis,omitempty"`
	File     string       `json:"file,omitempty"`
	Line     int          `json:"line,omitempty"`
	Gone     bool         `json:"gone,omitempty"`
	Unit     string       `json:"unit,omitempty"`
	Text     string       `json:"text"`
	Evidence string       `json:"evidence,omitempty"`
	Fix      string       `json:"fix,omitempty"`
	Waived   bool         `json:"waived,omitempty"`
}

// Axes gives the heaviest level on each of the eleven axes, PASS where nothing was found.
func (r Report) Axes() map[verdict.Axis]string {
	out := map[verdict.Axis]string{}
	for _, a := range verdict.Axes() {
		out[a] = "PASS"
	}
	for _, reason := range r.Reasons {
		if reason.Axis == "" {
			continue
		}
		switch l := level(reason.Weight()); {
		case l == "FAIL", l == "WARN" && out[reason.Axis] != "FAIL":
			out[reason.Axis] = l
		}
	}
	return out
}

// JSON writes one object.
func (r Report) JSON(w io.Writer) error {
	list := make([]finding, 0, len(r.Reasons))
	for _, x := range r.Reasons {
		list = append(list, finding{level(x.Weight()), x.Rule, x.Axis, x.File, x.Line, x.Gone, x.Unit, x.Text, x.Evidence, x.Fix, x.Waived})
	}
	out := struct {
		Verdict  string                  `json:"verdict"`
		Axes     map[verdict.Axis]string `json:"axes"`
		Findings []finding               `json:"findings"`
		Root     string                  `json:"root,omitempty"`
		Base     string                  `json:"base,omitempty"`
		Files    int                     `json:"files"`
		Read     int                     `json:"files_read"`
		Partial  bool                    `json:"partial"` // a patch: nothing was asked of the rest of the project
		Backend  string                  `json:"backend"`
		Model    string                  `json:"model,omitempty"`
		TokensIn int64                   `json:"tokens_in"`
		TokenOut int64                   `json:"tokens_out"`
		Cost     *float64                `json:"cost_usd"` // null: not known
	}{r.Word(), r.Axes(), list, r.Root, r.Base, r.Files, r.Read, r.Partial, "deterministic", r.Usage.Model, r.Usage.TokensIn, r.Usage.TokensOut, nil}
	if r.Usage.Backend != "" {
		out.Backend = r.Usage.Backend
	}
	if !r.Usage.Unpriced {
		out.Cost = &r.Usage.CostUSD
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}
