package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/logline"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
)

// statusJSON is a run as `status --json` prints it.
type statusJSON struct {
	Run       orchestrator.Run           `json:"run"`
	Driven    bool                       `json:"driven"` // a process drives it now
	Summary   live.Summary               `json:"summary"`
	Workers   []live.Worker              `json:"workers"`
	Endpoints []live.Endpoint            `json:"endpoints"`
	Regions   []orchestrator.RegionState `json:"regions"`
	Tasks     []orchestrator.TaskRow     `json:"tasks"`
	Confine   string                     `json:"confine,omitempty"`
	Lacks     []string                   `json:"lacks,omitempty"`
	Folder    string                     `json:"folder"`
	Bytes     int64                      `json:"bytes"` // of that folder
}

func (a *app) status() *cli.Command {
	var asJSON, all, watch bool
	var po desk.ProjectOptions
	return &cli.Command{
		Name: "status", Usage: "show where a run stands", ArgsUsage: "[RUN]", Description: `Workers, tasks, tokens, endpoints, and what failed with the reason. Without
RUN: the newest run of this project. RUN may be the first or last letters.

Examples:
  devflock status
  devflock status --watch            # until it has ended; Ctrl-C leaves
  devflock status --all              # every run
  devflock status --json | jq .summary

Exit codes: 0 done, 1 error or no such run, 2 wrong use`,
		Flags: []cli.Flag{po.Flag(),
			&cli.BoolFlag{Name: "all", Usage: "list all runs", Destination: &all},
			&cli.BoolFlag{Name: "watch", Aliases: []string{"w"}, Usage: "show it again and again until it has ended", Destination: &watch},
			frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, c *cli.Command) error {
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			if all {
				runs, err := e.Runs(desk.Listed)
				if err != nil {
					return err
				}
				return a.Print(asJSON, runs, func(w io.Writer) error { return show.Runs(w, runs, a.Now(), a.Width()) })
			}
			run, err := a.Find(c, e, po, nil)
			if err != nil {
				return err
			}
			if watch {
				return a.watch(ctx, e, run.ID, asJSON)
			}
			view, err := e.View(ctx, run.ID)
			if err != nil {
				return err
			}
			m := a.model(view)
			if asJSON {
				return a.Print(true, statusJSON{view.Run, view.Live != nil, summaryOf(m), m.Workers, m.Endpoints, view.Regions, view.Tasks, m.Confine, m.Lacks, view.Folder, view.Bytes}, nil)
			}
			return a.statusText(m, view)
		},
	}
}

// model is a run as a view has it.
func (a *app) model(v engine.View) *live.Model {
	m := live.NewModel(v.Rows, a.Now())
	if v.Live != nil {
		m.Merge(*v.Live, a.Now())
	}
	return m
}

// summaryOf is the summary with the branch that a run has.
func summaryOf(m *live.Model) live.Summary {
	s := m.Summary()
	s.Branch = "devflock/" + string(s.Run) + "/integration"
	if s.State == orchestrator.RunDone {
		s.Branch = "devflock/integration"
	}
	return s
}

func (a *app) statusText(m *live.Model, v engine.View) error {
	for _, line := range m.Draw(live.Look{Width: a.Width(), Colours: a.Coloured()}, a.Now()) {
		fmt.Fprintln(a.Stdout, line)
	}
	if len(v.Tasks) > 0 {
		fmt.Fprintln(a.Stdout)
		if err := show.Tasks(a.Stdout, v.Tasks, a.Width()); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.Stdout)
	if m.Confine != "" {
		fmt.Fprintln(a.Stdout, "Confined by: "+m.Confine)
	}
	if err := show.Notes(a.Stdout, m.Lacks, a.Width()); err != nil {
		return err
	}
	if v.Live == nil && m.Run.State == orchestrator.RunRunning {
		if err := show.Notes(a.Stdout, []string{"Nobody drives this run now: the process that did was killed."}, a.Width()); err != nil {
			return err
		}
	}
	if v.Bytes > 0 {
		fmt.Fprintln(a.Stdout, show.Folder(v.Folder, v.Bytes))
	}
	return show.Summary(a.Stdout, summaryOf(m), a.Width())
}

