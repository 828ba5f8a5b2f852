package names

import "github.com/devflow-suite/devflow/internal/source"

// Class is a type with a body: a class, a struct, an impl block.
type Class struct {
	Name     string
	Bases    []string // what its members may also come from, last part of each name
	From, To int      // tokens of the body
	Trait    string   // Rust: of `impl Trait for`
	Odd      bool     // attributes, decorators or macros may give it members
}

// Classes lists the classes of the file; inner ones come after those around them.
func (r *Reader) Classes() []Class {
	if r.read.classes {
		return r.classes
	}
	r.read.classes = true
	for _, d := range r.decls {
		if d.Type && d.To > d.From {
			c := Class{Name: r.Text(d.At), From: d.From, To: d.To}
			c.Bases = r.bases(d)
			c.Odd = r.odd(d.At)
			r.classes = append(r.classes, c)
		}
	}
	if r.Lang == source.Rust {
		r.impls()
	}
	return r.classes
}

// bases are the names in the head of a declaration.
func (r *Reader) bases(d source.Decl) []string {
	var out []string
	switch r.Lang {
	case source.Go:
		for i := d.From; i < d.To && r.Is(d.From-2, "struct"); i++ { // embedded fields
			if !r.Tokens[i].First || r.Parent(i) != d.From-1 {
				continue
			}
			k := i
			if r.Is(k, "*") {
				k++
			}
			name := k
			for r.Is(k+1, ".") {
				k += 2
			}
			if r.Kind(name) == source.Name && (k+1 >= len(r.Tokens) || r.Tokens[k+1].First || r.Kind(k+1) == source.String) {
				base := r.Text(k)
				if k > name {
					base = r.Text(name) + "." + base
				}
				out = append(out, base)
			}
		}
		return out
	case source.Python:
		open := d.At + 1
		if !r.Is(open, "(") {
			return nil
		}
		for _, a := range r.Args(open) {
			if r.Is(a[0]+1, "=") {
				out = append(out, "metaclass")
				continue
			}
			k := a[0]
			for r.Is(k+1, ".") && k+2 < a[1] {
				k += 2
			}
			out = append(out, r.Text(k))
		}
		return out
	}
	depth, seen := 0, false
	for i := d.At + 1; i < d.From-1 && i < len(r.Tokens); i++ {
		switch {
		case r.Is(i, "<"):
			depth++
		case r.Is(i, ">"):
			depth--
		case r.Is(i, ">>"):
			depth -= 2
		case r.Is(i, "("):
			i = max(i, r.Close(i))
		case depth > 0:
		case r.Is(i, "extends"), r.Is(i, "implements"), r.Is(i, "with"), r.Is(i, "on"), r.Is(i, ":"):
			seen = true
		case seen && r.Kind(i) == source.Name && !r.Is(i+1, "."):
			out = append(out, r.Text(i))
		}
	}
	return out
}

// odd reports decorators, annotations or attributes that write members.
func (r *Reader) odd(at int) bool {
	for i := at - 1; i >= 0 && i > at-80; i-- {
		switch {
		case r.Is(i, ";"), r.Is(i, "}"), r.Is(i, "{"):
			return false
		case r.Is(i, "@"):
			switch r.Text(i + 1) {
			case "Override", "Deprecated", "SuppressWarnings", "FunctionalInterface", "Nullable", "immutable", "sealed", "deprecated", "final", "dataclass", "dataclasses", "total_ordering",
				"VisibleForTesting", "internal", "protected", "Experimental", "Immutable", "runtime_checkable", "optionalTypeArgs", "visibleForTesting":
				continue
			}
			return true
		}
		if r.Lang == source.Python && r.Tokens[i].First && !r.Is(i, "@") && !r.Is(i, "class") {
			return false
		}
	}
	return false
}

// impls finds Rust's impl blocks.
func (r *Reader) impls() {
	for i := range r.Tokens {
		if !r.Is(i, "impl") || !r.Tokens[i].First && !r.Is(i-1, "unsafe") {
			continue
		}
		depth, last := 0, -1
		c := Class{}
		for k := i + 1; k < len(r.Tokens) && k < i+200; k++ {
			switch {
			case r.Is(k, "<"):
				depth++
				continue
			case r.Is(k, ">"):
				depth--
				continue
			case r.Is(k, ">>"):
				depth -= 2
				continue
			case depth == 0 && r.Is(k, "for"):
				c.Trait = r.Text(max(last, 0))
				last = -1
				continue
			case depth == 0 && (r.Is(k, "where") || r.Is(k, "{")):
				c.Name = r.Text(max(last, 0))
				for k < len(r.Tokens) && !r.Is(k, "{") {
					k++
				}
				c.From, c.To = min(k+1, len(r.Tokens)), max(r.Close(k), k+1)
				if last >= 0 && k < len(r.Tokens) {
					r.classes = append(r.classes, c)
				}
			case r.Kind(k) == source.Name:
				if depth == 0 && !r.Is(k, "dyn") && !r.Is(k, "mut") {
					last = k
				}
				continue
			default:
				continue
			}
			break
		}
	}
}

// ClassAt is the innermost class around token i, nil when there is none.
func (r *Reader) ClassAt(i int) *Class {
	var best *Class
	for k := range r.Classes() {
		c := &r.classes[k]
		if i >= c.From && i < c.To && (best == nil || c.To-c.From < best.To-best.From) {
			best = c
		}
	}
	return best
}

// Class is the class of the name, nil when the file has none.
func (r *Reader) Class(name string) *Class {
	for k := range r.Classes() {
		if r.classes[k].Name == name && r.classes[k].Trait == "" {
			return &r.classes[k]
		}
	}
	return nil
}

// Receiver gives the name and the type of the receiver of the Go method around token i.
func (r *Reader) Receiver(i int) (name, class string) {
	for k := range r.decls {
		d := &r.decls[k]
		if d.Type || i < d.At || i >= d.To || !r.Is(d.At-1, ")") {
			continue
		}
		return r.receiver(d.At)
	}
	return "", ""
}

// receiver reads func (c *T[K]) in front of the name at token at.
func (r *Reader) receiver(at int) (name, class string) {
	for k := at - 2; k >= 0 && k > at-24; k-- {
		if r.Is(k, "(") && r.Is(k-1, "func") {
			for n := k + 1; n < at-1; n++ {
				if r.Kind(n) == source.Name && !r.Is(n, "_") || r.Is(n, "_") {
					if name == "" {
						name = r.Text(n)
						if r.Is(n+1, ")") || r.Is(n+1, ".") { // no name
							return "", name
						}
						continue
					}
					if class == "" {
						class = r.Text(n)
					}
				}
				if r.Is(n, "[") {
					break
				}
			}
			return name, class
		}
	}
	return "", ""
}
