package static

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// translate is tr on bytes.
func translate(args []word.Word, in string) (string, bool) {
	remove := false
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		if args[0].Text != "-d" {
			return "", false // complements and squeezes
		}
		remove = true
		args = args[1:]
	}
	if len(args) == 0 || remove != (len(args) == 1) || len(args) > 2 {
		return "", false
	}
	from := set(args[0].Text)
	var table [256]int
	for i := range table {
		table[i] = i
	}
	to := ""
	if !remove {
		to = set(args[1].Text)
		if to == "" {
			return "", false
		}
	}
	for i := range len(from) {
		switch {
		case remove:
			table[from[i]] = -1
		default:
			table[from[i]] = int(to[min(i, len(to)-1)])
		}
	}
	out := make([]byte, 0, len(in))
	for i := range len(in) {
		if v := table[in[i]]; v >= 0 {
			out = append(out, byte(v))
		}
	}
	return string(out), true
}

// set expands ranges and classes of tr.
func set(s string) string {
	s = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9", "[:space:]", " \t\n\v\f\r", "[:blank:]", " \t").Replace(s)
	s, _ = unescape(s, true)
	var out []byte
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				out = append(out, byte(c))
			}
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// substitute is sed with one s command on literal text.
func substitute(args []word.Word, in string) (string, bool) {
	if len(args) == 2 && args[0].Text == "-e" {
		args = args[1:]
	}
	if len(args) != 1 || len(args[0].Text) < 4 || args[0].Text[0] != 's' {
		return "", false
	}
	f := strings.Split(args[0].Text[2:], args[0].Text[1:2])
	if len(f) != 3 || f[0] == "" || strings.ContainsAny(f[0], `\.*[]^$`) || strings.ContainsAny(f[1], `\&`) || len(f[1]) > len(f[0])+64 {
		return "", false
	}
	switch f[2] {
	case "g":
		return strings.ReplaceAll(in, f[0], f[1]), true
	case "":
		return eachLine(in, func(l string) string { return strings.Replace(l, f[0], f[1], 1) }), true
	}
	return "", false
}

// cut is cut -c and cut -d -f with one number or range.
func cut(args []word.Word, in string) (string, bool) {
	delim, list, bytes := "\t", "", false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' {
			return "", false
		}
		v := t[2:]
		if v == "" {
			if i++; i == len(args) {
				return "", false
			}
			v = args[i].Text
		}
		switch t[1] {
		case 'c', 'b':
			list, bytes = v, true
		case 'f':
			list = v
		case 'd':
			delim = v
		default:
			return "", false
		}
	}
	a, b, ranged := strings.Cut(list, "-")
	from, err := strconv.Atoi(a)
	if a == "" {
		from, err = 1, nil
	}
	to := from
	if ranged {
		to = 1 << 30
		if b != "" {
			to, err = strconv.Atoi(b)
		}
	}
	if err != nil || from < 1 || to < from || delim == "" {
		return "", false
	}
	return eachLine(in, func(l string) string {
		if bytes {
			return l[min(from-1, len(l)):min(to, len(l))]
		}
		f := strings.Split(l, delim)
		return strings.Join(f[min(from-1, len(f)):min(to, len(f))], delim)
	}), true
}
