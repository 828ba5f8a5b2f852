// Package symbol finds places that refer to a function, a type or a constant that the change took away.
//
// A name counts as gone when no file defines it any more. A place counts when it can mean nothing else: a name without a
// receiver where nothing binds it, self and this in a class whose bases are known, a name behind the class or module that
// had it, an import of it. It owns no table and starts no process.
package symbol

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/builtin"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "dangling-symbol", Axis: verdict.References, Class: verdict.Hard,
		What: "a definition went or was renamed, and something still refers to it",
		Why:  "the reference breaks when it is compiled or reached",
		Find: find,
	}}
}

// search is one run of the rule.
type search struct {
	v      *project.View
	places map[string][]change.Place
	report func(rule.Finding)
}

// maxFiles bounds the files that are read for one name: beyond it only the file that had it is looked at.
const maxFiles = 40

// maxPlaces bounds the findings for one name.
const maxPlaces = 3

func find(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	s := &search{v: v, places: v.RemovedPlaces(), report: report}
	done := map[string]bool{}
	removed := v.Removed()
	for i := range removed {
		t := &removed[i]
		if !known(t.File.Lang) || t.File.Kind == layout.Generated {
			continue
		}
		refs := s.references(t)
		if v.Spent() {
			return
		}
		for _, ref := range refs {
			key := fmt.Sprintf("%s:%d:%s", ref.file.Path, ref.line, t.Name)
			if done[key] {
				continue
			}
			done[key] = true
			s.tell(t, ref)
		}
	}
	for _, f := range c.Files {
		s.unbound(f, done)
	}
}

// known lists the languages whose references are understood well enough.
func known(l source.Lang) bool {
	switch l {
	case source.Go, source.Python, source.JS, source.TS, source.Java, source.Kotlin, source.Rust, source.Dart:
		return true
	}
	return false
}

// ref is a place that refers to what is gone.
type ref struct {
	file *names.Reader
	line int
}

func (s *search) tell(t *project.Removed, r ref) {
	what := map[names.Kind]string{names.Function: "function", names.Method: "method", names.Type: "type", names.Value: "name", names.ModuleX: "module"}[t.Kind]
	name := t.Name
	if t.Class != "" {
		name = t.Class + "." + name
	}
	f := rule.Finding{
		Path: r.file.Path, Line: r.line, Unit: t.Name,
		Text:     fmt.Sprintf("%s:%d refers to %s %s, which %s defined and nothing defines any more", r.file.Path, r.line, what, name, t.File.OldPath),
		Evidence: strings.TrimSpace(r.file.Lines(r.line, r.line)),
		Fix:      fmt.Sprintf("change the reference, or keep %s", name),
	}
	s.report(f)
}

// references finds what still refers to a removed definition.
func (s *search) references(t *project.Removed) []ref {
	family := project.Family(t.File.Lang)
	places := s.places[t.Name]
	paths := map[string]bool{}
	for _, p := range places {
		if family == "jvm" && strings.Contains(p.Text, "JvmName") {
			return nil // a Kotlin file stands for it
		}
		if project.Speaks(p.Path, family) {
			paths[p.Path] = true
		}
	}
	if project.Common(places) || len(paths) > maxFiles || t.Nested && !implicit(t.File.Lang) {
		paths = map[string]bool{}
		if t.File.After != nil {
			paths[t.File.Path] = true
		}
	}
	var list []string
	for p := range paths {
		list = append(list, p)
	}
	sort.Slice(list, func(a, b int) bool { // where it was defined first
		if x, y := list[a] == t.File.Path, list[b] == t.File.Path; x != y {
			return x
		}
		return list[a] < list[b]
	})
	var files []*names.Reader
	for _, p := range list {
		if r := s.v.Present(p); r != nil {
			files = append(files, r)
		}
	}
	switch {
	case t.Kind == names.Method:
		return s.methods(t, files)
	case t.Nested, t.Kind == names.Value && t.Class != "":
		return s.within(t, files)
	}
	var out []ref
	for _, r := range files {
		if layout.Classify(r.Path) == layout.Generated {
			continue
		}
		lines := s.bare(t, r, files)
		if len(lines) == 0 {
			lines = s.imported(t, r)
		}
		for _, n := range lines {
			if out = append(out, ref{r, n}); len(out) >= maxPlaces {
				return out
			}
		}
	}
	return out
}

// bare finds names without a receiver that meant the definition.
func (s *search) bare(t *project.Removed, r *names.Reader, files []*names.Reader) []int {
	var except func(*imports.Import) bool
	if r.Lang == source.Rust { // an import from the file itself
		except = func(m *imports.Import) bool { return local(m.Spec) }
	}
	if !s.sees(t, r, files) || r.Declares(t.Name, except) || s.open(r) || builtin.Known(r.Lang, t.Name) {
		return nil
	}
	var out []int
	for _, i := range r.At(t.Name) {
		if r.Is(i-1, "typeof") {
			return nil
		}
		switch role := r.Role(i); {
		case role == names.Call, role == names.Use && value(t, r, i):
			out = append(out, r.TokenLine(i))
		case role == names.Path && t.Kind == names.ModuleX && (r.Is(i-2, "crate") || r.Is(i-2, "self") || r.Is(i-2, "super")):
			out = append(out, r.TokenLine(i))
		}
	}
	return out
}

