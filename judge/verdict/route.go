package verdict

import (
	"fmt"
	"strings"
)

// Action is what the caller of a boundary run does with its text.
type Action string

// The actions. Only Block lets the model go on; Halt ends the run for a person.
const (
	Silent  Action = "silent"
	Message Action = "message" // shown to the person, the turn ends
	Block   Action = "block"
	Halt    Action = "halt"
)

// Bounds of what is said, in bytes.
const (
	MaxBlock      = 3000
	MaxReflection = 1500
	MaxListed     = 10 // reasons
)

// Routing is what decides about the answer to a verdict.
type Routing struct {
	Task           string // its id
	Level          string
	Verdict        Verdict
	Attempt, Limit int64
	Halted         bool   // no attempt is left, or none was left before
	Same           bool   // the diff is the one of the attempt before
	Known          bool   // every hard reason has halted this task before
	Unable         bool   // every hard reason says that somebody could not look: nothing that the agent could repair
	Code           string // with Halted
	Report         string // path of post-mortem.md, with Halted
}

// Route decides what happens at the end of the turn: pass is silent, a high risk failure goes
// through the breaker, and neither a warning nor an outcome that nobody could find ever blocks, nor a failure that only says
// that somebody could not look.
func Route(r Routing) (Action, string) {
	high := r.Level == "strict" || r.Level == "human_review"
	review := ""
	if r.Level == "human_review" {
		review = " A person has to review this task before it is pushed."
	}
	switch r.Verdict.Outcome {
	case Fail:
		switch {
		case r.Unable && high:
			return Message, r.List("could not judge", "This is not a pass: do not push on it."+review)
		case !high:
			return Message, r.List("FAIL", "Do not push before this is resolved.")
		case r.Known:
			return Message, r.List("FAIL", "These findings were handed to a person before: they do not block this turn; do not push before they are resolved."+r.resume())
		case r.Halted:
			return Halt, Fit(MaxBlock, fmt.Sprintf("[devflow:HALTED_FOR_REVIEW] %s: %d attempts failed.\n", r.Task, r.Attempt), r.Verdict.Reasons, "\nReport: "+r.Report+r.resume())
		}
		return Block, r.retry()
	case Warn:
		if r.Level == "standard" {
			return Silent, ""
		}
		return Message, r.List("WARN", strings.TrimSpace(review))
	case Error:
		if r.Level == "vibe" {
			return Silent, ""
		}
		return Message, r.List("could not judge", "This is not a pass: do not push on it."+review)
	case Pass:
		if review != "" {
			return Message, "[devflow:judge] " + r.Task + ": PASS." + review
		}
	}
	return Silent, ""
}

func (r Routing) resume() string {
	if r.Code == "" {
		return ""
	}
	return "\nA person decides. To let the work go on, type: devflow approve " + r.Code
}

// retry is the reason of a block: what is wrong, where, and every way out of it.
func (r Routing) retry() string {
	head := fmt.Sprintf("[devflow:CRITICAL_RETRY] %d/%d %s failed its check at the end of the turn.\n", r.Attempt, r.Limit, r.Task)
	if r.Same {
		head += "Nothing has changed since the last attempt: the same diff counts again.\n"
	}
	tail := fmt.Sprintf("\nResolve every point above, then end the turn: the new diff is judged. Attempt %d of %d without success hands the task to a person.\n"+
		"Way out for a person: Esc ends the turn now; `devflow uninstall` in a terminal removes this gate.", r.Limit, r.Limit)
	return Fit(MaxBlock, head, r.Verdict.Reasons, tail)
}

// List is a message of a few lines.
func (r Routing) List(word, tail string) string {
	if tail != "" {
		tail = "\n" + tail
	}
	return Fit(MaxReflection, "[devflow:judge] "+r.Task+": "+word+".\n", r.Verdict.Reasons, tail)
}

// Fit writes head, as many reasons as there is room for, and tail, which is never cut.
func Fit(limit int, head string, reasons []Reason, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	room := limit - len(head) - len(tail) - len("… and 999 more\n")
	listed := 0
	for _, r := range reasons {
		entry := Describe(r)
		if listed == MaxListed || len(entry) > room {
			break
		}
		b.WriteString(entry)
		room -= len(entry)
		listed++
	}
	if left := len(reasons) - listed; left > 0 {
		fmt.Fprintf(&b, "… and %d more\n", left)
	}
	return strings.TrimSuffix(b.String(), "\n") + tail
}

// Describe is a reason with its evidence line and what to do about it.
func Describe(r Reason) string {
	var b strings.Builder
	b.WriteString("- " + r.String() + "\n")
	switch where := r.Place(); {
	case r.Evidence != "" && r.Line > 0 && where != "":
		b.WriteString("    " + where + ": " + r.Evidence + "\n")
	case r.Evidence != "":
		b.WriteString("    " + r.Evidence + "\n")
	case where != "" && (r.Line > 0 || !strings.Contains(r.Text, r.File)):
		b.WriteString("    " + where + "\n")
	}
	if r.Fix != "" {
		b.WriteString("    → " + r.Fix + "\n")
	}
	return b.String()
}
