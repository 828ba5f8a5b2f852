package guard

import (
	"errors"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Scene is where a tool call happens.
type Scene struct {
	World   place.World
	Places  protect.Places
	Allowed func(rule string) bool // destructive rules that the user has lifted in the configuration; nil = none
}

// Rules that are not in a table of a package below.
const (
	ruleUnread  = "shell.unreadable"
	ruleDeep    = "shell.too-deep"
	RuleRefused = "write.refused" // a road around a Write that was refused a moment ago
	RuleTest    = "test.deleted-red"
)

// Check says what speaks against running a command line, the heaviest first. It is linear in the line, and a 2 MB line gets the
// verdict of a short one.
func Check(l *line.Line, s Scene) []verdict.Finding {
	found := unread(l)
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		one := s.lifted(destructive.Check(&l.Expanded, c, s.World))
		if l.FromFile(i) {
			one = slices.DeleteFunc(one, func(f verdict.Finding) bool { return f.Decision == verdict.Ask }) // its arguments are not known
		}
		found = append(found, one...)
	}
	found = append(found, s.lifted(destructive.Redirects(&l.Expanded, s.World))...)
	found = append(found, protect.Commands(&l.Expanded, s.World, s.Places)...)
	found = append(found, protect.Writes(l.Writes, s.World, s.Places)...)
	found = append(found, secrets(l)...)
	return tidy(found)
}

// lifted leaves out what the user allows in general.
func (s Scene) lifted(found []verdict.Finding) []verdict.Finding {
	if s.Allowed == nil || len(found) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f verdict.Finding) bool { return s.Allowed(f.Rule) })
}

// unread is what speaks against a line that could not be read to its end.
func unread(l *line.Line) []verdict.Finding {
	f := verdict.Finding{Rule: ruleUnread, Decision: verdict.Deny, Segment: redact.Clip(l.Source, maxSegment), Instead: "write it as plain commands, one after the other"}
	switch {
	case l.Err == nil:
		return nil
	case errors.Is(l.Err, shell.ErrTooDeep), errors.Is(l.Err, shell.ErrTooLong):
		f.Rule, f.Decision, f.What, f.Why = ruleDeep, verdict.Ask, "cannot be read", l.Err.Error()
	case push.Looks(l.Source) && len(l.Pushes) == 0:
		f.What, f.Why = "cannot be read as shell, and looks like a push", "what it would publish cannot be told"
	case looksDeleting(l.Source):
		f.What, f.Why = "cannot be read as shell, and looks like a deletion", "what it would delete cannot be told"
	default:
		return nil // the shell cannot read it either
	}
	return []verdict.Finding{f}
}

// maxSegment bounds the part of a command line that a finding quotes, in bytes.
const maxSegment = 200

// looksDeleting is for text that cannot be parsed: it is true when the text holds the words of a deletion.
func looksDeleting(text string) bool {
	for _, w := range [...]string{"rmtree", "reset --hard", "clean -f", "clean -d", "mkfs", "of=/dev/", "-delete", "rmSync", "Remove-Item", "shred "} {
		if strings.Contains(text, w) {
			return true
		}
	}
	for rest := text; ; {
		i := strings.Index(rest, "rm ")
		if i < 0 {
			return false
		}
		if (i == 0 || !wordByte(rest[i-1])) && strings.HasPrefix(strings.TrimLeft(rest[i+3:], " \t"), "-") {
			return true
		}
		rest = rest[i+3:]
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// secrets looks at what a line writes to files or publishes: the text of every such command and what is fed to it. A key that
// a command only uses passes.
func secrets(l *line.Line) []verdict.Finding {
	keeps := make([]bool, len(l.Expanded.Commands))
	loose := false // a compound statement writes: any command may be the source
	for _, w := range l.Writes {
		switch {
		case w.Delete:
		case w.Cmd < 0:
			loose = true
		default:
			keeps[w.Cmd] = true
		}
	}
	var found []verdict.Finding
	seen := map[string]bool{}
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		if !keeps[i] && !loose && !publishes(c) {
			continue
		}
		texts := append(said(c), c.Text, c.Stdin.Text.Text)
		for _, r := range c.Redirs {
			texts = append(texts, r.Body.Text)
		}
		for _, text := range texts {
			if text == "" || seen[text] {
				continue
			}
			seen[text] = true
			for _, m := range find(text, true) {
				found = append(found, secretFinding(m, "the command `"+redact.Clip(c.Text, maxSegment/2)+"`"))
			}
		}
	}
	return found
}

// publishes is whether a command keeps or sends its own words: messages of commits, texts on a server.
func publishes(c *shell.Command) bool {
	if len(c.Args) == 0 {
		return false
	}
	switch c.Name {
	case "git":
		return slices.Contains(c.Args, "commit") || slices.Contains(c.Args, "tag") || slices.Contains(c.Args, "notes")
	case "gh", "glab":
		switch c.Args[0] {
		case "issue", "pr", "mr", "gist", "release", "api", "repo":
			return true
		}
	}
	return false
}

// secretFinding names rule and place of a secret, never its value.
func secretFinding(m hit, where string) verdict.Finding {
	return verdict.Finding{
		Rule: "secret." + m.Rule, Decision: verdict.Deny, What: "writes a secret", Segment: where,
		Why:     "what is written here is read by everybody who gets the file, and stays in the history",
		Instead: "read it from the environment or a secret store, and write its name only",
	}
}

// tidy orders by weight and keeps one finding per rule and segment.
func tidy(found []verdict.Finding) []verdict.Finding {
	type key struct{ rule, segment string }
	var out []verdict.Finding
	var seen map[key]bool
	for _, f := range found {
		k := key{f.Rule, f.Segment}
		if f.Decision == verdict.Pass || seen[k] {
			continue
		}
		if seen == nil {
			seen = map[key]bool{}
		}
		seen[k] = true
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b verdict.Finding) int { return int(b.Decision) - int(a.Decision) })
	return out
}

// Rules are the ids of the findings, sorted.
func Rules(found []verdict.Finding) []string {
	ids := make([]string, 0, len(found))
	for _, f := range found {
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Without leaves out the findings whose rules were lifted.
func Without(found []verdict.Finding, lifted []string) []verdict.Finding {
	if len(lifted) == 0 {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(f verdict.Finding) bool { return slices.Contains(lifted, f.Rule) })
}
