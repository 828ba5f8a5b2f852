package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/report"
	"github.com/devflow-suite/devflow/telemetry/report/table"
)

// codes ends the help of every command.
const codes = "Exit codes: 0 done, 1 no database or one that cannot be read, 2 wrong use"

// app holds the flags of one run.
type app struct {
	frame.App
	db   string
	json bool

	n, days, weeks     int
	threshold          int64
	composite, byModel bool
	format             string
}

func (a *app) countFlag(value int, usage string) cli.Flag {
	return number(a, cli.StringFlag{Name: "n", Usage: usage}, &a.n, value, 1, math.MaxInt64)
}

func (a *app) daysFlag(value int) cli.Flag {
	return number(a, cli.StringFlag{Name: "days", Usage: "look back this many `DAYS`, 0 for all"}, &a.days, value, 0, commandline.MaxDays)
}

// number completes a flag that takes a whole number from low to high. The parsing library's own number flags quote strconv.
func number[T int | int64](a *app, f cli.StringFlag, to *T, value T, low, high int64) cli.Flag {
	f.Value = strconv.FormatInt(int64(value), 10)
	f.DefaultText = f.Value
	f.ValidateDefaults = true // sets the default of the command that runs: several share a destination
	f.Validator = func(s string) error {
		n, err := commandline.Number(f.Name, s, low, high)
		if err == nil {
			*to = T(n)
		}
		return a.Check(err)
	}
	return &f
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
		if err := a.Print(a.json, value, func(w io.Writer) error { return print(w, value) }); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		return nil
	}
}

func (a *app) recent() *cli.Command {
	return &cli.Command{
		Name: "recent", Usage: "the tasks that were written last, newest first",
		Description: `TOKENS are work tokens: input, output and cache writes. COST USD is at API
list price; "unknown" means that no reply was counted or a model has no
price. --json adds stack, description, model and time.

Examples:
  devflow-telemetry recent -n 20

` + codes,
		Flags: []cli.Flag{a.countFlag(10, "show `N` tasks")},
		Action: show(a, func(db *store.DB) ([]report.TaskRow, error) { return report.Recent(db, a.n) },
			func(w io.Writer, rows []report.TaskRow) error { return table.Recent(w, rows, a.Now()) }),
	}
}

func (a *app) tier1() *cli.Command {
	return &cli.Command{
		Name: "tier1", Usage: "the four numbers that tell whether the loop works",
		Description: `Pass rate: tasks whose last verdict is PASS. Understand ratio: work tokens
spent before the first edit, divided by those after it. Correction
iterations: FAILs before the first PASS. Reflection efficiency: tasks that
were shown their last failure and passed next. N is the number of tasks
that a value was taken from.

Examples:
  devflow-telemetry tier1 --days 7

` + codes,
		Flags:  []cli.Flag{a.daysFlag(30)},
		Action: show(a, func(db *store.DB) (report.Tier1, error) { return report.ReadTier1(db, a.Now(), a.days) }, table.Tier1),
	}
}

func (a *app) anxiety() *cli.Command {
	return &cli.Command{
		Name: "anxiety", Usage: "tasks that read much before their first edit",
		Description: `OF WINDOW is the share of the model's context window. With --ratio: READS
before the first write, RATIO of them to all reads, SCORE made of both, and
LEVEL: low below 0.4, medium below 0.7, else high.

Examples:
  devflow-telemetry anxiety --ratio --threshold 30000

` + codes,
		Flags: []cli.Flag{
			number(a, cli.StringFlag{Name: "threshold", Usage: "list tasks above this many work `TOKENS`"}, &a.threshold, 60_000, 0, math.MaxInt64),
			&cli.BoolFlag{Name: "ratio", Usage: "add reads before the first write and the composite score", Destination: &a.composite},
			a.countFlag(20, "show at most `N` tasks"),
		},
		Action: show(a, func(db *store.DB) ([]report.AnxietyRow, error) {
			return report.Anxiety(db, a.threshold, a.n, a.composite)
		},
			func(w io.Writer, rows []report.AnxietyRow) error {
				return table.Anxiety(w, rows, a.threshold, a.Now())
			}),
	}
}

