// Package flow follows values inside one function, from its parameters and from what a request carries to the places
// where they are used.
//
// It knows assignments, concatenation, formatting and interpolation in the languages of internal/source, and nothing of
// types or of other functions: what a function that it does not know gives back counts as clean. It owns no table and no
// file, and judges nothing. A Region belongs to one goroutine.
package flow

import (
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Region is the body of an outermost function, or a stretch of code between functions.
type Region struct {
	F        *units.File
	Name     string // of the function, "" between functions
	From, To int    // tokens
	Line     int    // first and last line
	End      int
	Test     bool // part of a test

	encl    []int32           // of every token of the file: the innermost bracket around it, -1
	tainted map[string]bool   // names that carry what a caller or a request gave
	request map[string]bool   // those that came with a request
	checked map[string]bool   // those that were compared with what is allowed
	types   map[string]string // of parameters, in lower case
	deep    bool              // every call lets values through
	memo    map[any]any       // of the file: shared by its regions
	body    *string
}

// Regions cuts a file into regions, in order.
func Regions(f *units.File) []*Region {
	encl := enclosing(f)
	var out []*Region
	funcs := append([]*units.Func(nil), f.Funcs()...)
	sort.SliceStable(funcs, func(i, j int) bool { return funcs[i].At < funcs[j].At })
	last, memo := 0, map[any]any{}
	gap := func(to int) {
		if last < to {
			r := newRegion(f, encl, last, to)
			r.anonymous(true)
			out = append(out, r)
		}
	}
	tests := testFrom(f)
	for _, fn := range funcs {
		if fn.At < last || fn.To <= fn.At {
			continue
		}
		gap(fn.At)
		r := newRegion(f, encl, fn.At, max(fn.To, fn.At+1))
		r.Name, r.Test = fn.Name, fn.Test || tests > 0 && fn.Line >= tests
		r.params(fn.At, fn.From)
		r.anonymous(false)
		out = append(out, r)
		last = r.To
	}
	gap(len(f.Tokens))
	for _, r := range out {
		r.memo, r.body = memo, new(string)
		r.spread()
		r.spread()
		r.guards()
	}
	return out
}

// testFrom is the line where the tests of a Rust file begin, 0 without any.
func testFrom(f *units.File) int {
	if f.Lang != source.Rust {
		return 0
	}
	for i := range f.Tokens {
		if f.Is(i, "cfg") && f.Is(i+1, "(") && f.Is(i+2, "test") && f.Is(i+3, ")") {
			return f.TokenLine(i)
		}
	}
	return 0
}

func newRegion(f *units.File, encl []int32, from, to int) *Region {
	to = min(to, len(f.Tokens))
	return &Region{
		F: f, From: from, To: to, Line: f.TokenLine(from), End: f.TokenLine(max(to-1, from)), encl: encl,
		tainted: map[string]bool{}, request: map[string]bool{}, checked: map[string]bool{}, types: map[string]string{},
	}
}

func enclosing(f *units.File) []int32 {
	out := make([]int32, len(f.Tokens))
	var stack []int32
	for i := range f.Tokens {
		for len(stack) > 0 && int(f.Match[stack[len(stack)-1]]) <= i {
			stack = stack[:len(stack)-1]
		}
		out[i] = -1
		if n := len(stack); n > 0 {
			out[i] = stack[n-1]
		}
		if f.Match[i] > int32(i) {
			stack = append(stack, int32(i))
		}
	}
	return out
}

// Around is the innermost opening bracket around token i, -1 for none.
func (r *Region) Around(i int) int {
	if i < 0 || i >= len(r.encl) {
		return -1
	}
	return int(r.encl[i])
}

// Once gives what make returned for the key: what is the same for all regions of a file is made once. Keys are values of
// unexported types.
func (r *Region) Once(key any, make func() any) any {
	v, ok := r.memo[key]
	if !ok {
		v = make()
		r.memo[key] = v
	}
	return v
}

// Says reports whether the source of the file holds a text.
func (r *Region) Says(text string) bool {
	found, _ := r.Once(said(text), func() any { return strings.Contains(r.F.Src, text) }).(bool)
	return found
}

type said string

// Body is the text of the region as units.File.Norm gives it.
func (r *Region) Body() string {
	if *r.body == "" {
		*r.body = r.F.Norm(r.From, r.To)
	}
	return *r.body
}

// Whole is the region widened to its file.
func (r *Region) Whole() *Region {
	w := *r
	w.From, w.To, w.body = 0, len(r.F.Tokens), new(string)
	return &w
}

// Tainted reports whether a name carries what a caller gave.
func (r *Region) Tainted(name string) bool { return r.tainted[name] }

// Checked reports whether a name was compared with what is allowed.
func (r *Region) Checked(name string) bool { return r.checked[name] }

// Type is the declared type of a parameter in lower case, "" when unknown.
func (r *Region) Type(name string) string { return r.types[name] }

// params reads the parameters between a name and the body.
func (r *Region) params(at, body int) {
	f := r.F
	open := -1
	for i := at + 1; i < min(body+1, len(f.Tokens)); i++ {
		if f.Is(i, "(") {
			open = i
			break
		}
		if f.Is(i, "[") || f.Is(i, "{") {
			if f.Is(i, "{") {
				break
			}
			i = f.Close(i)
		}
		if f.Is(i, "=>") && f.Kind(i-1) == source.Name { // x => …
			r.source(f.Text(i-1), "")
			return
		}
	}
	if open < 0 {
		if f.Lang == source.Ruby {
			for i := at + 1; i < len(f.Tokens) && f.TokenLine(i) == f.TokenLine(at); i++ {
				if f.Kind(i) == source.Name {
					r.source(f.Text(i), "")
				}
			}
		}
		return
	}
	r.list(open)
}

// list reads a bracketed list of parameters.
func (r *Region) list(open int) {
	f := r.F
	var names []string // Go: names that wait for their type
	for _, a := range f.Args(open) {
		from, to := a[0], a[1]
		for f.Is(from, "@") { // decorators and annotations
			from += 2
			if f.Is(from, "(") {
				from = f.Close(from) + 1
			}
		}
		if from >= to {
			continue
		}
		if f.Is(from, "{") || f.Is(from, "[") {
			if f.Lang == source.Dart {
				r.list(from)
				continue
			}
			for i := from; i < f.Close(from); i++ {
				if f.Kind(i) == source.Name && !f.Is(i+1, ":") {
					r.source(f.Text(i), "")
				}
			}
			continue
		}
		name, typ := r.param(from, to)
		if name == "" {
			continue
		}
		if f.Lang == source.Go {
			if names = append(names, name); typ != "" {
				for _, n := range names {
					r.source(n, typ)
				}
				names = nil
			}
			continue
		}
		r.source(name, typ)
	}
}

// param splits one parameter into its name and its type.
func (r *Region) param(from, to int) (name, typ string) {
	f := r.F
	end := to
	for i := from; i < to; i++ {
		if f.Is(i, "=") {
			end = i
			break
		}
		i = max(i, f.Close(i))
	}
	colon := -1
	for i := from; i < end; i++ {
		if f.Is(i, ":") {
			colon = i
			break
		}
	}
	lastName := func(lo, hi int) int {
		for i := hi - 1; i >= lo; i-- {
			if f.Kind(i) == source.Name {
				return i
			}
		}
		return -1
	}
	switch f.Lang {
	case source.Go:
		if f.Kind(from) == source.Name {
			return f.Text(from), f.Norm(from+1, end)
		}
		return "", ""
	case source.Java, source.CSharp, source.Dart, source.C, source.CPP:
		if i := lastName(from, end); i >= 0 {
			return f.Text(i), f.Norm(from, i)
		}
		return "", ""
	case source.PHP:
		for i := from; i < end; i++ {
			if strings.HasPrefix(f.Text(i), "$") {
				return f.Text(i), f.Norm(from, i)
			}
		}
		return "", ""
	}
	if colon > from {
		if i := lastName(from, colon); i >= 0 {
			return f.Text(i), f.Norm(colon+1, end)
		}
	}
	if i := lastName(from, end); i >= 0 {
		return f.Text(i), ""
	}
	return "", ""
}

// source makes a parameter a source, unless its type cannot hold text that does harm.
func (r *Region) source(name, typ string) {
	switch name {
	case "self", "cls", "this", "_", "":
		return
	}
	if typ = strings.ToLower(typ); typ != "" {
		r.types[name] = typ
	}
	if !Number(typ) {
		r.tainted[name] = true
	}
}

// Number reports whether a type, in lower case, is that of a number, a truth value or a date.
func Number(typ string) bool {
	typ = strings.TrimSpace(strings.Trim(strings.TrimSpace(typ), "*&?"))
	for _, mod := range [...]string{"final ", "required ", "const ", "mut ", "optional <", "optional [", "option <", "private ", "readonly ", "public "} {
		typ = strings.TrimSpace(strings.TrimPrefix(typ, mod))
	}
	typ = strings.TrimSpace(strings.TrimRight(typ, "?]> "))
	typ = strings.TrimSpace(strings.TrimSuffix(typ, "| none"))
	switch typ {
	case "int", "integer", "long", "short", "byte", "float", "double", "number", "bool", "boolean", "usize", "isize", "i8", "i16", "i32", "i64", "i128", "u8", "u16",
		"u32", "u64", "u128", "f32", "f64", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "uuid", "uuid.uuid",
		"datetime", "date", "duration", "time.duration", "time.time", "bigint", "decimal", "num", "bigdecimal", "biginteger", "instant", "localdate":
		return true
	}
	return false
}

// anonymous adds the parameters of functions without a name. Inside a named function only those count that hold a
// request: the rest is filled by the function itself.
func (r *Region) anonymous(top bool) {
	f := r.F
	for i := r.From; i < r.To; i++ {
		open := -1
		switch {
		case f.Is(i, "(") && (f.Is(f.Close(i)+1, "=>") || f.Is(f.Close(i)+1, "->") || f.Is(f.Close(i)+1, ":") && r.arrow(f.Close(i)+1)):
			open = i
		case f.Is(i, "function") && f.Is(i+1, "("), f.Is(i, "func") && f.Is(i+1, "("):
			open = i + 1
		case f.Is(i, "function") && f.Is(i+2, "("), f.Is(i, "def") && f.Is(i+2, "(") && i != r.From:
			r.list(i + 2)
			continue
		case f.Kind(i) == source.Name && f.Is(i+1, "=>"):
			if top || Request(f.Text(i)) {
				r.source(f.Text(i), "")
			}
			continue
		default:
			continue
		}
		if top {
			r.list(open)
			continue
		}
		for _, a := range f.Args(open) {
			if name, typ := r.param(a[0], a[1]); Request(name) {
				r.source(name, typ)
			}
		}
	}
}

// arrow reports whether an arrow follows a type soon.
func (r *Region) arrow(i int) bool {
	for n := 0; n < 12; n++ {
		if r.F.Is(i+n, "=>") {
			return true
		}
		if r.F.Is(i+n, ";") || r.F.Is(i+n, "{") {
			return false
		}
	}
	return false
}

// Request reports whether a name is that of what came over the network.
func Request(name string) bool {
	switch strings.TrimPrefix(name, "$") {
	case "req", "request", "_GET", "_POST", "_REQUEST", "_COOKIE", "searchParams":
		return true
	}
	return false
}
