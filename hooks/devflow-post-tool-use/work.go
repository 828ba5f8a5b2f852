package main

import (
	"strconv"
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
	change tdd.Change
	tests  string // test state of an implementation file
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
	run := event.ReadRun(script, class)
	out := s.In.Response()
	f := &s.Fact
	f.Class, f.InputSHA = run.LogClass(), event.Sum(in.Command)
	f.Mutates = class.Mutates() && run.Tests == ""
	f.Empty = w.ok && out.Stdout == "" && out.Stderr == ""
	output := out.Stdout + out.Stderr
	if !w.ok {
		output = s.In.Error
	}
	finished := !in.RunInBackground && out.BackgroundTaskID == "" && !out.Interrupted && !s.In.IsInterrupt
	if run.Tests != "" && finished && (w.ok && run.Proof.Success || !w.ok && run.Proof.Failure) {
		f.Runner = run.Tests
		if !w.ok {
			f.Detail = detail(in.Command, output)
		}
	}
	if run.Tests != "" || run.Builds != "" {
		f.Diagnostics = diagnostics(output)
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

// diagnostics counts lines that name a place and an error: file:line: … error, or a compiler's "error" at the line's
// start. It is a statistic and decides nothing.
func diagnostics(output string) int64 {
	var n int64
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		low := strings.ToLower(line)
		if strings.HasPrefix(low, "error") || strings.Contains(low, ": error") || strings.Contains(low, " error ") && placed(line) || placed(line) && strings.Contains(low, "undefined") {
			n++
		}
	}
	return n
}

// placed reports whether a line begins with file:line.
func placed(line string) bool {
	file, rest, ok := strings.Cut(line, ":")
	if !ok || file == "" || strings.ContainsAny(file, " \t") || !strings.Contains(file, ".") {
		return false
	}
	number, _, _ := strings.Cut(rest, ":")
	_, err := strconv.Atoi(number)
	return err == nil
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
	w.change = tdd.Effect(w.lang, []byte(w.before), []byte(w.after))
	edit.TestState = s.TestState(target)
	w.tests = edit.TestState
	f.Edits = append(f.Edits, edit)
}
