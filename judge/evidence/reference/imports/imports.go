// Package imports reads what a file imports: modules, names out of them, and parts of itself.
//
// It looks at tokens only and knows the statements of Go, Python, JavaScript and TypeScript, Java, Kotlin, Scala, Rust,
// Dart, C and C++, and Ruby's require_relative. Resolving a module to a file is the business of package project. It owns
// no table. All functions are pure.
package imports

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Form is how a module is meant.
type Form uint8

// The forms.
const (
	Module  Form = iota // a module, a package, a class by its full name
	File                // a file that becomes part of this one, or that is named by its path: part, mod, #include
	Restate             // exported again from here
)

// Import is one imported module. `import a, b` makes two.
type Import struct {
	From, To int // tokens of the statement
	Line     int
	Spec     string // module as written: "./a", "..pkg.mod", "a::b", "package:x/y.dart"
	Form     Form
	Names    []Name
	Star     bool   // everything
	Alias    string // name of the module itself in this file; "" when it has none
	Guarded  bool   // the code goes on when it is missing: try, #[cfg], an optional import
	Static   bool   // Java: of a member; Dart: deferred …
	Hidden   []string
	Others   bool // the names are for others: this file does not get them
}

// Name is one imported name.
type Name struct {
	Name  string
	Alias string // what it is called here; the name itself where there is no other
	At    int    // its token
	Line  int
}

// Binds reports whether the import gives the file the name.
func (m *Import) Binds(name string) bool {
	if m.Others {
		return false
	}
	if m.Alias == name {
		return true
	}
	for _, n := range m.Names {
		if n.Alias == name {
			return true
		}
	}
	return false
}

// List lists the imports of a file in order.
func List(f *units.File) []Import {
	l := lister{f: f}
	for i := 0; i < len(f.Tokens); i++ {
		next := i
		switch f.Lang {
		case source.Python:
			next = l.python(i)
		case source.JS, source.TS:
			next = l.script(i)
		case source.Go:
			next = l.golang(i)
		case source.Java, source.Kotlin, source.Scala:
			next = l.java(i)
		case source.Rust:
			next = l.rust(i)
		case source.Dart:
			next = l.dart(i)
		case source.C, source.CPP:
			next = l.include(i)
		case source.Ruby:
			next = l.ruby(i)
		default:
			return nil
		}
		i = max(i, next-1)
	}
	return l.out
}

type lister struct {
	f   *units.File
	out []Import
}

func (l *lister) add(m Import) *Import {
	m.Line = l.f.TokenLine(m.From)
	l.out = append(l.out, m)
	return &l.out[len(l.out)-1]
}

func (l *lister) name(at int, alias string) Name {
	n := l.f.Text(at)
	if alias == "" {
		alias = n
	}
	return Name{Name: n, Alias: alias, At: at, Line: l.f.TokenLine(at)}
}

// starts reports whether token i begins a statement.
func (l *lister) starts(i int) bool { return l.f.Tokens[i].First || l.f.Is(i-1, ";") }

func (l *lister) python(i int) int {
	f := l.f
	if !l.starts(i) && !f.Is(i-1, ":") {
		return i
	}
	switch {
	case f.Is(i, "import"):
		k := i + 1
		for k < len(f.Tokens) && f.Kind(k) == source.Name {
			m := Import{From: i, Guarded: l.guarded(i)}
			from := k
			for k++; f.Is(k, ".") && f.Kind(k+1) == source.Name; k += 2 {
			}
			m.Spec = strings.ReplaceAll(f.Norm(from, k), " ", "")
			m.Alias = f.Text(from)
			if f.Is(k, "as") {
				m.Alias = f.Text(k + 1)
				k += 2
			}
			m.To = k
			l.add(m)
			if !f.Is(k, ",") {
				break
			}
			k++
		}
		return k
	case f.Is(i, "from"):
		k := i + 1
		for k < len(f.Tokens) && !f.Is(k, "import") && !f.Tokens[k].First {
			k++
		}
		if !f.Is(k, "import") {
			return i
		}
		m := Import{From: i, Spec: strings.ReplaceAll(f.Norm(i+1, k), " ", ""), Guarded: l.guarded(i)}
		k++
		end := len(f.Tokens)
		if f.Is(k, "(") {
			end = f.Close(k)
			k++
		}
		for ; k < end; k++ {
			switch {
			case f.Is(k, "*"):
				m.Star = true
			case f.Kind(k) == source.Name:
				if f.Is(k+1, "as") {
					m.Names = append(m.Names, l.name(k, f.Text(k+2)))
					k += 2
				} else {
					m.Names = append(m.Names, l.name(k, ""))
				}
			}
			if end == len(f.Tokens) && !f.Is(k+1, ",") && !f.Is(k, ",") {
				k++
				break
			}
		}
		m.To = k
		if end < len(f.Tokens) {
			m.To = end + 1
		}
		l.add(m)
		return m.To
	}
	return i
}

