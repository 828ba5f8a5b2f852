// Package wizard leads a person from an address to a run: endpoint, probe, mode, repository, plan, number of workers, endpoints of
// the workers, and a last question before anything starts.
//
// It owns no table. Until the last question is answered it changes nothing but one thing, and asks before it does: a folder that is
// in no repository needs one. Keys are never shown.
package wizard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/ask"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// ErrLeft says that the person decided not to go on. Nothing was started.
var ErrLeft = errors.New("nothing was started")

// MaxWorkers is the most workers that a person can ask for.
const MaxWorkers = 64

// Wizard is one dialogue. The zero value of Settings is not usable, that of every function is not either.
type Wizard struct {
	Ask      *ask.Asker
	Out      io.Writer
	Engine   engine.Engine
	Getenv   func(string) string
	Dir      string // of the project
	Settings orchestrator.Settings
	Limit    int                              // workers that are recommended at most
	Waiting  func(what string) (done func())  // says that something takes long
	Say      func(format string, args ...any) // one line

	order engine.Order
}

// Run asks until everything is decided. The error is ask.ErrAborted or ErrLeft when the person left.
func (w *Wizard) Run(ctx context.Context) (engine.Order, error) {
	w.order.Settings, w.order.Assign = w.Settings, map[string]string{}
	project, err := w.Engine.Examine(ctx, w.Dir)
	if err != nil && !errors.Is(err, trees.ErrNoRepo) {
		return engine.Order{}, err // no answer could help: say it before the first question
	}
	w.order.Project = project
	for _, line := range grid.Wrap("devflock splits a project over several Claude Code workers. Nothing is started before the last question; Ctrl-C leaves.", max(min(w.width(), 100), 20)) {
		w.Say("%s", line)
	}
	for _, step := range [...]func(context.Context) error{w.manager, w.mode, w.repository, w.plan, w.workers, w.endpoints, w.confirm} {
		if err := step(ctx); err != nil {
			return engine.Order{}, err
		}
	}
	return w.order, nil
}

// width is that of the screen.
func (w *Wizard) width() int { return w.Ask.Width }

// manager asks for the endpoint that plans.
func (w *Wizard) manager(ctx context.Context) error {
	for {
		e, again, err := w.endpoint(ctx, ask.Question{Title: "Endpoint of the manager", Help: "URL, URL KEY or URL|KEY; a key may be $NAME, a variable of the environment"}, "manager", "")
		if err != nil {
			return err
		}
		if !again {
			w.order.Endpoints = []engine.Endpoint{e}
			w.said("Manager", engine.Shown(e)+model(e))
			return nil
		}
	}
}

func model(e engine.Endpoint) string {
	if e.Model == "" {
		return ""
	}
	return ", model " + grid.Clean(e.Model)
}

// said repeats an answer, because the question vanishes from the screen.
func (w *Wizard) said(what, answer string) {
	const indent, most = 13, 3
	lines := grid.Wrap(grid.Clean(answer), max(min(w.width(), 120)-indent, 20))
	if len(lines) > most {
		lines[most-1] += " …"
		lines = lines[:most]
	}
	for _, line := range lines {
		w.Say("%-12s %s", what, line)
		what = ""
	}
}

// mode asks what is to be done.
func (w *Wizard) mode(ctx context.Context) error {
	mode, err := w.Ask.Choose(ctx, ask.Question{Title: "What is to be done?"}, string(orchestrator.ModeExisting),
		ask.Option{Key: string(orchestrator.ModeFixed), Text: "Work in this project, I say how many workers"},
		ask.Option{Key: string(orchestrator.ModeExisting), Text: "Work in this project, the manager says how many workers"},
		ask.Option{Key: string(orchestrator.ModeIdea), Text: "Build something new from an idea"},
	)
	if err != nil {
		return err
	}
	w.order.Mode = orchestrator.Mode(mode)
	w.said("Mode", map[orchestrator.Mode]string{orchestrator.ModeFixed: "this project, a fixed number of workers", orchestrator.ModeExisting: "this project", orchestrator.ModeIdea: "something new from an idea"}[w.order.Mode])
	switch w.order.Mode {
	case orchestrator.ModeFixed:
		if w.Limit, err = w.Ask.Number(ctx, ask.Question{Title: "Number of workers"}, 2, 1, MaxWorkers); err != nil {
			return err
		}
		w.said("Workers", fmt.Sprint(w.Limit))
	case orchestrator.ModeIdea:
		return w.request(ctx, ask.Question{Title: "The idea", Help: "A text, or the path of a text file"}, "Idea", false)
	}
	return w.request(ctx, ask.Question{Title: "The work", Help: "A text, or the path of a text file; empty: document the interfaces of the modules and add missing tests"}, "Work", true)
}

