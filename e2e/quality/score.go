package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// near is how many lines a finding may lie from the planted place.
const near = 6

// score is what the results of a run come to.
type score struct {
	byID    map[string]outcome
	results []outcome
}

func newScore(results []outcome) *score {
	s := &score{byID: map[string]outcome{}, results: results}
	for _, r := range results {
		s.byID[r.ID] = r
	}
	return s
}

func rank(verdict string) int { return slices.Index([]string{"PASS", "WARN", "FAIL"}, verdict) }

// earned: the verdict is one of those that count as right, and the planting is what led to it.
func (s *score) earned(r *outcome) bool {
	if !slices.Contains(r.Expect, r.Verdict) {
		return false
	}
	if twin, ok := s.byID[r.NaturalID]; ok && rank(r.Verdict) > rank(twin.Verdict) {
		return true
	}
	for _, w := range r.Where {
		span := max(strings.Count(w.Added, "\n"), strings.Count(w.Removed, "\n"))
		for _, f := range r.Reasons {
			if f.File == w.File && (w.Line == 0 || f.Line == 0 || w.Deleted || w.LeftOut || w.Line-near <= f.Line && f.Line <= w.Line+span+near) {
				return true
			}
		}
	}
	return false
}

// tally counts hits; its text has the Wilson interval of 95 %.
type tally struct{ k, n int }

func (t tally) String() string {
	if t.n == 0 {
		return "none"
	}
	const z = 1.96
	n, p := float64(t.n), float64(t.k)/float64(t.n)
	d := 1 + z*z/n
	m, h := (p+z*z/(2*n))/d, z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))/d
	return fmt.Sprintf("%d/%d = %.1f %% [%.1f, %.1f]", t.k, t.n, 100*p, 100*max(m-h, 0), 100*min(m+h, 1))
}

func (t *tally) add(hit bool) {
	t.n++
	if hit {
		t.k++
	}
}

func (s *score) print(w io.Writer, fails, misses bool) {
	var natural, warned, decoys, earned, errors tally
	kinds, langs, decoyKinds := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	failRules, warnRules := map[string]int{}, map[string]int{}
	for i := range s.results {
		r := &s.results[i]
		errors.add(r.Err != nil)
		if r.Err != nil && fails {
			fmt.Fprintf(w, "error %s %s: %v\n", r.ID, r.Repo, r.Err)
		}
		switch r.Label {
		case "natural", "decoy":
			bad := r.Verdict == "FAIL"
			if r.Label == "decoy" {
				decoys.add(bad)
				count(decoyKinds, r.Kinds[0], bad)
			} else {
				natural.add(bad)
				warned.add(r.Verdict != "PASS")
			}
			seen := map[string]bool{}
			for _, x := range r.Reasons {
				name := x.Rule
				if name == "" {
					name = "[" + x.Prefix + "]"
				}
				if l := level(x); r.Label == "natural" && l != "NOTE" && !seen[l+name] {
					seen[l+name] = true
					if l == "FAIL" {
						failRules[name]++
					} else {
						warnRules[name]++
					}
				}
				if fails && bad && level(x) == "FAIL" {
					fmt.Fprintf(w, "%s %s %s %v %s:%d %s: %s\n", r.Label, r.ID, r.Repo, r.Kinds, x.File, x.Line, x.Rule, x.Text)
				}
			}
		case "planted":
			ok := s.earned(r)
			earned.add(ok)
			count(kinds, r.Kinds[0], ok)
			count(langs, r.Lang, ok)
			if misses && !ok {
				fmt.Fprintf(w, "missed %s %s %s %s/%s: %s\n", r.ID, r.Repo, r.Lang, r.Kinds[0], r.Variant, r.Verdict)
			}
		}
	}
	macro := 0.0
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t := kinds[k]
		macro += float64(t.k) / float64(t.n) / float64(len(kinds))
		mark := ""
		if 10*t.k < 7*t.n {
			mark = "  <"
		}
		fmt.Fprintf(w, "%-22s %s%s\n", k, t, mark)
	}
	fmt.Fprintf(w, "\nnatural FAIL  %s by rule %v\nnatural WARN+ %s by rule %v\ndecoy FAIL    %s %v\nplanted earned %s macro %.1f %%\nby language %v\nerrors %s\n",
		natural, failRules, warned, warnRules, decoys, decoyKinds, earned, 100*macro, langs, errors)
}

func count(m map[string]*tally, key string, hit bool) {
	if m[key] == nil {
		m[key] = &tally{}
	}
	m[key].add(hit)
}
