package shell

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/wrap"
)

// nested reads the script that a wrapper takes as a string. c is the wrapper's own command; it is listed only if not all of its
// script could be read.
func (w *walker) nested(u *wrap.Call, c Command, subs *subst) *flow.Node {
	text := u.Script.Text.Text
	if w.depth >= maxNesting || !w.spend(len(text)) {
		c.Opaque, w.shared.deep = true, w.shared.deep || w.depth >= maxNesting
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
		if from := subs.writers(); !u.Script.Stdin && len(from) > 0 {
			c.Stdin = Feed{Kind: FeedPipe, From: from}
		}
		if u.Script.Same {
			w.shell.Vars = w.shell.Vars.Forget()
		}
		return w.emit(c) // what its status means is unknown
	}
	if u.Script.Same {
		return body
	}
	return &flow.Node{Kind: flow.Subshell, Kids: []*flow.Node{body}}
}

// child is the state that a shell of its own starts with.
func (w *walker) child(u *wrap.Call, dir Dir) *state.State {
	s := &state.State{
		Dir: dir, Errexit: u.Script.Errexit, Pipefail: u.Script.Pipefail,
		Params: u.Script.Params, Given: len(u.Script.Params) > 0 && !u.Script.Open, Open: u.Script.Open,
	}
	if !u.Remote {
		s.Vars = w.shell.Vars.Exports()
	}
	for _, a := range u.Assign {
		name, value, _ := strings.Cut(a, "=")
		v := vars.One(Word{Text: value, Dynamic: strings.ContainsAny(value, "$`"), Quoted: true})
		v.Exported = true
		s.Vars = s.Vars.Set(name, v)
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
				return w.nested(&u, inner, nil)
			})
		})
		w.wrappers = old
		kids = append(kids, &flow.Node{Kind: flow.Ignored, Kids: []*flow.Node{k}})
	}
	return &flow.Node{Kind: flow.Seq, Kids: append(kids, own)}
}
