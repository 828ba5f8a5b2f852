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
	"github.com/devflow-suite/devflow/judge/gate/pushes"
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
	Agent   bool        `json:"agent"` // an agent pushes, not a person
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

// What the gate says; see package pushes.
type (
	Verdict = pushes.Verdict
	Status  = pushes.Status
	Step    = pushes.Step
	Ref     = pushes.Ref
	Result  = pushes.Result
)

// Words of an answer.
const (
	Pass  = pushes.Pass
	Deny  = pushes.Deny
	Error = pushes.Error

	OK   = pushes.OK
	Warn = pushes.Warn
	Fail = pushes.Fail
	Skip = pushes.Skip
)

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
