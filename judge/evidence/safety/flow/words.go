package flow

import "strings"

// Sanitizer reports whether a function's name says that it makes text harmless, or a number of it.
func Sanitizer(name string) bool {
	switch name {
	case "int", "float", "bool", "len", "Number", "parseInt", "parseFloat", "BigInt", "Boolean", "Itoa", "Atoi", "ParseInt", "valueOfInt", "parseLong", "parseUnsignedInt",
		"intval", "to_i", "to_f", "hash", "id", "UUID", "isinstance", "type", "typeof", "sizeof", "count", "strlen", "isset", "empty", "literal_eval", "ParseBool",
		"encodeURIComponent", "urlencode", "hexdigest", "createHash", "sha256", "md5", "placeholders", "Identifier", "Literal", "secure_filename", "basename", "Base":
		return true
	}
	lower := strings.ToLower(name)
	for _, w := range [...]string{"quote", "escap", "sanit", "placeholder", "param", "whitelist", "allowlist"} {
		if strings.Contains(lower, w) && !strings.Contains(lower, "unquote") && !strings.Contains(lower, "unescape") {
			return true
		}
	}
	return false
}

// transparent reports whether a function gives back what it was given, in another shape.
func transparent(name string) bool {
	switch name {
	case "str", "String", "string", "repr", "unicode", "bytes", "strip", "trim", "lower", "upper", "toString", "to_string", "as_str", "to_owned", "clone", "format", "Sprintf",
		"Sprint", "Sprintln", "sprintf", "join", "Join", "concat", "Concat", "encode", "decode", "unquote", "decodeURIComponent", "valueOf", "TrimSpace", "Trim", "ToLower", "ToUpper",
		"replace", "ReplaceAll", "Replace", "replaceAll", "format_args", "from", "into", "as_ref", "get", "Get", "Query", "getParameter", "FormValue", "toLowerCase", "toUpperCase",
		"fsencode", "fspath", "Path", "expanduser", "Some", "Ok", "formatted", "Format", "to_s", "asList", "of", "List", "vec", "unwrap_or", "unwrap_or_default", "dumps", "append",
		"WriteString", "push_str", "StringBuilder", "StringBuffer", "StringIO", "Buffer", "gsub", "strtolower", "strtoupper", "implode", "stringify":
		return true
	}
	return false
}

// neutral reports whether a member of a value no longer holds its text.
func neutral(name string) bool {
	switch name {
	case "length", "len", "size", "count", "isEmpty", "is_empty", "map", "exists", "startsWith", "endsWith", "startswith", "endswith", "includes", "contains", "hashCode",
		"Len", "Size", "isdigit", "fill", "every", "some", "indexOf", "index", "find", "isNotEmpty", "ordinal", "getClass", "__class__", "__name__", "constructor",
		"execute", "cursor", "exec", "prepare", "collect":
		return true
	}
	return false
}

// Ident reports whether a name is that of a part of a statement that cannot be bound as a value: a table, a column, an
// order, a list of placeholders.
func Ident(name string) bool {
	lower := strings.ToLower(name)
	for _, w := range [...]string{"table", "tbl", "column", "schema", "placeholder", "where", "clause", "order", "cols", "fields", "index", "prefix", "suffix", "sort", "direction", "condition", "select", "join"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return lower == "sql" || lower == "query" || lower == "stmt"
}
