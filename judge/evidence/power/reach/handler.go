package reach

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/units"
)

// handlers tells what the handlers of a try do to failures inside of it: nil when they let them through.
func (w *walker) handlers(blocks []stmt.Block) *Cause {
	f := w.f
	for _, b := range blocks[1:] {
		switch b.Word {
		case "catch", "except", "rescue", "on":
			all, some := broad(f, b.Head+1, b.From)
			if (all || some) && Harmless(f, b.From, b.To) {
				return &Cause{Kind: Swallowed, Tok: blocks[0].Head, Soft: !all}
			}
		case "finally", "ensure":
			for _, s := range stmt.Split(f, b.From, b.To) {
				if f.Is(s.From, "return") || f.Is(s.From, "break") || f.Is(s.From, "continue") {
					return &Cause{Kind: Swallowed, Tok: blocks[0].Head}
				}
			}
		}
	}
	return nil
}

// broad reports whether a handler catches failed assertions (all), or the errors that tested code throws (some). The
// tokens are those between its word and its body.
func broad(f *units.File, from, to int) (all, some bool) {
	named := false
	for i := from; i < to; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		switch w := f.Text(i); w {
		case "Throwable", "AssertionError", "AssertionFailedError", "BaseException", "TestFailure", "Object", "dynamic", "AssertionException", "AssertionFailedException",
			"ExpectationNotMetError", "ExpectationFailedException", "XunitException":
			return true, true
		case "Exception":
			switch f.Lang {
			case source.Python, source.CSharp, source.Ruby:
				return true, true
			}
			named, some = true, true
		case "Error":
			if f.Lang == source.Java || f.Lang == source.Kotlin || f.Lang == source.Scala || f.Lang == source.PHP {
				return true, true
			}
			named = true
		case "RuntimeException":
			named, some = true, true
		default:
			if w[0] >= 'A' && w[0] <= 'Z' {
				named = true
			}
		}
	}
	switch f.Lang {
	case source.JS, source.TS, source.Dart, source.Swift:
		return !named, some || !named
	case source.Python:
		return !named && (to <= from+1), some
	case source.Scala:
		return !named, some
	}
	return false, some
}

// Harmless reports whether statements do nothing about a failure: empty, a log line, a return.
func Harmless(f *units.File, from, to int) bool {
	for _, s := range stmt.Split(f, from, to) {
		switch f.Text(s.From) {
		case "pass", "...", "return", "continue", "break", "_", "void", "end":
			if raises(f, s.From, s.To) || held(f, s.From, s.To) {
				return false
			}
			continue
		case "expect", "done", "fail", "reject":
			return false
		}
		if s.To == s.From+1 && (f.Kind(s.From) == source.String || f.Kind(s.From) == source.Name) {
			continue
		}
		if !logs(f, s) || raises(f, s.From, s.To) {
			return false
		}
	}
	return true
}

// held reports whether tokens pass something on, as `return e` or `return handle(e)` does.
func held(f *units.File, from, to int) bool {
	if !f.Is(from, "return") {
		return false
	}
	switch f.Norm(from+1, to) {
	case "", "None", "null", "undefined", "nil", "true", "True", "false", "False", "Ok ( ( ) )":
		return false
	}
	return true
}

// raises reports whether tokens fail the test or hand the failure on.
func raises(f *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		switch w := f.Text(i); w {
		case "raise", "throw", "rethrow", "panic", "fail", "Fail", "FailNow", "Fatal", "Fatalf", "Error", "Errorf", "reject", "done", "resume_unwind", "exit", "abort", "XCTFail":
			if w == "Error" && !f.Is(i-1, ".") || (w == "Error" || w == "exit") && (f.Is(i-2, "console") || f.Is(i-2, "logger") || f.Is(i-2, "log")) {
				continue
			}
			return true
		default:
			if strings.HasPrefix(w, "assert") || strings.HasPrefix(w, "expect") && f.Is(i+1, "(") {
				return true
			}
		}
	}
	return false
}

// logs reports whether a statement only tells of something, waits or counts.
func logs(f *units.File, s stmt.Stmt) bool {
	for i := s.From; i < s.To && i < s.From+6; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		w := strings.ToLower(f.Text(i))
		for _, p := range [...]string{"print", "log", "console", "eprint", "debug", "warn", "puts", "stderr", "stdout", "sleep", "info", "trace", "traceback"} {
			if strings.HasPrefix(w, p) || p == "log" && strings.HasSuffix(w, "logger") {
				return true
			}
		}
	}
	return f.Is(s.To-1, "++") || f.Is(s.From+1, "+=")
}

// context is what a Python context manager does to failures inside of it.
func (w *walker) context(b stmt.Block) *Cause {
	f := w.f
	for i := b.Head + 1; i < b.From; i++ {
		if f.Kind(i) != source.Name || !f.Is(i+1, "(") {
			continue
		}
		all, _ := broad(f, i+2, f.Close(i+1))
		switch f.Text(i) {
		case "suppress":
			if all {
				return &Cause{Kind: Swallowed, Tok: b.Head}
			}
		case "raises", "assertRaises":
			if all && f.Close(i+1) <= i+5 {
				return &Cause{Kind: Inverted, Tok: b.Head}
			}
		}
	}
	return nil
}
