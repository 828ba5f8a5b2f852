package table

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/telemetry/report"
)

// Every function takes now in the reader's zone: its location is where times are shown.

// Recent writes the newest tasks. TOKENS are their work tokens.
func Recent(w io.Writer, rows []report.TaskRow, now time.Time) error {
	if len(rows) == 0 {
		return say(w, "No task has been recorded yet.")
	}
	g := newGrid("TASK", "TIME", "CATEGORY", ">TOKENS", ">COST USD", "OVERSIGHT", "VERDICT")
	for _, r := range rows {
		g.row(taskName(r.TaskID), clockOf(r.Timestamp, now), textOr(r.Category, 9), countOr(r.WorkTokens),
			dollarsOr(r.CostUSD), textOr(r.Oversight, 12), verdictOr(r.Verdict))
	}
	return g.write(w)
}

// Tier1 writes the four numbers with what they mean.
func Tier1(w io.Writer, t report.Tier1) error {
	g := newGrid("TIER 1 OVER "+strings.ToUpper(days(t.Days)), ">VALUE", ">N", "OF")
	g.row("pass rate", percent(t.PassRate.Value), count(t.PassRate.N), "judged tasks")
	g.row("understand ratio", decimalsOr(t.UnderstandRatio.Value, 2), count(t.UnderstandRatio.N), "edited tasks; tokens before the first edit / after, median")
	g.row("correction iterations", decimalsOr(t.CorrectionIterations.Value, 2), count(t.CorrectionIterations.N), "passed tasks; FAILs before the PASS, mean")
	g.row("reflection efficiency", percent(t.ReflectionEfficiency.Value), count(t.ReflectionEfficiency.N), "tasks with a reflection; next verdict PASS")
	return g.write(w)
}

// Anxiety writes tasks that read much before they acted.
func Anxiety(w io.Writer, rows []report.AnxietyRow, threshold int64, now time.Time) error {
	if len(rows) == 0 {
		return say(w, "No task spent more than "+count(threshold)+" work tokens before its first edit.")
	}
	if err := say(w, "Tasks with more than "+count(threshold)+" work tokens before their first edit"); err != nil {
		return err
	}
	composite := rows[0].Composite != nil
	header := []string{"TASK", "TIME", "MODEL", ">TOKENS BEFORE", ">OF WINDOW"}
	if composite {
		header = append(header, ">READS", ">RATIO", ">SCORE", "LEVEL")
	}
	g := newGrid(header...)
	for _, r := range rows {
		cells := []string{taskName(r.TaskID), clockOf(r.Timestamp, now), textOr(r.Model, 20), count(r.FirstActionTokens), percent(r.Score)}
		if composite {
			reads := unknown
			if r.ReadsBefore != nil {
				reads = count(*r.ReadsBefore)
			}
			cells = append(cells, reads, decimalsOr(r.ReadRatio, 2), decimalsOr(r.Composite, 2), r.Level)
		}
		g.row(cells...)
	}
	return g.write(w)
}

// Stats writes one block of sums, or one row per model when there are several.
func Stats(w io.Writer, rows []report.StatsRow, byModel bool, span int) error {
	if len(rows) == 0 {
		return say(w, "No task was recorded in "+days(span)+".")
	}
	if byModel {
		g := newGrid("MODEL", ">TASKS", ">WORK TOKENS", ">CACHE READ", ">COST USD", ">PASS", ">WARN", ">FAIL", ">OTHER")
		for _, r := range rows {
			model := unknown
			if r.Model != nil {
				model = cut(*r.Model, 26)
			}
			g.row(model, count(r.Tasks), countOr(r.WorkTokens), countOr(r.CacheRead), cost(r.CostUSD, r.CostUnknown+r.Uncounted), count(r.Pass), count(r.Warn),
				count(r.Fail), count(r.NotJudged+r.Unjudged))
		}
		if err := g.write(w); err != nil {
			return err
		}
		return costNote(w, rows)
	}
	r := rows[0]
	g := newGrid("OVER "+strings.ToUpper(days(span)), "VALUE")
	g.row("tasks", fmt.Sprintf("%s in %s", count(r.Tasks), plural(r.Sessions, "session")))
	g.row("verdicts", fmt.Sprintf("%s pass, %s warn, %s fail, %s could not judge, %s without", count(r.Pass), count(r.Warn), count(r.Fail), count(r.NotJudged), count(r.Unjudged)))
	g.row("oversight", fmt.Sprintf("%s vibe, %s standard, %s strict, %s human review", count(r.Vibe), count(r.Standard), count(r.Strict), count(r.HumanReview)))
	g.row("work tokens", countOr(r.WorkTokens))
	if r.Input != nil {
		g.row("tokens", fmt.Sprintf("%s input, %s output, %s cache read, %s cache write", countOr(r.Input), countOr(r.Output), countOr(r.CacheRead), countOr(r.CacheCreation)))
	}
	g.row("cost USD", cost(r.CostUSD, r.CostUnknown+r.Uncounted))
	mean := none
	if r.MeanSeconds != nil {
		mean = (time.Duration(*r.MeanSeconds) * time.Second).String()
	}
	g.row("mean task time", mean)
	g.row("tool calls", count(r.ToolCalls))
	g.row("compactions", count(r.Compactions))
	g.row("red test runs", count(r.TestRetries)+" before the first green one")
	if err := g.write(w); err != nil {
		return err
	}
	return costNote(w, rows)
}

