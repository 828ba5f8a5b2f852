// Package wrap finds the program that a command really runs behind sudo, env, xargs, ssh, docker run, sh -c and their like.
//
// It knows the options of those programs as a table, works on words alone, owns no file and decides nothing. A wrapper with an option that
// is not known makes the result Unsure instead of guessed. All functions are pure and safe for concurrent use.
package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// maxWrappers bounds `sudo sudo sudo …`; what follows is marked Unsure.
const maxWrappers = 32

// Mount is a folder of this machine that a container sees.
type Mount struct {
	Host     word.Word // path, or the name of a volume, on this machine
	Inside   string    // path in the container
	ReadOnly bool
}

// Script is a text that a command gives to a shell.
type Script struct {
	Text     word.Word
	Params   []word.Word // $0, $1 … as far as given
	Open     bool        // further parameters may follow that only the run time knows
	Same     bool        // eval, source: it runs in the present shell
	Stdin    bool        // it was read from standard input, which is then used up
	Errexit  bool        // set -e
	Pipefail bool        // set -o pipefail
}

// Move is a change of directory before the program starts.
type Move struct {
	To   word.Word
	Away bool // to another machine or container
}

// Call is a simple command on its way to the program that really runs. The caller sets Words, Assign, Stdin and Fed.
type Call struct {
	Words  []word.Word // the program and its arguments; as written if Script is set
	Assign []string    // NAME=value
	Stdin  word.Word   // text on standard input, if Fed
	Fed    bool

	Wrappers []string // outermost first; with a Script, the last one is the program in Words
	Moves    []Move
	Script   *Script
	File     word.Word // the script file that a shell or source reads, if there is no Script
	Reads    bool      // a shell that takes its script from a standard input that is not known here
	Drained  bool      // the standard input was used up by a wrapper
	Open     bool      // more arguments follow that only the run time knows (xargs)
	Besides  []Beside  // what wrappers start on their own: ssh -o ProxyCommand=…
	Remote   bool
	Mounts   []Mount
	User     string
	Unsure   bool // a wrapper had an option that is not known
	Opaque   bool // the script holds parts that only the run time knows
}

// Name is the name of a program without its folder, as it is looked up in tables: git for /usr/bin/git and for git.exe.
func Name(text string) string {
	if k := strings.LastIndexByte(text, '/'); k >= 0 {
		if k == len(text)-1 {
			text = strings.TrimRight(text, "/")
			if text == "" {
				return "/"
			}
			k = strings.LastIndexByte(text, '/')
		}
		text = text[k+1:]
	}
	k := len(text) - 4
	if k <= 0 || text[k] != '.' {
		return text
	}
	switch strings.ToLower(text[k:]) {
	case ".exe", ".cmd", ".bat", ".com":
		text = text[:k]
		if k := strings.LastIndexByte(text, '\\'); k >= 0 {
			text = text[k+1:]
		}
	}
	return text
}

// Unwrap follows wrappers until the words start with the program that runs, or with something that it cannot read. It reports
// whether there are more of them than it follows.
func (c *Call) Unwrap() (more bool) {
	for range maxWrappers {
		if len(c.Words) == 0 {
			return false
		}
		first := c.Words[0]
		if !first.Literal() {
			switch first.Text {
			case "$SHELL", "${SHELL}", "$BASH", "${BASH}", "$0", "${0}":
				c.shell("sh")
			}
			return false
		}
		if !c.step(Name(first.Text)) {
			return false
		}
	}
	c.Unsure = true
	return true
}

