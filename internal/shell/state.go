package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/vars"
)

// Bounds of the work that is done more than once: loops over words, function calls, texts read from strings, values of variables.
const (
	spare    = 1 << 20 // bytes that every script may spend, however short
	maxItems = 64      // words of a for loop that are followed one by one
	maxCalls = 16      // functions that call one another
)

// shellState is what a running shell carries from one command to the next, as far as we follow it.
type shellState struct {
	dir      Dir
	errexit  bool // set -e
	pipefail bool // set -o pipefail
	vars     *vars.Scope
	params   []Word // $0, $1 …
	given    bool   // params is known
	open     bool   // further parameters may follow
}

// join makes what differs between two ways through the script unknown.
func (s *shellState) join(o *shellState) {
	if s.dir != o.dir {
		s.dir.Unknown = true
	}
	s.errexit = s.errexit && o.errexit
	s.pipefail = s.pipefail && o.pipefail
	s.vars = vars.Join(s.vars, o.vars)
	s.joinParams(o)
}

func (s *shellState) joinParams(o *shellState) {
	same := s.given == o.given && len(s.params) == len(o.params) && (len(s.params) == 0 || &s.params[0] == &o.params[0])
	s.given = s.given && same
}

// shared is what the walkers of one Parse have in common.
type shared struct {
	budget int // bytes of repeated work that are left
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

// assign sets a variable of the present shell. A leading ~ is expanded now, so that quotes around its later use do not matter.
func (w *walker) assign(name string, v vars.Value) {
	if v.Known && !v.List && len(v.Words) == 1 {
		x := v.Words[0]
		if !x.Quoted && (x.Text == "~" || strings.HasPrefix(x.Text, "~/")) {
			v.Words = []Word{{Text: "$HOME" + x.Text[1:], Dynamic: true}}
		}
	}
	if old, ok := w.shell.vars.Lookup(name); ok {
		v.Exported = v.Exported || old.Exported
	}
	w.shell.vars = w.shell.vars.Set(name, v)
}

// unknown notes that a variable now holds something that only the run time knows.
func (w *walker) unknown(name string) { w.assign(name, vars.Value{}) }

// setVar follows one assignment.
func (w *walker) setVar(a *syntax.Assign, value Word, list []Word, exported bool) {
	name := a.Name.Value
	value.Glob = false // no patterns are expanded in an assignment; an unquoted use does it
	v := vars.One(value)
	v.Exported = exported
	if a.Array != nil {
		v = vars.Value{Words: list, Known: true, List: true}
		for _, e := range a.Array.Elems {
			v.Known = v.Known && e.Index == nil
		}
	}
	old, assigned := w.shell.vars.Lookup(name)
	switch {
	case a.Index != nil:
		n := subscript(a.Index)
		if old.Known && n == itoa(len(old.Words)) || !assigned && n == "0" {
			v = vars.Value{Words: append(old.Words[:len(old.Words):len(old.Words)], value), Known: true, List: true}
			break
		}
		v = vars.Value{}
	case a.Append && !old.Known:
		v = vars.Value{}
	case a.Append && a.Array != nil:
		v.Words = append(old.Words[:len(old.Words):len(old.Words)], v.Words...)
	case a.Append && old.List || a.Append && len(old.Words) != 1:
		v = vars.Value{}
	case a.Append:
		x := old.Words[0]
		if !w.spend(len(x.Text) + len(value.Text)) {
			v = vars.Value{}
			break
		}
		v.Words = []Word{{Text: x.Text + value.Text, Dynamic: x.Dynamic || value.Dynamic, Quoted: x.Quoted || value.Quoted}}
	}
	w.assign(name, v)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return "" // longer arrays that are filled one by one are not followed
}

// lexical counts the plain names in a text, which is how often a variable may be assigned in it.
type lexical struct {
	names map[string]int
	wild  bool // eval or source: anything may be assigned
	shift bool
}

// scan reads a text once.
func scan(src string) *lexical {
	l := &lexical{names: make(map[string]int)}
	for i := 0; i < len(src); {
		if !nameByte(src[i]) {
			i++
			continue
		}
		end := i
		for end < len(src) && nameByte(src[end]) {
			end++
		}
		name := src[i:end]
		before, after := byte('\n'), byte('\n')
		if i > 0 {
			before = src[i-1]
		}
		if end < len(src) {
			after = src[end]
		}
		if before == '{' && i > 1 && src[i-2] == '$' && (after != ':' && after != '=') {
			before = '$'
		}
		if before != '$' && strings.IndexByte("=+[ \t\n;)&|,-*<>:\"'", after) >= 0 && strings.IndexByte("./-", before) < 0 {
			l.names[name]++
		}
		if name == "eval" || name == "source" || before == '\n' && name == "." {
			l.wild = true
		}
		l.shift = l.shift || name == "shift" || name == "set"
		i = end
	}
	return l
}

func nameByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// repeated forgets, at the start of a loop, the variables that a later round may find changed.
func (w *walker) repeated() {
	s := w.shell
	if s.vars == nil && !s.given {
		return
	}
	if w.lex == nil {
		w.lex = scan(w.src)
	}
	if w.lex.shift {
		s.given = false
	}
	if w.lex.wild || strings.Contains(w.src, "\n. ") {
		s.vars = s.vars.Forget()
		return
	}
	once := 1
	if w.depth > 0 {
		once = 0
	}
	s.vars = s.vars.Drop(func(name string) bool { return w.lex.names[name] > once })
}

// function is a function that the script declares.
type function struct {
	name   string
	body   *syntax.Stmt
	home   walker // as it was at the declaration
	state  shellState
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
func (f *function) walk(state *shellState, at *walker) {
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
		if spawned && surely && !contains(w.out.Forks, f.name) {
			w.out.Forks = append(w.out.Forks, f.name)
		}
		return false
	}
	if w.calls >= maxCalls || f.walked && !w.spend(int(f.body.End().Offset())-int(f.body.Pos().Offset())) {
		return false
	}
	s := w.shell
	params, given, open, stdin := s.params, s.given, s.open, w.stdin
	s.params, s.given, s.open, w.stdin = append([]Word{{Text: f.name}}, c.Words[1:]...), true, false, c.Stdin
	f.walk(s, w)
	s.params, s.given, s.open, w.stdin = params, given, open, stdin
	return true
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// uncalled lists the commands of the functions that nothing has called. Nothing is known about their variables.
func (w *walker) uncalled() {
	for i := 0; i < len(w.shared.funcs); i++ {
		if f := w.shared.funcs[i]; !f.walked {
			s := f.state
			s.vars, s.given = s.vars.Forget(), false
			f.walk(&s, nil)
		}
	}
}
