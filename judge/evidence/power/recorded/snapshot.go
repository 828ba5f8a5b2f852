package recorded

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Recorded reports whether a path is that of an output that tests compare with.
func Recorded(p string) bool {
	lower := strings.ToLower(p)
	base := path.Base(lower)
	ext := path.Ext(base)
	switch ext {
	case ".snap", ".golden", ".approved", ".stdout", ".stderr", ".expected", ".ambr", ".snapshot":
		return true
	case ".go", ".py", ".js", ".ts", ".rs", ".java", ".dart", ".jsx", ".tsx", ".kt", ".png", ".jpg", ".rb", ".cs":
		return false
	}
	if strings.Contains(base, ".approved.") || strings.Contains(base, ".golden.") || strings.Contains(base, ".expected.") || strings.HasPrefix(base, "expected") {
		return true
	}
	test := false
	for _, d := range strings.Split(path.Dir(lower), "/") {
		switch strings.Trim(d, "_") {
		case "snapshots", "snapshot", "golden", "goldens", "expected", "expectations", "baselines", "approvals":
			return true
		case "test", "tests", "testdata", "spec":
			test = true
		}
	}
	return test && (ext == ".out" || ext == ".svg")
}

// failures are words with which programs tell that they broke.
var failures = [...]string{
	"panicked at", "panic: ", "Traceback (most recent call last)", "goroutine 1 [running]", "stack overflow", "core dumped", "Segmentation fault", "AssertionError",
	"assertion failed", "Unhandled exception", "UnhandledPromiseRejection", "NullPointerException", "called `Option::unwrap()`", "called `Result::unwrap()`", "RuntimeError:", "TypeError:", "AttributeError:",
	"KeyError:", "IndexError:", "ValueError:", "ZeroDivisionError:", "ReferenceError:", "Exception in thread", "Internal Server Error", "500 Internal", "fatal error:", "RangeError:", "NoSuchMethodError", "StackOverflowError",
	"success: false", "nil pointer dereference", "index out of range", "undefined is not a function", "Cannot read propert", "[object Object]",
}

func crashes(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if !Recorded(f.Path) || f.Binary || f.Deleted() {
			continue
		}
		l, word, ok := failure(f)
		if !ok {
			continue
		}
		class := verdict.Hard
		if f.IsNew() || intended(f, word) {
			class = verdict.Soft
		}
		if f.IsNew() && !strong(word) {
			continue
		}
		report(rule.Finding{
			Class: class, Path: f.Path, Line: l.N, Text: "the expected output records a failure: " + word, Evidence: strings.TrimSpace(l.Text),
			Fix: "repair what fails and record the output again", Unit: path.Base(f.Path), Before: text(f.Removed), After: text(f.Added),
		})
	}
}

// failure finds the first added line that tells of a failure which the removed ones did not tell of.
func failure(f *change.File) (diff.Line, string, bool) {
	old := text(f.Removed)
	for _, l := range f.Added {
		for _, w := range failures {
			if strings.Contains(l.Text, w) && !strings.Contains(old, w) {
				return l, w, true
			}
		}
		if n, ok := exitCode(l.Text); ok && n != "0" && strings.Contains(old, strings.TrimSuffix(strings.TrimSpace(l.Text), n)) && hadZero(f.Removed) {
			return l, strings.TrimSpace(l.Text), true
		}
		t := strings.TrimSpace(l.Text)
		if (strings.HasPrefix(t, "Error:") || strings.HasPrefix(t, "error:") || strings.HasPrefix(t, "ERROR ")) && !strings.Contains(strings.ToLower(old), "error") && f.Status == 'M' && len(f.Removed) > 0 {
			return l, "Error:", true
		}
	}
	return diff.Line{}, "", false
}

// exitCode reads lines such as `exit_code: 101`, `status: 1`, `exit status 2`.
func exitCode(line string) (string, bool) {
	l := strings.ToLower(strings.TrimSpace(line))
	l = strings.Trim(l, `",`)
	for _, p := range [...]string{"exit_code:", "exitcode:", "exit code:", "exit code", "exit status", "exit_code =", `exit_code":`, `exitcode":`, "code:", "returncode:"} {
		if rest, ok := strings.CutPrefix(l, p); ok {
			rest = strings.TrimSpace(rest)
			if rest != "" && strings.Trim(rest, "-0123456789") == "" {
				return rest, true
			}
		}
	}
	return "", false
}

