package desk

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/wizard"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/orchestrator"
)

// WorkOptions say what is to be done.
type WorkOptions struct {
	Idea, IdeaFile, Request, RequestFile string
	Workers                              int
}

// File is the file that says what is to be done, "" for none.
func (o WorkOptions) File() string { return cmp.Or(o.IdeaFile, o.RequestFile) }

// WorkFlags say what is to be done.
func (a *App) WorkFlags(o *WorkOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "request", Usage: "the work to do in this project, as `TEXT`", Destination: &o.Request},
		&cli.StringFlag{Name: "request-file", Usage: "the same from `FILE`, - for standard input", Destination: &o.RequestFile},
		&cli.StringFlag{Name: "idea", Usage: "build something new from this idea, as `TEXT`", Destination: &o.Idea},
		&cli.StringFlag{Name: "idea-file", Usage: "the same from `FILE`, - for standard input", Destination: &o.IdeaFile},
		a.CountFlag("workers", "`N` workers; default: as many as pay", wizard.MaxWorkers, &o.Workers),
	}
}

// CountFlag takes a whole number from 1.
func (a *App) CountFlag(name, usage string, most int64, to *int) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: func(s string) error {
		n, err := commandline.Number(name, s, 1, most)
		*to = int(n)
		return a.Check(err)
	}}
}

// spanFlag takes a duration.
func (a *App) spanFlag(name, usage string, zero bool, to *time.Duration) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: func(s string) error {
		d, err := time.ParseDuration(s)
		want := "a duration like 90s or 20m"
		if zero && s == "0" {
			*to = -1 // Defaults: never
			return nil
		}
		if err != nil || d < time.Second {
			return a.Check(&commandline.Mistake{Flag: name, Value: s, Want: want})
		}
		*to = d
		return nil
	}}
}

// Work is mode and request.
func (a *App) Work(o WorkOptions) (orchestrator.Mode, string, error) {
	var given []string
	for _, f := range [...]struct{ name, value string }{{"--request", o.Request}, {"--request-file", o.RequestFile}, {"--idea", o.Idea}, {"--idea-file", o.IdeaFile}} {
		if f.value != "" {
			given = append(given, f.name)
		}
	}
	if len(given) > 1 {
		return "", "", frame.Usage(fmt.Errorf("%s exclude each other", strings.Join(given, " and ")))
	}
	mode := orchestrator.ModeExisting
	switch {
	case o.Idea != "" || o.IdeaFile != "":
		mode = orchestrator.ModeIdea
	case o.Workers > 0:
		mode = orchestrator.ModeFixed
	}
	text := cmp.Or(strings.TrimSpace(o.Request), strings.TrimSpace(o.Idea))
	var err error
	switch file := cmp.Or(o.RequestFile, o.IdeaFile); file {
	case "":
	case "-":
		text, err = wizard.Read(a.Stdin)
	default:
		text, err = wizard.ReadFile(file)
	}
	return mode, text, err
}

// Confinement refuses what is no kind of confinement.
func (a *App) Confinement(v string) error {
	return a.Check(commandline.OneOf("confine", v, "auto", "bwrap", "landlock", "none"))
}

// shared refuses what is no folder in the project.
func (a *App) shared(paths []string) error {
	for _, p := range paths {
		if !filepath.IsLocal(p) || filepath.Clean(p) == "." {
			return a.Check(&commandline.Mistake{Flag: "share", Value: p, Want: "a folder relative to the project"})
		}
	}
	return nil
}

// SettingsFlags are the limits of a run.
func (a *App) SettingsFlags(s *orchestrator.Settings, unjudged, alone *bool) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "confine", Usage: "`KIND` of the workers' confinement: auto (the default), bwrap, landlock or none", Destination: &s.Confine, Validator: a.Confinement},
		a.CountFlag("attempts", "at most `N` attempts per task", 20, &s.Attempts),
		a.spanFlag("task-timeout", "`TIME` of one attempt", false, &s.TaskTimeout),
		a.spanFlag("stall", "end an attempt after this `TIME` without a sign of life; 0: never", true, &s.Stall),
		a.spanFlag("check-timeout", "`TIME` of one acceptance command", false, &s.CheckTimeout),
		a.CountFlag("max-turns", "at most `N` turns of the model per attempt", 10_000, &s.MaxTurns),
		&cli.StringFlag{Name: "token-cap", Usage: "stop when all workers together have used `N` tokens", Validator: func(v string) (err error) {
			s.TokenCap, err = commandline.Number("token-cap", v, 1, math.MaxInt64)
			return a.Check(err)
		}},
		&cli.StringFlag{Name: "money-cap", Usage: "stop when all workers together have cost `USD`", Validator: func(v string) (err error) {
			if s.MoneyCap, err = strconv.ParseFloat(v, 64); err != nil || !(s.MoneyCap > 0) || math.IsInf(s.MoneyCap, 0) {
				return a.Check(&commandline.Mistake{Flag: "money-cap", Value: v, Want: "an amount in USD"})
			}
			return nil
		}},
		&cli.StringFlag{Name: "test", Usage: "run `CMD` on every merged tree, in the project's folder", Destination: &s.Test},
		&cli.StringSliceFlag{Name: "protect", Usage: "files of this `GLOB` stand as at the start while a command checks; may be repeated", Destination: &s.Protect},
		&cli.BoolFlag{Name: "no-judge", Usage: "the judge does not look at what workers did", Destination: unjudged},
		&cli.BoolFlag{Name: "no-cross-region", Usage: "workers cannot ask other regions or request changes there", Destination: alone},
		&cli.StringSliceFlag{Name: "expose", Usage: "workers and checks may also read `DIR`, a toolchain for instance; may be repeated", Destination: &s.Expose},
		&cli.StringSliceFlag{Name: "share", Usage: "workers and checks may also read the ignored folder `PATH` of the project; may be repeated", Destination: &s.Share, Validator: a.shared},
		&cli.StringFlag{Name: "client", Usage: "the claude program at `PATH`; default: the one on PATH", Destination: &s.Client},
	}
}
