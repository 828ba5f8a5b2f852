package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
)

// shellState is what a running shell carries from one command to the next, as far as we follow it.
type shellState struct {
	dir      Dir
	errexit  bool // set -e
	pipefail bool // set -o pipefail
}

// walker turns one parsed script text into commands and control flow. Nested texts get a walker of their own that shares out.
type walker struct {
	src      string // the text being walked
	out      *Script
	shell    *shellState
	place    Place
	wrappers []string // around the whole text
	assign   []string // variables given to the wrappers around the whole text
	depth    int      // nesting of texts
	finds    int      // nesting of find -exec
	tested   bool     // inside a condition, where set -e has no effect
	base     int      // offset of the outer command, for nested texts
}

// in runs fn with place bits added.
func (w *walker) in(p Place, fn func() *flow.Node) *flow.Node {
	old := w.place
	w.place |= p
	n := fn()
	w.place = old
	return n
}

// asTest runs fn where the shell looks at the status itself, so that set -e has no effect.
func (w *walker) asTest(p Place, fn func() *flow.Node) *flow.Node {
	old := w.tested
	w.tested = true
	n := w.in(p, fn)
	w.tested = old
	return n
}

// forked runs fn in a copy of the shell: its cd and set do not come back.
func (w *walker) forked(p Place, fn func() *flow.Node) *flow.Node {
	old := w.shell
	c := *old
	w.shell = &c
	n := w.in(p, fn)
	w.shell = old
	return &flow.Node{Kind: flow.Subshell, Kids: []*flow.Node{n}}
}

// subst walks the statements of a command or process substitution.
func (w *walker) subst(stmts []*syntax.Stmt, subs *[]*flow.Node) {
	n := w.forked(InSubst, func() *flow.Node { return w.stmts(stmts) })
	*subs = append(*subs, n)
}

func (w *walker) stmts(list []*syntax.Stmt) *flow.Node {
	seq := &flow.Node{Kind: flow.Seq}
	for _, s := range list {
		if s == nil {
			continue
		}
		k := w.stmt(s)
		if k == nil {
			continue
		}
		if w.shell.errexit && !w.tested && k.Errexit == flow.Never {
			k.Errexit = flow.Maybe
			simple := k.Kind == flow.Command || k.Kind == flow.Pipe || k.Kind == flow.Subshell
			if simple && w.place&InFunction == 0 {
				k.Errexit = flow.OnFailure
			}
		}
		seq.Kids = append(seq.Kids, k)
	}
	return seq
}

func (w *walker) stmt(s *syntax.Stmt) *flow.Node {
	var n *flow.Node
	if s.Background || s.Coprocess || s.Disown {
		n = w.forked(InBackground, func() *flow.Node { return w.plain(s) })
		return &flow.Node{Kind: flow.Background, Kids: []*flow.Node{n}}
	}
	if !s.Negated {
		return w.plain(s)
	}
	n = w.asTest(0, func() *flow.Node { return w.plain(s) })
	if n == nil {
		return nil
	}
	return &flow.Node{Kind: flow.Not, Kids: []*flow.Node{n}}
}

// plain walks a statement without its & and !.
func (w *walker) plain(s *syntax.Stmt) *flow.Node {
	var subs []*flow.Node
	redirs := w.redirects(s.Redirs, &subs)
	switch s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, nil:
	default:
		w.out.Redirs = append(w.out.Redirs, redirs...)
	}
	n := w.command(s, redirs, &subs)
	if len(subs) == 0 {
		return n
	}
	// Substitutions run before the command; its own status is what counts, unless it is only an assignment.
	if n != nil && n.Kind == flow.Assign && len(n.Kids) == 0 {
		return &flow.Node{Kind: flow.Seq, Kids: subs}
	}
	kids := make([]*flow.Node, 0, len(subs)+1)
	for _, k := range subs {
		kids = append(kids, &flow.Node{Kind: flow.Ignored, Kids: []*flow.Node{k}})
	}
	if n != nil {
		kids = append(kids, n)
	}
	return &flow.Node{Kind: flow.Seq, Kids: kids}
}

