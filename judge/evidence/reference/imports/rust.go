package imports

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// rust reads mod x; and use a::{b, c as d, e::*};
func (l *lister) rust(i int) int {
	f := l.f
	switch {
	case f.Is(i, "mod") && f.Kind(i+1) == source.Name && f.Is(i+2, ";"):
		l.add(Import{From: i, To: i + 3, Spec: f.Text(i + 1), Form: File, Guarded: l.attributed(i)})
		return i + 3
	case f.Is(i, "use") && (l.starts(i) || f.Is(i-1, "pub") || f.Is(i-1, ")") || f.Is(i-1, "{") || f.Is(i-1, "}")):
		end := i + 1
		for end < len(f.Tokens) && !f.Is(end, ";") {
			end = max(end, f.Close(end)) + 1
		}
		form := Module
		if f.Is(i-1, "pub") || f.Is(i-1, ")") {
			form = Restate
		}
		l.paths(i, end, i+1, end, "", form, 0)
		return end
	}
	return i
}

// attributed reports whether an attribute that changes where a module comes from, or whether it is there, stands before
// token i.
func (l *lister) attributed(i int) bool {
	f := l.f
	for k := i - 1; k > i-60 && k >= 0; k-- {
		switch {
		case f.Is(k, "path"), f.Is(k, "cfg"), f.Is(k, "cfg_attr"):
			return !f.Is(k+2, "test")
		case f.Is(k, ";"), f.Is(k, "{"), f.Is(k, "}"):
			return false
		}
	}
	return false
}

// paths reads the tree of a use statement among tokens [k, end).
func (l *lister) paths(from, to, k, end int, prefix string, form Form, depth int) {
	f := l.f
	if depth > 8 {
		return
	}
	for k < end {
		path := prefix
		last := -1
		for k < end && !f.Is(k, ",") {
			switch {
			case f.Is(k, "{"):
				l.paths(from, to, k+1, f.Close(k), path, form, depth+1)
				k = max(f.Close(k), k)
				last = -1
			case f.Is(k, "*"):
				l.add(Import{From: from, To: to, Spec: strings.TrimSuffix(path, "::"), Star: true, Form: form})
				last = -1
			case f.Is(k, "as"):
				if last >= 0 {
					l.path(from, to, path, last, f.Text(k+1), form)
				}
				last = -1
				k++
			case f.Kind(k) == source.Name && !f.Is(k, "r#"):
				if f.Is(k+1, "::") {
					path += f.Text(k) + "::"
				} else {
					last = k
				}
			}
			k++
		}
		if last >= 0 {
			l.path(from, to, path, last, "", form)
		}
		k++
	}
}

func (l *lister) path(from, to int, prefix string, at int, alias string, form Form) {
	n := l.name(at, alias)
	spec := strings.TrimSuffix(prefix, "::")
	if n.Name == "self" {
		parts := strings.Split(spec, "::")
		n.Name = parts[len(parts)-1]
		spec = strings.Join(parts[:len(parts)-1], "::")
		if alias == "" {
			n.Alias = n.Name
		}
	}
	l.add(Import{From: from, To: to, Spec: spec, Names: []Name{n}, Form: form})
}
