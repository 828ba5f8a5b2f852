package matter

import (
	"encoding/json"
	"fmt"
	"github.com/devflow-suite/devflow/judge/verdict"
	"os"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
)

// maxSummary bounds the text of a signal in a reason, in bytes.
const maxSummary = 200

// payload are the fields that signals are known to carry.
type payload struct {
	File    string `json:"file"`
	Summary string `json:"summary"`
	Worker  string `json:"worker"`
	Status  string `json:"status"`
	Delta   int64  `json:"delta"`
}

// forced turns the claimed signals into reasons. Each is checked against the present tree first: what is no longer true
// is resolved, not punished.
func (c *Case) Forced() []verdict.Reason {
	var reasons []verdict.Reason
	for _, s := range c.Signals {
		var p payload
		_ = json.Unmarshal([]byte(s.Payload), &p) // a payload that cannot be read leaves its key
		if s.Kind == telemetry.KindTDD {
			reasons = append(reasons, c.forcedTDD(s, p)...)
			continue
		}
		if r, ok := forcedReason(s, p); ok {
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// forcedReason covers the signals that need no second look. Signals for information are never a reason.
func forcedReason(s telemetry.Signal, p payload) (verdict.Reason, bool) {
	summary := redact.Clip(strings.TrimSpace(p.Summary), maxSummary)
	if summary == "" {
		summary = s.Key
	}
	switch s.Kind {
	case telemetry.KindHalt:
		return verdict.Reason{Prefix: "halt", Text: fmt.Sprintf("token delta %d", p.Delta)}, true
	case telemetry.KindShadow:
		return verdict.Reason{Prefix: "shadow", Text: "Test Failed: " + summary}, true
	case telemetry.KindLint:
		return verdict.Reason{Prefix: "lint", Text: summary, File: p.File}, true
	case telemetry.KindReport:
		return reported(p, summary)
	case telemetry.KindShadowAudit, telemetry.KindSecret, telemetry.KindDestructive, telemetry.KindDrift:
		return verdict.Reason{}, false
	}
	if s.Severity == "info" {
		return verdict.Reason{}, false
	}
	return verdict.Reason{Prefix: s.Kind, Text: summary, File: p.File}, true // nobody knows it: it blocks
}

// reported reads what a worker of the swarm, or an agent, filed.
func reported(p payload, summary string) (verdict.Reason, bool) {
	switch {
	case p.Worker == "sec" && p.Status == "safe", p.Worker != "sec" && p.Status == "ok":
		return verdict.Reason{}, false
	case p.Worker == "sec" && p.Status == "unsafe":
		return verdict.Reason{Prefix: "sec", Text: "unsafe: " + summary}, true
	case p.Worker == "sec":
		return verdict.Reason{Prefix: "sec", Text: "swarm-reports-unavailable: " + summary}, true
	}
	return verdict.Reason{Prefix: p.Worker, Text: p.Status + ": " + summary}, true
}

// forcedTDD checks a violation again. The payload, or the key, names the file.
func (c *Case) forcedTDD(s telemetry.Signal, p payload) []verdict.Reason {
	path := p.File
	if path == "" {
		path = s.Key
	}
	missing, by := c.Untested(path)
	if missing != nil {
		return []verdict.Reason{*missing}
	}
	c.resolved = append(c.resolved, telemetry.Key{Kind: s.Kind, Key: s.Key, By: by})
	return nil
}

// Untested applies the rule "no implementation without a test" to what the whole task did to a file, and gives the
// reason against it, or why there is none. Comments, formatting, imports and refactoring on green need no test; a test
// without an assertion is none. A file that nobody could compare is taken at its word: it needs one.
func (c *Case) Untested(path string) (missing *verdict.Reason, why string) {
	if c.Root == "" {
		return nil, "no work tree"
	}
	f := c.file(path)
	_, err := os.Lstat(c.abs(path))
	switch {
	case os.IsNotExist(err):
		return nil, "file is gone"
	case f == nil && c.DiffSHA != "":
		return nil, "no net change"
	case f != nil && (!f.Regular() || f.Lines.ModeOnly):
		return nil, "nothing to test"
	case !tdd.InScope(path, c.SourceDirs):
		return nil, "out of scope"
	}
	edit := tdd.Edit{Rel: path, Delta: tdd.Delta{Change: tdd.Code}, LastRun: c.lastRun()}
	if f != nil && f.After != nil {
		edit.Delta = tdd.Compare(f.Lang, f.Before, f.After)
	}
	finder := c.tests()
	if edit.Test, edit.HasTest, err = finder.Find(path); err != nil {
		return &verdict.Reason{Prefix: "judge", Class: verdict.Blind, File: path, Text: "could not judge: look for a test of " + path + ": " + err.Error()}, ""
	}
	if edit.HasTest && !edit.Test.Stub {
		edit.TestChanged = c.file(edit.Test.Path) != nil
		edit.Untested = finder.Unmentioned(edit.Test.Path, edit.Delta.NewFuncs)
	}
	if f != nil && f.Status == 'A' && edit.HasTest && !edit.Test.Stub && !edit.TestChanged && edit.Test.Path != path && finder.Stranger(edit.Test.Path, f.Lang, f.After) {
		return &verdict.Reason{Prefix: "tdd", Class: c.weaker(verdict.Soft), Text: path + ": new, and " + edit.Test.Path + " names nothing of it", File: path}, ""
	}
	switch d := tdd.Judge(edit); d.Outcome {
	case tdd.Violation:
		if test, ok := c.through(path); ok && !edit.HasTest {
			return &verdict.Reason{Prefix: "tdd", Class: c.weaker(verdict.Soft), Text: path + ": no test of its own; " + test + " may reach it through its caller", File: path}, ""
		}
		return c.missing(edit, f), ""
	case tdd.Warn:
		return &verdict.Reason{Prefix: "tdd", Class: c.weaker(verdict.Soft), Text: path + ": " + d.Why, File: path}, ""
	default:
		return nil, d.Why
	}
}

func (c *Case) missing(e tdd.Edit, f *File) *verdict.Reason {
	r := &verdict.Reason{Prefix: "tdd", Class: c.weaker(verdict.Hard), Text: "Missing Test Coverage: " + e.Rel, File: e.Rel, Fix: "write a test with an assertion that fails without this change"}
	if place := tdd.Suggest(e.Rel); place != "" {
		r.Fix = "write " + place + " with an assertion that fails without this change"
	}
	if e.HasTest {
		r.Fix = "put an assertion that fails without this change into " + e.Test.Path
		r.Evidence = "its only test, " + e.Test.Path + ", asserts nothing"
	}
	if f != nil {
		line, text := firstCode(f.Lines.Added)
		if r.Line = line; r.Evidence == "" {
			r.Evidence = text
		}
	}
	return r
}

// weaker is the class of a finding about a missing test: a note at the one level that does without tests, and where the
// user has switched the rule off.
func (c *Case) weaker(class verdict.Class) verdict.Class {
	if c.Task.Oversight == "vibe" || c.TestsOptional {
		return verdict.Note
	}
	return class
}

func (c *Case) lastRun() tdd.LastRun {
	switch {
	case c.LastTest == nil || c.TestIsStale:
		return tdd.RunUnknown
	case c.LastTest.OK:
		return tdd.RunGreen
	}
	return tdd.RunRed
}

// firstCode is the first added line with something in it.
func firstCode(lines []diff.Line) (n int, text string) {
	for _, l := range lines {
		if text = strings.TrimSpace(l.Text); text != "" {
			return l.N, text
		}
	}
	return 0, ""
}
