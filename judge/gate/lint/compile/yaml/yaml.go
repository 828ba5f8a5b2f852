// Package yaml finds errors in YAML that no reader of YAML accepts: tabs as indentation, keys that occur twice, entries at a depth that
// does not exist, values with a second ": ", and quotes and brackets that are never closed.
//
// It is no parser: what it does not understand it accepts. Streams of several documents, block scalars, anchors, tags and flow
// collections are known; complex keys end the check of their document; templates (Helm, Jinja) are told apart and not checked. Time and
// memory are linear in the text, and nothing recurses. It reads no file and owns no table.
package yaml

import (
	"bytes"
	"fmt"
	"strings"
)

// Result is what is wrong with a text. The zero value is: nothing.
type Result struct {
	Line     int // from 1
	Problem  string
	Template bool // the text is a template of YAML and was not checked
}

// Check reads a text. It stops at the first error.
func Check(src []byte) Result {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	c := checker{}
	for raw := range bytes.Lines(src) {
		c.line++
		c.take(strings.TrimRight(string(raw), "\r\n"))
		if c.res.Template {
			return Result{Template: true}
		}
		if c.res.Problem != "" {
			return c.seek(src)
		}
	}
	if c.res.Problem == "" && (c.quote != 0 || len(c.flow) > 0) {
		c.res = Result{Line: c.opened, Problem: c.unclosed()}
	}
	return c.seek(src)
}

// seek lets a template go whose marks come after the first thing that looked like an error.
func (c *checker) seek(src []byte) Result {
	if c.res.Problem == "" {
		return c.res
	}
	for raw := range bytes.Lines(src) {
		if line := bytes.TrimSpace(raw); templated(string(line)) || bytes.Contains(line, []byte(": {{")) || bytes.HasPrefix(line, []byte("- {{")) {
			return Result{Template: true}
		}
	}
	return c.res
}

// frame is an open block: a mapping or a sequence whose entries begin at a column.
type frame struct {
	indent int
	seq    bool
	open   bool // its last entry has no value yet
	keys   map[string]bool
}

type checker struct {
	line   int
	res    Result
	frames []frame
	block  bool // inside a block scalar …
	below  int  // … of a node at this column
	quote  byte // inside a quoted scalar
	flow   []byte
	opened int // line of the quote or the outermost bracket
	skip   bool
}

