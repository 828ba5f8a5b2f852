// Package check is the push gate at work: it finds out what a push would publish, and says whether it may. In this order: the
// refs (protected branches, history that would be lost), the verdict about what is pushed, the four linters and the project's
// own tests, all about the pushed commits and not about the work tree. It writes table pushes through package gate and owns
// none; it is linked by the command line program only.
//
// A verdict of an earlier turn covers a push when every pushed path has the content that was judged. Otherwise the range
// itself is judged, by the same examiners; whether its code has tests is then told by the linter coverage_gate, which looks
// at the pushed tree.
//
// It fails closed: what cannot be looked at is refused.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/target"
)

// Deps is what the gate works with.
type Deps struct {
	DB        *store.DB // nil: no verdict is known, no test result is remembered, nothing is recorded
	Paths     config.Paths
	Now       func() time.Time
	Examiners []judge.Examiner // judge a range that no verdict covers
	Environ   []string         // for the tests
	Linters   []lint.Linter    // nil = the four
	Budget    time.Duration    // of the tests; 0 = the suite's

	TestsKnown bool // do not run the tests: TestsGreen, or an earlier run on the same tree, says what they would say
	TestsGreen bool

	Progress func(step string)
}

// maxUpdates bounds how many different ranges one push may hold; more are refused rather than looked at in part.
const maxUpdates = 20

// Run looks at a request. It never fails: what went wrong is a refusal. The answer is recorded.
func Run(ctx context.Context, d Deps, req gate.Request) gate.Result {
	began := d.Now()
	c := &checker{Deps: d, req: req}
	if d.Progress == nil {
		c.Progress = func(string) {}
	}
	res := c.run(ctx)
	res.TookMS = d.Now().Sub(began).Milliseconds()
	if d.DB != nil && (len(res.Refs) > 0 || res.Refused()) {
		if err := d.DB.Update(func(tx *store.Tx) error { return pushes.Record(tx, c.req.Session, c.req.Root, res, true, d.Now()) }); err != nil && !res.Refused() {
			return gate.Failed(fmt.Errorf("record the push: %w", err))
		}
	}
	return res
}

// checker looks at one request.
type checker struct {
	Deps
	req   gate.Request
	cfg   config.Config
	steps []gate.Step
	rules []string
	refs  []gate.Ref
	tests string
}

// run looks at every push of the request.
func (c *checker) run(ctx context.Context) gate.Result {
	if c.req.Root != "" {
		c.cfg, _ = config.Load(c.Paths, c.req.Root) // problems are told at SessionStart
	} else {
		c.cfg = config.Default()
	}
	ranges, err := c.targets(ctx)
	if err != nil {
		return gate.Failed(err)
	}
	if c.known() {
		return gate.Result{Verdict: gate.Pass, Line: "", Refs: c.refs}
	}
	for _, r := range ranges {
		if err := c.look(ctx, r); err != nil {
			return gate.Failed(err)
		}
	}
	return c.result()
}

// span is a part of history that is new for a remote.
type span struct {
	repo      gitx.Repo
	objs      string
	base, tip string // commits or trees
	tree      string // of tip
	protected bool
	clean     bool     // the work tree equals tip
	pending   bool     // tip is the work tree: a commit of it is made by the same command line
	touched   []string // what its commits touch; nil = everything that differs
}

// targets finds what is pushed, judges the refs, and lists the different ranges.
func (c *checker) targets(ctx context.Context) ([]span, error) {
	var spans []span
	if c.req.PrePush != nil {
		updates, err := target.FromPrePush(c.req.PrePush, c.req.Remote, c.req.Remote, c.cfg.Protected)
		if err != nil {
			return nil, err
		}
		repo, err := gitx.Find(c.req.Cwd)
		if err != nil {
			return nil, err
		}
		return c.spans(ctx, repo, updates, push.Push{})
	}
	for _, p := range c.req.Pushes {
		found, err := c.target(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			if !slices.ContainsFunc(spans, func(o span) bool {
				return o.repo.Root == s.repo.Root && o.base == s.base && o.tip == s.tip && o.protected == s.protected
			}) {
				spans = append(spans, s)
			}
		}
	}
	if len(spans) > maxUpdates {
		return nil, fmt.Errorf("the push holds %d different ranges, at most %d are looked at: push fewer branches at once", len(spans), maxUpdates)
	}
	return spans, nil
}

// target resolves one push.
func (c *checker) target(ctx context.Context, p push.Push) ([]span, error) {
	switch p.Kind {
	case push.Git, push.SendPack, push.Subtree:
	default:
		return nil, c.server(p)
	}
	if p.Unreadable || p.Before.Unknown || p.Before.Config {
		return nil, errors.New("what it pushes is known only while it runs: make this push a command of its own, with remote and branch written out")
	}
	repo, err := target.Find(c.req.Cwd, c.req.Home, p)
	if errors.Is(err, gitx.ErrNoRepo) {
		return nil, nil // git says so itself, and nothing goes out
	}
	if err != nil {
		return nil, err
	}
	updates, err := target.Resolve(ctx, repo, p, c.cfg.Protected)
	if errors.Is(err, target.ErrRefused) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.spans(ctx, repo, updates, p)
}

