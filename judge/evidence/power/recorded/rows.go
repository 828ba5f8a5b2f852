package recorded

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// row is an element of a table: its tokens without layout.
type row struct {
	text string
	line int
}

// alike is how similar the body of a renamed test must be for its table to be the same one; source: docs/judge-quality.md.
const alike = 0.55

func rows(c *change.Change, report func(rule.Finding)) {
	var fresh map[string]int
	for _, p := range pairs.Of(c) {
		if !p.Test || p.Before == nil || p.After == nil {
			continue
		}
		old, now := tables(p.Before), tables(p.After)
		if len(old) == 0 {
			continue
		}
		left := map[string]int{}
		for _, r := range now {
			left[r.text]++
		}
		var lost []row
		for _, r := range old {
			if left[r.text] > 0 {
				left[r.text]--
				continue
			}
			lost = append(lost, r)
		}
		added := len(now) - (len(old) - len(lost))
		if len(lost) == 0 || len(lost) <= added {
			continue
		}
		if fresh == nil {
			fresh = anywhere(c)
		}
		kept := 0
		for _, r := range lost {
			if fresh[r.text] > 0 || removed(c, r.text) {
				kept++
			}
		}
		if len(lost)-kept <= added {
			continue
		}
		n := len(lost) - kept - max(added, 0)
		class := verdict.Soft
		if sourceBeside(c, p.New) && len(now) > 0 || len(now) == 0 {
			class = verdict.Hard
		}
		if p.Before.Name != p.After.Name && len(now) == 0 || p.Similar < alike {
			class = verdict.Soft // written anew under another name
		}
		line := p.After.Line
		if p.Old == p.New {
			line = min(max(p.New.Present(lost[0].line), p.After.First), max(p.After.End, p.After.Line))
		}
		report(rule.Finding{
			Class: class, Path: p.New.Path, Line: line, Text: fmt.Sprintf("%s lost %d of the %d rows of its table", p.After.Name, n, len(old)), Evidence: lost[0].text,
			Fix: "put the rows back, or say why they do not hold any more", Unit: p.After.Name, Before: p.Before.Shown(), After: p.After.Shown(),
		})
	}
}

// anywhere counts the rows of all present tests that are new or touched.
func anywhere(c *change.Change) map[string]int {
	out := map[string]int{}
	for _, p := range pairs.Of(c) {
		if p.After == nil || !p.Test {
			continue
		}
		had := map[string]int{}
		if p.Before != nil {
			for _, r := range tables(p.Before) {
				had[r.text]++
			}
		}
		for _, r := range tables(p.After) {
			if had[r.text]--; had[r.text] < 0 {
				out[r.text]++
			}
		}
	}
	return out
}

// removed reports whether a row names something that source files no longer declare.
func removed(c *change.Change, text string) bool {
	gone := c.Once(goneKey{}, func() any {
		before, after := c.Symbols(true), c.Symbols(false)
		for name := range after {
			delete(before, name)
		}
		return before
	}).(map[string]bool)
	if len(gone) == 0 {
		return false
	}
	for _, w := range change.Words(text) {
		if len(w) > 3 && gone[w] {
			return true
		}
	}
	return false
}

type goneKey struct{}

// sourceBeside reports whether source code in the same folder as a test, or in one that goes with it, changed.
func sourceBeside(c *change.Change, test *change.File) bool {
	dir := path.Dir(test.Path)
	for _, f := range c.Files {
		if f.IsTest() || f.Lang == "" || f.Lang != test.Lang || len(f.Removed) == 0 {
			continue
		}
		if path.Dir(f.Path) == dir || test.Lang != source.Go {
			return true
		}
	}
	return false
}

