package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
)

// Bounds of texts, in bytes.
const (
	maxStep   = 900 // of a step: the tail of a failed test run fits
	maxDenied = gate.MaxText - 250
	maxLine   = 1000
	maxPart   = 160 // of a step in the line
	maxWhere  = 240
)

// note keeps a step, with a text that is fit for people and rows.
func (c *checker) note(s gate.Step) {
	s.Text = redact.Clip(clean(s.Text), maxStep)
	same := func(o gate.Step) bool { return o.Name == s.Name && o.Status == s.Status && o.Text == s.Text }
	if i := slices.IndexFunc(c.steps, same); i >= 0 {
		c.steps[i].MS += s.MS
		return
	}
	c.steps = append(c.steps, s)
}

// clean takes control characters and what turns text around out.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r):
			return ' '
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// result folds the steps.
func (c *checker) result() gate.Result {
	r := gate.Result{Verdict: gate.Pass, Rules: c.rules, Refs: c.refs, Steps: c.steps, Tests: c.weakest()}
	where := c.where()
	switch {
	case len(c.rules) > 0:
		r.Verdict = gate.Deny
		r.Line = redact.Clip("[devflow:push-gate] refused: "+where+summary(c.steps), maxLine)
		r.Text = c.denied(where)
	case len(c.refs) > 0:
		r.Line = c.passed(where)
	}
	return r
}

// passed is the line about a push that may go out. Tests that nobody has run stand at its end, and in front when there were no
// others.
func (c *checker) passed(where string) string {
	word, end := "green", ""
	var steps []gate.Step
	ran := false
	for _, s := range c.steps {
		if s.Name == testStep && s.Status == gate.Skip {
			end, _, _ = strings.Cut(s.Text, "\n")
			continue
		}
		ran = ran || s.Name == testStep
		steps = append(steps, s)
	}
	switch end = redact.Clip(end, maxPart); {
	case end == "":
	case ran:
		end = "; some tests were NOT run: " + end
	default:
		word, end = "passed, tests not run", "; tests were NOT run: "+end
	}
	line := "[devflow:push-gate] " + word + ": " + where
	if len(steps) > 0 || end == "" {
		line += summary(steps)
	}
	return redact.Clip(line, maxLine-len(end)) + end
}

// testStep is the name of the step that runs the project's tests, verdictStep of that about the verdict of the judge.
const (
	testStep    = "tests"
	verdictStep = "verdict"
)

// weakest is the state of the tests of all refs that have one.
func (c *checker) weakest() (tests string) {
	for _, ref := range c.refs {
		switch {
		case ref.Tests == "" || tests == pushes.TestsRed:
		case tests == "" || !strings.HasPrefix(ref.Tests, pushes.TestsGreen):
			tests = ref.Tests
		}
	}
	return tests
}

// denied is the text for the model: what failed, and what to do.
func (c *checker) denied(where string) string {
	const foot = "\nRepair this and push again; `devflow gate push` looks without pushing."
	text := "[devflow:push-gate] refused: " + where
	var failed []string
	for _, s := range c.steps {
		if s.Status == gate.Fail {
			failed = append(failed, "\n- "+s.Name+": "+s.Text)
		}
	}
	for i, line := range failed {
		room := maxDenied - len(foot) - len(text)
		if left := len(failed) - i; left > 1 {
			room = max(room/left, min(room, 300))
		}
		if room < 100 {
			text += fmt.Sprintf("\n- and %d more", len(failed)-i)
			break
		}
		text += redact.Clip(line, room)
	}
	return text + foot
}

// where names the refs of the request.
func (c *checker) where() string {
	const most = 3
	var names []string
	for i, ref := range c.refs {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(c.refs)-most))
			break
		}
		names = append(names, redact.Clip(clean(strings.TrimSpace(ref.Remote+" "+short(ref.Name))), maxWhere/most))
	}
	return strings.Join(names, ", ")
}

// summary is every kind of step in one line, each by its worst.
func summary(steps []gate.Step) string {
	if len(steps) == 0 {
		return " (nothing new)"
	}
	var worst []gate.Step
	for _, s := range steps {
		i := slices.IndexFunc(worst, func(o gate.Step) bool { return o.Name == s.Name })
		if i < 0 {
			worst = append(worst, s)
		} else if weight(s.Status) > weight(worst[i].Status) {
			worst[i] = s
		}
	}
	parts := make([]string, 0, len(worst))
	for _, s := range worst {
		parts = append(parts, part(s))
	}
	return ": " + strings.Join(parts, ", ")
}

// part is one step in the line. What it says is not said twice: the text about a verdict begins with its outcome, and brackets
// are not put around brackets.
func part(s gate.Step) string {
	text, _, _ := strings.Cut(s.Text, "\n")
	text = redact.Clip(text, maxPart)
	if s.Status == gate.Skip {
		text = strings.TrimPrefix(text, "skipped ")
	}
	head := s.Name + " " + string(s.Status)
	switch {
	case s.Name == verdictStep && outcome(text):
		return s.Name + " " + text
	case text == "" || s.Status == gate.OK && s.Name != testStep:
		return head
	case s.Status == gate.Fail || strings.Contains(text, "("):
		return head + ": " + text
	}
	return head + " (" + text + ")"
}

// outcome reports whether a text begins with an outcome of the judge.
func outcome(text string) bool {
	word := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ':' })
	return len(word) > 0 && slices.Contains([]judge.Outcome{judge.Pass, judge.Warn, judge.Fail, judge.Error, judge.Skipped}, judge.Outcome(word[0]))
}

func weight(s gate.Status) int {
	return slices.Index([]gate.Status{gate.OK, gate.Skip, gate.Warn, gate.Fail}, s)
}
