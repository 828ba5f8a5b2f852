package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/internal/llm/reply"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/model/leaf"
	"github.com/devflow-suite/devflow/judge/model/shown"
	"github.com/devflow-suite/devflow/judge/model/vote"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// run is one review in progress.
type run struct {
	r     *Reviewer
	in    Input
	diff  shown.Diff
	slots chan struct{} // one for each call at a time
	stop  context.CancelFunc

	votes  *reply.Schema
	leaves *reply.Schema

	mu     sync.Mutex
	usage  Usage
	priced bool
	cost   float64
	model  string
	raw    []string // by question, the leaves last
	failed error    // the first failure that ends everything

	open    []open // questions, in the order of the findings
	answer  *leaf.Answer
	leafErr error
}

// open is a question about one finding and what its votes came to.
type open struct {
	at    int // index of the finding
	tally vote.Tally
	last  map[vote.Verdict]vote.Vote
	err   error // of a vote that failed
}

func newRun(r *Reviewer, in Input) *run {
	x := &run{r: r, in: in, priced: true}
	parallel := r.Parallel
	if parallel <= 0 {
		parallel = DefaultParallel
	}
	x.slots = make(chan struct{}, parallel)
	limit := r.Questions
	if limit <= 0 {
		limit = DefaultQuestions
	}
	for _, first := range [...]bool{true, false} { // those that can become hard come first
		for i, f := range in.Reasons {
			if f.Weight() == verdict.Soft && f.Rule != "" && in.Questions[f.Rule] != "" && raisable(f.Axis) == first && len(x.open) < limit {
				x.open = append(x.open, open{at: i, last: map[vote.Verdict]vote.Vote{}})
			}
		}
	}
	x.raw = make([]string, len(x.open)+1)
	return x
}

// raisable names the axes on which a model's confirmation makes a finding hard.
func raisable(a verdict.Axis) bool {
	switch a {
	case verdict.TestIntegrity, verdict.TestSubstance, verdict.Honesty, verdict.References, verdict.GateIntegrity, verdict.Security:
		return true
	}
	return false
}

// all asks everything and waits for it.
func (x *run) all(ctx context.Context) {
	withLeaves := !x.r.NoLeaves && len(strings.TrimSpace(string(x.in.Diff))) > 0
	if len(x.open) == 0 && !withLeaves {
		return
	}
	x.diff = shown.Of(x.in.Diff)
	var err1, err2 error
	x.votes, err1 = reply.Compile([]byte(vote.Schema))
	x.leaves, err2 = reply.Compile([]byte(leaf.Schema()))
	if err := errors.Join(err1, err2); err != nil { // unreachable: the schemas are ours
		x.leafErr = err
		return
	}
	ctx, x.stop = context.WithCancel(ctx)
	defer x.stop()
	var wg sync.WaitGroup
	if withLeaves {
		wg.Go(func() {
			if err := x.guarded(func() { x.askLeaves(ctx) }); err != nil {
				x.leafErr = err
			}
		})
	}
	for i := range x.open {
		wg.Go(func() {
			if err := x.guarded(func() { x.askVotes(ctx, i) }); err != nil {
				x.open[i].err = err
			}
		})
	}
	wg.Wait()
}

// guarded turns a panic of a backend into a failure: it must not end the process, whose exit status would be taken for a
// block.
func (x *run) guarded(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = llm.FailForGood(llm.ErrUnavailable, "asking crashed: %v", p)
			x.fail(err)
		}
	}()
	f()
	return nil
}

// fail ends the review after a failure that every further call would meet as well.
func (x *run) fail(err error) {
	var known *llm.Error
	if !errors.As(err, &known) || !known.Permanent {
		return
	}
	x.mu.Lock()
	if x.failed == nil {
		x.failed = err
	}
	x.mu.Unlock()
	x.stop()
}

// call asks once (with the tries of the policy), when a slot is free.
func (x *run) call(ctx context.Context, q llm.Request, s *reply.Schema) (ask.Answer, error) {
	select {
	case x.slots <- struct{}{}:
	case <-ctx.Done():
		return ask.Answer{}, llm.Ended(ctx)
	}
	defer func() { <-x.slots }()
	q.Model = x.r.Model
	a, err := ask.Ask(ctx, x.r.Backend, q, s, x.r.Policy)
	x.mu.Lock()
	x.usage.Calls += int64(a.Tries)
	x.usage.TokensIn += a.TokensIn
	x.usage.TokensOut += a.TokensOut
	if a.Priced {
		x.cost += *a.CostUSD
	} else {
		x.priced = false
	}
	if a.Model != "" {
		x.model = a.Model
	}
	x.mu.Unlock()
	if err != nil {
		x.fail(err)
	}
	return a, err
}

func (x *run) note(at int, format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw[at] += fmt.Sprintf(format, args...)
}

