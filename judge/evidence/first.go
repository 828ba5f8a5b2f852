// Package evidence holds the deterministic examiners of the judge: rules that need nothing but the case.
//
// It owns no table, starts no process and asks no model. It finds; what a finding means for the outcome is decided in
// package judge.
package evidence

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/tdd"
)

// First is the first look: it finds a changed source file without a
// test (also one that no hook saw, because it was written by a command), a test that cannot fail, a red last test run,
// conflict markers, and changes that nobody could read.
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
		case f.Kind == tdd.Test && f.Code():
			reasons = append(reasons, stubs(f)...)
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

// stubs finds tests of this diff that cannot fail: new ones without an assertion, and changed ones that lost theirs.
// Where the tests of a file were mostly written without one before, its helpers assert in some other file: that is only
// a warning.
func stubs(f *judge.File) []judge.Reason {
	before := map[string]tdd.Case{}
	bare := 0
	for _, t := range tdd.Tests(f.Lang, f.Before) {
		if before[t.Name] = t; t.Asserts == 0 && t.Trivial == 0 {
			bare++
		}
	}
	custom := bare > 1 && 2*bare >= len(before)
	lines := strings.Split(string(f.After), "\n")
	tests := tdd.Tests(f.Lang, f.After)
	var reasons []judge.Reason
	for i, t := range tests {
		end := len(lines)
		if i+1 < len(tests) {
			end = tests[i+1].Line - 1
		}
		had, existed := before[t.Name]
		if t.Asserts > 0 || existed && had.Asserts == 0 || !touched(f.Lines, t.Line, end) {
			continue
		}
		what := "asserts nothing"
		if t.Trivial > 0 {
			what = "asserts nothing that can fail"
		}
		r := judge.Reason{
			Prefix: "test", Text: fmt.Sprintf("stub: %s in %s %s", t.Name, f.Path, what), File: f.Path, Line: t.Line,
			Evidence: strings.TrimSpace(lines[min(max(t.Line-1, 0), len(lines)-1)]), Fix: "assert what the code must do, or remove the test",
		}
		if existed {
			r.Text = fmt.Sprintf("%s in %s lost its assertions", t.Name, f.Path)
		} else if custom && t.Trivial == 0 {
			r.Class = judge.Soft
		}
		reasons = append(reasons, r)
	}
	return reasons
}

// touched is true when a line of the span was added, or nothing was added anywhere and lines went.
func touched(d diff.File, from, to int) bool {
	for _, l := range d.Added {
		if l.N >= from && l.N <= to {
			return true
		}
	}
	return len(d.Added) == 0 && len(d.Removed) > 0
}
