package debris

import (
	"hash/maphash"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// Limits of a block that counts as copied: lines that say something, and letters in them.
const (
	blockLines   = 10
	blockLetters = 220
)

// place is where a block begins and ends.
type place struct {
	f        *change.File
	from, to int
}

func duplicated(c *change.Change, report func(rule.Finding)) {
	seed := maphash.MakeSeed()
	old := map[uint64]int{}
	for _, f := range c.Files {
		if f.Before == nil || f.Lang == "" || f.IsTest() {
			continue
		}
		windows(f.Before.Src, func(text string, _, _ int) { old[maphash.String(seed, text)]++ })
	}
	seen := map[uint64]place{}
	count := map[uint64]int{}
	type double struct{ first, second place }
	var all []double
	for _, f := range c.Files {
		if !library(f) && (f.After == nil || f.Lang == "" || f.IsTest()) {
			continue
		}
		windows(f.After.Src, func(text string, from, to int) {
			h := maphash.String(seed, text)
			count[h]++
			p := place{f, from, to}
			if q, ok := seen[h]; ok && count[h] > old[h] && old[h] < 2 && (q.f != f || q.to < from) {
				all = append(all, double{q, p})
				return
			}
			seen[h] = p
		})
	}
	var last place
	for _, d := range all {
		fresh := d.second
		if !added(fresh) {
			fresh, d.first = d.first, fresh
		}
		if !added(fresh) || last.f == fresh.f && fresh.from <= last.to {
			if last.f == fresh.f {
				last.to = max(last.to, fresh.to)
			}
			continue
		}
		last = fresh
		report(rule.Finding{
			Path: fresh.f.Path, Line: fresh.from, Text: "a block of code is a copy of one in " + d.first.f.Path, Evidence: strings.TrimSpace(fresh.f.After.Lines(fresh.from, fresh.from)),
			Fix: "write it once and call it",
		})
	}
}

// added reports whether all lines of a block are new.
func added(p place) bool {
	n := 0
	for l := p.from; l <= p.to; l++ {
		if p.f.Touched(l, l) {
			n++
		} else if strings.TrimSpace(p.f.After.Lines(l, l)) != "" {
			return false
		}
	}
	return n >= blockLines
}

// windows calls each for every run of blockLines lines that say something.
func windows(src string, each func(text string, from, to int)) {
	var lines []string
	var at []int
	n := 0
	for l := range strings.Lines(src) {
		n++
		t := strings.TrimSpace(l)
		if len(t) < 3 || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "*") || strings.HasPrefix(t, "import ") || strings.HasPrefix(t, "from ") || strings.HasPrefix(t, "use ") || t == "});" || t == "else" {
			continue
		}
		lines = append(lines, t)
		at = append(at, n)
	}
	for i := 0; i+blockLines <= len(lines); i++ {
		text := strings.Join(lines[i:i+blockLines], "\n")
		if len(text) >= blockLetters {
			each(text, at[i], at[i+blockLines-1])
		}
	}
}
