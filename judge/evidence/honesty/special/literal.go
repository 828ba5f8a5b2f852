package special

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/units"
)

// known says where literals stand in the tests of the project.
type known struct {
	tree change.Tree
	seen map[string][]change.Place // by word
}

// places bounds the places looked at for one word.
const places = 5000

func literals(t change.Tree) *known { return &known{tree: t, seen: map[string][]change.Place{}} }

// at lists lines of tests that hold the literal as written between quotes, or as a number.
func (k *known) at(lit string) []change.Place {
	if k.tree == nil {
		return nil
	}
	text, quoted := unquote(lit)
	word := ""
	for _, w := range change.Words(text) {
		if len(w) > len(word) {
			word = w
		}
	}
	if word == "" {
		return nil
	}
	found, ok := k.seen[word]
	if !ok {
		for _, p := range k.tree.Grep([]string{word}, places)[word] {
			if layout.IsTest(p.Path) || strings.HasSuffix(p.Path, ".rs") {
				found = append(found, p)
			}
		}
		k.seen[word] = found
	}
	var out []change.Place
	for _, p := range found {
		if holds(p.Text, text, quoted) {
			out = append(out, p)
		}
	}
	return out
}

// holds reports whether a line has the text as a literal of its own.
func holds(line, text string, quoted bool) bool {
	for i := 0; ; {
		k := strings.Index(line[i:], text)
		if k < 0 {
			return false
		}
		i += k
		before, after := byte(0), byte(0)
		if i > 0 {
			before = line[i-1]
		}
		if i+len(text) < len(line) {
			after = line[i+len(text)]
		}
		quote := strings.IndexByte("\"'`", before) >= 0 && before != 0 && strings.IndexByte("\"'`", after) >= 0 && after != 0
		if quoted && quote || !quoted && !quote && !letter(before) && !letter(after) {
			return true
		}
		i += len(text)
	}
}

func letter(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unquote gives the text of a literal, and whether it was a string.
func unquote(lit string) (string, bool) {
	k := strings.IndexAny(lit, "\"'`")
	if k < 0 {
		return lit, false
	}
	s := lit[k:]
	for _, q := range [...]string{`"""`, `'''`, `"`, `'`, "`"} {
		if rest, ok := strings.CutPrefix(s, q); ok {
			return strings.TrimSuffix(rest, q), true
		}
	}
	return s, true
}

// near reports whether two literals stand in the same test file within a few lines of each other.
func (k *known) near(a, b string) bool {
	for _, p := range k.at(a) {
		for _, q := range k.at(b) {
			if p.Path == q.Path && p.Line-q.Line <= 4 && q.Line-p.Line <= 4 {
				return true
			}
		}
	}
	return false
}

// called reports whether a line of a test that holds the literal, or one next to it, calls the function.
func (k *known) called(lit, fn string) bool {
	for _, p := range k.at(lit) {
		for _, w := range change.Words(p.Text) {
			if w == fn {
				return true
			}
		}
	}
	return false
}

// tells reports literals that say something: texts of two characters and more, numbers other than -1, 0 and 1.
func tells(lit string) bool {
	text, quoted := unquote(lit)
	if quoted {
		return len(strings.TrimSpace(text)) >= 2
	}
	switch strings.TrimLeft(text, "-") {
	case "0", "1", "0.0", "1.0", "":
		return false
	}
	return text[0] == '-' || text[0] >= '0' && text[0] <= '9'
}

// literalsIn lists the string and number literals among tokens.
func literalsIn(u *units.File, from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		if k := u.Kind(i); k == source.String || k == source.Number {
			out = append(out, u.Text(i))
		}
	}
	return out
}
