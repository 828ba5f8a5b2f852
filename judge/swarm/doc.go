package swarm

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge"
)

// doc names what a change gives its users and no document tells of: flags and environment variables.
func (s Swarm) doc(ctx context.Context, c *judge.Case, in *input) (Report, error) {
	r := Report{Worker: Doc, Status: OK, Mode: "static", Summary: "documents tell of every new flag and variable"}
	var names []string
	for _, f := range in.files {
		if f.kind != string(layout.Impl) && f.kind != string(layout.Other) {
			continue
		}
		numbers := make([]int, 0, len(f.lines))
		for n := range f.lines {
			numbers = append(numbers, n)
		}
		sort.Ints(numbers)
		for _, n := range numbers {
			for _, name := range promised(f.lines[n]) {
				if strings.Contains(in.docs, name) || slices.Contains(names, name) {
					continue
				}
				names = append(names, name)
				r.Findings = append(r.Findings, Finding{f.path, n, name + " is in no document", strings.TrimSpace(f.lines[n])})
			}
		}
	}
	if len(names) > 0 {
		r.Status, r.Summary = Drift, "no document tells of "+few(names)
	}
	return s.asked(ctx, c, in, r)
}

// promised are the flags and environment variables that a line of code reads.
func promised(line string) []string {
	var out []string
	for _, call := range [...]string{"os.Getenv(", "os.LookupEnv(", "getenv(", "os.environ.get(", "os.environ[", "process.env.", "process.env[", "System.getenv(", "env::var(", "env!(", "Platform.environment["} {
		_, rest, ok := strings.Cut(line, call)
		if !ok {
			continue
		}
		name := strings.TrimLeft(rest, `"'`)
		end := strings.IndexFunc(name, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
		if end < 0 {
			end = len(name)
		}
		if end > 2 {
			out = append(out, name[:end])
		}
	}
	for _, quote := range [...]string{`"--`, `'--`, "`--"} {
		for _, part := range strings.Split(line, quote)[1:] {
			end := strings.IndexFunc(part, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
			if end > 2 && (part[end] == quote[0] || part[end] == '=' || part[end] == ' ' || part[end] == ',') {
				out = append(out, "--"+part[:end])
			}
		}
	}
	return out
}
