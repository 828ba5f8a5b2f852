package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/redact"
)

// Patience is how long a hook waits for the gate: less than 80 % of the 600 s that the hook is registered with, and more than
// the budget of the tests.
const Patience = 475 * time.Second

// MaxText bounds what the model is told about a refused push, in bytes.
const MaxText = 1500

// Request is one command line that publishes.
type Request struct {
	Session string      `json:"session"`
	Root    string      `json:"root"` // project root, whose configuration holds
	Cwd     string      `json:"cwd"`
	Home    string      `json:"home"`
	Pushes  []push.Push `json:"pushes"`
	Lifted  []string    `json:"lifted,omitempty"`   // rules that a person has lifted for this call
	PrePush []byte      `json:"pre_push,omitempty"` // instead of Pushes: what git gives its pre-push hook on stdin
	Remote  string      `json:"remote,omitempty"`   // of PrePush: name or URL
}

// Rules of the gate. A person may lift each of them for one call.
const (
	RuleError     = "push.error"        // the gate could not look
	RuleProtected = "push.protected"    // an agent publishes to a protected branch
	RuleForce     = "push.force"        // overwrites or deletes what is published
	RuleVerdict   = "push.verdict"      // judged, and not passed
	RuleReview    = "push.human-review" // a person has to review first
	RuleLint      = "push.lint"
	RuleTests     = "push.tests"
)

// Verdict is the answer about a push.
type Verdict string

// The verdicts. Error is a refusal, too.
const (
	Pass  Verdict = "pass"
	Deny  Verdict = "deny"
	Error Verdict = "error"
)

// Status of one step.
type Status string

// The states of a step. A missing tool is Skip, and shown.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
	Skip Status = "skip"
)

// Step is one thing that the gate looked at.
type Step struct {
	Name   string `json:"name"` // verdict import_boundary file_size coverage_gate compile_check tests target
	Status Status `json:"status"`
	Text   string `json:"text,omitempty"`
	MS     int64  `json:"ms"`
}

// Ref is one ref that a push changes.
type Ref struct {
	Remote    string `json:"remote"`
	Name      string `json:"name"` // refs/heads/x
	Old       string `json:"old,omitempty"`
	New       string `json:"new,omitempty"` // empty when it is deleted
	Tree      string `json:"tree,omitempty"`
	Force     bool   `json:"force,omitempty"`
	Protected bool   `json:"protected,omitempty"`
}

// Result is what the gate says. It holds no secret.
type Result struct {
	Verdict Verdict  `json:"verdict"`
	Rules   []string `json:"rules,omitempty"` // that speak against it
	Line    string   `json:"line"`            // for the person, one line
	Text    string   `json:"text,omitempty"`  // for the model when refused, at most MaxText bytes
	Refs    []Ref    `json:"refs,omitempty"`
	Steps   []Step   `json:"steps,omitempty"`
	Tests   string   `json:"tests,omitempty"` // state of the test suite: green, red, skip, none; with the sum of its commands
	TookMS  int64    `json:"took_ms"`
}

// Refused reports whether the push must not go out.
func (r Result) Refused() bool { return r.Verdict != Pass }

// Failed is the closed answer of a gate that could not look.
func Failed(cause error) Result {
	text := "[devflow:gate-error] The push gate could not look at this push: " + redact.Clip(cause.Error(), MaxText/2) + ". Nothing was pushed. See: devflow doctor"
	return Result{Verdict: Error, Rules: []string{RuleError}, Line: text, Text: text}
}

// Ask runs the gate as a process and waits for its answer. cmd names the program and its environment; the request goes to its
// stdin. It never fails: what went wrong is a refusal. The children of the gate die with it.
func Ask(ctx context.Context, cmd proc.Cmd, req Request) Result {
	body, err := json.Marshal(req)
	if err != nil {
		return Failed(fmt.Errorf("encode request: %w", err))
	}
	cmd.Stdin = body
	out, err := proc.Run(ctx, cmd)
	if err != nil {
		return Failed(err)
	}
	var res Result
	if err := json.Unmarshal(out.Stdout, &res); err != nil {
		return Failed(fmt.Errorf("status %d, and no answer that can be read: %s", out.Exit, lastLine(out.Stderr)))
	}
	switch res.Verdict {
	case Pass, Deny, Error:
		return res
	}
	return Failed(fmt.Errorf("unknown verdict %q", res.Verdict))
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// Has reports whether a rule was lifted by a person.
func (r Request) Has(rule string) bool { return slices.Contains(r.Lifted, rule) }
