// Package module finds imports that lead nowhere: of files that the change deleted or moved, and new ones of files and
// names that never were.
//
// Only what can mean nothing but this project counts: relative paths, own packages, modules of the own crate. It owns no
// table and starts no process.
package module

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "dangling-file", Axis: verdict.References, Class: verdict.Hard,
		What: "a file was deleted or moved, and something still imports it from there",
		Why:  "the import fails as soon as it is compiled or run",
		Find: deleted,
	}, {
		ID: "dangling-import", Axis: verdict.References, Class: verdict.Hard,
		What: "a new import of this project's own code leads to nothing",
		Why:  "the import fails as soon as it is compiled or run",
		Find: added,
	}, {
		ID: "stale-path", Axis: verdict.References, Class: verdict.Soft,
		What: "configuration, CI or a script names a file that the change deleted or moved",
		Why:  "the step that needs the file breaks, or does nothing",
		Find: stale,
	}}
}

// deleted finds imports of files that went.
func deleted(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	var places map[string][]change.Place
	seen := map[string]bool{}
	for _, gone := range v.GonePaths() {
		lang := source.Of(gone)
		if lang == "" || layout.Classify(gone) == layout.Generated {
			continue
		}
		if places == nil {
			places = v.RemovedPlaces()
		}
		for _, p := range importers(v, c, gone, places[project.Stem(gone)]) {
			if v.Spent() {
				return
			}
			r := v.Present(p)
			if r == nil {
				continue
			}
			for k := range r.Imports {
				m := &r.Imports[k]
				line, ok := leads(v, r, m, gone)
				key := fmt.Sprintf("%s:%d", p, line)
				if !ok || m.Guarded || seen[key] {
					continue
				}
				seen[key] = true
				report(rule.Finding{
					Path: p, Line: line, Unit: path.Base(gone), Text: fmt.Sprintf("%s:%d imports %s, which this change removed", p, line, gone),
					Evidence: strings.TrimSpace(r.Lines(line, line)), Fix: "change or remove the import, or bring the file back",
				})
			}
		}
	}
}

// importers lists the files that may import the one that went, the changed ones first.
func importers(v *project.View, c *change.Change, gone string, places []change.Place) []string {
	family := project.Family(source.Of(gone))
	var out []string
	seen := map[string]bool{}
	add := func(p string) {
		if !seen[p] && project.Code(p, family) {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, f := range c.Files {
		if f.After != nil && f.Lang != "" {
			add(f.Path)
		}
	}
	for _, p := range places {
		add(p.Path)
	}
	return out
}

// leads reports whether the import led to the file that went and leads nowhere now, and the line that says so.
func leads(v *project.View, r *names.Reader, m *imports.Import, gone string) (int, bool) {
	t := v.Resolve(r, m)
	if !t.Found() && t.Gone == gone && r.Lang != source.Go && r.Lang != source.Java && r.Lang != source.Kotlin {
		return m.Line, true
	}
	if r.Lang == source.Go {
		return m.Line, !t.Found() && t.Gone == gone && t.Local
	}
	if r.Lang != source.Python {
		return 0, false
	}
	for _, n := range m.Names { // from package import module
		sub := *m
		sub.Spec = m.Spec + "." + n.Name
		if strings.Trim(m.Spec, ".") == "" {
			sub.Spec = m.Spec + n.Name
		}
		s := v.Resolve(r, &sub)
		if s.Found() || s.Gone != gone {
			continue
		}
		if t.Found() && strings.HasSuffix(t.Files[0], ".py") && !v.Lacks(t.Files[0], n.Name) {
			continue
		}
		return n.Line, true
	}
	return 0, false
}

// added finds new imports that lead nowhere.
func added(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" || f.Kind == layout.Generated || f.Status == 'R' && len(f.Added) == 0 {
			continue
		}
		r := v.Present(f.Path)
		for k := range r.Imports {
			m := &r.Imports[k]
			if m.Guarded || !f.Touched(m.Line, max(r.TokenLine(m.To-1), m.Line)) {
				continue
			}
			tell := func(line int, what string) {
				if v.Spent() {
					return
				}
				report(rule.Finding{
					Path: f.Path, Line: line, Unit: m.Spec, Text: fmt.Sprintf("%s:%d imports %s", f.Path, line, what),
					Evidence: strings.TrimSpace(r.Lines(line, line)), Fix: "write what the import means, or remove it",
				})
			}
			t := v.Resolve(r, m)
			switch {
			case !t.Found() && t.Gone != "": // told by the other rule
			case !t.Found() && t.Local && !stood(f, m) && nowhere(v, r, m):
				tell(m.Line, fmt.Sprintf("%q, which is nowhere in this project", m.Spec))
			case t.Found():
				for _, n := range m.Names {
					if f.Touched(n.Line, n.Line) && missing(v, r, m, n, t) {
						tell(n.Line, fmt.Sprintf("%s from %q, which has nothing of that name", n.Name, m.Spec))
					}
				}
			case r.Lang == source.Rust && len(m.Names) > 0 && m.Form != imports.File:
				if name := unheard(v, f, m); name != "" {
					tell(m.Line, fmt.Sprintf("%s, and nothing in this project is called %s", strings.TrimPrefix(m.Spec+"::"+m.Names[0].Name, "::"), name))
				}
			}
		}
	}
}

