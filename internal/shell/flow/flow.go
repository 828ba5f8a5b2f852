// Package flow follows the ways through a shell script and says what its exit status proves about some of its commands.
//
// It knows sequences, chains, pipes, branches, loops and functions, and nothing about words: the caller builds the tree and tells what
// each command does to the status. It owns no table and no file; a tree may be shared by goroutines once it is built.
package flow

// Kind is the kind of a node.
type Kind uint8

// Kinds of nodes.
const (
	Seq        Kind = iota // kids one after the other
	Command                // leaf: the command number Cmd
	Assign                 // leaf: always succeeds
	Chain                  // kids joined by ops '&' (and) and '|' (or), equal precedence, left to right
	Pipe                   // kids run side by side; the last one's status counts, or any failure with pipefail
	Not                    // ! kid
	Subshell               // an exit inside ends only the kid
	Background             // status 0 at once, whatever the kid does
	Ignored                // the kid runs, its status is lost (command substitution)
	If                     // cond, then, cond, then, … and an else if the count is odd
	Case                   // any one of the kids, or none
	Loop                   // kids zero or more times
)

// Node is a part of a script. The zero value is an empty sequence.
type Node struct {
	Kind     Kind
	Cmd      int // of a Command: its number
	Kids     []*Node
	Ops      []byte // of a Chain: '&' or '|' between kids
	Errexit  Errexit
	Once     bool // a loop that runs at least once
	Pipefail bool // of a Pipe
}

// Errexit is the effect of set -e on a statement that fails.
type Errexit uint8

// Effects of set -e.
const (
	Never     Errexit = iota // set -e is off, or the status is looked at
	Maybe                    // not decided here: in a chain it depends on which command failed, in a function on the caller
	OnFailure                // ends the script
)

// Act is what a command does to the status.
type Act uint8

// Acts.
const (
	Any      Act = iota // may end either way
	Target              // the command that is asked about; may end either way
	Succeeds            // ends with 0
	Fails               // ends with another status
	Exit0               // leaves the script with 0
	ExitFail            // leaves it with another status
	ExitLast            // leaves it with the last status
	ExitAny             // leaves it with a status that is not known
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

// maxFlowSteps bounds the work of Follow: functions that call functions can be exponential. maxCalls bounds their depth.
const (
	maxFlowSteps = 200_000
	maxCalls     = 4
)

// Follow follows every way through the tree. act is asked once for each command on each way: what it does, or the body of the
// function that it calls.
func Follow(root *Node, act func(cmd int) (Act, *Node)) Proof {
	if root == nil {
		return Proof{}
	}
	e := evaluator{act: act}
	end := e.eval(root, states(0).with(0))
	if e.steps > maxFlowSteps {
		return Proof{}
	}
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
	return Proof{Success: okSeen && !okOther, Failure: failSeen && !failOther}
}

type evaluator struct {
	act   func(cmd int) (Act, *Node)
	steps int
	calls int
}

// eval maps the states before n to the states after it. Stopped states pass through.
func (e *evaluator) eval(n *Node, in states) states {
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

func (e *evaluator) live(n *Node, in states) states {
	switch n.Kind {
	case Command:
		return e.command(n.Cmd, in)
	case Assign:
		return succeed(in)
	case Seq:
		return e.seq(n, in)
	case Chain:
		out := e.eval(n.Kids[0], in)
		for i, op := range n.Ops {
			skip, run := byStatus(out, op == '&')
			out = skip | e.eval(n.Kids[i+1], run)
		}
		return out
	case Pipe:
		return e.pipe(n, in)
	case Not:
		var out states
		r := e.eval(n.Kids[0], in)
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
	case Subshell:
		return resume(e.eval(n.Kids[0], in))
	case Background:
		// Whether the kid has ended, and how, is open: nothing about it is proven.
		return succeed(in | resume(e.eval(n.Kids[0], in)))
	case Ignored:
		return succeed(resume(e.eval(n.Kids[0], in)))
	case If:
		return e.branches(n, in)
	case Case:
		out := succeed(in)
		for _, k := range n.Kids {
			out |= e.eval(k, in)
		}
		return out
	case Loop:
		return e.loop(n, in)
	}
	return in
}

func (e *evaluator) seq(n *Node, in states) states {
	out := in
	for _, k := range n.Kids {
		out = e.eval(k, out)
		if k.Errexit == Never {
			continue
		}
		rest, failed := byStatus(out, false)
		out = rest
		for i := range nStates {
			if failed.has(i) {
				out = out.with(i | stopBit)
				if k.Errexit == Maybe {
					out = out.with(i)
				}
			}
		}
	}
	return out
}

func (e *evaluator) loop(n *Node, in states) states {
	round := func(s states) states {
		for _, k := range n.Kids {
			s |= e.eval(k, s) // a condition that fails leaves its status: more states than there are, never fewer
		}
		return s
	}
	var all states
	if n.Once {
		all = e.eval(n.Kids[len(n.Kids)-1], in)
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

func (e *evaluator) branches(n *Node, in states) states {
	var out states
	cur := in
	i := 0
	for ; i+1 < len(n.Kids); i += 2 {
		failed, ok := byStatus(e.eval(n.Kids[i], cur), true)
		stopped, live := split(failed)
		out |= stopped | e.eval(n.Kids[i+1], ok)
		cur = live
	}
	if i < len(n.Kids) {
		return out | e.eval(n.Kids[i], cur)
	}
	return out | succeed(cur) // no branch taken: status 0
}

// pipe runs the kids one after the other as far as targets go; each is a shell of its own.
func (e *evaluator) pipe(n *Node, in states) states {
	acc := succeed(in)
	for _, k := range n.Kids {
		var out states
		for i := range nStates {
			if !acc.has(i) {
				continue
			}
			r := resume(e.eval(k, states(0).with(i&^statusBit)))
			for j := range nStates {
				if r.has(j) {
					if n.Pipefail {
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

func (e *evaluator) command(cmd int, in states) states {
	act, body := e.act(cmd)
	if body != nil && e.calls < maxCalls {
		e.calls++
		out := e.eval(body, in)
		e.calls--
		return out
	}
	var out states
	for i := range nStates {
		if !in.has(i) {
			continue
		}
		ran := i >> ranShift << ranShift
		switch act {
		case Target:
			passed, failed := 1<<ranShift, 2<<ranShift
			if ran == failed {
				passed = failed
			}
			out = out.with(passed).with(failed | statusBit)
		case Succeeds:
			out = out.with(ran)
		case Fails:
			out = out.with(ran | statusBit)
		case Exit0:
			out = out.with(ran | stopBit)
		case ExitFail:
			out = out.with(ran | stopBit | statusBit)
		case ExitLast:
			out = out.with(i | stopBit)
		case ExitAny:
			out = out.with(ran | stopBit).with(ran | stopBit | statusBit)
		default:
			out = out.with(ran).with(ran | statusBit)
		}
	}
	return out
}

// Builtin is what a builtin of the shell does to the status, as people use it; sure says that its first argument is literal.
func Builtin(name string, args []string, sure bool) Act {
	switch name {
	case "true", ":", "set", "shopt", "trap", "umask":
		return Succeeds
	case "false":
		return Fails
	case "exit", "return":
		switch {
		case len(args) == 0 || args[0] == "$?":
			return ExitLast
		case args[0] == "0":
			return Exit0
		case sure:
			return ExitFail
		}
		return ExitAny
	}
	return Any
}
