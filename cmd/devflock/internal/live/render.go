package live

import (
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/orchestrator"
)

// Look is the screen that a model is drawn for.
type Look struct {
	Width, Height int  // in cells; 0 = no limit
	Colours       bool // the terminal's own sixteen
}

// Escape sequences of the terminal's own colours.
const (
	bold, red, green, yellow, dim, reset = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
)

func (l Look) paint(style, s string) string {
	if !l.Colours || style == "" || s == "" {
		return s
	}
	return style + s + reset
}

// Draw gives the lines of the table at a moment. It never gives more lines than the screen has, the workers that have ended go first.
func (m *Model) Draw(look Look, now time.Time) []string {
	head := m.head(look, now)
	foot := m.foot(look)
	workers := m.Workers
	room := len(workers)
	if look.Height > 0 {
		room = max(look.Height-len(head)-len(foot)-2, 1) // the table's header and the cursor's line
	}
	hidden := 0
	if len(workers) > room {
		room = max(room-1, 1)
		workers = busiest(workers, room)
		hidden = len(m.Workers) - len(workers)
	}
	lines := append(head, m.table(workers, look, now)...)
	if hidden > 0 {
		lines = append(lines, "… and "+grid.Plural(hidden, "more worker"))
	}
	lines = append(lines, foot...)
	if look.Height > 1 && len(lines) > look.Height-1 {
		lines = lines[:look.Height-1]
	}
	return lines
}

// busiest keeps the order and leaves out who has ended, then who is idle.
func busiest(workers []Worker, room int) []Worker {
	kept := append([]Worker(nil), workers...)
	for _, state := range [...]string{"ended", "idle", "waits"} {
		for i := len(kept) - 1; i >= 0 && len(kept) > room; i-- {
			if kept[i].State == state {
				kept = append(kept[:i], kept[i+1:]...)
			}
		}
	}
	return kept[:min(room, len(kept))]
}

// head is the line about the run and the bar of its tasks.
func (m *Model) head(look Look, now time.Time) []string {
	done, failed, blocked, _ := m.Counts()
	gone := now.Sub(m.since)
	parts := []string{"Run " + string(m.Run.ID), string(m.Run.State)}
	switch {
	case m.Run.State.Over() && !m.Run.EndedAt.IsZero():
		parts = append(parts, grid.Span(m.Run.EndedAt.Sub(m.Run.CreatedAt)))
	case gone > 0: // otherwise somebody has just come to look
		parts = append(parts, grid.Span(gone))
	}
	if eta, ok := m.ETA(now); ok {
		parts = append(parts, "about "+grid.Span(eta)+" left")
	}
	lines := []string{look.paint(bold, grid.Cut(strings.Join(parts, " · "), cells(look)))}
	figures := []string{bar(done, failed+blocked, len(m.Tasks), look) + " " + strconv.Itoa(done) + "/" + strconv.Itoa(len(m.Tasks)) + " tasks"}
	if failed > 0 {
		figures = append(figures, strconv.Itoa(failed)+" failed")
	}
	if blocked > 0 {
		figures = append(figures, strconv.Itoa(blocked)+" blocked")
	}
	figures = append(figures, grid.Short(m.Tokens())+" tokens")
	if limit := m.Run.Settings.TokenCap; limit > 0 {
		figures[len(figures)-1] += " of " + grid.Short(limit)
	}
	if m.Priced {
		figures = append(figures, "$"+grid.Dollars(m.CostUSD))
		if limit := m.Run.Settings.MoneyCap; limit > 0 {
			figures[len(figures)-1] += " of $" + grid.Dollars(limit)
		}
	}
	return append(lines, grid.Cut(strings.Join(figures, " · "), cells(look)), "")
}

// cells is the width of the screen, or one that no line reaches.
func cells(look Look) int {
	if look.Width == 0 {
		return 1 << 20
	}
	return look.Width
}

// Widths of the tasks' bar, in cells.
const barWidth, barNarrow = 20, 10

func bar(done, lost, all int, look Look) string {
	width := barWidth
	if narrow(look) {
		width = barNarrow
	}
	d, l := done*width/max(all, 1), lost*width/max(all, 1)
	return "[" + strings.Repeat("#", d) + strings.Repeat("x", l) + strings.Repeat(".", width-d-l) + "]"
}

