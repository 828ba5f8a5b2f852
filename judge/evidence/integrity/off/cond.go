package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	words "github.com/devflow-suite/devflow/judge/evidence/integrity/off/cond"
)

// never marks a switch whose condition is always false.
const never = Guard(0xff)

// Cond is what a condition hangs on.
type Cond struct {
	Guard Guard
	Vars  []string
	OptIn bool
}

// Classify reads the conditions around a switch, joined by blanks; none is Always.
func Classify(cond string) Cond {
	cond = strings.TrimSpace(cond)
	switch words.Without(cond, "() ") {
	case "", "true", "True", "1", "notFalse", "!false", "1==1", "!0", "not0":
		return Cond{}
	case "false", "False", "0", "notTrue", "!true", "None", "nil", "null", "any":
		return Cond{Guard: never}
	}
	if vars := words.Variables(cond); len(vars) > 0 {
		return Cond{Guard: Env, Vars: vars, OptIn: words.Negative(cond)}
	}
	for _, w := range change.Words(cond) {
		if words.Platform(w) {
			return Cond{Guard: Platform}
		}
	}
	return Cond{Guard: Other}
}

// conditions gives what must hold for token i to be reached, as far as `if` says so, below the test or function around it.
// In Python the blocks are indented, elsewhere braced. whole makes it look up to the top of the file.
func (r *reader) conditions(i int, whole bool) string {
	var parts []string
	if r.Lang == source.Python {
		parts = r.indented(i, whole)
	} else {
		if c := r.inline(i); c != "" {
			parts = append(parts, c)
		}
		for b := int(r.parent[i]); b >= 0; b = int(r.parent[b]) {
			if !r.Is(b, "{") {
				continue
			}
			cond, function := r.header(b)
			if function && !whole {
				break
			}
			if cond != "" {
				parts = append(parts, cond)
			}
		}
	}
	return strings.Join(parts, " ")
}

// inline finds the condition of a statement without braces: if (x) skip(), x && skip(), skip if x.
func (r *reader) inline(i int) string {
	start := i
	for start > 0 && !r.Tokens[start].First && !r.Is(start-1, ";") && !r.Is(start-1, "{") && !r.Is(start-1, ")") && !r.Is(start-1, "&&") {
		start--
	}
	switch {
	case r.Is(start-1, ")"):
		if o := int(r.opener[start-1]); o > 0 && (r.Is(o-1, "if") || r.Is(o-1, "while") || r.Is(o-1, "for")) {
			return r.Span(o+1, start-1)
		}
	case r.Is(start-1, "&&"):
		return r.Span(r.first(start-1), start-1)
	case r.Is(start-1, "else"):
		return "else"
	}
	if r.Lang == source.Ruby {
		line := r.Tokens[i].Line
		for k := i + 1; k < len(r.Tokens) && r.Tokens[k].Line == line; k++ {
			if r.Is(k, "if") || r.Is(k, "unless") {
				end := k
				for end < len(r.Tokens) && r.Tokens[end].Line == line {
					end++
				}
				if r.Is(k, "if") {
					k++
				}
				return r.Span(k, end)
			}
		}
	}
	return ""
}

// header reads what stands in front of the brace at token b: the condition of an if, or the head of a function.
func (r *reader) header(b int) (cond string, function bool) {
	for j, n := b-1, 0; j >= 0 && n < 80; j, n = j-1, n+1 {
		switch {
		case r.Is(j, ")") || r.Is(j, "]") || r.Is(j, "}"):
			o := int(r.opener[j])
			if r.Is(j, "}") && (o == 0 || j == b-1) {
				return "", false
			}
			if r.Is(j, ")") && (r.Is(o-1, "function") || r.Lang == source.Dart && j == b-1 && !r.Is(o-1, "if") && !r.Is(o-1, "for") && !r.Is(o-1, "while") && !r.Is(o-1, "switch") && !r.Is(o-1, "catch")) {
				return "", true
			}
			j = o
		case r.Is(j, "=>") || r.Is(j, "func") || r.Is(j, "function") || r.Is(j, "fn") || r.Is(j, "fun") || r.Is(j, "void"):
			return "", true
		case r.Is(j, "if") || r.Is(j, "unless") || r.Is(j, "guard"):
			text := r.Span(j+1, b)
			if r.Is(j, "guard") || r.Is(j, "unless") {
				text = "! " + text
			}
			return strings.TrimSpace(text), false
		case r.Is(j, "else"):
			return "else", false
		case r.Is(j, "for") || r.Is(j, "while") || r.Is(j, "switch") || r.Is(j, "match") || r.Is(j, "catch") || r.Is(j, "select"):
			return "", false
		case r.Is(j, "{") || r.Is(j, ";") && r.Lang != source.Go:
			return "", false
		}
	}
	return "", false
}

// indented is conditions for Python.
func (r *reader) indented(i int, whole bool) []string {
	var parts []string
	head := r.first(i)
	col := r.Tokens[head].Col
	for j := head - 1; j >= 0 && col > 0; j-- {
		t := &r.Tokens[j]
		if !t.First || t.Col >= col || r.parent[j] >= 0 {
			continue
		}
		col = t.Col
		switch {
		case (r.Is(j, "def") || r.Is(j, "async")) && !whole:
			return parts
		case r.Is(j, "if") || r.Is(j, "elif"):
			end := j + 1
			for end < len(r.Tokens) && (!r.Is(end, ":") || r.parent[end] >= 0) {
				end++
			}
			parts = append(parts, r.Span(j+1, end))
		case r.Is(j, "else"), r.Is(j, "except"):
			parts = append(parts, r.Text(j))
		}
	}
	return parts
}
