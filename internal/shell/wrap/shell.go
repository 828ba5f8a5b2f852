package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// shell finds the script of `bash -c script`, of a script file, or of a shell that reads its standard input.
func (c *Call) shell(name string) {
	inline, fromStdin, errexit, pipefail := false, false, false, false
	i := 1
	for ; i < len(c.Words); i++ {
		t := c.Words[i].Text
		if len(t) < 2 || (t[0] != '-' && t[0] != '+') || c.Words[i].Dynamic {
			break
		}
		if t == "--" {
			i++
			break
		}
		if strings.HasPrefix(t, "--") {
			if t == "--rcfile" || t == "--init-file" {
				i++
			}
			if v, ok := strings.CutPrefix(t, "--command="); ok { // fish
				c.take(name, []word.Word{{Text: v}})
				return
			}
			inline = inline || t == "--command"
			continue
		}
		inline = inline || t[0] == '-' && strings.IndexByte(t, 'c') > 0
		fromStdin = fromStdin || t[0] == '-' && strings.IndexByte(t, 's') > 0
		errexit = errexit || t[0] == '-' && strings.IndexByte(t, 'e') > 0
		if strings.IndexByte(t, 'o') > 0 || strings.IndexByte(t, 'O') > 0 {
			if i++; i < len(c.Words) {
				pipefail = pipefail || c.Words[i].Text == "pipefail"
				errexit = errexit || c.Words[i].Text == "errexit"
			}
		}
	}
	if i < len(c.Words) && c.Words[i].Text == "-" {
		i++
	}
	params := c.Words[min(i, len(c.Words)):]
	switch {
	case inline && len(params) > 0:
		c.take(name, params[:1])
		params = params[1:]
	case inline:
		return
	case len(params) > 0 && !fromStdin && !isStdin(params[0].Text):
		c.File = params[0]
		return
	default:
		c.stdin(name)
		if !fromStdin && len(params) > 0 {
			params = params[1:]
		}
		params = append([]word.Word{{Text: name}}, params...)
	}
	if c.Script != nil {
		c.Script.Params, c.Script.Open, c.Script.Errexit, c.Script.Pipefail = params, c.Open, errexit, pipefail
	}
}

func isStdin(t string) bool { return t == "/dev/stdin" || t == "/proc/self/fd/0" || t == "/dev/fd/0" }

// source reads a file in the present shell.
func (c *Call) source(name string) {
	switch {
	case len(c.Words) < 2:
	case isStdin(c.Words[1].Text):
		if c.stdin(name); c.Script != nil {
			c.Script.Same = true
		}
	default:
		c.File = c.Words[1]
	}
}

// su reads su and runuser in all their spellings; getopt lets options stand behind the user.
func (c *Call) su(name string) bool {
	var script *word.Word
	var args []word.Word
	user := "root"
	named := false
	for i := 1; i < len(c.Words); i++ {
		t := c.Words[i].Text
		if t == "--" {
			args = append(args, c.Words[i+1:]...)
			break
		}
		if len(t) < 2 || t[0] != '-' {
			if t != "-" {
				args = append(args, c.Words[i])
			}
			if named { // runuser -u user program …
				args = c.Words[i:]
				break
			}
			continue
		}
		s := spec{value: "cCgGswTu", flags: "flmpPhV", lax: true, long: " --command --session-command --group --supp-group --shell --whitelist-environment --user "}
		takes, option, value, _ := s.option(t)
		v := word.Word{Text: value, Dynamic: c.Words[i].Dynamic}
		if takes && i+1 < len(c.Words) {
			i++
			v = c.Words[i]
		}
		switch option {
		case "-c", "-C", "--command", "--session-command":
			script = &v
		case "-u", "--user":
			user, named = v.Text, true
		}
	}
	if named && script == nil && len(args) > 0 {
		c.User, c.Words = user, args
		c.Wrappers = append(c.Wrappers, name)
		return true
	}
	if len(args) > 0 && !named {
		user, args = args[0].Text, args[1:]
	}
	c.User = user
	switch {
	case script != nil:
		c.take(name, []word.Word{*script}).Params = append([]word.Word{{Text: name}}, args...)
	case len(args) > 0: // su user -- -c script, su user file
		c.Wrappers = append(c.Wrappers, name)
		c.Words = append([]word.Word{{Text: "sh"}}, args...)
		return true
	default:
		c.stdin(name)
	}
	return false
}

// typescript is script(1): -c with a command, or, on BSD, the words after the file.
func (c *Call) typescript(name string) bool {
	s := spec{value: "cEIOBTmot", flags: "aefqkrF", lax: true, long: " --command --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit "}
	rest := c.Words[1:]
	for len(rest) > 0 && len(rest[0].Text) > 1 && rest[0].Text[0] == '-' {
		takes, option, value, _ := s.option(rest[0].Text)
		v := word.Word{Text: value, Dynamic: rest[0].Dynamic}
		rest = rest[1:]
		if takes && len(rest) > 0 {
			v, rest = rest[0], rest[1:]
		}
		if option == "-c" || option == "--command" {
			c.take(name, []word.Word{v})
			return false
		}
	}
	if len(rest) > 1 {
		c.Words = rest[1:]
		c.Wrappers = append(c.Wrappers, name)
		return true
	}
	return false
}

// later is at and batch, which read a script.
func (c *Call) later(name string) {
	for i, a := range c.Words[1:] {
		if a.Text == "-f" && i+2 < len(c.Words) {
			c.File = c.Words[i+2]
			return
		}
		switch a.Text {
		case "-l", "-r", "-d", "-c", "-V":
			return
		}
	}
	c.stdin(name)
}
