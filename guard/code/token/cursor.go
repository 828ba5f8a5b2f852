package token

import "strings"

// Cursor walks over tokens. Its methods never fail: behind the last token stands End.
type Cursor struct {
	D     Dialect
	Toks  []Token
	At    int
	Match []int32 // per opening bracket, the index of the closing one; 0: none
	end   Token
}

// Cur is the next token.
func (c *Cursor) Cur() *Token { return c.Peek(0) }

// Peek is the token k places behind the next one.
func (c *Cursor) Peek(k int) *Token {
	if c.At+k < len(c.Toks) {
		return &c.Toks[c.At+k]
	}
	return &c.end
}

// Is reports whether the operator or name s comes next.
func (c *Cursor) Is(s string) bool { return c.Cur().Is(s) }

// Accept moves over the operator or name s.
func (c *Cursor) Accept(s string) bool {
	if c.Is(s) {
		c.At++
		return true
	}
	return false
}

// SkipLines moves over line ends.
func (c *Cursor) SkipLines() {
	for c.Cur().Kind == Line {
		c.At++
	}
}

// Among reports whether t is one of the operators or names in set, between spaces.
func Among(t *Token, set string) bool {
	return (t.Kind == Op || t.Kind == Name) && strings.Contains(set, " "+t.Text+" ")
}

// Binary reports whether an operator of set comes next, over line ends where the language allows it.
func (c *Cursor) Binary(set string) (string, bool) {
	t := c.Cur()
	if t.Kind == Line && (c.D == JS || c.D == Ruby || c.D == Lua) {
		k := 1
		for c.Peek(k).Kind == Line && k < 4 {
			k++
		}
		if next := c.Peek(k); next.Kind == Op && !Among(next, " - [ ( { * / % & << < > ") && Among(next, set) {
			c.At += k + 1
			c.SkipLines()
			return next.Text, true
		}
		return "", false
	}
	if !Among(t, set) || t.Kind == Name && !t.Space && c.At > 0 && c.Toks[c.At-1].Is(".") {
		return "", false
	}
	c.At++
	c.SkipLines()
	return t.Text, true
}

// Juxtaposed reports whether awk joins the next operand to the one before.
func (c *Cursor) Juxtaposed() bool {
	t := c.Cur()
	switch t.Kind {
	case Text, Number:
		return true
	case Name:
		return !Among(t, " in getline if else while for do print printf return exit next ")
	}
	return t.Is("$") || t.Is("(")
}

// Operand reports whether the next token can begin an argument.
func (c *Cursor) Operand() bool {
	switch t := c.Cur(); t.Kind {
	case Text, Run, Number:
		return true
	case Name:
		return !Among(t, " if unless while until and or not eq ne x for foreach do then end rescue in lt gt cmp isa ")
	case Op:
		return t.Text == "\\" || t.Text == "[" && t.Space || (t.Text == "*" || t.Text == "-" || t.Text == "&" || t.Text == "::") && t.Space && !c.Peek(1).Space ||
			t.Text == "(" && t.Space
	}
	return false
}

// Label reads `name=`, `name:` or `"name" =>` before an argument.
func (c *Cursor) Label() (string, bool) {
	t, next := c.Cur(), c.Peek(1)
	if t.Kind != Name && t.Kind != Text || t.Parts != nil || next.Kind != Op {
		return "", false
	}
	ok := false
	switch next.Text {
	case "=":
		ok = t.Kind == Name && (c.D == Python || c.D == R)
	case ":":
		ok = c.D != Perl && (c.D != Python || t.Kind == Text) && c.D != Lua
	case "=>":
		ok = c.D != JS
	}
	if ok {
		c.At += 2
	}
	return t.Text, ok
}

// Targets reads the names of a for loop up to the word in or of.
func (c *Cursor) Targets(stop string) []string {
	var names []string
	for k := 0; k < 40; k++ {
		t := c.Cur()
		if t.Is(stop) || t.Is("of") {
			c.At++
			break
		}
		if t.Kind == Line || t.Kind == End {
			break
		}
		if t.Kind == Name && !Among(t, " const let var local ") {
			names = append(names, t.Text)
		}
		c.At++
	}
	return names
}

// Pattern reads {a, b: c} or [a, b]; keys are the names in the object.
func (c *Cursor) Pattern() (names, keys []string) {
	stop := int(c.Match[c.At])
	for c.At++; c.At < stop; c.At++ {
		t := c.Cur()
		if t.Kind != Name && t.Kind != Text {
			continue
		}
		key, name := t.Text, t.Text
		if (c.Peek(1).Is(":") || c.Peek(1).Is("as")) && c.Peek(2).Kind == Name {
			name = c.Peek(2).Text
			c.At += 2
		}
		names, keys = append(names, name), append(keys, key)
		for c.At < stop && !c.Is(",") {
			c.At++
		}
	}
	if stop > 0 {
		c.At = stop + 1
	}
	return names, keys
}

// Dotted reads a name with dots in it.
func (c *Cursor) Dotted() string {
	var b strings.Builder
	for (c.Cur().Kind == Name || c.Is(".")) && b.Len() < 200 && !c.Is("import") && !c.Is("as") {
		b.WriteString(c.Cur().Text)
		c.At++
	}
	return b.String()
}

// Use starts at the first of toks and pairs their brackets.
func (c *Cursor) Use(toks []Token) {
	c.Toks = toks
	c.Match = make([]int32, len(c.Toks))
	var open []int32
	for i := range c.Toks {
		t := &c.Toks[i]
		if t.Kind != Op || len(t.Text) != 1 {
			continue
		}
		switch t.Text[0] {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			if n := len(open); n > 0 {
				c.Match[open[n-1]] = int32(i)
				open = open[:n-1]
			}
		}
	}
}