// stood reports whether the former file imported the same from the same place: what led nowhere before is made by a
// build, or not the doing of this change.
func stood(f *change.File, m *imports.Import) bool {
	if f.Before == nil || path.Dir(f.OldPath) != path.Dir(f.Path) {
		return false
	}
	for _, b := range imports.List(f.Before) {
		if b.Spec == m.Spec && b.Form == m.Form {
			return true
		}
	}
	return false
}

// nowhere is the last doubt about an import without a target.
func nowhere(v *project.View, r *names.Reader, m *imports.Import) bool {
	switch r.Lang {
	case source.Java, source.Kotlin:
		parts := strings.Split(m.Spec, ".")
		class := parts[len(parts)-1]
		for _, p := range parts {
			if p != "" && p[0] >= 'A' && p[0] <= 'Z' {
				class = p
				break
			}
		}
		if processed(class) {
			return false
		}
		for _, p := range v.Places([]string{class})[class] {
			if p.Path != r.Path && !strings.Contains(p.Text, "import ") {
				return false
			}
		}
		return true
	case source.JS, source.TS:
		return !ignored(v, path.Join(path.Dir(r.Path), m.Spec))
	case source.Python, source.Go, source.Dart:
		return !ignored(v, strings.TrimLeft(strings.ReplaceAll(m.Spec, ".", "/"), "/"))
	}
	return true
}

// processed knows classes that annotation processors and plugins write.
func processed(class string) bool {
	for _, p := range [...]string{"AutoValue_", "AutoParcel_", "Dagger", "Hilt_", "Immutable", "Generated", "Q"} {
		if rest, ok := strings.CutPrefix(class, p); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return true
		}
	}
	for _, s := range [...]string{"_", "Grpc", "Proto", "Binding", "Impl_", "OuterClass", "Parser", "Lexer", "Directions", "Args", "Builder"} {
		if strings.HasSuffix(class, s) {
			return true
		}
	}
	return class == "R" || class == "BuildConfig"
}

// ignored reports whether the ignore file of the project names the file or a folder of it: it is made by a build.
func ignored(v *project.View, p string) bool {
	parts := strings.Split(p, "/")
	stem := parts[len(parts)-1]
	for line := range strings.Lines(v.Text(".gitignore")) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		if line == "" || line[0] == '#' {
			continue
		}
		base := path.Base(line)
		if base == stem || strings.HasPrefix(base, stem+".") && !strings.HasPrefix(base, ".") {
			return true
		}
		for _, d := range parts[:len(parts)-1] {
			if d == base {
				return true
			}
		}
	}
	return false
}

