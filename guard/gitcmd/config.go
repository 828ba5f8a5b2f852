package gitcmd

import "strings"

// ParseConfig reads the text of a git configuration file and gives every setting to set, in order: the key in full
// ("section.sub.name", section and name in lower case) and the value without quotes. A key without a value is "true". Lines
// that git would refuse are skipped. It never fails and takes time linear in the text.
func ParseConfig(text string, set func(key, value string)) {
	p := configText{rest: strings.TrimPrefix(text, "\ufeff")}
	section := ""
	for p.rest != "" {
		p.skip(" \t\r\n")
		switch {
		case p.rest == "":
		case p.rest[0] == '#' || p.rest[0] == ';':
			p.line()
		case p.rest[0] == '[':
			section = p.head()
		default:
			name := p.name()
			if name == "" {
				p.line()
				continue
			}
			p.skip(" \t\r")
			value := "true"
			if strings.HasPrefix(p.rest, "=") {
				p.rest = p.rest[1:]
				value = p.value()
			} else {
				p.line()
			}
			if section != "" {
				set(section+"."+name, value)
			}
		}
	}
}

type configText struct{ rest string }

func (p *configText) skip(set string) { p.rest = strings.TrimLeft(p.rest, set) }

func (p *configText) line() {
	_, p.rest, _ = strings.Cut(p.rest, "\n")
}

// name reads the name of a setting, in lower case.
func (p *configText) name() string {
	n := 0
	for n < len(p.rest) {
		c := p.rest[n]
		if c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			break
		}
		n++
	}
	name := strings.ToLower(p.rest[:n])
	p.rest = p.rest[n:]
	return name
}

// head reads `[section "sub"]` or the old `[section.sub]`.
func (p *configText) head() string {
	end := strings.IndexAny(p.rest, "]\"\n")
	if end < 0 || p.rest[end] == '\n' {
		p.line()
		return ""
	}
	section := strings.ToLower(strings.TrimSpace(p.rest[1:end]))
	if p.rest[end] == ']' {
		p.rest = p.rest[end+1:]
		return section
	}
	var sub strings.Builder
	i := end + 1
	for ; i < len(p.rest) && p.rest[i] != '"' && p.rest[i] != '\n'; i++ {
		if p.rest[i] == '\\' && i+1 < len(p.rest) {
			i++
		}
		sub.WriteByte(p.rest[i])
	}
	if i >= len(p.rest) || !strings.HasPrefix(p.rest[i:], "\"]") {
		p.rest = p.rest[min(i, len(p.rest)):]
		p.line()
		return ""
	}
	p.rest = p.rest[i+2:]
	return section + "." + sub.String()
}

// value reads to the end of the line: quotes, escapes, comments, and lines that go on behind a backslash.
func (p *configText) value() string {
	p.skip(" \t")
	var b strings.Builder
	quoted := false
	kept := 0 // length without blanks at the end
	i := 0
loop:
	for ; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '\n':
			break loop
		case c == '\\':
			if strings.HasPrefix(p.rest[i+1:], "\r\n") {
				i++
			}
			if i++; i >= len(p.rest) || p.rest[i] == '\n' {
				continue
			}
			b.WriteByte(unescaped(p.rest[i]))
			kept = b.Len()
			continue
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			if n := strings.IndexByte(p.rest[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(p.rest)
			}
			break loop
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' {
			kept = b.Len()
		}
	}
	p.rest = p.rest[min(i, len(p.rest)):]
	return b.String()[:kept]
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
