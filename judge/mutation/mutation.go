// Package mutation asks whether the tests would notice if a changed line were wrong.
//
// It makes a few wrong versions of the changed lines of a change of high risk, in a private copy of the tree, and runs
// only the tests that concern each. A version that no test notices is a soft finding: green says little there. What could
// not be tried (no runner, tests that are red or slow as they are, no time left) says nothing. Tests run with the rights of the user,
// as in the push gate; see package suite. It owns no table.
package mutation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/devflow-suite/devflow/judge/gate/suite/replica"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// RuleSurvived is the id of the finding.
const RuleSurvived = "mutant-survived"

// DefaultBudget is the time for everything together. When it is spent, what was not tried says nothing: the clock decides
// no verdict.
const DefaultBudget = 90 * time.Second

// Check is an examiner of changes of high risk; to all others it says nothing.
type Check struct {
	Environ []string      // the user's environment; nil = that of this process
	Budget  time.Duration // 0 = DefaultBudget
	Always  bool          // of any risk, too: at pushes
}

// Name implements judge.Examiner.
func (Check) Name() string { return "mutation" }

// Examine implements judge.Examiner. It fails in no way: what it cannot try says nothing.
func (k Check) Examine(ctx context.Context, c *judge.Case) ([]judge.Reason, error) {
	if !k.Always && !c.Task.HighRisk() || c.NoDiff || c.Change == nil || c.Change.Now == nil || c.Repo.Root == "" {
		return nil, nil
	}
	mutants := Of(c.Change)
	if len(mutants) == 0 {
		return nil, nil
	}
	budget := k.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	inner, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	copied, err := replica.Make(inner, c.Repo, c.Objects, c.NowTree, "")
	if err != nil {
		return k.untried(ctx, "the tree could not be copied: "+err.Error())
	}
	defer copied.Remove()
	r := &run{check: k, dir: copied.Dir, green: map[string]bool{}}
	if r.check.Environ == nil {
		r.check.Environ = os.Environ()
	}
	r.env, _ = suite.Environ(r.check.Environ)
	var reasons []judge.Reason
	tried, survived := 0, 0
	for _, m := range mutants {
		cmd, ok := affected(c.Change, m)
		if !ok || !r.isGreen(inner, cmd) {
			continue
		}
		noticed, err := r.try(inner, cmd, m)
		if err != nil {
			break
		}
		if tried++; !noticed {
			survived++
			reasons = append(reasons, surviving(c, m))
		}
	}
	if tried > 0 {
		reasons = append(reasons, judge.Reason{Prefix: "judge", Class: judge.Note, Text: fmt.Sprintf("mutation check: the tests noticed %d of %d wrong versions of changed lines", tried-survived, tried)})
	}
	return reasons, nil
}

func (k Check) untried(ctx context.Context, why string) ([]judge.Reason, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return []judge.Reason{{Prefix: "judge", Class: judge.Note, Text: "mutation check not made: " + why}}, nil
}

func surviving(c *judge.Case, m Mutant) judge.Reason {
	r := judge.Reason{
		Prefix: verdict.TestSubstance.Prefix(), Rule: RuleSurvived, Axis: verdict.TestSubstance, Class: judge.Soft, File: m.Path, Line: m.Line, Unit: m.Unit,
		Text: fmt.Sprintf("no test notices when %s becomes %s in %s", m.Was, m.Is, m.Unit), Fix: "write an assertion that fails then",
	}
	if f := c.Change.File(m.Path); f != nil && f.After != nil {
		r.Evidence = f.After.Lines(m.Line, m.Line)
	}
	return r
}

// run is one copy with what is known of its tests.
type run struct {
	check Check
	dir   string
	env   []string
	green map[string]bool // command → passes as the tree is
}

// isGreen tries the tests as they are: only those that pass can notice anything.
func (r *run) isGreen(ctx context.Context, cmd command) bool {
	key := cmd.dir + "\x00" + fmt.Sprint(cmd.argv)
	if green, known := r.green[key]; known {
		return green
	}
	ok, err := r.exec(ctx, cmd)
	r.green[key] = ok && err == nil
	return r.green[key]
}

// try runs the tests with a mutant in place, and takes it out again.
func (r *run) try(ctx context.Context, cmd command, m Mutant) (noticed bool, err error) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	name := filepath.FromSlash(m.Path)
	text, err := root.ReadFile(name)
	if err != nil {
		return false, err
	}
	if m.To > len(text) || string(text[m.From:m.To]) != m.Was {
		return false, errors.New("the copy differs from what was judged")
	}
	wrong := slices.Concat(text[:m.From], []byte(m.Is), text[m.To:])
	if err := root.WriteFile(name, wrong, 0o600); err != nil {
		return false, err
	}
	passed, err := r.exec(ctx, cmd)
	return !passed, errors.Join(err, root.WriteFile(name, text, 0o600))
}

// exec reports whether a command ended with status 0. An error means that it did not run to its end.
func (r *run) exec(ctx context.Context, cmd command) (bool, error) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: cmd.argv, Dir: filepath.Join(r.dir, filepath.FromSlash(cmd.dir)), Env: r.env})
	return res.Exit == 0, err
}
