package debris

import (
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
)

// fewest is how many lines of code in comments are told; source: specs of the hygiene axis.
const fewest = 3

func commented(c *change.Change, report func(rule.Finding)) {
	gone := map[string]bool{}
	for _, f := range c.Files {
		for _, l := range f.Removed {
			if t := strings.TrimSpace(l.Text); len(t) > 3 {
				gone[t] = true
			}
		}
	}
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" || f.IsTest() || f.Kind == layout.Generated || f.Kind == layout.Doc || len(f.Added) == 0 {
			continue
		}
		block(f, gone, report)
	}
}

// line is one line of a comment without its marks.
type line struct {
	n    int
	text string
}

// block collects lines of comments that follow each other, and reports those that are code.
func block(f *change.File, gone map[string]bool, report func(rule.Finding)) {
	var run []line
	intro, behind := "", 0
	stood := sync.OnceValue(func() map[string]bool { return statements(f.Before) })
	flush := func() {
		if len(run) < fewest {
			run, intro = run[:0], ""
			return
		}
		if code, known, from := inspect(run, gone, stood(), f.Lang); code && !introduces(intro) && (known || !documents(f, run)) {
			report(rule.Finding{
				Path: f.Path, Line: from, Text: "code is left in a comment", Evidence: strings.TrimSpace(f.After.Lines(from, from)),
				Fix: "delete it; history keeps what was",
			})
		}
		run, intro = run[:0], ""
	}
	for _, cm := range f.After.Comments() {
		if !cm.Own || doc(cm.Text) {
			flush()
			continue
		}
		lines := strings.Split(cm.Text, "\n")
		// New marks around lines that stay as they are turn all of them into a comment.
		opened := len(lines) > fewest && f.Touched(cm.Line, cm.Line) && len(strings.TrimSpace(lines[0])) <= 3
		for i, text := range lines {
			n := cm.Line + i
			if len(run) > 0 && run[len(run)-1].n+1 < n {
				flush()
			}
			text = bare(text)
			if !opened && !f.Touched(n, n) {
				flush()
				if intro = text; intro == "" {
					intro = "-"
				}
				behind = n
				continue
			}
			if len(run) == 0 && behind+1 != n {
				intro = ""
			}
			run = append(run, line{n, text})
		}
	}
	flush()
}

// statements are the lines that hold code in a file, as written, but for those too short to be told apart.
func statements(f *units.File) map[string]bool {
	out := map[string]bool{}
	if f == nil {
		return out
	}
	last := 0
	for i := range f.Tokens {
		n := f.TokenLine(i)
		if n == last {
			continue
		}
		last = n
		if t := strings.TrimSpace(f.Lines(n, n)); len(t) > 8 {
			out[t] = true
		}
	}
	return out
}

// documents reports whether lines of a comment belong to the documentation of a declaration: in Go it looks like any other.
func documents(f *change.File, run []line) bool {
	last := run[len(run)-1].n
	if f.Lang != source.Go {
		return false
	}
	if t := f.After.Lines(last, last); t == "" || t[0] != '/' {
		return false
	}
	for n := last + 1; n <= f.After.NumLines(); n++ {
		t := f.After.Lines(n, n)
		if strings.HasPrefix(t, "//") {
			continue
		}
		for _, w := range [...]string{"func ", "type ", "package ", "var ", "const "} {
			if strings.HasPrefix(t, w) {
				return true
			}
		}
		return false
	}
	return false
}

