package main

import (
	"context"
	"fmt"
	"os"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
)

// publish asks the push gate about what the call publishes, and waits for it. It fails closed.
func (h *handler) publish(s *event.Scene, g *inspection) claude.Output {
	if len(g.pushes) == 0 {
		return claude.Output{}
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), gate.Patience, fmt.Errorf("not done within %s", gate.Patience))
	defer cancel()
	var res gate.Result
	s.Module("push-gate", func() (hooks.Outcome, error) {
		res = gate.Ask(ctx, gateCommand(s), gate.Request{
			Session: s.Session, Root: s.Root, Cwd: s.In.Cwd, Home: s.Paths.Home, Agent: true, Pushes: g.pushes, Lifted: g.lifted,
		})
		switch {
		case res.Refused():
			return hooks.Deny, nil
		case res.Line == "":
			return hooks.OK, nil
		}
		return hooks.Message, nil
	})
	code := ""
	if s.Session != "" && !s.Child {
		err := s.Update(func(tx *store.Tx) (err error) {
			if res.Refused() {
				if code, err = approval.Refuse(tx, g.call, append(guard.Rules(g.found), append(res.Rules, g.lifted...)...), "", s.Now); err != nil {
					return err
				}
			}
			return s.Amend(tx)
		})
		if err != nil {
			s.Log("note push", err)
		}
	}
	switch {
	case !res.Refused() && res.Line == "":
		return claude.Output{}
	case !res.Refused():
		return claude.Message(res.Line)
	case code != "":
		notice := "[devflow:push-gate] Refused. To let exactly this push out once, type: " + approval.Prefix + code
		return claude.Merge(claude.EventPreToolUse, claude.Deny(res.Text+"\nOnly a person can allow this push, once and within ten minutes, by typing: "+approval.Prefix+code), claude.Message(notice))
	}
	return claude.Deny(res.Text)
}

// gateCommand starts the push gate beside this program.
func gateCommand(s *event.Scene) proc.Cmd {
	env, _ := environ.Safe(os.Environ()) // the project's tests need what a terminal would give them
	return proc.Cmd{
		Argv: []string{s.Sibling("devflow"), "gate", "push", "--hook"}, Dir: s.Paths.Root, MaxOutput: 256 << 10,
		Env: append(env, "DEVFLOW_HOME="+s.Paths.Root, "DEVFLOW_DB="+s.Paths.DB, "HOME="+s.Paths.Home),
	}
}
