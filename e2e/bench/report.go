package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints figures as they come and the ratios with their bounds at the end.
type report struct {
	out  io.Writer
	rows []string
}

func (r *report) title(format string, args ...any) {
	fmt.Fprintf(r.out, "\n"+format+"\n", args...)
}

// times prints one line per program.
func (r *report) times(programs ...*program) {
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\truns\tp10 ms\tp50 ms\tp99 ms\t")
	for _, p := range programs {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t\n", p.name, len(p.times), ms(p.quantile(0.1)), ms(p.quantile(0.5)), ms(p.quantile(0.99)))
	}
	w.Flush()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

// bound keeps one figure for the summary. Smaller is better.
func (r *report) bound(what string, got, bound, aim float64) {
	verdict := "within aim"
	switch {
	case got > bound:
		verdict = "OVER THE BOUND"
	case got > aim:
		verdict = "within bound"
	}
	r.rows = append(r.rows, fmt.Sprintf("%s\t%.3g\t≤ %.3g\t%.3g\t%s\t", what, got, bound, aim, verdict))
}

// count keeps a figure that must be an exact number.
func (r *report) count(what string, got, want int64) {
	verdict := "exact"
	if got != want {
		verdict = "WRONG"
	}
	r.rows = append(r.rows, fmt.Sprintf("%s\t%d\t= %d\t\t%s\t", what, got, want, verdict))
}

func (r *report) summary() {
	r.title("%s", strings.Repeat("─", 20))
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\tbound\taim\t\t")
	for _, row := range r.rows {
		fmt.Fprintln(w, row)
	}
	w.Flush()
}
