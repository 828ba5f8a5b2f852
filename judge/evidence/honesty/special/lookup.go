package special

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/units"
)

// lookup reads an answer that is a table of literals looked up by parameters on the spot: `return {(2, 3): 5}[(a, b)]`,
// `return ({ a: 1 })[x] ?? 0`, `return {"a": 1}.get(x)`. A table of what the function said before is no news.
func lookup(p change.FuncPair, b *code.Body, s code.Stmt) (answerTo, bool) {
	u := b.F
	from, to, ok := b.Value(s)
	if !ok {
		return answerTo{}, false
	}
	open := from
	for open < to && open < from+4 && !u.Is(open, "{") && (u.Is(open, "(") || u.Is(open, "dict") || u.Is(open, "new") || u.Is(open, "Map") || u.Is(open, "[")) {
		open++
	}
	end := u.Close(open)
	if !u.Is(open, "{") && u.Is(open-1, "[") && u.Is(open-2, "(") && u.Is(open-3, "Map") { // new Map([[…], …])
		open--
		end = u.Close(open)
	} else if !u.Is(open, "{") {
		return answerTo{}, false
	}
	if end <= open+1 || end >= to || !fixed(b, open, end+1) {
		return answerTo{}, false
	}
	key := end + 1
	for u.Is(key, ")") {
		key++
	}
	if u.Is(key, ".") && (u.Is(key+1, "get") || u.Is(key+1, "at")) {
		key += 2
	}
	if key >= to || !u.Is(key, "[") && !u.Is(key, "(") {
		return answerTo{}, false
	}
	a := answerTo{line: u.TokenLine(open)}
	for i := key + 1; i < u.Close(key); i++ {
		if u.Kind(i) == source.Name && b.Param(u.Text(i)) {
			a.param = u.Text(i)
			break
		}
	}
	for _, e := range u.Args(open) {
		colon := e[0]
		for colon < e[1] && !u.Is(colon, ":") {
			if u.Is(open, "[") && u.Is(colon, ",") {
				break
			}
			if next := u.Close(colon); next > colon && !u.Is(open, "[") {
				colon = next
			}
			colon++
		}
		a.in = append(a.in, literalsIn(u, e[0], colon)...)
		if colon == e[0]+1 && u.Kind(e[0]) == source.Name { // { pear: 3 }
			a.in = append(a.in, `"`+u.Text(e[0])+`"`)
		}
		a.out = append(a.out, literalsIn(u, colon, e[1])...)
	}
	if a.param == "" || len(a.in) == 0 || len(a.out) == 0 {
		return answerTo{}, false
	}
	known, body := 0, p.Before.Body()
	for _, l := range a.out {
		if strings.Contains(body, l) {
			known++
		}
	}
	return a, 2*known <= len(a.out)
}

// joined reports whether a condition writes a value down as text to compare it.
func joined(u *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		switch u.Text(i) {
		case "join", "stringify", "str", "repr", "toString", "String", "Sprint", "Sprintf", "format", "dumps", "to_string", "joinToString", "inspect", "joined", "implode", "json_encode":
			if u.Is(i+1, "(") || u.Is(i+1, "!") || u.Is(i-1, ".") {
				return true
			}
		}
	}
	return false
}

// pieces cuts a text that was made of several values into them: numbers, and words between quotes.
func pieces(lit string) []string {
	text, _ := unquote(lit)
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|:[]{}() /\"'", r) }) {
		if c := w[0]; c >= '0' && c <= '9' || c == '-' {
			out = append(out, w)
		} else {
			out = append(out, `"`+w+`"`)
		}
	}
	return out
}
