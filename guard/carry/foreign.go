package carry

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// foreign reads the code of languages that package guard/code does not know: the texts in it, where the code speaks of starting
// programs or deleting files.
func (l *list) foreign() bool {
	options, input := "", false
	switch l.c.Name {
	case "julia":
		options, input = " -e -E --eval --print ", true
	case "elixir", "iex", "mix":
		options = " -e --eval --rpc-eval "
	case "erl", "rebar3":
		options = " -eval --eval "
	case "ghc", "stack", "ghci", "cabal":
		options = " -e "
	case "runghc", "runhaskell", "jshell", "ocaml", "swift", "gnuplot", "utop":
		options, input = " -e ", true
	case "groovy", "scala", "scala-cli", "kotlin", "amm", "clojure", "clj", "pry", "v", "racket", "lein", "raku", "perl6", "fennel", "janet":
		options, input = " -e --eval ", true
	case "bb", "guile", "sbcl", "clisp", "ecl", "chicken-csi", "csi", "hy":
		options, input = " -e --eval -c -x ", true
		for _, w := range l.c.Words[1:] {
			if strings.HasPrefix(w.Text, "(") {
				l.literals(w.Text)
			}
		}
	case "swipl":
		options = " -g -t "
	case "nim", "octave", "matlab", "dotnet-script", "csharprepl":
		options = " --eval -batch -r -e "
		for _, w := range l.c.Words[1:] {
			if s, ok := strings.CutPrefix(w.Text, "--eval:"); ok {
				l.literals(s)
			}
		}
	case "emacs", "emacsclient":
		options = " -e -eval --eval --execute -execute "
	case "mongosh", "mongo":
		options, input = " --eval ", true
	case "zx":
		options, input = " -e --eval ", true
	case "crystal", "redis-cli", "valkey-cli":
		for i, w := range l.c.Words {
			if strings.EqualFold(w.Text, "eval") && i+1 < len(l.c.Words) {
				l.literals(l.c.Words[i+1].Text)
			}
		}
	case "m4":
		l.macros(l.input())
	case "php", "artisan":
		for _, v := range l.values(" --execute ") {
			l.add("php -r " + Quote(v))
		}
		return false
	default:
		return false
	}
	for _, v := range l.values(options) {
		l.literals(v)
	}
	if input {
		l.literals(l.input())
	}
	return true
}

// starting and deleting are the words by which code speaks of it, in lower case.
var (
	starting = [...]string{"system", "shell", "exec", "spawn", "popen", "run", "cmd", "command", "process", "sh(", "call", "\".!", "$`"}
	deleting = [...]string{"rmtree", "rm_rf", "rmdir", "rm!", "rm(", "remove", "delete", "unlink", "deltree"}
)

// literals adds the texts of the code that a shell may get, and a deletion of those that are places.
func (l *list) literals(code string) {
	lower := strings.ToLower(code)
	runs, deletes := contains(lower, starting[:]), contains(lower, deleting[:])
	if !runs && !deletes {
		return
	}
	var group []string // neighbours in one list of arguments
	flush := func() {
		if runs && len(group) > 1 && !strings.ContainsAny(group[0], " \t") {
			var line strings.Builder
			line.WriteString(group[0])
			for _, g := range group[1:] {
				line.WriteString(" " + Quote(g))
			}
			l.add(line.String())
		}
		group = group[:0]
	}
	last := 0
	for i := 0; i < len(code) && len(l.out) < maxLines; i++ {
		if strings.IndexByte("\"'`", code[i]) < 0 {
			continue
		}
		text, end := literal(code, i)
		if end < 0 {
			continue
		}
		if strings.Trim(code[last:i], " \t\n,[]{}@:") != "" {
			flush()
		}
		if len(group) < maxLines {
			group = append(group, text)
		}
		if runs && strings.ContainsAny(text, " \t") {
			l.add(text)
		}
		if deletes && place(text) {
			l.add("rm -rf -- " + bare(text))
		}
		i, last = end, end+1
	}
	flush()
}

func contains(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// literal is the text that starts with the quote at i, and the index of its end; -1 if it has none in its line.
func literal(code string, i int) (string, int) {
	q := code[i]
	var b strings.Builder
	for j := i + 1; j < len(code); j++ {
		switch c := code[j]; {
		case c == q, q == '`' && c == '\'':
			return b.String(), j
		case c == '\\' && j+1 < len(code):
			j++
			b.WriteByte(code[j])
		case c == '\n' && q != '`':
			return "", -1
		default:
			b.WriteByte(c)
		}
	}
	return "", -1
}

// place reports whether a text reads as a path outside of a project, or as all of one.
func place(text string) bool {
	return text == "." || text == "*" || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "..") || strings.HasPrefix(text, "$HOME")
}

// bare is a path as a shell's word that keeps its tilde.
func bare(text string) string {
	if text[0] == '~' && strings.Trim(text, "~/._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*") == "" {
		return text
	}
	return Quote(text)
}

