package change

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/claude/span"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Simulate computes what two kinds of commands that people use on settings leave behind: sed -i with plain texts, and jq with
// assignments to keys that are not guarded. text is the source of the command, before what the file holds; own tells whether a word
// of the command names that file. It reports false for everything else.
func Simulate(text string, before []byte, own func(shell.Word) bool) ([]byte, bool) {
	s, err := shell.Parse(text)
	if err != nil || len(s.Commands) == 0 {
		return nil, false
	}
	c := &s.Commands[0]
	switch c.Name {
	case "sed", "gsed":
		return sed(c.Args, before)
	case "jq":
		if file, err := span.Parse(before); err == nil && harmless(c.Words[1:], file, own) {
			return before, true
		}
	}
	return nil, false
}

// sed applies `-i s/plain/text/g` to data.
func sed(args []string, data []byte) ([]byte, bool) {
	out := string(data)
	done := false
	for i, a := range args {
		if len(a) > 0 && a[0] == '-' || a == "" {
			if a == "-e" || strings.HasPrefix(a, "-i") || a == "" || a == "-E" || a == "-r" {
				continue
			}
			return nil, false
		}
		if i == len(args)-1 {
			break // the file
		}
		if len(a) < 4 || a[0] != 's' {
			return nil, false
		}
		parts := strings.Split(a[1:], a[1:2])
		if len(parts) != 4 || strings.Trim(parts[3], "g") != "" || strings.ContainsAny(parts[1], `\*[^$`) || strings.ContainsAny(parts[2], `\&`) || parts[1] == "" {
			return nil, false
		}
		// A dot fits any character; only the text itself is replaced here, which decides about the same keys.
		if strings.Contains(parts[1], ".") && !strings.Contains(out, parts[1]) {
			return nil, false
		}
		out = strings.ReplaceAll(out, parts[1], parts[2])
		done = true
	}
	return []byte(out), done
}

// harmless reports whether a jq command reads the file itself, and only assigns to, or deletes, members that are not guarded.
func harmless(words []shell.Word, file *span.Node, own func(shell.Word) bool) bool {
	filter, reads := "", false
	for i := 0; i < len(words); i++ {
		switch a := words[i].Text; {
		case a == "--arg" || a == "--argjson":
			i += 2
		case a == "--indent":
			i++
		case a == "-S" || a == "-M" || a == "-r" || a == "--tab" || a == "--sort-keys":
		case strings.HasPrefix(a, "-"):
			return false
		case filter == "":
			filter = a
			if words[i].Dynamic {
				return false
			}
		case !own(words[i]):
			return false
		default:
			reads = true
		}
	}
	return reads && !strings.ContainsAny(filter, "#`\\") && harmlessFilter(filter, file)
}

// harmlessFilter reads `.a.b = value | del(.c) | …` with plain values; whatever else jq can do is not taken for harmless.
// A step that fails on the present file would leave an empty one behind, so the path must fit the file.
func harmlessFilter(filter string, file *span.Node) bool {
	f := jq{text: filter, file: file}
	for {
		if !f.step() {
			return false
		}
		switch f.space(); {
		case f.at == len(f.text):
			return true
		case f.text[f.at] != '|':
			return false
		}
		f.at++
	}
}

// jq reads a filter from left to right.
type jq struct {
	text string
	at   int
	file *span.Node
	node *span.Node // what the last path leads to, nil for nothing
}

func (f *jq) space() {
	for f.at < len(f.text) && strings.IndexByte(" \t\n", f.text[f.at]) >= 0 {
		f.at++
	}
}

// take skips s if it comes next.
func (f *jq) take(s string) bool {
	f.space()
	if !strings.HasPrefix(f.text[f.at:], s) {
		return false
	}
	f.at += len(s)
	return true
}

// step reads one assignment or del().
func (f *jq) step() bool {
	if f.take("del(") {
		return f.path() && f.take(")")
	}
	if !f.path() {
		return false
	}
	f.space()
	if f.take("+=") {
		f.space()
		return (f.node == nil || f.node.Kind == span.Array && strings.HasPrefix(f.text[f.at:], "[")) && f.value(0)
	}
	if f.take("//=") || f.take("|=") || f.take("=") {
		return !strings.HasPrefix(f.text[f.at:], "=") && f.value(0)
	}
	return false
}

// path reads .a.b[0]["c"] whose first name is not guarded.
func (f *jq) path() bool {
	if !f.take(".") {
		return false
	}
	name := f.word()
	if name == "" {
		return false
	}
	for _, k := range guardedKeys {
		if name == k {
			return false
		}
	}
	f.node = f.file.Value(name)
	for f.at < len(f.text) {
		from := f.at + 1
		switch f.text[f.at] {
		case '.':
			if f.at++; f.word() == "" || !f.is(span.Object) {
				return false
			}
			f.node = f.node.Value(f.text[from:f.at])
		case '[':
			f.at++
			if !f.quoted() {
				if f.word() == "" || !f.is(span.Array) {
					return false
				}
			} else if !f.is(span.Object) {
				return false
			}
			if f.node = nil; !f.take("]") {
				return false
			}
		default:
			return true
		}
	}
	return true
}

// is reports whether the path leads to nothing yet, or to a value of that kind.
func (f *jq) is(k span.Kind) bool {
	return f.node == nil || f.node.Kind == k || f.node.Kind == span.Null
}

// word reads letters, digits and underscores.
func (f *jq) word() string {
	from := f.at
	for f.at < len(f.text) && nameByte(f.text[f.at]) {
		f.at++
	}
	return f.text[from:f.at]
}

// quoted reads a string; the filter holds no backslash.
func (f *jq) quoted() bool {
	if f.at == len(f.text) || f.text[f.at] != '"' {
		return false
	}
	end := strings.IndexByte(f.text[f.at+1:], '"')
	if end < 0 {
		return false
	}
	f.at += end + 2
	return true
}

// maxValue bounds the nesting of a value.
const maxValue = 32

// value reads a literal, a variable, an array or an object of such.
func (f *jq) value(depth int) bool {
	if depth > maxValue {
		return false
	}
	f.space()
	switch {
	case f.quoted():
		return true
	case f.take("$"):
		return f.word() != ""
	case f.take("["):
		for !f.take("]") {
			if !f.value(depth + 1) {
				return false
			}
			f.take(",")
		}
		return true
	case f.take("{"):
		for !f.take("}") {
			if f.space(); !f.quoted() && f.word() == "" || !f.take(":") || !f.value(depth+1) {
				return false
			}
			f.take(",")
		}
		return true
	}
	f.take("-")
	w := f.word()
	if w == "true" || w == "false" || w == "null" {
		return true
	}
	if w == "" || strings.Trim(w, "0123456789") != "" {
		return false
	}
	if f.at < len(f.text) && f.text[f.at] == '.' {
		f.at++
		return f.word() != ""
	}
	return true
}
