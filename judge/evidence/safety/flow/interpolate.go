package flow

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Interpolated reports whether the string at token i has code in it that carries a value.
func (r *Region) Interpolated(i int) (Value, bool) {
	text := r.F.Text(i)
	if r.F.Lang == source.Rust {
		if open := r.Around(i); open > 1 && r.F.Is(open-1, "!") {
			for _, name := range RustNames(text) {
				if r.tainted[name] {
					v := r.value(name, i)
					v.Lead, _, _ = strings.Cut(text, "{"+name)
					return v, true
				}
			}
		}
		return Value{}, false
	}
	for _, code := range Interpolations(r.F.Lang, text) {
		if n, ok := r.inner(code); ok {
			v := r.value(n, i)
			at := max(strings.Index(text, code), 0)
			v.Line += strings.Count(text[:at], "\n")
			v.Lead = strings.TrimRight(text[:at], "${(\\#")
			return v, true
		}
	}
	return Value{}, false
}

// inner looks at the code inside a string.
func (r *Region) inner(code string) (string, bool) {
	if r.tainted[code] {
		return code, true
	}
	in := *r
	in.F = units.Parse("", r.F.Lang, []byte(code))
	in.From, in.To, in.encl = 0, len(in.F.Tokens), enclosing(in.F)
	v, ok := in.Carries(0, in.To)
	return v.Name, ok
}

// Interpolations lists the code inside a string literal as written.
func Interpolations(lang source.Lang, text string) []string {
	q := strings.IndexAny(text, "\"'`")
	if lang == source.Ruby && (strings.HasPrefix(text, "%") || strings.HasPrefix(text, "<<")) {
		return braces(text, "#{", '}', false)
	}
	if q < 0 {
		return nil
	}
	prefix := strings.ToLower(text[:q])
	var out []string
	switch lang {
	case source.Python:
		if strings.Contains(prefix, "f") {
			out = braces(text, "{", '}', true)
		}
	case source.JS, source.TS:
		if text[q] == '`' {
			out = braces(text, "${", '}', false)
		}
	case source.Dart:
		if prefix != "r" {
			out = append(braces(text, "${", '}', false), dollars(text)...)
		}
	case source.Kotlin, source.Scala, source.PHP:
		if text[q] == '"' {
			if out = append(braces(text, "${", '}', false), dollars(text)...); lang == source.PHP {
				out = append(out, braces(text, "{$", '}', false)...)
			}
		}
	case source.Swift:
		out = braces(text, "\\(", ')', false)
	case source.Ruby:
		if text[q] != '\'' {
			out = braces(text, "#{", '}', false)
		}
	case source.CSharp:
		if strings.Contains(prefix, "$") {
			out = braces(text, "{", '}', true)
		}
	}
	return out
}

// braces lists what stands between open and closing. doubled: two openers are one that is meant.
func braces(text, open string, closing byte, doubled bool) []string {
	var out []string
	for i := 0; i < len(text); {
		k := strings.Index(text[i:], open)
		if k < 0 {
			break
		}
		from := i + k + len(open)
		if doubled && strings.HasPrefix(text[from:], open) {
			i = from + len(open)
			continue
		}
		level, j := 1, from
		for ; j < len(text); j++ {
			switch text[j] {
			case open[len(open)-1]:
				level++
			case closing:
				level--
			}
			if open == "{$" && text[j] == '{' {
				level++
			}
			if level == 0 {
				break
			}
		}
		code := text[from:j]
		if open == "{$" {
			code = "$" + code
		}
		if doubled { // {x!r:>10}
			if c := strings.LastIndexAny(code, ":!"); c > 0 && !strings.ContainsAny(code[c:], ")]'\"") {
				code = strings.TrimRight(code[:c], ":!")
			}
			code = strings.TrimSuffix(code, "=")
		}
		if code != "" {
			out = append(out, code)
		}
		i = j + 1
	}
	return out
}

// dollars lists the names behind a bare $.
func dollars(text string) []string {
	var out []string
	for i := 0; i < len(text)-1; i++ {
		if text[i] != '$' || i > 0 && text[i-1] == '\\' {
			continue
		}
		j := i + 1
		for j < len(text) && (text[j] == '_' || text[j] >= 'a' && text[j] <= 'z' || text[j] >= 'A' && text[j] <= 'Z' || j > i+1 && text[j] >= '0' && text[j] <= '9') {
			j++
		}
		if j > i+1 {
			out = append(out, text[i+1:j], text[i:j])
		}
		i = j - 1
	}
	return out
}

// RustNames lists the names that a format string of Rust names itself: "{name}", "{name:?}".
func RustNames(text string) []string {
	var out []string
	for _, code := range braces(text, "{", '}', true) {
		if code = strings.TrimSpace(code); code != "" && !strings.ContainsAny(code, "0123456789 .") {
			out = append(out, code)
		}
	}
	return out
}
