package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/devflow-suite/devflow/judge/mutation"
)

// lint runs the four linters on the pushed tree.
func (c *checker) lint(ctx context.Context, s *span, changes []gitx.Change) error {
	before, err := lint.CommitTree(ctx, s.Repo, s.objs, s.base)
	if err != nil {
		return err
	}
	after, err := lint.CommitTree(ctx, s.Repo, s.objs, s.tip)
	if err != nil {
		return err
	}
	linters := c.Linters
	if linters == nil {
		linters = lint.Linters()
	}
	in := lint.Input{Before: before, After: after, Changes: changes, Root: s.Root, Config: lint.Config{
		Warn: s.cfg.Gate.FileWarn, Fail: s.cfg.Gate.FileFail, SourceDirs: s.cfg.TDD.SourceDirs, TestsOptional: !s.cfg.Enabled(config.ModuleTDD),
	}}
	for _, b := range s.cfg.Gate.Boundaries {
		in.Config.Boundaries = append(in.Config.Boundaries, lint.Boundary{From: b.From, Deny: b.Deny, Allow: b.Allow})
	}
	for _, r := range lint.RunThese(ctx, in, linters) {
		step := gate.Step{Name: r.Linter, Status: gate.Status(r.Status), Text: found(r), MS: r.Took.Milliseconds()}
		if r.Status == lint.Fail {
			c.refuse(gate.RuleLint, step)
			continue
		}
		c.note(step)
	}
	return nil
}

// maxFound bounds the findings of one linter in a message.
const maxFound = 3

// found is what a linter says, in one line.
func found(r lint.Report) string {
	var parts []string
	for i, f := range r.Findings {
		if i == maxFound {
			parts = append(parts, fmt.Sprintf("and %d more", len(r.Findings)-maxFound))
			break
		}
		at := f.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if at != "" {
			at += ": "
		}
		parts = append(parts, at+f.Text)
	}
	if len(r.Skipped) > 0 {
		parts = append(parts, "skipped "+r.Skipped[0])
	}
	return strings.Join(parts, "; ")
}

// suite runs the project's tests, unless the same commands were green on the same tree before.
func (c *checker) suite(ctx context.Context, s *span, changes []gitx.Change) error {
	began := c.Now()
	tree, err := lint.CommitTree(ctx, s.Repo, s.objs, s.tip)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(changes))
	for _, ch := range changes {
		paths = append(paths, ch.Path)
	}
	commands, err := suite.Plan(ctx, tree, paths, s.cfg.Gate.Tests[s.Root])
	if err != nil {
		return err
	}
	step := c.step("tests", began)
	green := pushes.TestsGreen + " " + sum(commands)
	known := func(status gate.Status, text, tests string) error {
		step.Status, step.Text = status, text
		c.note(step)
		c.tested(s, tests)
		return nil
	}
	switch {
	case len(commands) == 0:
		return known(gate.Skip, "no test command found", pushes.TestsNone)
	case c.remembered(s, green):
		return known(gate.OK, "green before on the same tree", green)
	case c.TestsKnown && c.TestsGreen && s.clean:
		return known(gate.OK, "green in the session", pushes.TestsSession)
	case c.TestsKnown:
		return known(gate.Skip, "no green run is known", pushes.TestsUnrun)
	}
	c.Progress("tests")
	report := suite.Run(ctx, suite.Options{Repo: s.Repo, Tree: s.tree, Clean: s.clean, Commands: commands, Budget: c.Budget, Environ: c.Environ})
	step = c.step("tests", began)
	head, missing, tail := told(report)
	if report.Status == suite.Skip {
		head = missing
	}
	step.Status, step.Text = gate.Status(report.Status), strings.TrimSpace(redact.Clip(head, maxHead)+"\n"+tail)
	switch report.Status {
	case suite.Fail:
		c.refuse(gate.RuleTests, step)
		c.tested(s, pushes.TestsRed)
	case suite.Skip:
		c.note(step)
		c.tested(s, pushes.TestsSkip)
	default:
		c.note(step)
		if missing != "" {
			c.note(gate.Step{Name: testStep, Status: gate.Skip, Text: missing})
		}
		c.tested(s, green)
		return c.mutate(ctx, s)
	}
	return nil
}

// Time that is left for the rest of the gate behind the mutation check, and without which it is not begun.
const (
	afterMutation = 15 * time.Second
	forMutation   = 20 * time.Second
)

// mutate asks, when the tests are green and time is left, whether they would notice a wrong line of what is pushed. The
// answer is told; it refuses nothing.
func (c *checker) mutate(ctx context.Context, s *span) error {
	if c.Mutate == nil || !s.cfg.Judge.Mutation {
		return nil
	}
	left := mutation.DefaultBudget
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline)-afterMutation)
	}
	if left < forMutation {
		return nil
	}
	began := c.Now()
	c.Progress("mutation check")
	kase, err := c.kase(ctx, s)
	if err != nil {
		return err
	}
	reasons, err := c.Mutate(left).Examine(ctx, kase)
	if err != nil || len(reasons) == 0 {
		return err
	}
	step := c.step("mutation", began)
	var weak, rest []judge.Reason
	for _, r := range reasons {
		if r.Weight() == judge.Soft {
			weak = append(weak, r)
		} else {
			rest = append(rest, r)
		}
	}
	step.Status, step.Text = gate.OK, first(rest)
	if len(weak) > 0 {
		step.Status, step.Text = gate.Warn, first(weak)
	}
	c.note(step)
	return nil
}

// told is a test run in one line, beside its outcome; which tools were missing for the rest; and the end of the output of a
// command that failed.
func told(r suite.Report) (head, missing, tail string) {
	var parts, tools []string
	for _, res := range r.Results {
		why := strings.Replace(res.Text, ": not installed", " is not installed", 1)
		switch res.Status {
		case suite.Skip:
			tools = append(tools, why)
		case suite.Fail:
			parts, tail = append(parts, res.Command.String()+" ("+why+")"), res.Output
		default:
			parts = append(parts, res.Command.String())
		}
	}
	slices.Sort(tools)
	if r.Copied {
		parts = append(parts, "in a copy of the pushed tree")
	}
	if r.Status == suite.Fail {
		parts = append(parts, r.Notes...)
	}
	return strings.Join(parts, "; "), strings.Join(slices.Compact(tools), ", "), tail
}

// tested notes the state of the tests for the refs of a range.
func (c *checker) tested(s *span, tests string) {
	for _, i := range s.refs {
		c.refs[i].Tests = tests
	}
}

// maxHead bounds what is said of a test run before the end of its output, in bytes.
const maxHead = 300

// remembered reports whether the commands were green on this tree before.
func (c *checker) remembered(s *span, green string) (ok bool) {
	if c.DB == nil {
		return false
	}
	err := c.DB.View(func(tx *store.Tx) (err error) {
		ok, err = pushes.Green(tx, s.Root, s.tree, green)
		return err
	})
	return ok && err == nil
}

// sum identifies a list of commands.
func sum(commands []suite.Command) string {
	h := sha256.New()
	for _, cmd := range commands {
		fmt.Fprintf(h, "%s\x00%s\x00%q\x00", cmd.Dir, cmd.Toolchain, cmd.Argv)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
