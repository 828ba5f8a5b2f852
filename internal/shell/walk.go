package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// walker turns one parsed script text into commands and control flow. Nested texts get a walker of their own that shares out.
type walker struct {
	src      string // the text being walked
	out      *Script
	shared   *shared
	shell    *state.State
	place    Place
	wrappers []string // around the whole text
	assigned []string // variables given to the wrappers around the whole text
	depth    int      // nesting of texts
	besides  int      // nesting of find -exec
	calls    int      // nesting of function calls
	spawns   int      // nesting of pipes and background commands
	tested   bool     // inside a condition, where set -e has no effect
	remote   bool     // around the whole text: it runs elsewhere
	mounts   []Mount
	user     string
	base     int             // offset of the outer command, for nested texts
	stdin    Feed            // of commands without an input of their own
	capture  *static.Capture // where what they print goes, nil if nobody asks
	lex      *vars.Lexical   // of src, once it was needed
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
	spawns := w.spawns
	if p&(InPipe|InBackground) != 0 {
		w.spawns++
	}
	n := w.in(p, fn)
	w.shell, w.spawns = old, spawns
	return &flow.Node{Kind: flow.Subshell, Kids: []*flow.Node{n}}
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
		if w.shell.Errexit && !w.tested && k.Errexit == flow.Never {
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
	var subs subst
	redirs := w.redirects(s.Redirs, &subs)
	var n *flow.Node
	switch s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, nil:
		n = w.command(s, redirs, &subs)
	default:
		w.out.Redirs = append(w.out.Redirs, redirs...)
		n = w.redirected(s, redirs, &subs)
	}
	if len(subs.flows) == 0 {
		return n
	}
	// Substitutions run before the command; its own status is what counts, unless it is only an assignment.
	if n != nil && n.Kind == flow.Assign && len(n.Kids) == 0 {
		return &flow.Node{Kind: flow.Seq, Kids: subs.flows}
	}
	kids := make([]*flow.Node, 0, len(subs.flows)+1)
	for _, k := range subs.flows {
		kids = append(kids, &flow.Node{Kind: flow.Ignored, Kids: []*flow.Node{k}})
	}
	if n != nil {
		kids = append(kids, n)
	}
	return &flow.Node{Kind: flow.Seq, Kids: kids}
}

// redirected walks a compound statement, whose redirections hold for all that is in it.
func (w *walker) redirected(s *syntax.Stmt, redirs []Redirect, subs *subst) *flow.Node {
	if len(redirs) == 0 {
		return w.command(s, redirs, subs)
	}
	stdin, capture := w.stdin, w.capture
	w.stdin = w.input(redirs, subs)
	for _, r := range redirs {
		if r.Writes() && (r.FD == "" || r.FD == "1") {
			w.capture = nil
		}
	}
	n := w.command(s, redirs, subs)
	w.stdin, w.capture = stdin, capture
	return n
}

func (w *walker) command(s *syntax.Stmt, redirs []Redirect, subs *subst) *flow.Node {
	switch c := s.Cmd.(type) {
	case nil:
		if len(redirs) == 0 {
			return nil
		}
		text, pos := w.text(s, nil)
		return w.simple(simple{redirs: redirs, text: text, pos: pos, subs: subs})
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
		return w.unseen(func() *flow.Node { return w.ifClause(c) })
	case *syntax.WhileClause:
		return w.unseen(func() *flow.Node { return w.whileClause(c) })
	case *syntax.ForClause:
		return w.unseen(func() *flow.Node { return w.forClause(c, subs) })
	case *syntax.CaseClause:
		return w.unseen(func() *flow.Node { return w.caseClause(c, subs) })
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
		chain.Kind, chain.Pipefail = flow.Pipe, w.shell.Pipefail
	}
	add := func(x *syntax.Stmt, p Place, last bool) {
		var k *flow.Node
		switch {
		case pipe:
			k = w.stage(x, last)
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
	stdin := w.stdin
	add(first, 0, false)
	before := *w.shell
	for i := len(rev) - 1; i >= 0; i-- {
		op := byte('|')
		if rev[i].Op == syntax.AndStmt {
			op = '&'
		} else if !pipe && w.capture != nil {
			w.capture.Unknown = true // a || b: which of them speaks?
		}
		chain.Ops = append(chain.Ops, op)
		add(rev[i].Y, InBranch, i == 0)
	}
	if pipe {
		w.stdin = stdin
		return chain
	}
	w.shell.Vars = vars.After(before.Vars, w.shell.Vars)
	w.shell.JoinParams(&before)
	return chain
}

// stage walks one command of a pipe and keeps what it hands on to the next.
func (w *walker) stage(x *syntax.Stmt, last bool) *flow.Node {
	old, from := w.capture, len(w.out.Commands)
	if !last {
		w.capture = &static.Capture{}
	}
	n := w.forked(InPipe, func() *flow.Node { return w.stmt(x) })
	c := w.capture
	w.capture = old
	if !last {
		w.stdin = w.feed(c, from)
	}
	return n
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
			merged.Join(w.shell)
			break
		}
		cond := w.asTest(InCondition, func() *flow.Node { return w.stmts(c.Cond) })
		afterCond := *w.shell
		then := w.in(InBranch, func() *flow.Node { return w.stmts(c.Then) })
		merged.Join(w.shell)
		*w.shell = afterCond
		n.Kids = append(n.Kids, cond, then)
		c = c.Else
	}
	merged.Join(w.shell)
	*w.shell = merged
	return n
}