// watch shows a run until it has ended or the person leaves. It drives nothing.
func (a *app) watch(ctx context.Context, e engine.Engine, id orchestrator.RunID, asJSON bool) error {
	ticks := time.NewTicker(desk.Polled)
	defer ticks.Stop()
	painter := live.Painter{W: a.Stdout, Redraw: frame.Columns(a.Stdout) > 0 && !a.Dumb()}
	said := ""
	for {
		view, err := e.View(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		m := a.model(view)
		switch {
		case asJSON:
			if text := fmt.Sprint(summaryOf(m)); text != said {
				said = text
				if err := a.JSONLine(live.Event{At: a.Now(), Kind: live.Ended, Summary: ptr(summaryOf(m))}); err != nil {
					return err
				}
			}
		default:
			if err := painter.Paint(m.Draw(live.Look{Width: a.Width(), Height: live.Height(a.Stdout), Colours: a.Coloured()}, a.Now())); err != nil {
				return err
			}
		}
		if view.Live == nil {
			if view.Run.State.Over() || asJSON {
				return nil
			}
			return frame.Hint(fmt.Errorf("run %s is %s, and nobody drives it", id, view.Run.State), "devflock resume "+string(id))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

func ptr[T any](v T) *T { return &v }

func (a *app) logs() *cli.Command {
	var asJSON, follow bool
	var po desk.ProjectOptions
	var f logline.Filter
	n := 200
	return &cli.Command{
		Name: "logs", Usage: "show what happened in a run", ArgsUsage: "[RUN]", Description: `Every event with its full text: failures of checks, what endpoints said,
who asked for what. Without RUN: the newest run of this project.

Examples:
  devflock logs
  devflock logs --task t3
  devflock logs --region api --follow
  devflock logs --json | jq 'select(.kind == "task_rejected")'

Exit codes: 0 done, 1 error or no such run, 2 wrong use`,
		Flags: []cli.Flag{po.Flag(),
			&cli.StringFlag{Name: "region", Usage: "only of the region `NAME`", Destination: &f.Region},
			&cli.StringFlag{Name: "task", Usage: "only of the task `ID`", Destination: &f.Task},
			a.CountFlag("n", "the newest `N` lines (200)", 1_000_000, &n),
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the run has ended; Ctrl-C leaves", Destination: &follow},
			frame.JSONFlag(&asJSON)},
		Action: func(ctx context.Context, c *cli.Command) error {
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			run, err := a.Find(c, e, po, nil)
			if err != nil {
				return err
			}
			log, err := e.Log(run.ID)
			if err != nil {
				return frame.Hint(err, "devflock status "+string(run.ID))
			}
			defer log.Close()
			f.JSON = asJSON
			return a.writeLog(ctx, e, run.ID, log, f, n, follow)
		},
	}
}

// writeLog writes the newest lines, and those that come.
func (a *app) writeLog(ctx context.Context, e engine.Engine, id orchestrator.RunID, log io.Reader, f logline.Filter, n int, follow bool) error {
	r := bufio.NewReaderSize(log, 64<<10)
	var kept []string
	var rest string
	read := func(each func(string) error) error {
		for {
			part, err := r.ReadString('\n')
			rest += part
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read log: %w", err)
			}
			line := rest
			rest = ""
			if text, ok := f.Line(line); ok {
				if err := each(text); err != nil {
					return err
				}
			}
		}
	}
	if err := read(func(text string) error {
		if kept = append(kept, text); len(kept) > 2*n {
			kept = append(kept[:0:0], kept[len(kept)-n:]...)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := frame.Lines(a.Stdout, kept[max(0, len(kept)-n):]); err != nil {
		return err
	}
	ticks := time.NewTicker(desk.Polled / 2)
	defer ticks.Stop()
	for follow {
		view, err := e.View(ctx, id)
		if err := read(func(text string) error { _, err := fmt.Fprintln(a.Stdout, text); return err }); err != nil {
			return err
		}
		if ctx.Err() != nil || err == nil && view.Live == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
	return nil
}
