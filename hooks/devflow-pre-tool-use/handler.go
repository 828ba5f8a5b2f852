package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/telemetry"
)

// registered is the shortest timeout in settings.json of this hook (600 s for Bash); the own deadline is 80 % of it.
const registered = 10 * time.Second

func hook() hooks.Hook {
	return hooks.Hook{
		Name: "devflow-pre-tool-use", Event: claude.EventPreToolUse, Deadline: registered * 8 / 10, Late: event.Late, Guards: true, Closed: refuseUnreadable, Handle: handle,
	}
}

func handle(c *hooks.Call) (claude.Output, error) {
	if c.Child || c.Session == "" {
		return claude.Output{}, nil // nothing to remember, and there is no rule that needs no memory
	}
	if e := c.In.Event; e != "" && e != claude.EventPreToolUse {
		return claude.Output{}, nil // not registered for it
	}
	if c.In.ToolName == "" || slices.Contains(c.In.Malformed, "tool_input") {
		return claude.Output{}, errUnreadable
	}
	s := event.New(c)
	in := c.In.Tool()
	intent, mutates := plan(s, in)
	var said []claude.Output
	err := s.CommitWithBase(mutates, func(tx *store.Tx, t *telemetry.Task) error {
		said = said[:0]
		if t.Denied() && mutates {
			s.Note("halt", 0, hooks.Deny)
			said = append(said, claude.Deny(haltText(t)))
			return nil
		}
		if !s.Cfg.Enabled(config.ModuleProfiler) {
			return nil
		}
		s.Module("profiler", func() (hooks.Outcome, error) {
			out, err := risk(s, tx, t, intent)
			said = append(said, out)
			if out.Empty() {
				return hooks.OK, err
			}
			return hooks.Context, err
		})
		return nil
	})
	if err != nil {
		return claude.Output{}, nil // logged and in the spool: watching fails open
	}
	return claude.Merge(c.In.Event, said...), nil
}

// plan tells what the call will do to the project, and notes it in the fact. Writing devflow's own spec marker is not an
// edit of the project.
func plan(s *event.Scene, in claude.ToolIn) (intent event.Intent, mutates bool) {
	if s.In.ToolName == "Bash" {
		_, class := event.Command(in)
		s.Fact.Class = string(class)
		s.Fact.InputSHA = event.Sum(in.Command)
		return event.Intent{Class: class}, class.Mutates()
	}
	target, inside := s.Writes(in)
	if !inside {
		return event.Intent{}, false
	}
	s.Fact.Path = target.Rel
	// The client lets nothing be written that was not read before; PostToolUse records what the log says.
	intent.Files = []profiler.File{{Path: target.Rel, Kind: string(target.Kind), Read: true, Test: s.Cover(target).State}}
	intent.Lines = lines(in)
	return intent, true
}

// lines estimates what a call will add and remove. PostToolUse records the exact numbers.
func lines(in claude.ToolIn) int64 {
	n := strings.Count(in.Content, "\n") + changed(in.OldString, in.NewString) + strings.Count(in.NewSource, "\n")
	for _, e := range in.Edits {
		n += changed(e.OldString, e.NewString)
	}
	return int64(n)
}

func changed(before, after string) int {
	if before == after {
		return 0
	}
	return strings.Count(before, "\n") + strings.Count(after, "\n") + 2
}

// risk scores the task as it will be after the call. The model hears of it only when the level changes.
func risk(s *event.Scene, tx *store.Tx, t *telemetry.Task, intent event.Intent) (claude.Output, error) {
	if len(intent.Files) == 0 && !intent.Class.Mutates() {
		return claude.Output{}, nil // reading and testing change no risk
	}
	score, err := s.Rate(tx, t, intent)
	if err != nil {
		s.Fact.Score = &telemetry.Score{Level: string(profiler.Strict)} // unknown risk is watched closely
		return claude.Output{}, err
	}
	next := event.Scored(score)
	level := ""
	if t != nil && !(t.Ended() && s.Fact.Mutates) {
		level = t.Oversight
		if next == event.ScoreOf(t) {
			return claude.Output{}, nil
		}
	}
	s.Fact.Score = &next
	if next.Level == level {
		return claude.Output{}, nil
	}
	return claude.Context(s.In.Event, event.RiskText(score)), nil
}

func haltText(t *telemetry.Task) string {
	return "[devflow:EMERGENCY_HALT] This session is halted: too many tokens were spent without a PASS. Reading is possible, changes are not. " +
		"A person goes on by typing: devflow approve " + t.ResumeCode
}

// errUnreadable is the cause of a refused call whose input cannot be read.
var errUnreadable = errors.New("the tool call cannot be read")

// refuseUnreadable fails closed where a tool call is recognisable and could not be read, and open everywhere else: a
// deadline, a panic or a broken store must not stop a session that nothing speaks against.
func refuseUnreadable(_ claude.Input, raw []byte, cause error) claude.Output {
	if !errors.Is(cause, errUnreadable) && json.Valid(raw) || !bytes.Contains(raw, []byte(`"tool_name"`)) {
		return claude.Output{}
	}
	return claude.Deny("[devflow:malformed] The hook input of this tool call cannot be read, so nothing could be checked. Try the call again.")
}
