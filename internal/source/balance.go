package source

// bracket is an open bracket.
type bracket struct {
	at     int32
	c      byte
	indent int32 // of its line
}

// Balance is Brackets for text that may be cut out of a file: where brackets do not match, the layout decides. A bracket that
// nothing closes ends before the first line that is indented less than its own, or that stands at its level behind a
// blank line; its partner is then the first token of that line. One that nothing opened is left out.
func (f *File) Balance() []int32 {
	match := make([]int32, len(f.Tokens))
	var stack []bracket
	for i := range f.Tokens {
		switch c := f.Char(i); c {
		case '(', '[', '{':
			match[i] = int32(len(f.Tokens))
			stack = append(stack, bracket{at: int32(i), c: c})
		case ')', ']', '}':
			if len(stack) == 0 || closer(stack[len(stack)-1].c) != c {
				return f.recovered(match)
			}
			match[stack[len(stack)-1].at] = int32(i)
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) > 0 {
		return f.recovered(match)
	}
	return match
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// recovered fills match by the layout where brackets do not match.
func (f *File) recovered(match []int32) []int32 {
	clear(match)
	var stack []bracket
	indent, stray := int32(0), -1
	for i := range f.Tokens {
		t := &f.Tokens[i]
		c := f.Char(i)
		closes := c == ')' || c == ']' || c == '}'
		if t.First {
			indent = t.Col
			for len(stack) > 0 && f.ends(&stack[len(stack)-1], i, closes) {
				match[stack[len(stack)-1].at] = int32(i)
				stack = stack[:len(stack)-1]
			}
		}
		switch {
		case c == '(' || c == '[' || c == '{':
			match[i] = int32(len(f.Tokens))
			stack = append(stack, bracket{int32(i), c, indent})
		case closes && stray == i-1 && !t.First:
			stray = i // `})` of a call that began before
		case closes:
			n := f.closed(stack, c, i)
			if n < 0 {
				stray = i
			}
			if n >= 0 {
				for k := n; k < len(stack); k++ {
					match[stack[k].at] = int32(i)
				}
				stack = stack[:n]
			}
		}
	}
	return match
}

// ends reports whether token i, the first of its line, stands behind the end of an open bracket.
func (f *File) ends(b *bracket, i int, closes bool) bool {
	t := &f.Tokens[i]
	switch {
	case t.Col < b.indent:
		return true
	case t.Col > b.indent || closes || i == 0:
		return false
	}
	gap := t.Line-f.Tokens[i-1].Line > 1
	return gap && t.Kind == Name && !f.Is(i, "case") && !f.Is(i, "default") && !f.Is(i+1, ":")
}

// closed is the place on the stack of the bracket that token i closes, -1 when it closes none.
func (f *File) closed(stack []bracket, c byte, i int) int {
	t := &f.Tokens[i]
	n := len(stack) - 1
	if n < 0 {
		return -1
	}
	if closer(stack[n].c) == c {
		if c == '}' && t.First && t.Col > stack[n].indent {
			return -1
		}
		return n
	}
	const most = 8
	for k := n - 1; k >= max(n-most, 0); k-- { // the ones between were not closed
		if closer(stack[k].c) == c && (!t.First || t.Col <= stack[k].indent) {
			return k
		}
	}
	return -1
}
