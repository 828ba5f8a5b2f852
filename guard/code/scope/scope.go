// Package scope holds the variables and functions of interpreter code while it is followed. It owns no table and no file, and knows no
// language.
package scope

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
)

// Func is a function that the code defines.
type Func struct {
	Params  []string       // a leading * takes the rest
	Args    []effect.Value // per parameter: everything it was called with
	Called  bool
	Returns bool
	Result  effect.Value
}

// Scope is what the names of the code mean. There is only one level: names of functions are not parted from each other.
type Scope struct {
	Vars     map[string]effect.Value
	Funcs    map[string]*Func
	Executed int      // pieces of code in strings that were read
	Now      *Func    // whose body is read
	Star     []string // modules whose names are imported bare
	Grows    bool     // functions do not declare their parameters (Perl)
}

// Set assigns a variable. In an indented block the old value stays possible.
func (s *Scope) Set(name string, v effect.Value, nest bool) {
	if name == "" || len(name) > 200 {
		return
	}
	if old, ok := s.Vars[name]; ok && nest && old.Kind != effect.Constant && old.Kind != effect.Unknown && !(old.Kind == v.Kind && old.Kind == effect.List) {
		if v.Kind == effect.Constant {
			return
		}
		v = effect.Choose([]effect.Value{old, v})
	}
	v.Name = ""
	s.Vars[name] = v
}

// Bind gives the loop variables the elements of v.
func (s *Scope) Bind(names []string, v effect.Value) {
	x := v.Iter()
	if len(names) == 1 {
		if names[0] != "" {
			s.Vars[names[0]] = x
		}
		return
	}
	for i, n := range names {
		if n == "" {
			continue
		}
		var all []effect.Value
		for _, o := range x.Options() {
			if o.Kind == effect.List && i < len(o.Items) {
				all = append(all, o.Items[i])
			} else if o.Kind != effect.List && i == len(names)-1 {
				all = append(all, o) // enumerate, items of a map: the last name gets the element
			}
		}
		s.Vars[n] = effect.Choose(all)
	}
}

// Narrow notes what a comparison says about a variable that holds any name of a folder.
func (s *Scope) Narrow(v effect.Value, is string, suffix bool) {
	old, ok := s.Vars[v.Name]
	if v.Name == "" || !ok || !old.Glob || !strings.HasSuffix(old.Text, "*") || len(is) > effect.MaxText {
		return
	}
	if !suffix {
		old.Text = strings.TrimRight(old.Text, "*")
	}
	old.Text += is
	s.Vars[v.Name] = old
}

// Call calls a function of the code itself: what it is called with is bound in the next pass.
func (s *Scope) Call(key string, args, named []effect.Value) effect.Value {
	f := s.Funcs[key]
	f.Called = true
	for len(f.Args) < len(args) && s.Grows {
		f.Args = append(f.Args, effect.Value{Kind: effect.Constant})
	}
	for i := range f.Args {
		v := effect.Value{Kind: effect.Constant}
		switch {
		case i < len(f.Params) && strings.HasPrefix(f.Params[i], "*"):
			v = effect.ListOf(args[min(i, len(args)):]...)
			if len(v.Items) > effect.MaxChoices {
				v = effect.Value{}
			}
		case i < len(args):
			v = args[i]
		case i < len(f.Params):
			v2, ok := effect.Option(named, f.Params[i])
			if ok {
				v = v2
			}
		}
		if v.Kind == effect.Constant && f.Args[i].Kind != effect.Constant {
			continue
		}
		if f.Args[i].Kind == effect.Constant {
			f.Args[i] = v
		} else if v.Kind != effect.List || len(f.Args[i].Options()) < 16 && !same(f.Args[i], v) {
			f.Args[i] = effect.Choose([]effect.Value{f.Args[i], v})
		}
	}
	return f.Result
}

// same reports whether the list v is already among the choices of old.
func same(old, v effect.Value) bool {
	for _, o := range old.Options() {
		if o.Kind != effect.List || len(o.Items) != len(v.Items) {
			continue
		}
		equal := true
		for i := range o.Items {
			equal = equal && o.Items[i].Kind == v.Items[i].Kind && o.Items[i].Text == v.Items[i].Text
		}
		if equal {
			return true
		}
	}
	return false
}

// Leak notes that a function may be called with anything.
func (s *Scope) Leak(name string) {
	f := s.Funcs[name]
	f.Called = true
	for i := range f.Args {
		f.Args[i] = effect.Choose([]effect.Value{f.Args[i], {}})
	}
}
