package gitcmd

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// started appends the commands that git starts because of its arguments, configuration or environment. Those that package shell
// lists itself are left out unless the words were spliced from an alias.
func (e *expander) started(c *shell.Command, g *Git, seen []string, spliced bool) {
	if g.Help {
		return
	}
	for _, kv := range g.Config {
		if key, value, ok := strings.Cut(kv, "="); ok && startsValue(key) {
			e.value(c, g, value, seen)
		}
	}
	if g.Sub == "clone" {
		for _, kv := range optionValues(g.Args, " -c --config ") {
			if key, value, ok := strings.Cut(kv, "="); ok && startsValue(key) {
				e.value(c, g, value, seen)
			}
		}
	}
	for _, kv := range c.Assign {
		if name, value, ok := strings.Cut(kv, "="); ok && startsVariable(name) {
			e.value(c, g, value, seen)
		}
	}
	switch {
	case g.Sub == "for-each-repo":
		e.eachRepo(c, g, seen)
	case !spliced && shellKnows(g.Sub):
	case g.Sub == "submodule":
		e.afterWord(c, g, "foreach", seen)
	case g.Sub == "bisect":
		e.afterWord(c, g, "run", seen)
	default:
		for _, line := range optionValues(g.Args, startOptions(g.Sub)) {
			if e.full() {
				opaque := *c
				opaque.Opaque = true
				e.out = append(e.out, opaque)
				break
			}
			e.script(c, g, line, nil, seen)
		}
	}
	for _, w := range g.Args {
		if line, ok := strings.CutPrefix(w.Text, "ext::"); ok {
			e.script(c, g, transport(line), nil, seen)
		}
	}
}

// transport is the command of an ext:: address as a shell's line: "% " is a blank inside of a word.
func transport(address string) string {
	words := strings.Split(strings.ReplaceAll(address, "% ", "\x00"), " ")
	for i, w := range words {
		if strings.Contains(w, "\x00") {
			words[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(w, "'", `'\''`), "\x00", " ") + "'"
		}
	}
	return strings.Join(words, " ")
}

// shellKnows is true for the subcommands whose commands package shell lists right behind them.
func shellKnows(sub string) bool {
	switch sub {
	case "submodule", "bisect", "rebase", "filter-branch", "difftool", "mergetool":
		return true
	}
	return false
}

// value reads a command that stands in the configuration or a variable. Truth values are none, and neither are plain names.
func (e *expander) value(c *shell.Command, g *Git, value string, seen []string) {
	value = strings.TrimPrefix(value, "!")
	if !strings.ContainsAny(value, " \t\n;&|$`(") || strings.HasPrefix(value, "$") {
		return
	}
	bare := *c
	bare.Assign = nil // or the line would start itself
	plain := *g
	plain.Config = nil
	e.script(&bare, &plain, value, nil, seen)
}

// startsVariable is true for a variable whose value git gives to a shell.
func startsVariable(name string) bool {
	switch name {
	case "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "GIT_EDITOR", "VISUAL", "EDITOR", "GIT_SEQUENCE_EDITOR",
		"GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND":
		return true
	}
	return false
}

// startsValue is true for a configuration key whose value git gives to a shell.
func startsValue(key string) bool {
	key = strings.ToLower(key)
	section, name := key, key
	if i := strings.IndexByte(key, '.'); i >= 0 {
		section, name = key[:i], key[strings.LastIndexByte(key, '.')+1:]
	}
	switch section {
	case "core":
		switch name {
		case "pager", "editor", "sshcommand", "askpass", "fsmonitor", "gitproxy", "alternaterefscommand":
			return true
		}
	case "pager":
		return true
	case "sequence":
		return name == "editor"
	case "diff":
		return name == "external" || name == "command" || name == "textconv"
	case "filter":
		return name == "clean" || name == "smudge" || name == "process"
	case "merge":
		return name == "driver"
	case "mergetool", "difftool", "browser", "man":
		return name == "cmd"
	case "trailer":
		return name == "cmd" || name == "command"
	case "credential":
		return name == "helper"
	case "gpg":
		return name == "program"
	case "remote":
		return name == "uploadpack" || name == "receivepack"
	case "interactive":
		return name == "difffilter"
	case "uploadpack":
		return name == "packobjectshook"
	case "submodule":
		return name == "update"
	}
	return false
}

// startOptions are the options of a subcommand whose value is given to a shell, each between blanks.
func startOptions(sub string) string {
	switch sub {
	case "rebase":
		return " -x --exec "
	case "filter-branch":
		return " --setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter "
	case "difftool":
		return " -x --extcmd "
	case "fetch", "pull", "fetch-pack":
		return " --upload-pack "
	case "clone":
		return " -u --upload-pack "
	case "ls-remote":
		return " --upload-pack --exec "
	case "archive":
		return " --exec "
	case "push", "send-pack":
		return " --receive-pack --exec "
	case "grep":
		return " -O --open-files-in-pager "
	}
	return ""
}

// optionValues are the values of the named options, attached or in the next word.
func optionValues(args []shell.Word, names string) []string {
	if names == "" {
		return nil
	}
	var values []string
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if t == "--" {
			break
		}
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		name, value, attached := strings.Cut(t, "=")
		switch {
		case t[1] != '-' && len(t) > 2 && strings.Contains(names, " "+t[:2]+" "):
			values = append(values, t[2:])
		case !strings.Contains(names, " "+name+" "):
		case attached:
			values = append(values, value)
		case i+1 < len(args) && name != "-O" && name != "--open-files-in-pager":
			i++
			values = append(values, args[i].Text)
		}
	}
	return values
}

// afterWord reads the command that follows a word: `submodule foreach` and `bisect run`. One word alone is a shell line.
func (e *expander) afterWord(c *shell.Command, g *Git, word string, seen []string) {
	i := 0
	for i < len(g.Args) && g.Args[i].Text != word {
		if !strings.HasPrefix(g.Args[i].Text, "-") {
			return
		}
		i++
	}
	for i++; i < len(g.Args) && strings.HasPrefix(g.Args[i].Text, "-"); i++ {
	}
	if i >= len(g.Args) {
		return
	}
	inside := *g
	inside.Dir.Unknown = inside.Dir.Unknown || word == "foreach"
	if i+1 == len(g.Args) {
		e.script(c, &inside, g.Args[i].Text, nil, seen)
		return
	}
	e.list(c, &inside, g.Args[i:], seen)
}

// eachRepo reads `git for-each-repo --config=key push …`: the arguments are those of git.
func (e *expander) eachRepo(c *shell.Command, g *Git, seen []string) {
	i := 0
	for i < len(g.Args) && strings.HasPrefix(g.Args[i].Text, "-") {
		if g.Args[i].Text == "--config" {
			i++
		}
		i++
	}
	if i >= len(g.Args) {
		return
	}
	inside := *g
	inside.Dir.Unknown = true
	e.list(c, &inside, append([]shell.Word{{Text: "git"}}, g.Args[i:]...), seen)
}

// list reads words as a command, wrappers included.
func (e *expander) list(c *shell.Command, g *Git, words []shell.Word, seen []string) {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.Literal() {
			b.WriteString("'" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'")
		} else {
			b.WriteString(w.Text)
		}
	}
	e.script(c, g, b.String(), nil, seen)
}
