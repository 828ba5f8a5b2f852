package main

import (
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// registered is the timeout in settings.json; the own deadline is 80 % of it.
const registered = 30 * time.Second

// maxDescription bounds what the store keeps of a request, in bytes.
const maxDescription = 200

func hook() hooks.Hook {
	return hooks.Hook{Name: "devflow-user-prompt-submit", Deadline: registered * 8 / 10, Late: event.Late, Handle: handle}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Session == "" {
		return claude.Output{}, nil
	}
	s := event.New(c)
	request := readPrompt(s)
	var said []claude.Output
	err := s.Commit(func(tx *store.Tx, t *telemetry.Task) error {
		said = said[:0]
		if c.In.Event != claude.EventUserPromptSubmit || request == notice {
			return nil // one prompt with a command arrives as two events; it is answered once
		}
		out, err := approve(s, tx, t)
		if err != nil {
			return err
		}
		told, err := tell(s, tx)
		if err != nil {
			return err
		}
		queued, err := enqueue(s, tx)
		if err != nil {
			return err
		}
		news, err := runs(s, tx)
		if err != nil {
			return err
		}
		pushed, err := pushes.Untold(tx, s.Session)
		said = append(said, out, told, halted(t, request), queued, news)
		if pushed != "" {
			said = append(said, claude.Message(pushed))
		}
		return err
	})
	if err != nil {
		if approves(c.In.Prompt) {
			return claude.Message("[devflow:approve] The store cannot be used now: nothing was allowed. Type it again. See: devflow doctor"), nil
		}
		if asksForRun(s) {
			return noRun(s, "the store cannot be used now. Type it again. See: devflow doctor"), nil
		}
		return claude.Output{}, nil // in the spool and in the log; nothing was decided
	}
	if s.Fact.Command.Verb == spec.VerbStart {
		s.KeepSpec(s.Fact.Command.Text)
	}
	return claude.Merge(c.In.Event, said...), nil
}

// kind of a prompt.
type kind int

const (
	ordinary  kind = iota
	command        // of the spec
	allowance      // devflow approve CODE
	notice         // written by the client
)

// readPrompt puts what may be kept of the prompt into the fact.
func readPrompt(s *event.Scene) kind {
	prompt := s.In.Prompt
	s.Fact.Command = spec.ParsePrompt(prompt, s.In.CommandName, s.In.CommandArgs)
	switch {
	case s.Fact.Command.Verb == spec.VerbNotice:
		return notice
	case s.Fact.Command.Verb == spec.VerbNone && approves(prompt):
		return allowance
	case s.Fact.Command.Verb != spec.VerbNone:
		prompt = s.Fact.Command.Text
	}
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	s.Fact.Description = redact.Clip(line, maxDescription)
	s.Fact.Category = spec.Categorize(prompt)
	if s.Fact.Command.Verb != spec.VerbNone {
		return command
	}
	return ordinary
}

// approves is whether a prompt is meant as an approval, right or wrong.
func approves(prompt string) bool {
	return strings.HasPrefix(strings.TrimSpace(prompt), strings.TrimSpace(approval.Prefix))
}

// approve lets a refused call pass once, or ends a halt, if the prompt is the code. A prompt that looks like an approval and is
// none says so to the person. What the agent has written itself grants nothing and does not reach the model.
func approve(s *event.Scene, tx *store.Tx, t *telemetry.Task) (claude.Output, error) {
	if !approves(s.In.Prompt) {
		return claude.Output{}, nil
	}
	if !s.Typed() {
		s.Note("approve", 0, hooks.Block)
		s.Fact.Raise = append(s.Fact.Raise, telemetry.Signal{Kind: telemetry.KindDrift, Key: "self.approve", Severity: "info", Source: "user-prompt-submit"})
		return claude.Block("[devflow:approve] This prompt was sent by a tool of the same session, not typed by a person. Nothing was allowed."), nil
	}
	rules, ok, err := approval.Grant(tx, s.Session, s.In.Prompt, s.Now)
	if err != nil {
		return claude.Output{}, err
	}
	if ok {
		s.Note("approve", 0, hooks.Message)
		return claude.Merge(s.In.Event,
			claude.Message("[devflow:approve] Allowed once, for ten minutes: exactly the refused call ("+rules+")."),
			claude.Context(s.In.Event, "[devflow:approve] A person allowed the refused call once. Make exactly that call again, within ten minutes; any other call is judged as before. Lifted: "+rules+".")), nil
	}
	return resume(s, tx, t)
}

// resume ends a halt if the prompt is its code.
func resume(s *event.Scene, tx *store.Tx, t *telemetry.Task) (claude.Output, error) {
	done, err := breaker.Resume(tx, s.Session, s.In.Prompt, s.Now.UnixMilli())
	if err != nil {
		return claude.Output{}, err
	}
	pending, err := approval.Pending(tx, s.Session, s.Now)
	if err != nil {
		return claude.Output{}, err
	}
	s.Stale = true
	switch {
	case done:
		s.Note("resume", 0, hooks.Message)
		return claude.Merge(s.In.Event,
			claude.Message("[devflow:resume] The halt is over: attempts and the token baseline start anew."),
			claude.Context(s.In.Event, "[devflow:resume] A person ended the halt of this task. Its open findings still stand; the attempts start anew.")), nil
	case pending > 0:
		return claude.Message("[devflow:approve] The code does not match (capitals count), or its ten minutes are over. Type it as the refusal shows it: devflow approve CODE"), nil
	case t != nil && t.ResumeCode != "":
		return claude.Message("[devflow:resume] The code does not match. The halt stays; the code is in the halt message and in `devflow status`."), nil
	}
	return claude.Message("[devflow:resume] Nothing waits for an approval in this session."), nil
}

// halted reminds the person of a halt that this prompt does not end.
func halted(t *telemetry.Task, request kind) claude.Output {
	if t == nil || !t.Halted() || request == allowance {
		return claude.Output{}
	}
	if t.Denied() {
		return claude.Message("[devflow:resume] This session is halted, changes are refused. To go on, type: devflow approve " + t.ResumeCode)
	}
	return claude.Message("[devflow:resume] This task was halted after its last failed check. To let its attempts start anew, type: devflow approve " + t.ResumeCode)
}

// tell brings the newest verdict that nobody was shown, once.
func tell(s *event.Scene, tx *store.Tx) (claude.Output, error) {
	told, err := judge.Untold(tx, s.Session)
	if err != nil || told == nil {
		return claude.Output{}, err
	}
	if err := judge.MarkTold(tx, told.Session, told.Seq, told.N); err != nil {
		return claude.Output{}, err
	}
	if told.Context != "" {
		if err := telemetry.SetReflected(tx, told.Session, told.Seq); err != nil {
			return claude.Output{}, err
		}
		s.Stale = true
	}
	s.Note("reflection", 0, hooks.Context)
	var out []claude.Output
	if told.Context != "" {
		out = append(out, claude.Context(s.In.Event, told.Context))
	}
	if told.Message != "" {
		out = append(out, claude.Message(told.Message))
	}
	return claude.Merge(s.In.Event, out...), nil
}
