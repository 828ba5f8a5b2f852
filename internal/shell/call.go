package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/wrap"
)

// call handles a simple command: assignments, words, wrappers.
func (w *walker) call(c *syntax.CallExpr, s *syntax.Stmt, redirs []Redirect, subs *subst) *flow.Node {
	words := make([]Word, 0, len(c.Args))
	for _, a := range c.Args {
		words = w.words(words, a, subs)
	}
	var assign []string
	switch {
	case len(c.Assigns) == 0:
	case len(words) > 0 && c.Assigns[0].Pos().After(c.Args[0].Pos()): // the parser's reading of `coproc dd if=x`
		for _, a := range w.assigns(c.Assigns, false, false, subs) {
			words = append(words, Word{Text: a, Dynamic: strings.ContainsAny(a, "$`")})
		}
	default:
		assign = w.assigns(c.Assigns, len(words) == 0, false, subs)
	}
	text, pos := w.text(s, c)
	return w.simple(simple{assign: assign, words: words, redirs: redirs, text: text, pos: pos, subs: subs})
}

// decl handles export, declare, local, readonly and typeset like the builtins they are.
func (w *walker) decl(c *syntax.DeclClause, s *syntax.Stmt, redirs []Redirect, subs *subst) *flow.Node {
	words := []Word{{Text: c.Variant.Value}}
	exported, odd := c.Variant.Value == "export", false
	for _, a := range c.Args {
		if a == nil {
			continue
		}
		x := Word{Text: strings.Join(w.assigns([]*syntax.Assign{a}, !odd, exported, subs), "")}
		x.Dynamic = strings.ContainsAny(x.Text, "$`")
		words = append(words, x)
		if a.Name == nil && strings.HasPrefix(x.Text, "-") {
			exported = exported || strings.ContainsRune(x.Text, 'x')
			odd = odd || strings.Trim(x.Text, "-xrgaf") != ""
		} else if a.Name != nil && odd {
			w.shell.Unknown(a.Name.Value)
		}
	}
	text, pos := w.text(s, c)
	return w.simple(simple{words: words, redirs: redirs, text: text, pos: pos, subs: subs})
}

// assigns returns assignments as text. keep is false for those that only the command behind them sees.
func (w *walker) assigns(list []*syntax.Assign, keep, exported bool, subs *subst) []string {
	var out []string
	for _, a := range list {
		if a == nil {
			continue
		}
		w.arithm(a.Index, subs)
		value := w.word(a.Value, subs)
		text := value.Text
		var elems []Word
		if a.Array != nil {
			for _, e := range a.Array.Elems {
				w.arithm(e.Index, subs)
				if e.Value != nil {
					elems = w.words(elems, e.Value, subs)
				}
			}
			text = w.source(a.Array)
		}
		switch {
		case a.Name == nil:
		case a.Naked:
			text = a.Name.Value
			if v, ok := w.shell.Vars.Lookup(text); ok && keep && exported {
				v.Exported = true
				w.shell.Assign(text, v)
			}
		default:
			text = a.Name.Value + "=" + text
			if keep {
				w.shell.Set(a, value, elems, exported, w.spend)
			}
		}
		out = append(out, text)
	}
	return out
}

// simple is a simple command as it is written.
type simple struct {
	assign []string
	words  []Word
	redirs []Redirect
	text   string
	pos    int
	subs   *subst
}

