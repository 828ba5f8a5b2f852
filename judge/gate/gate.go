package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
)

// Patience is how long a hook waits for the gate: with the grace of Ask less than 80 % of the 600 s that the hook is registered with,
// and more than the budget of the tests.
const Patience = 470 * time.Second

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
	text := "[devflow:gate-error] The push gate could not look at this push: " + reason(cause) + ". Nothing was pushed. See: devflow doctor"
	return Result{Verdict: Error, Rules: []string{RuleError}, Line: text, Text: text}
}

// Failed is the answer when the gate could not look at this request: a refusal, unless a person has lifted RuleError for it.
func (r Request) Failed(cause error) Result {
	if !r.Has(RuleError) {
		return Failed(cause)
	}
	return Result{Verdict: Pass, Line: "[devflow:push-gate] not looked at: " + reason(cause) + " (allowed by a person)"}
}

// reason is an error in one line without secrets.
func reason(cause error) string {
	return redact.Clip(strings.Join(strings.FieldsFunc(cause.Error(), unicode.IsControl), " "), MaxText/2)
}

// grace is how long a gate that has to end may take over it: it ends the tests first, which have a shorter one.
const grace = 6 * time.Second

// Ask runs the gate as a process and waits for its answer. cmd names the program and its environment; the request goes to its
// stdin. It never fails: what went wrong is a refusal, unless a person has lifted that. The children of the gate die with it.
// It returns some seconds after the end of ctx at the latest.
func Ask(ctx context.Context, cmd proc.Cmd, req Request) Result {
	res, err := ask(ctx, cmd, req)
	if err != nil {
		return req.Failed(err)
	}
	return res
}

func ask(ctx context.Context, cmd proc.Cmd, req Request) (res Result, err error) {
	if cmd.Stdin, err = json.Marshal(req); err != nil {
		return res, fmt.Errorf("encode request: %w", err)
	}
	if cmd.Grace == 0 {
		cmd.Grace = grace
	}
	out, err := proc.Run(ctx, cmd)
	switch {
	case err != nil:
		return res, err
	case out.Truncated:
		return res, fmt.Errorf("read answer: more than %d bytes", len(out.Stdout))
	}
	if err := json.Unmarshal(out.Stdout, &res); err != nil {
		return res, fmt.Errorf("read answer: none that can be read, exit status %d: %s", out.Exit, lastLine(out.Stderr))
	}
	switch {
	case res.Verdict == Pass && out.Exit != 0:
		return res, fmt.Errorf("read answer: a pass, but exit status %d: %s", out.Exit, lastLine(out.Stderr))
	case res.Verdict == Pass:
	case res.Verdict == Deny, res.Verdict == Error:
		if res.Text == "" {
			res.Text = "[devflow:push-gate] refused. See: devflow gate log"
		}
	default:
		return res, fmt.Errorf("read answer: unknown verdict %q", res.Verdict)
	}
	res.Line, res.Text = redact.Clip(res.Line, MaxText), redact.Clip(res.Text, MaxText)
	return res, nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// Has reports whether a rule was lifted by a person.
func (r Request) Has(rule string) bool { return slices.Contains(r.Lifted, rule) }
