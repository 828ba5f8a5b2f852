// Package docs finds documents that speak of what is not there: names, flags and settings that the change took out of all
// code, and new sentences about flags, functions, files and commands that nothing has.
//
// Change logs, migration guides, decision records and versioned documents tell of other times and are left alone. It owns no
// table and starts no process.
package docs

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "doc-drift", Axis: verdict.Documentation, Class: verdict.Soft,
		What: "a name went from all code, and a document still speaks of it",
		Why:  "readers try what does not work", Question: "Which sentence of the document is now false? Quote it.",
		Find: drift,
	}, {
		ID: "doc-phantom", Axis: verdict.Documentation, Class: verdict.Soft,
		What: "a new sentence of a document names a flag, function, file or command that is nowhere",
		Why:  "readers try what does not work", Question: "Does the sentence speak of this project, and is the thing that it names there?",
		Find: phantom,
	}, {
		ID: "doc-parameter", Axis: verdict.Documentation, Class: verdict.Soft,
		What: "the comment of a function still describes a parameter that the change removed",
		Why:  "callers are told to pass what nobody takes",
		Find: parameters,
	}}
}

// Words lists what the rules search the project for, beyond names that went.
func Words(v *project.View) []string {
	words, _ := settings(v.C)
	return append(words, claimed(all(v))...)
}

// told reports documents that describe the project as it is.
func told(p string) bool {
	base := strings.ToLower(path.Base(p))
	switch path.Ext(base) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".org":
	case ".txt":
		if !strings.HasPrefix(base, "readme") && !strings.HasPrefix(base, "usage") && !strings.HasPrefix(strings.ToLower(p), "doc") {
			return false
		}
	case "":
		if !strings.HasPrefix(base, "readme") {
			return false
		}
	default:
		return false
	}
	if layout.Classify(p) == layout.Generated || layout.Classify(p) == layout.Test {
		return false
	}
	for d := range strings.SplitSeq(strings.ToLower(p), "/") {
		for _, w := range [...]string{"changelog", "changes", "history", "news", "release", "migrat", "upgrad", "whatsnew", "whats-new", "adr", "rfc", "proposal", "blog", "decision", "versioned", "archive", "legacy", "deprecat",
			"license", "authors", "contributors", "credits", "todo", "roadmap", "third_party", "fixture", "issue_template", "pull_request_template", "breaking", "design", "announc", "postmortem", "meeting"} {
			if strings.HasPrefix(d, w) {
				return false
			}
		}
		if len(d) > 1 && d[0] == 'v' && d[1] >= '0' && d[1] <= '9' || len(d) > 2 && d[0] >= '0' && d[0] <= '9' && strings.Contains(d, ".x") {
			return false
		}
	}
	return true
}

// isCode reports files that may hold what documents speak of.
func isCode(p string) bool {
	if source.Of(p) != "" {
		return true
	}
	switch layout.Classify(p) {
	case layout.Doc:
		return false
	}
	return true
}

// past reports lines that tell of what was.
func past(line string) bool {
	line = strings.ToLower(line)
	for _, w := range [...]string{"removed", "deprecat", "renamed", "no longer", "replaced", "formerly", "previously", "used to", "migrat", "instead of", "prior to", "before v", "until v", "since v", "legacy", "obsolete", "dropped"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// named reports whether a line has the name as a word of code: a call, a span of code, or a name that is no ordinary word.
func named(line, name string) bool {
	for from := 0; ; {
		k := strings.Index(line[from:], name)
		if k < 0 {
			return false
		}
		k += from
		end := k + len(name)
		from = end
		if k > 0 && letter(line[k-1]) || end < len(line) && letter(line[end]) {
			continue
		}
		if k > 0 && (line[k-1] == '/' || line[k-1] == '#') || end < len(line) && line[end] == '/' {
			continue // an address, an anchor
		}
		if coded(name) || end < len(line) && line[end] == '(' || strings.Count(line[:k], "`")%2 == 1 {
			return true
		}
	}
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// coded reports names that no language of people has: with humps or underscores inside.
func coded(name string) bool {
	body := strings.Trim(name, "_")
	if strings.Contains(body, "_") {
		return true
	}
	for i := 1; i < len(body); i++ {
		if body[i] >= 'A' && body[i] <= 'Z' && body[i-1] >= 'a' && body[i-1] <= 'z' {
			return true
		}
	}
	return false
}
