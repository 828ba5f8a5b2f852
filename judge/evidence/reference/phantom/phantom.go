// Package phantom finds new calls of functions that exist nowhere.
//
// Where a file must import or define what it calls (Python, JavaScript modules, Go packages) that is certain. Elsewhere it
// is certain only when every door is closed: no import of everything, no base class of another project; otherwise it is a
// suspicion. Methods of unknown things are no business of it. It owns no table and starts no process.
package phantom

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/builtin"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "phantom-call", Axis: verdict.References, Class: verdict.Hard,
		What: "a new call of a function that is defined and imported nowhere",
		Why:  "the call fails when it is compiled or reached",
		Find: find,
	}}
}

// candidate is a new call that nothing in its file explains.
type candidate struct {
	file  *change.File
	r     *names.Reader
	at    int
	name  string
	self  bool   // of self or this
	class string // Go: the receiver's type
	root  bool   // not called itself, but something behind its dot is
}

func find(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	list := all(v)
	if len(list) == 0 {
		return
	}
	places := v.Places(Words(v))
	for _, x := range list {
		class, sure := decide(v, x, places[x.name])
		if !sure || v.Spent() {
			continue
		}
		line := x.r.TokenLine(x.at)
		what := "calls " + x.name + ", which is"
		switch {
		case x.root:
			what = "uses " + x.name + ", which is"
		case x.self:
			what = "calls " + x.r.Text(x.at-2) + "." + x.name + ", which is"
		}
		report(rule.Finding{
			Class: class, Path: x.file.Path, Line: line, Unit: x.name, Text: fmt.Sprintf("%s:%d %s defined and imported nowhere", x.file.Path, line, what),
			Evidence: strings.TrimSpace(x.r.Lines(line, line)), Fix: fmt.Sprintf("define or import %s, or call what there is", x.name),
		})
	}
}

// Words lists what the rule searches the project for.
func Words(v *project.View) []string {
	var words []string
	for _, x := range all(v) {
		words = append(words, x.name)
	}
	return words
}

type key struct{}

// all lists the candidates of all changed files, found once.
func all(v *project.View) []candidate {
	return v.C.Once(key{}, func() any {
		var list []candidate
		for _, f := range v.C.Files {
			if f.After != nil && len(f.Added) > 0 && f.Kind != layout.Generated && known(f.Lang) {
				list = append(list, candidates(v, f)...)
			}
		}
		return list
	}).([]candidate)
}

func known(l source.Lang) bool {
	switch l {
	case source.Go, source.Python, source.JS, source.TS, source.Java, source.Rust, source.Dart:
		return true
	}
	return false
}

// candidates lists the new calls of a file that nothing in the file explains, one for each name.
func candidates(v *project.View, f *change.File) []candidate {
	r := v.Present(f.Path)
	former := v.Former(f)
	var out []candidate
	seen := map[string]bool{}
	for i := range r.Tokens {
		line := r.TokenLine(i)
		if r.Tokens[i].Kind != source.Name || !f.Touched(line, line) {
			continue
		}
		name := r.Text(i)
		if len(name) < 2 || seen[name] || strings.Contains(name, "$") || name[0] >= 0x80 {
			continue
		}
		x := candidate{file: f, r: r, at: i, name: name}
		switch role := r.Role(i); {
		case role == names.Call:
		case role == names.Use && r.Is(i+1, ".") && (f.Lang == source.Python || f.Lang == source.Go):
			x.root = true
		case role == names.Member && r.Is(i+1, "(") && !r.Is(i-3, "."):
			x.self = true
			switch {
			case r.Is(i-2, "self") && f.Lang == source.Python, r.Is(i-2, "this") && f.Lang != source.Go && f.Lang != source.Rust:
			case f.Lang == source.Go && r.Kind(i-2) == source.Name:
				recv, class := r.Receiver(i)
				if recv == "" || recv != r.Text(i-2) {
					continue
				}
				x.class = class
			default:
				continue
			}
		default:
			continue
		}
		seen[name] = true
		if x.explained(former) {
			continue
		}
		out = append(out, x)
	}
	return out
}

