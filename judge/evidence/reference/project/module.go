package project

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
)

// Lacks reports whether a module has nothing of the name: it neither defines nor imports it, and takes in no other module
// as a whole. It is false for what cannot be read.
func (v *View) Lacks(home, name string) bool {
	r := v.Present(home)
	if r == nil || r.Declares(name, nil) {
		return false
	}
	for k := range r.Imports {
		m := &r.Imports[k]
		switch {
		case m.Star && (r.Lang != source.Dart || m.Form == imports.Restate), r.Lang == source.Dart && m.Form == imports.File:
			return false
		}
		for _, n := range m.Names {
			if n.Name == name || n.Alias == name {
				return false
			}
		}
	}
	for _, i := range r.At(name) {
		switch r.Role(i) {
		case names.MemberDef, names.Key, names.Assign:
			return false
		}
	}
	switch r.Lang {
	case source.Python:
		for _, x := range r.Things() {
			if x.Name == "__getattr__" && x.Kind == names.Function {
				return false
			}
		}
		return !r.Calls("globals")
	case source.JS, source.TS:
		for _, i := range r.At("exports") { // module.exports = something that is made elsewhere
			if r.Is(i+1, "=") && !r.Is(i+2, "{") && r.Kind(i+2) != 0 && !r.Is(i+2, "exports") && r.Is(i-1, ".") {
				return false
			}
		}
		return !strings.Contains(r.Src, `'`+name+`'`) && !strings.Contains(r.Src, `"`+name+`"`)
	}
	return true
}

// Foreign reports whether an import may give its file names that nobody can list: everything of a module that is not
// this project's.
func (v *View) Foreign(r *names.Reader, m *imports.Import) bool {
	return v.foreign(r, m, "", 0)
}

// Gives reports whether an import of everything gives its file the name, or may.
func (v *View) Gives(r *names.Reader, m *imports.Import, name string) bool {
	return v.foreign(r, m, name, 0)
}

func (v *View) foreign(r *names.Reader, m *imports.Import, name string, depth int) bool {
	if !m.Star || m.Others || m.Form == imports.File && r.Lang != source.Dart {
		return false
	}
	switch r.Lang {
	case source.Rust:
		return m.Spec != "" && !strings.HasPrefix(m.Spec, "crate") && !strings.HasPrefix(m.Spec, "self") && !strings.HasPrefix(m.Spec, "super")
	case source.Java, source.Kotlin, source.Scala:
		return m.Static || r.Lang != source.Java
	case source.Dart:
		if plainPackage(m.Spec) {
			return false
		}
	}
	t := v.Resolve(r, m)
	if !t.Found() || depth > 6 {
		return true
	}
	for _, p := range t.Files {
		o := v.Present(p)
		if o == nil {
			return true
		}
		if name != "" && o.Declares(name, nil) {
			return true
		}
		for k := range o.Imports {
			n := &o.Imports[k]
			if o.Lang == source.Dart && n.Form == imports.Module { // what it imports stays there
				continue
			}
			if o.Lang == source.Dart && !n.Star && n.Form == imports.Restate {
				if name != "" && n.Binds(name) {
					return true
				}
				continue
			}
			if v.foreign(o, n, name, depth+1) {
				return true
			}
		}
	}
	return false
}

// plainPackage knows Dart libraries whose functions stand in package builtin.
func plainPackage(spec string) bool {
	for _, p := range [...]string{"dart:", "package:meta/", "package:equatable/", "package:args/", "package:logging/", "package:collection/"} {
		if strings.HasPrefix(spec, p) {
			return true
		}
	}
	return false
}
