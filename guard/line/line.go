// Package line reads a command line down to what really runs: behind wrappers and nested shells (internal/shell), git aliases
// (guard/gitcmd), the code of interpreters (guard/code), and scripts that the line writes itself. It lists what the line writes
// (guard/write) and publishes (guard/push). It owns no table and judges nothing.
package line

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/carry"
	"github.com/devflow-suite/devflow/guard/code"
	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Bounds of reading, so that a line which starts lines which start lines ends somewhere; what lies beyond is Opaque.
const (
	maxDepth    = 6
	maxCommands = 20_000
)

// Line is a command line as the guard reads it. It is plain data.
type Line struct {
	Source   string
	Script   shell.Script // as the shell flattens it
	Err      error        // that kept a part of it from being read; wraps an error of package shell
	Expanded shell.Script // with what really runs: behind git aliases, interpreter code and scripts that the line writes itself
	Writes   []write.Write
	Pushes   []push.Push

	file int // number of the first expanded command that stands in a script file; 0 = none does
}

// Around is what a line finds where it runs. The zero value knows nothing.
type Around struct {
	Aliases gitcmd.Aliases                                    // of git; nil = none
	Script  func(d shell.Dir, name shell.Word) (string, bool) // the text of a script file that deserves a look; nil = none does
}

// Read reads a command line. It never runs anything, touches no file but through around, and takes time linear in the line.
func Read(command string, around Around) Line {
	l := Line{Source: command}
	l.Script, l.Err = shell.Parse(command)
	r := reader{aliases: gitcmd.Declared(l.Script.Commands, around.Aliases)}
	r.commands(l.Script.Commands, 0)
	l.Expanded = l.Script
	l.Expanded.Commands = r.out
	l.Writes = write.Of(&l.Expanded)
	scripts := r.scripts(l.Writes, &l)
	if r.written(l.Writes, &l) || scripts {
		l.Expanded.Commands = r.out
		l.Writes = write.Of(&l.Expanded)
	}
	if around.Script != nil && r.files(around.Script, &l) {
		l.Expanded.Commands = r.out
		l.Writes = write.Of(&l.Expanded)
	}
	if r.deep && l.Err == nil {
		l.Err = shell.ErrTooDeep
	}
	l.Pushes = push.Find(&l.Expanded, l.Expanded.Commands)
	return l
}

// FromFile reports whether the expanded command number i stands in a script file that was there before the line. What such a file
// does with its arguments and variables is less sure than what the line says itself.
func (l *Line) FromFile(i int) bool { return l.file > 0 && i >= l.file }

// reader follows commands to what they run.
type reader struct {
	deep    bool // something lies deeper than what is read
	aliases gitcmd.Aliases
	out     []shell.Command
}

// commands appends what really runs of a list of commands, and what that starts.
func (r *reader) commands(list []shell.Command, depth int) {
	all := gitcmd.All(list, r.aliases)
	r.out = slices.Grow(r.out, len(all))
	places := make([]int, 0, len(all))
	for i := range all {
		c := &all[i]
		if depth > maxDepth || len(r.out) >= maxCommands && depth > 0 {
			c.Opaque, r.deep = true, r.deep || depth > maxDepth
			r.out = append(r.out, *c)
			return
		}
		at := len(r.out)
		places = append(places, at)
		r.out = append(r.out, *c)
		for _, line := range carry.Lines(scheduled(c, list)) {
			r.line(c, line, depth+1)
		}
		effects, ok := code.Run(c)
		if !ok {
			continue
		}
		r.out[at].Opaque = c.Opaque || effects.Unreadable
		if lang, src, _ := code.Of(c); effects.Unreadable || lang == code.Perl && carry.Starts(src.Text) {
			for _, line := range carry.Hidden(src.Text) {
				r.line(c, line, depth+1)
			}
		}
		for _, line := range effects.Shell() {
			r.line(c, line, depth+1)
		}
	}
	r.refer(list, all, places)
}

// refer makes Stdin.From of the commands that now stand at places point to where their feeders stand now. all is list with
// the aliases of git in place of some commands.
func (r *reader) refer(list, all []shell.Command, places []int) {
	now := places
	if len(all) != len(list) {
		now = make([]int, len(list))
		j := 0
		for i := range list {
			for k := j; k < len(all); k++ {
				if all[k].Pos == list[i].Pos && all[k].Text == list[i].Text {
					j = k
					break
				}
			}
			now[i] = places[min(j, len(places)-1)]
			j++
		}
	}
	for _, at := range places {
		old := r.out[at].Stdin.From
		if len(old) == 0 {
			continue
		}
		from := make([]int, 0, len(old))
		for _, f := range old {
			if f >= 0 && f < len(now) {
				from = append(from, now[f])
			}
		}
		r.out[at].Stdin.From = from
	}
}

// line appends the commands of a line that c starts.
func (r *reader) line(c *shell.Command, line string, depth int) {
	s, err := shell.Parse(line)
	if err != nil {
		r.deep = r.deep || errors.Is(err, shell.ErrTooDeep)
		r.opaque(c)
	}
	for i := range s.Commands {
		adopt(&s.Commands[i], c)
	}
	r.commands(s.Commands, depth)
}

