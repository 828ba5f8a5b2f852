// Package destructive holds the rules about commands that destroy what cannot be brought back: file trees, keys, the history
// and the open work of git, disks, permissions, processes, databases, containers, cloud resources. It owns no table and no file
// and starts nothing.
//
// Rules are data: one table per subject in the packages below this one, each row with an id, what it is about, what is lost, what
// to do instead, and how it is recognised: by what happens to which zone of package place, by command lines, or by a small matcher.
// It judges single simple commands as package shell lists them; wrappers, nested scripts, aliases and the code of interpreters are
// resolved before.
package destructive

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive/machine"
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"github.com/devflow-suite/devflow/guard/destructive/services"
	"github.com/devflow-suite/devflow/guard/destructive/trees"
	"github.com/devflow-suite/devflow/guard/destructive/vcs"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Rule is one row of the tables.
type Rule = rule.Rule

// maxSegment is how much of a command a finding shows, in bytes.
const maxSegment = 200

// maxFindings bounds the findings of one command; more of them tell nothing new.
const maxFindings = 8

// Rules lists every rule, in the order in which they are tried. The rows belong to the tables: do not change them.
func Rules() []Rule {
	var all []Rule
	for _, t := range tables() {
		all = append(all, t...)
	}
	return all
}

func tables() [][]Rule {
	return slices.Concat([][]Rule{trees.Rules()}, vcs.Tables(), machine.Tables(), services.Tables())
}

// tablesFor lists the tables that can say something about a program. What it does to paths is found apart from them.
func tablesFor(name string) [][]Rule {
	switch name {
	case "git":
		return vcs.Tables()
	case "cd", "echo", "ls", "cat", "grep", "rg", "head", "tail", "printf", "test", "[", "[[", "export", "true", "false", "mkdir", "touch", "pwd", "uniq", "wc", "date", "tee", "sleep", "which", "jq",
		"sed", "awk", "cp", "mv", "rm", "go", "local", "set", "read", "diff", "basename", "dirname", "cut", "sort", "chmod", "chown", "find", "ln", "rsync", "tar", "unzip", "dd", "less", "stat", "file":
		return nil
	}
	return tables()[1:]
}

// Check judges one command of the script with its own redirections. It is linear in the length of the command and safe for
// concurrent use. The worst finding comes first.
func Check(s *shell.Script, c *shell.Command, w place.World) []verdict.Finding {
	k := rule.New(s, c, w)
	if k.AsksOnly() {
		return judge(k, nil, trees.Redirects(k))
	}
	return judge(k, tablesFor(k.Name), trees.Effects(k))
}

// Redirects judges the redirections of compound statements, which belong to no command.
func Redirects(s *shell.Script, w place.World) []verdict.Finding {
	var found []verdict.Finding
	own := make(map[shell.Redirect]bool)
	for i := range s.Commands {
		for _, r := range s.Commands[i].Redirs {
			if r.Writes() {
				own[r] = true
			}
		}
	}
	for _, r := range s.Redirs {
		if !r.Writes() || own[r] {
			continue
		}
		k := rule.New(s, &shell.Command{Text: r.Op + " " + r.Target.Text, Redirs: []shell.Redirect{r}}, w)
		for _, f := range judge(k, nil, trees.Redirects(k)) {
			if len(found) < maxFindings && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// judge tries the rules.
func judge(k *rule.Call, tables [][]Rule, effects []rule.Effect) []verdict.Finding {
	var found []verdict.Finding
	report := func(r *Rule, detail string) {
		if len(found) < maxFindings && !slices.ContainsFunc(found, func(f verdict.Finding) bool { return f.Rule == r.ID }) {
			found = append(found, finding(k, r, detail))
		}
	}
	for _, e := range effects {
		if r := trees.Find(e); r != nil {
			report(r, e.Target.Raw)
		}
	}
	for _, t := range tables {
		for i := range t {
			detail := ""
			switch r := &t[i]; {
			case r.Match != nil:
				detail = r.Match(k)
			case r.Lines != "":
				detail = k.MatchLines(r.Lines)
			}
			if detail != "" {
				report(&t[i], detail)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b verdict.Finding) int { return int(b.Decision) - int(a.Decision) })
	return found
}

func finding(k *rule.Call, r *Rule, detail string) verdict.Finding {
	return verdict.Finding{
		Rule: r.ID, Decision: r.Decision, What: r.What, Instead: r.Instead,
		Why:     strings.Replace(r.Why, "%", redact.Clip(strings.TrimSpace(oneLine(detail)), maxSegment/2), 1),
		Segment: redact.Clip(oneLine(k.Cmd.Text), maxSegment),
	}
}

// oneLine keeps a message in one line and bounds what redaction has to read.
func oneLine(s string) string {
	s = s[:min(len(s), 4*maxSegment)]
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s), "?")
}
