package change

import "strings"

// ReadsOnly reports whether a database is opened for reading only.
func ReadsOnly(source string) bool {
	if strings.Contains(strings.ToUpper(source), "ATTACH") {
		return false
	}
	for _, word := range [...]string{"-readonly", "mode=ro", "immutable=1", "readonly: true", "readonly:true", "read_only=True", "SQLITE_OPEN_READONLY", "OPEN_READONLY"} {
		if strings.Contains(source, word) {
			return true
		}
	}
	return false
}

// SQL returns the first word of SQL, or of sqlite3's own commands, that changes a database. Words in string literals and
// comments do not count, where SQL stands alone; in program text quotes are opened by the language and all words count.
func SQL(source string) string {
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case c == '\'':
			// A literal of SQL has no statement in it; program text in quotes has a blank after its verb.
			end := strings.IndexByte(source[i+1:], '\'')
			if end >= 0 && !strings.ContainsAny(source[i+1:i+1+end], " \n") {
				i += end + 2
				continue
			}
			i++
		case strings.HasPrefix(source[i:], "--") && (i == 0 || source[i-1] == '\n'):
			end := strings.IndexByte(source[i:], '\n')
			if end < 0 {
				return ""
			}
			i += end
		case nameByte(c):
			from := i
			for i < len(source) && nameByte(source[i]) {
				i++
			}
			if verb := changes(source, from, i); verb != "" {
				return verb
			}
		default:
			i++
		}
	}
	return ""
}

// changes reports whether source[from:to] is a verb of change, by its neighbours.
func changes(source string, from, to int) string {
	word := strings.ToUpper(source[from:to])
	rest := strings.ToUpper(strings.TrimLeft(source[to:min(len(source), to+64)], " \t\n"))
	dot := from > 0 && source[from-1] == '.'
	switch word {
	case "INSERT", "REPLACE":
		if strings.HasPrefix(rest, "INTO") || strings.HasPrefix(rest, "OR ") {
			return word
		}
	case "DELETE":
		if strings.HasPrefix(rest, "FROM") {
			return word
		}
	case "UPDATE":
		if !dot && strings.Contains(strings.ToUpper(source[to:min(len(source), to+4096)]), "SET") {
			return word
		}
	case "DROP", "ALTER", "CREATE":
		for _, what := range [...]string{"TABLE", "INDEX", "TRIGGER", "VIEW", "TEMP", "UNIQUE", "VIRTUAL"} {
			if strings.HasPrefix(rest, what) {
				return word
			}
		}
	case "VACUUM", "REINDEX":
		if !dot {
			return word
		}
	case "ATTACH":
		if !dot && (strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "DATABASE") || strings.HasPrefix(rest, `"`)) {
			return word
		}
	case "PRAGMA":
		pragma := rest
		if end := strings.IndexAny(pragma, ";\n"); end >= 0 {
			pragma = pragma[:end]
		}
		if strings.Contains(pragma, "=") || strings.HasPrefix(pragma, "WAL_CHECKPOINT") || strings.HasPrefix(pragma, "OPTIMIZE") || strings.HasPrefix(pragma, "INCREMENTAL_VACUUM") {
			return word
		}
	case "RESTORE", "IMPORT", "SHELL", "SYSTEM", "LOAD", "FILECTRL", "DBCONFIG":
		if dot && (from == 1 || source[from-2] == '\n' || source[from-2] == ' ' || source[from-2] == '\'' || source[from-2] == '"') {
			return "." + strings.ToLower(word)
		}
	}
	return ""
}
