package phantom

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// ofSelf decides about self.name() and this.name().
func ofSelf(v *project.View, x candidate, places []change.Place) (verdict.Class, bool) {
	if x.file.Kind == layout.Test || elsewhere(v, x, places) {
		return "", false
	}
	if x.r.Lang == source.Go {
		if len(x.name) < 2 || x.class == "" {
			return "", false
		}
		for _, p := range v.Dir(path.Dir(x.file.Path)) {
			if !strings.HasSuffix(p, ".go") {
				continue
			}
			r := v.Present(p)
			if r == nil {
				return "", false
			}
			if c := r.Class(x.class); c != nil && !aliased(r, c) {
				lower := x.name[0] >= 'a' && x.name[0] <= 'z'
				return verdict.Hard, lower || v.BasesKnown(r, c)
			}
		}
		return "", false
	}
	c := x.r.ClassAt(x.at)
	if c == nil || c.Odd || !v.BasesKnown(x.r, c) || c.From < 2 {
		return "", false
	}
	for _, magic := range [...]string{"__getattr__", "__getattribute__", "setattr", "Proxy", "noSuchMethod", "defineProperty", "assign", "setattr", "__dict__", "update", "mixin", "bindAll", "promisifyAll"} {
		if len(x.r.At(magic)) > 0 {
			return "", false
		}
	}
	switch x.r.Lang {
	case source.Python, source.JS, source.TS, source.Java, source.Dart:
		return verdict.Hard, true
	}
	return "", false
}

// aliased reports types that are another type under a name, and interfaces.
func aliased(r *names.Reader, c *names.Class) bool {
	return !r.Is(c.From-2, "struct")
}

// closed reports whether no base class of another project may give a bare name at the place.
func closed(v *project.View, x candidate) bool {
	for k := range x.r.Classes() {
		c := &x.r.Classes()[k]
		if x.at >= c.From && x.at < c.To && (c.Odd || !v.BasesKnown(x.r, c)) {
			return false
		}
	}
	// anonymous classes: new Base() { … }
	if x.r.Lang == source.Java {
		for p := x.r.Parent(x.at); p >= 0; p = x.r.Parent(p) {
			if x.r.Is(p, "{") && x.r.Is(p-1, ")") {
				for i := p - 1; i > p-60 && i > 0; i-- {
					if x.r.Is(i, "new") {
						base := i + 1
						for x.r.Is(base+1, ".") {
							base += 2
						}
						if !v.BasesKnown(x.r, &names.Class{Bases: []string{x.r.Text(base)}}) {
							return false
						}
						break
					}
					if x.r.Is(i, ";") || x.r.Is(i, "{") || x.r.Is(i, "}") {
						break
					}
				}
			}
		}
	}
	return true
}