// doc reports comments that are documentation.
func doc(text string) bool {
	for _, p := range [...]string{"///", "/**", "//!", "#!", "=begin", "##", "//go:", "// ignore"} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// bare takes the marks off a line of a comment.
func bare(text string) string {
	text = strings.TrimSpace(text)
	for _, p := range [...]string{"//", "/*", "#", "*/"} {
		text = strings.TrimPrefix(text, p)
	}
	if !strings.HasPrefix(text, "*p") {
		text = strings.TrimPrefix(text, "* ")
	}
	return strings.TrimSpace(strings.TrimSuffix(text, "*/"))
}

// inspect reports whether a run of lines holds enough code in a row, and where it begins.
// known: lines that were code before.
func inspect(run []line, gone, stood map[string]bool, lang source.Lang) (code, was bool, at int) {
	if len(run) < fewest {
		return false, false, 0
	}
	streak, best, from, start, strong, known, copied := 0, 0, 0, 0, 0, 0, 0
	for i, l := range run {
		if stood[l.text] {
			copied++
		}
		switch {
		case gone[l.text]:
			known++
			fallthrough
		case Code(l.text, lang):
			if streak == 0 {
				start = i
			}
			if streak++; streak > best {
				best, from = streak, start
			}
			if sure(l.text) {
				strong++
			}
		case l.text == "":
		default:
			if introduces(l.text) && i+1 < len(run) {
				return false, false, 0
			}
			streak = 0
		}
	}
	if (known >= 2 || copied >= 4 || copied >= fewest && 2*copied >= len(run)) && best >= fewest {
		return true, true, run[from].n
	}
	return best >= fewest && strong >= 1 && 3*best >= 2*len(run), false, run[from].n
}

// introduces reports whether a line of prose announces an example.
func introduces(text string) bool {
	low := strings.ToLower(text)
	for _, w := range [...]string{"example", "e.g", "usage", "for instance", "like this", "such as", "equivalent", "same as", "output", "pseudo", "becomes", "results in", "generates", "given", "looks like", "following", "i.e", "note", "syntax", "grammar", "format", "->", "sample", "copyright", "license", "schema", "diagram", "see ", "expands", "turns into", "translates", "input", "instead of"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return strings.HasSuffix(low, ":") && strings.Count(low, " ") >= 2 && !strings.ContainsAny(low, "(){}=")
}

// Code reports whether a line looks like a statement, or a part of one, of the language.
func Code(t string, lang source.Lang) bool {
	if t == "" {
		return false
	}
	switch t {
	case "{", "}", "};", "})", "});", ")", ");", "],", "]", "},", "end", "else:", "try:", "pass", "else {", "} else {", "finally:", "return", "return;", "break;", "continue;", "break", "continue":
		return true
	}
	first, _, _ := strings.Cut(t, " ")
	words, marks := plain(t)
	last := t[len(t)-1]
	braces := last == ';' || last == '{' || last == '}'
	semicolons := lang != source.Python && lang != source.Ruby
	switch {
	case braces && semicolons && (marks > 0 || words <= 3):
		return strings.ContainsAny(t, "(=.{}[") || words <= 3
	case marks == 0:
		return false
	}
	switch strings.TrimRight(first, "({:") {
	case "if", "for", "while", "with", "elif", "except", "def", "class":
		return lang == source.Python && last == ':' || strings.ContainsAny(t, "({") && (braces || last == ')')
	case "return", "await", "yield", "raise", "throw", "del", "assert":
		return words <= 4 || strings.ContainsAny(t, "([=.")
	case "const", "let", "var", "final", "val", "import", "from", "func", "fn", "async", "public", "private", "static", "export", "pub", "use", "defer", "go", "else", "try", "new", "this", "self":
		return strings.ContainsAny(t, "=({.;\"'")
	}
	if assignment(t) || call(t, last) {
		return words <= 8
	}
	return strings.HasPrefix(t, "@") && !strings.Contains(t, " ") || strings.HasPrefix(t, ".") && last == ')'
}

// sure reports whether a line cannot well be prose.
func sure(t string) bool {
	return strings.HasSuffix(t, ";") || strings.HasSuffix(t, "{") || assignment(t) || strings.HasSuffix(t, ")") && strings.Contains(t, "(") || strings.HasPrefix(t, "return ") || strings.HasSuffix(t, "):")
}

// assignment reports whether a line gives a name a value.
func assignment(t string) bool {
	i := strings.Index(t, "=")
	if i <= 0 || i+1 >= len(t) || t[i+1] == '=' || strings.IndexByte("!<>", t[i-1]) >= 0 {
		return false
	}
	left := strings.TrimRight(strings.TrimRight(t[:i], ":+-*/|&"), " ")
	return left != "" && strings.Count(left, " ") <= 3 && !strings.ContainsAny(left, "\"'`?!;")
}

// call reports whether a line is a call: a dotted name, arguments in brackets.
func call(t string, last byte) bool {
	i := strings.IndexByte(t, '(')
	if i <= 0 || strings.IndexByte("),;({[", last) < 0 {
		return false
	}
	for _, c := range t[:i] {
		if c != '_' && c != '.' && c != '$' && c != '!' && c != ':' && c != '?' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '<' && c != '>' {
			return false
		}
	}
	return true
}

// plain counts words of letters only, and marks of code.
func plain(t string) (words, marks int) {
	for _, w := range strings.Fields(t) {
		letters := true
		for _, c := range w {
			if (c|0x20 < 'a' || c|0x20 > 'z') && c != '\'' {
				letters = false
			}
		}
		if letters {
			words++
		}
	}
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '(', ')', '{', '}', '[', ']', '=', ';', '<', '>', '_', '&', '|', '+', '@', '"':
			marks++
		case '.':
			if i+1 < len(t) && t[i+1] != ' ' {
				marks++
			}
		case ':':
			if i == len(t)-1 {
				marks++
			}
		}
	}
	return words, marks
}
