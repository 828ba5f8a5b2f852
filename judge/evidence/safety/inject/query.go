package inject

import "strings"

// Query reports whether a literal, as written, is the text of a query or a telling part of one. Words of a query in lower
// case count only where the rest looks like one, too: "select a file from" is no query.
func Query(lit string) bool {
	if len(lit) < 10 {
		return false
	}
	if q := strings.IndexAny(lit, "\"'`"); q >= 0 {
		lit = lit[q:]
	}
	text := strings.TrimLeft(lit, "\"'` \t\r\n(\\n")
	if upper(lit) {
		return true
	}
	if len(text) < 10 {
		return false
	}
	switch c := text[0] | 0x20; c {
	case 's', 'i', 'u', 'd', 'w', 'r', 'f':
	default:
		return false
	}
	low := strings.ToLower(text[:min(len(text), 2000)])
	low = strings.ReplaceAll(strings.ReplaceAll(low, "\n", " "), "\t", " ")
	shaped := strings.Contains(low, " where ") || strings.Contains(low, "=") || strings.Contains(low, " join ") || strings.Contains(low, " limit ")
	switch {
	case strings.HasPrefix(low, "select "):
		return strings.Contains(low, " from ") && (shaped || strings.Contains(low, "select * ") || strings.Contains(low, "count(") || tail(low, " from "))
	case strings.HasPrefix(low, "insert into "), strings.HasPrefix(low, "replace into "):
		return strings.Contains(low, "values") || strings.Contains(low, "(") || strings.Contains(low, " select ")
	case strings.HasPrefix(low, "update "):
		return strings.Contains(low, " set ") && strings.Contains(low, "=")
	case strings.HasPrefix(low, "delete from "):
		return shaped
	case strings.HasPrefix(low, "from "):
		return strings.Contains(low, " where ") && strings.Contains(low, "=")
	case strings.HasPrefix(low, "with "):
		return strings.Contains(low, " as (") && strings.Contains(low, "select ")
	}
	return false
}

// tail reports whether hardly more than the word stands at the end of the text, and columns before it.
func tail(low, word string) bool {
	cols := strings.TrimSpace(low[len("select "):strings.Index(low, word)])
	return !strings.Contains(cols, " ") || strings.Contains(cols, ",")
}

// upper reports whether the words of a query stand in the text in capitals.
func upper(s string) bool {
	has := func(w string) bool { return strings.Contains(s, w) }
	switch {
	case has("SELECT ") && (has(" FROM ") || has("\nFROM ") || has(" FROM")), has("INSERT INTO "), has("DELETE FROM "), has("REPLACE INTO "), has("MERGE INTO "), has("TRUNCATE TABLE "),
		has("DROP TABLE "), has("ALTER TABLE "), has("DROP DATABASE "), has("CREATE USER "), has("ALTER USER "), has("DROP USER "), has("UNION SELECT "), has("UNION ALL SELECT "), has("INSERT OR "),
		has("CREATE TABLE "), has("CREATE DATABASE "):
		return true
	case has("UPDATE ") && (has(" SET ") || has("\nSET ")), has("SELECT") && has("\n") && has("FROM"), has("UPDATE") && has("\n") && has("SET "):
		return true
	case has("WHERE "):
		at := strings.Index(s, "WHERE ")
		rest := s[at+len("WHERE "):]
		return strings.ContainsAny(rest, "=<>") || has(" LIKE ") || has(" IN ")
	}
	return (has(" AND ") || has(" OR ")) && (has(" = '") || has("='") || has(" LIKE ")) || has("ORDER BY ") && (has(" DESC") || has(" ASC") || strings.HasSuffix(strings.TrimRight(s, "\"'` "), "ORDER BY"))
}