// adopt makes a command of a nested line one of the line of c.
func adopt(inner, c *shell.Command) {
	if inner.Dir.Path == "" {
		inner.Dir.Path = c.Dir.Path
	} else {
		inner.Dir = c.Dir.Join(inner.Dir.Path)
	}
	inner.Dir.Unknown = inner.Dir.Unknown || c.Dir.Unknown
	inner.Place |= c.Place | shell.InNested
	inner.Wrappers = append(append(c.Wrappers[:len(c.Wrappers):len(c.Wrappers)], c.Name), inner.Wrappers...)
	inner.Assign = append(c.Assign[:len(c.Assign):len(c.Assign)], inner.Assign...)
	inner.Remote = inner.Remote || c.Remote
	inner.Text, inner.Pos = c.Text, c.Pos
}

// maxScripts bounds what is read of files that the line writes, in bytes: twice the longest line, since the same file may run
// in more than one folder.
const maxScripts = 2 * shell.MaxSource

// scripts reads files that the line itself writes and then runs: `cat > x.sh <<E … ; bash x.sh`. It reports whether there
// was one. A text is read once for every folder in which it runs, and every kind of runner.
func (r *reader) scripts(writes []write.Write, l *Line) bool {
	var at map[shell.Dir][]*write.Write
	seen := map[string]int{} // by file and runner: how many of the file's writes were read
	left := maxScripts
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		file, lang := scriptFile(c)
		if file == "" {
			continue
		}
		if at == nil {
			at = byPlace(writes)
		}
		place := c.Dir.Join(file)
		key := strings.Join(append([]string{place.Path, c.Dir.Path, c.User, string(lang), strconv.FormatBool(c.Remote)}, c.Wrappers...), "\x00")
		n := seen[key]
		for list := at[place]; n < len(list) && list[n].Cmd < i; n++ {
			if left -= len(list[n].Content.Text); left < 0 {
				r.opaque(c)
				return true
			}
			r.script(c, lang, list[n].Content.Text)
		}
		seen[key] = n
	}
	return len(seen) > 0 && left < maxScripts
}

// byPlace lists the writes of known texts by the file, those of compound statements first: of them it is not known when.
func byPlace(writes []write.Write) map[shell.Dir][]*write.Write {
	at := map[shell.Dir][]*write.Write{}
	for _, compound := range [...]bool{true, false} {
		for i := range writes {
			if w := &writes[i]; !w.Delete && w.Content.Text != "" && (w.Cmd < 0) == compound {
				place := w.Dir.Join(w.Path.Text)
				at[place] = append(at[place], w)
			}
		}
	}
	return at
}

// script appends the commands of a file that c runs.
func (r *reader) script(c *shell.Command, lang code.Lang, text string) {
	if lang == "" {
		lang = byShebang(text)
	}
	if lang == "" {
		r.line(c, text, 1)
		return
	}
	effects := code.Read(lang, text)
	for _, line := range effects.Shell() {
		r.line(c, line, 1)
	}
	if effects.Unreadable {
		r.opaque(c)
	}
}

// opaque appends a command again, as one of which not everything was read.
func (r *reader) opaque(c *shell.Command) {
	again := *c
	again.Opaque = true
	r.out = append(r.out, again)
}

// scriptFile is the script that a command runs, and its language; "" for a shell's.
func scriptFile(c *shell.Command) (file string, lang code.Lang) {
	switch c.Name {
	case "":
		return "", ""
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "source", ".":
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node":
		lang = code.Node
	case "perl":
		lang = code.Perl
	case "ruby":
		lang = code.Ruby
	case "php":
		lang = code.PHP
	case "lua":
		lang = code.Lua
	case "Rscript":
		lang = code.R
	default:
		if strings.HasPrefix(c.Name, "python") || strings.HasPrefix(c.Name, "pypy") {
			lang = code.Python
			break
		}
		if len(c.Words) > 0 && strings.Contains(c.Words[0].Text, "/") {
			return c.Words[0].Text, byEnding(c.Words[0].Text)
		}
		return "", ""
	}
	for _, a := range c.Args {
		if a == "run" && (c.Name == "bun" || c.Name == "deno") {
			continue
		}
		if a == "-" || a == "-c" || a == "-e" || a == "-m" {
			return "", ""
		}
		if lang == "" && len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, 'n') > 0 {
			return "", "" // bash -n only reads
		}
		if !strings.HasPrefix(a, "-") {
			return a, lang
		}
	}
	return "", ""
}

// byShebang is the language that the first line of a script names.
func byShebang(text string) code.Lang {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return ""
	}
	for _, l := range [...]code.Lang{code.Python, code.Node, code.Perl, code.Ruby, code.PHP} {
		if strings.Contains(line, string(l)) {
			return l
		}
	}
	return ""
}

func byEnding(file string) code.Lang {
	switch file[strings.LastIndexByte(file, '.')+1:] {
	case "py":
		return code.Python
	case "js", "mjs", "cjs", "ts":
		return code.Node
	case "pl":
		return code.Perl
	case "rb":
		return code.Ruby
	case "php":
		return code.PHP
	}
	return ""
}
