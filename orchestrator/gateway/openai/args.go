package openai

// argScan reads the arguments of a call as they come and knows when they are a complete object.
type argScan struct {
	size   int
	depth  int
	quoted bool
	escape bool
	closed bool // the outermost bracket was closed
}

func (a *argScan) add(piece string) {
	a.size += len(piece)
	for i := range len(piece) {
		c := piece[i]
		switch {
		case a.escape:
			a.escape = false
		case a.quoted:
			a.escape, a.quoted = c == '\\', c != '"'
		case c == '"':
			a.quoted = true
		case c == '{' || c == '[':
			a.depth++
		case c == '}' || c == ']':
			a.depth--
			a.closed = a.depth <= 0
		}
	}
}

func (a *argScan) len() int { return a.size }

// complete reports whether nothing but white space can follow.
func (a *argScan) complete() bool { return a.closed }
