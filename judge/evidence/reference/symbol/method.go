package symbol

import (
	"path"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/evidence/reference/builtin"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
)

// methods finds what still calls or reads a removed method.
func (s *search) methods(t *project.Removed, files []*names.Reader) []ref {
	if t.Override || t.Class == "" || implicit(t.File.Lang) && !t.Private && builtin.Known(t.File.Lang, t.Name) {
		return nil
	}
	former := s.v.Former(t.File)
	known := t.Private || s.basesKnown(t, former)
	elsewhere := false // another file has a member of the name
	for _, r := range files {
		if r.HasMember(t.Name) || implicit(r.Lang) && r.Declares(t.Name, nil) {
			if r.Path == t.File.Path || s.related(t, r, former) {
				return nil
			}
			elsewhere = true
		}
	}
	var out []ref
	for _, r := range files {
		if elsewhere && r.Path != t.File.Path || layout.Classify(r.Path) == layout.Generated {
			continue
		}
		for _, i := range r.At(t.Name) {
			ok := false
			switch r.Role(i) {
			case names.Member:
				ok = s.member(t, r, i, known, elsewhere)
			case names.Call:
				ok = implicit(r.Lang) && s.inside(t, r, i) && known
			case names.Path:
				ok = r.Is(i-2, t.Class) || r.Is(i-2, "Self") && s.inside(t, r, i)
			}
			if ok {
				if out = append(out, ref{r, r.TokenLine(i)}); len(out) >= maxPlaces {
					return out
				}
			}
		}
	}
	return out
}

// related reports whether a file has a class that the removed method's class inherits from, or that inherits from it.
func (s *search) related(t *project.Removed, r, former *names.Reader) bool {
	if r.Lang == source.Go {
		return path.Dir(r.Path) == path.Dir(t.File.OldPath)
	}
	own := former.Class(t.Class)
	for k := range r.Classes() {
		c := &r.Classes()[k]
		if c.Name == t.Class || has(c.Bases, t.Class) || own != nil && has(own.Bases, c.Name) {
			return true
		}
	}
	return false
}

// implicit reports languages in which a method may call another one without a receiver.
func implicit(l source.Lang) bool {
	switch l {
	case source.Java, source.Kotlin, source.Dart, source.CSharp, source.CPP, source.Scala, source.Swift:
		return true
	}
	return false
}

// member decides about receiver.name.
func (s *search) member(t *project.Removed, r *names.Reader, i int, known, elsewhere bool) bool {
	recv := i - 2
	switch {
	case !r.Is(i-1, ".") && !r.Is(i-1, "?.") && !r.Is(i-1, "->"):
		return false
	case r.Is(recv, "self"), r.Is(recv, "this"), r.Is(recv, "cls"), r.Is(recv, "Self"):
		return known && !r.Is(recv-1, ".") && s.inside(t, r, i)
	case elsewhere && r.Lang != source.Go:
		return false
	case r.Is(recv, "super"), r.Kind(recv) != source.Name:
		return s.anyReceiver(t, r, i, known)
	case r.Is(recv, t.Class):
		return known
	case r.Is(recv-1, "."):
		return s.anyReceiver(t, r, i, known)
	}
	if r.Lang == source.Go {
		if name, class := r.Receiver(i); class == t.Class && name == r.Text(recv) {
			return known && path.Dir(r.Path) == path.Dir(t.File.OldPath)
		}
	}
	if elsewhere {
		return false
	}
	return known && s.has(r, r.Text(recv), t.Class) || s.anyReceiver(t, r, i, known)
}

// inside reports whether token i stands in the class that had the method, or in one below it.
func (s *search) inside(t *project.Removed, r *names.Reader, i int) bool {
	switch r.Lang {
	case source.JS:
		if r.ClassAt(i) == nil { // functions on an object or a prototype
			return r.Path == t.File.Path
		}
	case source.Kotlin, source.Java, source.Dart:
		for k := range r.Classes() { // outer classes count
			if c := &r.Classes()[k]; i >= c.From && i < c.To && (c.Name == t.Class || has(c.Bases, t.Class)) {
				return true
			}
		}
		return false
	}
	c := r.ClassAt(i)
	return c != nil && (c.Name == t.Class || has(c.Bases, t.Class))
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// basesKnown reports whether the class could inherit a member of the removed name from nowhere but this project.
func (s *search) basesKnown(t *project.Removed, former *names.Reader) bool {
	var c *names.Class
	for k := range former.Classes() {
		if x := &former.Classes()[k]; x.Name == t.Class && (x.Trait == "" || c == nil) {
			c = x
		}
	}
	if c == nil {
		return true
	}
	if t.File.Lang == source.Go && (t.Name[0] < 'A' || t.Name[0] > 'Z') {
		return true // other packages cannot give it
	}
	return s.v.BasesKnown(former, c)
}

// has reports whether a variable of the file is declared with the class as its type, or made by it.
func (s *search) has(r *names.Reader, variable, class string) bool {
	for _, i := range r.At(variable) {
		k := i + 1
		if r.Is(i-1, ".") {
			continue
		}
		switch {
		case r.Is(i-1, class) && prefixed(r.Lang), r.Is(i-1, ">") && prefixed(r.Lang) && s.generic(r, i-1, class):
			return true
		case r.Is(k, ":"), r.Is(k, "="), r.Is(k, ":="), r.Is(k, "?") && r.Is(k+1, ":"):
			for n := k + 1; n < k+5; n++ {
				switch {
				case r.Is(n, class) && !r.Is(n+1, ".") && !r.Is(n+1, "::"):
					return true
				case r.Is(n, "New"+class) || r.Is(n, "new"+class):
					return true
				case r.Is(n, "new"), r.Is(n, "&"), r.Is(n, "mut"), r.Is(n, "await"), r.Is(n, "?"), r.Is(n, ":"), r.Is(n, "dyn"):
					continue
				case r.Is(n, class) && r.Is(n+1, "::"):
					return r.Is(n+2, "new")
				}
				break
			}
		case r.Lang == source.Go && (r.Is(k, class) || r.Is(k, "*") && (r.Is(k+1, class) || r.Is(k+2, ".") && r.Is(k+3, class)) || r.Is(k+1, ".") && r.Is(k+2, class) && r.Kind(k) == source.Name):
			return true
		}
	}
	return false
}

// generic reports whether the > at i closes the type arguments of the class.
func (s *search) generic(r *names.Reader, i int, class string) bool {
	for k := i - 1; k > i-20 && k > 0; k-- {
		if r.Is(k, "<") && r.Is(k-1, class) {
			return true
		}
	}
	return false
}

func prefixed(l source.Lang) bool { return l == source.Java || l == source.Dart || l == source.CSharp }

// anyReceiver decides about receivers whose type nobody can tell: the name must be so much the project's own that nothing
// else can be meant, and the place must be older than the change.
func (s *search) anyReceiver(t *project.Removed, r *names.Reader, i int, known bool) bool {
	if !known || !r.Is(i+1, "(") || len(t.Name) < 10 || !distinct(t.Name) {
		return false
	}
	f := s.v.Changed(r.Path)
	return f == nil || !f.Touched(r.TokenLine(i), r.TokenLine(i))
}
