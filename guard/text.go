package guard

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// MaxText bounds the text about a call, in bytes.
const MaxText = 1500

// maxListed bounds how many findings a text spells out.
const maxListed = 4

// Text is what the model and the person read about a call that did not pass: for each finding what it is, in which part, why,
// and what to do instead; then how a person allows it. Without a code nobody can.
func Text(found []verdict.Finding, code string) string {
	var b strings.Builder
	for i, f := range found {
		if i == maxListed || b.Len() > MaxText-300 {
			b.WriteString("and more.\n")
			break
		}
		b.WriteString(sentence(f))
		b.WriteByte('\n')
	}
	switch {
	case code == "":
	case verdict.Worst(found) == verdict.Ask:
		b.WriteString("A person decides, in the dialog; where there is none, by typing within ten minutes: " + approval.Prefix + code)
	default:
		b.WriteString("Only a person can allow this call, once and within ten minutes, by typing: " + approval.Prefix + code)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Notice tells the person of a refusal in one line. The client shows the text of a refusal cut after its first lines, and with
// it the code would be lost.
func Notice(found []verdict.Finding, code string) string {
	if len(found) == 0 || code == "" || verdict.Worst(found) == verdict.Ask {
		return ""
	}
	return "[devflow:" + family(found[0].Rule) + "] Refused (" + found[0].Rule + "). To allow exactly this call once, type: " + approval.Prefix + code
}

// sentence is one finding in one line.
func sentence(f verdict.Finding) string {
	var b strings.Builder
	b.WriteString("[devflow:" + family(f.Rule) + "] ")
	if f.Decision == verdict.Ask {
		b.WriteString("asks a person (" + f.Rule + "): ")
	} else {
		b.WriteString("refused (" + f.Rule + "): ")
	}
	if f.Segment != "" {
		b.WriteString(quoted(f.Segment) + " ")
	}
	b.WriteString(f.What)
	if f.Why != "" {
		b.WriteString(": " + f.Why)
	}
	if last := b.String()[b.Len()-1]; last != '.' {
		b.WriteByte('.')
	}
	if f.Instead != "" {
		b.WriteString(" Instead: " + strings.TrimSuffix(f.Instead, ".") + ".")
	}
	return b.String()
}

// family is the part of the guard that a rule belongs to.
func family(rule string) string {
	switch group, _, _ := strings.Cut(rule, "."); group {
	case "self":
		return "self"
	case "secret":
		return "secrets"
	case "push":
		return "push-gate"
	}
	return "guard"
}

// quoted marks a segment that is a command; places of files speak for themselves.
func quoted(segment string) string {
	if strings.HasPrefix(segment, "line ") || strings.HasPrefix(segment, "the command `") {
		return segment
	}
	return "`" + strings.ReplaceAll(segment, "\n", " ") + "`"
}