// within finds uses of a name that only a function or a class of one file had.
func (s *search) within(t *project.Removed, files []*names.Reader) []ref {
	if t.File.After == nil {
		return nil
	}
	r := s.v.Present(t.File.Path)
	if r.Declares(t.Name, nil) || (t.Class != "" || implicit(r.Lang)) && r.HasMember(t.Name) || s.open(r) || builtin.Known(r.Lang, t.Name) {
		return nil
	}
	if t.Class != "" && !t.Private && !s.basesKnown(t, s.v.Former(t.File)) {
		return nil
	}
	if implicit(r.Lang) && !t.Private && s.definedIn(t.Name, "", files) {
		return nil
	}
	var out []ref
	for _, i := range r.At(t.Name) {
		role := r.Role(i)
		if r.Is(i-1, "typeof") {
			return nil
		}
		if role == names.Call || role == names.Use && value(t, r, i) || t.Class != "" && role == names.Member && r.Is(i-2, "this") {
			out = append(out, ref{r, r.TokenLine(i)})
		}
	}
	return out[:min(len(out), maxPlaces)]
}

// value reports whether the name at i, which is no call, is the definition and not a key or a label.
func value(t *project.Removed, r *names.Reader, i int) bool {
	switch r.Lang {
	case source.JS, source.TS:
		if r.Is(i-1, "<") || r.Is(i-1, "/") || r.Is(i+1, ">") { // JSX, or a type
			return t.Kind == names.Type || t.Name[0] >= 'A' && t.Name[0] <= 'Z'
		}
		if r.Kind(i-1) == source.Name && r.Kind(i+1) == source.Name { // text between tags
			return false
		}
	case source.Go:
		if r.Is(i+1, ":") {
			return false
		}
	case source.Rust:
		if r.Is(i-1, "'") || r.Is(r.Parent(i)-1, "!") || t.Kind == names.ModuleX && !r.Is(i+1, "::") {
			return false
		}
	case source.Java, source.Dart, source.Kotlin:
		if t.Kind == names.Value && !t.Private { // fields of other classes have the name, too
			return false
		}
	}
	return true
}

// sees reports whether a bare name in r would have meant the definition.
func (s *search) sees(t *project.Removed, r *names.Reader, files []*names.Reader) bool {
	same := r.Path == t.File.Path
	switch t.File.Lang {
	case source.Go:
		if path.Dir(r.Path) != path.Dir(t.File.OldPath) || packageOf(r) != packageOf(s.v.Former(t.File)) {
			return false
		}
		return !s.definedIn(t.Name, path.Dir(r.Path), files)
	case source.Java, source.Kotlin:
		if t.Kind != names.Type || s.definedIn(t.Name, "", files) {
			return false
		}
		return path.Dir(r.Path) == path.Dir(t.File.OldPath) || strings.HasSuffix(path.Dir(r.Path), afterSource(path.Dir(t.File.OldPath)))
	case source.Dart:
		if s.definedIn(t.Name, "", files) {
			return false
		}
		return same || !strings.HasPrefix(t.Name, "_") && distinct(t.Name)
	case source.Rust:
		return same && !s.macro(t.Name, files)
	}
	return same
}

// afterSource is the package folder of a Java file, from the source root on.
func afterSource(dir string) string {
	for _, root := range [...]string{"/java/", "/kotlin/", "/src/"} {
		if k := strings.LastIndex(dir, root); k >= 0 {
			return dir[k+len(root)-1:]
		}
	}
	return "\x00"
}

// macro reports whether a macro may define the name: it stands right in the arguments of one.
func (s *search) macro(name string, files []*names.Reader) bool {
	for _, r := range files {
		for _, i := range r.At(name) {
			if p := r.Parent(i); p > 0 && r.Is(p-1, "!") && r.Parent(p) < 0 {
				return true
			}
		}
	}
	return false
}

// definedIn reports whether one of the files, in the folder dir if that is not empty, defines the name at the top.
func (s *search) definedIn(name, dir string, files []*names.Reader) bool {
	for _, r := range files {
		if dir != "" && path.Dir(r.Path) != dir {
			continue
		}
		for _, i := range r.At(name) {
			switch r.Role(i) {
			case names.Def:
				return true
			case names.Bind:
				if r.Lang == source.Go && r.Parent(i) >= 0 && r.Parent(r.Parent(i)) < 0 || r.Parent(i) < 0 || r.Lang != source.Go {
					return true
				}
			}
		}
	}
	return false
}

// open reports whether an import may give the file any name. In languages where every import does, only new ones can
// stand in for what went.
func (s *search) open(r *names.Reader) bool {
	f := s.v.Changed(r.Path)
	for k := range r.Imports {
		m := &r.Imports[k]
		switch r.Lang {
		case source.Dart, source.Java, source.Kotlin:
			if f == nil || !f.Touched(m.Line, m.Line) {
				continue
			}
		}
		if s.v.Foreign(r, m) {
			return true
		}
	}
	return false
}

// packageOf is the package clause of a Go file.
func packageOf(r *names.Reader) string {
	if r == nil {
		return ""
	}
	for i := range r.Tokens {
		if r.Is(i, "package") {
			return r.Text(i + 1)
		}
	}
	return ""
}

// distinct reports names that are no common word: they have humps or underscores, and some length.
func distinct(name string) bool {
	if len(name) < 8 {
		return false
	}
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