// simple unwraps a simple command, records it, and returns its flow.
func (w *walker) simple(x simple) *flow.Node {
	feed := w.input(x.redirs, x.subs)
	u := wrap.Call{Words: x.words, Assign: x.assign, Stdin: feed.Text, Fed: feed.Kind == FeedText}
	w.shared.deep = u.Unwrap() || w.shared.deep
	c := Command{
		Words: u.Words, Assign: u.Assign, Redirs: x.redirs, Stdin: feed, Dir: w.moved(u.Moves), Text: x.text, Pos: x.pos,
		Wrappers: u.Wrappers, Remote: u.Remote, Mounts: u.Mounts, User: u.User, Unreadable: u.Unsure, Opaque: u.Opaque,
	}
	w.out.Redirs = append(w.out.Redirs, x.redirs...)
	c.name()
	if len(u.Besides) > 0 {
		w.beside(&Command{Name: "ssh", Words: []Word{{Text: "ssh"}}, Text: x.text, Pos: x.pos}, u.Besides, nil)
	}
	switch {
	case u.Script != nil:
		c.Wrappers = u.Wrappers[:len(u.Wrappers)-1] // the last one is the command itself
		return w.nested(&u, c, x.subs)
	case u.File.Text != "":
		if n := w.scriptFile(&u, &c, x.subs); n != nil {
			return n
		}
	case u.Reads:
		c.Opaque = c.Opaque || feed.Kind == FeedPipe
	}
	if len(u.Words) == 0 {
		n := w.emit(c)
		n.Kind = flow.Assign
		return n
	}
	here := len(c.Wrappers) == 0
	if text, ok := w.shell.Alias(c.Words); ok && here {
		u.Script, u.Wrappers = &wrap.Script{Text: text, Same: true}, []string{c.Words[0].Text}
		return w.nested(&u, c, x.subs)
	}
	if here && w.shared.byName != nil && w.invoke(&c) {
		old := w.capture // the body has spoken
		w.capture = nil
		n := w.emit(c)
		w.capture = old
		return n
	}
	n := w.emit(c)
	if here && state.Changes(c.Name) {
		w.shell.Run(state.Builtin{
			Name: c.Name, Args: c.Words[1:], Assign: x.assign, Stdin: c.Stdin.Text, Fed: c.Stdin.Kind == FeedText, Condition: w.place&InCondition != 0, Spend: w.spend,
		})
	}
	if w.besides < maxNesting {
		if list := wrap.Besides(c.Name, c.Words[1:]); len(list) > 0 {
			w.besides++
			n = w.beside(&c, list, n)
			w.besides--
		}
	}
	return n
}

// moved is the directory after the changes that wrappers make.
func (w *walker) moved(moves []wrap.Move) Dir {
	dir := w.shell.Dir
	for _, m := range moves {
		if m.Away {
			dir = Dir{Unknown: true}
			continue
		}
		dir = dir.Join(m.To.Text)
		dir.Unknown = dir.Unknown || !m.To.Literal()
	}
	return dir
}

// scriptFile reads the script of `bash <(…)` and `source <(…)` if it can be computed; nil if the command is to be recorded as it is.
func (w *walker) scriptFile(u *wrap.Call, c *Command, subs *subst) *flow.Node {
	same := c.Name == "." || c.Name == "source"
	if o := subs.find(u.File); o != nil {
		c.Stdin = o.feed
		if o.feed.Kind == FeedText {
			u.Script = &wrap.Script{Text: o.feed.Text, Same: same, Params: u.Words[1:]}
			u.Opaque = o.feed.Text.Dynamic
			u.Wrappers = append(u.Wrappers, c.Name)
			return w.nested(u, *c, nil)
		}
		c.Opaque = true
	}
	if same {
		w.shell.Vars = w.shell.Vars.Forget()
	}
	return nil
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
		c.Name = wrap.Name(first.Text)
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
	if len(w.assigned) > 0 {
		c.Assign = append(w.assigned[:len(w.assigned):len(w.assigned)], c.Assign...)
	}
	c.Remote = c.Remote || w.remote
	if len(w.mounts) > 0 {
		c.Mounts = append(w.mounts[:len(w.mounts):len(w.mounts)], c.Mounts...)
	}
	if c.User == "" {
		c.User = w.user
	}
	w.produce(&c)
	if n := len(w.out.Commands); n == cap(w.out.Commands) && n > 0 {
		w.out.Commands = slices.Grow(w.out.Commands, n) // doubled: append moves the commands of a long line four times as often
	}
	w.out.Commands = append(w.out.Commands, c)
	return &flow.Node{Kind: flow.Command, Cmd: len(w.out.Commands) - 1}
}
