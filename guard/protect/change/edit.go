package change

import (
	"strings"

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
		if harmless(c.Words[1:], own) {
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
func harmless(words []shell.Word, own func(shell.Word) bool) bool {
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
	return reads && harmlessFilter(filter)
}

func harmlessFilter(filter string) bool {
	if filter == "" || strings.ContainsAny(filter, "#`\\") {
		return false
	}
	for part := range strings.SplitSeq(filter, "|") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ")")
		part = strings.TrimPrefix(part, "=") // of |=
		part, deletes := strings.CutPrefix(strings.TrimSpace(part), "del(")
		name := strings.TrimLeft(part, ".")
		if name == part {
			return false
		}
		end := 0
		for end < len(name) && nameByte(name[end]) {
			end++
		}
		rest := strings.TrimSpace(name[end:])
		if end == 0 || !deletes && !strings.Contains(rest, "=") || strings.Contains(rest, "..") || strings.Contains(rest, ",") && deletes {
			return false
		}
		for _, k := range guardedKeys {
			if name[:end] == k {
				return false
			}
		}
	}
	return true
}