func hadZero(removed []diff.Line) bool {
	for _, l := range removed {
		if n, ok := exitCode(l.Text); ok && n == "0" {
			return true
		}
	}
	return false
}

// intended reports whether an output is that of a test about failing: its name says so, or it told of failures before.
func intended(f *change.File, word string) bool {
	base := strings.ToLower(path.Base(f.Path))
	for _, w := range [...]string{"error", "fail", "panic", "invalid", "bad", "crash", "exception", "stderr", "reject", "missing", "wrong", "illegal"} {
		if strings.Contains(base, w) {
			return true
		}
	}
	if f.Before == nil {
		return false
	}
	return strings.Contains(f.Before.Src, word)
}

func strong(word string) bool {
	return strings.HasPrefix(word, "panick") || strings.HasPrefix(word, "Traceback") || strings.HasPrefix(word, "called `") || strings.HasPrefix(word, "goroutine")
}

func text(lines []diff.Line) string {
	const most = 4 << 10
	var b strings.Builder
	for _, l := range lines {
		if b.Len() > most {
			break
		}
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func alone(c *change.Change, report func(rule.Finding)) {
	makes := false
	for _, f := range c.Files {
		if Recorded(f.Path) {
			continue
		}
		if !f.IsTest() && f.Kind != layout.Doc && f.Kind != layout.Other || f.Lang != "" && f.Kind != layout.Doc {
			makes = true
		}
	}
	if makes {
		unexplained(c, report)
		return
	}
	for _, f := range c.Files {
		if !Recorded(f.Path) || f.Binary || f.Status != 'M' || len(f.Added) == 0 || len(f.Removed) == 0 {
			continue
		}
		if _, _, ok := failure(f); ok {
			continue
		}
		l := f.Added[0]
		report(rule.Finding{
			Path: f.Path, Line: l.N, Text: "the expected output changed, and no code did", Evidence: strings.TrimSpace(l.Text), Fix: "put the former output back, or change the code that gives the new one in the same change",
			Unit: path.Base(f.Path), Before: text(f.Removed), After: text(f.Added),
		})
		return
	}
}

// Bounds of a small change of an expected output: more lines, or more files, were recorded again because much changed.
const (
	fewLines   = 6
	fewOutputs = 2
)

// unexplained finds a small change of an expected output, beside a change of code, of whose new and former words and numbers
// not one stands in any other changed line.
func unexplained(c *change.Change, report func(rule.Finding)) {
	var outputs []*change.File
	said, stems := map[string]bool{}, map[string]bool{}
	for _, f := range c.Files {
		if Recorded(f.Path) {
			if f.Status == 'M' && !f.Binary {
				outputs = append(outputs, f)
			}
			continue
		}
		if f.Lang != "" {
			stems[strings.ToLower(layout.Stem(f.Path))] = true
		}
		for _, w := range append(change.Words(text(f.Added)), change.Words(text(f.Removed))...) {
			said[w] = true
		}
	}
	if len(outputs) > fewOutputs {
		return
	}
	for _, f := range outputs {
		if len(f.Added)+len(f.Removed) > 2*fewLines || len(f.Removed) == 0 {
			continue
		}
		if _, _, ok := failure(f); ok {
			continue
		}
		if words := differing(f); len(words) == 0 || anySaid(words, said) || anySaid(strings.FieldsFunc(strings.ToLower(f.Path), apart), stems) {
			continue
		}
		line, shown := f.Present(f.Removed[0].N), f.Removed[0].Text
		if len(f.Added) > 0 {
			line, shown = f.Added[0].N, f.Added[0].Text
		}
		report(rule.Finding{
			Path: f.Path, Line: line, Text: "the expected output changed, and nothing in the changed code speaks of what is new or gone in it", Evidence: strings.TrimSpace(shown),
			Fix: "put the former output back, or show what in the code makes the new one", Unit: path.Base(f.Path), Before: text(f.Removed), After: text(f.Added),
		})
		return
	}
}

// apart is what stands between the words of a path.
func apart(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }

// differing are the words and numbers that only one side of a change has.
func differing(f *change.File) []string {
	count := map[string]int{}
	for _, w := range change.Words(text(f.Added)) {
		count[w]++
	}
	for _, w := range change.Words(text(f.Removed)) {
		count[w]--
	}
	var out []string
	for w, n := range count {
		if n != 0 {
			out = append(out, w)
		}
	}
	return out
}

func anySaid(words []string, said map[string]bool) bool {
	for _, w := range words {
		if said[w] {
			return true
		}
	}
	return false
}
