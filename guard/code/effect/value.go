package effect

import (
	"path"
	"strings"
)

// Kind is what is known about a Value.
type Kind uint8

// Kinds of values.
const (
	Unknown  Kind = iota
	Constant      // number, true, None: no path and no command
	Text          // a string; computed parts are Computed
	List          // items
	Object        // items under keys
	Ref           // a function, module or class by its canonical name, dots between the parts
	Method        // Items[0].Text(…), not yet called
	Each          // iterating gives Items[0]
	Choice        // one of items
	Contents      // what the file named Text holds
	Process       // a started program: Items[0] is its command
	Database      // a connection: items are the client's argv
	Function      // a function of the code itself; Text is its key
)

// Value is a partly known Value of the code.
type Value struct {
	Kind  Kind
	Path  bool // of Text: a Path or Pathname object
	Dyn   bool // of Text: holds Computed
	Glob  bool // of Text: holds wildcards that are meant as such
	Line  int
	Text  string
	Name  string // variable it was read from
	Items []Value
	Keys  []string
}

// Bounds that keep hostile code cheap. Real code is far below them.
const (
	MaxText    = 4096    // bytes of a joined string
	MaxChoices = 64      // possible values of one variable
	maxWork    = 8 << 20 // bytes copied by joining
)

// Str is a known text.
func Str(s string) Value { return Value{Kind: Text, Text: s} }

// Unsure is a text of which nothing is known.
func Unsure() Value { return Value{Kind: Text, Text: Computed, Dyn: true} }

// ListOf is a list.
func ListOf(items ...Value) Value { return Value{Kind: List, Items: items} }

// Known reports whether v has a text.
func (v Value) Known() bool { return v.Kind == Text }

// Iter is what iterating over v gives.
func (v Value) Iter() Value {
	switch v.Kind {
	case Each:
		return v.Items[0]
	case List:
		return Choose(v.Items)
	case Choice:
		var all []Value
		for _, x := range v.Items {
			all = append(all, x.Iter())
		}
		return Choose(all)
	}
	return Value{}
}

// Choose joins several possible values in one.
func Choose(items []Value) Value {
	var out []Value
	for _, x := range items {
		add := []Value{x}
		if x.Kind == Choice {
			add = x.Items
		}
		for _, y := range add {
			if len(out) >= MaxChoices {
				return Value{Kind: Choice, Items: append(out, Value{})}
			}
			y.Name = ""
			if !has(out, y) {
				out = append(out, y)
			}
		}
	}
	switch len(out) {
	case 0:
		return Value{}
	case 1:
		return out[0]
	}
	return Value{Kind: Choice, Items: out}
}

func has(list []Value, v Value) bool {
	for i := range list {
		if x := &list[i]; x.Kind == v.Kind && x.Text == v.Text && len(v.Items)+len(x.Items) == 0 {
			return true
		}
	}
	return false
}

// Options lists the possible values.
func (v Value) Options() []Value {
	if v.Kind == Choice {
		return v.Items
	}
	return []Value{v}
}

// Join is a + b of strings.
func (s *Sink) Join(a, b Value) Value {
	if a.Kind == List && b.Kind == List {
		if len(a.Items)+len(b.Items) > 4*MaxChoices {
			return Value{}
		}
		return Value{Kind: List, Items: append(a.Items[:len(a.Items):len(a.Items)], b.Items...)}
	}
	if a.Kind == List || b.Kind == List { // the rest is unknown: one computed argument
		if a.Kind == List {
			return s.Join(a, ListOf(Unsure()))
		}
		return s.Join(ListOf(Unsure()), b)
	}
	if a.Kind == Choice || b.Kind == Choice {
		var out []Value
		for _, x := range a.Options() {
			for _, y := range b.Options() {
				if len(out) > MaxChoices {
					return Choose(append(out, Value{}))
				}
				out = append(out, s.Join(x, y))
			}
		}
		return Choose(out)
	}
	if !a.Known() && !b.Known() {
		return Value{}
	}
	x, y := a.Part(), b.Part()
	if s.work += len(x.Text) + len(y.Text); len(x.Text)+len(y.Text) > MaxText || s.work > maxWork {
		return Value{}
	}
	return Value{Kind: Text, Text: x.Text + y.Text, Dyn: x.Dyn || y.Dyn, Glob: x.Glob || y.Glob, Path: a.Path}
}

// Part is v as a piece of a string.
func (v Value) Part() Value {
	switch {
	case v.Known():
		return v
	case v.Kind == Constant && v.Text != "":
		return Str(v.Text)
	}
	return Unsure()
}

// JoinPath joins path elements the way os.path.join does.
func (s *Sink) JoinPath(parts ...Value) Value {
	if len(parts) == 0 {
		return Value{}
	}
	out := parts[0]
	if out.Kind == Choice {
		var all []Value
		for _, o := range out.Items {
			all = append(all, s.JoinPath(append([]Value{o}, parts[1:]...)...))
		}
		return Choose(all)
	}
	for _, p := range parts[1:] {
		if p.Kind == List {
			p = p.Iter()
		}
		if p.Known() && (strings.HasPrefix(p.Text, "/") || p.Text == "~" || strings.HasPrefix(p.Text, "~/")) {
			out = p
			continue
		}
		if !strings.HasSuffix(out.Text, "/") && (!out.Known() || out.Text != "") {
			out = s.Join(out, Str("/"))
		}
		out = s.Join(out, p)
	}
	out.Path = out.Path || parts[0].Path
	return out
}

// Parent is the parent folder of a path.
func (v Value) Parent() Value {
	if v.Kind == Choice {
		return Value{}
	}
	if !v.Known() || v.Text == "" {
		return v
	}
	v.Text, v.Name = path.Dir(v.Text), ""
	v.Dyn = strings.Contains(v.Text, Computed)
	return v
}

// Truth reports whether v is surely a true constant or a non-empty value.
func (v Value) Truth() bool {
	switch v.Text {
	case "True", "true", "TRUE", "T", "1":
		return true
	}
	return v.Kind != Constant && v.Kind != Unknown
}

// Get returns the item of an object.
func (v Value) Get(key string) (Value, bool) {
	for i, k := range v.Keys {
		if k == key && i < len(v.Items) {
			return v.Items[i], true
		}
	}
	return Value{}, false
}

// Percent is the string formatting of Python and Ruby: "%s/x" % v.
func (s *Sink) Percent(format, arg Value) Value {
	args := []Value{arg}
	if arg.Kind == List {
		args = arg.Items
	}
	out, rest := Str(""), format.Text
	for n := 0; ; n++ {
		before, after, found := strings.Cut(rest, "%")
		out = s.Join(out, Str(before))
		if !found || n > MaxChoices {
			break
		}
		rest = strings.TrimLeft(after, "-+ #0123456789.")
		if name, tail, ok := strings.Cut(rest, ")"); ok && strings.HasPrefix(rest, "(") {
			v, _ := arg.Get(name[1:])
			out, rest = s.Join(out, v.Part()), tail
		} else if strings.HasPrefix(rest, "%") {
			out, n = s.Join(out, Str("%")), n-1
		} else if n < len(args) {
			out = s.Join(out, args[n].Part())
		} else {
			out = s.Join(out, Unsure())
		}
		if rest != "" {
			rest = rest[1:]
		}
	}
	return out
}
