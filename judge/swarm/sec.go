package swarm

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge"
)

// sec looks for credentials, injection and unsafe deserialisation: the rules of the axis security, gitleaks, and a model
// that may add what it can quote.
func (s Swarm) sec(ctx context.Context, c *judge.Case, in *input) (Report, error) {
	r := Report{Worker: Sec, Status: Safe, Mode: "static", Findings: append([]Finding{}, in.static...)}
	suspicions := 0
	for _, f := range in.files {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if s.Leaks == nil {
			break
		}
		found, err := s.Leaks.Find(f.text)
		if err != nil {
			return r, err
		}
		for _, l := range found {
			line, added := f.lines[l.Line]
			switch {
			case !added:
			case !l.Certain || example(f):
				suspicions++
			default:
				r.Findings = append(r.Findings, Finding{f.path, l.Line, "credential (" + l.Rule + ")", mask(line)})
			}
		}
	}
	if s.Model == nil && s.RequireModel {
		return r, fmt.Errorf("a model is required (swarm.require_model), and no backend is configured")
	}
	if s.Model != nil {
		answer, err := s.Model.Look(ctx, c, Sec)
		if err != nil {
			return r, err
		}
		r.Mode = "model"
		if answer.Status == Unsafe {
			r.Findings = append(r.Findings, in.quoted(answer.Findings)...)
		}
	}
	if len(r.Findings) > 0 {
		r.Status = Unsafe
	}
	r.Summary = summarize(r.Findings, fmt.Sprintf("nothing found in %d files", len(in.files)))
	if suspicions > 0 && r.Status == Safe {
		r.Summary += fmt.Sprintf("; %d lines look like credentials of examples or tests", suspicions)
	}
	return r, nil
}

// example is a file whose credentials are made up, as a rule.
func example(f file) bool {
	return f.kind == string(layout.Test) || f.kind == string(layout.Doc) || layout.IsTest(f.path) || strings.Contains(f.path, "fixture") || strings.Contains(f.path, "example")
}

// mask keeps a line recognisable without its value.
func mask(line string) string {
	line = strings.TrimSpace(line)
	if i := strings.IndexAny(line, "=:"); i > 0 {
		return line[:i+1] + " [hidden]"
	}
	return "[hidden]"
}

// quoted keeps what a model can prove: a finding whose evidence stands on an added line of the file that it names.
func (in *input) quoted(list []Finding) []Finding {
	var out []Finding
	for _, f := range list {
		quote := strings.Join(strings.Fields(f.Evidence), " ")
		if len(quote) < 4 {
			continue
		}
		for _, x := range in.files {
			if x.path != f.File {
				continue
			}
			for n, text := range x.lines {
				if strings.Contains(strings.Join(strings.Fields(text), " "), quote) {
					f.Line = n
					out = append(out, f)
					break
				}
			}
		}
	}
	return out
}

// maxSummary bounds a summary, in bytes; source: the report format of the project's governance rules.
const maxSummary = 200

func summarize(list []Finding, none string) string {
	if len(list) == 0 {
		return none
	}
	var parts []string
	for _, f := range list[:min(len(list), 3)] {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		parts = append(parts, f.Class+" at "+where)
	}
	text := strings.Join(parts, "; ")
	if len(list) > 3 {
		text += fmt.Sprintf("; and %d more", len(list)-3)
	}
	if len(text) > maxSummary {
		text = strings.ToValidUTF8(text[:maxSummary-3], "") + "…"
	}
	return text
}
