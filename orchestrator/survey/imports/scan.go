// Package imports finds what program texts import, and which folder of a project that is.
//
// It reads tokens, not syntax trees: it never fails, works on broken files, and costs time linear in the input. What comes from
// outside the project, and what only the run time or a build tool knows (path aliases, reflection), has no folder. It owns no table
// and no file and reads nothing by itself.
package imports

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Bounds of one file.
const (
	MaxScan  = 256 << 10 // bytes that are looked at
	maxFound = 300       // imports
	maxSpec  = 300       // bytes of one
)

// Found is what a file says about itself.
type Found struct {
	Specs []string // what it imports, as written, each once, in order; of Python with leading dots, of Rust and the JVM with dots
	Main  bool     // a program starts in it
}

// Scan looks at a file. Languages that it does not know give nothing.
func Scan(lang source.Lang, src []byte) Found {
	s := scanner{seen: map[string]bool{}}
	if len(src) > MaxScan {
		src = src[:MaxScan]
	}
	scan := map[source.Lang]func(*scanner){
		source.Go: (*scanner).golang, source.JS: (*scanner).script, source.TS: (*scanner).script, source.Python: (*scanner).python,
		source.Java: (*scanner).jvm, source.Kotlin: (*scanner).jvm, source.Scala: (*scanner).jvm, source.Rust: (*scanner).rust,
		source.Dart: (*scanner).dart, source.C: (*scanner).include, source.CPP: (*scanner).include, source.Ruby: (*scanner).ruby,
	}[lang]
	if scan == nil {
		return Found{}
	}
	s.File, s.lang = source.Lex(lang, src), lang
	scan(&s)
	return s.found
}

type scanner struct {
	*source.File
	lang  source.Lang
	found Found
	seen  map[string]bool
}

func (s *scanner) add(spec string) {
	if spec == "" || len(spec) > maxSpec || len(s.found.Specs) >= maxFound || s.seen[spec] || strings.ContainsAny(spec, "\x00\n\r") {
		return
	}
	s.seen[spec] = true
	s.found.Specs = append(s.found.Specs, spec)
}

func (s *scanner) isString(i int) bool { return s.Kind(i) == source.String }

// golang reads the imports, which stand before everything else, and looks for func main of package main.
func (s *scanner) golang() {
	program := s.Is(0, "package") && s.Is(1, "main")
	i := 0
	for ; i < len(s.Tokens); i++ {
		if s.Is(i, "func") || s.Is(i, "type") || s.Is(i, "var") || s.Is(i, "const") {
			break
		}
		if s.isString(i) {
			s.add(s.Unquote(i))
		}
	}
	for ; program && i < len(s.Tokens); i++ {
		if s.Is(i, "func") && s.Is(i+1, "main") && s.Is(i+2, "(") && s.Is(i+3, ")") {
			s.found.Main = true
			return
		}
	}
}

// script reads import, export … from, require and import().
func (s *scanner) script() {
	for i := range s.Tokens {
		if !s.isString(i) || i == 0 {
			continue
		}
		call := s.Is(i-1, "(") && (s.Is(i-2, "require") || s.Is(i-2, "import")) && !s.Is(i-3, ".")
		if call || s.Is(i-1, "from") || s.Is(i-1, "import") {
			s.add(s.Unquote(i))
		}
	}
}

// python reads import a.b, from .a import b, and looks for __main__.
func (s *scanner) python() {
	for i := range s.Tokens {
		switch {
		case s.Is(i, "__name__") && s.Is(i-1, "if"):
			s.found.Main = true
		case !s.starts(i):
		case s.Is(i, "import"):
			for at := i + 1; ; at++ {
				var spec string
				if spec, at = s.dotted(at); spec == "" {
					break
				}
				s.add(spec)
				if s.Is(at, "as") {
					at += 2
				}
				if !s.Is(at, ",") {
					break
				}
			}
		case s.Is(i, "from"):
			base, at := s.dotted(i + 1)
			if base == "" || !s.Is(at, "import") {
				continue
			}
			s.add(base)
			s.members(base, at+1)
		}
	}
}

