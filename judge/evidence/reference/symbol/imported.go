package symbol

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
)

// imported finds imports of the definition, and the name behind the module that had it.
func (s *search) imported(t *project.Removed, r *names.Reader) []int {
	home := t.File.Path
	if r.Path == home || t.File.Deleted() {
		if r.Lang != source.Go && r.Lang != source.Java {
			return nil // the missing module itself is told by another rule
		}
	}
	var out []int
	for k := range r.Imports {
		m := &r.Imports[k]
		switch r.Lang {
		case source.Python:
			out = append(out, s.fromPython(t, r, m)...)
		case source.JS, source.TS:
			out = append(out, s.fromScript(t, r, m)...)
		case source.Go:
			out = append(out, s.fromGo(t, r, m)...)
		case source.Rust:
			out = append(out, s.fromRust(t, r, m)...)
		case source.Java, source.Kotlin:
			if t.Kind == names.Type && m.Alias == t.Name && s.javaGone(t, m) {
				out = append(out, m.Line)
			}
		case source.Dart:
			for _, n := range m.Names {
				if n.Name == t.Name && s.v.Resolve(r, m).Found() && s.resolves(r, m, home) && s.v.Lacks(home, t.Name) {
					out = append(out, n.Line)
				}
			}
		}
	}
	if r.Lang == source.Rust && len(out) == 0 {
		out = s.rustPaths(t, r)
	}
	return out
}

// resolves reports whether the import means the file.
func (s *search) resolves(r *names.Reader, m *imports.Import, home string) bool {
	for _, p := range s.v.Resolve(r, m).Files {
		if p == home {
			return true
		}
	}
	if r.Lang != source.JS && r.Lang != source.TS || strings.HasPrefix(m.Spec, ".") {
		return false
	}
	// a folder that a configuration has another name for
	_, rest, ok := strings.Cut(m.Spec, "/")
	stem := strings.TrimSuffix(home, path.Ext(home))
	return ok && rest != "" && (strings.HasSuffix(stem, "/"+rest) || strings.HasSuffix(stem, "/"+rest+"/index"))
}

func (s *search) fromPython(t *project.Removed, r *names.Reader, m *imports.Import) []int {
	home := t.File.Path
	for _, n := range m.Names {
		if n.Name == t.Name {
			if m.Guarded || !s.resolves(r, m, home) || !s.v.Lacks(home, t.Name) {
				continue
			}
			if strings.HasSuffix(home, "__init__.py") {
				d := path.Dir(home)
				if s.v.Has(path.Join(d, t.Name+".py")) || s.v.HasDir(path.Join(d, t.Name)) {
					continue
				}
			}
			return []int{n.Line}
		}
		// from pkg import mod; mod.name
		sub := *m
		sub.Spec = strings.TrimSuffix(m.Spec, ".") + "." + n.Name
		if strings.Trim(m.Spec, ".") == "" {
			sub.Spec = m.Spec + n.Name
		}
		if n.Name == project.Stem(home) && s.resolves(r, &sub, home) && s.v.Lacks(home, t.Name) {
			return s.behind(t, r, n.Alias)
		}
	}
	if len(m.Names) == 0 && !m.Star && m.Alias != "" && s.resolves(r, m, home) && s.v.Lacks(home, t.Name) {
		last := m.Spec[strings.LastIndexByte(m.Spec, '.')+1:]
		if !strings.Contains(m.Spec, ".") || m.Alias != strings.Split(m.Spec, ".")[0] {
			last = m.Alias
		}
		return s.behind(t, r, last)
	}
	return nil
}

func (s *search) fromScript(t *project.Removed, r *names.Reader, m *imports.Import) []int {
	home := t.File.Path
	if strings.HasSuffix(home, ".d.ts") || m.Guarded {
		return nil
	}
	for _, n := range m.Names {
		if n.Name == t.Name && s.resolves(r, m, home) && s.v.Lacks(home, t.Name) {
			return []int{n.Line}
		}
	}
	for _, n := range m.Names {
		if n.Name == "default" && s.standard(t) && s.resolves(r, m, home) {
			if h := s.v.Present(home); h != nil && len(h.At("default")) == 0 && len(h.At("exports")) == 0 {
				return []int{n.Line}
			}
		}
	}
	if m.Alias != "" && m.Alias != t.Name && s.exported(t) && s.resolves(r, m, home) && s.v.Lacks(home, t.Name) {
		return s.behind(t, r, m.Alias)
	}
	return nil
}