func (w *walker) command(s *syntax.Stmt, redirs []Redirect, subs *[]*flow.Node) *flow.Node {
	switch c := s.Cmd.(type) {
	case nil:
		if len(redirs) == 0 {
			return nil
		}
		text, pos := w.text(s, nil)
		return w.simple(nil, nil, redirs, text, pos)
	case *syntax.CallExpr:
		return w.call(c, s, redirs, subs)
	case *syntax.DeclClause:
		return w.decl(c, s, redirs, subs)
	case *syntax.BinaryCmd:
		return w.binary(s)
	case *syntax.Block:
		return w.stmts(c.Stmts)
	case *syntax.Subshell:
		return w.forked(InSubshell, func() *flow.Node { return w.stmts(c.Stmts) })
	case *syntax.IfClause:
		return w.ifClause(c)
	case *syntax.WhileClause:
		return w.loop(func() *flow.Node { return w.asTest(InCondition, func() *flow.Node { return w.stmts(c.Cond) }) }, c.Do)
	case *syntax.ForClause:
		return w.forClause(c, subs)
	case *syntax.CaseClause:
		return w.caseClause(c, subs)
	case *syntax.FuncDecl:
		return w.funcDecl(c)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return nil
		}
		old := w.wrappers
		w.wrappers = append(old[:len(old):len(old)], "time")
		n := w.stmt(c.Stmt)
		w.wrappers = old
		return n
	case *syntax.CoprocClause:
		if c.Stmt == nil {
			return nil
		}
		return &flow.Node{Kind: flow.Background, Kids: []*flow.Node{w.forked(InBackground, func() *flow.Node { return w.stmt(c.Stmt) })}}
	case *syntax.TestClause:
		w.test(c.X, subs)
		return w.builtin("[[", s, redirs)
	case *syntax.ArithmCmd:
		w.arithm(c.X, subs)
		return w.builtin("((", s, redirs)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			w.arithm(x, subs)
		}
		return w.builtin("let", s, redirs)
	default: // a construct that is newer than this code: say that something was not read
		n := w.builtin("", s, redirs)
		w.out.Commands[len(w.out.Commands)-1].Unreadable = true
		return n
	}
}

// text returns the source of a simple statement without its separator, and its offset.
func (w *walker) text(s *syntax.Stmt, cmd syntax.Node) (string, int) {
	from, to := int(s.Pos().Offset()), int(s.End().Offset())
	if cmd != nil {
		from = min(from, int(cmd.Pos().Offset()))
	}
	if s.Semicolon.IsValid() {
		to = int(s.Semicolon.Offset())
	}
	return strings.TrimRight(w.slice(from, to), " \t\n"), from
}

// builtin records a compound command that works like a program without side effects of interest.
func (w *walker) builtin(name string, s *syntax.Stmt, redirs []Redirect) *flow.Node {
	from, to := int(s.Cmd.Pos().Offset()), int(s.Cmd.End().Offset())
	return w.emit(Command{Name: name, Words: []Word{{Text: name}}, Redirs: redirs, Text: w.slice(from, to), Pos: from})
}

// binary walks a chain of && || |. The parser builds such chains without recursion, leaning to the left and as long as the input
// allows, so they are unrolled here instead of followed recursively.
func (w *walker) binary(s *syntax.Stmt) *flow.Node {
	var rev []*syntax.BinaryCmd
	first := s
	pipe := isPipe(s.Cmd.(*syntax.BinaryCmd).Op)
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || isPipe(b.Op) != pipe || (first != s && (first.Negated || first.Background || len(first.Redirs) > 0)) {
			break
		}
		rev = append(rev, b)
		first = b.X
	}
	chain := &flow.Node{Kind: flow.Chain}
	if pipe {
		chain.Kind, chain.Pipefail = flow.Pipe, w.shell.pipefail
	}
	add := func(x *syntax.Stmt, p Place, last bool) {
		var k *flow.Node
		switch {
		case pipe:
			k = w.forked(InPipe, func() *flow.Node { return w.stmt(x) })
		case last:
			k = w.in(p, func() *flow.Node { return w.stmt(x) })
		default:
			k = w.asTest(p, func() *flow.Node { return w.stmt(x) })
		}
		if k == nil {
			k = &flow.Node{Kind: flow.Seq}
		}
		chain.Kids = append(chain.Kids, k)
	}
	add(first, 0, false)
	for i := len(rev) - 1; i >= 0; i-- {
		chain.Ops = append(chain.Ops, byte(map[bool]rune{true: '&', false: '|'}[rev[i].Op == syntax.AndStmt]))
		add(rev[i].Y, InBranch, i == 0)
	}
	return chain
}

