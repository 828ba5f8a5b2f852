package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
)

// call handles a simple command: assignments, words, wrappers.
func (w *walker) call(c *syntax.CallExpr, s *syntax.Stmt, redirs []Redirect, subs *[]*flow.Node) *flow.Node {
	assign := w.assigns(c.Assigns, subs)
	words := make([]Word, 0, len(c.Args))
	for _, a := range c.Args {
		words = append(words, w.word(a, subs))
	}
	text, pos := w.text(s, c)
	return w.simple(assign, words, redirs, text, pos)
}

// decl handles export, declare, local, readonly and typeset like the builtins they are.
func (w *walker) decl(c *syntax.DeclClause, s *syntax.Stmt, redirs []Redirect, subs *[]*flow.Node) *flow.Node {
	words := []Word{{Text: c.Variant.Value}}
	for _, a := range c.Args {
		if a == nil {
			continue
		}
		x := Word{Text: strings.Join(w.assigns([]*syntax.Assign{a}, subs), "")}
		x.Dynamic = strings.ContainsAny(x.Text, "$`")
		words = append(words, x)
	}
	text, pos := w.text(s, c)
	return w.simple(nil, words, redirs, text, pos)
}

func (w *walker) assigns(list []*syntax.Assign, subs *[]*flow.Node) []string {
	var out []string
	for _, a := range list {
		if a == nil {
			continue
		}
		w.arithm(a.Index, subs)
		text := w.word(a.Value, subs).Text
		if a.Array != nil {
			for _, e := range a.Array.Elems {
				w.arithm(e.Index, subs)
				w.word(e.Value, subs)
			}
			text = w.source(a.Array)
		}
		switch {
		case a.Name == nil:
		case a.Naked:
			text = a.Name.Value
		default:
			text = a.Name.Value + "=" + text
		}
		out = append(out, text)
	}
	return out
}

// simple unwraps a simple command, records it, and returns its flow.
func (w *walker) simple(assign []string, words []Word, redirs []Redirect, text string, pos int) *flow.Node {
	u := unwrapped{words: words, assign: assign, redirs: redirs, dir: w.shell.dir}
	u.unwrap()
	c := Command{
		Words: u.words, Assign: u.assign, Redirs: redirs, Dir: u.dir, Text: text, Pos: pos,
		Unreadable: u.unsure, Opaque: u.opaque,
	}
	if len(u.wrappers) > 0 {
		c.Wrappers = u.wrappers
	}
	w.out.Redirs = append(w.out.Redirs, redirs...)
	c.name()
	if u.script != nil {
		c.Wrappers = u.wrappers[:len(u.wrappers)-1] // the last one is the command itself
		return w.nested(&u, c)
	}
	if len(u.words) == 0 {
		n := w.emit(c)
		n.Kind = flow.Assign
		return n
	}
	n := w.emit(c)
	if len(c.Wrappers) == 0 {
		w.builtinEffects(&c)
	}
	if c.Name == "find" && w.finds < maxNesting {
		w.finds++
		n = w.findExec(&c, n)
		w.finds--
	}
	return n
}

// name fills in what follows from Words.
func (c *Command) name() {
	if len(c.Words) == 0 {
		return
	}
	first := c.Words[0]
	if !first.Literal() || first.Text == "" || strings.HasPrefix(first.Text, "~") && strings.IndexByte(first.Text, '/') < 0 {
		c.Unreadable = true
	} else {
		c.Name = path.Base(first.Text)
	}
	c.Args = make([]string, 0, len(c.Words)-1)
	for _, a := range c.Words[1:] {
		c.Args = append(c.Args, a.Text)
	}
}

// emit records c and returns a leaf of the control flow.
func (w *walker) emit(c Command) *flow.Node {
	c.Place |= w.place
	if w.depth > 0 {
		c.Place |= InNested
		c.Pos = w.base
	}
	if len(w.wrappers) > 0 {
		c.Wrappers = append(w.wrappers[:len(w.wrappers):len(w.wrappers)], c.Wrappers...)
	}
	if len(w.assign) > 0 {
		c.Assign = append(w.assign[:len(w.assign):len(w.assign)], c.Assign...)
	}
	w.out.Commands = append(w.out.Commands, c)
	return &flow.Node{Kind: flow.Command, Cmd: len(w.out.Commands) - 1}
}

// builtinEffects follows cd, pushd, popd and set in the present shell.
func (w *walker) builtinEffects(c *Command) {
	switch c.Name {
	case "cd", "chdir", "pushd":
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
	case "popd":
		w.shell.dir.Unknown = true
	case "set":
		for i, a := range c.Args {
			on := strings.HasPrefix(a, "-")
			if !on && !strings.HasPrefix(a, "+") {
				continue
			}
			if strings.Contains(a, "e") && a != "--" {
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
}

// nested reads the script that a wrapper takes as a string. c is the wrapper's own command; it is listed only if not all of its
// script could be read.
func (w *walker) nested(u *unwrapped, c Command) *flow.Node {
	if w.depth >= maxNesting {
		c.Opaque = true
		return w.emit(c)
	}
	inner := walker{
		src: *u.script, out: w.out, shell: w.shell, place: w.place, depth: w.depth + 1, base: c.Pos,
		wrappers: append(w.wrappers[:len(w.wrappers):len(w.wrappers)], u.wrappers...),
		assign:   append(w.assign[:len(w.assign):len(w.assign)], u.assign...),
	}
	if w.depth > 0 {
		inner.base = w.base
	}
	if !u.sameShell {
		inner.shell = &shellState{dir: u.dir, errexit: u.errexit, pipefail: u.pipefail}
	}
	body, err := inner.parse(*u.script)
	if err != nil || u.opaque {
		c.Opaque = true
		return w.emit(c) // what its status means is unknown
	}
	if u.sameShell {
		return body
	}
	return &flow.Node{Kind: flow.Subshell, Kids: []*flow.Node{body}}
}

// findExec adds the commands that find would start.
func (w *walker) findExec(c *Command, own *flow.Node) *flow.Node {
	kids := []*flow.Node{}
	for i := 1; i < len(c.Words); i++ {
		switch c.Words[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		end := i + 1
		for end < len(c.Words) && c.Words[end].Text != ";" && c.Words[end].Text != "+" {
			end++
		}
		old := w.wrappers
		w.wrappers = append(append(old[:len(old):len(old)], c.Wrappers...), "find")
		k := w.in(InBranch, func() *flow.Node { return w.simple(nil, c.Words[i+1:end], nil, c.Text, c.Pos) })
		w.wrappers = old
		kids = append(kids, &flow.Node{Kind: flow.Ignored, Kids: []*flow.Node{{Kind: flow.Subshell, Kids: []*flow.Node{k}}}})
		i = end
	}
	if len(kids) == 0 {
		return own
	}
	return &flow.Node{Kind: flow.Seq, Kids: append(kids, own)}
}
