package main

import (
	"strings"

	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
)

// maxDetail bounds what is kept of a failing test: its command and the end of its output, in bytes.
const maxDetail = 1 << 10

// work is one finished tool call.
type work struct {
	ok     bool
	target event.Target // of a writing tool that succeeded inside the project
	before string
	after  string
	lang   tdd.Lang
	delta  tdd.Delta
	cover  event.Cover
}

func (w *work) edits() bool { return w.target.Rel != "" }

// look fills the fact from the input, before any transaction: it reads the edited file and looks for its test.
func look(s *event.Scene) *work {
	in := s.In.Tool()
	w := &work{ok: s.In.Event == claude.EventPostToolUse}
	switch s.In.ToolName {
	case "Bash":
		w.command(s, in)
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		w.file(s, in)
	default:
		if rel, inside := s.Rel(in.FilePath); inside {
			s.Fact.Path = rel
		}
		s.Fact.Class = class(s.In.ToolName)
		s.Fact.InputSHA = event.Sum(string(s.In.ToolInput))
		out := s.In.Response()
		s.Fact.Empty = w.ok && len(s.In.ToolResponse) > 0 && out.Stdout == "" && out.Text == "" && out.Content == "" && out.NumLines == 0 && emptyJSON(string(s.In.ToolResponse))
	}
	return w
}

// class of a tool other than Bash and the writing ones.
func class(tool string) string {
	switch tool {
	case "Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch":
		return string(profiler.ReadOnly)
	}
	return ""
}

func emptyJSON(raw string) bool {
	switch strings.TrimSpace(raw) {
	case `""`, "null", "{}", "[]":
		return true
	}
	return false
}

// command notes what a shell command was and how it ended. The exit status is the client's: a failing command arrives as
// another event, so no text is matched.
func (w *work) command(s *event.Scene, in claude.ToolIn) {
	script, class := event.Command(in)
	run, tests := tdd.TestCommand(script)
	_, builds := tdd.CompileCommand(script)
	out := s.In.Response()
	f := &s.Fact
	f.InputSHA = event.Sum(in.Command)
	f.Mutates = class.Mutates() && !tests
	f.Class = string(class)
	switch {
	case tests:
		f.Class = "test"
	case builds:
		f.Class = "build"
	}
	f.Empty = w.ok && out.Stdout == "" && out.Stderr == ""
	output := out.Stdout + out.Stderr
	if !w.ok {
		output = s.In.Error
	}
	finished := !in.RunInBackground && out.BackgroundTaskID == "" && !out.Interrupted && !s.In.IsInterrupt
	if tests && finished && run.Outcome(w.ok) != tdd.RunUnknown {
		f.Runner = run.Runner
		if !w.ok {
			f.Detail = detail(in.Command, output)
		}
	}
	if tests || builds {
		f.Diagnostics = int64(tdd.CountDiagnostics(output))
	}
	if event.NamesMarker(in.Command) {
		s.ImportMarker() // before the next export writes over it
	}
	if class == profiler.Destructive && w.ok {
		f.Raise = append(f.Raise, telemetry.Signal{Kind: telemetry.KindDestructive, Key: f.InputSHA, Severity: "info", Source: "post-tool-use", Payload: payload("command", redact.Clip(in.Command, 200))})
	}
}

// detail is the command and the end of its output, redacted.
func detail(command, output string) string {
	head := "$ " + redact.Clip(strings.TrimSpace(command), maxDetail/4) + "\n"
	return head + redact.Tail(strings.TrimSpace(output), maxDetail-len(head))
}

// file notes an edit: content hashes, lines, kind and test state.
func (w *work) file(s *event.Scene, in claude.ToolIn) {
	target, inside := s.Writes(in)
	if !inside {
		s.Fact.InputSHA = event.Sum(string(s.In.ToolInput))
		if in.FilePath == s.MarkerPath() {
			s.ImportMarker()
		}
		return
	}
	f := &s.Fact
	f.Path, f.Mutates, f.InputSHA = target.Rel, true, event.Sum(string(s.In.ToolInput))
	if !w.ok {
		return
	}
	w.target = target
	out := s.In.Response()
	after, readable := s.Read(target.Rel)
	edit := telemetry.Edit{Path: target.Rel, Kind: string(target.Kind), Created: out.Kind == "create" && !out.HasOriginal, Added: int64(out.Added), Removed: int64(out.Removed)}
	if out.HasOriginal {
		w.before = out.OriginalFile
		edit.Before = event.Sum(w.before)
	}
	if readable {
		w.after = after
		edit.After = event.Sum(after)
	}
	w.lang = tdd.LanguageOf(target.Rel)
	w.cover = s.Cover(target)
	switch {
	case target.Kind != tdd.Impl, w.cover.Has && !w.cover.Found.Stub: // with a test that can fail, what changed does not matter
	case readable:
		w.delta = tdd.Compare(w.lang, []byte(w.before), []byte(w.after))
	default:
		w.delta = tdd.Delta{Change: tdd.Code} // too large to look into, or gone again: not taken for harmless
	}
	edit.TestState = w.cover.State
	f.Edits = append(f.Edits, edit)
}