// wide is from how many cells on all columns of the table fit.
const wide = 100

func narrow(look Look) bool { return look.Width > 0 && look.Width < wide }

// table is the workers' table. The columns that matter least go first on a narrow screen.
func (m *Model) table(workers []Worker, look Look, now time.Time) []string {
	narrow := narrow(look)
	header := []string{"*Region", "*Endpoint", "*Task", "State", ">Try", ">Tokens", ">Context", ">Since", "*Last"}
	if narrow {
		header = []string{"*Region", "*Task", "State", ">Try", ">Tokens", ">Ctx", "*Last"}
	}
	g := grid.New(header...)
	for _, w := range workers {
		try := ""
		if w.Attempt > 0 {
			try = strconv.Itoa(w.Attempt)
		}
		since := ""
		if !w.LastAt.IsZero() {
			since = grid.Span(now.Sub(w.LastAt))
		}
		context := ""
		if w.Context > 0 {
			context = grid.Short(w.Context)
		}
		if narrow {
			g.Row(w.Region, w.Task, w.State, try, grid.Short(w.Tokens), context, w.Last)
			continue
		}
		g.Row(w.Region, w.Endpoint, w.Task, w.State, try, grid.Short(w.Tokens), context, since, w.Last)
	}
	lines := g.Lines(look.Width)
	lines[0] = look.paint(dim, lines[0])
	for i, w := range workers {
		lines[i+1] = look.paint(colourOf(w.State), lines[i+1])
	}
	return lines
}

func colourOf(state string) string {
	switch state {
	case "retries", "waits", "parked":
		return yellow
	case "lands":
		return green
	case "ended", "idle":
		return dim
	}
	return ""
}

// maxLost is how many failed tasks the table names.
const maxLost = 3

// foot is the endpoints that do not do well, what failed, and the newest note.
func (m *Model) foot(look Look) []string {
	var lines []string
	var well []string
	for _, e := range m.Endpoints {
		if e.Health == HealthOK || e.Health == "" {
			well = append(well, grid.Clean(e.Name))
		}
	}
	lines = append(lines, "")
	if len(well) > 0 {
		lines = append(lines, grid.Cut("Endpoints ok: "+strings.Join(well, ", "), cells(look)))
	}
	for _, e := range m.Endpoints {
		if e.Health != HealthOK && e.Health != "" {
			style := yellow
			if e.Health == HealthDown {
				style = red
			}
			lines = append(lines, look.paint(style, grid.Cut("Endpoint "+grid.Clean(e.Name)+" "+e.Health+": "+grid.Clean(e.Text), cells(look))))
		}
	}
	lost := 0
	for _, t := range m.Tasks {
		if t.State != orchestrator.TaskFailed {
			continue
		}
		if lost++; lost <= maxLost {
			lines = append(lines, look.paint(red, grid.Cut("Failed "+grid.Clean(t.ID)+": "+grid.Clean(t.Reason), cells(look))))
		}
	}
	if lost > maxLost {
		lines = append(lines, "… and "+strconv.Itoa(lost-maxLost)+" more failed")
	}
	if m.Note != "" {
		lines = append(lines, grid.Cut("Note: "+grid.Clean(m.Note), cells(look)))
	}
	return lines
}

// Line is an event as one plain line of a stable format: "15:04:05 kind region/task#attempt text". "" for what is no line of its own.
func Line(e Event) string {
	if e.Kind == Usage || e.Kind == Ended {
		return ""
	}
	parts := []string{e.At.Format(time.TimeOnly), string(e.Kind)}
	who := grid.Clean(e.Region)
	if e.Task != "" {
		if who != "" {
			who += "/"
		}
		who += grid.Clean(e.Task)
		if e.Attempt > 0 {
			who += "#" + strconv.Itoa(e.Attempt)
		}
	}
	if e.Endpoint != "" && e.Kind == Health {
		who = grid.Clean(e.Endpoint)
	}
	if who == "" {
		who = "-"
	}
	parts = append(parts, who)
	if e.Health != "" {
		parts = append(parts, e.Health)
	}
	if text := grid.Clean(e.Text); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
