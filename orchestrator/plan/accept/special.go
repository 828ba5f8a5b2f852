package accept

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// special looks at commands whose options decide.
func special(c *shell.Command) outcome {
	has := func(options ...string) bool {
		return slices.ContainsFunc(c.Args, func(a string) bool { return slices.Contains(options, a) })
	}
	switch c.Name {
	case "git":
		return git(c)
	case "find":
		if !has("+") && !slices.ContainsFunc(c.Words[1:], func(w shell.Word) bool { return rootOf(c, w) && ofWork(w) }) {
			return always
		}
	case "rm":
		if has("-f", "-rf", "-fr", "-Rf", "--force") {
			return always
		}
	case "source", ".":
		if len(c.Words) == 2 && !ofWork(c.Words[1]) {
			return always
		}
	case "wait":
		if len(c.Args) == 0 {
			return always
		}
	case "diff", "cmp", "comm":
		if files := slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool { return len(a) > 1 && a[0] == '-' }); len(files) == 2 && files[0] == files[1] {
			return always
		}
	case "expr", "bc":
		if len(c.Args) > 0 && !slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Dynamic || w.Glob && w.Text != "*" }) {
			return always
		}
		return textual(c)
	case "python", "python2", "python3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua":
		return inline(c)
	case "kill", "pkill", "killall", "ping", "nslookup":
		return always
	}
	return bound
}

// rootOf reports whether a word is one of the folders that find begins at.
func rootOf(c *shell.Command, w shell.Word) bool {
	for _, x := range c.Words[1:] {
		if strings.HasPrefix(x.Text, "-") || x.Text == "(" || x.Text == "!" {
			return false
		}
		if x == w {
			return true
		}
	}
	return false
}

// git commands that only show or store succeed in every repository.
func git(c *shell.Command) outcome {
	args := c.Args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return bound
	}
	has := func(options ...string) bool {
		return slices.ContainsFunc(args[1:], func(a string) bool { return slices.Contains(options, a) })
	}
	switch args[0] {
	case "status", "stash", "init", "help", "version", "fetch", "reflog", "shortlog", "ls-files", "branch", "tag", "remote", "blame", "gc":
		if !has("--error-unmatch") {
			return always
		}
	case "log", "rev-parse", "show", "describe":
		if len(args) == 1 || has("HEAD", "--oneline", "--show-toplevel", "--git-dir", "--abbrev-ref") && len(args) < 4 {
			return always
		}
	case "diff":
		if !has("--exit-code", "--quiet", "--check", "--no-index") {
			return always
		}
	}
	return bound
}

// inline looks at a program text that is given on the command line, or stands in the command as its input. It is fixed when it names
// nothing but what prints, ends and imports of the language's own.
func inline(c *shell.Command) outcome {
	code, found := "", false
	for i, w := range c.Words[1:] {
		if slices.Contains([]string{"-c", "-e", "-r", "--eval", "eval", "-E", "-p"}, w.Text) && i+2 < len(c.Words) {
			x := c.Words[i+2]
			if x.Dynamic {
				return bound
			}
			code, found = code+"\n"+x.Text, true
		}
	}
	plain := len(c.Args) == 0 || len(c.Args) == 1 && c.Args[0] == "-"
	if !found && plain && c.Stdin.Kind == shell.FeedText && !c.Stdin.Text.Dynamic {
		code, found = c.Stdin.Text.Text, true
	}
	if !found {
		return bound
	}
	for _, name := range names(code) {
		if !slices.Contains(strings.Fields(harmless), name) {
			return bound
		}
	}
	return always
}

// harmless are the names of program texts whose end does not depend on files.
const harmless = `pass print import from as sys os exit quit _exit None True False true false null undefined console log error warn process stdout stderr write flush
	puts p echo say use strict warnings assert not and or is in if else then end elif raise SystemExit die unless return
	json re math time datetime random string subprocess pathlib collections itertools functools typing logging unittest tempfile shutil fs path util`

// names are the words of a program text outside of strings and comments, numbers left out.
func names(code string) []string {
	var out []string
	word := strings.Builder{}
	end := func() {
		if s := word.String(); s != "" && (s[0] < '0' || s[0] > '9') {
			out = append(out, s)
		}
		word.Reset()
	}
	quote := rune(0)
	for _, r := range code {
		switch {
		case quote == '#':
			if r == '\n' {
				quote = 0
			}
		case quote == '`' && r == '$': // a template may call
			out = append(out, "$")
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`' || r == '#':
			end()
			quote = r
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127:
			word.WriteRune(r)
		default:
			end()
		}
	}
	end()
	return out
}
