// Package names tells what a name does where it stands: whether the place defines it, binds it to a local thing, imports
// it, calls it, or reads it.
//
// It looks at tokens and brackets of one file in the languages of internal/source, knows no types and never fails. Where
// it cannot tell, it says that the place binds the name: rules stay silent about names that something may bind. It owns no
// table and judges nothing. A Reader belongs to one goroutine.
package names

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/units"
)

// Role is what a name does at a place.
type Role uint8

// The roles.
const (
	Use       Role = iota // read, passed on, used as a type
	Call                  // called without a receiver
	Assign                // assigned, where that does not declare
	Member                // behind a dot
	MemberDef             // behind a dot, and assigned
	Path                  // behind ::
	Key                   // a key of a literal, a field, a named argument
	Bind                  // a variable, a parameter, whatever may be one
	Def                   // a function, a type, a method
	Inner                 // the name that a function expression has inside of itself
	Import                // in an import
)

// Reader reads one file.
type Reader struct {
	*units.File
	Imports []imports.Import

	decls   []source.Decl
	defs    map[int]bool // tokens that name a declaration
	parent  []int32      // opening bracket around each token; -1 = none
	at      map[string][]int
	classes []Class
	read    struct{ at, classes bool }
}

// New reads a file.
func New(f *units.File) *Reader {
	r := &Reader{File: f, Imports: imports.List(f), defs: map[int]bool{}}
	if f.Lang != "" {
		r.decls = f.Decls()
	}
	for _, d := range r.decls {
		r.defs[d.At] = true
	}
	r.parent = make([]int32, len(f.Tokens))
	var stack []int32
	for i := range f.Tokens {
		if f.Tokens[i].Kind == source.Op && f.Tokens[i].End-f.Tokens[i].Pos == 1 {
			switch f.Src[f.Tokens[i].Pos] {
			case ')', ']', '}':
				if len(stack) > 0 {
					stack = stack[:len(stack)-1]
				}
			}
		}
		r.parent[i] = -1
		if len(stack) > 0 {
			r.parent[i] = stack[len(stack)-1]
		}
		if f.Tokens[i].Kind == source.Op && f.Tokens[i].End-f.Tokens[i].Pos == 1 {
			switch f.Src[f.Tokens[i].Pos] {
			case '(', '[', '{':
				stack = append(stack, int32(i))
			}
		}
	}
	return r
}

// Parent is the opening bracket around token i, -1 at the top.
func (r *Reader) Parent(i int) int {
	if i < 0 || i >= len(r.parent) {
		return -1
	}
	return int(r.parent[i])
}

// At lists the tokens that are the name.
func (r *Reader) At(name string) []int {
	if !r.read.at {
		r.read.at, r.at = true, map[string][]int{}
		for i := range r.Tokens {
			if r.Tokens[i].Kind == source.Name {
				w := r.Text(i)
				r.at[w] = append(r.at[w], i)
			}
		}
	}
	return r.at[name]
}

// Declares reports whether a declaration, a variable or an import may give the file the name, other than through an
// import that except (may be nil) picks out.
func (r *Reader) Declares(name string, except func(*imports.Import) bool) bool {
	if r.Lang == source.Go { // their names stand in strings
		for k := range r.Imports {
			if m := &r.Imports[k]; m.Alias == name && (except == nil || !except(m)) {
				return true
			}
		}
	}
	for _, i := range r.At(name) {
		switch r.Role(i) {
		case Bind, Def, Inner:
			return true
		case Assign:
			if r.Lang != source.TS && !r.Module() {
				return true
			}
		case Import:
			for k := range r.Imports {
				if imp := &r.Imports[k]; i >= imp.From && i < imp.To && imp.Binds(name) && (except == nil || !except(imp)) {
					return true
				}
			}
		}
	}
	return false
}

// Calls reports whether the file calls the name without a receiver.
func (r *Reader) Calls(name string) bool {
	for _, i := range r.At(name) {
		if r.Role(i) == Call {
			return true
		}
	}
	return false
}

// Module reports whether a script has scope of its own: it imports or exports something.
func (r *Reader) Module() bool {
	return len(r.Imports) > 0 || len(r.At("export")) > 0 || len(r.At("exports")) > 0 || len(r.At("import")) > 0
}

// HasMember reports whether the file defines a member of the name: a method, a field, a property. Variables inside of
// functions are none.
func (r *Reader) HasMember(name string) bool {
	for _, i := range r.At(name) {
		switch r.Role(i) {
		case Def, MemberDef, Key:
			return true
		case Bind:
			if p := r.Parent(i); p >= 0 && (r.fields(p) || r.Is(p-1, "struct")) || r.classLevel(i) {
				return true
			}
		}
	}
	return false
}

// classLevel reports whether token i stands in a class and in no function of it, or in the parameters of its constructor.
func (r *Reader) classLevel(i int) bool {
	c := r.ClassAt(i)
	if c == nil {
		return false
	}
	for k := range r.decls {
		if d := &r.decls[k]; !d.Type && i >= d.From && i < d.To && d.From > c.From {
			return false
		}
	}
	return true
}

// importAt is the import that token i belongs to.
func (r *Reader) importAt(i int) *imports.Import {
	for k := range r.Imports {
		if imp := &r.Imports[k]; i >= imp.From && i < imp.To {
			return imp
		}
	}
	return nil
}

// Decls lists what the file declares.
func (r *Reader) Decls() []source.Decl { return r.decls }
