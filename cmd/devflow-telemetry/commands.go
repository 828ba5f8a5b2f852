package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/report"
	"github.com/devflow-suite/devflow/telemetry/report/table"
)

// app holds the flags of one run.
type app struct {
	sys  system
	db   string
	json bool

	n, days, weeks     int
	threshold          int64
	composite, byModel bool
	format             string
}

func (a *app) countFlag(value int, usage string) cli.Flag {
	return &cli.IntFlag{Name: "n", Value: value, Usage: usage, Destination: &a.n, Validator: atLeast(1)}
}

func (a *app) daysFlag(value int) cli.Flag {
	return &cli.IntFlag{Name: "days", Value: value, Usage: "look back this many `DAYS`, 0 for all", Destination: &a.days, Validator: atLeast(0)}
}

func atLeast(low int) func(int) error {
	return func(n int) error {
		if n < low {
			return fmt.Errorf("want %d or more", low)
		}
		return nil
	}
}

// show opens the store, reads one report and prints it as JSON or as a table.
func show[T any](a *app, read func(*store.DB) (T, error), print func(io.Writer, T) error) cli.ActionFunc {
	return func(context.Context, *cli.Command) error {
		db, err := a.open()
		if err != nil {
			return err
		}
		value, err := read(db)
		if err != nil {
			return explain(err)
		}
		if !a.json {
			return written(print(a.sys.stdout, value))
		}
		enc := json.NewEncoder(a.sys.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return written(enc.Encode(value))
	}
}

func written(err error) error {
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func (a *app) recent() *cli.Command {
	return &cli.Command{
		Name: "recent", Usage: "the tasks that were written last, newest first",
		Flags: []cli.Flag{a.countFlag(10, "show `N` tasks")},
		Action: show(a, func(db *store.DB) ([]report.TaskRow, error) { return report.Recent(db, a.n) },
			func(w io.Writer, rows []report.TaskRow) error { return table.Recent(w, rows, a.sys.now()) }),
	}
}

func (a *app) tier1() *cli.Command {
	return &cli.Command{
		Name: "tier1", Usage: "the four numbers that tell whether the loop works",
		Flags:  []cli.Flag{a.daysFlag(30)},
		Action: show(a, func(db *store.DB) (report.Tier1, error) { return report.ReadTier1(db, a.sys.now(), a.days) }, table.Tier1),
	}
}

func (a *app) anxiety() *cli.Command {
	return &cli.Command{
		Name: "anxiety", Usage: "tasks that read much before their first edit",
		Flags: []cli.Flag{
			&cli.Int64Flag{Name: "threshold", Value: 60_000, Usage: "list tasks above this many work `TOKENS`", Destination: &a.threshold},
			&cli.BoolFlag{Name: "ratio", Usage: "add reads before the first write and the composite score", Destination: &a.composite},
			a.countFlag(20, "show at most `N` tasks"),
		},
		Action: show(a, func(db *store.DB) ([]report.AnxietyRow, error) {
			return report.Anxiety(db, a.threshold, a.n, a.composite)
		},
			func(w io.Writer, rows []report.AnxietyRow) error {
				return table.Anxiety(w, rows, a.threshold, a.sys.now())
			}),
	}
}

func (a *app) stats() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "sums of tasks, verdicts, tokens and cost",
		Flags: []cli.Flag{
			a.daysFlag(30),
			&cli.BoolFlag{Name: "by-model", Usage: "one row per model", Destination: &a.byModel},
		},
		Action: show(a, func(db *store.DB) ([]report.StatsRow, error) {
			return report.Stats(db, a.sys.now(), a.days, a.byModel)
		}, func(w io.Writer, rows []report.StatsRow) error { return table.Stats(w, rows, a.byModel, a.days) }),
	}
}

// behavior is what `behavior` prints as JSON.
type behavior struct {
	Findings []report.Finding `json:"findings"`
	Total    int              `json:"total"` // found, of which Findings may hold only the first
}

func (a *app) behavior() *cli.Command {
	return &cli.Command{
		Name: "behavior", Usage: "thrashing, error loops and restart clusters",
		Flags: []cli.Flag{a.daysFlag(30), a.countFlag(20, "show at most `N` findings")},
		Action: show(a, func(db *store.DB) (b behavior, err error) {
			b.Findings, b.Total, err = report.Behavior(db, a.sys.now(), a.days, a.n)
			return b, err
		}, func(w io.Writer, b behavior) error {
			return table.Behavior(w, b.Findings, b.Total, a.days, a.sys.now())
		}),
	}
}

func (a *app) health() *cli.Command {
	return &cli.Command{
		Name: "health", Usage: "times and errors of the hooks, sessions in which they went silent",
		Flags: []cli.Flag{a.daysFlag(14)},
		Action: show(a, func(db *store.DB) (report.Health, error) { return report.ReadHealth(db, a.sys.now(), a.days, nil) },
			func(w io.Writer, h report.Health) error { return table.Health(w, h, a.sys.now()) }),
	}
}

func (a *app) weekly() *cli.Command {
	return &cli.Command{
		Name: "weekly", Usage: "one row per ISO week, and why tasks failed in the newest",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "weeks", Value: 8, Usage: "look back this many `WEEKS`", Destination: &a.weeks, Validator: atLeast(1)},
		},
		Action: show(a, func(db *store.DB) ([]report.Week, error) { return report.Weekly(db, a.sys.now(), a.weeks) }, table.Weekly),
	}
}

func (a *app) export() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "every task with its 54 columns, one JSON object a line or CSV",
		Flags: []cli.Flag{
			a.daysFlag(0),
			&cli.StringFlag{Name: "format", Value: string(report.JSONL), Usage: "jsonl or csv", Destination: &a.format, Validator: func(s string) error {
				if s != string(report.JSONL) && s != string(report.CSV) {
					return fmt.Errorf("want jsonl or csv, got %q", s)
				}
				return nil
			}},
		},
		Action: func(context.Context, *cli.Command) error {
			if a.json && a.format == string(report.CSV) {
				return usageError{fmt.Errorf("--json and --format csv exclude each other")}
			}
			db, err := a.open()
			if err != nil {
				return err
			}
			_, err = report.Export(db, a.sys.stdout, report.Format(a.format), a.sys.now(), a.days)
			return explain(err)
		},
	}
}