// guarded reports whether a Python statement at i stands in a try block.
func (l *lister) guarded(i int) bool {
	f := l.f
	col := f.Tokens[i].Col
	for k := i - 1; k >= 0 && col > 0; k-- {
		if !f.Tokens[k].First || f.Tokens[k].Col >= col {
			continue
		}
		if f.Is(k, "try") || f.Is(k, "except") {
			return true
		}
		col = f.Tokens[k].Col
	}
	return false
}

func (l *lister) golang(i int) int {
	f := l.f
	if !f.Is(i, "import") || !f.Tokens[i].First {
		return i
	}
	one := func(k int) int {
		m := Import{From: k}
		if f.Kind(k) == source.Name || f.Is(k, ".") {
			m.Alias = f.Text(k)
			m.Star = m.Alias == "."
			k++
		}
		if f.Kind(k) != source.String {
			return k
		}
		m.Spec, m.To = f.Unquote(k), k+1
		if m.Alias == "" {
			m.Alias = packageName(m.Spec)
		}
		l.add(m)
		return k
	}
	if !f.Is(i+1, "(") {
		return one(i+1) + 1
	}
	end := f.Close(i + 1)
	for k := i + 2; k < end; k++ {
		k = one(k)
	}
	return end + 1
}

// packageName guesses the name of a Go package from its path.
func packageName(spec string) string {
	parts := strings.Split(spec, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	if k := strings.LastIndex(last, ".v"); k > 0 {
		last = last[:k]
	}
	last = strings.TrimPrefix(last, "go-")
	return strings.TrimSuffix(last, "-go")
}

func (l *lister) java(i int) int {
	f := l.f
	if !f.Is(i, "import") || !l.starts(i) {
		return i
	}
	m := Import{From: i}
	k := i + 1
	if f.Is(k, "static") {
		m.Static = true
		k++
	}
	from := k
	for ; k < len(f.Tokens) && (f.Kind(k) == source.Name && !(k > from && f.Tokens[k].First) && !f.Is(k, "as") || f.Is(k, ".")); k++ {
	}
	m.Spec = strings.ReplaceAll(f.Norm(from, k), " ", "")
	switch {
	case f.Is(k, "*") || f.Is(k, "_") || f.Is(k, ".*"):
		m.Star, m.Spec = true, strings.TrimSuffix(m.Spec, ".")
		k++
	case k > from:
		m.Alias = f.Text(k - 1)
		if f.Is(k, "as") {
			m.Alias = f.Text(k + 1)
			k += 2
		}
		m.Names = []Name{{Name: f.Text(k - 1), Alias: m.Alias, At: k - 1, Line: f.TokenLine(k - 1)}}
	case f.Is(k, "{"):
	}
	m.To = max(k, i+1)
	l.add(m)
	return m.To
}

func (l *lister) include(i int) int {
	f := l.f
	if f.Is(i, "#") && f.Tokens[i].First && f.Is(i+1, "include") && f.Kind(i+2) == source.String {
		l.add(Import{From: i, To: i + 3, Spec: f.Unquote(i + 2), Form: File})
		return i + 3
	}
	return i
}

func (l *lister) ruby(i int) int {
	f := l.f
	if f.Is(i, "require_relative") && f.Tokens[i].First && f.Kind(i+1) == source.String && !strings.Contains(f.Text(i+1), "#{") {
		l.add(Import{From: i, To: i + 2, Spec: f.Unquote(i + 1), Form: File})
		return i + 2
	}
	return i
}

func (l *lister) dart(i int) int {
	f := l.f
	if !f.Tokens[i].First || f.Kind(i+1) != source.String {
		return i
	}
	m := Import{From: i, Spec: f.Unquote(i + 1), Star: true}
	switch f.Text(i) {
	case "import":
	case "export":
		m.Form = Restate
	case "part":
		m.Form = File
	default:
		return i
	}
	k := i + 2
	for ; k < len(f.Tokens) && !f.Is(k, ";"); k++ {
		switch {
		case f.Kind(k) == source.String: // if (dart.library.io) 'other.dart'
			l.add(Import{From: k, To: k + 1, Spec: f.Unquote(k), Form: m.Form})
		case f.Is(k, "as"):
			m.Alias = f.Text(k + 1)
			m.Star = false
		case f.Is(k, "show"):
			m.Star = false
			for k++; f.Kind(k) == source.Name; k += 2 {
				m.Names = append(m.Names, l.name(k, ""))
				if !f.Is(k+1, ",") {
					break
				}
			}
		case f.Is(k, "hide"):
			for k++; f.Kind(k) == source.Name; k += 2 {
				m.Hidden = append(m.Hidden, f.Text(k))
				if !f.Is(k+1, ",") {
					break
				}
			}
		}
	}
	m.To = k
	l.add(m)
	return k
}