// missing reports whether the module that an import means certainly has nothing of the name.
func missing(v *project.View, r *names.Reader, m *imports.Import, n imports.Name, t project.Target) bool {
	home := t.Files[0]
	switch r.Lang {
	case source.Python:
		sub := *m
		sub.Spec = m.Spec + "." + n.Name
		if strings.Trim(m.Spec, ".") == "" {
			sub.Spec = m.Spec + n.Name
		}
		if s := v.Resolve(r, &sub); s.Found() || s.Gone != "" {
			return false
		}
		if !strings.HasSuffix(home, ".py") || v.Has(home+"i") || project.MadeByTools(n.Name) {
			return false
		}
		return v.Lacks(home, n.Name)
	case source.JS, source.TS:
		if n.Name == "default" || strings.HasSuffix(home, ".d.ts") || home == r.Path || typed(v, home) {
			return false
		}
		l := source.Of(home)
		return (l == source.JS || l == source.TS) && strings.HasPrefix(m.Spec, ".") && v.Lacks(home, n.Name)
	case source.Dart:
		return v.Lacks(home, n.Name)
	}
	return false
}

// typed reports whether a script has its types in a file of declarations beside it, which may give more names than it does.
func typed(v *project.View, home string) bool {
	stem := strings.TrimSuffix(home, path.Ext(home))
	return v.Has(stem+".d.ts") || v.Has(stem+".d.mts") || v.Has(stem+".d.cts")
}

// parts lists the words of a path into the own crate that must be names of this project.
func parts(m *imports.Import) []string {
	if len(m.Names) == 0 {
		return nil
	}
	var out []string
	for _, w := range append(strings.Split(m.Spec, "::"), m.Names[0].Name) {
		if w != "crate" && w != "super" && w != "self" && !strings.HasPrefix(w, "r#") {
			out = append(out, w)
		}
	}
	return out
}

// Words lists what the rules search the project for, beyond names that went: one search for all of them is cheaper.
func Words(v *project.View) []string {
	var words []string
	for _, f := range v.C.Files {
		if f.After == nil || f.Lang != source.Rust {
			continue
		}
		r := v.Present(f.Path)
		for k := range r.Imports {
			if m := &r.Imports[k]; own(m.Spec) && m.Form != imports.File && f.Touched(m.Line, max(r.TokenLine(m.To-1), m.Line)) {
				words = append(words, parts(m)...)
			}
		}
	}
	return words
}

// own reports paths into the own crate.
func own(spec string) bool {
	for _, root := range [...]string{"crate", "super", "self"} {
		if spec == root || strings.HasPrefix(spec, root+"::") {
			return true
		}
	}
	return false
}

// unheard gives a part of a path into the own crate that occurs nowhere else in the project.
func unheard(v *project.View, f *change.File, m *imports.Import) string {
	if !own(m.Spec) {
		return ""
	}
	for _, w := range parts(m) {
		known := v.HasDir(w)
		for _, p := range v.Places([]string{w})[w] {
			if known {
				break
			}
			if source.Of(p.Path) == source.Rust || strings.HasSuffix(p.Path, ".toml") {
				known = !f.Touched(p.Line, p.Line) || p.Path != f.Path // another line of the project has it
				if g := v.Changed(p.Path); !known || g != nil && g.Touched(p.Line, p.Line) {
					known = !strings.Contains(p.Text, "use ") && !strings.Contains(p.Text, "//") && defines(p.Text, w)
				}
			}
		}
		if !known {
			return w
		}
	}
	return ""
}

// defines reports whether a line of Rust looks like one that defines the name.
func defines(line, name string) bool {
	w := strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	for i := 1; i < len(w); i++ {
		if w[i] != name {
			continue
		}
		switch w[i-1] {
		case "fn", "struct", "enum", "trait", "mod", "type", "const", "static", "union", "macro_rules", "mut":
			return true
		}
	}
	return strings.HasSuffix(strings.TrimRight(strings.TrimSpace(line), ",({;"), name) && len(w) < 3 || strings.Contains(line, "!")
}