// explained reports whether the file itself says where the name comes from, or used it before.
func (x *candidate) explained(former *names.Reader) bool {
	if x.self {
		if x.r.HasMember(x.name) {
			return true
		}
	} else if builtin.Known(x.r.Lang, x.name) || x.r.Declares(x.name, nil) || cased(x) {
		return true
	}
	if former != nil {
		for _, i := range former.At(x.name) {
			role := former.Role(i)
			if x.self && role == names.Member || !x.self && (role == names.Call || role == names.Use) {
				return true
			}
		}
	}
	for _, i := range x.r.At(x.name) { // a call that was there before explains the new one
		if x.r.Is(i-1, "typeof") || x.r.Is(i-1, "del") {
			return true
		}
	}
	return false
}

// cased leaves out what the shape of the name makes something else: types of Java, Dart and Rust come through folders and
// macros.
func cased(x *candidate) bool {
	c := x.name[0]
	upper := c >= 'A' && c <= 'Z'
	switch x.r.Lang {
	case source.Java, source.Dart, source.Rust:
		return upper
	case source.Python, source.JS, source.TS, source.Go:
		return x.root && upper && x.r.Lang == source.Python && len(x.name) < 3
	}
	return false
}

// decide gives the class of a finding, and false when something may explain the call after all.
func decide(v *project.View, x candidate, places []change.Place) (verdict.Class, bool) {
	if project.Common(places) {
		return "", false
	}
	if x.self {
		return ofSelf(v, x, places)
	}
	switch x.r.Lang {
	case source.Python:
		if writes(x.r) || x.r.Calls("exec") {
			return "", false
		}
		return verdict.Hard, !given(v, x)
	case source.JS, source.TS:
		// browsers have more types than any list
		return level(x.r.Is(x.at-1, "new")), !x.root && x.r.Module() && !ambient(v, x, places) && !strings.HasSuffix(x.file.Path, ".d.ts")
	case source.Go:
		return level(x.root), !given(v, x) && !packaged(v, x) // tools write Go's imports when a file is saved
	case source.Rust:
		if elsewhere(v, x, places) || len(x.r.At("include")) > 0 {
			return "", false
		}
		if p := x.r.Parent(x.at); macro(x.r, p) {
			return "", false
		}
		return level(given(v, x)), true
	case source.Java:
		if elsewhere(v, x, places) {
			return "", false
		}
		shut := closed(v, x) && !given(v, x)
		return level(!shut), shut || x.file.Kind != layout.Test
	case source.Dart:
		if elsewhere(v, x, places) {
			return "", false
		}
		shut := closed(v, x) && !given(v, x)
		return level(!shut), shut || x.file.Kind != layout.Test && !newImport(x)
	}
	return "", false
}

func level(open bool) verdict.Class {
	if open {
		return verdict.Soft
	}
	return verdict.Hard
}

// given reports whether an import of everything may give the name.
func given(v *project.View, x candidate) bool {
	if x.r.Lang == source.Dart {
		for _, i := range x.r.At("part") { // the imports are those of the library
			if !x.r.First(i) || !x.r.Is(i+1, "of") {
				continue
			}
			if x.r.Kind(i+2) != source.String {
				return true
			}
			library := v.Present(path.Join(path.Dir(x.file.Path), x.r.Unquote(i+2)))
			if library == nil {
				return true
			}
			x.r = library
			return library.Declares(x.name, nil) || given(v, x)
		}
	}
	for k := range x.r.Imports {
		if v.Gives(x.r, &x.r.Imports[k], x.name) {
			return true
		}
	}
	return false
}

// writes reports whether a Python file makes names at run time.
func writes(r *names.Reader) bool {
	for _, i := range r.At("globals") {
		if !r.Is(i+1, "(") {
			continue
		}
		switch k := r.Close(i+1) + 1; {
		case r.Is(k, "["):
			if r.Is(r.Close(k)+1, "=") {
				return true
			}
		case r.Is(k, "."):
			if !r.Is(k+1, "get") && !r.Is(k+1, "items") && !r.Is(k+1, "keys") && !r.Is(k+1, "values") {
				return true
			}
		case r.Is(k, ")"), r.Is(k, ","): // passed on
			return true
		}
	}
	return false
}

// newImport reports whether the change lets the file import something of another project.
func newImport(x candidate) bool {
	for k := range x.r.Imports {
		if m := &x.r.Imports[k]; x.file.Touched(m.Line, m.Line) && strings.Contains(m.Spec, ":") {
			return true
		}
	}
	return false
}