func (a *app) stats() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "sums of tasks, verdicts, tokens and cost",
		Description: `Work tokens are input, output and cache writes. A sum with a "+" lacks the
tasks named below the table. OTHER has no verdict, or one that says "could
not judge".

Examples:
  devflow-telemetry stats --by-model --days 7

` + codes,
		Flags: []cli.Flag{
			a.daysFlag(30),
			&cli.BoolFlag{Name: "by-model", Usage: "one row per model", Destination: &a.byModel},
		},
		Action: show(a, func(db *store.DB) ([]report.StatsRow, error) {
			return report.Stats(db, a.Now(), a.days, a.byModel)
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
		Description: `Thrashing: one file edited 5 times or more in a task. Error loop: 3 tool
calls or more that failed in a row. Restart cluster: 3 sessions or more
that began in one folder within 30 minutes.

Examples:
  devflow-telemetry behavior --days 7 -n 5

` + codes,
		Flags: []cli.Flag{a.daysFlag(30), a.countFlag(20, "show at most `N` findings")},
		Action: show(a, func(db *store.DB) (b behavior, err error) {
			b.Findings, b.Total, err = report.Behavior(db, a.Now(), a.days, a.n)
			return b, err
		}, func(w io.Writer, b behavior) error {
			return table.Behavior(w, b.Findings, b.Total, a.days, a.Now())
		}),
	}
}

func (a *app) health() *cli.Command {
	return &cli.Command{
		Name: "health", Usage: "times and errors of the hooks, sessions in which they went silent",
		Description: `P50 and P99 are the times that half and 99 % of the runs stay below. A
session is silent when its transcript grew for 10 minutes without a hook.

Examples:
  devflow-telemetry health --days 1

` + codes,
		Flags: []cli.Flag{a.daysFlag(14)},
		Action: show(a, func(db *store.DB) (report.Health, error) { return report.ReadHealth(db, a.Now(), a.days, nil) },
			func(w io.Writer, h report.Health) error { return table.Health(w, h, a.Now()) }),
	}
}

func (a *app) weekly() *cli.Command {
	return &cli.Command{
		Name: "weekly", Usage: "one row per ISO week, and why tasks failed in the newest",
		Description: `TDD is the share of missing-test signals that a test has answered, mean
over the tasks. HIGH RISK tasks were strict or human_review. A sum with a
"+" lacks the tasks named below the table.

Examples:
  devflow-telemetry weekly --weeks 4 --json

` + codes,
		Flags: []cli.Flag{
			number(a, cli.StringFlag{Name: "weeks", Usage: "look back this many `WEEKS`"}, &a.weeks, 8, 1, commandline.MaxDays/7),
		},
		Action: show(a, func(db *store.DB) ([]report.Week, error) { return report.Weekly(db, a.Now(), a.weeks) }, table.Weekly),
	}
}

func (a *app) export() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "every task with its 54 columns, one JSON object a line or CSV",
		Description: `What is not known is null, and empty in CSV.

Examples:
  devflow-telemetry export --format csv --days 30 > tasks.csv

` + codes,
		Flags: []cli.Flag{
			a.daysFlag(0),
			&cli.StringFlag{Name: "format", Value: string(report.JSONL), Usage: "`FORMAT` is jsonl or csv", Destination: &a.format, Validator: func(s string) error {
				return a.Check(commandline.OneOf("format", s, string(report.JSONL), string(report.CSV)))
			}},
		},
		Action: func(context.Context, *cli.Command) error {
			if a.json && a.format == string(report.CSV) {
				return frame.Usage(errors.New("--json and --format csv exclude each other"))
			}
			db, err := a.open()
			if err != nil {
				return err
			}
			_, err = report.Export(db, a.Stdout, report.Format(a.format), a.Now(), a.days)
			return explain(err)
		},
	}
}