func (w *walker) loop(cond func() *flow.Node, body []*syntax.Stmt) *flow.Node {
	before := *w.shell
	w.repeated()
	n := &flow.Node{Kind: flow.Loop}
	if cond != nil {
		n.Kids = append(n.Kids, cond())
	}
	n.Kids = append(n.Kids, w.in(InLoop|InBranch, func() *flow.Node { return w.stmts(body) }))
	before.Join(w.shell)
	*w.shell = before
	return n
}

// each walks the body of a loop once for every value of a variable. Control flow is that of the first round.
func (w *walker) each(name string, items []Word, cond func() *flow.Node, body []*syntax.Stmt) *flow.Node {
	before := *w.shell
	n := &flow.Node{Kind: flow.Loop}
	if cond != nil {
		n.Kids = append(n.Kids, cond())
	}
	for i, x := range items {
		w.shell.Assign(name, vars.One(x))
		k := w.in(InLoop|InBranch, func() *flow.Node { return w.stmts(body) })
		if i == 0 {
			n.Kids = append(n.Kids, k)
		}
	}
	before.Join(w.shell)
	*w.shell = before
	return n
}

// rounds reports whether a loop body may be walked once for each of the items.
func (w *walker) rounds(items []Word, body []*syntax.Stmt) bool {
	if len(items) == 0 || len(items) > maxItems || len(body) == 0 {
		return false
	}
	size := int(body[len(body)-1].End().Offset()) - int(body[0].Pos().Offset())
	return w.spend((len(items) - 1) * max(size, 1))
}

func (w *walker) whileClause(c *syntax.WhileClause) *flow.Node {
	cond := func() *flow.Node { return w.asTest(InCondition, func() *flow.Node { return w.stmts(c.Cond) }) }
	name, ok := state.Reads(c.Cond)
	if ok && !c.Until && w.stdin.Kind == FeedText && !w.stdin.Text.Dynamic {
		var items []Word
		for line := range strings.Lines(w.stdin.Text.Text) {
			if items = append(items, Word{Text: strings.Trim(line, " \t\n")}); len(items) > maxItems {
				break
			}
		}
		if w.rounds(items, c.Do) {
			return w.each(name, items, cond, c.Do)
		}
	}
	return w.loop(cond, c.Do)
}

func (w *walker) forClause(c *syntax.ForClause, subs *subst) *flow.Node {
	sure := false // runs at least once
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items []Word
		known := l.InPos.IsValid()
		for _, x := range l.Items {
			items = w.words(items, x, subs)
		}
		if v, _ := w.shell.Lookup("@"); !known && v.Known {
			items, known = v.Words, true
		}
		for _, x := range items {
			sure = sure || !x.Dynamic
		}
		if known && !c.Select && w.rounds(items, c.Do) {
			n := w.each(l.Name.Value, items, nil, c.Do)
			n.Once = sure
			return n
		}
		w.shell.Unknown(l.Name.Value)
	case *syntax.CStyleLoop:
		w.arithm(l.Init, subs)
		w.arithm(l.Cond, subs)
		w.arithm(l.Post, subs)
	}
	n := w.loop(nil, c.Do)
	n.Once = sure
	return n
}

func (w *walker) caseClause(c *syntax.CaseClause, subs *subst) *flow.Node {
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
		merged.Join(w.shell)
	}
	*w.shell = merged
	return n
}

func (w *walker) redirects(list []*syntax.Redirect, subs *subst) []Redirect {
	if len(list) == 0 {
		return nil
	}
	out := make([]Redirect, 0, len(list))
	for _, r := range list {
		x := Redirect{Op: r.Op.String(), Target: w.word(r.Word, subs), Dir: w.shell.Dir}
		if r.N != nil {
			x.FD = r.N.Value
		}
		if r.Hdoc != nil {
			x.Body = w.heredoc(r.Hdoc, x.Target.Quoted, subs)
		}
		out = append(out, x)
	}
	return out
}

// heredoc returns the text of a here-document. Quotes mean nothing in it, and with a quoted delimiter nothing else does.
func (w *walker) heredoc(x *syntax.Word, raw bool, subs *subst) Word {
	f := word.Fields{Whole: true}
	for _, part := range x.Parts {
		if lit, ok := part.(*syntax.Lit); ok && raw {
			f.Text().WriteString(lit.Value)
			continue
		}
		w.part(&f, part, true, subs)
	}
	return f.One()
}
