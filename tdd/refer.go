package tdd

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// declared returns the names by which a test may know what the file declares: types and free functions, or, if there are none,
// methods with telling names.
func (s *search) declared() []string {
	if s.known {
		return s.decls
	}
	s.known = true
	src := s.f.content(s.rel)
	f := source.Lex(s.lang, src[:min(len(src), maxDeclared)])
	var methods []string
	for _, d := range f.Decls() {
		switch {
		case len(d.Name) < 3 || ordinary(d.Name):
		case s.lang == source.Go && f.Is(d.At-1, ")"):
			methods = append(methods, d.Name)
		default:
			s.decls = append(s.decls, d.Name)
		}
	}
	if s.lang == source.Go {
		s.decls = append(s.decls, goVars(f)...)
	}
	if len(s.decls) == 0 {
		s.decls = methods
	}
	const most = 500
	s.decls = s.decls[:min(len(s.decls), most)]
	return s.decls
}

// named is a quick look before the careful one: whether the file's stem, or a name that it declares, stands anywhere in the text.
func (s *search) named(src []byte) bool {
	if s.lang != source.Go && bytes.Contains(src, []byte(s.stem)) {
		return true
	}
	if s.words == nil {
		s.words = map[string]bool{camel(s.stem): true}
		for _, n := range s.declared() {
			s.words[n] = true
		}
	}
	for i := 0; i < len(src); i++ {
		if !letter(src[i]) {
			continue
		}
		j := i + 1
		for j < len(src) && (letter(src[j]) || src[j] >= '0' && src[j] <= '9') {
			j++
		}
		if j-i > 2 && s.words[string(src[i:j])] {
			return true
		}
		i = j
	}
	return false
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// goVars lists package variables and constants.
func goVars(f *source.File) []string {
	var out []string
	match := f.Brackets()
	depth := 0
	for i := 0; i < len(f.Tokens); i++ {
		if f.Is(i, "{") {
			i = int(match[i]) // not inside functions
			continue
		}
		if depth > 0 || !f.Tokens[i].First || !f.Is(i, "var") && !f.Is(i, "const") {
			continue
		}
		if !f.Is(i+1, "(") {
			out = append(out, f.Text(i+1))
			continue
		}
		for j := i + 2; j < int(match[i+1]) && j < len(f.Tokens); j++ {
			if f.Tokens[j].First && f.Kind(j) == source.Name && len(f.Text(j)) > 2 {
				out = append(out, f.Text(j))
			}
			j = max(j, int(match[j]))
		}
	}
	return out
}

// ordinary names occur everywhere and tell nothing.
func ordinary(name string) bool {
	switch name {
	case "main", "init", "String", "Error", "Close", "Read", "Write", "Len", "Less", "Swap", "Run", "New", "Get", "Set", "run", "get", "set", "new", "close", "toString", "equals",
		"hashCode", "constructor", "render", "setUp", "tearDown", "__init__", "__str__", "__repr__", "__eq__", "__hash__", "__enter__", "__exit__", "initialize", "to_s", "dispose",
		"build", "Main", "Program", "App", "self", "fmt", "from", "default", "clone", "drop", "next", "copy":
		return true
	}
	return false
}

// mentions reports whether one of the names is a name in the file.
func mentions(f *source.File, names []string) bool {
	if len(names) == 0 {
		return false
	}
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	for i := range f.Tokens {
		if f.Tokens[i].Kind == source.Name && set[f.Text(i)] {
			return true
		}
	}
	return false
}

// refers reports whether the test file x at path test imports the file, or uses what it declares, by the customs of the language.
func (s *search) refers(test string, x *source.File) bool {
	switch s.lang {
	case source.Python:
		return s.python(x)
	case source.JS, source.TS:
		return s.javascript(test, x)
	case source.Dart:
		return s.dart(test, x)
	case source.Ruby:
		return s.rubyFile(test, x) || mentions(x, []string{camel(s.stem)})
	case source.PHP, source.Java, source.CSharp:
		return mentions(x, append([]string{s.stem}, s.types()...))
	case source.Kotlin, source.Scala, source.Swift:
		return mentions(x, append([]string{s.stem}, s.declared()...))
	case source.Rust:
		return s.rust(test, x)
	case source.C, source.CPP:
		return s.include(x) || mentions(x, s.declared())
	}
	return false
}

// types returns the declared names that begin with a capital, as types do.
func (s *search) types() []string {
	return slices.DeleteFunc(slices.Clone(s.declared()), func(n string) bool { return n[0] < 'A' || n[0] > 'Z' })
}

// camel turns user_list into UserList.
func camel(snake string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(snake, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// tail reports whether one of the lists ends with the other, so that app.auth and src/app/auth agree. Directories that are no part of
// module names are dropped.
func tail(module, dirs []string) bool {
	for len(dirs) > 0 && (layout.IsSourceDir(dirs[0]) && dirs[0] != "app" || layout.Workspace(dirs[0])) {
		dirs = dirs[1:]
	}
	n := min(len(module), len(dirs))
	return slices.Equal(module[len(module)-n:], dirs[len(dirs)-n:])
}

func (s *search) dirs() []string {
	if s.dir == "." {
		return nil
	}
	return strings.Split(s.dir, "/")
}

// python understands import a.b.stem, from a.b import stem, from a.b.stem import x, and names that a package passes on.
func (s *search) python(x *source.File) bool {
	dirs := s.dirs()
	if path.Base(s.rel) == "__init__.py" && len(dirs) > 0 {
		dirs = dirs[:len(dirs)-1]
	}
	for i := range x.Tokens {
		if !x.Tokens[i].First || !x.Is(i, "import") && !x.Is(i, "from") {
			continue
		}
		j := i + 1
		relative := false
		for x.Is(j, ".") || x.Is(j, "..") || x.Is(j, "...") {
			relative = true
			j++
		}
		var module []string
		for x.Kind(j) == source.Name && !x.Is(j, "import") {
			module = append(module, x.Text(j))
			if j++; x.Is(j, ".") {
				j++
			} else {
				break
			}
		}
		if n := len(module); n > 0 && module[n-1] == s.stem && (relative || tail(module[:n-1], dirs)) {
			return true
		}
		if !x.Is(i, "from") || !x.Is(j, "import") || !relative && !tail(module, dirs) {
			continue
		}
		line := x.Tokens[j].Line
		group := x.Is(j+1, "(")
		for j++; j < len(x.Tokens) && (x.Tokens[j].Line == line || group && !x.Is(j, ")")); j++ {
			if n := x.Text(j); n == s.stem || len(module) > 0 && slices.Contains(s.declared(), n) {
				return true
			}
		}
	}
	return false
}

// javascript resolves the strings of import, require and mock calls.
func (s *search) javascript(test string, x *source.File) bool {
	self := strings.TrimSuffix(s.rel, path.Ext(s.rel))
	self = strings.TrimSuffix(self, "/index")
	dirs := s.dirs()
	barrel := false
	for i := range x.Tokens {
		if x.Tokens[i].Kind != source.String {
			continue
		}
		switch {
		case x.Is(i-1, "from"), x.Is(i-1, "import"):
		case x.Is(i-1, "("):
			switch x.Text(i - 2) {
			case "require", "import", "mock", "doMock", "unmock", "importActual", "requireActual", "resolve":
			default:
				continue
			}
		default:
			continue
		}
		spec := x.Unquote(i)
		if strings.HasPrefix(spec, ".") {
			to := path.Join(path.Dir(test), spec)
			bare := strings.TrimSuffix(strings.TrimSuffix(to, path.Ext(to)), "/index")
			if to == self || bare == self || to == s.rel {
				return true
			}
			barrel = barrel || to == "." || bare == "index" || strings.HasPrefix(s.rel, strings.TrimSuffix(to, "/index")+"/") || strings.HasPrefix(s.rel, bare+"/")
			continue
		}
		parts := strings.Split(strings.TrimLeft(spec, "@~#/"), "/")
		last := parts[len(parts)-1]
		if len(parts) > 1 && strings.TrimSuffix(last, path.Ext(last)) == path.Base(self) && tail(parts[1:len(parts)-1], dirs) {
			return true
		}
	}
	return barrel && mentions(x, s.declared())
}

func (s *search) dart(test string, x *source.File) bool {
	below := s.rel
	if _, rest, ok := strings.Cut("/"+s.rel, "/lib/"); ok {
		below = rest
	}
	barrel := false
	for i := range x.Tokens {
		if x.Tokens[i].Kind != source.String || !x.Is(i-1, "import") {
			continue
		}
		spec := x.Unquote(i)
		if pkg, ok := strings.CutPrefix(spec, "package:"); ok {
			_, file, _ := strings.Cut(pkg, "/")
			if file == below {
				return true
			}
			barrel = barrel || !strings.Contains(file, "/") && !strings.HasPrefix(pkg, "test/") && !strings.HasPrefix(pkg, "flutter")
		} else if path.Join(path.Dir(test), spec) == s.rel {
			return true
		}
	}
	return barrel && mentions(x, s.declared())
}

func (s *search) rubyFile(test string, x *source.File) bool {
	self := strings.TrimSuffix(s.rel, ".rb")
	for i := range x.Tokens {
		if x.Tokens[i].Kind != source.String {
			continue
		}
		k := i - 1
		if x.Is(k, "(") {
			k--
		}
		spec := strings.TrimSuffix(x.Unquote(i), ".rb")
		switch {
		case x.Is(k, "require_relative"):
			if path.Join(path.Dir(test), spec) == self {
				return true
			}
		case x.Is(k, "require"):
			if spec == self || strings.Contains(spec, "/") && strings.HasSuffix(self, "/"+spec) || self == "lib/"+spec {
				return true
			}
		}
	}
	return false
}

// rust accepts tests of the same crate that name the module in a path, or, for lib.rs and main.rs, what it declares.
func (s *search) rust(test string, x *source.File) bool {
	crate, _, _ := strings.Cut("/"+s.rel, "/src/")
	if !strings.HasPrefix("/"+test, crate+"/") {
		return false
	}
	if base := path.Base(s.rel); base == "lib.rs" || base == "main.rs" {
		return mentions(x, s.declared())
	}
	for i := range x.Tokens {
		if x.Is(i, s.stem) && (x.Is(i+1, "::") || x.Is(i-1, "::")) {
			return true
		}
	}
	return mentions(x, s.types())
}

// include finds #include "…/stem.h".
func (s *search) include(x *source.File) bool {
	for _, ext := range [...]string{".h", ".hpp", ".hh", ".hxx", path.Ext(s.rel)} {
		name := s.stem + ext
		for src := x.Src; ; {
			k := strings.Index(src, name)
			if k < 0 {
				break
			}
			after := src[k+len(name):]
			if k > 0 && strings.IndexByte("\"/<", src[k-1]) >= 0 && len(after) > 0 && (after[0] == '"' || after[0] == '>') {
				return true
			}
			src = after
		}
	}
	return false
}