// macros reads m4's syscmd.
func (l *list) macros(text string) {
	for _, name := range [...]string{"syscmd(", "esyscmd("} {
		for rest := text; len(l.out) < maxLines; {
			_, after, ok := strings.Cut(rest, name)
			if !ok {
				break
			}
			inner, _, _ := strings.Cut(after, ")")
			l.add(strings.Trim(inner, "`'"))
			rest = after
		}
	}
}

// maxBefore is how many words a program may have before the command that it starts.
const maxBefore = 8

// proxy reads `anything [options] rm -rf /` as a start of the command behind it, unless the program takes words as data. Few
// commands count, and a deletion only outside of the project: many programs have a subcommand rm of their own.
func (l *list) proxy() {
	if speaks(l.c.Name) {
		return
	}
	for i, w := range l.c.Words {
		if i == 0 || !w.Literal() {
			continue
		}
		if i > maxBefore {
			return
		}
		switch path.Base(w.Text) {
		case "git":
			if i+2 >= len(l.c.Words) {
				continue
			}
		case "rm", "shred", "chmod", "chown", "dd", "find":
			if !l.outside(i + 1) {
				continue
			}
		case "sh", "bash", "zsh":
			if i+2 >= len(l.c.Words) || !strings.HasPrefix(l.c.Words[i+1].Text, "-") || !strings.HasSuffix(l.c.Words[i+1].Text, "c") {
				continue
			}
		default:
			continue
		}
		line := Line(w.Text, l.c.Words[i+1:])
		l.add(line)
		return
	}
}

// outside reports whether the words from i on name a place outside of the project, or all of it.
func (l *list) outside(i int) bool {
	for _, w := range l.c.Words[i:] {
		if place(strings.TrimPrefix(w.Text, "of=")) {
			return true
		}
	}
	return false
}

// speaks is true for programs that print, search, install or explain the words that they are given.
func speaks(name string) bool {
	switch name {
	case "echo", "printf", "print", "grep", "egrep", "fgrep", "rg", "ag", "ack", "man", "info", "help", "tldr", "cheat", "which", "type", "whereis", "whatis", "apropos", "hash", "command", "alias",
		"unalias", "export", "declare", "local", "typeset", "readonly", "unset", "set", "read", "test", "[", "[[", "cat", "ls", "ll", "cp", "mv", "ln", "install", "mkdir", "touch", "rm", "awk", "jq", "yq",
		"cd", "pushd", "case", "for", "complete", "compgen", "history", "git", "gh", "glab", "devflow", "claude", "codex", "apt", "apt-get", "brew", "dnf", "yum", "pacman", "apk", "pip", "pip3",
		"npm", "pnpm", "yarn", "cargo", "go", "docker", "podman", "kubectl", "pgrep", "pkill", "killall", "ps", "strings", "file", "stat", "diff", "basename", "dirname", "expr", "logger", "wall", "notify-send", "say", "figlet", "cowsay",
		"sh", "bash", "zsh", "eval", "ssh", "find", "xargs", "chmod", "chown", "dd", "shred", "rpm", "dpkg", "snap", "port", "conda", "nix-env":
		return true
	}
	return false
}

// Line is a program with its words as one line.
func Line(program string, words []shell.Word) string {
	var b strings.Builder
	b.WriteString(program)
	for _, x := range words {
		b.WriteByte(' ')
		if x.Literal() && !strings.HasPrefix(x.Text, "~") || x.Quoted && !x.Dynamic {
			b.WriteString(Quote(x.Text))
		} else {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// Starts reports whether code speaks of starting programs or of code in a text.
func Starts(code string) bool {
	return contains(code, []string{"system", "exec", "eval", "`", "qx"})
}

// Hidden reads code that runs something computed: where it decodes or fetches what it runs, the line is one that does so.
func Hidden(code string) []string {
	if contains(code, []string{"b64decode", "b32decode", "fromhex", "unhexlify", "decompress", "marshal", "codecs.decode", "decode_base64", "base64_decode", "unpack", "pack(", "atob(", "'base64'", "\"base64\"", "str_rot13", "gzinflate", "chr("}) {
		return []string{"base64 -d payload | sh"}
	}
	if contains(code, []string{"urlopen", "urlretrieve", "requests.get", "httpx.get", "curl ", "wget ", "LWP::", "Net::HTTP", "open-uri", "fetch(", "file_get_contents('http", "file_get_contents(\"http"}) {
		return []string{"curl address | sh"}
	}
	if contains(code, []string{"input()", "sys.stdin", "<STDIN>", "gets", "shift"}) {
		return []string{"cat input | sh"}
	}
	return nil
}

// Scripts are the command lines of a package.json.
func Scripts(text string) []string {
	_, rest, ok := strings.Cut(text, `"scripts"`)
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "}")
	var out []string
	for i, name := 0, true; i < len(rest) && len(out) < maxLines; i++ {
		if rest[i] != '"' {
			continue
		}
		s, end := literal(rest, i)
		if end < 0 {
			break
		}
		if !name {
			out = append(out, s)
		}
		i, name = end, !name
	}
	return out
}