// cost writes a sum that may lack some tasks.
func cost(usd *float64, missing int64) string {
	switch {
	case usd == nil:
		return unknown
	case missing > 0:
		return dollars(*usd) + "+"
	}
	return dollars(*usd)
}

func costNote(w io.Writer, rows []report.StatsRow) error {
	var priceless, uncounted int64
	for _, r := range rows {
		priceless += r.CostUnknown
		uncounted += r.Uncounted
	}
	return missingNote(w, priceless, uncounted)
}

// missingNote says what a sum lacks.
func missingNote(w io.Writer, priceless, uncounted int64) error {
	if priceless > 0 {
		if err := say(w, "+ and "+plural(priceless, "task")+" by a model without a known price: set [pricing] in config.toml"); err != nil {
			return err
		}
	}
	if uncounted == 0 {
		return nil
	}
	return say(w, "+ and "+plural(uncounted, "task")+" of which no reply was counted")
}

// Behavior writes what went round in circles.
func Behavior(w io.Writer, findings []report.Finding, total, span int, now time.Time) error {
	if len(findings) == 0 {
		return say(w, "Nothing went round in circles in "+days(span)+".")
	}
	g := newGrid("KIND", "SEVERITY", ">COUNT", "UNIT", "TASK", "LAST", "WHERE")
	units := map[string]string{report.Thrashing: "edits", report.ErrorLoop: "failures", report.RestartCluster: "sessions"}
	for _, f := range findings {
		task := "-"
		if f.TaskID != "" {
			task = taskName(f.TaskID)
		}
		g.row(f.Kind, f.Severity, count(f.Count), units[f.Kind], task, clock(f.LastMS, now), cutLeft(f.Where, 26))
	}
	if err := g.write(w); err != nil {
		return err
	}
	if total > len(findings) {
		return say(w, count(int64(total-len(findings)))+" more: raise --n")
	}
	return nil
}

// Health writes the hooks' times and what is wrong with them.
func Health(w io.Writer, h report.Health, now time.Time) error {
	last := "none before"
	if h.LastRunMS != nil {
		last = "the last at " + clock(*h.LastRunMS, now)
	}
	runs := plural(h.Runs, "hook run")
	if h.Truncated {
		runs = "the newest " + runs
	}
	if err := say(w, runs+" in "+days(h.Days)+", "+last); err != nil {
		return err
	}
	if len(h.Events) > 0 {
		g := newGrid("EVENT / MODULE", ">RUNS", ">P50 MS", ">P99 MS", ">ERRORS", ">ERROR RATE")
		for _, e := range h.Events {
			name := cut(e.Event, 30)
			if e.Module != "" {
				name = "  " + cut(e.Module, 28)
			}
			rate := e.ErrorRate
			g.row(name, count(e.Runs), decimals(e.P50, 2), decimals(e.P99, 2), count(e.Errors), percent(&rate))
		}
		if err := g.write(w); err != nil {
			return err
		}
	}
	for _, s := range h.Silent {
		if err := say(w, "silent: "+cut(s.SessionID, 36)+" since "+clock(s.LastHookMS, now)+", its transcript changed at "+clock(s.TranscriptMS, now)); err != nil {
			return err
		}
	}
	if len(h.Problems) == 0 {
		return say(w, "healthy")
	}
	for _, p := range h.Problems {
		if err := say(w, "problem: "+p); err != nil {
			return err
		}
	}
	return nil
}

// Weekly writes one row per week and the reasons of the newest.
func Weekly(w io.Writer, weeks []report.Week) error {
	if len(weeks) == 0 {
		return say(w, "No task was recorded in these weeks.")
	}
	g := newGrid("WEEK", "FROM", ">TASKS", ">HIGH RISK", ">PASS", ">WARN", ">FAIL", ">TDD", ">WORK TOKENS", ">COST USD")
	var priceless, uncounted int64
	for _, k := range weeks {
		priceless += k.CostUnknown
		uncounted += k.Uncounted
		g.row(k.Week, k.From, count(k.Tasks), count(k.HighRisk), count(k.Pass), count(k.Warn), count(k.Fail), percent(k.TDD.Value),
			countOr(k.WorkTokens), cost(k.CostUSD, k.CostUnknown+k.Uncounted))
	}
	if err := g.write(w); err != nil {
		return err
	}
	if err := missingNote(w, priceless, uncounted); err != nil {
		return err
	}
	if len(weeks[0].Reasons) == 0 {
		return nil
	}
	r := newGrid(">TASKS", "REASON IN "+weeks[0].Week)
	for _, c := range weeks[0].Reasons {
		r.row(count(c.Tasks), cut(c.Reason, 90))
	}
	if err := say(w, ""); err != nil {
		return err
	}
	return r.write(w)
}

func say(w io.Writer, line string) error {
	_, err := io.WriteString(w, line+"\n")
	return err
}
