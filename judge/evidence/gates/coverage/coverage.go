// Package coverage finds thresholds of test coverage that a change lowers, removes or switches off, and code that it takes out
// of the measurement.
//
// It owns no table. Numbers are compared with those of the same line before, whatever tool they belong to.
package coverage

import (
	"path"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "coverage-threshold", Axis: verdict.GateIntegrity, Class: verdict.Hard,
			What: "the coverage that the build asks for is lowered or no longer asked for", Why: "code without tests passes from now on",
			Question: "Does the change say why less coverage is enough?", Find: thresholds,
		},
		{
			ID: "coverage-excluded", Axis: verdict.GateIntegrity, Class: verdict.Soft,
			What: "existing code is taken out of the measurement of coverage", Why: "what is not measured looks covered",
			Question: "Can this code not be tested, or was it not tested?", Find: excluded,
		},
	}
}

// much is how many points lower a threshold must be to be certain; source: judge rubric, axis 6.
const much = 5.0

// setting is one number of a line.
type setting struct {
	line  int
	key   string
	value float64
	text  string
}

func thresholds(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.After == nil || f.IsTest() && f.Lang != "" || f.Kind == layout.Doc || f.Kind == layout.Generated || f.Lang != "" && !configCode(f.Path) || !mayHold(f) {
			continue
		}
		now := settings(f.Path, f.After.Src)
		var was []setting
		if f.Before != nil {
			was = settings(f.OldPath, f.Before.Src)
		}
		compare(f, was, now, report)
		switches(f, report)
	}
}

// configCode names files of code that are configuration.
func configCode(p string) bool {
	base := strings.ToLower(path.Base(p))
	for _, w := range [...]string{"jest", "vitest", "vite.config", "karma", "nyc", "build.gradle", "noxfile", "spec_helper", "simplecov", "test_helper", "rails_helper", ".c8rc", "wallaby", "stryker", "tasks.py", "wtr", "web-test-runner", "build.sbt"} {
		if strings.Contains(base, w) {
			return true
		}
	}
	return false
}

