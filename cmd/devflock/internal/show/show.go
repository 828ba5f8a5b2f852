// Package show writes plans, packings, probes and the ends of runs as text for people.
//
// It owns no table. Everything that a model, an endpoint or a repository said is cleaned before it is written.
package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/live"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/pack"
)

// Widths of running text, in cells: on a wide screen, and where there is no screen.
const maxText, noScreen = 100, 80

// lines writes one line after the other.
func lines(w io.Writer, list ...string) error {
	_, err := io.WriteString(w, strings.Join(list, "\n")+"\n")
	return err
}

// textWidth is how wide running text may be.
func textWidth(width int) int {
	if width <= 0 {
		return noScreen
	}
	return min(width, maxText)
}

// Plan writes the modules and tasks of a plan, and what to look at in its acceptance commands.
func Plan(w io.Writer, p orchestrator.Plan, flags []engine.Flag, width int) error {
	var out []string
	if text := grid.Clean(p.Summary); text != "" {
		out = append(out, grid.Wrap(text, textWidth(width))...)
		out = append(out, "")
	}
	modules := grid.New("*Module", "*Folder", ">Weight", ">Tasks", "*Depends on")
	for _, m := range p.Modules {
		n := 0
		for _, t := range p.Tasks {
			if t.Module == m.Name {
				n++
			}
		}
		modules.Row(m.Name, m.Path, grid.Number(m.Weight), strconv.Itoa(n), strings.Join(m.DependsOn, ", "))
	}
	out = append(append(out, modules.Lines(width)...), "")
	tasks := grid.New("*Task", "*Module", "*After", "*Accepted when this passes")
	for _, t := range p.Tasks {
		command := t.Acceptance
		if t.Network {
			command = "[network] " + command
		}
		tasks.Row(t.ID, t.Module, strings.Join(t.DependsOn, ", "), command)
	}
	out = append(out, tasks.Lines(width)...)
	if len(flags) > 0 {
		out = append(out, "", "Look at these acceptance commands:")
		for _, f := range flags {
			for i, line := range grid.Wrap(grid.Clean(f.Task)+": "+grid.Clean(f.Reason), textWidth(width)-4) {
				out = append(out, [2]string{"  ! ", "    "}[min(i, 1)]+line)
			}
		}
	}
	return lines(w, out...)
}

// curveWidth is that of the longest bar, in cells.
const curveWidth = 30

// Curve writes how long the work takes with 1, 2, … workers.
func Curve(w io.Writer, a pack.Advice) error {
	longest := 0.0
	for _, p := range a.Curve {
		longest = max(longest, p.Makespan)
	}
	out := []string{"Workers  Makespan (in units of weight)"}
	for _, p := range a.Curve {
		bar := 0
		if longest > 0 {
			bar = max(int(p.Makespan/longest*curveWidth+0.5), 1)
		}
		mark := ""
		if p.N == a.N {
			mark = "  recommended"
		}
		out = append(out, fmt.Sprintf("%7d  %8s  %s%s", p.N, grid.Number(p.Makespan), strings.Repeat("#", bar), mark))
	}
	out = append(out, fmt.Sprintf("At most %s could be worked on at once, if each had a worker of its own.", grid.Plural(a.Width, "task")))
	return lines(w, out...)
}

// Assignment writes which worker owns what.
func Assignment(w io.Writer, p orchestrator.Plan, regions []orchestrator.Region, assign map[string]string, width int) error {
	header := []string{"*Worker", "*Modules", "*Folders", ">Weight", ">Tasks"}
	if assign != nil {
		header = append(header, "*Endpoint")
	}
	g := grid.New(header...)
	for _, r := range regions {
		var names []string
		weight, tasks := 0.0, 0
		for _, m := range r.Modules {
			names = append(names, m.Name)
			weight += m.Weight
			for _, t := range p.Tasks {
				if t.Module == m.Name {
					tasks++
				}
			}
		}
		g.Row(r.Name, strings.Join(names, ", "), strings.Join(r.Paths(), ", "), grid.Number(weight), strconv.Itoa(tasks), assign[r.Name])
	}
	return g.Write(w, width)
}

// checkIndent is where the detail of a probe's line begins.
const checkIndent = 20

// Check writes one line of a probe and what to do about it.
func Check(w io.Writer, c engine.Check, width int) error {
	prefix := fmt.Sprintf("%-4s  %-12s", grid.Clean(c.Level), grid.Clean(c.Check))
	prefix += strings.Repeat(" ", max(checkIndent-grid.Width(prefix), 1))
	text := grid.Wrap(grid.Clean(c.Detail), max(textWidth(width)-checkIndent, 20))
	if c.Advice != "" {
		text = append(text, grid.Wrap("→ "+grid.Clean(c.Advice), max(textWidth(width)-checkIndent, 20))...)
	}
	for i := range text {
		text[i] = strings.TrimRight(prefix+text[i], " ")
		prefix = strings.Repeat(" ", checkIndent)
	}
	return lines(w, text...)
}

