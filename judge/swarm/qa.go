package swarm

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/judge"
)

// class is a kind of input that breaks code which nobody tried with it.
type class struct {
	name    string
	applies []string // words in a function's parameters or body that make it matter, in lower case; nil: any parameter does
	tried   []string // words in tests of the function that show that somebody tried
}

// classes are the five of QA.
var classes = [...]class{
	{"empty", nil, []string{"empty", `""`, "''", "nil", "none", "null", "[]", "{}", "blank", "zero"}},
	{"malformed", []string{"parse", "decode", "unmarshal", "json", "yaml", "toml", "scan", "read", "deserialize", "atoi", "parseint", "regexp"}, []string{"invalid", "malformed", "bad", "broken", "garbage", "error", "raises", "throw", "wanterr", "corrupt"}},
	{"race", []string{"go func", "goroutine", "mutex", "sync.", "async", "await", "thread", "spawn", "lock(", "atomic", "chan ", "promise.all", "concurrent"}, []string{"race", "concurrent", "parallel", "go func", "thread", "promise.all", "gather", "waitgroup", "spawn"}},
	{"overflow", []string{"int32", "int64", "uint", " << ", " * ", "len(", "capacity", "u32", "u64", "i32", "i64", "usize", "integer.", "long "}, []string{"overflow", "max", "large", "huge", "limit", "1 <<", "1<<", "2**", "big", "minint", "boundary"}},
	{"timezone", []string{"time.", "datetime", "date(", "date.", "timestamp", "localdate", "zoned", "instant", "chrono", "utc"}, []string{"utc", "timezone", "tz", "location", "dst", "zone", "offset"}},
}

// matters and tried go by words; a test that names the function and the kind of input counts.
func (c *class) matters(f *function) bool {
	if c.applies == nil {
		return f.params != ""
	}
	text := strings.ToLower(f.params + " " + f.body)
	for _, w := range c.applies {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func (c *class) isTried(tests string) bool {
	tests = strings.ToLower(tests)
	for _, w := range c.tried {
		if strings.Contains(tests, w) {
			return true
		}
	}
	return false
}

// qa asks of every changed function which of the five kinds of input matter to it, and whether a test tries them.
func (s Swarm) qa(ctx context.Context, c *judge.Case, in *input) (Report, error) {
	r := Report{Worker: QA, Status: OK, Mode: "static", Summary: "every changed function has tests that try the inputs that matter"}
	var untested, weak []string
	for _, f := range in.files {
		for i := range f.funcs {
			fn := &f.funcs[i]
			tests := in.tests[fn.name]
			if strings.TrimSpace(tests) == "" {
				untested = append(untested, fn.name)
				r.Findings = append(r.Findings, Finding{f.path, fn.line, "no test names " + fn.name, ""})
				continue
			}
			var missing []string
			for k := range classes {
				if classes[k].matters(fn) && !classes[k].isTried(tests) {
					missing = append(missing, classes[k].name)
				}
			}
			if len(missing) > 0 {
				weak = append(weak, fn.name+" ("+strings.Join(missing, ", ")+")")
				r.Findings = append(r.Findings, Finding{f.path, fn.line, fn.name + " without " + strings.Join(missing, ", "), ""})
			}
		}
	}
	switch {
	case len(untested) > 0:
		r.Status, r.Summary = Missing, "no test names "+few(untested)
	case len(weak) > 0:
		r.Status, r.Summary = Weak, "not tried: "+few(weak)
	}
	return s.asked(ctx, c, in, r)
}

// asked lets a model add to a report of notes. A model that does not answer leaves it as it is, and says so.
func (s Swarm) asked(ctx context.Context, c *judge.Case, in *input, r Report) (Report, error) {
	if s.Model == nil {
		return r, nil
	}
	answer, err := s.Model.Look(ctx, c, r.Worker)
	if err != nil {
		r.Summary += " (no model answered: " + err.Error() + ")"
		return r, nil
	}
	r.Mode = "model"
	if found := in.quoted(answer.Findings); len(found) > 0 && answer.Status != OK {
		if r.Status == OK {
			r.Status, r.Summary = answer.Status, ""
		}
		r.Findings = append(r.Findings, found...)
		r.Summary = strings.TrimPrefix(r.Summary+"; "+summarize(found, ""), "; ")
	}
	return r, nil
}

func few(list []string) string {
	const most = 4
	text := strings.Join(list[:min(len(list), most)], ", ")
	if len(list) > most {
		text += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return text
}
