// Package carry finds the command lines that programs which are no shells are told to run: by an editor's or debugger's command,
// a recipe of make, a crontab, the escape of a database client, a variable that names an editor, the code of a language that
// package guard/code does not read, or behind a program that starts whatever stands after it. It owns no table and no file, and
// judges nothing: what it returns are lines of shell for the reader of package guard/line.
package carry

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Bounds of reading: what a person writes into one argument is far smaller.
const (
	maxLines = 256
	maxText  = 1 << 20
)

// Lines are the command lines that c starts, in shell syntax. It is linear in the command.
func Lines(c *shell.Command) []string {
	l := &list{c: c}
	l.variables()
	if len(c.Words) == 0 || c.Name == "" {
		return l.out
	}
	l.substituted()
	if first := l.c.Words[0]; len(l.c.Wrappers) > 0 && first.Literal() && strings.ContainsAny(first.Text, " \t") {
		l.add(first.Text) // xterm -e 'rm -rf /'
	}
	if !l.program() && !l.foreign() {
		l.proxy()
	}
	return l.out
}

// list collects lines.
type list struct {
	c   *shell.Command
	out []string
}

func (l *list) add(line string) {
	line = strings.TrimSpace(line)
	if line != "" && len(l.out) < maxLines && len(line) <= maxText {
		l.out = append(l.out, line)
	}
}

// away adds a line that runs on another machine.
func (l *list) away(line string) { l.add("ssh host " + Quote(line)) }

// values are the values of the options, in the word itself or the next one.
func (l *list) values(options string) []string {
	var out []string
	words := l.c.Words[1:]
	for i, w := range words {
		name, value, attached := strings.Cut(w.Text, "=")
		switch {
		case len(w.Text) < 2 || w.Text[0] != '-':
		case strings.Contains(options, " "+w.Text+" "):
			if i+1 < len(words) {
				out = append(out, words[i+1].Text)
			}
		case attached && strings.Contains(options, " "+name+" "):
			out = append(out, value)
		case w.Text[1] != '-' && len(w.Text) > 2 && strings.Contains(options, " "+w.Text[:2]+" "):
			out = append(out, w.Text[2:])
		}
	}
	return out
}

// input is the text on standard input, "" if it is not known.
func (l *list) input() string {
	if l.c.Stdin.Kind == shell.FeedText && len(l.c.Stdin.Text.Text) <= maxText {
		return l.c.Stdin.Text.Text
	}
	return ""
}

// each hands the option values and the lines of standard input to fn.
func (l *list) each(options string, fn func(string)) {
	for _, v := range l.values(options) {
		fn(v)
	}
	for line := range strings.Lines(l.input()) {
		fn(strings.TrimRight(line, "\r\n"))
	}
}

// program knows the programs by name.
func (l *list) program() bool {
	switch name := l.c.Name; name {
	case "vim", "nvim", "vi", "view", "ex", "gvim", "rvim", "vimdiff", "ed", "red", "less", "more", "most":
		for _, w := range l.c.Words[1:] {
			if s, ok := strings.CutPrefix(w.Text, "+"); ok {
				l.editor(s)
			}
		}
		l.each(" -c --cmd -S -sc -esc -ec -Esc ", l.editor)
	case "gdb", "lldb", "cgdb", "rr", "pdb":
		l.each(" -ex -iex --ex --iex -eval-command --eval-command -o -O --one-line --one-line-before-file ", l.debugger)
		l.proxy()
	case "bfs", "gfind", "grm", "gdd", "gshred", "gchmod", "gchown", "gmv", "gcp", "gln", "gtruncate": // other names of the same program
		l.add(Line(strings.TrimPrefix(map[bool]string{true: "find", false: name}[name == "bfs"], "g"), l.c.Words[1:]))
	case "hub":
		l.add(Line("git", l.c.Words[1:]))
	case "tclsh", "wish", "expect", "jimsh", "autoexpect":
		for _, v := range l.values(" -c ") {
			l.tcl(v)
		}
		l.tcl(l.input())
	case "make", "gmake", "remake", "bmake":
		for _, v := range l.values(" --eval -E ") {
			l.add(strings.Join(Recipes(v), "\n"))
		}
		for _, v := range l.values(" -f --file --makefile ") {
			if v == "-" || v == "/dev/stdin" {
				l.add(strings.Join(Recipes(l.input()), "\n"))
			}
		}
	case "crontab":
		for line := range strings.Lines(l.input()) {
			l.add(scheduled(line))
		}
	case "sed", "gsed":
		l.sed()
	case "sqlite3", "sqlite", "duckdb":
		for _, w := range l.c.Words[1:] {
			l.dot(w.Text)
		}
		l.each(" ", l.dot)
	case "psql", "pgcli", "mysql", "mariadb", "mycli", "cockroach", "usql":
		l.each(" -c --command -e --execute ", l.client)
	case "sftp", "ftp", "lftp", "telnet", "dc", "bc", "mail", "mutt", "smbclient":
		l.each(" -c -e ", l.transfer)
	case "socat":
		l.socat()
	case "npm", "pnpm", "yarn":
		l.npm()
	case "python", "python3":
		if len(l.c.Words) > 2 && l.c.Words[1].Text == "-m" && l.c.Words[2].Text == "timeit" {
			for _, w := range l.c.Words[3:] {
				l.add("python3 -c " + Quote(w.Text))
			}
		}
	case "ipython":
		for _, v := range l.values(" -c ") {
			if s, ok := strings.CutPrefix(v, "!"); ok {
				l.add(s)
			}
		}
	case "ansible":
		l.ansible()
	case "awk", "gawk", "mawk", "nawk":
		l.awk()
	default:
		return l.option(name)
	}
	return true
}