// members adds what stands behind from … import: it may be a module, too.
func (s *scanner) members(base string, at int) {
	open := s.Is(at, "(")
	if open {
		at++
	}
	for at < len(s.Tokens) && s.Kind(at) == source.Name && (open || !s.Tokens[at].First) {
		sep := "."
		if strings.HasSuffix(base, ".") {
			sep = ""
		}
		s.add(base + sep + s.Text(at))
		at++
		if s.Is(at, "as") {
			at += 2
		}
		if !s.Is(at, ",") {
			return
		}
		at++
	}
}

// starts reports whether a token begins a statement.
func (s *scanner) starts(i int) bool { return s.Tokens[i].First || s.Is(i-1, ";") || s.Is(i-1, ":") }

// dotted reads a.b.c with leading dots; next is the token behind it.
func (s *scanner) dotted(i int) (spec string, next int) {
	var b strings.Builder
	for i < len(s.Tokens) && b.Len() < maxSpec {
		text := s.Text(i)
		if s.Kind(i) != source.Name && strings.Trim(text, ".") != "" || text == "import" || text == "as" {
			break
		}
		if s.Kind(i) == source.Name && b.Len() > 0 && !strings.HasSuffix(b.String(), ".") {
			break
		}
		b.WriteString(text)
		i++
	}
	return b.String(), i
}

// jvm reads import a.b.C and import static a.b.C.d, and looks for main.
func (s *scanner) jvm() {
	for i := range s.Tokens {
		switch {
		case s.Is(i, "import") && s.starts(i):
			at := i + 1
			if s.Is(at, "static") {
				at++
			}
			spec, _ := s.dotted(at)
			s.add(strings.TrimSuffix(spec, "."))
		case s.Is(i, "main") && s.Is(i+1, "("):
			s.found.Main = s.found.Main || s.Is(i-1, "void") && s.Is(i-2, "static") || s.Is(i-1, "fun") && s.Tokens[i-1].First
		}
	}
}

// rust reads use a::b and mod a, and looks for fn main. Paths are given with dots.
func (s *scanner) rust() {
	for i := range s.Tokens {
		switch {
		case s.Is(i, "use") && !s.Is(i-1, "."):
			var parts []string
			for at := i + 1; s.Kind(at) == source.Name && len(parts) < 8; at += 2 {
				parts = append(parts, s.Text(at))
				if !s.Is(at+1, "::") {
					break
				}
			}
			s.add(strings.Join(parts, "."))
		case s.Is(i, "mod") && s.Kind(i+1) == source.Name && s.Is(i+2, ";"):
			s.add("self." + s.Text(i+1))
		case s.Is(i, "fn") && s.Is(i+1, "main") && s.Is(i+2, "("):
			s.found.Main = true
		}
	}
}

func (s *scanner) dart() {
	for i := range s.Tokens {
		if s.isString(i) && i > 0 && (s.Is(i-1, "import") || s.Is(i-1, "export") || s.Is(i-1, "part")) && s.starts(i-1) {
			s.add(s.Unquote(i))
		}
		if s.Is(i, "main") && s.Is(i+1, "(") && (s.Is(i-1, "void") || s.Tokens[i].First) {
			s.found.Main = true
		}
	}
}

// include reads #include "x.h".
func (s *scanner) include() {
	for i := range s.Tokens {
		if s.isString(i) && (s.Is(i-1, "include") && s.Is(i-2, "#") || s.Is(i-1, "#include")) {
			s.add(s.Unquote(i))
		}
		if s.Is(i, "main") && s.Is(i+1, "(") && s.Is(i-1, "int") {
			s.found.Main = true
		}
	}
}

func (s *scanner) ruby() {
	for i := range s.Tokens {
		if s.isString(i) && i > 0 && s.Is(i-1, "require_relative") {
			s.add("./" + strings.TrimPrefix(s.Unquote(i), "./"))
		}
	}
}
