package accept

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// outcome is what is known of a command's exit status.
type outcome uint8

const (
	bound  outcome = iota // it may depend on the work
	always                // 0, or at least the same whatever the work is
	never                 // never 0
)

// judge looks at one simple command.
func judge(c *shell.Command) outcome {
	if c.Unreadable || c.Opaque {
		return bound
	}
	if c.Name == "" { // assignments and redirections
		return fed(c)
	}
	switch c.Name {
	case "[", "test":
		return condition(c)
	case "[[", "((", "let":
		return clause(c)
	case "exit", "return", "false": // the flow knows them
		return bound
	}
	switch {
	case oneOf(c.Name, idle[:]):
		return fed(c)
	case oneOf(c.Name, filters[:]) && (c.Wrapped("xargs") || c.Wrapped("parallel")):
		return bound // its files come from elsewhere
	case oneOf(c.Name, filters[:]):
		return filter(c)
	case oneOf(c.Name, searches[:]):
		return search(c)
	case oneOf(c.Name, tools[:]) && asksVersion(c):
		return always
	}
	return special(c)
}

func oneOf(name string, list []string) bool { return slices.Contains(list, name) }

// idle commands succeed, or fail for reasons that are not the work's: they print, set, wait, make folders, or look at the machine.
var idle = [...]string{
	":", "true", "echo", "printf", "pwd", "date", "cal", "hostname", "whoami", "id", "groups", "uname", "arch", "uptime", "nproc", "free", "df", "env",
	"printenv", "tty", "stty", "sync", "sleep", "clear", "reset", "tput", "yes", "seq", "cd", "pushd", "popd", "dirs", "jobs", "history", "umask",
	"ulimit", "shopt", "set", "unset", "export", "local", "readonly", "declare", "typeset", "alias", "unalias", "hash", "type", "which", "whereis",
	"command", "builtin", "exec", "trap", "break", "continue", "shift", "mkdir", "touch", "dirname", "basename", "realpath", "file", "logger", "bg", "disown", "suspend",
	"ps", "top", "who", "w", "last", "locale", "getconf", "lscpu", "lsblk", "mktemp", "times", "enable", "help", "complete", "bind", "logname", "tabs",
}

// filters succeed whatever they read; they fail only when a file is missing.
var filters = [...]string{
	"cat", "tac", "nl", "head", "tail", "sort", "uniq", "wc", "cut", "tr", "rev", "fold", "fmt", "column", "expand", "unexpand", "paste", "tee", "less", "more",
	"od", "xxd", "hexdump", "strings", "base64", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "sum", "sed", "awk", "gawk", "mawk", "nawk", "shuf", "pr", "ts", "pv", "ls", "dir", "du", "stat", "tree", "iconv",
}

// searches succeed when they find something in what they read.
var searches = [...]string{"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"}

// tools are programs whose version or help says nothing about a project.
var tools = [...]string{
	"go", "gofmt", "node", "npm", "npx", "yarn", "pnpm", "bun", "deno", "tsc", "python", "python2", "python3", "pip", "pip3", "pytest", "ruff", "ruby", "gem", "bundle", "perl", "php", "composer", "java", "javac",
	"mvn", "gradle", "cargo", "rustc", "rustup", "gcc", "g++", "cc", "clang", "make", "cmake", "git", "bash", "sh", "zsh", "docker", "kubectl", "dart", "flutter", "swift", "dotnet", "jq", "curl", "wget", "sqlite3", "psql", "redis-cli", "eslint", "jest", "vitest",
}

func asksVersion(c *shell.Command) bool {
	return len(c.Args) == 1 && !strings.Contains(c.Words[0].Text, "./") &&
		slices.Contains([]string{"--version", "-version", "-v", "-V", "version", "--help", "-h", "help", "env", "-help"}, c.Args[0])
}

// fed is always, but for an input that may be missing: `< result.txt`.
func fed(c *shell.Command) outcome {
	for _, r := range c.Redirs {
		if r.Op == "<" && ofWork(r.Target) {
			return bound
		}
	}
	return always
}

// ofWork reports whether a path may be one that a task makes: not the machine's, not the folder itself.
func ofWork(w shell.Word) bool {
	switch path := path.Clean(w.Text); path {
	case "", "/", ".", "..", "-", "~", "$HOME", "$PWD", "${HOME}", "${PWD}", "$(pwd)", "*":
		return false
	default:
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		return path[0] != '/' || !slices.Contains([]string{"etc", "usr", "bin", "sbin", "lib", "lib64", "dev", "proc", "sys", "var", "tmp", "home", "root", "opt", "run"}, first) || w.Dynamic
	}
}

// operands are the arguments that may be files.
func operands(c *shell.Command) []shell.Word {
	var out []shell.Word
	rest := c.Words[1:]
	skip := 0 // words that are programs or patterns
	switch {
	case oneOf(c.Name, []string{"tr"}):
		return nil
	case oneOf(c.Name, []string{"sed", "awk", "gawk", "mawk", "nawk"}), oneOf(c.Name, searches[:]):
		skip = 1
	}
	for i, w := range rest {
		switch {
		case w.Text == "--":
		case strings.HasPrefix(w.Text, "-") && w.Text != "-":
			if skip > 0 && slices.Contains([]string{"-e", "-f", "--regexp", "--expression", "--file"}, w.Text) {
				skip = 1 // its value is the program
			}
		case skip > 0:
			skip--
		case len(w.Text) == 1 && w.Text != ".", strings.Trim(w.Text, "0123456789+,-") == "" && i > 0: // the value of an option
		default:
			out = append(out, w)
		}
	}
	return out
}

// filter is bound when a file that it reads may be missing, or when the program it is given can choose the status.
func filter(c *shell.Command) outcome {
	if c.Name == "tee" {
		return fed(c)
	}
	if slices.ContainsFunc(operands(c), ofWork) {
		return bound
	}
	for _, a := range c.Args {
		switch {
		case strings.HasSuffix(c.Name, "awk") && strings.Contains(a, "exit") && !fixed(strings.NewReplacer("exit 0", "", "exit;", "", "exit}", "", "exit }", "").Replace(a), "exit"):
			return textual(c)
		case c.Name == "sed" && (strings.Contains(a, "q") || strings.Contains(a, "Q")) && strings.ContainsAny(a, "123456789"):
			return textual(c)
		case strings.HasSuffix(c.Name, "sum") && (a == "-c" || a == "--check"), c.Name == "base64" && (a == "-d" || a == "--decode"), c.Name == "iconv":
			return textual(c)
		}
	}
	return fed(c)
}

func fixed(text, word string) bool { return !strings.Contains(text, word) }

// textual is bound unless the input stands in the command itself.
func textual(c *shell.Command) outcome {
	if c.Stdin.Kind == shell.FeedText && !c.Stdin.Text.Dynamic {
		return always
	}
	if c.Stdin.Kind == shell.FeedNone && len(c.Redirs) == 0 {
		return always // what no one feeds
	}
	return bound
}

// search is bound when it reads a file of the work, or a pipe whose text is not known. Without either it reads the work's folder.
func search(c *shell.Command) outcome {
	files := operands(c)
	switch {
	case slices.ContainsFunc(files, ofWork):
		return bound
	case c.Stdin.Kind == shell.FeedText && !c.Stdin.Text.Dynamic && len(files) == 0:
		return always
	case len(files) > 0 && !slices.ContainsFunc(files, func(w shell.Word) bool { return strings.Trim(w.Text, "./*") == "" || w.Text == "-" }):
		return always // only files of the machine
	}
	return bound
}