// option is for programs where the value of an option is a command line.
func (l *list) option(name string) bool {
	options := ""
	switch name {
	case "rsync":
		options = " -e --rsh "
		for _, v := range l.values(" --rsync-path ") {
			l.away(v)
		}
	case "scp", "sftp":
		options = " -S "
	case "tar", "gtar", "bsdtar":
		options = " -I -F --use-compress-program --to-command --info-script --new-volume-script --rsh-command "
		for _, v := range l.values(" --checkpoint-action ") {
			l.add(strings.TrimPrefix(v, "exec="))
		}
	case "zip":
		options = " -TT --unzip-command "
	case "nc", "ncat", "netcat":
		options = " -e -c --exec --sh-exec "
	case "man":
		options = " -P --pager "
	case "xterm", "konsole", "alacritty", "kitty", "urxvt", "st":
		options = " -e "
	case "sg", "newgrp":
		options = " -c "
		l.add(l.input())
		if len(l.c.Words) == 3 {
			l.add(l.c.Words[2].Text)
		}
	case "hyperfine":
		options = " --prepare -p --setup -s --cleanup -c --conclude -C "
	case "doppler":
		options = " --command "
	case "nix-shell":
		options = " --run --command "
	case "sops":
		if len(l.c.Words) > 3 && l.c.Words[1].Text == "exec-env" {
			l.add(l.c.Words[3].Text)
		}
	case "heroku":
		if len(l.c.Words) > 2 && strings.HasPrefix(l.c.Words[1].Text, "run") {
			l.away(l.c.Words[2].Text)
		}
	case "chokidar", "chokidar-cli", "onchange", "watchman-make", "watchexec", "reflex", "gow", "cargo-watch":
		options = " -c --command --run -s "
	case "salt":
		for i, w := range l.c.Words {
			if w.Text == "cmd.run" && i+1 < len(l.c.Words) {
				l.away(l.c.Words[i+1].Text)
			}
		}
	case "screen":
		for i, w := range l.c.Words {
			if w.Text == "stuff" && i+1 < len(l.c.Words) {
				l.add(strings.TrimSuffix(strings.TrimSuffix(l.c.Words[i+1].Text, `\n`), "^M"))
			}
		}
	default:
		return false
	}
	for _, v := range l.values(options) {
		l.add(v)
	}
	return name == "rsync" || name == "scp" || name == "tar" || name == "zip" || name == "man"
}

// Quote is s as one word of a shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// variables reads the values of those that name an editor, a pager or a start-up file.
func (l *list) variables() {
	for _, a := range l.c.Assign {
		l.variable(a)
	}
	if l.c.Name == "export" || l.c.Name == "declare" || l.c.Name == "typeset" {
		for _, a := range l.c.Args {
			l.variable(a)
		}
	}
}

func (l *list) variable(assign string) {
	name, value, ok := strings.Cut(assign, "=")
	if !ok || value == "" {
		return
	}
	if strings.HasPrefix(name, "BASH_FUNC_") {
		l.add("f " + value)
		return
	}
	switch name {
	case "BASH_ENV", "ENV":
		if strings.HasPrefix(value, "<(") {
			l.add("source " + value)
		}
	case "RSYNC_RSH", "CVS_RSH", "LESSOPEN", "LESSCLOSE", "BROWSER", "VISUAL", "FCEDIT", "PROMPT_COMMAND":
	default:
		if l.c.Name == "git" || !strings.HasSuffix(name, "EDITOR") && !strings.HasSuffix(name, "PAGER") {
			return
		}
	}
	if strings.ContainsAny(value, " \t") && !strings.HasPrefix(value, "<(") {
		l.add(strings.TrimLeft(value, "|-"))
	}
}

// substituted reads `python3 <(…)` as a pipe, and the start-up files of shells.
func (l *list) substituted() {
	for i, w := range l.c.Words[1:] {
		if !w.Dynamic || !strings.HasPrefix(w.Text, "<(") || !strings.HasSuffix(w.Text, ")") {
			continue
		}
		inner := w.Text[2 : len(w.Text)-1]
		switch l.c.Name {
		case "bash", "sh", "zsh":
			if i > 0 && (l.c.Words[i].Text == "--init-file" || l.c.Words[i].Text == "--rcfile") {
				l.add("source " + w.Text)
			}
		case "python", "python3", "perl", "ruby", "node", "php", "tclsh":
			if i == 0 {
				l.add(inner + " | " + l.c.Name)
			}
		case "psql", "make":
			if i > 0 && strings.HasPrefix(l.c.Words[i].Text, "-") {
				l.add(inner + " | " + l.c.Name + " -f -")
			}
		case "awk", "gawk", "mawk":
			if i > 0 && l.c.Words[i].Text == "-f" {
				if s, ok := strings.CutPrefix(inner, "echo "); ok {
					l.add(l.c.Name + " " + s)
				}
			}
		}
	}
}