// askVotes asks about one finding: two votes, the second with the sides in the other order, and a third where those two
// leave it open.
func (x *run) askVotes(ctx context.Context, i int) {
	o := &x.open[i]
	f := x.in.Reasons[o.at]
	var mu sync.Mutex
	cast := func(n int) {
		q, text := x.question(f, n%2 == 1)
		a, err := x.call(ctx, q, x.votes)
		var v vote.Vote
		if err == nil {
			v, err = vote.Read(a.JSON, text)
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, vote.ErrNoQuote), errors.Is(err, vote.ErrNoReason):
			o.tally.Void++
		case err != nil:
			o.tally.Failed++
			if o.err == nil {
				o.err = err
			}
		case v.Verdict == vote.Defect:
			o.tally.Defect++
		case v.Verdict == vote.Honest:
			o.tally.Honest++
		default:
			o.tally.Void++
		}
		if err == nil {
			o.last[v.Verdict] = v
		}
		x.note(i, "%s %s vote %d: %s\n", f.Rule, f.Unit, n+1, outcome(a, err))
	}
	var pair sync.WaitGroup
	for n := range vote.Needed {
		pair.Go(func() {
			if err := x.guarded(func() { cast(n) }); err != nil {
				mu.Lock()
				defer mu.Unlock()
				o.tally.Failed++
				o.err = err
			}
		})
	}
	pair.Wait()
	for n := vote.Needed; o.tally.Open() && ctx.Err() == nil; n++ {
		cast(n)
	}
	if ended := llm.Ended(ctx); ended != nil && o.err == nil {
		o.err = ended
	}
}

func outcome(a ask.Answer, err error) string {
	if err != nil {
		return "no vote, " + err.Error() + ": " + redact.Clip(a.Raw, 300)
	}
	return string(a.JSON)
}

func (x *run) askLeaves(ctx context.Context) {
	q, c := x.leafQuestion()
	a, err := x.call(ctx, q, x.leaves)
	if err != nil {
		x.leafErr = err
		x.note(len(x.open), "leaves: %s\n", outcome(a, err))
		return
	}
	got, err := leaf.Read(a.JSON, c)
	if err != nil { // unreachable: the answer satisfies the schema
		x.leafErr = llm.Fail(llm.ErrSchema, "%v", err)
		return
	}
	x.answer = &got
	x.note(len(x.open), "model_overall: %s\nleaves: %s\n", got.Overall, a.JSON)
}

// result puts together what was decided.
func (x *run) result() (Result, error) {
	out := Result{Reasons: slices.Clone(x.in.Reasons), Usage: x.usage, Model: x.model, Backend: x.r.Backend.Name()}
	if x.usage.Calls > 0 && x.priced {
		out.Usage.CostUSD = &x.cost
	}
	out.Raw = redact.Clip(strings.Join(x.raw, ""), maxRaw)
	missing, first := 0, x.failed // the failure that ended everything tells more than what followed from it
	for _, o := range x.open {
		x.apply(&out.Reasons[o.at], o)
		if x.in.Level != "vibe" && o.tally.Unanswered() {
			missing++
			if first == nil {
				first = o.err
			}
		}
	}
	if x.answer != nil {
		out.Leaves, out.Extra = x.answer.Columns, x.answer.Findings
	}
	questions := len(x.open)
	if x.answer != nil || x.leafErr != nil {
		questions++
	}
	if x.leafErr != nil {
		missing++
		if first == nil {
			first = x.leafErr
		}
	}
	if missing == 0 {
		return out, nil
	}
	return out, fmt.Errorf("ask %s (%d of %d questions without an answer): %w", out.Backend, missing, questions, first)
}

// apply changes one soft finding as its votes say.
func (x *run) apply(f *verdict.Reason, o open) {
	switch d := o.tally.Decided(); {
	case d == vote.Defect && raisable(f.Axis):
		f.Class = verdict.Hard
		f.Fix = remark(f.Fix, "A model confirms this", o.last[d])
	case d == vote.Defect:
		f.Fix = remark(f.Fix, "A model agrees", o.last[d])
	case d == vote.Honest && x.in.Tainted:
		f.Fix = remark(f.Fix, "A model would excuse this, which does not count beside text that addresses a reviewer", o.last[d])
	case d == vote.Honest && f.Axis == verdict.TestIntegrity && x.tooMany():
		f.Fix = remark(f.Fix, "A model would excuse this, which does not count among so many", o.last[d])
	case d == vote.Honest:
		f.Class = verdict.Note
		f.Fix = remark(f.Fix, "A model excuses this", o.last[d])
	}
}

// tooMany reports whether the soft findings fail the work together: then excusing one by one would undo a failure.
func (x *run) tooMany() bool {
	var soft []verdict.Reason
	for _, f := range x.in.Reasons {
		if f.Weight() == verdict.Soft {
			soft = append(soft, f)
		}
	}
	return verdict.Fold(soft) == verdict.Fail
}

const maxRemark = 220

func remark(fix, what string, v vote.Vote) string {
	quote, _, _ := strings.Cut(strings.TrimSpace(v.Quote), "\n")
	text := fmt.Sprintf("%s: %s (quoting “%s”)", what, redact.Clip(strings.Join(strings.Fields(v.Reason), " "), maxRemark), redact.Clip(strings.TrimSpace(quote), maxRemark))
	if fix == "" {
		return text
	}
	return fix + " — " + text
}
