package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/vars"
)

// Bounds of the work that is done more than once: loops over words, function calls, texts read from strings, values of variables.
const (
	spare    = 1 << 17 // bytes that every script may spend, however short
	maxItems = 64      // words of a for loop that are followed one by one
	maxCalls = 16      // functions that call one another
)

// shared is what the walkers of one Parse have in common.
type shared struct {
	budget int  // bytes of repeated work that are left
	deep   bool // something lies deeper than what is read
	funcs  []*function
	byName map[string]*function
}

// spend takes n bytes of the budget and reports whether they were there.
func (w *walker) spend(n int) bool {
	if w.shared.budget < n {
		return false
	}
	w.shared.budget -= n
	return true
}

// repeated forgets, at the start of a loop, the variables that a later round may find changed.
func (w *walker) repeated() {
	s := w.shell
	if s.Vars == nil && !s.Given {
		return
	}
	if w.lex == nil {
		w.lex = vars.Scan(w.src)
	}
	if w.lex.Shift {
		s.Given = false
	}
	if w.lex.Wild || strings.Contains(w.src, "\n. ") {
		s.Vars = s.Vars.Forget()
		return
	}
	once := 1
	if w.depth > 0 {
		once = 0
	}
	s.Vars = s.Vars.Drop(func(name string) bool { return w.lex.Names[name] > once })
}

// function is a function that the script declares.
type function struct {
	name   string
	body   *syntax.Stmt
	home   walker // as it was at the declaration
	state  state.State
	active bool // its body is being walked
	walked bool
	spawns int // of the walker at the start of the body
}

func (w *walker) funcDecl(c *syntax.FuncDecl) *flow.Node {
	if c.Body == nil || c.Name == nil {
		return &flow.Node{Kind: flow.Assign}
	}
	f := &function{name: c.Name.Value, body: c.Body, home: *w, state: *w.shell}
	if w.shared.byName == nil {
		w.shared.byName = make(map[string]*function)
	}
	w.shared.byName[f.name] = f
	w.shared.funcs = append(w.shared.funcs, f)
	w.out.Funcs = append(w.out.Funcs, f.name)
	if w.out.funcs == nil {
		w.out.funcs = make(map[string]*flow.Node)
	}
	delete(w.out.funcs, f.name)
	return &flow.Node{Kind: flow.Assign} // declaring always succeeds
}

// walk walks the body of a function with the given state of the shell; an exit in it ends the script.
func (f *function) walk(state *state.State, at *walker) {
	in := f.home
	in.shell, in.place, in.tested, in.lex = state, f.home.place|InFunction, false, nil
	in.capture, in.stdin, in.calls, in.spawns = nil, Feed{}, 0, 0
	if at != nil {
		in.place |= at.place
		in.capture, in.stdin, in.calls, in.spawns, in.wrappers = at.capture, at.stdin, at.calls+1, at.spawns, at.wrappers
	}
	f.active, f.spawns = true, in.spawns
	n := in.stmt(f.body)
	f.active = false
	if n == nil {
		n = &flow.Node{Kind: flow.Seq}
	}
	if !f.walked {
		f.walked = true
		if f.home.out.funcs[f.name] == nil {
			f.home.out.funcs[f.name] = n
		}
	}
}

// invoke follows the call of a function that the script declares. Its commands are listed before the call.
func (w *walker) invoke(c *Command) bool {
	f := w.shared.byName[c.Name]
	if f == nil {
		return false
	}
	if f.active {
		// A function that starts itself twice as fast as it ends: in a pipe or in the background, whatever happens.
		spawned := w.spawns > f.spawns
		surely := w.place&(InBranch|InCondition) == f.home.place&(InBranch|InCondition) || w.place&InLoop != 0 && len(c.Args) == 0
		if spawned && surely && !slices.Contains(w.out.Forks, f.name) {
			w.out.Forks = append(w.out.Forks, f.name)
		}
		return false
	}
	if w.calls >= maxCalls || f.walked && !w.spend(int(f.body.End().Offset())-int(f.body.Pos().Offset())) {
		return false
	}
	s := w.shell
	params, given, open, stdin := s.Params, s.Given, s.Open, w.stdin
	s.Params, s.Given, s.Open, w.stdin = append([]Word{{Text: f.name}}, c.Words[1:]...), true, false, c.Stdin
	f.walk(s, w)
	s.Params, s.Given, s.Open, w.stdin = params, given, open, stdin
	return true
}

// uncalled lists the commands of the functions that nothing has called. Nothing is known about their variables.
func (w *walker) uncalled() {
	for i := 0; i < len(w.shared.funcs); i++ {
		if f := w.shared.funcs[i]; !f.walked {
			s := f.state
			s.Vars, s.Given = s.Vars.Forget(), false
			f.walk(&s, nil)
		}
	}
}
