package vars

import "strings"

// Lexical counts the plain names in a text, which is how often a variable may be assigned in it.
type Lexical struct {
	Names map[string]int
	Wild  bool // eval or source: anything may be assigned
	Shift bool // shift or set: so may the parameters
}

// Scan reads a text once.
func Scan(src string) *Lexical {
	l := &Lexical{Names: make(map[string]int)}
	for i := 0; i < len(src); {
		if !nameByte(src[i]) {
			i++
			continue
		}
		end := i
		for end < len(src) && nameByte(src[end]) {
			end++
		}
		name := src[i:end]
		before, after := byte('\n'), byte('\n')
		if i > 0 {
			before = src[i-1]
		}
		if end < len(src) {
			after = src[end]
		}
		if before == '{' && i > 1 && src[i-2] == '$' && (after != ':' && after != '=') {
			before = '$'
		}
		if before != '$' && strings.IndexByte("=+[ \t\n;)&|,-*<>:\"'", after) >= 0 && strings.IndexByte("./-", before) < 0 {
			l.Names[name]++
		}
		if name == "eval" || name == "source" || before == '\n' && name == "." {
			l.Wild = true
		}
		l.Shift = l.Shift || name == "shift" || name == "set"
		i = end
	}
	return l
}

func nameByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
