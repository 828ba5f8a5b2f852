package docs

import (
	"fmt"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// shortest is the length under which a removed name is taken for an ordinary word, in bytes.
const shortest = 6

// drift finds documents about names, flags and settings that went.
func drift(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	seen := map[string]bool{}
	var places map[string][]change.Place
	for _, t := range v.Removed() {
		if len(t.Name) < shortest || seen[t.Name] || t.File.IsTest() || t.Nested {
			continue
		}
		seen[t.Name] = true
		if places == nil {
			places = v.RemovedPlaces()
		}
		stale(v, t.Name, t.File.OldPath, places[t.Name], t.Name, report)
	}
	words, flags := settings(c)
	if len(words) == 0 {
		return
	}
	found := v.Places(words)
	for i, w := range words {
		if !seen[flags[i].name] {
			seen[flags[i].name] = true
			stale(v, flags[i].name, flags[i].path, found[w], flags[i].text, report)
		}
	}
}

// maxStale bounds the findings for one name.
const maxStale = 2

// stale reports the documents that still have a name which no code has.
func stale(v *project.View, name, from string, places []change.Place, text string, report func(rule.Finding)) {
	if project.Common(places) {
		return
	}
	var docs []change.Place
	for _, p := range places {
		switch {
		case !strings.Contains(p.Text, name):
		case told(p.Path):
			if named(p.Text, text) && !past(p.Text) {
				docs = append(docs, p)
			}
		case isCode(p.Path) && inCode(v, p, name):
			return
		}
	}
	sort.SliceStable(docs, func(a, b int) bool { return rank(docs[a].Path) < rank(docs[b].Path) })
	for i, p := range docs {
		if i == maxStale {
			return
		}
		report(rule.Finding{
			Path: p.Path, Line: p.Line, Unit: name, Text: fmt.Sprintf("%s:%d speaks of %s, which this change removed from %s: no code has it any more", p.Path, p.Line, text, from),
			Evidence: strings.TrimSpace(p.Text), Fix: fmt.Sprintf("say what takes the place of %s, or remove the sentence", text),
		})
	}
}

// rank puts the documents first that everybody reads.
func rank(p string) int {
	if !strings.Contains(p, "/") {
		return 0
	}
	return 1
}

// inCode reports whether a place is more than a comment.
func inCode(v *project.View, p change.Place, name string) bool {
	r := v.Present(p.Path)
	if r == nil {
		return true
	}
	if len(r.At(name)) > 0 {
		return true
	}
	for i := range r.Tokens {
		if r.Tokens[i].Kind == source.String && int(r.Tokens[i].Line) <= p.Line && strings.Contains(r.Text(i), name) {
			return r.Lang != source.Python || !r.Tokens[i].First // a doc string is a document
		}
	}
	return false
}

// setting is a flag or an environment variable that stood in a string.
type setting struct{ name, text, path string }

// settings lists the flags and variables that the change took out of strings, with the word by which each is searched.
func settings(c *change.Change) (words []string, list []setting) {
	now := map[string]bool{}
	seen := map[string]bool{}
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" {
			continue
		}
		for i := range f.After.Tokens {
			if f.After.Tokens[i].Kind == source.String {
				now[strings.TrimLeft(f.After.Unquote(i), "-")] = true
			}
		}
	}
	for _, f := range c.Files {
		if f.Before == nil || f.Lang == "" || len(f.Removed) == 0 || f.Kind == layout.Generated || f.IsTest() {
			continue
		}
		for i := range f.Before.Tokens {
			line := f.Before.TokenLine(i)
			if f.Before.Tokens[i].Kind != source.String || !f.TouchedOld(line, line) {
				continue
			}
			body := f.Before.Unquote(i)
			name := strings.TrimLeft(body, "-")
			dashed := strings.HasPrefix(body, "--")
			if len(name) < shortest || len(name) > 40 || now[name] || seen[name] || len(list) > 50 {
				continue
			}
			text := name
			switch {
			case variable(name):
			case flag(name) && (dashed || strings.Contains(name, "-")):
				text = "--" + name
			default:
				continue
			}
			seen[name] = true
			words = append(words, longest(name))
			list = append(list, setting{name, text, f.OldPath})
		}
	}
	return words, list
}

func flag(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' || i == 0 && c == '-' {
			return false
		}
	}
	return s != ""
}

func variable(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return strings.Contains(s, "_")
}

func longest(s string) string {
	best := ""
	for _, w := range change.Words(s) {
		if len(w) > len(best) {
			best = w
		}
	}
	return best
}