// exported reports whether the module of a removed definition gave it to others.
func (s *search) exported(t *project.Removed) bool {
	f := s.v.Former(t.File)
	for i := t.At - 1; i >= 0 && i > t.At-6; i-- {
		if f.Is(i, "export") {
			return true
		}
	}
	return len(f.At("exports")) > 0
}

// standard reports whether the removed definition was what its module gave as a whole.
func (s *search) standard(t *project.Removed) bool {
	f := s.v.Former(t.File)
	for i := t.At - 1; i >= 0 && i > t.At-5; i-- {
		if f.Is(i, "default") {
			return true
		}
	}
	return false
}

// behind finds module.name, and tells nothing when something else in the file may be called like the module.
func (s *search) behind(t *project.Removed, r *names.Reader, module string) []int {
	var out []int
	for _, i := range r.At(t.Name) {
		if r.Role(i) == names.Member && r.Is(i-1, ".") && r.Is(i-2, module) && !r.Is(i-3, ".") {
			if r.Declares(module, func(m *imports.Import) bool { return m.Binds(module) }) {
				return nil
			}
			out = append(out, r.TokenLine(i))
		}
	}
	return out
}

func (s *search) fromGo(t *project.Removed, r *names.Reader, m *imports.Import) []int {
	dir := path.Dir(t.File.OldPath)
	if t.Name[0] < 'A' || t.Name[0] > 'Z' || m.Alias == "_" || m.Alias == "." || strings.HasSuffix(t.File.OldPath, "_test.go") {
		return nil
	}
	spec, ok := s.v.Folder(dir)
	if !ok || spec != m.Spec {
		return nil
	}
	for _, p := range s.v.Dir(dir) {
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			if g := s.v.Present(p); g != nil {
				for _, x := range g.Things() {
					if x.Name == t.Name && x.Kind != names.Method {
						return nil
					}
				}
			}
		}
	}
	alias := m.Alias
	if r.Is(m.From, alias) { // a name that the file chose
		return s.behind(t, r, alias)
	}
	if pkg := packageOf(s.v.Former(t.File)); pkg != "" {
		alias = pkg
	}
	return s.behind(t, r, alias)
}

func (s *search) fromRust(t *project.Removed, r *names.Reader, m *imports.Import) []int {
	for _, n := range m.Names {
		if n.Name != t.Name || !local(m.Spec) && !strings.Contains(m.Spec, "::") {
			continue
		}
		if s.module(m.Spec, t) && s.v.Lacks(t.File.Path, t.Name) {
			return []int{n.Line}
		}
	}
	return nil
}

func local(spec string) bool {
	return spec == "crate" || spec == "super" || spec == "self" || strings.HasPrefix(spec, "crate::") || strings.HasPrefix(spec, "super::") || strings.HasPrefix(spec, "self::")
}

// module reports whether a path of a use statement ends at the module of the definition's file.
func (s *search) module(spec string, t *project.Removed) bool {
	last := spec[strings.LastIndex(spec, ":")+1:]
	stem := strings.TrimSuffix(path.Base(t.File.Path), ".rs")
	switch stem {
	case "mod":
		stem = path.Base(path.Dir(t.File.Path))
	case "lib", "main":
		return last == "crate"
	}
	return last == stem && (local(spec) || !strings.Contains(spec, "::"))
}

// rustPaths finds module::name.
func (s *search) rustPaths(t *project.Removed, r *names.Reader) []int {
	var out []int
	for _, i := range r.At(t.Name) {
		if r.Role(i) != names.Path {
			continue
		}
		spec := r.Text(i - 2)
		for k := i - 3; r.Is(k, "::"); k -= 2 {
			spec = r.Text(k-1) + "::" + spec
		}
		if (local(spec) || r.Class(spec) == nil && spec != "" && spec[0] >= 'a' && spec[0] <= 'z') && s.module(spec, t) && s.v.Lacks(t.File.Path, t.Name) {
			out = append(out, r.TokenLine(i))
		}
	}
	return out
}

// javaGone reports whether the import names the removed type and no file stands for it.
func (s *search) javaGone(t *project.Removed, m *imports.Import) bool {
	pkg := strings.ReplaceAll(strings.TrimSuffix(m.Spec, "."+t.Name), ".", "/")
	if !strings.HasSuffix("/"+path.Dir(t.File.OldPath), "/"+pkg) {
		return false
	}
	var files []*names.Reader
	for _, p := range s.places[t.Name] {
		if project.Code(p.Path, "jvm") {
			if r := s.v.Present(p.Path); r != nil {
				files = append(files, r)
			}
		}
	}
	return !s.definedIn(t.Name, "", files)
}
