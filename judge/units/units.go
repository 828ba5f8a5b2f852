// Package units reads a source file into what the rules of the judge compare: functions, tests and assertions, with
// their places.
//
// It stands on internal/source (tokens, declarations) and internal/source/cases (test cases), so there is one lexer and one
// idea of what a test is. It reads whole files and fragments of files (a hunk of a patch with blank lines around it)
// alike and never fails. It owns no table and no file, and judges nothing. A File belongs to one goroutine: its parts
// are filled in when first asked for.
package units

import (
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/judge/lex"
	"github.com/devflow-suite/devflow/judge/units/assertion"
	"github.com/devflow-suite/devflow/judge/units/signature"
)

// File is one version of a file. The tokens of a language that is not known are those of a line-based one.
type File struct {
	*source.File
	Path  string
	Match []int32 // opening bracket → its partner; see source.File.Balance

	lines    []int // byte offsets of line starts
	comments []lex.Comment
	masked   string
	funcs    []*Func
	tests    []*Test
	decls    []source.Decl
	helpers  map[string]bool
	finder   *assertion.Finder
	groups   []Group
	scoped   []scope
	cases    []cases.Test
	reader   *signature.Reader
	read     struct{ comments, masked, funcs, tests, groups, scopes, cases, decls bool }
}

// Parse reads a file. lang may be empty for configuration and documents; then there are no functions and tests.
func Parse(path string, lang source.Lang, src []byte) *File {
	f := &File{File: source.Lex(lang, src), Path: path}
	f.Match = f.Balance()
	f.lines = append(f.lines, 0)
	for i := 0; i < len(f.Src); i++ {
		if f.Src[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Func is a function or method. Token numbers index File.Tokens.
type Func struct {
	Name   string
	Class  string  // type that it belongs to: class, impl block, Go receiver; "" at the top
	Attrs  string  // decorators, annotations and attributes in front of it, as written
	Head   int     // first token of the declaration, decorators included
	At     int     // token of the name
	From   int     // first token of the body
	To     int     // token after the body
	Line   int     // of the declaration, without decorators
	End    int     // last line
	First  int     // first line, decorators included
	Params []Param // without the receiver, self and cls
	Result string  // declared result as written, "" when there is none
	Test   bool    // a test case, too

	file *File
}

// Test is a test case. A subtest is part of the one around it.
type Test struct {
	Name   string // for calls such as it("adds") the first argument
	Group  string // describe blocks and classes around it, joined by " > "
	Call   string // it, test, testWidgets …; "" for declared functions
	Attrs  string // as of Func; for calls the modifiers and options: ".only", "{ skip: true }", "skip: 'why'"
	Head   int    // first token, decorators included
	At     int    // token of the name of a function, or of Call
	From   int    // first token of the body; for calls of the arguments
	To     int    // token after it
	Line   int
	End    int
	First  int
	Weight int // assertions that can fail, as package cases counts them: helpers of the same file are followed
	Weak   int // trivial ones

	file    *File
	asserts []Assert
	read    bool
}

// Lines gives the text of lines from to to, both from 1 and included.
func (f *File) Lines(from, to int) string {
	from, to = max(from, 1), min(to, len(f.lines))
	if from > to {
		return ""
	}
	end := len(f.Src)
	if to < len(f.lines) {
		end = f.lines[to] - 1
	}
	return f.Src[f.lines[from-1]:max(end, f.lines[from-1])]
}

// LineOf gives the line, from 1, of a byte.
func (f *File) LineOf(pos int) int { return sort.SearchInts(f.lines, pos+1) }

// NumLines counts lines; a final line end starts none.
func (f *File) NumLines() int {
	if n := len(f.lines); n > 0 && f.lines[n-1] == len(f.Src) {
		return n - 1
	}
	return len(f.lines)
}

// TokenLine is the line of token i, 0 outside of the file.
func (f *File) TokenLine(i int) int {
	if i < 0 || i >= len(f.Tokens) {
		return 0
	}
	return int(f.Tokens[i].Line)
}

// Span is the source of tokens [from, to), as written.
func (f *File) Span(from, to int) string {
	from, to = max(from, 0), min(to, len(f.Tokens))
	if from >= to {
		return ""
	}
	return f.Src[f.Tokens[from].Pos:f.Tokens[to-1].End]
}

// Norm is the text of tokens [from, to) with one blank between tokens that stand apart: layout and comments gone.
func (f *File) Norm(from, to int) string {
	from, to = max(from, 0), min(to, len(f.Tokens))
	if from >= to {
		return ""
	}
	n := 0
	for i := from; i < to; i++ {
		n += int(f.Tokens[i].End-f.Tokens[i].Pos) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(' ')
		}
		b.WriteString(f.Text(i))
	}
	return b.String()
}

// Close is the partner of the opening bracket at token i, or i itself when it is none or has none.
func (f *File) Close(i int) int {
	if i < 0 || i >= len(f.Match) || f.Match[i] == 0 || int(f.Match[i]) >= len(f.Tokens) {
		return i
	}
	return int(f.Match[i])
}

// end is the token at which the bracket at token i closes, the end of the file where nothing closes it, and i where it is
// none.
func (f *File) end(i int) int {
	if i < 0 || i >= len(f.Match) || f.Match[i] == 0 {
		return i
	}
	return min(int(f.Match[i]), len(f.Tokens))
}

// Args splits what is between the bracket at token open and its partner at top-level commas. Each part is [from, to).
func (f *File) Args(open int) [][2]int {
	end := f.Close(open)
	if end <= open+1 {
		return nil
	}
	var out [][2]int
	from := open + 1
	for i := open + 1; i < end; i++ {
		if f.Is(i, ",") {
			out = append(out, [2]int{from, i})
			from = i + 1
			continue
		}
		i = max(i, f.Close(i))
	}
	if from < end {
		out = append(out, [2]int{from, end})
	}
	return out
}

// Comments lists the comments of the file.
func (f *File) Comments() []lex.Comment {
	if !f.read.comments {
		f.comments, f.read.comments = lex.Comments(f.File), true
	}
	return f.comments
}

// Masked is the text of the file with comments blanked and strings masked; see lex.Mask.
func (f *File) Masked() string {
	if !f.read.masked {
		f.masked, f.read.masked = lex.Mask(f.File), true
	}
	return f.masked
}

// Funcs lists the functions and methods in order.
func (f *File) Funcs() []*Func {
	if !f.read.funcs {
		f.funcs, f.read.funcs = f.functions(), true
	}
	return f.funcs
}

// Tests lists the test cases in order.
func (f *File) Tests() []*Test {
	if !f.read.tests {
		f.tests, f.read.tests = f.testCases(), true
	}
	return f.tests
}

// Text is the function as written, decorators included.
func (fn *Func) Text() string { return fn.file.Lines(fn.First, fn.End) }

// Body is the function's body without layout and comments.
func (fn *Func) Body() string { return fn.file.Norm(fn.From, fn.To) }

// File is where the function stands.
func (fn *Func) File() *File { return fn.file }

// Text is the test as written, decorators included.
func (t *Test) Text() string { return t.file.Lines(t.First, t.End) }

// Body is the test's body without layout and comments.
func (t *Test) Body() string { return t.file.Norm(t.From, t.To) }

// File is where the test stands.
func (t *Test) File() *File { return t.file }
