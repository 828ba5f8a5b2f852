// Package accept says whether an acceptance command can tell done from not done.
//
// It does not look for words but for what decides the exit status of the whole command: every command in it is either bound to the
// work (its status may change with what a worker does) or fixed (echo, true, a test of a constant, a filter that only reads a pipe),
// and the ways through chains, pipes, branches, functions and nested shells are followed by the package internal/shell. A command
// that can only succeed, or only fail, is refused; so is one whose status a trap decides. Nothing is run. Whether a command fails
// before the work is a question for a dry run, not for this package. It owns no table and no file.
package accept

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// MaxCommand bounds an acceptance command, in bytes.
const MaxCommand = 2000

const advice = "write a command that fails until the task is done, such as a test of it"

// Lint says why a command proves nothing, "" when it is able both to fail and to succeed. It is a phrase that follows the command.
func Lint(command string) string {
	switch {
	case strings.TrimSpace(command) == "":
		return "is empty: " + advice
	case len(command) > MaxCommand:
		return fmt.Sprintf("has %d bytes, at most %d: put it in a script of the module", len(command), MaxCommand)
	case strings.ContainsRune(command, 0):
		return "holds a NUL"
	}
	s, err := shell.Parse(command)
	switch {
	case errors.Is(err, shell.ErrTooDeep):
		return "is nested too deeply"
	case err != nil:
		return "is not readable as shell: " + strings.TrimPrefix(err.Error(), "parse shell: ")
	case len(s.Commands) == 0 && len(s.Redirs) == 0:
		return "runs nothing: " + advice
	case trapped(s):
		return "cannot fail: a trap decides its exit status; " + advice
	}
	succeeds, fails := ends(upTo(command, s))
	switch {
	case succeeds && fails || !succeeds && !fails: // neither: it was too much to follow
		return ""
	case succeeds:
		return "cannot fail: its exit status is 0 whatever the task leaves; " + advice
	}
	return "cannot succeed: its exit status is never 0"
}

// upTo cuts what comes behind an exec that replaces the shell.
func upTo(command string, s shell.Script) string {
	for _, c := range s.Commands {
		if end := c.Pos + len(c.Text); c.Place == 0 && c.Wrapped("exec") && end <= len(command) && command[c.Pos:end] == c.Text {
			return command[:end]
		}
	}
	return command
}

// probe is a command that no script has.
const probe = "devflow-accept-probe"

// ends says which exit statuses a command may have. The flow analysis proves things about a command that is asked for; so the whole
// is put, as a shell of its own, before a probe that runs on success, and then before one that runs on failure.
func ends(command string) (succeeds, fails bool) {
	quoted := "bash -c '" + strings.ReplaceAll(plain(command), "'", `'\''`) + "' "
	return proof(quoted + "&& " + probe).Success, proof(quoted + "|| " + probe).Failure
}

func proof(src string) (p struct{ Success, Failure bool }) {
	s, err := shell.Parse(src)
	if err != nil {
		return p
	}
	forget(s.Commands)
	roles := make(map[*shell.Command]shell.Role, len(s.Commands))
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Name == probe:
			roles[c] = shell.Target
		case slices.Contains(s.Funcs, c.Name):
		case c.Wrapped("script") && !c.Wrapped("find"): // script(1) loses the status
			roles[c] = shell.Setup
		default:
			switch judge(c) {
			case always:
				roles[c] = shell.Setup
			case never:
				c.Name = "false"
			}
		}
	}
	got := s.Exit(func(c *shell.Command) shell.Role { return roles[c] })
	p.Success, p.Failure = got.Success, got.Failure
	return p
}

// forget blanks out the files that the script makes by itself, with commands that have nothing to do with the work: whether they are
// there, and what is in them, is known before.
func forget(commands []shell.Command) {
	made := map[string]bool{}
	for i := range commands {
		c := &commands[i]
		own := judge(c) == always
		note := func(w shell.Word) {
			before, known := made[w.Text]
			if w.Literal() {
				made[w.Text] = own && (before || !known) // what a command of the work writes stays of the work
			}
		}
		for _, r := range c.Redirs {
			if r.Writes() {
				note(r.Target)
			}
		}
		if c.Name == "touch" || c.Name == "mkdir" || c.Name == "tee" && c.Stdin.Kind == shell.FeedText {
			for _, w := range c.Words[1:] {
				note(w)
			}
		}
	}
	for i := range commands {
		for k, w := range commands[i].Words {
			if k > 0 && made[w.Text] {
				commands[i].Words[k].Text = "/dev/null"
			}
		}
		for k, r := range commands[i].Redirs {
			if made[r.Target.Text] {
				commands[i].Redirs[k].Target.Text = "/dev/null"
			}
		}
	}
}

// trapped reports whether a trap on the end of the script leaves with a fixed status.
func trapped(s shell.Script) bool {
	for _, c := range s.Commands {
		if c.Name != "trap" || len(c.Args) < 2 {
			continue
		}
		ending := slices.ContainsFunc(c.Args[1:], func(a string) bool { return slices.Contains([]string{"EXIT", "exit", "0", "ERR", "DEBUG"}, a) })
		body, err := shell.Parse(c.Args[0])
		if !ending || err != nil {
			continue
		}
		for _, in := range body.Commands {
			if in.Name == "exit" && len(in.Args) > 0 && strings.Trim(in.Args[0], "0123456789") == "" {
				return true
			}
		}
	}
	return false
}
