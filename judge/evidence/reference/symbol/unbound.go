package symbol

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/builtin"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// unbound finds names of one file that an import or a variable gave, which the change took away, and that are still used
// there. Only languages in which a file must import what it uses can tell.
func (s *search) unbound(f *change.File, done map[string]bool) {
	if f.Before == nil || f.After == nil || len(f.Removed) == 0 || f.Kind == layout.Generated {
		return
	}
	switch f.Lang {
	case source.Python, source.JS, source.TS, source.Go:
	default:
		return
	}
	former, r := s.v.Former(f), s.v.Present(f.Path)
	seen := map[string]bool{}
	for i := range former.Tokens {
		if former.Tokens[i].Kind != source.Name || !f.TouchedOld(former.TokenLine(i), former.TokenLine(i)) {
			continue
		}
		name := former.Text(i)
		if seen[name] || len(name) < 2 || strings.Contains(name, "$") {
			continue
		}
		switch former.Role(i) {
		case names.Import, names.Bind:
		default:
			continue
		}
		seen[name] = true
		s.lost(f, former, r, name, done)
	}
	if f.Lang != source.Go {
		return
	}
	for k := range former.Imports { // their names stand in strings
		if m := &former.Imports[k]; f.TouchedOld(m.Line, m.Line) && !seen[m.Alias] && len(m.Alias) > 1 {
			seen[m.Alias] = true
			s.lostPackage(f, r, m.Alias, done)
		}
	}
}

// lost tells of the uses of a name that nothing gives any more.
func (s *search) lost(f *change.File, former, r *names.Reader, name string, done map[string]bool) {
	if !former.Declares(name, nil) || r.Declares(name, nil) || builtin.Known(r.Lang, name) || s.open(r) {
		return
	}
	if r.Lang == source.Go && s.packageHas(path.Dir(f.Path), name) {
		return
	}
	for _, i := range r.At(name) {
		if r.Is(i-1, "typeof") || r.Is(i-1, "del") {
			return
		}
	}
	for _, i := range r.At(name) {
		role := r.Role(i)
		if role != names.Call && (role != names.Use || !plain(r, i)) {
			continue
		}
		s.tellLost(f, r, name, r.TokenLine(i), done)
		return
	}
}

// plain reports whether the use at i stands where only an expression can stand.
func plain(r *names.Reader, i int) bool {
	if r.Is(i+1, ".") {
		return !r.Is(i-1, "<") && !r.Is(i-1, "/")
	}
	switch r.Text(i - 1) {
	case "(", "=", "return", "+", "==", "===", "!==", "!=", "&&", "||", "!", "in", "not", "and", "or", "if", "await", "?", "...":
		switch r.Text(i + 1) {
		case ")", ",", ";", "+", "==", "===", "!=", "!==", "&&", "||", "[", "?", ":", "]", "in", "is", "and", "or":
			return r.Lang == source.Python || r.Lang == source.Go || !r.Is(i+1, ":") && !strings.HasSuffix(r.Path, "x")
		}
	}
	return false
}

func (s *search) lostPackage(f *change.File, r *names.Reader, name string, done map[string]bool) {
	for k := range r.Imports {
		if m := &r.Imports[k]; m.Alias == name || m.Alias == "." || m.Alias == "C" || strings.HasSuffix(m.Spec, "/"+name) || strings.Contains(m.Spec, name) {
			return
		}
	}
	if r.Declares(name, nil) || s.packageHas(path.Dir(f.Path), name) {
		return
	}
	for _, i := range r.At(name) {
		if r.Role(i) == names.Use && r.Is(i+1, ".") && r.Kind(i+2) == source.Name && r.Text(i + 2)[0] >= 'A' && r.Text(i + 2)[0] <= 'Z' {
			s.tellLost(f, r, name, r.TokenLine(i), done)
			return
		}
	}
}

// packageHas reports whether a file of a Go package defines the name at the top.
func (s *search) packageHas(dir, name string) bool {
	for _, p := range s.v.Dir(dir) {
		if strings.HasSuffix(p, ".go") {
			if g := s.v.Present(p); g == nil || s.definedIn(name, "", []*names.Reader{g}) {
				return true
			}
		}
	}
	return false
}

func (s *search) tellLost(f *change.File, r *names.Reader, name string, line int, done map[string]bool) {
	key := fmt.Sprintf("%s:%d:%s", r.Path, line, name)
	if done[key] || s.v.Spent() {
		return
	}
	done[key] = true
	s.report(rule.Finding{
		Path: r.Path, Line: line, Unit: name, Text: fmt.Sprintf("%s:%d uses %s, which nothing in the file defines or imports any more", r.Path, line, name),
		Evidence: strings.TrimSpace(r.Lines(line, line)), Fix: fmt.Sprintf("import or define %s again, or change its uses", name),
	})
}
