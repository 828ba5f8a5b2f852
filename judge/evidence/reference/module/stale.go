package module

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// stale finds configuration, CI files and scripts that name a file which the change took away.
func stale(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	var places map[string][]change.Place
	for _, gone := range v.GonePaths() {
		if layout.Classify(gone) == layout.Generated || !strings.Contains(gone, "/") && path.Ext(gone) == "" {
			continue
		}
		if places == nil {
			places = v.RemovedPlaces()
		}
		for _, p := range places[project.Stem(gone)] {
			if !wires(p.Path) || !mentions(p, gone) {
				continue
			}
			report(rule.Finding{
				Path: p.Path, Line: p.Line, Unit: gone, Text: fmt.Sprintf("%s:%d names %s, which this change removed", p.Path, p.Line, gone),
				Evidence: strings.TrimSpace(p.Text), Fix: "name the file that takes its place, or remove the line",
			})
			break
		}
	}
}

// wires reports files that say what is built, checked and run.
func wires(p string) bool {
	base := strings.ToLower(path.Base(p))
	if source.Of(p) != "" || strings.HasPrefix(base, ".git") || strings.Contains(base, "lock") || strings.Contains(base, "baseline") || strings.Contains(base, "ignore") || strings.Contains(base, "owners") || layout.IsTest(p) {
		return false
	}
	switch layout.Classify(p) {
	case layout.Config:
		return base != "go.sum"
	case layout.Other:
		switch path.Ext(base) {
		case ".sh", ".bash", ".ps1", ".bat", ".mk", "":
			return true
		}
	}
	return false
}

// mentions reports whether a line has the path, from the root or from the folder of the file, as a whole.
func mentions(p change.Place, gone string) bool {
	forms := []string{gone}
	if d := path.Dir(p.Path); d != "." {
		if rel, ok := strings.CutPrefix(gone, d+"/"); ok && strings.Contains(rel, "/") {
			forms = append(forms, rel)
		}
	}
	trimmed := strings.TrimSpace(p.Text)
	if strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "!") {
		return false
	}
	for _, form := range forms {
		k := strings.Index(p.Text, form)
		if k < 0 {
			continue
		}
		end := k + len(form)
		before, after := byte(' '), byte(' ')
		if k > 0 {
			before = p.Text[k-1]
		}
		if k > 1 && p.Text[k-2:k] == "./" {
			before = ' '
		}
		if end < len(p.Text) {
			after = p.Text[end]
		}
		if !pathByte(before) && !pathByte(after) {
			return true
		}
	}
	return false
}

// pathByte reports characters that go on a path.
func pathByte(c byte) bool {
	return c == '/' || c == '-' || c == '_' || c == '.' || c == '*' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
