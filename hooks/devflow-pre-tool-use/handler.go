package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/guard/commit"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/telemetry"
)

// registered is the shortest timeout in settings.json of this hook; the own deadline is 80 % of it. Bash is registered with
// registeredBash, because a push waits for its gate.
const (
	registered     = 10 * time.Second
	registeredBash = 600 * time.Second
)

func hook() hooks.Hook {
	h := &handler{}
	return hooks.Hook{
		Name: "devflow-pre-tool-use", Event: claude.EventPreToolUse, Deadline: registered * 8 / 10, Late: event.Late, Guards: true, Closed: h.closed, Handle: h.handle,
	}
}

// handler answers one event. recognised is what may not pass when the hook fails after it was seen; the deadline may look at
// it at any time.
type handler struct{ recognised atomic.Pointer[claude.Output] }

func (h *handler) handle(c *hooks.Call) (claude.Output, error) {
	if e := c.In.Event; e != "" && e != claude.EventPreToolUse {
		return claude.Output{}, nil // not registered for it
	}
	if c.In.ToolName == "" || slices.Contains(c.In.Malformed, "tool_input") {
		if c.Child || c.Session == "" {
			return claude.Output{}, nil
		}
		return claude.Output{}, errUnreadable
	}
	if c.In.ToolName == "Bash" {
		c.Extend(registeredBash * 8 / 10) // no wall clock decides: a long line is read to its end
	}
	s := event.New(c)
	in := c.In.Tool()
	if oddInput(c.In.ToolName, in, c.In.ToolInput) {
		return claude.Output{}, errUnreadable
	}
	g := inspect(s, in)
	h.recognise(g)
	if c.Child || c.Session == "" {
		return h.alone(s, g), nil // nothing is remembered
	}
	intent, mutates := plan(s, in, g)
	var said []claude.Output
	err := s.CommitWithBase(mutates, func(tx *store.Tx, t *telemetry.Task) error {
		said = said[:0]
		if t.Denied() && mutates {
			g.refused = true
			s.Note("halt", 0, hooks.Deny)
			said = append(said, claude.Deny(haltText(t)), claude.Message("[devflow:EMERGENCY_HALT] Halted. To go on, type: "+approval.Prefix+t.ResumeCode))
			return nil
		}
		out, weight, err := g.decide(s, tx, t)
		s.Note("guard", g.took, weight)
		if err != nil || !out.Empty() {
			said = append(said, out)
			return err
		}
		said = append(said, style(s, g))
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
	if err != nil { // logged and in the spool: watching fails open, what was recognised does not
		return h.alone(s, g), nil
	}
	out := claude.Merge(c.In.Event, said...)
	if g.refused {
		return out, nil
	}
	return claude.Merge(c.In.Event, out, h.publish(s, g)), nil
}

// alone answers without a store: there is no code, so a person can allow nothing but what is asked in a dialog.
func (h *handler) alone(s *event.Scene, g *inspection) claude.Output {
	g.lifted = nil // what a transaction took that was not kept is not taken
	if verdict.Worst(g.found) == verdict.Deny {
		return refusal(g.found, "")
	}
	out := h.publish(s, g)
	if len(g.found) > 0 {
		out = claude.Merge(s.In.Event, refusal(g.found, ""), out)
	}
	return out
}

// plan tells what the call will do to the project, and notes it in the fact. Writing devflow's own spec marker is not an
// edit of the project.
func plan(s *event.Scene, in claude.ToolIn, g *inspection) (intent event.Intent, mutates bool) {
	if s.In.ToolName == "Bash" {
		class := event.Class(&g.line)
		s.Fact.Class = string(class)
		s.Fact.InputSHA = event.Sum(in.Command)
		intent.Class = class
		for _, w := range g.written {
			if !w.Delete {
				intent.Files = append(intent.Files, profiler.File{Path: w.Rel, Kind: string(w.Kind), Read: true, Test: s.Cover(w.Target).State})
			}
		}
		return intent, class.Mutates()
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

// style advises about a commit message that is no Conventional Commit. It never refuses one.
func style(s *event.Scene, g *inspection) claude.Output {
	if !s.Cfg.Enabled(config.ModuleCommits) {
		return claude.Output{}
	}
	for _, subject := range commit.Subjects(g.line.Expanded.Commands) {
		if !commit.Conventional(subject) {
			return claude.Context(s.In.Event, "[devflow:commit] The message \""+redact.Clip(subject, 80)+"\" is no Conventional Commit: write type(scope): what changed, such as \"fix(auth): refuse expired tokens\".")
		}
	}
	return claude.Output{}
}

func haltText(t *telemetry.Task) string {
	return "[devflow:EMERGENCY_HALT] This session is halted: too many tokens were spent without a PASS. Reading is possible, changes are not. " +
		"A person goes on by typing: devflow approve " + t.ResumeCode
}

// errUnreadable is the cause of a refused call whose input cannot be read.
var errUnreadable = errors.New("the tool call cannot be read")

// oddInput is whether a tool input holds something else than text where a command or a content belongs: what the client makes of
// that is not known, so nothing could be checked. The whole input is looked at only when such a text is missing.
func oddInput(tool string, in claude.ToolIn, raw json.RawMessage) bool {
	switch tool {
	case "Bash":
		if in.Command != "" {
			return false
		}
	case "Write":
		if in.Content != "" {
			return false
		}
	case "Edit":
		if in.NewString != "" {
			return false
		}
	case "NotebookEdit":
		if in.NewSource != "" {
			return false
		}
	case "MultiEdit":
	default:
		return false
	}
	var fields struct {
		Command   *text `json:"command"`
		FilePath  *text `json:"file_path"`
		Content   *text `json:"content"`
		OldString *text `json:"old_string"`
		NewString *text `json:"new_string"`
		NewSource *text `json:"new_source"`
		Edits     []struct {
			OldString *text `json:"old_string"`
			NewString *text `json:"new_string"`
		} `json:"edits"`
	}
	return json.Unmarshal(raw, &fields) != nil
}

// text is a JSON string and nothing else.
type text string

// recognise keeps the answer for the case that the hook fails from here on.
func (h *handler) recognise(g *inspection) {
	switch {
	case len(g.found) > 0 && (len(g.pushes) == 0 || verdict.Worst(g.found) == verdict.Deny):
		out := refusal(g.found, "")
		h.recognised.Store(&out)
	case len(g.pushes) > 0:
		out := claude.Deny(gate.Failed(errLate).Text)
		h.recognised.Store(&out)
	}
}

// errLate is the cause of a push whose gate did not answer.
var errLate = errors.New("it was not done in time, or failed; the log of the hooks says which")

// closed answers for a failure: what was recognised does not pass. Otherwise it fails closed only where a tool call is
// recognisable and could not be read: a deadline, a panic or a broken store must not stop a session that nothing speaks
// against.
func (h *handler) closed(_ claude.Input, raw []byte, cause error) claude.Output {
	if out := h.recognised.Load(); out != nil {
		return *out
	}
	if !errors.Is(cause, errUnreadable) && json.Valid(raw) || !bytes.Contains(raw, []byte(`"tool_name"`)) {
		return claude.Output{}
	}
	return claude.Deny("[devflow:malformed] The hook input of this tool call cannot be read, so nothing could be checked. Try the call again.")
}
