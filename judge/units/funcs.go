package units

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/judge/units/signature"
)

// Param is one parameter.
type Param = signature.Param

// Decls lists the functions and types that the file declares; see source.File.Decls.
func (f *File) Decls() []source.Decl {
	if !f.read.decls {
		f.decls, f.read.decls = f.DeclsIn(f.Match, 0, len(f.Tokens)), true
	}
	return f.decls
}

func (f *File) signatures() *signature.Reader {
	if f.reader == nil {
		f.reader = signature.New(f.File, f.Match)
	}
	return f.reader
}

// found are the test cases as package cases finds them.
func (f *File) found() []cases.Test {
	if !f.read.cases && f.Lang != "" {
		f.cases = cases.FindIn(f.File, f.Match, f.Decls())
	}
	f.read.cases = true
	return f.cases
}

// deepest bounds how deeply functions are nested that anybody wrote.
const deepest = 32

func (f *File) functions() []*Func {
	var out []*Func
	tests := map[int]bool{}
	for _, t := range f.found() {
		tests[t.At] = true
	}
	w := walker{list: f.scopes()}
	for _, d := range f.Decls() {
		if d.Type || d.At >= len(f.Tokens) {
			continue
		}
		around := w.at(d.At)
		if len(around) > deepest {
			continue
		}
		s := f.signatures().Read(d.At, d.From)
		fn := &Func{Name: d.Name, Class: s.Owner, Attrs: s.Attrs, Head: s.Head, At: d.At, From: d.From, To: d.To, Params: s.Params, Result: s.Result, Test: tests[d.At], file: f}
		fn.First, fn.Line = f.TokenLine(s.Head), f.TokenLine(s.Start)
		fn.End = f.lastLine(d.From, d.To, fn.Line)
		if fn.Class == "" && len(around) > 0 && around[len(around)-1].kind == typeScope {
			fn.Class = around[len(around)-1].name
		}
		out = append(out, fn)
	}
	return out
}

// lastLine is the line on which a body of tokens [from, to) ends: that of its closing bracket where it has one.
func (f *File) lastLine(from, to, line int) int {
	if to < len(f.Tokens) && from > 0 && f.Close(from-1) == to && (f.Is(to, "}") || f.Is(to, ")") || f.Is(to, "]")) {
		return max(f.TokenLine(to), line)
	}
	if to > from && to <= len(f.Tokens) {
		if f.Is(to, "end") {
			return max(f.TokenLine(to), line)
		}
		return max(f.LineOf(int(f.Tokens[to-1].End)-1), line)
	}
	return line
}
