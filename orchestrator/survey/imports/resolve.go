package imports

import (
	"path"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Package is a part of the project that others import by a name: a Go module, an npm, Dart or Rust package.
type Package struct {
	Lang source.Lang // Go, JS, Dart or Rust
	Name string
	Dir  string // slash path, "" for the project's root
}

// Resolver knows the files of a project. It must not be changed after the first Folder; Folder may be called from many goroutines.
type Resolver struct {
	files    map[string]bool
	folders  map[string]bool
	packages map[source.Lang][]Package
	jvm      map[string]string // folder of a Java package, by "a/b"
	python   []string          // folders that absolute imports are looked up in
}

// NewResolver knows the files (slash paths) and the packages of a project.
func NewResolver(files []string, packages []Package) *Resolver {
	r := &Resolver{files: make(map[string]bool, len(files)), folders: map[string]bool{"": true}, packages: map[source.Lang][]Package{}, jvm: map[string]string{}}
	python := map[string]bool{"": true}
	for _, f := range files {
		r.files[f] = true
		dir := parent(f)
		for d := dir; !r.folders[d]; d = parent(d) {
			r.folders[d] = true
		}
		switch lang := source.Of(f); lang {
		case source.Java, source.Kotlin, source.Scala:
			r.addJVM(dir)
		}
		switch base := path.Base(f); base {
		case "pyproject.toml", "setup.py", "setup.cfg", "manage.py":
			python[dir] = true
		}
	}
	for dir := range python {
		r.python = append(r.python, dir, join(dir, "src"), join(dir, "lib"))
	}
	sort.Strings(r.python)
	for _, p := range packages {
		r.packages[p.Lang] = append(r.packages[p.Lang], p)
	}
	for _, list := range r.packages { // the longest name first, so that a nested module wins
		sort.SliceStable(list, func(i, j int) bool { return len(list[i].Name) > len(list[j].Name) })
	}
	return r
}

// addJVM notes the folder of a package below a source root.
func (r *Resolver) addJVM(dir string) {
	for _, root := range [...]string{"/java/", "/kotlin/", "/scala/", "/src/"} {
		if _, pkg, ok := strings.Cut("/"+dir+"/", root); ok {
			if pkg = strings.Trim(pkg, "/"); pkg != "" && r.jvm[pkg] == "" {
				r.jvm[pkg] = dir
			}
			return
		}
	}
	if dir != "" && r.jvm[dir] == "" {
		r.jvm[dir] = dir
	}
}

// Folder gives the folder of the project that an import in a file leads to. It is never told of a file outside the project.
func (r *Resolver) Folder(file string, spec string) (dir string, ok bool) {
	lang := source.Of(file)
	from := parent(file)
	switch lang {
	case source.Go:
		return r.inPackage(source.Go, spec, "")
	case source.JS, source.TS:
		if strings.HasPrefix(spec, ".") {
			return r.place(clean(from, spec))
		}
		if dir, ok := r.inPackage(source.JS, spec, ""); ok {
			return dir, ok
		}
		return r.inPackage(source.JS, spec, "src")
	case source.Dart:
		if name, ok := strings.CutPrefix(spec, "package:"); ok {
			return r.inPackage(source.Dart, name, "lib")
		}
		if strings.Contains(spec, ":") {
			return "", false
		}
		return r.place(clean(from, spec))
	case source.C, source.CPP:
		return r.included(from, spec)
	case source.Ruby:
		return r.place(clean(from, spec))
	case source.Python:
		return r.pythonModule(from, spec)
	case source.Java, source.Kotlin, source.Scala:
		for pkg := strings.ReplaceAll(spec, ".", "/"); pkg != ""; pkg = parent(pkg) {
			if dir, ok := r.jvm[pkg]; ok {
				return dir, true
			}
		}
	case source.Rust:
		return r.rustPath(file, spec)
	}
	return "", false
}

// inPackage finds the package whose name a spec begins with; what follows is a path in its folder, or below sub of it.
func (r *Resolver) inPackage(lang source.Lang, spec, sub string) (string, bool) {
	for _, p := range r.packages[lang] {
		rest, ok := strings.CutPrefix(spec, p.Name)
		if !ok || p.Name == "" || rest != "" && rest[0] != '/' {
			continue
		}
		if dir, ok := r.place(clean(join(p.Dir, sub), "."+rest)); ok {
			return dir, true
		}
		if rest != "" && lang != source.Go {
			return r.place(p.Dir, true)
		}
	}
	return "", false
}

// place gives the folder of a path that is a folder, a file, or a file without its ending.
func (r *Resolver) place(p string, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	if r.folders[p] {
		return p, true
	}
	dir := parent(p)
	return dir, p != "" && r.folders[dir]
}

// included looks for a header beside the file, in the folders above, and in include folders.
func (r *Resolver) included(from, spec string) (string, bool) {
	for dir := from; ; dir = parent(dir) {
		for _, sub := range [...]string{"", "include", "src"} {
			if p, ok := clean(join(dir, sub), spec); ok && r.files[p] {
				return parent(p), true
			}
		}
		if dir == "" {
			return "", false
		}
	}
}

func (r *Resolver) pythonModule(from, spec string) (string, bool) {
	name := strings.TrimLeft(spec, ".")
	if dots := len(spec) - len(name); dots > 0 {
		for range min(dots-1, 64) {
			if from == "" {
				return "", false
			}
			from = parent(from)
		}
		return r.pythonIn(from, name, true)
	}
	for _, base := range append([]string{from}, r.python...) {
		if dir, ok := r.pythonIn(base, name, false); ok {
			return dir, true
		}
	}
	return "", false
}

// pythonIn finds the longest part of a.b.c that is there; with here, the base itself will do.
func (r *Resolver) pythonIn(base, name string, here bool) (string, bool) {
	for p := strings.ReplaceAll(name, ".", "/"); p != ""; p = parent(p) {
		at := join(base, p)
		if r.files[at+".py"] || r.files[at+".pyi"] {
			return parent(at), true
		}
		if at != "" && r.folders[at] {
			return at, true
		}
	}
	return base, here && r.folders[base]
}

// rustPath resolves crate, self, super and the names of crates of the project.
func (r *Resolver) rustPath(file, spec string) (string, bool) {
	parts := strings.Split(spec, ".")
	var home Package
	found := false
	for _, p := range r.packages[source.Rust] {
		if (p.Dir == "" || strings.HasPrefix(file, p.Dir+"/")) && (!found || len(p.Dir) > len(home.Dir)) {
			home, found = p, true
		}
	}
	base := parent(file)
	stem := strings.TrimSuffix(path.Base(file), ".rs")
	if stem != "mod" && stem != "lib" && stem != "main" {
		base = join(base, stem)
	}
	switch parts[0] {
	case "crate":
		if !found {
			return "", false
		}
		return r.rustIn(join(home.Dir, "src"), parts[1:])
	case "self":
		return r.rustIn(base, parts[1:])
	case "super":
		return r.rustIn(parent(base), parts[1:])
	}
	for _, p := range r.packages[source.Rust] {
		if strings.ReplaceAll(p.Name, "-", "_") == parts[0] {
			return r.rustIn(join(p.Dir, "src"), parts[1:])
		}
	}
	return "", false
}

func (r *Resolver) rustIn(base string, parts []string) (string, bool) {
	for n := len(parts); n > 0; n-- {
		p := join(base, strings.Join(parts[:n], "/"))
		if r.folders[p] {
			return p, true
		}
		if r.files[p+".rs"] {
			return parent(p), true
		}
	}
	if r.folders[base] {
		return base, true
	}
	return "", false
}

// parent is the folder of a path, "" for the root.
func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "/" + b
}

// clean resolves a relative path; ok is false when it leads out of the project.
func clean(from, rel string) (string, bool) {
	p := path.Join("/\x00", from, rel) // a path that leads out loses the marker, which no name holds
	if p == "/\x00" {
		return "", true
	}
	inside, ok := strings.CutPrefix(p, "/\x00/")
	return inside, ok
}
