package boundary

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// target is what an import leads to inside the project.
type target struct {
	path string // file or folder, perhaps without its ending
	ref  ref
}

// project knows the pushed tree: which files and folders there are, and what packages are called.
type project struct {
	tree   pushed.Tree
	files  map[string]bool
	dirs   map[string]bool
	named  map[string]string // name of a JavaScript or Dart package → its folder
	swift  map[string]string // name of a folder with Swift in it → that folder
	module map[string][2]string
}

func newProject(t pushed.Tree) *project {
	p := &project{tree: t, files: map[string]bool{}, dirs: map[string]bool{".": true}, module: map[string][2]string{}}
	for _, f := range t.Files() {
		p.files[f] = true
		for d := path.Dir(f); !p.dirs[d]; d = path.Dir(d) {
			p.dirs[d] = true
		}
	}
	return p
}

// endings are tried for imports that leave them out.
var endings = [...]string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".d.ts", ".vue", ".svelte", ".py", ".pyi", ".dart", ".java", ".kt", ".rs"}

// file finds the file of a path without an ending.
func (p *project) file(at string) (string, bool) {
	if p.files[at] {
		return at, true
	}
	for _, e := range endings {
		if p.files[at+e] {
			return at + e, true
		}
	}
	if stem, ok := strings.CutSuffix(at, ".js"); ok { // TypeScript says .js where .ts is meant
		for _, e := range [...]string{".ts", ".tsx"} {
			if p.files[stem+e] {
				return stem + e, true
			}
		}
	}
	return "", false
}

func (p *project) exists(at string) bool {
	_, ok := p.file(at)
	return ok || p.dirs[at]
}

// targets resolves an import of the file at. What is not known to lie inside the project has none.
func (p *project) targets(ctx context.Context, at string, lang source.Lang, r ref) []target {
	one := func(to string) []target {
		if to == "" || to == ".." || strings.HasPrefix(to, "../") {
			return nil
		}
		return []target{{to, r}}
	}
	switch lang {
	case source.JS, source.TS:
		return one(p.script(ctx, at, r.spec))
	case source.Dart:
		return one(p.dart(ctx, at, r.spec))
	case source.Python:
		return p.python(at, r)
	case source.Go:
		return one(p.golang(ctx, at, r.spec))
	case source.Java, source.Kotlin:
		rest := strings.ReplaceAll(r.spec, ".", "/")
		if to := p.above(at, rest); to != "" {
			return one(to)
		}
		return one(p.lexical(at, rest))
	case source.Rust:
		return one(p.rust(at, r.spec))
	case source.Swift:
		return one(p.swiftModule(r.spec))
	}
	return nil
}

// alias reports customary first parts of imports that mean the source folder of the project.
func alias(first string) bool {
	switch first {
	case "@", "~", "#", "", "src", "$lib", "@@", "~~", "@src", "~src", "#src", "%":
		return true
	}
	return false
}

func (p *project) script(ctx context.Context, at, spec string) string {
	if spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") {
		return path.Join(path.Dir(at), spec)
	}
	first, rest, _ := strings.Cut(spec, "/")
	if alias(first) && rest != "" {
		if to := p.above(at, rest); to != "" {
			return to
		}
	}
	if alias(first) {
		return p.lexical(at, rest)
	}
	if name, below, ok := packageName(spec); ok {
		if dir, ok := p.packages(ctx)[name]; ok {
			return path.Join(dir, below)
		}
	}
	if to := p.above(at, strings.TrimLeft(spec, "@~#")); to != "" && rest != "" {
		return to
	}
	return ""
}

// packageName splits "@org/b/src/x" and "b/src/x".
func packageName(spec string) (name, below string, ok bool) {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") {
		if len(parts) < 2 {
			return "", "", false
		}
		return parts[0] + "/" + parts[1], strings.Join(parts[2:], "/"), true
	}
	return parts[0], strings.Join(parts[1:], "/"), parts[0] != ""
}

