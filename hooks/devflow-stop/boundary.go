package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/telemetry"
)

// patience is how long the turn waits for its verdict at high risk. It ends before the own deadline of the hook.
const patience = 450 * time.Second

// boundary has the turn judged when there is something to judge: at high risk while the turn waits, else detached.
func boundary(s *event.Scene) claude.Output {
	t := s.Task
	if t == nil || !judgeable(s, t) {
		return claude.Output{}
	}
	cmd := proc.Cmd{
		Argv: []string{s.Sibling("devflow"), "boundary", "--session", s.Session, "--task", strconv.FormatInt(t.Seq, 10)},
		Dir:  s.Paths.Root,
		Env:  []string{"DEVFLOW_HOME=" + s.Paths.Root, "DEVFLOW_DB=" + s.Paths.DB, "HOME=" + s.Paths.Home},
	}
	switch j := s.Cfg.Judge; j.Backend { // what the model that the user has configured needs, and no more
	case config.BackendClaude:
		cmd.Env = append(cmd.Env, environ.Client(os.Environ())...)
	case config.BackendOpenAI, config.BackendCommand:
		if key := s.Getenv(j.KeyEnv); j.KeyEnv != "" && key != "" {
			cmd.Env = append(cmd.Env, j.KeyEnv+"="+key)
		}
	}
	for _, name := range [...]string{"TMPDIR", "DEVFLOW_INSTINCT_SKIP"} {
		if value := s.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if s.Cfg.Gate.AutoPush == config.AutoPushAuto {
		cmd.Env = append(cmd.Env, environ.Access(os.Environ())...) // git push signs in as the user
	}
	if !t.HighRisk() {
		if err := proc.Detach(cmd); err != nil {
			s.Log("start boundary", err)
		}
		return claude.Output{}
	}
	cmd.Argv = append(cmd.Argv, "--waited")
	if newTurn(s, t) {
		cmd.Argv = append(cmd.Argv, "--new-turn")
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not done within %s", patience))
	defer cancel()
	var res judge.Result
	var out claude.Output
	s.Module("boundary", func() (outcome hooks.Outcome, err error) {
		if res, err = await(ctx, cmd); err != nil {
			out = claude.Message("[devflow:judge] could not judge this turn: " + err.Error() + ". This is not a pass. Check with: devflow doctor")
			return hooks.Failed, err
		}
		out, outcome = answer(res)
		return outcome, nil
	})
	err := s.Update(func(tx *store.Tx) error {
		if res.N > 0 {
			if err := judge.MarkTold(tx, res.Session, res.Seq, res.N); err != nil {
				return err
			}
		}
		return s.Amend(tx)
	})
	if err != nil {
		s.Log("note verdict", err)
	}
	return out
}

// judgeable is whether a turn that ends now is a boundary: the spec is claimed to be done, or there is none and files
// may have changed since the last verdict. A verdict stands until something is edited.
func judgeable(s *event.Scene, t *telemetry.Task) bool {
	if !t.Edited || len(s.In.BackgroundTasks) > 0 || t.SpecStatus.Active() {
		return false
	}
	switch t.State {
	case telemetry.Passed, telemetry.Warned, telemetry.Emergency:
		return false
	}
	return true
}

// newTurn is whether the prompt of this turn is another one than that of the last verdict, and notes it.
func newTurn(s *event.Scene, t *telemetry.Task) (fresh bool) {
	key := "judged:" + t.ID()
	err := s.Update(func(tx *store.Tx) error {
		last, err := telemetry.Get(tx, key)
		if err != nil || last == s.In.PromptID {
			return err
		}
		fresh = last != ""
		return telemetry.Put(tx, key, s.In.PromptID)
	})
	if err != nil {
		s.Log("note judged turn", err)
	}
	return fresh
}

// await runs the boundary lane and reads its answer.
func await(ctx context.Context, cmd proc.Cmd) (judge.Result, error) {
	var res judge.Result
	out, err := proc.Run(ctx, cmd)
	if err != nil {
		return res, err
	}
	if out.Exit != 0 && len(out.Stdout) == 0 {
		return res, fmt.Errorf("the boundary lane ended with status %d", out.Exit)
	}
	if err := json.Unmarshal(out.Stdout, &res); err != nil {
		return res, fmt.Errorf("read the boundary lane's answer: %w", err)
	}
	return res, nil
}

// answer is what the verdict asks for.
func answer(res judge.Result) (claude.Output, hooks.Outcome) {
	switch res.Action {
	case judge.Block:
		return claude.Block(res.Text), hooks.Block
	case judge.Halt:
		return claude.Halt(res.Text), hooks.Halt
	case judge.Message:
		return claude.Message(res.Text), hooks.Message
	}
	return claude.Output{}, hooks.OK
}
