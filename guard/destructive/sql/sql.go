// Package sql finds the statements of a database script that lose data: DROP, TRUNCATE, and DELETE or UPDATE without WHERE. It
// owns no table and runs nothing; it knows words, not dialects.
package sql

import "strings"

// Losses names the statements of the script that lose data, in the words of the script ("DROP TABLE users"), at most eight. It
// is linear in the length of the script. Comments and quoted text do not count.
func Losses(script string) []string {
	var found, made []string
	var st []string
	open := -1 // number of losses before the transaction that is open
	l := lexer{src: script}
	for {
		t, ok := l.next()
		if ok && t != ";" {
			if len(st) < maxTokens {
				st = append(st, t)
			} else if strings.EqualFold(t, "where") {
				st = append(st[:maxTokens-1], t)
			}
			continue
		}
		if len(st) > 0 {
			switch {
			case is(st[0], "begin") || is(st[0], "start") && len(st) > 1 && is(st[1], "transaction"):
				open = len(found)
			case is(st[0], "rollback") && len(st) < 3 && open >= 0:
				found, open = found[:open], -1
			case is(st[0], "commit", "end"):
				open = -1
			}
		}
		if name := created(st); name != "" && len(made) < maxMade {
			made = append(made, name)
		}
		if loss := judge(st); loss != "" && len(found) < maxLosses && !dropsOwn(st, made) {
			found = append(found, loss)
		}
		st = st[:0]
		if !ok {
			return found
		}
	}
}

const (
	maxTokens = 512 // of one statement; what follows is only searched for WHERE
	maxLosses = 8
	maxMade   = 64 // tables of which it is remembered that the script made them
)

// lexer cuts a script into words, quoted names (without quotes) and single characters.
type lexer struct {
	src string
	i   int
}

func (l *lexer) next() (string, bool) {
	for l.i < len(l.src) {
		c := l.src[l.i]
		rest := l.src[l.i:]
		switch {
		case c <= ' ':
			l.i++
		case strings.HasPrefix(rest, "--") || c == '#' && (l.i == 0 || l.src[l.i-1] <= ' '):
			l.skipTo(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*!"): // MySQL runs these
			l.i += 3
			for l.i < len(l.src) && l.src[l.i] >= '0' && l.src[l.i] <= '9' {
				l.i++
			}
		case strings.HasPrefix(rest, "/*"):
			l.skipTo(rest, "*/", 2)
		case strings.HasPrefix(rest, "*/"):
			l.i += 2
		case c == '\'':
			l.skipTo(rest[1:], "'", 1)
			l.i++
			return "''", true
		case c == '"' || c == '`':
			from := l.i + 1
			l.skipTo(rest[1:], string(c), 1)
			l.i++
			return l.src[min(from, len(l.src)):max(min(l.i-1, len(l.src)), min(from, len(l.src)))], true
		case word(c):
			from := l.i
			for l.i < len(l.src) && word(l.src[l.i]) {
				l.i++
			}
			return l.src[from:l.i], true
		default:
			l.i++
			return rest[:1], true
		}
	}
	return "", false
}

// skipTo moves behind the mark in rest; n more bytes belong to its beginning. Without a mark it moves to the end.
func (l *lexer) skipTo(rest, mark string, n int) {
	at := strings.Index(rest, mark)
	if at < 0 {
		l.i = len(l.src)
		return
	}
	l.i += at + max(n, len(mark)-1)
	if n == 0 {
		l.i++
	}
}

func word(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// judge names what one statement loses.
func judge(st []string) string {
	for len(st) > 0 && (st[0] == "(" || is(st[0], "begin") || is(st[0], "start") && len(st) > 1 || is(st[0], "transaction")) {
		st = st[1:]
	}
	if len(st) < 2 || is(st[0], "create", "comment", "grant", "show", "describe", "insert", "set", "prepare") || is(st[0], "explain") && !has(st, "analyze") {
		return ""
	}
	second := st[1]
	switch {
	case is(st[0], "drop") && is(second, "table", "database", "schema", "keyspace", "tablespace", "user", "role", "collection", "dataset", "catalog", "owned", "materialized", "cascade"),
		is(st[0], "truncate"), is(st[0], "alter") && has(st, "drop") && (has(st, "column") || has(st, "partition") || is(second, "database")):
		return clip(st)
	case is(st[0], "drop") && is(second, "external", "foreign") && len(st) > 2 && is(st[2], "table"):
		return clip(st)
	case is(st[0], "update") && has(st, "set") && !has(st, "where"):
		return clip(st)
	case is(st[0], "flushall", "flushdb"):
		return clip(st)
	}
	return deleteAll(st)
}

// deleteAll finds DELETE FROM without WHERE, also in a common table expression or behind another word of the client.
func deleteAll(st []string) string {
	for i := range st[:len(st)-1] {
		if !is(st[i], "delete") || !is(st[i+1], "from") || i > 0 && !is(st[i-1], "(", "with", "analyze", "as") && i > 1 {
			continue
		}
		depth, safe := 0, false
		for _, t := range st[i:] {
			switch t {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth < 0 {
				break
			}
			if is(t, "where", "limit", "using") {
				safe = true
			}
		}
		if !safe || always(st[i:]) {
			return clip(st[i:])
		}
	}
	return ""
}

// created names the table that a statement makes, which was not there before: CREATE TABLE t, CREATE TEMP TABLE IF NOT EXISTS t.
func created(st []string) string {
	if len(st) < 3 || !is(st[0], "create") {
		return ""
	}
	rest, temp := st[1:], false
	for len(rest) > 1 && is(rest[0], "temp", "temporary", "unlogged", "global", "local") {
		temp = temp || is(rest[0], "temp", "temporary")
		rest = rest[1:]
	}
	switch {
	case len(rest) < 2 || !is(rest[0], "table"):
		return ""
	case is(rest[1], "if"):
		if !temp || len(rest) < 5 {
			return "" // it may have been there
		}
		return rest[4]
	}
	return rest[1]
}

// dropsOwn reports whether a statement drops or empties a table that the script made itself.
func dropsOwn(st, made []string) bool {
	if len(made) == 0 || len(st) < 2 || !is(st[0], "drop", "truncate", "delete", "update") {
		return false
	}
	rest := st[1:]
	for len(rest) > 1 && is(rest[0], "table", "temporary", "if", "exists", "from") {
		rest = rest[1:]
	}
	return is(rest[0], made...) && (len(rest) < 2 || rest[1] != ",")
}

// always recognises WHERE 1=1, WHERE 1 and WHERE TRUE.
func always(st []string) bool {
	for i, t := range st {
		if is(t, "where") {
			rest := strings.Join(st[i+1:], "")
			return rest == "1=1" || rest == "1" || strings.EqualFold(rest, "true")
		}
	}
	return false
}

func is(t string, words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(t, w) {
			return true
		}
	}
	return false
}

func has(st []string, w string) bool {
	for _, t := range st {
		if strings.EqualFold(t, w) {
			return true
		}
	}
	return false
}

// clip shows the beginning of a statement.
func clip(st []string) string {
	s := strings.Join(st[:min(len(st), 5)], " ")
	return s[:min(len(s), 80)]
}