func isPipe(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

func (w *walker) ifClause(c *syntax.IfClause) *flow.Node {
	n := &flow.Node{Kind: flow.If}
	before := *w.shell
	merged := before
	for c != nil { // elif chains are as long as the input
		if len(c.Cond) == 0 && !c.ThenPos.IsValid() { // else
			k := w.in(InBranch, func() *flow.Node { return w.stmts(c.Then) })
			n.Kids = append(n.Kids, k)
			merged.join(w.shell)
			break
		}
		cond := w.asTest(InCondition, func() *flow.Node { return w.stmts(c.Cond) })
		afterCond := *w.shell
		then := w.in(InBranch, func() *flow.Node { return w.stmts(c.Then) })
		merged.join(w.shell)
		*w.shell = afterCond
		n.Kids = append(n.Kids, cond, then)
		c = c.Else
	}
	merged.join(w.shell)
	*w.shell = merged
	return n
}

// join makes what differs between two ways through the script unknown.
func (s *shellState) join(o *shellState) {
	if s.dir != o.dir {
		s.dir.Unknown = true
	}
	s.errexit = s.errexit && o.errexit
	s.pipefail = s.pipefail && o.pipefail
}

func (w *walker) loop(cond func() *flow.Node, body []*syntax.Stmt) *flow.Node {
	before := *w.shell
	n := &flow.Node{Kind: flow.Loop}
	if cond != nil {
		n.Kids = append(n.Kids, cond())
	}
	n.Kids = append(n.Kids, w.in(InLoop|InBranch, func() *flow.Node { return w.stmts(body) }))
	before.join(w.shell)
	*w.shell = before
	return n
}

func (w *walker) forClause(c *syntax.ForClause, subs *[]*flow.Node) *flow.Node {
	sure := false // runs at least once
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		for _, x := range l.Items {
			item := w.word(x, subs)
			sure = sure || !item.Dynamic
		}
	case *syntax.CStyleLoop:
		w.arithm(l.Init, subs)
		w.arithm(l.Cond, subs)
		w.arithm(l.Post, subs)
	}
	n := w.loop(nil, c.Do)
	n.Once = sure
	return n
}

func (w *walker) caseClause(c *syntax.CaseClause, subs *[]*flow.Node) *flow.Node {
	w.word(c.Word, subs)
	before := *w.shell
	merged := before
	n := &flow.Node{Kind: flow.Case}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.word(p, subs)
		}
		*w.shell = before
		n.Kids = append(n.Kids, w.in(InBranch, func() *flow.Node { return w.stmts(item.Stmts) }))
		merged.join(w.shell)
	}
	*w.shell = merged
	return n
}

func (w *walker) funcDecl(c *syntax.FuncDecl) *flow.Node {
	if c.Body == nil {
		return nil
	}
	body := w.forked(InFunction, func() *flow.Node { return w.stmt(c.Body) }).Kids[0] // an exit in it ends the script
	if c.Name != nil {
		if w.out.funcs == nil {
			w.out.funcs = make(map[string]*flow.Node)
		}
		w.out.funcs[c.Name.Value] = body
		w.out.Funcs = append(w.out.Funcs, c.Name.Value)
	}
	return &flow.Node{Kind: flow.Assign} // declaring always succeeds
}

func (w *walker) redirects(list []*syntax.Redirect, subs *[]*flow.Node) []Redirect {
	if len(list) == 0 {
		return nil
	}
	out := make([]Redirect, 0, len(list))
	for _, r := range list {
		x := Redirect{Op: r.Op.String(), Target: w.word(r.Word, subs), Dir: w.shell.dir}
		if r.N != nil {
			x.FD = r.N.Value
		}
		if r.Hdoc != nil {
			x.Body = w.heredoc(r.Hdoc, subs)
		}
		out = append(out, x)
	}
	return out
}

// heredoc returns the text of a here-document. Quotes mean nothing in it.
func (w *walker) heredoc(x *syntax.Word, subs *[]*flow.Node) Word {
	var out Word
	var b strings.Builder
	for _, part := range x.Parts {
		w.part(&b, &out, part, true, subs)
	}
	out.Text = b.String()
	return out
}