// server judges what moves a branch on a server: nothing local tells what that is, so only a person lets it pass.
func (c *checker) server(p push.Push) error {
	c.refs = append(c.refs, gate.Ref{Name: p.Tool, Protected: true})
	if !c.cfg.Gate.AllowPushToMain {
		c.refuse(gate.RuleProtected, gate.Step{Name: "target", Status: gate.Fail, Text: "`" + p.Tool + "` changes a branch on the server, which cannot be looked at from here"})
	}
	return nil
}

// spans judges the refs of one push and gives the ranges that have to be looked at.
func (c *checker) spans(ctx context.Context, repo gitx.Repo, updates []target.Update, p push.Push) ([]span, error) {
	var list []span
	objs := gitx.ObjectDir(c.Paths.Objects, repo.Root)
	if c.req.Root == "" {
		c.req.Root = repo.Root
	}
	for _, u := range updates {
		if u.UpToDate() && !u.Pending {
			continue
		}
		ref := gate.Ref{Remote: u.Remote, Name: u.RemoteRef, Old: u.RemoteOID, New: u.LocalOID, Force: u.Force, Protected: u.Protected}
		if err := c.judgeRef(ctx, repo, u); err != nil {
			return nil, err
		}
		if u.Delete {
			c.refs = append(c.refs, ref)
			continue
		}
		s := span{repo: repo, objs: objs, protected: u.Protected, pending: u.Pending}
		var err error
		if s.base, s.tip, err = target.Range(ctx, repo, u); err != nil {
			return nil, err
		}
		if err := s.trees(ctx, u); err != nil {
			return nil, err
		}
		if ref.Tree = s.tree; s.pending {
			ref.New = "" // not made yet
		}
		c.refs = append(c.refs, ref)
		if s.base != s.tip {
			list = append(list, s)
		}
	}
	return list, nil
}

// trees finds the tree that is pushed. What the same command line is about to commit is the work tree as it is now.
func (s *span) trees(ctx context.Context, u target.Update) (err error) {
	snap, err := s.repo.Snapshot(ctx, s.objs)
	if s.pending {
		s.tip, s.tree, s.clean = snap, snap, true
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.touched, err = target.Paths(ctx, s.repo, u); err != nil { // a bare repository has no work tree to look at
		return err
	}
	s.tree, err = s.repo.Tree(ctx, s.objs, s.tip)
	s.clean = s.tree == snap
	return err
}

// judgeRef looks at what happens to a ref, whatever its content.
func (c *checker) judgeRef(ctx context.Context, repo gitx.Repo, u target.Update) error {
	name := strings.TrimPrefix(strings.TrimPrefix(u.RemoteRef, "refs/heads/"), "refs/")
	if u.Protected && c.req.Agent && !c.cfg.Gate.AllowPushToMain {
		c.refuse(gate.RuleProtected, gate.Step{Name: "target", Status: gate.Fail, Text: name + " is a protected branch: push a branch of your own and let a person merge it"})
	}
	if u.Delete || u.Tag || !u.Force || u.Lease || !c.req.Agent {
		return nil
	}
	lost, err := target.Rewrites(ctx, repo, u)
	if err != nil {
		return err
	}
	if lost {
		c.refuse(gate.RuleForce, gate.Step{Name: "target", Status: gate.Fail, Text: "commits of " + name + " that are published would be lost: use --force-with-lease on a branch of your own"})
	}
	return nil
}

// refuse notes a failed step, unless a person has lifted its rule.
func (c *checker) refuse(rule string, s gate.Step) {
	if c.req.Has(rule) {
		s.Status, s.Text = gate.Warn, s.Text+" (allowed by a person)"
	} else if !slices.Contains(c.rules, rule) {
		c.rules = append(c.rules, rule)
	}
	c.steps = append(c.steps, s)
}

// known is true when git asks about a push that the gate let pass a moment ago, before the command ran.
func (c *checker) known() bool {
	if c.req.PrePush == nil || c.DB == nil || len(c.refs) == 0 {
		return false
	}
	known := true
	err := c.DB.View(func(tx *store.Tx) error {
		for _, r := range c.refs {
			passed, err := pushes.Passed(tx, c.req.Root, r, c.Now())
			if err != nil {
				return err
			}
			known = known && passed
		}
		return nil
	})
	return err == nil && known
}

// look judges one range.
func (c *checker) look(ctx context.Context, s span) error {
	changes, err := s.repo.Changes(ctx, s.objs, s.base, s.tip)
	if err != nil {
		return err
	}
	changes = own(changes, s.touched)
	if len(changes) == 0 {
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
func own(changes []gitx.Change, touched []string) []gitx.Change {
	if touched == nil {
		return changes
	}
	seen := make(map[string]bool, len(touched))
	for _, p := range touched {
		seen[p] = true
	}
	return slices.DeleteFunc(changes, func(ch gitx.Change) bool { return !seen[ch.Path] && !seen[ch.OldPath] })
}

// step times one step.
func (c *checker) step(name string, began time.Time) gate.Step {
	return gate.Step{Name: name, Status: gate.OK, MS: c.Now().Sub(began).Milliseconds()}
}
