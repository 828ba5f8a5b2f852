package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

// land starts the merge queue when commits wait and it is idle. The channel is when to look again after it failed; nil when there is
// nothing to wait for.
func (r *run) land(hard, soft context.Context) (retry <-chan time.Time) {
	l := &r.landing
	if l.busy || l.parked != "" {
		return nil
	}
	verified := r.graph.In(orchestrator.TaskVerified)
	if len(verified) == 0 {
		return nil
	}
	if d := l.until.Sub(r.o.Now()); d > 0 && l.failed > 0 {
		if soft.Err() != nil { // we are stopping: what waits is landed by the next Run
			return nil
		}
		return time.After(d)
	}
	l.busy = true
	r.active++
	go func() { r.notes <- note{landed: true, err: r.queue.Land(hard, verified)} }()
	return nil
}

// landingEnded counts the failures of the queue. They are infrastructure's: what a commit is to blame for it has returned itself.
func (r *run) landingEnded(err error) {
	l := &r.landing
	if err == nil {
		l.failed = 0
		return
	}
	if _, rows := errors.AsType[ledgerError](err); rows {
		r.fail(err)
		return
	}
	l.failed++
	d := r.o.Backoff.Delay(l.failed)
	l.until = r.o.Now().Add(d)
	if l.failed >= r.o.Backoff.Tries {
		l.parked = fmt.Sprintf("commits cannot be integrated, after %d tries: %v", l.failed, err)
		d = 0
	}
	r.o.Log.Warn("integrate commits", "try", l.failed, "error", err)
	r.event(Event{Kind: MergeInfra, Text: words.Line(err.Error(), 300), Wait: d})
}

// ledgerError marks an error of the rows on its way through the queue.
type ledgerError struct{ error }

func (e ledgerError) Unwrap() error { return e.error }

// landed makes tasks done. The loop is woken at once: their dependants start while the queue goes on.
func (r *run) landed(ctx context.Context, tasks []string, tip string) error {
	if err := r.persist(ctx, func() error { return r.o.Ledger.Land(r.o.Run, tasks, tip) }); err != nil {
		return ledgerError{err}
	}
	for _, id := range tasks {
		r.event(Event{Kind: TaskDone, Region: r.regionOf(id), Task: id, Text: tip})
	}
	r.notes <- note{}
	return nil
}

// returned takes a task back that is not good after the merge. Its region still holds the change: it is kept before the next
// attempt starts on the new tip.
func (r *run) returned(ctx context.Context, id, failure string) error {
	tasks, err := r.o.Ledger.Tasks(r.o.Run)
	if err != nil {
		return ledgerError{err}
	}
	var t orchestrator.TaskRow
	for _, x := range tasks {
		if x.ID == id {
			t = x
		}
	}
	failure = words.Clip(failure, words.MaxFailure)
	final := t.Attempts >= r.o.Settings.Attempts
	r.discard(ctx, t, t.Attempts)
	r.mu.Lock()
	r.lost[id] = lostChange{base: r.lost[id].base, commit: t.Commit}
	r.mu.Unlock()
	if err := r.persist(ctx, func() error { return r.o.Ledger.Return(r.o.Run, id, failure, final) }); err != nil {
		return ledgerError{err}
	}
	r.event(Event{Kind: TaskReturned, Region: t.Region, Task: id, Text: failure})
	if final {
		r.event(Event{Kind: TaskFailed, Region: t.Region, Task: id, Text: failure})
	}
	r.notes <- note{}
	return nil
}

// discard keeps what a region's tree holds under a ref and empties it. What fails here is done by the next Begin.
func (r *run) discard(ctx context.Context, t orchestrator.TaskRow, n int) {
	ref, err := r.o.Trees.Discard(ctx, t.Region, fmt.Sprintf("%s-%d", t.ID, n))
	if err != nil {
		r.o.Log.Warn("discard leftovers", "region", t.Region, "task", t.ID, "error", err)
		return
	}
	r.o.Log.Info("kept leftovers", "region", t.Region, "task", t.ID, "ref", ref)
}

func (r *run) notice(kind land.NoticeKind, task, text string) {
	kinds := map[land.NoticeKind]EventKind{land.Flaky: TestFlaky, land.RedBefore: TestRed, land.Conflict: MergeConflict, land.Red: MergeRed}
	r.event(Event{Kind: kinds[kind], Region: r.regionOf(task), Task: task, Text: words.Line(text, 300)})
}
