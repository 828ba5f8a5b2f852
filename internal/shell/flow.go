package shell

import "github.com/devflow-suite/devflow/internal/shell/flow"

// Role tells Exit what to assume about a command.
type Role uint8

// Roles. Exit itself knows true, false, :, set, shopt, trap, umask, exit, return, and functions that the script declares.
const (
	Other  Role = iota // may end either way
	Target             // the command that is asked about
	Setup              // taken to succeed: cd, export, source, mkdir, echo …
)

// Proof is what the exit status of a whole script proves about its targets.
type Proof = flow.Proof

// Exit follows every way through the script and says what its exit status proves. role is asked once for each command on each way.
func (s *Script) Exit(role func(c *Command) Role) Proof {
	return flow.Follow(s.flow, func(cmd int) (flow.Act, *flow.Node) {
		c := &s.Commands[cmd]
		switch r := role(c); {
		case r == Target:
			return flow.Target, nil
		case r == Setup:
			return flow.Succeeds, nil
		}
		if body := s.funcs[c.Name]; body != nil {
			return flow.Any, body
		}
		return flow.Builtin(c.Name, c.Args, len(c.Words) > 1 && c.Words[1].Literal()), nil
	})
}
