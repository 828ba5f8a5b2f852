package shell

// kind is the kind of a node of the control flow.
type kind uint8

const (
	kindSeq        kind = iota // kids one after the other
	kindCommand                // leaf: Commands[cmd]
	kindAssign                 // leaf: always succeeds
	kindChain                  // kids joined by ops '&' (and) and '|' (or), equal precedence, left to right
	kindPipe                   // kids run side by side; the last one's status counts, or any failure with pipefail
	kindNot                    // ! kid
	kindSubshell               // an exit inside ends only the kid
	kindBackground             // status 0 at once, whatever the kid does
	kindIgnored                // the kid runs, its status is lost (command substitution)
	kindIf                     // cond, then, cond, then, … and an else if the count is odd
	kindCase                   // any one of the kids, or none
	kindLoop                   // kids zero or more times
)

type node struct {
	kind     kind
	cmd      int
	kids     []*node
	ops      []byte
	errexit  errexit
	once     bool // a loop that runs at least once
	pipefail bool
}

// errexit is the effect of set -e on a statement that fails.
type errexit uint8

const (
	exitNever     errexit = iota
	exitMaybe             // not decided here: in a chain it depends on which command failed, in a function on the caller
	exitOnFailure         // ends the script
)

// Role tells Exit what to assume about a command.
type Role uint8

// Roles. Exit itself knows true, false, :, set, shopt, trap, umask, exit, return, and functions that the script declares.
const (
	Other  Role = iota // may end either way
	Target             // the command that is asked about
	Setup              // taken to succeed: cd, export, source, mkdir, echo …
)

// Proof is what the exit status of a whole script proves about its targets.
type Proof struct {
	Success bool // status 0 proves that a target ran and that every target that ran succeeded
	Failure bool // another status proves that a target ran and failed
}

// A state of a script: the last status, what became of the targets, and whether an exit was taken. The set of states that are
// possible at a point fits in a bit set, so the analysis needs no loop bound other than the number of nodes.
type states uint16

const (
	statusBit = 1 // index bit: the last status is a failure
	stopBit   = 2 // index bit: exit was called
	ranShift  = 2 // index bits above: 0 no target ran, 1 all that ran passed, 2 one failed
	nStates   = 12
)

func (s states) has(i int) bool    { return s&(1<<i) != 0 }
func (s states) with(i int) states { return s | 1<<i }

// maxFlowSteps bounds the work of Exit: functions that call functions can be exponential.
const maxFlowSteps = 200_000

// Exit follows every way through the script. roles is asked once for each command on each way.
func (s *Script) Exit(role func(c *Command) Role) Proof {
	if s.flow == nil {
		return Proof{}
	}
	e := evaluator{s: s, role: role}
	end := e.eval(s.flow, states(0).with(0))
	if e.steps > maxFlowSteps {
		return Proof{}
	}
	p := Proof{}
	okSeen, okOther, failSeen, failOther := false, false, false, false
	for i := range nStates {
		if !end.has(i) {
			continue
		}
		ran := i >> ranShift
		if i&statusBit == 0 {
			okSeen, okOther = okSeen || ran == 1, okOther || ran != 1
		} else {
			failSeen, failOther = failSeen || ran == 2, failOther || ran != 2
		}
	}
	p.Success = okSeen && !okOther
	p.Failure = failSeen && !failOther
	return p
}

type evaluator struct {
	s     *Script
	role  func(c *Command) Role
	steps int
	calls int
}

// eval maps the states before n to the states after it. Stopped states pass through.
func (e *evaluator) eval(n *node, in states) states {
	stopped, live := split(in)
	if n == nil || live == 0 {
		return in
	}
	if e.steps++; e.steps > maxFlowSteps {
		return in
	}
	return stopped | e.live(n, live)
}

func split(in states) (stopped, live states) {
	for i := range nStates {
		if in.has(i) {
			if i&stopBit != 0 {
				stopped = stopped.with(i)
			} else {
				live = live.with(i)
			}
		}
	}
	return stopped, live
}

func (e *evaluator) live(n *node, in states) states {
	switch n.kind {
	case kindCommand:
		return e.command(&e.s.Commands[n.cmd], in)
	case kindAssign:
		return succeed(in)
	case kindSeq:
		return e.seq(n, in)
	case kindChain:
		out := e.eval(n.kids[0], in)
		for i, op := range n.ops {
			skip, run := byStatus(out, op == '&')
			out = skip | e.eval(n.kids[i+1], run)
		}
		return out
	case kindPipe:
		return e.pipe(n, in)
	case kindNot:
		var out states
		r := e.eval(n.kids[0], in)
		for i := range nStates {
			if r.has(i) {
				if i&stopBit == 0 {
					out = out.with(i ^ statusBit)
				} else {
					out = out.with(i)
				}
			}
		}
		return out
	case kindSubshell:
		return resume(e.eval(n.kids[0], in))
	case kindBackground:
		// Whether the kid has ended, and how, is open: nothing about it is proven.
		return succeed(in | resume(e.eval(n.kids[0], in)))
	case kindIgnored:
		return succeed(resume(e.eval(n.kids[0], in)))
	case kindIf:
		return e.branches(n, in)
	case kindCase:
		out := succeed(in)
		for _, k := range n.kids {
			out |= e.eval(k, in)
		}
		return out
	case kindLoop:
		return e.loop(n, in)
	}
	return in
}

