// Package check is the push gate at work: it finds out what a push would publish, and says whether it may. In this order: the
// refs (protected branches, history that would be lost), the verdict about what is pushed, the four linters and the project's
// own tests, all about the pushed commits and not about the work tree. It writes table pushes through the package of that name
// and owns none; it is linked by the command line program only.
//
// A verdict of an earlier turn covers a push when every pushed path has the content that was judged. Otherwise the range
// itself is judged, by the same examiners; whether its code has tests is then told by the linter coverage_gate, which looks
// at the pushed tree.
//
// It fails closed: what cannot be looked at is refused, until a person lifts that.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/telemetry"
)

// Deps is what the gate works with.
type Deps struct {
	DB        *store.DB // nil: no verdict is known, no test result is remembered, nothing is recorded
	Paths     config.Paths
	Now       func() time.Time
	Examiners []judge.Examiner                          // judge a range that no verdict covers
	Environ   []string                                  // of the user, KEY=value: for the tests, and for the place that git names to its hooks
	Linters   []lint.Linter                             // nil = the four
	Budget    time.Duration                             // of the tests of one range; 0 = the suite's
	Mutate    func(budget time.Duration) judge.Examiner // the mutation check behind green tests; nil = none

	TestsKnown bool // do not run the tests: TestsGreen, or an earlier run on the same tree, says what they would say; the answer is not recorded
	TestsGreen bool // they were green in the work tree as it is now

	Progress func(step string)
}

// Run looks at a request. It never fails: what went wrong is a refusal. The answer is recorded.
func Run(ctx context.Context, d Deps, req gate.Request) gate.Result {
	began := d.Now()
	c := &checker{Deps: d, req: req, places: map[string]*place{}}
	if d.Progress == nil {
		c.Progress = func(string) {}
	}
	res := c.run(ctx)
	res.TookMS = d.Now().Sub(began).Milliseconds()
	if d.DB != nil && !d.TestsKnown && !c.before && (len(res.Refs) > 0 || res.Refused()) {
		if err := d.DB.Update(func(tx *store.Tx) error { return pushes.Record(tx, req.Session, c.root, res, true, d.Now()) }); err != nil && !res.Refused() {
			return req.Failed(fmt.Errorf("record the push: %w", err))
		}
	}
	res.Refs = res.Refs[:min(len(res.Refs), maxShown)]
	return res
}

// maxShown bounds the refs of an answer; the rows have them all.
const maxShown = 50

// checker looks at one request.
type checker struct {
	Deps
	req    gate.Request
	places map[string]*place // by work tree
	before bool              // the same was answered a moment ago
	root   string            // whose rows these are: the project's, else that of the first push
	steps  []gate.Step
	rules  []string
	refs   []gate.Ref
}

// run looks at every push of the request.
func (c *checker) run(ctx context.Context) gate.Result {
	c.root = c.req.Root
	ranges, err := c.targets(ctx)
	if c.before = err == nil && c.known(); c.before {
		return gate.Result{Verdict: gate.Pass, Refs: c.refs}
	}
	c.silence()
	for i := 0; err == nil && i < len(ranges); i++ {
		err = c.look(ctx, &ranges[i])
	}
	if err == nil && len(ranges) > 0 && len(c.rules) == 0 {
		err = c.unmoved(ctx)
	}
	switch {
	case err == nil:
	case !c.req.Has(gate.RuleError):
		res := gate.Failed(err)
		res.Refs = c.refs
		return res
	case len(c.rules) == 0:
		res := c.req.Failed(err)
		res.Refs = c.refs
		return res
	}
	return c.result()
}

// known is true when git asks about a push that the gate let pass a moment ago, before the command ran. Where a rule speaks
// against a ref, only the answer to a hook of the client counts, for which a person may have lifted it.
func (c *checker) known() bool {
	if c.req.PrePush == nil || c.DB == nil || len(c.refs) == 0 {
		return false
	}
	known := true
	err := c.DB.View(func(tx *store.Tx) error {
		for _, r := range c.refs {
			passed, err := pushes.Passed(tx, r.Root, r, len(c.rules) > 0, c.Now())
			if err != nil {
				return err
			}
			known = known && passed
		}
		return nil
	})
	return err == nil && known
}

// unmoved looks whether the refs are still what was judged: the tests took their time, and may have committed themselves. git's own
// hook is given the commits, which do not move.
func (c *checker) unmoved(ctx context.Context) error {
	if c.req.PrePush != nil {
		return nil
	}
	now := &checker{Deps: c.Deps, req: c.req, places: map[string]*place{}}
	if _, err := now.targets(ctx); err != nil {
		return err
	}
	if len(now.refs) != len(c.refs) {
		return errMoved
	}
	for i, r := range now.refs {
		if r.Name != c.refs[i].Name || r.New != c.refs[i].New {
			return errMoved
		}
	}
	return nil
}

// errMoved is the cause of a push whose commits changed while they were judged.
var errMoved = errors.New("the branch moved while it was judged: push again")

// silence notes that an agent pushes from a session of which no hook has told: somebody has switched the hooks off, and what was
// done in it was not watched. git's own hook is the only one that notices.
func (c *checker) silence() {
	if c.req.PrePush == nil || !c.req.Agent || c.req.Session == "" || c.DB == nil {
		return
	}
	var seen *telemetry.Task
	err := c.DB.View(func(tx *store.Tx) (err error) {
		seen, err = telemetry.Current(tx, c.req.Session)
		return err
	})
	if err == nil && seen == nil {
		c.note(gate.Step{Name: "hooks", Status: gate.Warn, Text: "devflow has not seen this session: its hooks are switched off (devflow doctor)"})
	}
}

// look judges one range.
func (c *checker) look(ctx context.Context, s *span) error {
	changes, err := s.Changes(ctx, s.objs, s.base, s.tip)
	if err != nil {
		return err
	}
	if changes = s.own(changes); len(changes) == 0 {
		return nil
	}
	c.Progress("verdict")
	if err := c.verdict(ctx, s, changes); err != nil {
		return err
	}
	c.Progress("linters")
	if err := c.lint(ctx, s, changes); err != nil {
		return err
	}
	if len(c.rules) > 0 {
		return nil // refused already: the tests can wait for the repair
	}
	return c.suite(ctx, s, changes)
}

// own leaves out what a merge has brought from a branch that the remote has already.
func (s *span) own(changes []gitx.Change) []gitx.Change {
	if s.touched == nil {
		return changes
	}
	return slices.DeleteFunc(changes, func(ch gitx.Change) bool { return !s.touched[ch.Path] && !s.touched[ch.OldPath] })
}

// refuse notes a failed step, unless a person has lifted its rule.
func (c *checker) refuse(rule string, s gate.Step) {
	if s.Status = gate.Fail; c.req.Has(rule) {
		s.Status, s.Text = gate.Warn, "allowed by a person: "+s.Text
	} else if !slices.Contains(c.rules, rule) {
		c.rules = append(c.rules, rule)
	}
	c.note(s)
}

// step times one step.
func (c *checker) step(name string, began time.Time) gate.Step {
	return gate.Step{Name: name, Status: gate.OK, MS: c.Now().Sub(began).Milliseconds()}
}