// request asks for a text or a file.
func (w *Wizard) request(ctx context.Context, q ask.Question, label string, optional bool) error {
	answer, err := w.Ask.Text(ctx, q, func(s string) error {
		read, err := ReadText(s, w.Dir, w.Getenv("HOME"))
		if err == nil && read.Text == "" && !optional {
			err = errors.New("a sentence at least")
		}
		return err
	})
	if err != nil {
		return err
	}
	read, err := ReadText(answer, w.Dir, w.Getenv("HOME"))
	if err != nil {
		return err
	}
	w.order.Request = read.Text
	switch {
	case read.File != "":
		w.said(label, fmt.Sprintf("%s, from %s", grid.Plural(strings.Count(strings.TrimSpace(read.Text), "\n")+1, "line"), read.File))
	case read.Text == "":
		w.said(label, "document interfaces, add missing tests")
	default:
		w.said(label, read.Text)
	}
	return nil
}

// repository makes sure that there is one, and says what of the folder is not part of the run.
func (w *Wizard) repository(ctx context.Context) error {
	p, err := w.Engine.Examine(ctx, w.Dir)
	if errors.Is(err, trees.ErrNoRepo) {
		yes, err := w.Ask.Confirm(ctx, ask.Question{
			Title: "Make a git repository here?",
			Help:  w.Dir + " is in none. devflock works on commits: it would run git init and commit what is there, except what .gitignore names.",
		}, true)
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("a run needs a git repository: %w", ErrLeft)
		}
		if p, err = w.Engine.Init(ctx, w.Dir); err != nil {
			return err
		}
		w.said("Repository", "made in "+p.Top)
	} else if err != nil {
		return err
	}
	w.order.Project, w.order.Base = p, p.Head
	if err := show.Notes(w.Out, p.Notes, w.width()); err != nil {
		return err
	}
	if len(p.Dirty) == 0 {
		return nil
	}
	yes, err := w.Ask.Confirm(ctx, ask.Question{
		Title: fmt.Sprintf("Go on without the uncommitted changes in %s?", grid.Plural(len(p.Dirty), "file")),
		Help:  "Workers start from the last commit and do not see: " + some(p.Dirty) + ". The files stay as they are.",
	}, false)
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("commit your changes first: %w", ErrLeft)
	}
	w.said("Uncommitted", grid.Plural(len(p.Dirty), "file")+" not part of the run")
	return nil
}

// maxNamed is how many files a question names.
const maxNamed = 5

func some(paths []string) string {
	var names []string
	for _, p := range paths[:min(len(paths), maxNamed)] {
		names = append(names, grid.Clean(p))
	}
	if more := len(paths) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// confirm is the last question.
func (w *Wizard) confirm(ctx context.Context) error {
	o := w.order
	base := o.Base
	if base == "" {
		base = "nothing, the repository has no commit yet"
	}
	w.Say("")
	w.said("Project", o.Project.Dir)
	w.said("From", base[:min(len(base), 41)])
	w.said("Workers", fmt.Sprintf("%d, %s", len(o.Regions), confinement(o.Settings.Confine)))
	for _, e := range o.Endpoints {
		var who []string
		for _, r := range o.Regions {
			if o.Assign[r.Name] == e.Name {
				who = append(who, r.Name)
			}
		}
		if e.Name == o.Endpoints[0].Name {
			who = slices.Insert(who, 0, "the manager")
		}
		w.said("Endpoint", engine.Shown(e)+" for "+strings.Join(who, ", "))
	}
	w.said("Limits", limits(o.Settings))
	w.said("Your branch", "stays as it is; the result goes to devflock/integration")
	yes, err := w.Ask.Confirm(ctx, ask.Question{Title: "Start?"}, true)
	if err != nil {
		return err
	}
	if !yes {
		return ErrLeft
	}
	return nil
}

func confinement(kind string) string {
	switch kind {
	case "auto", "":
		return "confined by bubblewrap, otherwise by Landlock"
	case "none":
		return "NOT confined"
	}
	return "confined by " + kind
}

// limits says what bounds a run.
func limits(s orchestrator.Settings) string {
	parts := []string{grid.Plural(s.Attempts, "attempt") + " per task of " + grid.Span(s.TaskTimeout) + " each"}
	if s.TokenCap > 0 {
		parts = append(parts, grid.Count(s.TokenCap)+" tokens in all")
	}
	if s.MoneyCap > 0 {
		parts = append(parts, "$"+grid.Dollars(s.MoneyCap)+" in all")
	}
	if s.TokenCap == 0 && s.MoneyCap == 0 {
		parts = append(parts, "no cap on tokens or money")
	}
	return strings.Join(parts, ", ")
}
