package transcript

import (
	"bytes"
	"time"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

// parser takes one line after the other from a source.
type parser struct {
	*source
	line Line
	done bool // nothing of interest is left in the line

	usage     Usage
	hasUsage  bool
	created   int64 // cache_creation_input_tokens
	text      bool  // the message has text
	lastText  string
	user      bool // the line is known to be a user's
	messageID string
	model     string
	item      item
	attached  bool // the attachment was seen
	name      [32]byte

	ids [4]string // the last prompt, message, model and agent: they repeat
}

// item is the content block at hand.
type item struct {
	kind, id, name string
	input, text    []byte
	hasInput       bool
	cut            bool // text is only the end
}

// A member handler takes the value of one member of an object; c is its first byte, still to be taken. False means that the
// line is broken, or done.
type member func(p *parser, name []byte, c byte) bool

// next reads one line. ok is false when no whole line is left; the source then stands anywhere.
func (p *parser) next() (l Line, ok bool) {
	for {
		start := p.offset()
		p.line, p.done = Line{Offset: start}, false
		p.usage, p.hasUsage, p.created, p.messageID, p.model = Usage{}, false, 0, "", ""
		p.text, p.lastText, p.user, p.attached = false, "", false, false
		c, some := p.peek()
		whole := false
		if some && c == '{' {
			p.pos++
			whole = p.object((*parser).top)
			if whole {
				_, trailing := p.peek()
				whole = !trailing
			}
		}
		last, complete := p.nextLine()
		switch {
		case !complete:
			return Line{}, false
		case !some: // blank
			continue
		case !whole && !(p.done && last == '}'):
			p.line = Line{Offset: start, Broken: true}
		default:
			p.finish()
		}
		p.line.End = p.offset()
		return p.line, true
	}
}

// finish sets what depends on several members.
func (p *parser) finish() {
	l := &p.line
	switch l.Type {
	case "assistant":
		l.Text = p.lastText
		if p.hasUsage {
			u := p.usage
			u.MessageID, u.RequestID, u.Model = p.messageID, l.RequestID, p.model
			if u.MessageID == "" && u.RequestID == "" && l.UUID != "" {
				u.MessageID = "uuid:" + l.UUID // no two lines are the same reply
			}
			u.CacheWrite5m += max(0, p.created-u.CacheWrite5m-u.CacheWrite1h)
			l.Usage = &u
		}
	case "user":
		l.ToolUses, l.Prompt = nil, p.text
	default:
		l.ToolUses = nil
	}
}

// object hands each member of the object whose brace was taken to the handler.
func (p *parser) object(each member) bool {
	for first := true; ; first = false {
		c, ok := p.peek()
		switch {
		case !ok:
			return false
		case c == '}':
			p.pos++
			return true
		case first:
		case c != ',':
			return false
		default:
			p.pos++
			if c, ok = p.peek(); !ok {
				return false
			}
		}
		if c != '"' {
			return false
		}
		name, ok := p.bytes(maxName)
		if !ok {
			return false
		}
		name = p.keepName(name)
		if c, ok = p.peek(); !ok || c != ':' {
			return false
		}
		p.pos++
		if c, ok = p.peek(); !ok || !each(p, name, c) {
			return false
		}
	}
}

// keepName copies a name out of the buffer, which the next bytes may overwrite. All names of interest are shorter.
func (p *parser) keepName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = []byte(scan.Decode(raw))
	}
	return p.name[:copy(p.name[:], raw)]
}

// array hands each element of the array whose bracket was taken to the handler.
func (p *parser) array(each member) bool {
	for first := true; ; first = false {
		c, ok := p.peek()
		switch {
		case !ok:
			return false
		case c == ']':
			p.pos++
			return true
		case first:
		case c != ',':
			return false
		default:
			p.pos++
			if c, ok = p.peek(); !ok {
				return false
			}
		}
		if !each(p, nil, c) {
			return false
		}
	}
}

// nested walks an object; a value of another type is skipped.
func (p *parser) nested(c byte, each member) bool {
	if c != '{' {
		return p.skipValue(c)
	}
	p.pos++
	return p.object(each)
}

// bytes takes the string at the next byte, still escaped. It is nil when it is longer than most.
func (p *parser) bytes(most int) (raw []byte, ok bool) {
	p.pos++
	p.begin(most+1, false)
	ok = p.skipString()
	if raw = p.take(); len(raw) > 0 {
		raw = raw[:len(raw)-1]
	}
	return raw, ok
}

// string sets *dst to the string value; a value of another type is skipped.
func (p *parser) string(dst *string, c byte) bool {
	if c != '"' {
		return p.skipValue(c)
	}
	raw, ok := p.bytes(maxName)
	*dst = scan.Decode(raw)
	return ok
}

// repeated is string for values that come again and again.
func (p *parser) repeated(dst *string, c byte, slot int) bool {
	if c != '"' {
		return p.skipValue(c)
	}
	raw, ok := p.bytes(maxName)
	if string(raw) != p.ids[slot] {
		p.ids[slot] = scan.Decode(raw)
	}
	*dst = p.ids[slot]
	return ok
}

// number sets *dst to the number value, never below 0; a value of another type is skipped.
func (p *parser) number(dst *int64, c byte) bool {
	if c == '"' || c == '{' || c == '[' {
		return p.skipValue(c)
	}
	p.begin(64, false)
	ok := p.skipLiteral()
	n, _ := scan.Int(p.take())
	*dst = max(n, 0)
	return ok
}

func (p *parser) boolean(dst *bool, c byte) bool {
	*dst = c == 't'
	return p.skipValue(c)
}

func (p *parser) time(c byte) bool {
	if c != '"' {
		return p.skipValue(c)
	}
	raw, ok := p.bytes(maxName)
	p.line.At = parseTime(raw)
	return ok
}

// parseTime reads 2026-11-30T12:52:24.849Z without the cost of the general way.
func parseTime(b []byte) time.Time {
	const layout = "0000-00-00T00:00:00.000Z"
	if len(b) == len(layout) {
		n := func(from, to int) (v int) {
			for _, c := range b[from:to] {
				v = v*10 + int(c-'0')
			}
			return v
		}
		plain := true
		for i, c := range b {
			if want := layout[i]; want == '0' && (c < '0' || c > '9') || want != '0' && c != want {
				plain = false
			}
		}
		if month, day := n(5, 7), n(8, 10); plain && 1 <= month && month <= 12 && 1 <= day && day <= 28 && n(11, 13) < 24 && n(14, 16) < 60 && n(17, 19) < 60 {
			return time.Date(n(0, 4), time.Month(month), day, n(11, 13), n(14, 16), n(17, 19), n(20, 23)*1e6, time.UTC)
		}
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return time.Time{}
	}
	return t
}