// Summary writes how a run has ended and what comes next.
func Summary(w io.Writer, s live.Summary, width int) error {
	width = textWidth(width)
	head := fmt.Sprintf("Run %s: %s", s.Run, outcome(s))
	out := grid.Wrap(grid.Clean(head), width)
	if s.Reason != "" {
		out = append(out, grid.Wrap("Reason: "+grid.Clean(s.Reason), width)...)
	}
	figures := fmt.Sprintf("Tasks: %d of %d integrated", s.Done, s.Tasks)
	for _, part := range [...]struct {
		n    int
		word string
	}{{s.Failed, "failed"}, {s.Blocked, "blocked"}, {s.Open, "open"}} {
		if part.n > 0 {
			figures += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	figures += fmt.Sprintf(" (%s)", grid.Plural(s.Attempts, "attempt"))
	u := s.Usage
	out = append(out, figures)
	out = append(out, grid.Wrap(fmt.Sprintf("Tokens: %s in %s (%s in, %s out, %s cache read, %s cache written)", grid.Count(u.Tokens()), grid.Plural(int(u.Requests), "request"), grid.Count(u.Input), grid.Count(u.Output), grid.Count(u.CacheRead), grid.Count(u.CacheWrite)), width)...)
	if s.Priced {
		out = append(out, "Cost: $"+grid.Dollars(s.CostUSD))
	} else {
		out = append(out, "Cost: not known, the endpoints have no prices")
	}
	if len(s.Missing) > 0 {
		out = append(out, "", "Not integrated:")
		for _, m := range s.Missing {
			for i, line := range grid.Wrap(fmt.Sprintf("%s (%s) %s: %s", grid.Clean(m.Task), grid.Clean(m.Region), m.State, cmp.Or(grid.Clean(m.Reason), "no reason was kept")), width-4) {
				out = append(out, [2]string{"  - ", "    "}[min(i, 1)]+line)
			}
		}
	}
	out = append(out, "")
	if s.Branch != "" && s.Done > 0 {
		out = append(out, "Branch: "+grid.Clean(s.Branch))
	}
	out = append(out, "Next:")
	for _, next := range Next(s) {
		out = append(out, "  "+next)
	}
	return lines(w, out...)
}

func outcome(s live.Summary) string {
	switch s.State {
	case orchestrator.RunDone:
		return "done, every task is integrated"
	case orchestrator.RunFailed:
		return "ended, but not everything is integrated"
	case orchestrator.RunStopped:
		return "stopped, it can go on"
	case orchestrator.RunRunning:
		return "not ended yet"
	}
	return string(s.State)
}

// Next lists the commands that help now.
func Next(s live.Summary) []string {
	var list []string
	if s.State == orchestrator.RunStopped || s.State == orchestrator.RunRunning || s.State == orchestrator.RunReady {
		list = append(list, Resume(s))
	}
	if s.Done > 0 && s.Branch != "" {
		from := cmp.Or(s.Base, "HEAD")
		if len(from) > 12 {
			from = from[:12]
		}
		list = append(list, "git diff "+from+"..."+grid.Clean(s.Branch), "git merge "+grid.Clean(s.Branch))
	}
	if len(s.Missing) > 0 {
		list = append(list, "devflock logs "+string(s.Run)+" --task "+grid.Clean(s.Missing[0].Task))
	}
	if s.State.Over() {
		list = append(list, "devflock clean "+string(s.Run))
	}
	if len(list) == 0 {
		list = append(list, "devflock status "+string(s.Run))
	}
	return list
}

// Resume is the command with which a run goes on: one that stopped at a cap needs a higher one.
func Resume(s live.Summary) string {
	command := "devflock resume " + string(s.Run)
	switch {
	case !strings.HasPrefix(s.Reason, "the cap of "):
	case strings.HasPrefix(s.Reason, "the cap of $"):
		command += " --money-cap USD"
	default:
		command += " --token-cap N"
	}
	return command
}

// Runs lists runs.
func Runs(w io.Writer, runs []orchestrator.Run, now time.Time, width int) error {
	if len(runs) == 0 {
		return lines(w, "No runs yet.")
	}
	g := grid.New("Run", "State", ">Tasks", "Started", "*Project", "*Request")
	for _, r := range runs {
		g.Row(string(r.ID), string(r.State), strconv.Itoa(len(r.Plan.Tasks)), Clock(r.CreatedAt, now), r.Project, r.Request)
	}
	return g.Write(w, width)
}

// Clock writes a moment in the reader's zone: "11-30 14:16", another year's as "2025-11-30".
func Clock(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Year() != now.Year() {
		return t.Format(time.DateOnly)
	}
	return t.Format("01-02 15:04")
}

// Tasks lists the tasks of a run with what became of them.
func Tasks(w io.Writer, tasks []orchestrator.TaskRow, width int) error {
	g := grid.New("*Task", "*Region", "State", ">Tries", "Commit", "*Reason")
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b orchestrator.TaskRow) int { return a.Seq - b.Seq })
	for _, t := range tasks {
		g.Row(t.ID, t.Region, string(t.State), strconv.Itoa(t.Attempts), t.Commit[:min(len(t.Commit), 10)], t.Reason)
	}
	return g.Write(w, width)
}

// Notes writes remarks about a project, one a line.
func Notes(w io.Writer, notes []string, width int) error {
	for _, n := range notes {
		for i, line := range grid.Wrap(grid.Clean(n), textWidth(width)-2) {
			if err := lines(w, [2]string{"! ", "  "}[min(i, 1)]+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Folder says where the files of a run are and how large they are.
func Folder(dir string, bytes int64) string {
	return "Files: " + grid.Clean(dir) + " (" + grid.Size(bytes) + ")"
}

// Removed writes what cleaning has done, or would do.
func Removed(w io.Writer, list []engine.Removed, dry bool, width int) error {
	if len(list) == 0 {
		return lines(w, "Nothing to clean.")
	}
	g := grid.New("Run", "State", ">Size", "*Left")
	total := int64(0)
	for _, r := range list {
		g.Row(string(r.Run), r.State, grid.Size(r.Bytes), r.Left)
		if r.Left == "" {
			total += r.Bytes
		}
	}
	if err := g.Write(w, width); err != nil {
		return err
	}
	verb := "Freed"
	if dry {
		verb = "Would free"
	}
	return lines(w, verb+" "+grid.Size(total)+".")
}