// elsewhere reports whether the project knows the name at another place than the new lines.
func elsewhere(v *project.View, x candidate, places []change.Place) bool {
	for _, p := range places {
		if source.Of(p.Path) == "" && layout.Classify(p.Path) == layout.Doc {
			continue
		}
		if f := v.Changed(p.Path); f == nil || !f.Touched(p.Line, p.Line) {
			return true
		}
	}
	// new definitions, wherever they are
	for _, f := range v.C.Files {
		if f.After == nil || f.Lang == "" {
			continue
		}
		r := v.Present(f.Path)
		for _, i := range r.At(x.name) {
			if role := r.Role(i); role != names.Call && role != names.Member {
				return true
			}
		}
	}
	return false
}

// ambient reports whether a script may get the name from its surroundings: another file uses it without importing it, or
// something declares it for all.
func ambient(v *project.View, x candidate, places []change.Place) bool {
	for _, p := range places {
		l := source.Of(p.Path)
		if l != source.JS && l != source.TS {
			if layout.Classify(p.Path) == layout.Config {
				return true
			}
			continue
		}
		r := v.Present(p.Path)
		if r == nil || strings.HasSuffix(p.Path, ".d.ts") {
			return true
		}
		if p.Path == x.file.Path {
			continue
		}
		declares := r.Declares(x.name, nil)
		if declares && !r.Module() {
			return true
		}
		for _, i := range r.At(x.name) {
			role := r.Role(i)
			if role == names.Call && !declares && v.Changed(p.Path) == nil || role == names.MemberDef || r.Is(i-2, "window") || r.Is(i-2, "global") || r.Is(i-2, "globalThis") {
				return true
			}
		}
		if len(r.At("declare")) > 0 && declares {
			return true
		}
	}
	for _, base := range [...]string{"nuxt.config.ts", "nuxt.config.js", "auto-imports.d.ts"} {
		if len(v.Named(base)) > 0 {
			return true
		}
	}
	// <script> files and templates that a bundler joins
	ext := path.Ext(x.file.Path)
	return ext == ".vue" || ext == ".svelte"
}

// packaged reports whether another file of the Go package gives the name.
func packaged(v *project.View, x candidate) bool {
	for _, p := range v.Dir(path.Dir(x.file.Path)) {
		if !strings.HasSuffix(p, ".go") || p == x.file.Path {
			continue
		}
		r := v.Present(p)
		if r == nil {
			return true
		}
		for _, i := range r.At(x.name) {
			switch role := r.Role(i); {
			case role == names.Def:
				return true
			case role == names.Bind && (r.Parent(i) < 0 || r.Parent(r.Parent(i)) < 0):
				return true
			case role == names.Call && v.Changed(p) == nil: // it compiled before
				return true
			}
		}
	}
	if x.root {
		for k := range x.r.Imports { // a package whose name is not that of its folder
			m := &x.r.Imports[k]
			if m.Alias == x.name || strings.Contains(m.Spec, x.name) {
				return true
			}
			if t := v.Resolve(x.r, m); !x.r.Is(m.From, m.Alias) && (!t.Found() || pkg(v.Present(t.Files[0])) == x.name) && strings.Contains(m.Spec, ".") {
				if !used(x.r, m.Alias) {
					return true
				}
			}
		}
	}
	return false
}

func pkg(r *names.Reader) string {
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

// used reports whether something in the file is called like the package.
func used(r *names.Reader, alias string) bool {
	for _, i := range r.At(alias) {
		if r.Is(i+1, ".") {
			return true
		}
	}
	return false
}

// macro reports whether the bracket at p is inside of the arguments or the body of a macro.
func macro(r *names.Reader, p int) bool {
	for ; p >= 0; p = r.Parent(p) {
		if r.Is(p-1, "!") || r.Is(p-2, "!") && r.Is(p-3, "macro_rules") {
			switch r.Text(p - 2) {
			case "assert", "assert_eq", "assert_ne", "println", "format", "vec", "debug_assert", "write", "writeln", "panic", "matches", "eprintln", "print":
				continue
			}
			return true
		}
	}
	return false
}
