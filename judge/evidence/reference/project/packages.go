package project

import (
	"path"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/judge/evidence/reference/imports"
)

// python resolves a module as a folder or file of this project.
func (v *View) python(file, spec string) Target {
	dir := path.Dir(file)
	if strings.HasPrefix(spec, ".") {
		rest := strings.TrimLeft(spec, ".")
		for range len(spec) - len(rest) - 1 {
			if dir == "." {
				return Target{} // out of the project
			}
			dir = path.Dir(dir)
		}
		base := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
		t := v.module(base)
		t.Local = !MadeByTools(rest)
		return t
	}
	parts := strings.Split(spec, ".")
	rel := strings.Join(parts, "/")
	var gone Target
	for _, root := range v.pythonRoots(dir) {
		if t := v.module(path.Join(root, rel)); t.Found() {
			return t
		} else if t.Gone != "" {
			gone = t
		}
		// a package with an __init__ at a root of the project is this project's own
		if len(parts) > 1 && v.has[path.Join(root, parts[0], "__init__.py")] && own(root) && !MadeByTools(rel) && !v.has[path.Join(root, parts[0], "__init__.pyi")] {
			gone.Local = true
		}
	}
	if gone.Gone != "" && len(parts) == 1 {
		gone.Local = true
	}
	return gone
}

// own knows the roots at which packages are the project's own.
func own(root string) bool { return root == "" || root == "." || root == "src" || root == "lib" }

// pythonRoots lists the folders that imports of a file may start from.
func (v *View) pythonRoots(dir string) []string {
	roots := []string{"", "src", "lib", "python"}
	for d := dir; d != "." && d != "/"; d = path.Dir(d) {
		roots = append(roots, d, path.Join(d, "src"))
	}
	return roots
}

// module is base.py, base/__init__.py, or a folder.
func (v *View) module(base string) Target {
	t := v.pick([]string{base + "/__init__.py", base + ".py", base + ".pyi", base + "/__init__.pyi", base + ".pyx", base + ".so", base + ".c", base + ".rs", base + ".cpp"}, false)
	if !t.Found() && base != "" && base != "." {
		for _, p := range v.dirs[base] {
			if strings.HasSuffix(p, ".py") || strings.HasSuffix(p, ".pyi") || strings.HasSuffix(p, ".pyx") {
				t.Files = []string{base}
				return t
			}
		}
		if v.HasDir(base) && t.Gone == "" {
			t.Files = []string{base}
		}
	}
	return t
}

// MadeByTools reports Python modules that tools write and nobody checks in.
func MadeByTools(spec string) bool {
	last := path.Base(strings.ReplaceAll(spec, ".", "/"))
	return last == "_version" || last == "version" || last == "__version__" || strings.HasSuffix(last, "_pb2") || strings.HasSuffix(last, "_pb2_grpc") || strings.HasPrefix(last, "_") && last != "__init__" && len(last) < 5 ||
		strings.HasPrefix(last, "_generated") || last == "_build" || strings.HasPrefix(last, "_speed") || strings.HasPrefix(last, "_c")
}

// goModules lists the Go modules of the project, longest path first, as "module path\x00folder".
func (v *View) goModules() []string {
	if v.gomods {
		return v.modules
	}
	v.gomods = true
	v.list()
	for _, p := range v.bases["go.mod"] {
		for line := range strings.Lines(v.Text(p)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
				rest, _, _ = strings.Cut(rest, "//")
				v.modules = append(v.modules, strings.Trim(strings.TrimSpace(rest), `"`)+"\x00"+strings.TrimPrefix(path.Dir(p), "."))
				break
			}
		}
	}
	sort.Slice(v.modules, func(a, b int) bool { return len(v.modules[a]) > len(v.modules[b]) })
	return v.modules
}

// golang resolves an import path to the files of a package folder.
func (v *View) golang(spec string) Target {
	for _, m := range v.goModules() {
		name, root, _ := strings.Cut(m, "\x00")
		rest, ok := strings.CutPrefix(spec, name)
		if !ok || rest != "" && rest[0] != '/' || name == "" {
			continue
		}
		dir := path.Join(root, strings.TrimPrefix(rest, "/"))
		if dir == "." {
			dir = ""
		}
		t := Target{Local: true}
		for _, p := range v.dirs[dir] {
			if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
				t.Files = append(t.Files, p)
			}
		}
		for p := range v.gone {
			if path.Dir(p) == dir && strings.HasSuffix(p, ".go") {
				t.Gone = p
			}
		}
		if !t.Found() && (v.required(root, spec) || strings.Contains(rest, "/v") || generatedGo(rest)) {
			t.Local = false
		}
		return t
	}
	return Target{}
}

// generatedGo reports folders whose packages tools write.
func generatedGo(p string) bool {
	for d := range strings.SplitSeq(p, "/") {
		switch d {
		case "gen", "generated", "pb", "proto", "ent", "mocks", "mock", "bindata", "third_party", "graph", "apis", "client", "zz":
			return true
		}
		if strings.HasSuffix(d, "pb") || strings.HasPrefix(d, "gen") {
			return true
		}
	}
	return false
}

// required reports whether the go.mod of a module names a module that the import path belongs to.
func (v *View) required(root, spec string) bool {
	for line := range strings.Lines(v.Text(path.Join(root, "go.mod"))) {
		for _, w := range strings.Fields(line) {
			if strings.Contains(w, "/") && (spec == w || strings.HasPrefix(spec, w+"/")) && !strings.HasPrefix(strings.TrimSpace(line), "module") {
				return true
			}
		}
	}
	return false
}

// Folder is the import path of a package folder of the project.
func (v *View) Folder(dir string) (spec string, ok bool) {
	if dir == "." {
		dir = ""
	}
	for _, m := range v.goModules() {
		name, root, _ := strings.Cut(m, "\x00")
		if dir == root {
			return name, true
		}
		if rest, ok := strings.CutPrefix(dir, root+"/"); ok || root == "" {
			if root == "" {
				rest = dir
			}
			return name + "/" + rest, true
		}
	}
	return "", false
}

// java resolves an import by the folder of its package.
func (v *View) java(m *imports.Import) Target {
	parts := strings.Split(m.Spec, ".")
	if m.Star || len(parts) < 3 {
		return Target{}
	}
	// the class is the first capitalised part: what follows are its members
	n := 0
	for n < len(parts)-1 && (parts[n] == "" || parts[n][0] < 'A' || parts[n][0] > 'Z') {
		n++
	}
	class, pkg := parts[n], strings.Join(parts[:n], "/")
	t := Target{}
	if class == "" || class[0] < 'A' || class[0] > 'Z' || n < 2 {
		return t
	}
	for _, ext := range [...]string{".java", ".kt", ".scala", ".groovy"} {
		for _, p := range v.bases[class+ext] {
			if strings.HasSuffix(path.Dir("/"+p), "/"+pkg) {
				t.Files = append(t.Files, p)
			}
		}
		for p := range v.gone {
			if path.Base(p) == class+ext && strings.HasSuffix(path.Dir("/"+p), "/"+pkg) {
				t.Gone = p
			}
		}
	}
	if !t.Found() {
		for d := range v.dirs {
			if strings.HasSuffix("/"+d, "/"+pkg) {
				for _, p := range v.dirs[d] {
					t.Local = t.Local || strings.HasSuffix(p, ".java")
				}
			}
		}
	}
	return t
}
