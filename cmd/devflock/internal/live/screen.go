package live

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime lies between two looks at the clock: durations on the screen move by themselves.
const frameTime = 500 * time.Millisecond

// pollTime lies between two questions to the driver.
const pollTime = time.Second

// Screen draws a model in place on a terminal until the events end.
type Screen struct {
	In        *os.File // the terminal: Ctrl-C comes from here while the screen is on
	Out       io.Writer
	Environ   []string // for the colours of the terminal; NO_COLOR is honoured
	Colours   bool
	Now       func() time.Time
	Interrupt func()                  // Ctrl-C: called every time
	Poll      func() (Snapshot, bool) // what the driver knows now; false = it does not answer. nil = nobody is asked
}

// Show draws the model, takes the events into it, and returns when they end or the context does. The last picture stays on the screen.
// A terminal that goes away does not end it before the events do.
func (s *Screen) Show(ctx context.Context, m *Model, events <-chan Event) error {
	p := tea.NewProgram(&picture{model: m, screen: s, last: s.Now()}, tea.WithContext(ctx), tea.WithInput(s.In), tea.WithOutput(s.Out), tea.WithEnvironment(s.Environ), tea.WithoutSignalHandler())
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for e := range events {
			p.Send(eventMsg(e))
		}
		p.Send(endMsg{})
	}()
	_, err := p.Run()
	select {
	case <-drained: // Send does not block once the program has ended
		return err
	case <-ctx.Done():
		return nil
	}
}

type (
	eventMsg Event
	endMsg   struct{}
	tickMsg  time.Time
	snapMsg  struct {
		Snapshot
		ok bool
	}
)

// picture is the model as bubbletea wants it.
type picture struct {
	model  *Model
	screen *Screen
	size   Look
	last   time.Time
	note   string // what Ctrl-C has done
}

func tick() tea.Cmd { return tea.Tick(frameTime, func(t time.Time) tea.Msg { return tickMsg(t) }) }

// poll asks the driver once.
func (p *picture) poll() tea.Cmd {
	if p.screen.Poll == nil {
		return nil
	}
	return tea.Tick(pollTime, func(time.Time) tea.Msg {
		s, ok := p.screen.Poll()
		return snapMsg{s, ok}
	})
}

// Init starts the clock.
func (p *picture) Init() tea.Cmd { return tea.Batch(tick(), p.poll()) }

// Update takes what has happened.
func (p *picture) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.size.Width, p.size.Height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			p.screen.Interrupt()
			if p.note == "" {
				p.note = "Stopping; the run can go on later. Ctrl-C again ends it at once."
			} else {
				p.note = "Ending at once."
			}
		}
	case tickMsg:
		p.last = p.screen.Now()
		return p, tick()
	case snapMsg:
		if msg.ok {
			p.model.Merge(msg.Snapshot, p.screen.Now())
		}
		return p, p.poll()
	case eventMsg:
		p.model.Apply(Event(msg))
	case endMsg:
		p.last = p.screen.Now()
		return p, tea.Quit
	}
	return p, nil
}

// View draws.
func (p *picture) View() tea.View {
	look := Look{Width: p.size.Width, Height: p.size.Height, Colours: p.screen.Colours}
	if look.Height > 0 {
		look.Height-- // the note's line
	}
	lines := p.model.Draw(look, p.last)
	if p.note != "" {
		lines = append(lines, p.note)
	}
	return tea.NewView(strings.Join(lines, "\n") + "\n")
}
