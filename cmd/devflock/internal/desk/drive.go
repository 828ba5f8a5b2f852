package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/runner"
)

// ViewOptions say how a run is watched.
type ViewOptions struct {
	JSON, Plain bool
}

// ViewFlags say how a run is watched.
func (a *App) ViewFlags(v *ViewOptions) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object per line", Destination: &v.JSON},
		&cli.BoolFlag{Name: "plain", Usage: "print lines instead of a table that is redrawn", Destination: &v.Plain},
	}
}

// buffered is how many events may wait for the screen.
const buffered = 256

// Polled lies between two questions to whoever drives the run.
const Polled = time.Second

// outcome is how driving a run has ended.
type outcome struct {
	summary live.Summary
	err     error
}

// Drive goes through with a run and shows it.
func (a *App) Drive(ctx context.Context, e engine.Engine, id orchestrator.RunID, v ViewOptions) error {
	view, err := e.View(ctx, id)
	if err != nil {
		return err
	}
	events, ended := make(chan live.Event, buffered), make(chan outcome, 1)
	go func() {
		s, err := e.Drive(ctx, id, func(event live.Event) {
			select {
			case events <- event:
			case <-a.hard: // nobody looks any more
			}
		})
		if err == nil || ctx.Err() != nil {
			select {
			case events <- live.Event{At: a.Now(), Kind: live.Ended, Summary: &s}:
			case <-a.hard:
			}
		}
		close(events)
		ended <- outcome{s, err}
	}()
	m := live.NewModel(view.Rows, a.Now())
	err = a.show(e, m, events, v)
	var o outcome
	select {
	case o = <-ended:
	case <-a.hard:
		fmt.Fprintln(a.Stderr, "devflock: ended at once; the workers end with it")
		return frame.Hint(ErrInterrupted, "devflock resume "+string(id))
	}
	if err == nil {
		err = o.err
	}
	if err != nil && ctx.Err() == nil {
		return Explained(err, id)
	}
	return a.ended(o.summary, v)
}

// show shows the events until there are no more.
func (a *App) show(e engine.Engine, m *live.Model, events <-chan live.Event, v ViewOptions) error {
	in, terminal := a.Stdin.(*os.File)
	if !v.JSON && !v.Plain && terminal && !a.Dumb() && frame.Columns(a.Stdin) > 0 && frame.Columns(a.Stdout) > 0 {
		ctx, cancel := context.WithCancel(context.Background()) // the table stays until the workers have stopped
		defer cancel()
		go func() {
			select {
			case <-a.hard:
				cancel()
			case <-ctx.Done():
			}
		}()
		screen := live.Screen{In: in, Out: a.Stdout, Environ: a.environ, Colours: a.Coloured(), Now: a.Now, Interrupt: a.Interrupt, Poll: func() (live.Snapshot, bool) { return snapshot(e, m.Run.ID) }}
		return screen.Show(ctx, m, events)
	}
	return a.print(e, m, events, v)
}

// snapshot asks whoever drives the run.
func snapshot(e engine.Engine, id orchestrator.RunID) (live.Snapshot, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), Polled)
	defer cancel()
	view, err := e.View(ctx, id)
	if err != nil || view.Live == nil {
		return live.Snapshot{}, false
	}
	return *view.Live, true
}

// print writes a line per event.
func (a *App) print(e engine.Engine, m *live.Model, events <-chan live.Event, v ViewOptions) error {
	ticks := time.NewTicker(Polled)
	defer ticks.Stop()
	var failed error
	for {
		var list []live.Event
		select {
		case event, more := <-events:
			if !more {
				return failed
			}
			list = append(list, event)
		case <-ticks.C:
			if s, ok := snapshot(e, m.Run.ID); ok {
				list = m.Merge(s, a.Now())
			}
		case <-a.hard:
			return failed
		}
		for _, event := range list {
			m.Apply(event)
			if failed == nil { // a reader that has left does not end the run
				failed = a.line(event, v)
			}
		}
	}
}

func (a *App) line(event live.Event, v ViewOptions) error {
	if v.JSON {
		return a.JSONLine(event)
	}
	if text := live.Line(event); text != "" {
		_, err := fmt.Fprintln(a.Stdout, text)
		return err
	}
	return nil
}

// JSONLine writes an event as one line of JSON.
func (a *App) JSONLine(event live.Event) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(event)
}

// ended writes the summary and gives the exit code.
func (a *App) ended(s live.Summary, v ViewOptions) error {
	if !v.JSON { // there it was the last line
		fmt.Fprintln(a.Stdout)
		if err := show.Summary(a.Stdout, s, a.Width()); err != nil {
			return fmt.Errorf("write summary: %w", err)
		}
	}
	switch {
	case s.State == orchestrator.RunDone:
		return nil
	case s.State == orchestrator.RunFailed:
		return frame.Blocked(errors.New("some tasks are not integrated"))
	}
	return frame.Hint(fmt.Errorf("run %s is stopped: %s", s.Run, cmp.Or(s.Reason, "interrupted")), show.Resume(s))
}

// Explained adds the command that helps.
func Explained(err error, id orchestrator.RunID) error {
	if frame.Hinted(err) {
		return err
	}
	if errors.Is(err, runner.ErrHeld) {
		return frame.Hint(err, "wait until it has ended (devflock status "+string(id)+" --watch), or run: devflock stop "+string(id))
	}
	return frame.Hint(Refused(err), "devflock logs "+string(id)+"; then devflock resume "+string(id))
}
