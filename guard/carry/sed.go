package carry

import "strings"

// sed reads the scripts of a sed command for those that start programs or write files.
func (l *list) sed() {
	scripts := l.values(" -e --expression ")
	if len(scripts) == 0 && len(l.values(" -f --file ")) == 0 {
		for _, w := range l.c.Words[1:] {
			if !strings.HasPrefix(w.Text, "-") {
				scripts = append(scripts, w.Text)
				break
			}
		}
	}
	for line := range strings.Lines(strings.Join(scripts, "\n")) {
		l.sedLine(strings.TrimRight(line, "\n"), &scripts)
	}
}

// sedLine reads the commands of one line of a script.
func (l *list) sedLine(s string, scripts *[]string) {
	for len(s) > 0 {
		s = address(s)
		if s == "" {
			return
		}
		switch c := s[0]; c {
		case '{', '}', ';', ' ', '\t':
			s = s[1:]
		case 'e':
			if rest := strings.TrimSpace(s[1:]); rest == `\` && len(*scripts) > 1 {
				l.add((*scripts)[len(*scripts)-1]) // 1e\ and the command in the next script
			} else {
				l.add(rest)
			}
			return
		case 'w', 'W':
			if f := strings.TrimSpace(s[1:]); f != "" && f != "/dev/stdout" && f != "/dev/stderr" {
				l.add("tee " + Quote(f))
			}
			return
		case 's', 'y':
			rest, replacement, ok := substitution(s)
			if !ok {
				return
			}
			end := strings.IndexAny(rest, "; \t}")
			flags := rest
			if end >= 0 {
				flags = rest[:end]
			}
			if c == 's' && strings.Contains(flags, "e") {
				l.add(replacement)
			}
			if k := strings.IndexByte(flags, 'w'); c == 's' && k >= 0 {
				if f := strings.TrimSpace(rest[k+1:]); f != "" && f != "/dev/stdout" && f != "/dev/stderr" {
					l.add("tee " + Quote(f))
				}
				return
			}
			s = rest[len(flags):]
		case 'a', 'i', 'c', 'r', 'R', 'b', 't', 'T', ':', '#':
			return // the rest is text, a file or a label
		default:
			s = s[1:]
		}
	}
}

// address skips what stands before a command of sed.
func address(s string) string {
	for len(s) > 0 {
		switch c := s[0]; {
		case strings.IndexByte(" \t,$!~+0123456789", c) >= 0:
			s = s[1:]
		case c == '/' || c == '\\' && len(s) > 1:
			d := byte('/')
			if c == '\\' {
				d, s = s[1], s[1:]
			}
			end := closing(s[1:], d)
			if end < 0 {
				return ""
			}
			s = strings.TrimLeft(s[end+2:], "IM")
		default:
			return s
		}
	}
	return s
}

// substitution splits s/a/b/rest.
func substitution(s string) (rest, replacement string, ok bool) {
	if len(s) < 2 {
		return "", "", false
	}
	d := s[1]
	a := closing(s[2:], d)
	if a < 0 {
		return "", "", false
	}
	s = s[2+a+1:]
	b := closing(s, d)
	if b < 0 {
		return "", "", false
	}
	return s[b+1:], strings.ReplaceAll(s[:b], `\`+string(d), string(d)), true
}

// closing is the index of the next d that no backslash hides, -1 if there is none.
func closing(s string, d byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case d:
			return i
		}
	}
	return -1
}
