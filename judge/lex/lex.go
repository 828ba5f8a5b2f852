// Package lex gives the rules of the judge what tokens alone do not: comments with their places, and the text of a file
// with comments and string bodies masked, so that a pattern sees code only.
//
// It stands on the lexer of internal/source, which knows fifteen languages, and adds the line-based languages of
// configuration (shell, YAML, TOML, INI, make), where only comments and strings are told from the rest. It owns no table
// and no file. All functions are pure, never fail, cost time linear in the input and are safe for concurrent use.
package lex

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Comment is one comment, with its marks.
type Comment struct {
	Text     string
	Pos, End int // bytes
	Line     int // from 1, of its first character
	EndLine  int
	Own      bool // nothing but blanks stands before it on its line
}

// Comments lists the comments of a lexed file in order: whatever stands between tokens and is not blank. Adjacent line
// comments are one Comment each.
func Comments(f *source.File) []Comment {
	var out []Comment
	nested := f.Lang == source.Rust || f.Lang == source.Dart || f.Lang == source.Kotlin || f.Lang == source.Swift || f.Lang == source.Scala
	last, line := 0, 1
	gap := func(to int) {
		text := f.Src[last:to]
		for len(text) > 0 {
			trimmed := strings.TrimLeft(text, " \t\r\n\f\v\\")
			line += strings.Count(text[:len(text)-len(trimmed)], "\n")
			if trimmed == "" {
				break
			}
			pos := to - len(trimmed)
			body := comment(trimmed, nested)
			start := strings.LastIndexByte(f.Src[:pos], '\n') + 1
			out = append(out, Comment{
				Text: body, Pos: pos, End: pos + len(body), Line: line, EndLine: line + strings.Count(body, "\n"),
				Own: strings.TrimSpace(f.Src[start:pos]) == "",
			})
			line += strings.Count(body, "\n")
			text = trimmed[len(body):]
		}
	}
	for i := range f.Tokens {
		t := &f.Tokens[i]
		if int(t.Pos) > last {
			line = max(line, 1)
			gap(int(t.Pos))
		}
		last = int(t.End)
		line = int(t.Line) + strings.Count(f.Src[t.Pos:t.End], "\n")
	}
	gap(len(f.Src))
	return out
}

// comment cuts the first comment off a text between tokens.
func comment(text string, nested bool) string {
	switch {
	case strings.HasPrefix(text, "/*"), strings.HasPrefix(text, "(*"):
		depth := 1
		for i := 2; i < len(text); i++ {
			switch {
			case strings.HasPrefix(text[i:], "*/"):
				if depth--; depth == 0 {
					return text[:i+2]
				}
				i++
			case nested && strings.HasPrefix(text[i:], "/*"):
				depth++
				i++
			}
		}
		return text
	case strings.HasPrefix(text, "=begin"):
		if i := strings.Index(text, "\n=end"); i >= 0 {
			return text[:i+len("\n=end")]
		}
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return strings.TrimRight(text[:i], "\r")
	}
	return text
}

// Mask is the text of a lexed file, byte for byte as long, with comments blanked and the bodies of strings (regular
// expressions too) written as x. Quotes and line ends stay.
func Mask(f *source.File) string {
	out := []byte(f.Src)
	blank := func(from, to int, c byte) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = c
			}
		}
	}
	last := 0
	for i := range f.Tokens {
		t := &f.Tokens[i]
		blank(last, int(t.Pos), ' ')
		last = int(t.End)
		if t.Kind == source.String {
			from, to := body(f.Src[t.Pos:t.End])
			blank(int(t.Pos)+from, int(t.Pos)+to, 'x')
		}
	}
	blank(last, len(out), ' ')
	return string(out)
}

// body is the part of a string token between its quotes; all of it where it has none, as the text of an element.
func body(s string) (from, to int) {
	from = strings.IndexAny(s, "\"'`/")
	if from < 0 || from > 0 && strings.ContainsAny(s[:from], " \t\r\n<>") || from > longestPrefix {
		return 0, len(s)
	}
	q := s[from]
	n := 1
	if len(s) >= from+6 && s[from+1] == q && s[from+2] == q {
		n = 3
	}
	last := strings.LastIndexByte(s, q)
	if behind := s[last+1:]; last == from && len(s) > from+1 && from > 0 || q != '/' && last > from && strings.Trim(behind, "#") != "" {
		return 0, len(s) // an apostrophe, and no quote
	}
	from += n
	to = len(s)
	if last >= from {
		to = max(last-n+1, from)
	}
	return from, to
}

// longestPrefix is how many characters may stand before the quote of a string: r#, $@, the marks of a raw string.
const longestPrefix = 12