func (c *checker) fail(format string, args ...any) {
	if c.res.Problem == "" {
		c.res = Result{Line: c.line, Problem: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) unclosed() string {
	if c.quote != 0 {
		return fmt.Sprintf("the quote %c is never closed", c.quote)
	}
	return fmt.Sprintf("the bracket %c is never closed", c.flow[0])
}

// templated reports a line that only a template engine reads.
func templated(text string) bool {
	return strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "{%") || strings.HasPrefix(text, "<%")
}

// marker reports a line that begins or ends a document.
func marker(line string) bool {
	for _, m := range [...]string{"---", "..."} {
		if rest, ok := strings.CutPrefix(line, m); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

func (c *checker) take(line string) {
	if marker(line) {
		if c.quote != 0 || len(c.flow) > 0 {
			c.res = Result{Line: c.opened, Problem: c.unclosed()}
			return
		}
		c.frames, c.block, c.skip = nil, false, false
		if rest := strings.TrimSpace(line[3:]); rest != "" {
			c.value(rest, -1)
		}
		return
	}
	if c.skip {
		return
	}
	if c.quote != 0 || len(c.flow) > 0 {
		c.inside(line)
		return
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if c.block {
		if strings.TrimSpace(text) == "" || indent > c.below {
			return
		}
		c.block = false
	}
	bare := strings.TrimLeft(text, " \t")
	switch {
	case bare == "" || bare[0] == '#' || indent == 0 && bare[0] == '%':
	case templated(bare):
		c.res.Template = true
	case bare != text:
		c.tabbed(bare)
	default:
		c.entry(text, indent)
	}
}

// tabbed is a line that is indented by tabs: an error if it is an entry, and else the next line of a scalar.
func (c *checker) tabbed(text string) {
	if _, _, ok := key(text); ok || strings.HasPrefix(text, "- ") {
		c.fail("a tab in the indentation")
	}
}

// entry reads a line that begins outside of everything.
func (c *checker) entry(text string, indent int) {
	for text == "-" || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t") {
		if c.continues(indent) {
			return
		}
		if !c.enter(indent, true) {
			return
		}
		rest := strings.TrimLeft(text[1:], " \t")
		indent += len(text) - len(rest)
		text = rest
		if text == "" || text[0] == '#' {
			return
		}
	}
	if text == "?" || strings.HasPrefix(text, "? ") {
		c.skip = true
		return
	}
	body := props(text)
	if body == "" { // an anchor or a tag: its node comes on the next line
		return
	}
	name, rest, ok := key(body)
	if !ok {
		c.scalar(body, indent)
		return
	}
	if top := c.top(); top != nil && !top.open && indent > top.indent {
		c.fail("an entry %q inside of a value: is its depth right, or the value in need of quotes?", name)
		return
	}
	if !c.enter(indent, false) {
		return
	}
	top := c.top()
	if name != "<<" {
		if top.keys == nil {
			top.keys = map[string]bool{}
		}
		if top.keys[name] {
			c.fail("the key %q occurs twice", name)
			return
		}
		top.keys[name] = true
	}
	c.value(rest, indent)
}

func (c *checker) top() *frame {
	if len(c.frames) == 0 {
		return nil
	}
	return &c.frames[len(c.frames)-1]
}

// continues reports a line with a dash that belongs to a plain scalar which began before.
func (c *checker) continues(indent int) bool {
	top := c.top()
	return top != nil && !top.open && indent > top.indent
}

// enter makes the block at a column the innermost one.
func (c *checker) enter(indent int, seq bool) bool {
	popped := false
	for top := c.top(); top != nil && (top.indent > indent || top.indent == indent && top.seq && !seq); top = c.top() {
		c.frames = c.frames[:len(c.frames)-1]
		popped = true
	}
	top := c.top()
	if top != nil && top.indent == indent && top.seq == seq {
		top.open = true
		return true
	}
	if top != nil && top.indent == indent && !top.seq && seq && !top.open {
		c.fail("a list item among the keys of a mapping")
		return false
	}
	if popped && (top == nil || top.indent < indent) {
		c.fail("an entry at a depth that does not exist")
		return false
	}
	if top != nil {
		top.open = false // its entry has a value now
	}
	c.frames = append(c.frames, frame{indent: indent, seq: seq, open: true})
	return true
}

// scalar reads a line that is no entry: a value on a line of its own, or the next line of one.
func (c *checker) scalar(text string, indent int) {
	if top := c.top(); top != nil {
		if indent <= top.indent {
			c.fail("neither a key nor a value: %q", short(text))
			return
		}
		if !top.open {
			return // the next line of a plain scalar
		}
	}
	below := -1
	if top := c.top(); top != nil {
		below = top.indent
	}
	c.value(text, below)
}

// value reads what stands behind a key, a dash or a document marker. at is the column of the node that it belongs to.
func (c *checker) value(text string, at int) {
	text = props(text)
	if text == "" || text[0] == '#' {
		return
	}
	top := c.top()
	if top != nil {
		top.open = false
	}
	switch {
	case templated(text):
		c.res.Template = true
	case text[0] == '|' || text[0] == '>':
		c.header(text[1:])
		c.block, c.below = true, at
	case text[0] == '"' || text[0] == '\'' || text[0] == '{' || text[0] == '[':
		c.opened = c.line
		c.inside(text)
	case text[0] == '*':
	case text[0] == '@' || text[0] == '`' || text[0] == '%':
		c.fail("a value may not begin with %c: put it in quotes", text[0])
	default:
		c.plain(text)
	}
}

// header reads what follows the sign of a block scalar.
func (c *checker) header(text string) {
	rest := strings.TrimLeft(text, "+-123456789")
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' || strings.TrimSpace(rest) != "" && strings.TrimSpace(rest)[0] != '#' {
		c.fail("text behind the sign of a block: %q", short(text))
	}
}

func (c *checker) plain(text string) {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimRight(text, " \t")
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "::") {
		c.fail("a second %q in one value: put it in quotes", ": ")
	}
}

// inside goes on through quotes and brackets to the end of the line.
func (c *checker) inside(text string) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case c.quote == '"' && b == '\\':
			i++
		case c.quote == '\'' && b == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case c.quote != 0:
			if b == c.quote {
				c.quote = 0
			}
		case b == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
			return
		case (b == '"' || b == '\'') && (len(c.flow) == 0 || starts(text[:i])):
			c.quote = b
		case b == '{' || b == '[':
			if i > 0 && strings.HasPrefix(text[i-1:], "${") { // a variable in a plain scalar
				c.skip, c.flow = true, nil
				return
			}
			c.flow = append(c.flow, b)
		case b == '}' || b == ']':
			if len(c.flow) == 0 || (c.flow[len(c.flow)-1] == '{') != (b == '}') {
				c.fail("the bracket %c closes nothing", b)
				return
			}
			c.flow = c.flow[:len(c.flow)-1]
		}
		if c.quote == 0 && len(c.flow) == 0 {
			c.behind(strings.TrimLeft(text[i+1:], " \t"), text[i+1:])
			return
		}
	}
}

