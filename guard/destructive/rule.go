// Package destructive holds the rules about commands that destroy what cannot be brought back: file trees, keys, the history
// and the open work of git, disks, permissions, processes, databases, containers, cloud resources. It owns no table and no file
// and starts nothing.
//
// Rules are data: one table per subject, each row with an id, what it is about, what is lost, what to do instead, and how it is
// recognised: by what happens to which zone of package place, or by a small matcher over one command. It judges single simple
// commands as package shell lists them; wrappers, nested scripts, aliases and the code of interpreters are resolved before.
package destructive

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Rule is one row of the tables. A row has either zones (with op) or a matcher.
type Rule struct {
	ID       string           // stable, "git.reset-hard"
	What     string           // what such a command does
	Why      string           // what is lost; % stands for what it was found at
	Instead  string           // what to do; commands stand in backquotes and are not refused themselves
	Decision verdict.Decision // Ask or Deny

	op    op        // what happens …
	zones place.Set // … to which places
	match func(k *call) string
}

// op is something a command does to a path. Ops combine.
type op uint16

const (
	dropTree op = 1 << iota // deletes a folder with everything in it, or all of a pattern
	dropFile                // deletes single files
	empty                   // overwrites or truncates a file
	add                     // appends to a file
	moveAway                // moves a path to somewhere else
	open                    // gives everybody access, or takes it from its owner, file by file
	openTree                // … with everything in it
	own                     // changes the owner of a tree
	remote                  // not an op of its own: it happens on another machine or in a container
	keyed                   // not an op of its own: the file is named like a key
	unset                   // not an op of its own: an empty variable would make it worse
)

// effect is one op on one place.
type effect struct {
	op     op
	target place.Target
}

// maxSegment is how much of a command a finding shows, in bytes.
const maxSegment = 200

// maxFindings bounds the findings of one command; more of them tell nothing new.
const maxFindings = 8

// Rules lists every rule, in the order in which they are tried.
func Rules() []Rule {
	var all []Rule
	for _, g := range groups() {
		all = append(all, g...)
	}
	return all
}

// groups lists the tables.
func groups() [][]Rule {
	return [][]Rule{treeRules[:]}
}

// Check judges one command of the script with its own redirections. It is linear in the length of the command and safe for
// concurrent use. The worst finding comes first.
func Check(s *shell.Script, c *shell.Command, w place.World) []verdict.Finding {
	k := &call{script: s, cmd: c, world: w}
	k.read()
	return k.judge(groupsFor(k), k.effects())
}

// Redirects judges the redirections of compound statements, which belong to no command.
func Redirects(s *shell.Script, w place.World) []verdict.Finding {
	var found []verdict.Finding
	for _, r := range s.Redirs {
		k := &call{script: s, cmd: &shell.Command{Text: r.Op + " " + r.Target.Text, Redirs: []shell.Redirect{r}}, world: w}
		for _, f := range k.judge(nil, k.redirects(nil)) {
			if len(found) < maxFindings && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// judge tries the rules.
func (k *call) judge(tables [][]Rule, effects []effect) []verdict.Finding {
	var found []verdict.Finding
	report := func(r *Rule, detail string) {
		if len(found) < maxFindings && !slices.ContainsFunc(found, func(f verdict.Finding) bool { return f.Rule == r.ID }) {
			found = append(found, k.finding(r, detail))
		}
	}
	for _, e := range effects {
		if r := placeRule(e); r != nil {
			report(r, e.target.Raw)
		}
	}
	for _, t := range tables {
		for i := range t {
			if t[i].match == nil {
				continue
			}
			if detail := t[i].match(k); detail != "" {
				report(&t[i], detail)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b verdict.Finding) int { return int(b.Decision) - int(a.Decision) })
	return found
}

// placeRule finds the first row about the op and the zone.
func placeRule(e effect) *Rule {
	const marks = remote | keyed | unset
	for i := range treeRules {
		r := &treeRules[i]
		if r.op&^marks&e.op == 0 || !r.zones.Has(e.target.Zone) {
			continue
		}
		if need := r.op & marks; need&e.op == need {
			return r
		}
	}
	return nil
}

func (k *call) finding(r *Rule, detail string) verdict.Finding {
	return verdict.Finding{
		Rule: r.ID, Decision: r.Decision, What: r.What, Instead: r.Instead,
		Why:     strings.Replace(r.Why, "%", redact.Clip(oneLine(detail), maxSegment/2), 1),
		Segment: redact.Clip(oneLine(k.cmd.Text), maxSegment),
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
