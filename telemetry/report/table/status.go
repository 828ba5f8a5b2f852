package table

import (
	"io"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/telemetry/report"
)

// maxLines bounds the reasons and signals that Status lists.
const maxLines = 10

// Status writes where a project's newest task stands.
func Status(w io.Writer, s report.Status, now time.Time) error {
	b := &block{}
	if s.Halted {
		text := "nothing more is judged until a person resumes"
		if s.Resume != "" {
			text = "a person goes on by typing in the session: " + cut(s.Resume, 40)
		}
		b.line("HALTED", text)
	}
	b.line("Project", cutLeft(orDash(s.Project), 84))
	if s.TaskID == "" {
		b.line("Task", "none yet: devflow records one with the first prompt of a session")
	} else {
		b.task(s, now)
	}
	b.line("Hooks", hooksLine(s, now))
	if sp := s.Spool; sp.Files > 0 || sp.Bad > 0 {
		b.line("Spool", plural(int64(sp.Files), "file")+" with "+plural(sp.Bytes, "byte")+" wait to be stored, "+plural(int64(sp.Bad), "damaged file")+" set aside")
	}
	return b.write(w)
}

func hooksLine(s report.Status, now time.Time) string {
	if s.LastHookMS == nil {
		return "none has run yet: check the installation with `devflow doctor`"
	}
	return "last ran " + clock(*s.LastHookMS, now)
}

// block is a list of labelled lines; the label of a continued line is empty.
type block struct{ lines [][2]string }

func (b *block) line(label, text string) { b.lines = append(b.lines, [2]string{label, text}) }

func (b *block) write(w io.Writer) error {
	var out strings.Builder
	for _, l := range b.lines {
		out.WriteString(strings.TrimRight(l[0]+strings.Repeat(" ", max(12-len(l[0]), 1))+l[1], " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (b *block) task(s report.Status, now time.Time) {
	head := cut(s.TaskID, 48)
	if s.Category != "" {
		head += ", " + cut(s.Category, 12)
	}
	if s.Ended {
		head += ", ended"
	}
	b.line("Task", head)
	if s.Description != "" {
		b.line("", cut(s.Description, 84))
	}
	b.line("", "started "+clock(s.StartedMS, now)+", last change "+clock(s.UpdatedMS, now)+", "+plural(s.Edits, "edit"))
	if s.Oversight != nil && s.Risk != nil {
		b.line("Risk", strings.ToUpper(cut(*s.Oversight, 12))+"  p "+decimals(s.Risk.Probability, 2)+" × i "+decimals(s.Risk.Impact, 2)+
			" × d "+decimals(s.Risk.Detectability, 2)+" = "+decimals(s.Risk.Score, 3))
	} else {
		b.line("Risk", "not scored yet")
	}
	state := cut(s.State, 12)
	if state == "unknown" {
		state = verdict("judge_error")
	}
	if s.Attempts > 0 {
		state += ", " + plural(s.Attempts, "failed attempt")
	}
	b.line("State", state)
	b.verdict(s, now)
	b.signals(s)
	if s.Spec != nil {
		text := cut(s.Spec.Status, 14)
		if s.Spec.SinceMS > 0 {
			text += " since " + clock(s.Spec.SinceMS, now)
		}
		if s.Spec.PlanPath != "" {
			text += ", plan " + cutLeft(s.Spec.PlanPath, 40)
		}
		b.line("Spec", text)
	}
	b.usage(s)
}

func (b *block) verdict(s report.Status, now time.Time) {
	v := s.Verdict
	if v == nil {
		b.line("Verdict", "none yet")
		return
	}
	text := verdict(v.Verdict)
	if text == "pass" || text == "warn" || text == "fail" {
		text = strings.ToUpper(text) // as the agent sees it
	}
	text += " at " + clock(v.AtMS, now)
	if v.Attempt > 0 {
		text += ", attempt " + count(v.Attempt)
	}
	if v.Model != "" {
		text += ", by " + cut(v.Model, 30)
	}
	b.line("Verdict", text)
	if v.Stale {
		b.line("", "edited since: it does not hold for the present diff")
	}
	for i, r := range v.Reasons {
		if i == maxLines {
			b.line("", "and "+count(int64(len(v.Reasons)-i))+" more")
			break
		}
		b.line("", cut(r, 86))
	}
}

func (b *block) signals(s report.Status) {
	text := "none open"
	switch n := int64(len(s.Signals)); {
	case s.Answered > 0 && n > 0:
		text = count(n) + " new; " + count(s.Answered) + " in the last verdict"
	case s.Answered > 0:
		text = "none new; " + count(s.Answered) + " in the last verdict"
	case n > 0:
		text = count(n) + " open"
	}
	b.line("Signals", text)
	for i, sig := range s.Signals {
		if i == maxLines {
			b.line("", "and "+count(int64(len(s.Signals)-i))+" more")
			break
		}
		text := cut(sig.Severity, 4) + "  " + cut(sig.Kind, 20) + "  " + cutLeft(sig.Key, 50)
		if sig.Claimed {
			text += "  (being judged)"
		}
		b.line("", text)
	}
}

func (b *block) usage(s report.Status) {
	cost := unknown + ": the model has no known price (set [pricing] in config.toml)"
	if t := s.Tokens; t == nil {
		cost = unknown + ": no reply has been counted"
		b.line("Tokens", cost)
	} else {
		guard := "guard not armed"
		if t.Armed {
			guard = "guard armed"
		}
		b.line("Tokens", count(t.Work)+" work, "+count(t.SinceBaseline)+" since the last PASS or start ("+guard+")")
		b.line("", count(t.Input)+" input, "+count(t.Output)+" output, "+count(t.CacheRead)+" cache read, "+count(t.CacheWrite)+" cache write")
	}
	if s.Occupancy != nil && s.Compaction > 0 {
		b.line("Context", count(*s.Occupancy)+" of "+count(s.Compaction)+" tokens before compaction ("+decimals(float64(*s.Occupancy)*100/float64(s.Compaction), 0)+" %)")
	}
	if s.CostUSD != nil {
		cost = dollars(*s.CostUSD) + " USD at API list price"
	}
	b.line("Cost", cost)
	if s.Model != "" {
		b.line("Model", cut(s.Model, 60))
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
