package flocksim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// Worker makes the worker of a region, for schedule.Options.
func (w *World) Worker(region string) (schedule.Worker, error) {
	if err := w.point("worker"); err != nil {
		return nil, err
	}
	return &worker{w: w, region: region}, nil
}

type worker struct {
	w       *World
	region  string
	session int
	context int64
	closed  bool
}

// Close implements schedule.Worker.
func (k *worker) Close() error { k.closed = true; return nil }

// Recycle implements schedule.Recycler.
func (k *worker) Recycle(ctx context.Context, done []string) error {
	defer k.w.lock()()
	k.w.recycled = append(k.w.recycled, fmt.Sprintf("%s after %d", k.region, len(done)))
	k.session++
	k.context = 0
	return ctx.Err()
}

// fault names what goes wrong with the nth attempt at a task, from 0.
func (f Faults) fault(n int) string {
	for _, kind := range [...]struct {
		name  string
		times int
	}{{"infra", f.Infra}, {"error", f.Error}, {"hang", f.Hang}, {"wrong", f.Wrong}, {"outside", f.Outside}, {"turns", f.Turns}, {"poison", f.Poison}, {"clash", f.Clash}, {"idle", f.Idle}} {
		if n < kind.times {
			return kind.name
		}
		n -= kind.times
	}
	return ""
}

// Do implements schedule.Worker.
func (k *worker) Do(ctx context.Context, j schedule.Job) (schedule.Report, error) {
	w := k.w
	unlock := w.lock()
	if other := w.running[k.region]; other != "" {
		w.violations = append(w.violations, fmt.Sprintf("%s started in region %s while %s ran there", j.Task.ID, k.region, other))
	}
	if j.Region != k.region || k.closed {
		w.violations = append(w.violations, fmt.Sprintf("worker of %s (closed: %t) got a job of %s", k.region, k.closed, j.Region))
	}
	w.running[k.region] = j.Task.ID
	w.most = max(w.most, len(w.running))
	t := w.tasks[j.Task.ID]
	n := w.tries[j.Task.ID]
	w.tries[j.Task.ID]++
	session := fmt.Sprintf("s-%s-%d", k.region, k.session)
	w.starts = append(w.starts, Start{j.Task.ID, k.region, j.Kind, j.Failure, session, time.Now()})
	unlock()
	defer func() {
		defer w.lock()()
		delete(w.running, k.region)
	}()
	if t.ID == "" {
		t = Task{ID: j.Task.ID, Region: j.Region, Takes: time.Millisecond}
	}
	if err := j.Began(0, 0, session); err != nil {
		return schedule.Report{}, err
	}
	if err := w.point("began"); err != nil {
		return schedule.Report{}, err
	}
	for _, region := range t.Faults.Asks {
		if w.Ask != nil {
			if err := w.Ask(j.Task, region); err != nil && !errors.Is(err, orchestrator.ErrLimit) {
				return schedule.Report{}, err
			}
		}
	}
	k.context += w.Context
	rep := schedule.Report{Session: session, Context: k.context, Usage: orchestrator.Usage{Output: w.Tokens / 2, Requests: 1}}
	err := k.work(ctx, j, t, t.Faults.fault(n), func() { j.Used(rep.Usage, 0) })
	if err == nil {
		rep.Usage = orchestrator.Usage{Output: w.Tokens, Requests: 2}
	}
	rep.MaxTurns = t.Faults.fault(n) == "turns"
	return rep, err
}

func (k *worker) work(ctx context.Context, j schedule.Job, t Task, fault string, half func()) error {
	w := k.w
	root := w.Root(k.region)
	if t.Faults.Deaf {
		<-w.Release
		return errors.New("released")
	}
	switch fault {
	case "error":
		return errors.New("simulated error of the work")
	case "idle":
		return nil
	case "hang":
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if err := sleep(ctx, t.Takes/2); err != nil {
		return err
	}
	half()
	content, err := w.see(root, t.ID)
	if err != nil {
		return err
	}
	if fault == "infra" {
		if err := w.Files.Write(root, k.region+"/"+t.ID+".half", "half"); err != nil {
			return err
		}
		return &schedule.InfraError{Err: errors.New("simulated endpoint is down")}
	}
	if err := k.tidy(root, t); err != nil {
		return err
	}
	switch fault {
	case "wrong":
		content = "wrong"
	case "poison":
		content += "poison\n"
	case "outside":
		err = w.Files.Write(root, "elsewhere/"+t.ID, "stray")
	case "clash":
		err = w.Files.Write(root, clashFolder+"file", t.ID)
	}
	if err != nil {
		return err
	}
	if err := sleep(ctx, t.Takes-t.Takes/2); err != nil {
		return err
	}
	return k.effect(root, j, t, content)
}

// tidy undoes what earlier attempts at the task did that is not part of it.
func (k *worker) tidy(root string, t Task) error {
	for _, name := range [...]string{k.region + "/" + t.ID + ".half", "elsewhere/" + t.ID} {
		_, found, err := k.w.Files.Read(root, name)
		if err == nil && found {
			err = k.w.Files.Remove(root, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// effect counts the task and writes its file. One who goes on with unfinished work sees that it is counted already; one who starts
// anew counts, so work that is done again in a tree that holds it shows.
func (k *worker) effect(root string, j schedule.Job, t Task, content string) error {
	list, _, err := k.w.Files.Read(root, k.region+"/counts")
	if err != nil {
		return err
	}
	done := counts(list)
	if done[t.ID] == 0 || j.Kind == orchestrator.AttemptWork {
		done[t.ID]++
	}
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(done)) {
		fmt.Fprintf(&b, "%s %d\n", id, done[id])
	}
	if err := k.w.Files.Write(root, k.region+"/counts", b.String()); err != nil {
		return err
	}
	return k.w.Files.Write(root, k.region+"/"+t.ID+".txt", content)
}