// step strips one wrapper and reports whether there may be another.
func (c *Call) step(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh", "yash", "posh", "sash", "osh", "oil", "elvish", "nu", "xonsh", "rc", "es", "loksh", "oksh":
		c.shell(name)
		return false
	case "eval":
		if len(c.Words) > 1 {
			args := c.Words[1:]
			if args[0].Text == "--" {
				args = args[1:]
			}
			c.take(name, args).Same = true
		}
		return false
	case "source", ".":
		c.source(name)
		return false
	case "su", "runuser":
		return c.su(name)
	case "command":
		if len(c.Words) > 1 && (strings.HasPrefix(c.Words[1].Text, "-v") || strings.HasPrefix(c.Words[1].Text, "-V")) {
			return false // asks where a program is; runs nothing
		}
	case "ssh", "autossh", "slogin", "rsh", "sshpass", "mosh", "dbclient":
		return c.ssh(name)
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
		return c.container(name)
	case "kubectl", "oc", "lxc", "incus", "lxc-attach", "distrobox", "toolbox", "machinectl", "multipass", "k3s", "microk8s", "limactl", "lima", "adb", "vagrant", "gcloud", "fly", "flyctl":
		return c.elsewhere(name)
	case "parallel":
		c.parallel(name)
		return false
	case "at", "batch":
		c.later(name)
		return false
	case "script", "scriptreplay":
		return c.typescript(name)
	case "cmd", "CMD", "Cmd":
		c.windows(name)
		return false
	case "powershell", "pwsh", "PowerShell":
		c.powershell(name)
		return false
	case "wsl":
		return c.wsl(name)
	case "uv", "poetry", "pipenv", "pdm", "bundle", "conda", "mamba", "micromamba", "mise", "rtx", "asdf", "rbenv", "pyenv", "nodenv", "npm", "pnpm", "yarn", "bun",
		"op", "doppler", "aws-vault", "chamber", "direnv", "nix", "nix-shell", "volta", "hatch", "rye", "perf", "watchexec", "flatpak", "capsh":
		return c.runner(name)
	}
	s, ok := of(name)
	return ok && c.strip(name, s)
}

// strip removes one wrapper of the table. It reports false if no program follows, so that the wrapper is the program.
func (c *Call) strip(name string, s spec) bool {
	o := c.options(c.Words[1:], s, name)
	rest := o.rest
	if o.script != nil {
		c.take(name, append([]word.Word{*o.script}, rest...))
		return false
	}
	var assign []string
	for s.assigns && len(rest) > 0 && IsAssign(rest[0].Text) {
		assign = append(assign, rest[0].Text)
		rest = rest[1:]
	}
	if len(rest) < s.operands {
		return false
	}
	rest = rest[s.operands:]
	if name == "flock" && len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "--command") {
		c.take(name, rest[1:2])
		return false
	}
	if len(rest) == 0 {
		if o.login {
			c.stdin(name)
		}
		return false
	}
	c.Assign = append(c.Assign, assign...)
	if s.joined && !o.plain || name == "entr" && o.shell {
		c.take(name, rest)
		return false
	}
	c.Moves = append(c.Moves, o.moves...)
	if o.user != "" {
		c.User = o.user
	}
	c.Words, c.Unsure = rest, c.Unsure || o.unsure
	c.Wrappers = append(c.Wrappers, name)
	switch name {
	case "xargs", "gxargs":
		c.xargs(o)
	case "npx", "bunx", "pnpx":
		c.unversion()
	}
	return true
}

// unversion cuts the version off jest@29.
func (c *Call) unversion() {
	first := c.Words[0]
	if k := strings.LastIndexByte(first.Text, '@'); k > 0 && first.Literal() {
		first.Text = first.Text[:k]
		c.Words = append([]word.Word{first}, c.Words[1:]...)
	}
}

// take notes that the words, joined by spaces, are a script. What is known only at run time in it makes the command Opaque, but the text
// is read all the same.
func (c *Call) take(name string, words []word.Word) *Script {
	text := word.Join(words, " ")
	c.Opaque = c.Opaque || text.Dynamic
	c.Script = &Script{Text: text}
	c.Wrappers = append(c.Wrappers, name)
	return c.Script
}

// stdin notes that the command reads a script from its standard input.
func (c *Call) stdin(name string) {
	if !c.Fed {
		c.Reads = true
		return
	}
	c.take(name, []word.Word{c.Stdin}).Stdin = true
}

// away notes that what follows runs on another machine or in a container.
func (c *Call) away() {
	c.Remote = true
	c.Moves = append(c.Moves, Move{Away: true})
}

// IsAssign reports whether t has the form NAME=value.
func IsAssign(t string) bool {
	eq := strings.IndexByte(t, '=')
	if eq <= 0 {
		return false
	}
	for i := range eq {
		c := t[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// IsName reports whether t is the name of a variable.
func IsName(t string) bool { return t != "" && (t[0] < '0' || t[0] > '9') && IsAssign(t+"=") }
