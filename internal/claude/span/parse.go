package span

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

type parser struct {
	data []byte
	pos  int
}

func (p *parser) fault(format string, args ...any) error {
	line, column := Position(p.data, p.pos)
	return &SyntaxError{Offset: p.pos, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// what names the byte at the present position for a message.
func (p *parser) what() string {
	if p.pos >= len(p.data) {
		return "end of file"
	}
	if p.data[p.pos] == '/' && p.pos+1 < len(p.data) && (p.data[p.pos+1] == '/' || p.data[p.pos+1] == '*') {
		return "comment (JSON has none)"
	}
	r, n := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("byte 0x%02x", p.data[p.pos])
	}
	return fmt.Sprintf("%q", r)
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (*Node, error) {
	n := &Node{Start: p.pos}
	var err error
	switch c := p.peek(); {
	case (c == '{' || c == '[') && depth >= MaxDepth:
		err = p.fault("nested more than %d deep", MaxDepth)
	case c == '{':
		n.Kind = Object
		err = p.object(n, depth)
	case c == '[':
		n.Kind = Array
		err = p.array(n, depth)
	case c == '"':
		n.Kind = String
		n.Text, err = p.text()
	case c == '-' || '0' <= c && c <= '9':
		n.Kind = Number
		err = p.number()
	case c == 't' || c == 'f':
		n.Kind = Bool
		err = p.literal("true", "false")
	case c == 'n':
		err = p.literal("null")
	default:
		err = p.fault("unexpected %s, a value must stand here", p.what())
	}
	if err != nil {
		return nil, err
	}
	n.End = p.pos
	if n.Kind < String {
		n.Text = string(p.data[n.Start:n.End])
	}
	return n, nil
}

func (p *parser) object(n *Node, depth int) error {
	p.pos++
	p.space()
	if p.peek() == '}' {
		p.pos++
		return nil
	}
	for {
		if p.peek() != '"' {
			return p.fault("unexpected %s, a name in double quotes must stand here", p.what())
		}
		m := Member{KeyStart: p.pos}
		var err error
		if m.Key, err = p.text(); err != nil {
			return err
		}
		m.KeyEnd = p.pos
		p.space()
		if p.peek() != ':' {
			return p.fault("unexpected %s after a name, a colon must stand here", p.what())
		}
		p.pos++
		p.space()
		if m.Value, err = p.value(depth + 1); err != nil {
			return err
		}
		n.Members = append(n.Members, m)
		more, err := p.next('}')
		if err != nil || !more {
			return err
		}
	}
}

func (p *parser) array(n *Node, depth int) error {
	p.pos++
	p.space()
	if p.peek() == ']' {
		p.pos++
		return nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
		more, err := p.next(']')
		if err != nil || !more {
			return err
		}
	}
}

// next steps over a comma, or over the closing bracket.
func (p *parser) next(closing byte) (more bool, err error) {
	p.space()
	switch p.peek() {
	case closing:
		p.pos++
		return false, nil
	case ',':
		comma := p.pos
		p.pos++
		p.space()
		if p.peek() == closing {
			p.pos = comma
			return false, p.fault("trailing comma before %q", rune(closing))
		}
		return true, nil
	}
	return false, p.fault("unexpected %s, a comma or %q must stand here", p.what(), rune(closing))
}

func (p *parser) text() (string, error) {
	start := p.pos
	end, err := scan.String(p.data, start)
	if err != nil {
		p.pos = end
		if end >= len(p.data) {
			p.pos = start
			return "", p.fault("string without closing quote")
		}
		return "", p.fault("unexpected %s inside a string", p.what())
	}
	p.pos = end
	return scan.Unquote(p.data[start:end]), nil
}

func (p *parser) number() error {
	end, err := scan.Number(p.data, p.pos)
	if err != nil {
		p.pos = end
		return p.fault("unexpected %s inside a number", p.what())
	}
	p.pos = end
	return nil
}

func (p *parser) literal(words ...string) error {
	for _, w := range words {
		if strings.HasPrefix(string(p.data[p.pos:min(len(p.data), p.pos+len(w))]), w) {
			p.pos += len(w)
			return nil
		}
	}
	return p.fault("unexpected %s, a value must stand here", p.what())
}