// mayHold is a cheap look whether a file is about coverage at all.
func mayHold(f *change.File) bool {
	if len(f.Added)+len(f.Removed) == 0 {
		return false
	}
	low := strings.ToLower(f.Path)
	if strings.Contains(low, "cov") || strings.Contains(low, "nyc") || strings.Contains(low, "c8rc") {
		return true
	}
	has := func(s string) bool {
		for _, w := range [...]string{"cov", "threshold", "fail_under", "fail-under", "jacoco", "minimum"} {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	}
	return has(strings.ToLower(f.After.Src)) || f.Before != nil && has(strings.ToLower(f.Before.Src))
}

// compare pairs numbers by their key, and reports those that fell.
func compare(f *change.File, was, now []setting, report func(rule.Finding)) {
	left := map[string][]setting{}
	for _, s := range was {
		left[s.key] = append(left[s.key], s)
	}
	for _, s := range now {
		list := left[s.key]
		if len(list) == 0 {
			if f.Touched(s.line, s.line) && pointless(s) {
				report(rule.Finding{
					Class: verdict.Hard, Path: f.Path, Line: s.line, Text: "a threshold that nothing can miss: " + strings.TrimSpace(s.text), Evidence: strings.TrimSpace(s.text),
					Fix: "ask for the coverage that there is",
				})
			}
			continue
		}
		old := list[0]
		left[s.key] = list[1:]
		drop := old.value - s.value
		if strings.HasSuffix(s.key, "slack") { // how far coverage may fall
			drop = -drop
		}
		scale := 1.0
		if old.value <= 1 && s.value <= 1 && old.value > 0 {
			scale = 100
		}
		if drop <= 0 || !f.Touched(s.line, s.line) {
			continue
		}
		out := rule.Finding{
			Path: f.Path, Line: s.line, Text: "the threshold of coverage falls from " + number(old.value) + " to " + number(s.value), Evidence: strings.TrimSpace(s.text),
			Fix: "put " + number(old.value) + " back and add the tests", Before: old.text, After: s.text,
		}
		if drop*scale < much && s.value > 0 {
			out.Class = verdict.Soft
		}
		report(out)
	}
	gone(f, was, left, report)
}

// gone reports thresholds that are not there any more.
func gone(f *change.File, was []setting, left map[string][]setting, report func(rule.Finding)) {
	for _, s := range was {
		if list := left[s.key]; len(list) == 0 || list[0].line != s.line || !f.TouchedOld(s.line, s.line) || strings.HasSuffix(s.key, "slack") || s.value <= 0 {
			continue
		}
		at := min(f.Present(s.line), max(f.After.NumLines(), 1))
		report(rule.Finding{
			Class: verdict.Soft, Path: f.Path, Line: at, Text: "the threshold of coverage (" + strings.TrimSpace(s.text) + ") is gone", Evidence: strings.TrimSpace(s.text),
			Fix: "put it back", Before: s.text,
		})
		return
	}
}

func pointless(s setting) bool {
	if strings.HasSuffix(s.key, "slack") {
		return s.value >= 50
	}
	return s.value <= 0
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// settings lists the numbers of a file that are thresholds of coverage.
func settings(p, src string) []setting {
	var out []setting
	base := strings.ToLower(path.Base(p))
	about := strings.Contains(base, "codecov") || strings.Contains(base, "nycrc") || strings.Contains(base, "c8rc") || strings.Contains(base, "coveragerc") || strings.Contains(base, "testcoverage") || strings.Contains(base, "simplecov")
	var outer []struct {
		indent int
		text   string
	}
	n := 0
	for raw := range strings.Lines(src) {
		n++
		raw = strings.TrimRight(raw, "\r\n")
		text := strings.TrimSpace(raw)
		if text == "" || text[0] == '#' || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*") || len(text) > 600 {
			continue
		}
		indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
		for len(outer) > 0 && outer[len(outer)-1].indent >= indent {
			outer = outer[:len(outer)-1]
		}
		low := strings.ToLower(text)
		context := ""
		for _, o := range outer {
			context += o.text + " "
		}
		for _, found := range numbers(low) {
			if k := threshold(found.key, low, context, about); k != "" {
				out = append(out, setting{n, k, found.value, raw})
			}
		}
		if text[0] == '[' { // INI
			outer = outer[:0]
		}
		outer = append(outer, struct {
			indent int
			text   string
		}{indent, low})
		if text[0] == '[' {
			outer[len(outer)-1].indent = -1
		}
	}
	return out
}

// found is a number and the word in front of it.
type found struct {
	key   string
	value float64
}

// numbers lists the numbers of a line with the words in front of them: key = 80, --flag 80, <minimum>0.8</minimum>.
func numbers(low string) []found {
	var out []found
	for i := 0; i < len(low); i++ {
		c := low[i]
		if c < '0' || c > '9' || i > 0 && (isWord(low[i-1]) || low[i-1] == '.') {
			continue
		}
		j := i
		for j < len(low) && (low[j] >= '0' && low[j] <= '9' || low[j] == '.' && j+1 < len(low) && low[j+1] >= '0' && low[j+1] <= '9') {
			j++
		}
		if j < len(low) && (isWord(low[j]) || low[j] == '.' && j+1 < len(low) && isWord(low[j+1])) {
			i = j
			continue
		}
		v, err := strconv.ParseFloat(low[i:j], 64)
		if err == nil && v <= 100 {
			k := strings.TrimRight(low[:i], " \t:=\"'([{>,")
			neg := strings.HasSuffix(k, "-") && !strings.HasSuffix(k, "--") && strings.ContainsAny(k, ":=")
			k = strings.TrimRight(k, " \t:=\"'([{>,-")
			from := len(k)
			for from > 0 && (isWord(k[from-1]) || k[from-1] == '-' || k[from-1] == '.') {
				from--
			}
			if neg {
				v = -v
			}
			out = append(out, found{strings.TrimLeft(k[from:], "-"), v})
		}
		i = j
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// threshold names a number that is a threshold of coverage, "" otherwise. Words that other things use, too, need coverage around them.
func threshold(key, line, context string, about bool) string {
	flat := strings.NewReplacer("_", "", "-", "", ".", "").Replace(key)
	switch flat {
	case "failunder", "covfailunder", "mincoverage", "minimumcoverage", "coveragethreshold", "coverageminimum", "failunderlines", "failunderregions", "failunderfunctions", "mincov", "covmin", "mincoveragepercent",
		"coveragemin", "coveragerequired", "requiredcoverage", "minlinecoverage", "minbranchcoverage", "coverageminimumstmttotal", "coveragepercentage", "minimumcoverageperfile", "minimumcoveragebyfile", "minbound", "coverageminimumbranchtotal", "thresholdcoverage", "coveragelimit", "mincoveragethreshold", "targetcoverage", "coveragetarget":
		return flat
	case "maximumcoveragedrop", "refusecoveragedrop", "coveragedrop":
		return flat + " slack"
	}
	cov := about || strings.Contains(context, "cov") || strings.Contains(context, "threshold") || strings.Contains(context, "jacoco") || strings.Contains(context, "nyc") || strings.Contains(context, "c8") || strings.Contains(line, "cov") || strings.Contains(line, "c8") || strings.Contains(line, "nyc") || strings.Contains(line, "threshold")
	if !cov {
		return ""
	}
	place := last(context)
	switch flat {
	case "branches", "functions", "lines", "statements", "branch", "line", "minimum", "total", "file", "package", "min", "methods", "instructions", "perfile", "level", "required", "break", "statement", "function", "minvalue":
		return place + "/" + flat
	case "target":
		return place + "/target"
	case "threshold":
		if strings.Contains(context, "coverage") || about {
			if strings.Contains(context, "status") || strings.Contains(context, "project") || strings.Contains(context, "patch") {
				return place + "/threshold slack"
			}
		}
		return place + "/threshold"
	}
	if strings.Contains(flat, "cov") && (strings.Contains(flat, "min") || strings.Contains(flat, "threshold") || strings.Contains(flat, "under") || strings.Contains(flat, "require") || strings.Contains(flat, "target") || strings.Contains(flat, "goal")) {
		return flat
	}
	return ""
}

// last is the innermost key of a context, for telling equal keys of different parents.
func last(context string) string {
	parts := strings.Fields(context)
	if len(parts) == 0 {
		return ""
	}
	return strings.Trim(parts[len(parts)-1], "\"':{[")
}

// switches reports lines that switch a threshold off.
func switches(f *change.File, report func(rule.Finding)) {
	base := strings.ToLower(path.Base(f.Path))
	codecov := strings.Contains(base, "codecov")
	gone := map[string]int{}
	for _, l := range f.Removed {
		gone[strings.TrimSpace(l.Text)]++
	}
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		low := strings.ToLower(t)
		if t == "" || t[0] == '#' || strings.HasPrefix(t, "//") {
			continue
		}
		if gone[t] > 0 {
			gone[t]--
			continue
		}
		key, value, ok := strings.Cut(low, ":")
		if !ok || strings.Contains(key, "=") {
			key, value, ok = strings.Cut(low, "=")
		}
		key, value = strings.Trim(strings.TrimSpace(key), "\"'- "), strings.Trim(strings.TrimSpace(value), "\"', ;")
		off := value == "off" || value == "false" || value == "no"
		what, soft := "", false
		switch {
		case codecov && ok && off && (key == "project" || key == "patch" || key == "status" || key == "changes" || key == "default" || key == "coverage"):
			what = "the status of coverage is switched off"
		case codecov && ok && key == "informational" && value == "true":
			what, soft = "the status of coverage only informs", true
		case ok && off && (key == "check-coverage" || key == "checkcoverage" || key == "coveragethreshold" || key == "coveragefailonminimum" || key == "coverage_fail_on_minimum" || strings.HasSuffix(key, ".coveragefailonminimum")):
			what = "the check of coverage is switched off"
		case strings.Contains(low, "--check-coverage=false"), strings.Contains(low, "--no-check-coverage"), strings.Contains(low, "--no-cov-on-fail") && false, strings.Contains(low, "<haltonfailure>false"):
			what = "the check of coverage is switched off"
		case ok && key == "coverage" && off && strings.Contains(strings.ToLower(f.After.Src), "threshold"):
			what, soft = "coverage is not measured any more", true
		case ok && (key == "violationrules.failonviolation" || key == "failonviolation" || key == "isfailonviolation") && off && strings.Contains(strings.ToLower(f.After.Src), "jacoco"):
			what = "a violation of the rules of coverage no longer fails the build"
		case codecov && ok && key == "require_ci_to_pass" && off:
			what, soft = "coverage is reported even when the build fails", true
		}
		if what == "" {
			continue
		}
		out := rule.Finding{Path: f.Path, Line: l.N, Text: what, Evidence: t, Fix: "leave it on"}
		if soft {
			out.Class = verdict.Soft
		}
		report(out)
	}
}