// tables lists the rows of the tables of a test: lists of at least two elements that are lists, objects or calls of the
// same shape, decorators and annotations included.
func tables(u *pairs.Unit) []row {
	var out []row
	f := u.File
	for i := max(u.Head, 0); i < u.To; i++ {
		if !f.Is(i, "[") && !f.Is(i, "{") && !f.Is(i, "(") {
			continue
		}
		end := f.Close(i)
		if end <= i+1 || end > u.To+1 {
			continue
		}
		parts := f.Args(i)
		if f.Is(i, "(") && (len(parts) < 2 || !rowCall(f, i)) || f.Is(i, "[") && f.Is(i-1, ":") && strings.HasPrefix(f.Text(i-2), "expect") {
			continue // no rows, or the parts of what a test expects
		}
		if !isTable(f, i, parts) {
			continue
		}
		for _, p := range parts {
			out = append(out, row{f.Norm(p[0], p[1]), f.TokenLine(p[0])})
		}
		i = end
	}
	return append(out, attributes(u)...)
}

// rowCall reports whether parentheses hold a table: ValueSource(…), List.of(…), asList(…), Stream.of(…), vec!(…).
func rowCall(f *units.File, i int) bool {
	switch f.Text(i - 1) {
	case "of", "asList", "listOf", "arrayOf", "setOf", "each":
		return true
	}
	return false
}

// isTable reports whether the parts in a bracket are rows.
func isTable(f *units.File, open int, parts [][2]int) bool {
	if len(parts) == 0 {
		return false
	}
	rows := 0
	for _, p := range parts {
		from, to := p[0], p[1]
		if from >= to {
			continue
		}
		switch {
		case closesAt(f, from, to): // {…}, (…), […]
			rows++
		case to-from > 2 && f.Kind(from) == source.Name && f.Close(from+1) == to-1 && (f.Is(from+1, "(") || f.Is(from+1, "{")): // Row(…), pytest.param
			rows++
		case to-from > 4 && f.Is(from+1, ".") && f.Close(from+3) == to-1:
			rows++
		case f.Lang == source.Go && to-from > 2 && f.Is(from+1, ":") && closesAt(f, from+2, to): // "name": {…}
			rows++
		}
	}
	if rows*2 <= len(parts) || rows < 2 {
		return false
	}
	return f.Is(open, "[") || f.Is(open, "(") || f.Is(open, "{") && f.Lang == source.Go || f.Is(open, "{") && (f.Is(open-1, "]") || f.Is(open-1, "="))
}

func closesAt(f *units.File, from, to int) bool {
	return (f.Is(from, "{") || f.Is(from, "(") || f.Is(from, "[")) && f.Close(from) == to-1
}

// attributes lists rows that are annotations of their own: @CsvSource({…}) rows, #[case(…)], [InlineData(…)].
func attributes(u *pairs.Unit) []row {
	var out []row
	f := u.File
	for i := max(u.Head, 0); i < u.From; i++ {
		if f.Kind(i) != source.Name || !f.Is(i+1, "(") {
			continue
		}
		switch f.Text(i) {
		case "case", "InlineData", "TestCase", "DataRow", "test_case", "Arguments":
			if f.Is(i-1, "[") || f.Is(i-1, "::") || f.Is(i-1, ",") || f.Is(i-1, "(") {
				out = append(out, row{f.Norm(i, f.Close(i+1)+1), f.TokenLine(i)})
			}
		case "CsvSource", "ValueSource":
			for k := i + 2; k < f.Close(i+1); k++ {
				if f.Kind(k) == source.String || f.Kind(k) == source.Number {
					out = append(out, row{f.Text(k), f.TokenLine(k)})
				}
			}
		case "parametrize":
			args := f.Args(i + 1)
			if len(args) < 2 {
				continue
			}
			open := args[1][0]
			for _, p := range f.Args(open) {
				if !closesAt(f, p[0], p[1]) && !strings.Contains(f.Norm(p[0], p[1]), "param (") { // plain values; lists of lists are tables
					out = append(out, row{f.Norm(p[0], p[1]), f.TokenLine(p[0])})
				}
			}
		}
	}
	return out
}
