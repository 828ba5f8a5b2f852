package project

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
)

// Target is what an import means.
type Target struct {
	Files []string // those of its possible files that are there; several for a Go package
	Gone  string   // one of its possible files that the change took away; "" when there is none
	Local bool     // it can only mean something of this project
}

// Found reports whether the import leads somewhere.
func (t Target) Found() bool { return len(t.Files) > 0 }

// Resolve tells which file an import of the file r means.
func (v *View) Resolve(r *names.Reader, m *imports.Import) Target {
	v.list()
	dir := path.Dir(r.Path)
	switch r.Lang {
	case source.JS, source.TS:
		return v.script(dir, m.Spec)
	case source.Python:
		return v.python(r.Path, m.Spec)
	case source.Dart:
		return v.dart(dir, m.Spec)
	case source.Rust:
		if m.Form == imports.File {
			return v.rustModule(r, m)
		}
	case source.C, source.CPP:
		return v.include(dir, m.Spec)
	case source.Ruby:
		return v.pick([]string{path.Join(dir, m.Spec) + ".rb", path.Join(dir, m.Spec)}, true)
	case source.Go:
		return v.golang(m.Spec)
	case source.Java, source.Kotlin:
		return v.java(m)
	}
	return Target{}
}

func (v *View) pick(candidates []string, local bool) Target {
	t := Target{Local: local}
	for _, c := range candidates {
		if v.has[c] {
			t.Files = append(t.Files, c)
			return t
		}
		if v.gone[c] && t.Gone == "" {
			t.Gone = c
		}
	}
	return t
}

// endings of files that a script may mean by a name without one.
var endings = [...]string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".json", ".vue", ".svelte", ".astro", ".css", ".scss", ".node", ".wasm", ".marko", ".coffee", ".es6", ".ejs", ".html", ".graphql"}

func (v *View) script(dir, spec string) Target {
	spec, _, _ = strings.Cut(spec, "?")
	if strings.Contains(spec, "!") || strings.ContainsAny(spec, "${*") {
		return Target{}
	}
	if strings.HasPrefix(spec, ".") {
		base := path.Join(dir, spec)
		if strings.HasPrefix(base, "..") {
			return Target{}
		}
		t := v.pick(scriptFiles(base), true)
		if !t.Found() && (v.has[path.Join(base, "package.json")] || base == ".") {
			t.Files = []string{path.Join(base, "package.json")}
		}
		if !t.Found() && (outDir(base) || v.platform(base)) {
			t.Local = false
		}
		return t
	}
	// @/x, ~/x, #x: a folder of this project that a configuration names
	rest, ok := strings.CutPrefix(spec, "@/")
	if !ok {
		if rest, ok = strings.CutPrefix(spec, "~/"); !ok {
			rest, ok = strings.CutPrefix(spec, "src/")
		}
	}
	if !ok || rest == "" {
		return Target{}
	}
	for _, f := range scriptFiles(rest) {
		for _, p := range v.bases[path.Base(f)] {
			if strings.HasSuffix("/"+p, "/"+f) {
				return Target{Files: []string{p}}
			}
		}
		for p := range v.gone {
			if strings.HasSuffix("/"+p, "/"+f) {
				return Target{Gone: p}
			}
		}
	}
	return Target{}
}

// platform reports files such as base.ios.js, which stand for base.
func (v *View) platform(base string) bool {
	d, b := path.Split(base)
	for _, p := range v.dirs[strings.TrimSuffix(d, "/")] {
		if strings.HasPrefix(path.Base(p), b+".") {
			return true
		}
	}
	return false
}

// scriptFiles lists the files that base may mean.
func scriptFiles(base string) []string {
	out := []string{base}
	switch ext := path.Ext(base); ext {
	case ".js", ".jsx", ".mjs", ".cjs":
		stem := strings.TrimSuffix(base, ext)
		out = append(out, stem+".ts", stem+".tsx", stem+".mts", stem+".cts", stem+".d.ts", stem+".jsx", stem+".d.mts", stem+".d.cts")
	}
	for _, e := range endings {
		out = append(out, base+e)
	}
	for _, e := range endings {
		out = append(out, base+"/index"+e)
	}
	return out
}

