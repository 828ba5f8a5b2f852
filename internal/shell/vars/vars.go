// Package vars remembers what a shell script has assigned to its variables, as far as the text tells.
//
// It owns no table and no file. A Scope is immutable: a subshell or a branch simply keeps the one that it started with, and Join says what
// is known after two ways meet. Every operation looks at a bounded number of assignments, so a script of any length costs linear time;
// what lies farther back counts as not known. All functions are pure and safe for concurrent use.
package vars

import (
	"slices"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

const (
	window = 128 // how many assignments back a value is looked for
	change = 32  // how many assignments two ways may differ by; with more, all is forgotten
)

// Value is what a variable holds.
type Value struct {
	Words    []word.Word // one for a plain variable, any number for an array
	Known    bool        // false: assigned, but to something that only the run time knows
	List     bool        // an array
	Exported bool        // children see it
}

// One is a plain known value.
func One(w word.Word) Value { return Value{Words: []word.Word{w}, Known: true} }

func (v Value) equal(o Value) bool {
	return v.Known == o.Known && v.List == o.List && v.Exported == o.Exported && slices.Equal(v.Words, o.Words)
}

// Scope is the newest assignment and what was before it. nil is the scope of a script that has assigned nothing.
type Scope struct {
	name  string // "" forgets all that came before
	value Value
	depth int
	next  *Scope
}

// Set returns the scope after an assignment.
func (s *Scope) Set(name string, v Value) *Scope {
	if s != nil && s.name == name {
		s = s.next
	}
	n := &Scope{name: name, value: v, depth: 1, next: s}
	if s != nil {
		n.depth = s.depth + 1
	}
	return n
}

// Forget returns a scope in which every variable may have any value.
func (s *Scope) Forget() *Scope {
	if s != nil && s.name == "" {
		return s
	}
	return (*Scope)(nil).Set("", Value{})
}

// Lookup returns the value of a variable. assigned is false if the script never touched it, so that the environment decides.
func (s *Scope) Lookup(name string) (v Value, assigned bool) {
	for i := 0; s != nil; s, i = s.next, i+1 {
		if s.name == "" || i == window {
			return Value{}, true
		}
		if s.name == name {
			return s.value, true
		}
	}
	return Value{}, false
}

// Exports returns the scope that a child process starts with: exported variables keep their values.
func (s *Scope) Exports() *Scope {
	var names []string
	for x, i := s, 0; x != nil && i < window; x, i = x.next, i+1 {
		if x.name == "" {
			break
		}
		if !slices.Contains(names, x.name) {
			names = append(names, x.name)
		}
	}
	var out *Scope
	for _, name := range names {
		v, _ := s.Lookup(name)
		if !v.Exported {
			v = Value{}
		}
		out = out.Set(name, v)
	}
	return out
}

// Drop returns the scope after the variables that lose reports may have changed in a way nobody has followed.
func (s *Scope) Drop(lose func(name string) bool) *Scope {
	out := s
	var seen []string
	for x, i := s, 0; x != nil && i < window && x.name != ""; x, i = x.next, i+1 {
		if lose(x.name) && !slices.Contains(seen, x.name) {
			seen = append(seen, x.name)
			out = out.Set(x.name, Value{Exported: x.value.Exported})
		}
	}
	return out
}

// Join returns what is known where two ways meet that started with the same scope: values that differ are not known.
func Join(a, b *Scope) *Scope {
	return merge(a, b, func(x, y Value, xSet, ySet bool) Value {
		if xSet && ySet && x.equal(y) {
			return x
		}
		return Value{Exported: x.Exported || y.Exported}
	})
}

// After returns what is known after steps that may not all have run (a && b): a known value that was replaced is not known any more,
// a new one is taken to be there.
func After(before, after *Scope) *Scope {
	return merge(before, after, func(x, y Value, xSet, ySet bool) Value {
		if !xSet || x.equal(y) {
			return y
		}
		return Value{Exported: x.Exported || y.Exported}
	})
}

func merge(a, b *Scope, decide func(x, y Value, xSet, ySet bool) Value) *Scope {
	if a == b {
		return a
	}
	names, base, ok := differences(a, b)
	if !ok {
		return a.Forget()
	}
	out := base
	for _, n := range names {
		x, xSet := a.Lookup(n)
		y, ySet := b.Lookup(n)
		out = out.Set(n, decide(x, y, xSet, ySet))
	}
	return out
}

// differences lists the variables assigned since the two scopes had the same past.
func differences(a, b *Scope) (names []string, base *Scope, ok bool) {
	for steps := 0; a != b; steps++ {
		if steps > 2*change {
			return nil, nil, false
		}
		var x *Scope
		if b == nil || a != nil && a.depth >= b.depth {
			x, a = a, a.next
		} else {
			x, b = b, b.next
		}
		if x.name == "" {
			return nil, nil, false
		}
		if !slices.Contains(names, x.name) {
			names = append(names, x.name)
		}
	}
	slices.Reverse(names)
	return names, a, true
}
