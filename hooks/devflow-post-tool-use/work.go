package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/line"
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
	ok      bool
	changed []change // files of the project that it changed
	deleted []string // tests that it deleted
}

// change is what is known about one changed file.
type change struct {
	target event.Target
	before string
	after  string
	lang   tdd.Lang
	delta  tdd.Delta
	cover  event.Cover
}

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
	l := line.Read(in.Command, line.Around{Aliases: gitcmd.ReadAliases(s.In.Cwd, s.Paths.Home)})
	script, class := l.Script, event.Class(&l)
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
	if f.Mutates {
		w.written(s, &l)
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
	c := change{target: target}
	out := s.In.Response()
	edit := telemetry.Edit{Created: out.Kind == "create" && !out.HasOriginal, Added: int64(out.Added), Removed: int64(out.Removed)}
	if out.HasOriginal {
		c.before = out.OriginalFile
		edit.Before = event.Sum(c.before)
	}
	w.add(s, c, edit)
}

// add reads a changed file and looks for its test.
func (w *work) add(s *event.Scene, c change, edit telemetry.Edit) {
	after, readable := s.Read(c.target.Rel)
	if readable {
		c.after = after
		edit.After = event.Sum(after)
	}
	c.lang = tdd.LanguageOf(c.target.Rel)
	c.cover = s.Cover(c.target)
	switch {
	case c.target.Kind != tdd.Impl, c.cover.Has && !c.cover.Found.Stub: // with a test that can fail, what changed does not matter
	case readable:
		c.delta = tdd.Compare(c.lang, []byte(c.before), []byte(c.after))
	default:
		c.delta = tdd.Delta{Change: tdd.Code} // too large to look into, or gone again: not taken for harmless
	}
	edit.Path, edit.Kind, edit.TestState = c.target.Rel, string(c.target.Kind), c.cover.State
	s.Fact.Edits = append(s.Fact.Edits, edit)
	w.changed = append(w.changed, c)
}

// written notes the files of the project that a shell command has written: those which its text names, and those which the
// client says it changed (2.1.332 compares the work tree). A file that is not there was not written, or is gone again.
func (w *work) written(s *event.Scene, l *line.Line) {
	files := s.WrittenBy(l)
	for _, name := range s.In.Response().ChangedFiles {
		if rel, ok := s.Rel(name); ok && len(files) < event.MaxWritten && !slices.ContainsFunc(files, func(f event.Written) bool { return f.Rel == rel }) {
			files = append(files, event.Written{Target: event.Target{Rel: rel, Kind: tdd.Classify(rel)}})
		}
	}
	for _, f := range files {
		if f.Delete && event.IsTest(f.Rel) && w.ok {
			w.deleted = append(w.deleted, f.Rel)
		}
		if _, err := os.Lstat(filepath.Join(s.Root, filepath.FromSlash(f.Rel))); f.Delete || err != nil {
			continue
		}
		w.add(s, change{target: f.Target}, telemetry.Edit{Added: f.Lines})
	}
}
