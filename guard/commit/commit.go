// Package commit reads the messages of git commit commands and says whether they follow Conventional Commits
// (https://www.conventionalcommits.org, version 1.0.0). It owns no table and refuses nothing: a style is a matter of advice.
package commit

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Subjects are the first lines of the messages that the commands commit with, as far as the line holds them: -m, -am,
// --message=, -F - from a here-document. A message that an editor or a file gives is not known here.
func Subjects(cmds []shell.Command) (list []string) {
	for i := range cmds {
		g, ok := gitcmd.Parse(&cmds[i])
		if !ok || g.Sub != "commit" || g.Help {
			continue
		}
		if subject, ok := subject(&cmds[i], g.Args); ok {
			list = append(list, subject)
		}
	}
	return list
}

// subject is the first line of the message of one commit.
func subject(c *shell.Command, args []shell.Word) (string, bool) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		value, attached, found := "", false, false
		switch {
		case text == "--":
			return "", false
		case text == "--message" || text == "--file":
			found = true
		case strings.HasPrefix(text, "--message="), strings.HasPrefix(text, "--file="):
			_, value, _ = strings.Cut(text, "=")
			attached, found = true, true
		case len(text) > 1 && text[0] == '-' && text[1] != '-':
			at := strings.IndexAny(text, "mFCcSut")
			if at < 0 || text[at] != 'm' && text[at] != 'F' {
				if at > 0 && at+1 == len(text) && strings.IndexByte("Cct", text[at]) >= 0 {
					i++ // its value
				}
				continue
			}
			value, attached, found = text[at+1:], at+1 < len(text), true
		}
		if !found {
			continue
		}
		word := shell.Word{Text: value, Dynamic: args[i].Dynamic}
		if !attached {
			if i+1 == len(args) {
				return "", false
			}
			word = args[i+1]
		}
		if file := strings.Contains(text, "F") && !strings.HasPrefix(text, "--") || strings.HasPrefix(text, "--file"); file {
			if word.Text != "-" || c.Stdin.Kind != shell.FeedText {
				return "", false
			}
			word = c.Stdin.Text
		}
		line, _, _ := strings.Cut(strings.TrimLeft(word.Text, " \t\n"), "\n")
		return strings.TrimSpace(line), !word.Dynamic && line != ""
	}
	return "", false
}

// types are those of the Angular convention, which most projects use.
var types = [...]string{"feat", "fix", "docs", "style", "refactor", "perf", "test", "tests", "build", "ci", "chore", "revert", "deps", "release"}

// Conventional reports whether a subject has the form "type(scope)!: text". What git itself writes (merges, reverts, fixups) has a
// form of its own.
func Conventional(subject string) bool {
	for _, own := range [...]string{"Merge ", "Revert \"", "fixup! ", "squash! ", "amend! "} {
		if strings.HasPrefix(subject, own) {
			return true
		}
	}
	head, text, ok := strings.Cut(subject, ":")
	if !ok || !strings.HasPrefix(text, " ") || strings.TrimSpace(text) == "" {
		return false
	}
	head = strings.TrimSuffix(head, "!")
	if open := strings.IndexByte(head, '('); open > 0 {
		if !strings.HasSuffix(head, ")") || open+2 >= len(head) {
			return false
		}
		head = head[:open]
	}
	for _, t := range types {
		if strings.EqualFold(head, t) {
			return true
		}
	}
	return false
}