// starts reports whether a quote at the end of before opens a scalar of a flow collection.
func starts(before string) bool {
	before = strings.TrimRight(before, " \t")
	if before == "" {
		return true
	}
	switch before[len(before)-1] {
	case '{', '[', ',', ':', '?':
		return true
	}
	return strings.ContainsAny(before[strings.LastIndexAny(before, "{[,:")+1:], "!&") // behind a tag or an anchor
}

// behind looks at what follows a complete quoted scalar or flow collection.
func (c *checker) behind(rest, raw string) {
	switch {
	case rest == "" || rest[0] == '#' && rest != raw:
	case rest[0] == ':':
		c.skip = true // a collection as a key
	default:
		c.fail("text behind the end of a value: %q", short(rest))
	}
}

// props cuts anchors and tags.
func props(text string) string {
	for text != "" && (text[0] == '&' || text[0] == '!') {
		i := strings.IndexAny(text, " \t")
		if i < 0 {
			return ""
		}
		text = strings.TrimLeft(text[i:], " \t")
	}
	return text
}

// key splits an entry of a mapping. name is as it is written, so that 1 and "1" differ.
func key(text string) (name, rest string, ok bool) {
	if text == "" {
		return "", "", false
	}
	if q := text[0]; q == '"' || q == '\'' {
		end := closing(text, q)
		if end < 0 {
			return "", "", false
		}
		after := strings.TrimLeft(text[end+1:], " \t")
		if after == ":" || strings.HasPrefix(after, ": ") || strings.HasPrefix(after, ":\t") {
			return text[:end+1], strings.TrimLeft(after[1:], " \t"), true
		}
		return "", "", false
	}
	if strings.IndexByte("{[|>#,]}@`%", text[0]) >= 0 {
		return "", "", false
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '#' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			return "", "", false
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return strings.TrimRight(text[:i], " \t"), strings.TrimLeft(text[i+1:], " \t"), true
		}
	}
	return "", "", false
}

// closing finds the quote that ends a scalar on its line, or -1.
func closing(text string, q byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case q == '"' && text[i] == '\\':
			i++
		case text[i] == q && q == '\'' && i+1 < len(text) && text[i+1] == q:
			i++
		case text[i] == q:
			return i
		}
	}
	return -1
}

func short(s string) string {
	const n = 40
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
