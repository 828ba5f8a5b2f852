package tdd

import (
	"strconv"

	"github.com/devflow-suite/devflow/internal/source"
)

// LastRun is what the last test run of the task, in the project or package of the file, is known to have shown.
type LastRun string

// Runs.
const (
	RunUnknown LastRun = "unknown" // none was seen, or its exit status proves nothing
	RunGreen   LastRun = "green"
	RunRed     LastRun = "red"
)

// Outcome is what the rule says about an edit.
type Outcome string

// Outcomes.
const (
	Pass      Outcome = "pass"
	Warn      Outcome = "warn"      // worth a note; never a reason to block
	Violation Outcome = "violation" // implementation without a test
)

// Edit is an edit of one file, with all that the rule looks at.
type Edit struct {
	Rel         string
	Delta       Delta
	Test        Found // as Find returned it
	HasTest     bool  // Find found something
	TestChanged bool  // that test was written or changed in this task
	Untested    []string
	LastRun     LastRun
}

// Decision is an outcome with its reason in a few words.
type Decision struct {
	Outcome Outcome
	Why     string
}

// Judge applies the rule. A file that is no implementation, and an edit that changes nothing that runs, pass. With a test that can
// fail the file is covered; new functions that this test neither names nor was changed for are worth a note, unless a red run shows
// that a test is ahead of the code. Without one, new code is a violation whatever the last run said; removing, renaming and
// rearranging pass on green, and are worth a note as long as no run is known.
func Judge(e Edit) Decision {
	switch kind := Classify(e.Rel); {
	case kind != Impl:
		return Decision{Pass, string(kind)}
	case e.Delta.Change == NoChange || e.Delta.Change == ImportsOnly || e.Delta.Change == Declares:
		return Decision{Pass, "nothing that runs was changed: " + string(e.Delta.Change)}
	case e.HasTest && !e.Test.Stub:
		if len(e.Untested) > 0 && !e.TestChanged && e.LastRun != RunRed {
			return Decision{Warn, strconv.Itoa(len(e.Untested)) + " new function(s) that " + e.Test.Path + " does not name"}
		}
		return Decision{Pass, "covered by " + e.Test.Path}
	case e.Delta.Change == Refactor && e.LastRun == RunGreen:
		return Decision{Pass, "refactored on green"}
	case e.Delta.Change == Refactor:
		return Decision{Warn, "rearranged without a test, and no green run is known"}
	case e.HasTest:
		return Decision{Violation, e.Test.Path + " asserts nothing"}
	}
	return Decision{Violation, "no test"}
}

// Unmentioned returns those of the names that the test file does not use: new functions that it cannot cover directly.
func (f *Finder) Unmentioned(test string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	if _, err := f.Root(); err != nil {
		return nil
	}
	t := sourceOf(f, test)
	var out []string
	for _, n := range names {
		if !mentions(t, []string{n}) {
			out = append(out, n)
		}
	}
	return out
}

// Stranger reports whether a test names nothing of what a source declares: it bears the file's name and is about something else. A
// source that declares nothing has no strangers.
func (f *Finder) Stranger(test string, lang Lang, src []byte) bool {
	var names []string
	for _, d := range source.Lex(lang, src).Decls() {
		names = append(names, d.Name)
	}
	return len(names) > 0 && len(f.Unmentioned(test, names)) == len(names)
}

// maxMessage is the longest Message, in bytes: it goes into the model's context once per file and task.
const maxMessage = 400

// Message is the text that tells the model of a violation: the file, what follows, and where the test belongs.
func Message(rel string, found Found, has bool) string {
	tail := "Until then the verdict on this task is FAIL."
	place := "a test"
	if sug := Suggest(rel); sug != "" {
		place = sug
	}
	text := "[devflow:tdd] " + rel + " has no test. Write " + place + " with an assertion that fails without this change. " + tail
	if has && found.Stub {
		text = "[devflow:tdd] " + rel + ": its test " + found.Path + " asserts nothing. Add an assertion that fails without this change. " + tail
	}
	if len(text) <= maxMessage {
		return text
	}
	text = "[devflow:tdd] " + clip(rel, 150) + " has no test that can fail. Write one with an assertion that fails without this change. " + tail
	return text
}

// clip keeps the end of a path.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && s[0]&0xC0 == 0x80 { // not in the middle of a rune
		s = s[1:]
	}
	return "…" + s
}
