package harness

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func retried(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || len(f.Added) == 0 {
			continue
		}
		if f.Lang == "" {
			repeatedBy(f, report)
			continue
		}
		if !f.IsTest() && f.Lang != source.Rust && !strings.Contains(f.Path, ".config.") || f.IsNew() {
			continue
		}
		u := f.After
		for i := range u.Tokens {
			if u.Kind(i) != source.Name {
				continue
			}
			line := u.TokenLine(i)
			if !f.Touched(line, line) || !repeats(u, i) || count(f.Before, u.Text(i)) >= count(u, u.Text(i)) {
				continue
			}
			unit := owner(u, i)
			if unit != nil && fresh(c, unit) {
				continue
			}
			name := "the tests of the file are"
			found := rule.Finding{Class: verdict.Soft, Path: f.Path, Line: line, Evidence: pairs.Quote(u, line), Fix: "find out why it fails now and then, and repair that"}
			if unit != nil {
				name, found.Unit, found.After = unit.Name+" is", unit.Name, unit.Text()
			}
			found.Text = name + " repeated until it passes"
			report(found)
			break
		}
	}
}

func count(u *units.File, name string) int {
	if u == nil {
		return 0
	}
	n := 0
	for i := range u.Tokens {
		if u.Is(i, name) && repeats(u, i) {
			n++
		}
	}
	return n
}

// owner is the test that a mark at token i belongs to, nil when it is that of the file.
func owner(u *units.File, i int) *units.Test {
	for _, t := range u.Tests() {
		if i >= t.Head && i < t.To || u.TokenLine(i) >= t.First && u.TokenLine(i) <= t.Line {
			return t
		}
	}
	return nil
}

// fresh reports whether a test is new.
func fresh(c *change.Change, t *units.Test) bool {
	for _, p := range c.Tests() {
		if p.After == t {
			return p.Before == nil
		}
	}
	return false
}

// repeats reports whether the name at token i asks for a test to be repeated when it fails.
func repeats(u *units.File, i int) bool {
	w := u.Text(i)
	mark := u.Is(i-1, "@") || u.Is(i-1, ".") || u.Is(i-1, "[") || u.Is(i-1, "::") || u.Is(i-1, ",") && u.Lang == source.CSharp
	switch u.Lang {
	case source.Python:
		switch w {
		case "flaky", "retry", "rerun", "retries", "retry_on_failure", "rerun_on_failure", "repeat_until_success":
			return decorator(u, i)
		case "reruns", "max_runs", "rerun_except", "only_rerun":
			return u.Is(i+1, "=")
		}
	case source.JS, source.TS:
		switch w {
		case "retryTimes", "retries":
			if u.Is(i+1, "(") && u.Is(i-1, ".") && !u.Is(i+2, "0") && !u.Is(i+2, ")") {
				return u.Is(i-2, "this") || u.Is(i-2, "jest") || u.Is(i-2, ")") || u.Is(i-2, "mocha") || u.Is(i-2, "describe") || u.Is(i-2, "context")
			}
			fallthrough
		case "retry":
			return u.Is(i+1, ":") && u.Kind(i+2) == source.Number && !u.Is(i+2, "0") && runs(u, i) || w == "retry" && u.Is(i-1, ".") && (u.Is(i-2, "it") || u.Is(i-2, "test"))
		}
	case source.Java, source.Kotlin, source.Scala, source.CSharp:
		l := strings.ToLower(w)
		if mark && (strings.HasPrefix(l, "retr") || strings.HasPrefix(l, "flaky") || l == "repeatediffexceptionstest" || strings.HasPrefix(l, "repeatedif") || strings.HasPrefix(l, "rerun")) {
			return true
		}
		return w == "retryAnalyzer" && u.Is(i+1, "=") || strings.HasPrefix(w, "Retry") && strings.HasSuffix(w, "Rule") && u.Is(i-1, "new")
	case source.Rust:
		return (w == "flaky_test" || w == "flaky" || w == "retry" || w == "tryhard") && mark && u.Is(i-2, "#") || u.Is(i-1, "::") && w == "flaky_test"
	case source.Dart:
		return w == "retry" && u.Is(i+1, ":") && !u.Is(i+2, "0") || w == "Retry" && u.Is(i-1, "@")
	case source.Go:
		l := strings.ToLower(w)
		return (strings.HasPrefix(l, "retr") || strings.HasPrefix(l, "flaky")) && u.Is(i+1, "(") && (u.Is(i+2, "t") || strings.Contains(w, "Test"))
	case source.Ruby, source.PHP:
		return w == "retry" && (u.Is(i+1, ":") || u.Is(i-1, ":")) && u.Kind(i+2) == source.Number || w == "RetryAttempts"
	}
	return false
}

// decorator reports whether token i is part of a Python decorator or of a module's pytestmark.
func decorator(u *units.File, i int) bool {
	for k := i; k >= 0; k-- {
		if u.Is(k, "@") {
			return true
		}
		if u.Tokens[k].First {
			return u.Is(k, "pytestmark")
		}
	}
	return false
}

// runs reports whether an option belongs to a runner or a test: its object is an argument of one.
func runs(u *units.File, i int) bool {
	for k := i - 1; k > 0 && k > i-40; k-- {
		if !u.Is(k, "{") || u.Close(k) < i {
			continue
		}
		switch u.Text(k - 1) {
		case ",", "(", ":", "default":
			for j := k - 1; j > 0 && j > k-12; j-- {
				switch u.Text(j) {
				case "it", "test", "describe", "configure", "defineConfig", "default", "suite":
					return true
				}
			}
		}
	}
	return false
}

// repeatedBy looks at the lines that a change adds to configuration.
func repeatedBy(f *change.File, report func(rule.Finding)) {
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		if strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		hit := ""
		for _, w := range [...]string{"--reruns", "--rerun-fails", "rerunFailingTestsCount", "--retries", "--retry=", "--force-flaky", "flaky_test_attempts", "test.retry"} {
			if i := strings.Index(t, w); i >= 0 && !zeroAfter(t[i+len(w):]) {
				hit = w
			}
		}
		if hit == "--retries" && !strings.Contains(t, "test") && !strings.Contains(t, "mocha") && !strings.Contains(t, "playwright") || hit == "--retry=" && !strings.Contains(t, "vitest") && !strings.Contains(t, "test") {
			hit = "" // curl and its kin
		}
		if hit == "" && strings.HasPrefix(t, "retries") && strings.Contains(f.Path, "nextest") {
			hit = "retries"
		}
		for _, o := range f.Removed {
			if hit != "" && strings.Contains(o.Text, hit) {
				hit = ""
			}
		}
		if hit == "" && again(t) {
			hit = "the command runs again when it fails"
		}
		if hit != "" && (f.Status != 'A' || strings.Contains(f.Path, "nextest")) {
			report(rule.Finding{Class: verdict.Soft, Path: f.Path, Line: l.N, Text: "failing tests are repeated until they pass: " + hit, Evidence: t, Fix: "find out which tests fail now and then, and repair them"})
			return
		}
	}
}

// again reports whether a line runs the same test command a second time when the first run fails: `go test || go test`.
func again(t string) bool {
	first, second, ok := strings.Cut(t, " || ")
	if !ok || !strings.Contains(second, "test") {
		return false
	}
	second = strings.TrimSpace(second)
	return len(second) > 6 && strings.HasSuffix(strings.TrimSpace(first), second)
}

func zeroAfter(s string) bool {
	s = strings.TrimLeft(s, " =:>\"'")
	return strings.HasPrefix(s, "0") && (len(s) == 1 || s[1] < '0' || s[1] > '9')
}
