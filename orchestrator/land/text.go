package land

import (
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// refusal gives what a merge refuses, in words for who has to repair it; "" for an error of another kind.
func refusal(err error) string {
	if c, ok := errors.AsType[*trees.ConflictError](err); ok {
		return fmt.Sprintf("both changed the same lines, in %s:\n%s", strings.Join(c.Paths, ", "), c.Text)
	}
	if l, ok := errors.AsType[*trees.LostError](err); ok {
		text := fmt.Sprintf("the merge of %s would lose what one side made: %s", l.Path, l.Why)
		if len(l.Lines) > 0 {
			text += "\n" + strings.Join(l.Lines, "\n")
		}
		return text
	}
	if c, ok := errors.AsType[*trees.CollisionError](err); ok {
		return fmt.Sprintf("%s and %s would be one file where letter case or Unicode form does not count; choose another name", c.A, c.B)
	}
	return ""
}

func conflictText(why string) string {
	return "The change passed its check, but it does not merge with what others integrated meanwhile: " + why +
		"\nThe folders now hold the integrated state, without the change. Make it again on top of that."
}

func redText(v Verdict) string {
	what := "the check is red"
	if v.TimedOut {
		what = "the check did not end in time"
	}
	return "The change passed its check alone, but merged with what others integrated meanwhile " + what + ":\n" + v.Output +
		"\nThe folders now hold the integrated state, without the change. Make it again so that the check passes there."
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