// outDir reports paths through folders that a build makes.
func outDir(p string) bool {
	for d := range strings.SplitSeq(p, "/") {
		switch d {
		case "dist", "build", "out", "generated", "__generated__", "gen", "lib", "es", "esm", "cjs", "umd", "pkg", "node_modules", "target", "coverage", "bin", "vendor", "public", ".next", ".svelte-kit", "temp", "tmp", "types", "package.json":
			return true
		}
	}
	return false
}

func (v *View) dart(dir, spec string) Target {
	if rest, ok := strings.CutPrefix(spec, "package:"); ok {
		name, file, _ := strings.Cut(rest, "/")
		root, own := v.dartPackage(name)
		if !own {
			return Target{}
		}
		t := v.pick([]string{path.Join(root, "lib", file)}, true)
		t.Local = !generatedDart(file)
		return t
	}
	if strings.Contains(spec, ":") || strings.Contains(spec, "$") {
		return Target{}
	}
	t := v.pick([]string{path.Join(dir, spec)}, true)
	t.Local = !generatedDart(spec) && !strings.HasPrefix(path.Join(dir, spec), "..")
	return t
}

// generatedDart reports names that code generators write: they may not be in the repository.
func generatedDart(p string) bool {
	base := path.Base(p)
	return strings.Count(base, ".") > 1 || strings.Contains(p, "generated") || strings.Contains(p, ".dart_tool") || strings.Contains(p, "l10n") || base == "firebase_options.dart"
}

// dartPackage finds the folder of a package of this project by the name in its pubspec.
func (v *View) dartPackage(name string) (string, bool) {
	for _, p := range v.bases["pubspec.yaml"] {
		for line := range strings.Lines(v.Text(p)) {
			if rest, ok := strings.CutPrefix(line, "name:"); ok {
				if strings.Trim(strings.TrimSpace(rest), `"'`) == name {
					return strings.TrimPrefix(path.Dir(p), "."), true
				}
				break
			}
		}
	}
	return "", false
}

func (v *View) rustModule(r *names.Reader, m *imports.Import) Target {
	dir, base := path.Split(r.Path)
	dir = strings.TrimSuffix(dir, "/")
	stem := strings.TrimSuffix(base, ".rs")
	dirs := []string{path.Join(dir, stem)}
	switch {
	case stem == "lib" || stem == "main" || stem == "mod" || stem == "build":
		dirs = []string{dir}
	case path.Base(dir) == "bin" || path.Base(dir) == "tests" || path.Base(dir) == "examples" || path.Base(dir) == "benches" || path.Base(path.Dir(dir)) == "tests":
		dirs = append(dirs, dir)
	}
	if r.Parent(m.From) >= 0 { // inside an inline module or a macro
		return Target{}
	}
	var candidates []string
	for _, d := range dirs {
		candidates = append(candidates, path.Join(d, m.Spec)+".rs", path.Join(d, m.Spec, "mod.rs"))
	}
	t := v.pick(candidates, true)
	if !t.Found() && t.Gone == "" && v.has[path.Join(dir, m.Spec)+".rs"] { // a crate root with another name
		t.Files = []string{path.Join(dir, m.Spec) + ".rs"}
	}
	return t
}

func (v *View) include(dir, spec string) Target {
	t := v.pick([]string{path.Join(dir, spec), path.Clean(spec), path.Join("include", spec), path.Join("src", spec)}, false)
	if t.Found() {
		return t
	}
	for _, p := range v.bases[path.Base(spec)] {
		if strings.HasSuffix("/"+p, "/"+path.Clean(strings.TrimLeft(spec, "./"))) || path.Base(spec) == spec {
			return Target{Files: []string{p}}
		}
	}
	if t.Gone == "" {
		for p := range v.gone {
			if strings.HasSuffix("/"+p, "/"+spec) {
				t.Gone = p
			}
		}
	}
	return t
}
