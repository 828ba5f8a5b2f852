// Package ask puts questions to a person at a terminal: with huh's forms, or, for screen readers and terminals that cannot move
// the cursor, as plain lines.
//
// It owns no table. Every question ends with ErrAborted when the person leaves (Ctrl-C, end of input) and with the context's cause
// when that ends; no question is ever answered by its default because nobody was there.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"charm.land/huh/v2"

	tea "charm.land/bubbletea/v2"
)

// ErrAborted says that the person left.
var ErrAborted = errors.New("left by the user")

// Asker asks one question at a time.
type Asker struct {
	In      *os.File // a terminal
	Out     io.Writer
	Environ []string // for the colours of the terminal; NO_COLOR is honoured
	Plain   bool     // plain lines, no colours
	Width   int      // of the terminal, in cells

	input *lines // of plain questions
}

// Question is what every question has.
type Question struct {
	Title string
	Help  string // a sentence or some, shown below the title
}

// Line asks for one line of text; an empty one is fallback. check sees what was typed.
func (a *Asker) Line(ctx context.Context, q Question, fallback string, check func(string) error) (string, error) {
	var text string
	input := huh.NewInput().Title(a.title(q.Title, fallback)).Description(q.Help).Placeholder(fallback).Value(&text).Validate(func(s string) error {
		if strings.TrimSpace(s) == "" && fallback != "" || check == nil {
			return nil
		}
		return check(strings.TrimSpace(s))
	})
	if err := a.run(ctx, q, input); err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		return fallback, nil
	}
	return text, nil
}

// Hidden asks for a text that is not shown; empty is an answer.
func (a *Asker) Hidden(ctx context.Context, q Question, check func(string) error) (string, error) {
	var text string
	input := huh.NewInput().Title(a.title(q.Title, "")).Description(q.Help).EchoMode(huh.EchoModePassword).Value(&text).Validate(func(s string) error {
		if s = strings.TrimSpace(s); s == "" || check == nil {
			return nil
		}
		return check(s)
	})
	if err := a.run(ctx, q, input); err != nil {
		return "", err
	}
	return strings.TrimSpace(text), nil
}

// Text asks for a text of several lines, one line in plain mode. Ctrl-E opens the person's editor.
func (a *Asker) Text(ctx context.Context, q Question, check func(string) error) (string, error) {
	var text string
	input := huh.NewText().Title(a.title(q.Title, "")).Description(q.Help).Lines(4).CharLimit(0).Value(&text).Validate(func(s string) error {
		if check == nil {
			return nil
		}
		return check(strings.TrimSpace(s))
	})
	err := a.run(ctx, q, input)
	return strings.TrimSpace(text), err
}

// Number asks for a whole number from low to high.
func (a *Asker) Number(ctx context.Context, q Question, fallback, low, high int) (int, error) {
	text, err := a.Line(ctx, q, strconv.Itoa(fallback), func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < low || n > high {
			if low == high {
				return fmt.Errorf("only %d is possible", low)
			}
			return fmt.Errorf("want a whole number from %d to %d", low, high)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// Option is one of several answers.
type Option struct{ Key, Text string }

// Choose asks for one of several; chosen is the one that Enter takes.
func (a *Asker) Choose(ctx context.Context, q Question, chosen string, options ...Option) (string, error) {
	list := make([]huh.Option[string], len(options))
	for i, o := range options {
		list[i] = huh.NewOption(o.Text, o.Key)
	}
	answer := chosen
	title := q.Title
	if i := slices.IndexFunc(options, func(o Option) bool { return o.Key == chosen }); a.Plain && i >= 0 {
		title += " [" + strconv.Itoa(i+1) + "]"
	}
	err := a.run(ctx, q, huh.NewSelect[string]().Title(title).Description(q.Help).Options(list...).Value(&answer))
	return answer, err
}

// Confirm asks yes or no.
func (a *Asker) Confirm(ctx context.Context, q Question, yes bool) (bool, error) {
	answer := yes
	err := a.run(ctx, q, huh.NewConfirm().Title(q.Title).Description(q.Help).Affirmative("Yes").Negative("No").WithButtonAlignment(0).Value(&answer))
	return answer, err
}

// title adds what a plain line has no other place for.
func (a *Asker) title(title, fallback string) string {
	switch {
	case !a.Plain:
		return title
	case fallback != "":
		return title + " [" + fallback + "]:"
	}
	return title + ":"
}

// run puts one field on the screen and waits for its answer.
func (a *Asker) run(ctx context.Context, q Question, field huh.Field) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.Plain {
		return a.runPlain(ctx, q, field)
	}
	form := huh.NewForm(huh.NewGroup(field)).WithInput(a.In).WithOutput(a.Out).WithTheme(huh.ThemeFunc(theme)).WithShowHelp(true).WithWidth(a.Width)
	keys := huh.NewDefaultKeyMap()
	keys.Select.Filter.SetEnabled(false) // the lists are short
	form = form.WithKeyMap(keys).WithProgramOptions(tea.WithInput(a.In), tea.WithOutput(a.Out), tea.WithEnvironment(a.Environ), tea.WithoutSignalHandler())
	switch err := form.RunWithContext(ctx); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, huh.ErrUserAborted):
		return ErrAborted
	case err != nil:
		return fmt.Errorf("ask %q: %w", q.Title, err)
	}
	if form.State != huh.StateCompleted { // the terminal went away
		return ErrAborted
	}
	return nil
}
