package main

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/approval"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// inspection is what the guard sees in one tool call.
type inspection struct {
	call    approval.Call
	line    line.Line         // of Bash
	found   []verdict.Finding // what speaks against the call
	pushes  []push.Push       // that the push gate has to look at
	written []event.Written   // files of the project that a shell command names
	file    string            // of a writing tool: the file, as approvals keep it
	lifted  []string          // rules that a person has lifted for this call
	refused bool              // the call does not pass, whatever a person says in a dialog
	took    time.Duration
}

// inspect looks at a call before anything is stored. It needs no session.
func inspect(s *event.Scene, in claude.ToolIn) *inspection {
	g := &inspection{call: approval.Call{Session: s.Session, Tool: s.In.ToolName, Cwd: s.In.Cwd}}
	start := s.Elapsed()
	switch s.In.ToolName {
	case "Bash":
		origin := s.Origin()
		g.call.Input = in.Command
		g.line = line.Read(in.Command, origin.Around())
		g.found = guard.Check(&g.line, origin.Scene())
		g.written = s.WrittenBy(&g.line)
		for _, p := range g.line.Pushes {
			if !p.DryRun {
				p.Unreadable = p.Unreadable || p.Before.Commits && g.writesBefore(s, p.Cmd)
				g.pushes = append(g.pushes, p)
			}
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		f := fileOf(s, in)
		g.call.Input = f.Path + "\x00" + f.Content
		for _, e := range f.Edits {
			g.call.Input += "\x00" + e.Old + "\x00" + e.New
		}
		g.found = f.Check(s.Origin().Scene())
		g.file = named(s, f.Path)
	}
	g.took = s.Elapsed() - start
	return g
}

// writesBefore is whether the line writes a file of the project before one of its commands: a commit of it holds what nobody
// has seen yet.
func (g *inspection) writesBefore(s *event.Scene, cmd int) bool {
	world := s.Origin().Scene().World
	return slices.ContainsFunc(g.line.Writes, func(w write.Write) bool {
		_, inside := s.Rel(world.Resolve(w.Dir, w.Path).Path)
		return inside && w.Cmd < cmd
	})
}

// fileOf is what a writing tool is about to do.
func fileOf(s *event.Scene, in claude.ToolIn) guard.File {
	f := guard.File{Path: in.FilePath, Content: in.Content, Whole: s.In.ToolName == "Write"}
	if s.In.ToolName == "NotebookEdit" {
		f.Path, f.Content = in.NotebookPath, in.NewSource
	}
	if f.Path != "" && !filepath.IsAbs(f.Path) {
		f.Path = filepath.Join(s.In.Cwd, f.Path)
	}
	if in.OldString != "" || in.NewString != "" {
		f.Edits = append(f.Edits, guard.Edit{Old: in.OldString, New: in.NewString, All: in.ReplaceAll})
	}
	for _, e := range in.Edits {
		f.Edits = append(f.Edits, guard.Edit{Old: e.OldString, New: e.NewString, All: e.ReplaceAll})
	}
	return f
}

// named is a file as approvals keep it: relative to the project, or absolute outside of it.
func named(s *event.Scene, path string) string {
	if rel, ok := s.Rel(path); ok {
		return rel
	}
	return path
}

// decide refuses the call, or asks, unless a person has lifted what speaks against it. An empty output lets it pass.
func (g *inspection) decide(s *event.Scene, tx *store.Tx, t *telemetry.Task) (claude.Output, hooks.Outcome, error) {
	g.refused = false
	more, err := g.remembered(s, tx, t)
	if err != nil {
		s.Log("guard", err) // what needs memory fails open
	}
	found := append(g.found[:len(g.found):len(g.found)], more...)
	if len(found)+len(g.pushes) > 0 {
		if g.lifted, err = approval.Use(tx, g.call, s.Now); err != nil {
			return claude.Output{}, hooks.Failed, err
		}
	}
	left := guard.Without(found, g.lifted)
	if len(left) == 0 {
		if g.file != "" {
			err = g.pass(s, tx)
		}
		return claude.Output{}, hooks.OK, err
	}
	code, err := approval.Refuse(tx, g.call, guard.Rules(found), g.file, s.Now)
	if err != nil {
		return claude.Output{}, hooks.Failed, err
	}
	g.signal(s, left)
	weight := hooks.Deny
	if g.refused = verdict.Worst(left) == verdict.Deny; !g.refused {
		weight = hooks.Ask // a yes lets it run without another look: a push in it is judged now
	}
	return refusal(left, code), weight, nil
}

// pass forgets that a file was refused before.
func (g *inspection) pass(s *event.Scene, tx *store.Tx) error {
	refused, err := approval.RefusedWrites(tx, s.Session, s.Now)
	for _, file := range refused {
		if file == g.file {
			return approval.Wrote(tx, s.Session, file)
		}
	}
	return err
}

// remembered is what speaks against a shell command because of what happened before: a file whose writing was refused a
// moment ago, a test that is deleted while the tests are red.
func (g *inspection) remembered(s *event.Scene, tx *store.Tx, t *telemetry.Task) ([]verdict.Finding, error) {
	if len(g.line.Writes) == 0 {
		return nil, nil
	}
	refused, err := approval.RefusedWrites(tx, s.Session, s.Now)
	if err != nil {
		return nil, err
	}
	var found []verdict.Finding
	for _, w := range g.line.Writes {
		if len(refused) == 0 {
			break
		}
		at := s.Origin().Scene().World.Resolve(w.Dir, w.Path)
		if at.Path == "" || at.Dynamic {
			continue
		}
		for _, file := range refused {
			if file == named(s, at.Path) || w.Base != "" && file == named(s, filepath.Join(at.Path, w.Base)) {
				found = append(found, verdict.Finding{
					Rule: guard.RuleRefused, Decision: verdict.Deny, Segment: redact.Clip(w.Text, 200), What: "writes a file by another road",
					Why: "writing " + file + " was refused a moment ago", Instead: "write it with the Write tool, without what was refused",
				})
			}
		}
	}
	if tests := deletedTests(g.written); len(tests) > 0 && t != nil {
		last, err := journal.LastTest(tx, t, false)
		if err == nil && last != nil && !last.OK {
			found = append(found, verdict.Finding{
				Rule: guard.RuleTest, Decision: verdict.Ask, Segment: redact.Clip(g.line.Source, 200), What: "deletes a test while the tests are red",
				Why: strings.Join(tests, " ") + ": a failing test says that something is wrong", Instead: "make the test pass, or say why it has to go",
			})
		}
	}
	return found, nil
}

// deletedTests are the tests among what a command deletes.
func deletedTests(list []event.Written) (tests []string) {
	for _, w := range list {
		if w.Delete && event.IsTest(w.Rel) {
			tests = append(tests, w.Rel)
		}
	}
	return tests
}

// signal leaves what a verdict and the telemetry have to know: a blocked secret, a grab at the harness.
func (g *inspection) signal(s *event.Scene, left []verdict.Finding) {
	for _, f := range left {
		kind := ""
		switch group, _, _ := strings.Cut(f.Rule, "."); group {
		case "secret":
			kind = telemetry.KindSecret
		case "self":
			kind = telemetry.KindDrift
		default:
			continue
		}
		s.Fact.Raise = append(s.Fact.Raise, telemetry.Signal{Kind: kind, Key: f.Rule, Severity: "info", Source: "pre-tool-use"})
	}
}

// refusal is the answer of the guard.
func refusal(left []verdict.Finding, code string) claude.Output {
	text := guard.Text(left, code)
	if verdict.Worst(left) == verdict.Ask {
		return claude.Ask(text)
	}
	if notice := guard.Notice(left, code); notice != "" {
		return claude.Merge(claude.EventPreToolUse, claude.Deny(text), claude.Message(notice))
	}
	return claude.Deny(text)
}