func (e *evaluator) seq(n *node, in states) states {
	out := in
	for _, k := range n.kids {
		out = e.eval(k, out)
		if k.errexit == exitNever {
			continue
		}
		rest, failed := byStatus(out, false)
		out = rest
		for i := range nStates {
			if failed.has(i) {
				out = out.with(i | stopBit)
				if k.errexit == exitMaybe {
					out = out.with(i)
				}
			}
		}
	}
	return out
}

func (e *evaluator) loop(n *node, in states) states {
	round := func(s states) states {
		for _, k := range n.kids {
			s |= e.eval(k, s) // a condition that fails leaves its status: more states than there are, never fewer
		}
		return s
	}
	var all states
	if n.once {
		all = e.eval(n.kids[len(n.kids)-1], in)
	} else {
		all = succeed(in) | round(in)
	}
	for range nStates { // each round adds states or is the last
		next := all | round(all)
		if next == all {
			break
		}
		all = next
	}
	return all
}

// byStatus splits live states in those that skip the next command of a chain and those that run it.
func byStatus(in states, and bool) (skip, run states) {
	for i := range nStates {
		if !in.has(i) {
			continue
		}
		if i&stopBit != 0 || (i&statusBit != 0) == and {
			skip = skip.with(i)
		} else {
			run = run.with(i)
		}
	}
	return skip, run
}

func (e *evaluator) branches(n *node, in states) states {
	var out states
	cur := in
	i := 0
	for ; i+1 < len(n.kids); i += 2 {
		failed, ok := byStatus(e.eval(n.kids[i], cur), true)
		stopped, live := split(failed)
		out |= stopped | e.eval(n.kids[i+1], ok)
		cur = live
	}
	if i < len(n.kids) {
		return out | e.eval(n.kids[i], cur)
	}
	return out | succeed(cur) // no branch taken: status 0
}

// pipe runs the kids one after the other as far as targets go; each is a shell of its own.
func (e *evaluator) pipe(n *node, in states) states {
	acc := succeed(in)
	for _, k := range n.kids {
		var out states
		for i := range nStates {
			if !acc.has(i) {
				continue
			}
			r := resume(e.eval(k, states(0).with(i&^statusBit)))
			for j := range nStates {
				if r.has(j) {
					if n.pipefail {
						j |= i & statusBit
					}
					out = out.with(j)
				}
			}
		}
		acc = out
	}
	return acc
}

// succeed sets the last status of all states to 0.
func succeed(in states) states {
	var out states
	for i := range nStates {
		if in.has(i) {
			if i&stopBit != 0 {
				out = out.with(i)
			} else {
				out = out.with(i &^ statusBit)
			}
		}
	}
	return out
}

// resume turns stopped states into live ones: the end of a subshell.
func resume(in states) states {
	var out states
	for i := range nStates {
		if in.has(i) {
			out = out.with(i &^ stopBit)
		}
	}
	return out
}

func (e *evaluator) command(c *Command, in states) states {
	role := e.role(c)
	var out states
	for i := range nStates {
		if !in.has(i) {
			continue
		}
		ran := i >> ranShift << ranShift
		switch {
		case role == Target:
			passed, failed := 1<<ranShift, 2<<ranShift
			if ran == failed {
				passed = failed
			}
			out = out.with(passed).with(failed | statusBit)
		case role == Setup || succeeds(c.Name):
			out = out.with(ran)
		case c.Name == "false":
			out = out.with(ran | statusBit)
		case c.Name == "exit" || c.Name == "return":
			out |= exitStates(c, i)
		default:
			out = out.with(ran).with(ran | statusBit)
		}
	}
	if f := e.s.funcs[c.Name]; f != nil && role == Other && e.calls < maxNesting {
		e.calls++
		out = e.eval(f, in)
		e.calls--
	}
	return out
}

// succeeds reports whether a builtin ends with status 0 as people use it.
func succeeds(name string) bool {
	switch name {
	case "true", ":", "set", "shopt", "trap", "umask":
		return true
	}
	return false
}

// exitStates is what `exit` makes of state i.
func exitStates(c *Command, i int) states {
	ran := i>>ranShift<<ranShift | stopBit
	switch {
	case len(c.Args) == 0 || c.Args[0] == "$?":
		return states(0).with(i | stopBit)
	case c.Args[0] == "0":
		return states(0).with(ran)
	case len(c.Words) > 1 && c.Words[1].Literal():
		return states(0).with(ran | statusBit)
	}
	return states(0).with(ran).with(ran | statusBit)
}
