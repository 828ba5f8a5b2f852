// Package evidence holds the deterministic examiners of the judge: rules that need nothing but the case.
//
// It owns no table, starts no process and asks no model. It finds; what a finding means for the outcome is decided in
// package judge.
package evidence

import (
	"context"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/tdd"
)

// First is the first look: it finds a changed source file without a
// test (also one that no hook saw, because it was written by a command), a red last test run, conflict markers, and changes that
// nobody could read. What tests assert is for the rules.
type First struct{}

// Name implements Examiner.
func (First) Name() string { return "deterministic" }

// Examine implements Examiner. It fails only when ctx has ended.
func (First) Examine(ctx context.Context, c *judge.Case) ([]judge.Reason, error) {
	var reasons []judge.Reason
	for i := range c.Files {
		if ctx.Err() != nil {
			return reasons, context.Cause(ctx)
		}
		f := &c.Files[i]
		reasons = append(reasons, conflicts(f)...)
		switch {
		case f.Kind == tdd.Impl && !f.Deleted():
			if missing, _ := c.Untested(f.Path); missing != nil {
				reasons = append(reasons, *missing)
			}
		case f.Lines.Binary && f.Kind != tdd.Impl:
			reasons = append(reasons, judge.Reason{Prefix: "judge", Class: judge.Note, File: f.Path, Text: "not looked at: " + f.Path + ": binary"})
		}
	}
	return append(reasons, lastTest(c)...), nil
}

// Conflict markers as git writes them: seven characters at the start of a line, a blank, a name.
const (
	markerOurs   = "<<<<<<< "
	markerTheirs = ">>>>>>> "
)

// conflicts finds both markers among the added lines. In a text that is no code they may be meant.
func conflicts(f *judge.File) []judge.Reason {
	var ours *diff.Line
	for i, l := range f.Lines.Added {
		switch {
		case strings.HasPrefix(l.Text, markerOurs) && ours == nil:
			ours = &f.Lines.Added[i]
		case strings.HasPrefix(l.Text, markerTheirs) && ours != nil:
			r := judge.Reason{
				Prefix: "conflict", Text: "conflict markers left in " + f.Path, File: f.Path, Line: ours.N, Evidence: ours.Text, Fix: "resolve the conflict and remove the markers",
			}
			if f.Kind != tdd.Impl && f.Kind != tdd.Test && f.Kind != tdd.Config {
				r.Prefix, r.Class = "judge", judge.Soft
			}
			return []judge.Reason{r}
		}
	}
	return nil
}

// lastTest: the newest test command failed, and nothing was edited since.
func lastTest(c *judge.Case) []judge.Reason {
	if c.LastTest == nil || c.LastTest.OK || c.NoDiff && len(c.Files) == 0 {
		return nil
	}
	command, line := testDetail(c.LastTest.Detail)
	r := judge.Reason{Prefix: "test", Text: "the last test run failed: " + command, Evidence: line, Fix: "make `" + command + "` pass and run it again"}
	if c.TestIsStale {
		r.Class, r.Text = judge.Soft, "the last test run failed and was not repeated after the last edit: "+command
	}
	return []judge.Reason{r}
}

// testDetail splits what a failing test run left: its command, and the first line of output that tells of a failure.
func testDetail(detail string) (command, line string) {
	command, output, _ := strings.Cut(detail, "\n")
	if command = strings.TrimSpace(command); command == "" {
		command = "the test command"
	}
	first := ""
	for l := range strings.Lines(output) {
		l = strings.TrimSpace(l)
		if first == "" {
			first = l
		}
		lower := strings.ToLower(l)
		for _, word := range [...]string{"fail", "error", "assert", "panic", "expected", "not ok"} {
			if strings.Contains(lower, word) {
				return command, l
			}
		}
	}
	return command, first
}
