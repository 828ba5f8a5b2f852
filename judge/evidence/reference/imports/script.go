package imports

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// script reads an import, an export from somewhere, or a require of JavaScript and TypeScript.
func (l *lister) script(i int) int {
	f := l.f
	switch {
	case f.Is(i, "import") && f.Is(i+1, "("), f.Is(i, "require") && f.Is(i+1, "("):
		if !f.Is(i-1, ".") && f.Kind(i+2) == source.String && (f.Is(i+3, ")") || f.Is(i+3, ",")) && !strings.Contains(f.Text(i+2), "${") {
			l.required(i)
		}
		return i
	case f.Is(i-1, ".") && f.Is(i+1, "(") && f.Kind(i+2) == source.String && mocks(f.Text(i-2), f.Text(i)) && !strings.Contains(f.Text(i+2), "${"):
		l.add(Import{From: i, To: i + 3, Spec: f.Unquote(i + 2), Guarded: l.tried(i)})
		return i
	case f.Is(i, "import") && l.starts(i):
		return l.imported(i)
	case f.Is(i, "export") && l.starts(i):
		return l.exported(i)
	}
	return i
}

// mocks knows calls that name a module.
func mocks(object, method string) bool {
	switch object {
	case "jest", "vi", "vitest":
		return method == "mock" || method == "doMock" || method == "unmock" || method == "requireActual" || method == "importActual" || method == "requireMock"
	case "require":
		return method == "resolve"
	}
	return false
}

// imported: import A, { b as c } from 'x'; import * as ns from 'x'; import 'x'.
func (l *lister) imported(i int) int {
	f := l.f
	m := Import{From: i}
	k := i + 1
	if f.Is(k, "type") && !f.Is(k+1, "from") && !f.Is(k+1, ",") {
		k++
	}
	if f.Kind(k) == source.String {
		m.Spec, m.To = f.Unquote(k), k+1
		l.add(m)
		return m.To
	}
	for n := 0; k < len(f.Tokens) && n < 2000; n++ {
		switch {
		case f.Is(k, "from") && f.Kind(k+1) == source.String:
			m.Spec, m.To = f.Unquote(k+1), k+2
			l.add(m)
			return m.To
		case f.Is(k, "{"):
			end := f.Close(k)
			l.list(&m, k, end)
			k = max(end, k)
		case f.Is(k, "*") && f.Is(k+1, "as"):
			m.Alias = f.Text(k + 2)
			k += 2
		case f.Is(k, "=") && f.Is(k+1, "require"):
			m.Spec, m.To = f.Unquote(k+3), k+5
			l.add(m)
			return m.To
		case f.Kind(k) == source.Name:
			m.Names = append(m.Names, Name{Name: "default", Alias: f.Text(k), At: k, Line: f.TokenLine(k)})
		case f.Is(k, ","):
		default:
			return i
		}
		k++
	}
	return i
}

// list reads { a, b as c, type d } or { a, b: c }.
func (l *lister) list(m *Import, open, end int) {
	f := l.f
	for k := open + 1; k < end; k++ {
		if f.Kind(k) != source.Name {
			continue
		}
		if f.Is(k, "type") && f.Kind(k+1) == source.Name && !f.Is(k+1, "as") {
			continue
		}
		alias := ""
		at := k
		if f.Is(k+1, "as") || f.Is(k+1, ":") {
			alias = f.Text(k + 2)
			k += 2
		}
		m.Names = append(m.Names, l.name(at, alias))
		for k < end && !f.Is(k, ",") {
			k = max(k, f.Close(k)) + 1
		}
	}
}

// exported: export { a } from 'x'; export * from 'x'.
func (l *lister) exported(i int) int {
	f := l.f
	m := Import{From: i, Form: Restate, Others: true}
	k := i + 1
	if f.Is(k, "type") {
		k++
	}
	switch {
	case f.Is(k, "*"):
		m.Star = true
		k++
		if f.Is(k, "as") {
			m.Star = false
			m.Names = append(m.Names, l.name(k+1, ""))
			k += 2
		}
	case f.Is(k, "{"):
		end := f.Close(k)
		if !f.Is(end+1, "from") {
			return i
		}
		l.list(&m, k, end)
		k = end + 1
	}
	if !f.Is(k, "from") || f.Kind(k+1) != source.String {
		return i
	}
	m.Spec, m.To = f.Unquote(k+1), k+2
	l.add(m)
	return m.To
}

// required: const a = require('x'); const { a, b: c } = require('x'); require('x').
func (l *lister) required(i int) {
	f := l.f
	m := Import{From: i, To: i + 4, Spec: f.Unquote(i + 2)}
	from := i
	if f.Is(from-1, "await") {
		from--
	}
	if f.Is(from-1, "=") {
		switch {
		case f.Is(from-2, "}") && !f.Is(i+4, "."):
			for k := from - 3; k >= 0 && k > from-400; k-- {
				if f.Is(k, "{") && f.Close(k) == from-2 {
					l.list(&m, k, from-2)
					m.From = k
					break
				}
			}
		case f.Kind(from-2) == source.Name && !f.Is(i+4, "(") && !f.Is(from-3, "."):
			m.Alias, m.From = f.Text(from-2), from-2
			if f.Is(i+4, ".") { // one member of it
				m.Names = []Name{{Name: f.Text(i + 5), Alias: m.Alias, At: i + 5, Line: f.TokenLine(i + 5)}}
				m.Alias = ""
			}
		}
	}
	m.Guarded = l.tried(i)
	l.add(m)
}

// tried reports whether token i stands in a try block or under a condition.
func (l *lister) tried(i int) bool {
	f := l.f
	depth := 0
	for k := i - 1; k >= 0 && k > i-4000; k-- {
		switch {
		case f.Is(k, "}"):
			depth++
		case f.Is(k, "{"):
			if depth--; depth < 0 {
				if f.Is(k-1, "try") || f.Is(k-1, ")") || f.Is(k-1, "else") || f.Is(k-1, "=>") {
					return f.Is(k-1, "try") || guard(f.Text, k)
				}
				depth = 0
			}
		}
	}
	return false
}

// guard looks for if ( in front of the brace at k.
func guard(text func(int) string, k int) bool {
	for j := k - 1; j > k-40 && j >= 0; j-- {
		switch text(j) {
		case "if", "else":
			return true
		case ";", "}", "function":
			return false
		}
	}
	return false
}
