package review

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rule is a rule as programs read it.
type Rule struct {
	ID    string       `json:"rule"`
	Axis  verdict.Axis `json:"axis"`
	Level string       `json:"level"` // the heaviest that its findings have
	What  string       `json:"what"`
	Why   string       `json:"why"`
}

// Rules describes rules for programs.
func Rules(list []rule.Rule) []Rule {
	out := make([]Rule, 0, len(list))
	for _, r := range list {
		out = append(out, Rule{r.ID, r.Axis, level(r.Class), r.What, r.Why})
	}
	return out
}

// WriteRules lists rules for eyes, in the order of the axes.
func WriteRules(w io.Writer, list []rule.Rule) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tLEVEL\tAXIS\tFINDS")
	for _, r := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, level(r.Class), r.Axis, r.What)
	}
	return t.Flush()
}
