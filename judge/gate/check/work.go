package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/suite"
)

// lint runs the four linters on the pushed tree.
func (c *checker) lint(ctx context.Context, s span, changes []gitx.Change) error {
	before, err := lint.CommitTree(ctx, s.repo, s.objs, s.base)
	if err != nil {
		return err
	}
	after, err := lint.CommitTree(ctx, s.repo, s.objs, s.tip)
	if err != nil {
		return err
	}
	linters := c.Linters
	if linters == nil {
		linters = lint.Linters()
	}
	in := lint.Input{Before: before, After: after, Changes: changes, Root: s.repo.Root, Config: lint.Config{
		Warn: c.cfg.Gate.FileWarn, Fail: c.cfg.Gate.FileFail, SourceDirs: c.cfg.TDD.SourceDirs, TestsOptional: !c.cfg.Enabled(config.ModuleTDD),
	}}
	for _, b := range c.cfg.Gate.Boundaries {
		in.Config.Boundaries = append(in.Config.Boundaries, lint.Boundary{From: b.From, Deny: b.Deny, Allow: b.Allow})
	}
	for _, r := range lint.RunThese(ctx, in, linters) {
		step := gate.Step{Name: r.Linter, Status: gate.Status(r.Status), Text: found(r), MS: r.Took.Milliseconds()}
		if r.Status == lint.Fail {
			c.refuse(gate.RuleLint, step)
			continue
		}
		c.steps = append(c.steps, step)
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
func (c *checker) suite(ctx context.Context, s span, changes []gitx.Change) error {
	began := c.Now()
	tree, err := lint.CommitTree(ctx, s.repo, s.objs, s.tip)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(changes))
	for _, ch := range changes {
		paths = append(paths, ch.Path)
	}
	commands, err := suite.Plan(ctx, tree, paths, c.cfg.Gate.Tests[s.repo.Root])
	if err != nil {
		return err
	}
	step := c.step("tests", began)
	if len(commands) == 0 {
		step.Status, step.Text = gate.Skip, "no test command found"
		c.steps, c.tests = append(c.steps, step), pushes.TestsNone
		return nil
	}
	green := pushes.TestsGreen + " " + sum(commands)
	if c.remembered(s, green) {
		step.Text = "green before on the same tree"
		c.steps, c.tests = append(c.steps, step), green
		return nil
	}
	if c.TestsKnown {
		step.Status, step.Text, c.tests = gate.Skip, "not run", pushes.TestsSkip
		if c.TestsGreen {
			step.Status, step.Text, c.tests = gate.OK, "green in the session", pushes.TestsGreen+" in the session"
		}
		c.steps = append(c.steps, step)
		return nil
	}
	c.Progress("tests")
	report := suite.Run(ctx, suite.Options{Repo: s.repo, Tree: s.tree, Clean: s.clean, Commands: commands, Budget: c.Budget, Environ: c.Environ})
	step = c.step("tests", began)
	step.Status, step.Text = gate.Status(report.Status), strings.TrimPrefix(report.Text(), "tests: ")
	switch report.Status {
	case suite.Fail:
		c.tests = pushes.TestsRed
		c.refuse(gate.RuleTests, step)
	case suite.Skip:
		c.steps, c.tests = append(c.steps, step), pushes.TestsSkip
	default:
		c.steps, c.tests = append(c.steps, step), green
	}
	return nil
}

// remembered reports whether the commands were green on this tree before.
func (c *checker) remembered(s span, green string) (ok bool) {
	if c.DB == nil {
		return false
	}
	err := c.DB.View(func(tx *store.Tx) (err error) {
		ok, err = pushes.Green(tx, c.req.Root, s.tree, green)
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

// result folds the steps.
func (c *checker) result() gate.Result {
	r := gate.Result{Verdict: gate.Pass, Rules: c.rules, Refs: c.refs, Steps: c.steps, Tests: c.tests}
	if len(c.refs) == 0 {
		return r
	}
	where := c.where()
	if len(c.rules) == 0 {
		r.Line = "[devflow:push-gate] green: " + where + summary(c.steps)
		return r
	}
	r.Verdict = gate.Deny
	var b strings.Builder
	b.WriteString("[devflow:push-gate] refused: " + where + "\n")
	for _, s := range c.steps {
		if s.Status == gate.Fail {
			b.WriteString("- " + s.Name + ": " + s.Text + "\n")
		}
	}
	b.WriteString("Repair this and push again; `devflow gate push` looks without pushing.")
	r.Text = clip(b.String(), gate.MaxText-200)
	r.Line = "[devflow:push-gate] refused: " + where + summary(c.steps)
	return r
}

// where names the refs of the request.
func (c *checker) where() string {
	const most = 3
	var names []string
	for i, ref := range c.refs {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(c.refs)-most))
			break
		}
		names = append(names, strings.TrimSpace(ref.Remote+" "+strings.TrimPrefix(strings.TrimPrefix(ref.Name, "refs/heads/"), "refs/")))
	}
	return strings.Join(names, ", ")
}

// summary is every step in one line.
func summary(steps []gate.Step) string {
	if len(steps) == 0 {
		return " (nothing new)"
	}
	parts := make([]string, 0, len(steps))
	for _, s := range steps {
		part := s.Name + " " + string(s.Status)
		if s.Status == gate.Skip || s.Status == gate.Warn || s.Name == "tests" || s.Name == "verdict" {
			text, _, _ := strings.Cut(s.Text, "\n")
			part += " (" + clip(text, 120) + ")"
		}
		parts = append(parts, part)
	}
	return ": " + strings.Join(parts, ", ")
}

// clip cuts a text at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
