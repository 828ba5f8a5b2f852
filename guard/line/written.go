package line

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/guard/carry"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/static"
)

// maxWritten bounds how many files of a line are followed to what runs them.
const maxWritten = 64

// written follows files that the line makes without writing a script into them, and then runs: a text that is decoded into a
// file, a copy of a program under another name, what was fetched a moment ago, the recipes of a makefile. It reports whether
// there was one.
func (r *reader) written(writes []write.Write, l *Line) bool {
	at := map[shell.Dir]*write.Write{}
	var order []*write.Write
	for i := range writes {
		w := &writes[i]
		if !w.Delete && w.Cmd >= 0 && (w.Content.Text == "" || builds(path.Base(w.Path.Text))) && len(at) < maxWritten {
			at[w.Dir.Join(w.Path.Text)] = w
			order = append(order, w)
		}
	}
	if len(at) == 0 {
		return false
	}
	left, before := maxWritten, len(r.out)
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		if builder(c) && len(order) > 0 {
			for _, w := range order {
				if w.Cmd < i && left > 0 && r.built(c, path.Base(w.Path.Text), content(w, l)) {
					left--
				}
			}
		}
		file, lang := scriptFile(c)
		if file == "" || left == 0 {
			continue
		}
		w := at[c.Dir.Join(file)]
		if w == nil || w.Cmd >= i || builds(path.Base(w.Path.Text)) {
			continue
		}
		left--
		switch text := content(w, l); {
		case text != "":
			r.script(c, lang, text)
		case w.From.Text != "" && w.From.Literal() && strings.Contains(c.Words[0].Text, "/"): // cp /bin/rm x; ./x -rf /
			r.line(c, carry.Line(path.Base(w.From.Text), c.Words[1:]), 1)
		case strings.HasPrefix(w.Via, "curl"), strings.HasPrefix(w.Via, "wget"):
			r.line(c, "cat "+carry.Quote(file)+" | sh", 1) // nobody has seen what the network brought
		}
	}
	return len(r.out) > before
}

// content is what a write puts into its file, as far as it can be computed.
func content(w *write.Write, l *Line) string {
	if w.Content.Text != "" || w.Via != "redirect" {
		return w.Content.Text
	}
	c := &l.Expanded.Commands[w.Cmd]
	if len(c.Words) == 0 || c.Unreadable || c.Opaque {
		return ""
	}
	out, _ := static.Output(c.Name, c.Words[1:], c.Stdin.Text, c.Stdin.Kind == shell.FeedText)
	return out.Text
}

// builder reports whether a command runs what a file of a known name says.
func builder(c *shell.Command) bool {
	switch c.Name {
	case "make", "gmake", "just", "npm", "pnpm", "yarn", "bun", "node":
		return true
	}
	return pythonic(c.Name)
}

// pythonic is for programs that import the modules of a folder by themselves: python -m, pytest with its conftest.py, pip.
func pythonic(name string) bool {
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pytest") || name == "pip" || name == "uv" || name == "tox"
}

// builds reports whether a file of this name holds command lines for a builder.
func builds(base string) bool {
	switch base {
	case "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile", "package.json":
		return true
	}
	return strings.HasSuffix(base, ".py") || strings.HasSuffix(base, ".js")
}

// built appends what a builder runs of a file.
func (r *reader) built(c *shell.Command, base, text string) bool {
	var lines []string
	switch scripts := base == "package.json"; {
	case strings.HasSuffix(base, ".py") || strings.HasSuffix(base, ".js"):
		if text == "" || strings.HasSuffix(base, ".py") != pythonic(c.Name) || base[len(base)-1] == 's' && (c.Name == "make" || c.Name == "just") {
			return false
		}
		r.script(c, byEnding(base), text)
		return true
	case pythonic(c.Name) || c.Name == "node":
	case !builds(base) || scripts == (c.Name == "make" || c.Name == "gmake" || c.Name == "just"):
	case scripts:
		lines = carry.Scripts(text)
	default:
		lines = carry.Recipes(text)
	}
	for _, line := range lines {
		r.line(c, line, 1)
	}
	return len(lines) > 0
}

// scheduled is c with the input that its feeders print, where only a part of that can be computed and every line counts on its
// own: (crontab -l; echo '…') | crontab -.
func scheduled(c *shell.Command, list []shell.Command) *shell.Command {
	if c.Name != "crontab" || c.Stdin.Kind != shell.FeedPipe || len(c.Stdin.From) > maxWritten {
		return c
	}
	text := ""
	for _, f := range c.Stdin.From {
		if f < 0 || f >= len(list) || len(list[f].Words) == 0 {
			continue
		}
		out, _ := static.Output(list[f].Name, list[f].Words[1:], list[f].Stdin.Text, list[f].Stdin.Kind == shell.FeedText)
		text += out.Text + "\n"
	}
	fed := *c
	fed.Stdin = shell.Feed{Kind: shell.FeedText, Text: shell.Word{Text: text}}
	return &fed
}

// maxFiles bounds how many script files of one line are read.
const maxFiles = 16

// files reads the script files that the line runs and did not write itself. It reports whether there was one.
func (r *reader) files(open func(d shell.Dir, name shell.Word) (string, bool), l *Line) bool {
	seen := map[shell.Dir]bool{}
	for _, w := range l.Writes {
		seen[w.Dir.Join(w.Path.Text)] = true // as the line leaves it, see scripts and written
	}
	before, read := len(r.out), 0
	for i := range l.Expanded.Commands[:before:before] {
		c := l.Expanded.Commands[i]
		file, lang := scriptFile(&c)
		if file == "" || c.Remote || read == maxFiles || seen[c.Dir.Join(file)] {
			continue
		}
		seen[c.Dir.Join(file)] = true
		for _, w := range c.Words {
			if w.Text != file {
				continue
			}
			if text, ok := open(c.Dir, w); ok {
				read++
				r.script(&c, lang, text)
			}
			break
		}
	}
	if len(r.out) > before {
		l.file = before
	}
	return len(r.out) > before
}
