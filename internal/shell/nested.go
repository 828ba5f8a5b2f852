package shell

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/wrap"
)

// nested reads the script that a wrapper takes as a string. c is the wrapper's own command; it is listed only if not all of its
// script could be read.
func (w *walker) nested(u *wrap.Call, c Command) *flow.Node {
	text := u.Script.Text.Text
	if w.depth >= maxNesting || !w.spend(len(text)) {
		c.Opaque = true
		return w.emit(c)
	}
	inner := walker{
		src: text, out: w.out, shared: w.shared, shell: w.shell, place: w.place, depth: w.depth + 1, base: c.Pos, calls: w.calls, spawns: w.spawns, besides: w.besides,
		wrappers: append(w.wrappers[:len(w.wrappers):len(w.wrappers)], u.Wrappers...),
		assigned: append(w.assigned[:len(w.assigned):len(w.assigned)], u.Assign...),
		remote:   w.remote || c.Remote, mounts: append(w.mounts[:len(w.mounts):len(w.mounts)], c.Mounts...), user: c.User,
		stdin: c.Stdin, capture: w.capture,
	}
	if w.depth > 0 {
		inner.base = w.base
	}
	if inner.user == "" {
		inner.user = w.user
	}
	if u.Script.Stdin || u.Drained {
		inner.stdin = Feed{}
	}
	if !u.Script.Same {
		inner.shell = w.child(u, c.Dir)
	}
	body, err := inner.parse(text)
	if err != nil || u.Opaque {
		c.Opaque, c.Guessed = true, err == nil
		if u.Script.Same {
			w.shell.vars = w.shell.vars.Forget()
		}
		return w.emit(c) // what its status means is unknown
	}
	if u.Script.Same {
		return body
	}
	return &flow.Node{Kind: flow.Subshell, Kids: []*flow.Node{body}}
}

// child is the state that a shell of its own starts with.
func (w *walker) child(u *wrap.Call, dir Dir) *shellState {
	s := &shellState{
		dir: dir, errexit: u.Script.Errexit, pipefail: u.Script.Pipefail,
		params: u.Script.Params, given: len(u.Script.Params) > 0 && !u.Script.Open, open: u.Script.Open,
	}
	if !u.Remote {
		s.vars = w.shell.vars.Exports()
	}
	for _, a := range u.Assign {
		name, value, _ := strings.Cut(a, "=")
		v := vars.One(Word{Text: value, Dynamic: strings.ContainsAny(value, "$`"), Quoted: true})
		v.Exported = true
		s.vars = s.vars.Set(name, v)
	}
	return s
}

// beside adds the commands that a program starts among other things: find -exec, trap, git bisect run.
func (w *walker) beside(c *Command, list []wrap.Beside, own *flow.Node) *flow.Node {
	kids := []*flow.Node{}
	old := w.wrappers
	outer := append(old[:len(old):len(old)], c.Wrappers...)
	for _, b := range list {
		k := w.forked(InBranch, func() *flow.Node {
			return w.unseen(func() *flow.Node {
				if b.Script == nil {
					w.wrappers = append(outer[:len(outer):len(outer)], c.Name)
					return w.simple(simple{words: b.Words, text: c.Text, pos: c.Pos})
				}
				w.wrappers = outer
				u := wrap.Call{Script: b.Script, Wrappers: []string{c.Name}, Opaque: b.Script.Text.Dynamic}
				u.Script.Same = c.Name == "trap"
				inner := *c
				inner.Wrappers = nil
				return w.nested(&u, inner)
			})
		})
		w.wrappers = old
		kids = append(kids, &flow.Node{Kind: flow.Ignored, Kids: []*flow.Node{k}})
	}
	return &flow.Node{Kind: flow.Seq, Kids: append(kids, own)}
}

// builtinEffects follows what the builtins of the shell change: directory, options, variables, parameters.
func (w *walker) builtinEffects(c *Command) {
	switch c.Name {
	case "cd", "chdir", "pushd":
		w.chdir(c)
	case "popd":
		w.shell.dir.Unknown = true
	case "set":
		w.set(c)
	case "shift":
		s := w.shell
		switch {
		case len(c.Args) > 0 || !s.given:
			s.given = false
		case len(s.params) > 1:
			s.params = append([]Word{s.params[0]}, s.params[2:]...)
		}
	case "unset", "mapfile", "readarray", "getopts", "let":
		for _, a := range c.Args {
			if name, _, _ := strings.Cut(a, "="); isName(name) {
				w.unknown(name)
			}
		}
	case "read":
		w.read(c)
	case "printf":
		if len(c.Args) > 1 && c.Args[0] == "-v" && isName(c.Args[1]) {
			if out, ok := static.Output("printf", c.Words[3:], Word{}, false); ok && w.spend(len(out.Text)) {
				w.assign(c.Args[1], vars.One(out))
			} else {
				w.unknown(c.Args[1])
			}
		}
	}
}

func (w *walker) chdir(c *Command) {
	args := c.Words[1:]
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		args = args[1:] // -P, -L, --
	}
	switch {
	case len(args) == 0 && c.Name != "pushd":
		w.shell.dir = Dir{Path: "~"}
	case len(args) == 0 || !args[0].Literal() || args[0].Text == "-" || args[0].Text[:min(1, len(args[0].Text))] == "+":
		w.shell.dir.Unknown = true
	default:
		w.shell.dir = w.shell.dir.Join(args[0].Text)
	}
}

func (w *walker) set(c *Command) {
	for i, a := range c.Args {
		on := strings.HasPrefix(a, "-")
		if a == "--" || !on && !strings.HasPrefix(a, "+") {
			rest := c.Words[1+i:]
			if a == "--" {
				rest = rest[1:]
			} else if i > 0 && (c.Args[i-1] == "-o" || c.Args[i-1] == "+o" || strings.HasSuffix(c.Args[i-1], "o") && c.Args[i-1][0] == '-') {
				continue
			}
			w.shell.params, w.shell.given, w.shell.open = append([]Word{{}}, rest...), true, false
			return
		}
		if strings.Contains(a, "e") {
			w.shell.errexit = on
		}
		if strings.HasSuffix(a, "o") && i+1 < len(c.Args) {
			switch c.Args[i+1] {
			case "pipefail":
				w.shell.pipefail = on
			case "errexit":
				w.shell.errexit = on
			}
		}
	}
}

// read follows `read a b` from an input that is known.
func (w *walker) read(c *Command) {
	var names []string
	plain := true
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case a == "-r" || a == "-s" || a == "-e":
		case a == "-p" || a == "-t":
			i++
		case strings.HasPrefix(a, "-"):
			plain = false
		case isName(a):
			names = append(names, a)
		}
	}
	line, _, _ := strings.Cut(c.Stdin.Text.Text, "\n")
	known := plain && c.Stdin.Kind == FeedText && w.place&InCondition == 0 && w.spend(len(line))
	for i, name := range names {
		if !known {
			w.unknown(name)
			continue
		}
		line = strings.Trim(line, " \t")
		value := line
		if k := strings.IndexAny(line, " \t"); k >= 0 && i+1 < len(names) {
			value, line = line[:k], line[k:]
		} else if i+1 < len(names) {
			line = ""
		}
		w.assign(name, vars.One(Word{Text: value, Dynamic: c.Stdin.Text.Dynamic}))
	}
}