// above finds a path below one of the folders above the file, or below their src and lib: the source roots of most languages.
func (p *project) above(at, rest string) string {
	rest = path.Clean(rest)
	for dir := path.Dir(at); ; dir = path.Dir(dir) {
		for _, sub := range [...]string{"", "src", "lib", "app"} {
			base := path.Join(dir, sub)
			if !p.dirs[base] {
				continue
			}
			if to := path.Join(base, rest); p.exists(to) {
				return to
			}
			if to := path.Join(base, path.Dir(rest)); path.Dir(rest) != "." && strings.Count(rest, "/") > 1 && p.exists(to) { // a member, or what is not there
				return path.Join(base, rest)
			}
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

// maxManifests bounds how many manifests are read for the names of packages.
const maxManifests = 3000

// packages reads the names of the JavaScript and Dart packages of the project.
func (p *project) packages(ctx context.Context) map[string]string {
	if p.named != nil {
		return p.named
	}
	p.named = map[string]string{}
	var manifests []string
	for _, f := range p.tree.Files() {
		if base := path.Base(f); (base == "package.json" || base == "pubspec.yaml") && !pushed.Vendored(f) && len(manifests) < maxManifests {
			manifests = append(manifests, f)
		}
	}
	_ = pushed.Prefetch(ctx, p.tree, manifests)
	for _, f := range manifests {
		data, ok, err := p.tree.Read(ctx, f)
		if err != nil || !ok {
			continue
		}
		var m struct {
			Name string `json:"name"`
		}
		if path.Base(f) == "pubspec.yaml" {
			m.Name = "dart:" + strings.Trim(valueOf(string(data), "name:"), `"'`)
		} else if json.Unmarshal(data, &m) != nil {
			continue
		}
		if m.Name != "" && p.named[m.Name] == "" {
			p.named[m.Name] = path.Dir(f)
		}
	}
	return p.named
}

// valueOf reads a line that begins with a key.
func valueOf(text, key string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			rest, _, _ = strings.Cut(rest, " #")
			rest, _, _ = strings.Cut(rest, "//")
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func (p *project) dart(ctx context.Context, at, spec string) string {
	rest, ok := strings.CutPrefix(spec, "package:")
	if !ok {
		if strings.Contains(spec, ":") {
			return ""
		}
		return path.Join(path.Dir(at), spec)
	}
	name, file, _ := strings.Cut(rest, "/")
	if dir, ok := p.packages(ctx)["dart:"+name]; ok {
		return path.Join(dir, "lib", file)
	}
	if base, _, ok := strings.Cut("/"+at, "/lib/"); ok && !p.files[path.Join(strings.TrimPrefix(base, "/"), "pubspec.yaml")] {
		return path.Join(strings.TrimPrefix(base, "/"), "lib", file) // nobody says what the package is called
	}
	return ""
}

func (p *project) python(at string, r ref) []target {
	base := ""
	if r.level > 0 {
		base = path.Dir(at)
		for range r.level - 1 {
			base = path.Dir(base)
		}
		base = path.Join(base, strings.ReplaceAll(r.spec, ".", "/"))
	} else {
		base = p.above(at, strings.ReplaceAll(r.spec, ".", "/"))
		if base == "" {
			base = p.lexical(at, strings.ReplaceAll(r.spec, ".", "/"))
		}
	}
	if base == "" {
		return nil
	}
	var out []target
	for _, n := range r.names { // from package import module
		if sub := path.Join(base, n); p.exists(sub) {
			out = append(out, target{sub, r})
		}
	}
	if len(out) == 0 || len(out) < len(r.names) {
		out = append(out, target{base, r})
	}
	return out
}

// lexical finds the place of a dotted import without looking whether it is there: by the features folder that both paths have.
func (p *project) lexical(at, rest string) string {
	dirs := strings.Split(path.Dir(at), "/")
	parts := strings.Split(rest, "/")
	i, k := slices.Index(dirs, "features"), slices.Index(parts, "features")
	if i < 0 || k < 0 || k > i || !slices.Equal(dirs[i-k:i], parts[:k]) {
		return ""
	}
	return path.Join(path.Join(dirs[:i]...), path.Join(parts[k:]...))
}

// golang resolves import paths of the file's own module.
func (p *project) golang(ctx context.Context, at, spec string) string {
	for dir := path.Dir(at); ; dir = path.Dir(dir) {
		if mod := path.Join(dir, "go.mod"); p.files[mod] {
			known, ok := p.module[mod]
			if !ok {
				data, _, _ := p.tree.Read(ctx, mod)
				known = [2]string{strings.Trim(valueOf(string(data), "module "), `"`), dir}
				p.module[mod] = known
			}
			if rest, ok := strings.CutPrefix(spec, known[0]+"/"); ok && known[0] != "" {
				return path.Join(known[1], rest)
			}
			return ""
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	_, below, ok := strings.Cut(spec, "/features/")
	if root, _, in := strings.Cut("/"+at, "/features/"); ok && in {
		return path.Join(strings.TrimPrefix(root, "/"), "features", below)
	}
	return ""
}

// rust resolves paths that begin with crate, self or super.
func (p *project) rust(at, spec string) string {
	root, below, ok := cutLast("/"+at, "/src/")
	if !ok {
		return ""
	}
	root = strings.TrimPrefix(path.Join(root, "src"), "/")
	stem := strings.TrimSuffix(below, ".rs")
	var here []string
	switch base := path.Base(stem); base {
	case "mod", "lib", "main":
		here = strings.Split(path.Dir(stem), "/")
	default:
		here = strings.Split(stem, "/")
	}
	if here[0] == "." {
		here = nil
	}
	parts := strings.Split(spec, "::")
	for len(parts) > 0 {
		switch parts[0] {
		case "crate":
			here = nil
		case "super":
			if len(here) == 0 {
				return ""
			}
			here = here[:len(here)-1]
		case "self":
		default:
			return path.Join(root, path.Join(here...), path.Join(parts...))
		}
		parts = parts[1:]
	}
	return path.Join(root, path.Join(here...))
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// swiftModule finds the folder of a module by its name.
func (p *project) swiftModule(spec string) string {
	if p.swift == nil {
		p.swift = map[string]string{}
		for _, f := range p.tree.Files() {
			if !strings.HasSuffix(f, ".swift") {
				continue
			}
			for d := path.Dir(f); d != "."; d = path.Dir(d) {
				if p.swift[path.Base(d)] == "" {
					p.swift[path.Base(d)] = d
				}
			}
		}
	}
	name, _, _ := strings.Cut(spec, ".")
	return p.swift[name]
}
