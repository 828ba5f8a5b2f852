package ci

import (
	"encoding/json"
	"strings"

	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
)

// pair is an entry of JSON whose value is a string.
type pair struct {
	line       int
	key, value string
	in         string // the key of the object around it, "" when it is not known
}

// pairs cuts the entries with strings as their values out of JSON, however it is laid out. A fragment, comments and commas
// too many do no harm.
func pairs(src string) []pair {
	var out []pair
	var around []string
	key, last, line := "", "", 1
	colon := false
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\n':
			line++
		case strings.HasPrefix(src[i:], "//"):
			if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			return out
		case c == ':':
			key, colon = last, true
		case c == '{' || c == '[':
			name := ""
			if colon {
				name = key
			}
			around, colon = append(around, name), false
		case c == '}' || c == ']':
			around, colon = around[:max(len(around)-1, 0)], false
		case c == ',':
			colon = false
		case c == '"':
			end := closing(src, i)
			text := ""
			if json.Unmarshal([]byte(src[i:end]), &text) != nil {
				text = strings.Trim(src[i:end], `"`)
			}
			if last = text; colon {
				p := pair{line: line, key: key, value: text}
				if len(around) > 0 {
					p.in = around[len(around)-1]
				}
				out, colon = append(out, p), false
			}
			i = end
			continue
		}
		i++
	}
	return out
}

// closing is the byte after a string of JSON that begins at i; it ends with its line at the latest.
func closing(src string, i int) int {
	for i++; i < len(src) && src[i] != '\n'; i++ {
		if src[i] == '\\' {
			i++
		} else if src[i] == '"' {
			return i + 1
		}
	}
	return min(i, len(src))
}

// scripts lists the checks of a manifest with scripts.
func scripts(src string) []check {
	var out []check
	for _, p := range pairs(src) {
		if strings.Contains(strings.ToLower(p.in), "dependencies") || p.in == "engines" {
			continue
		}
		found := checks(p.line, p.value)
		name := command.Name(p.key)
		if len(found) == 0 && name != command.None && strings.ContainsAny(p.value, " ./") && !command.Hollow(p.value) && !strings.HasPrefix(p.value, "^") && !strings.HasPrefix(p.value, "~") {
			parts := command.Split(p.value)
			found = []check{{line: p.line, class: name, core: "script " + p.key, text: p.value, loss: command.Lost(parts, 0)}}
			for i := 1; i < len(parts) && found[0].loss.Why == ""; i++ {
				if i == len(parts)-1 || parts[i].Op == "||" {
					found[0].loss = command.Lost(parts, i-1)
				}
			}
		}
		for k := range found {
			found[k].key = p.key
			if name != command.None {
				found[k].core = "script " + p.key
			}
		}
		out = append(out, found...)
	}
	return out
}

// scriptAt is the value of a script at a line: the one with the key, or the only one of the line.
func scriptAt(src string, line int, key string) string {
	only, n := "", 0
	for _, p := range pairs(src) {
		if p.line != line {
			continue
		}
		if p.key == key {
			return p.value
		}
		only = p.value
		n++
	}
	if n == 1 {
		return only
	}
	return ""
}
