package told

import (
	"fmt"
	"io"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive"
	"github.com/devflow-suite/devflow/internal/commandline"
)

// Rule is a destructive rule as people and programs read it.
type Rule struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
	What     string `json:"what"`
	Why      string `json:"why"`
	Instead  string `json:"instead,omitempty"`
}

// Rules lists the destructive rules.
func Rules() []Rule {
	var list []Rule
	for _, r := range destructive.Rules() {
		list = append(list, Rule{r.ID, r.Decision.String(), r.What, strings.ReplaceAll(r.Why, "%", "it"), r.Instead})
	}
	return list
}

// WriteRules writes rules for people.
func WriteRules(w io.Writer, list []Rule) error {
	for _, r := range list {
		if _, err := fmt.Fprintf(w, "%s (%s)\n", r.ID, r.Decision); err != nil {
			return err
		}
		for _, text := range [...]string{r.What + ": " + r.Why, "instead: " + r.Instead} {
			fold := &commandline.Fold{W: w, Width: width}
			if _, err := fmt.Fprintln(fold, "  "+text); err != nil {
				return err
			}
			if err := fold.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
