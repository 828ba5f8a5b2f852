package scan

import "bytes"

// Walker steps through the members of one object or the elements of one array. A strict one checks each value whole before
// it hands it out, so what it handed out is good even when it later meets a fault.
type Walker struct {
	data   []byte
	pos    int
	depth  int
	close  byte // of the bracket; 0 when done
	first  bool
	loose  bool
	err    error
	offset int // of the fault
}

// Members walks over an object that was checked before, and Elements over an array. They look only for the ends of values:
// about twice as fast, and on bytes that are no JSON they hand out nonsense, though never an empty value or a string without
// its closing quote. On any other value they have nothing to hand out.
func Members(data []byte) Walker {
	w, _ := walk(data, 0, 0, '{')
	w.loose = true
	return w
}

// Elements: see Members.
func Elements(data []byte) Walker {
	w, _ := walk(data, 0, 0, '[')
	w.loose = true
	return w
}

// Object starts a walk over the object at or after pos. ok is false when another value, or none, stands there. depth is the
// number of brackets already open around it.
func Object(data []byte, pos, depth int) (w Walker, ok bool) { return walk(data, pos, depth, '{') }

// Array starts a walk over the array at or after pos, as Object does.
func Array(data []byte, pos, depth int) (w Walker, ok bool) { return walk(data, pos, depth, '[') }

func walk(data []byte, pos, depth int, bracket byte) (Walker, bool) {
	pos = Space(data, pos)
	if pos >= len(data) || data[pos] != bracket {
		return Walker{}, false
	}
	return Walker{data: data, pos: pos + 1, depth: depth + 1, close: bracket + 2, first: true}, true
}

// Next returns the next member or element. name is the raw literal with its quotes, nil in an array. ok is false at the end
// and at a fault.
func (w *Walker) Next() (name, value []byte, ok bool) {
	if w.close == 0 {
		return nil, nil, false
	}
	pos := Space(w.data, w.pos)
	switch {
	case pos >= len(w.data):
		return w.fail(pos, ErrTruncated)
	case w.data[pos] == w.close:
		w.pos, w.close = pos+1, 0
		return nil, nil, false
	case w.first:
		w.first = false
	case w.data[pos] != ',':
		return w.fail(pos, ErrSyntax)
	default:
		pos++
	}
	if w.close == '}' {
		pos = Space(w.data, pos)
		if pos >= len(w.data) || w.data[pos] != '"' {
			return w.fail(pos, fault(w.data, pos))
		}
		start := pos
		var err error
		if pos, err = w.text(pos); err != nil {
			return w.fail(pos, err)
		}
		name = w.data[start:pos]
		pos = Space(w.data, pos)
		if pos >= len(w.data) || w.data[pos] != ':' {
			return w.fail(pos, fault(w.data, pos))
		}
		pos++
	}
	pos = Space(w.data, pos)
	end, err := w.value(pos)
	if err != nil {
		return w.fail(end, err)
	}
	w.pos = end
	return name, w.data[pos:end:end], true
}

func (w *Walker) text(pos int) (end int, err error) {
	if w.loose {
		return skipString(w.data, pos)
	}
	return String(w.data, pos)
}

func (w *Walker) value(pos int) (end int, err error) {
	switch {
	case pos < len(w.data) && w.data[pos] == '"':
		return w.text(pos)
	case w.loose:
		return skip(w.data, pos)
	}
	return Value(w.data, pos, w.depth)
}

func (w *Walker) fail(pos int, err error) ([]byte, []byte, bool) {
	w.err, w.offset, w.close = err, pos, 0
	return nil, nil, false
}

// End returns the offset past the closing bracket once Next has returned false, or the place and the kind of the fault.
func (w *Walker) End() (offset int, err error) {
	if w.err != nil {
		return w.offset, w.err
	}
	return w.pos, nil
}

// skipString finds the end of a string literal without a look at its inside.
func skipString(data []byte, pos int) (end int, err error) {
	for start := pos + 1; ; {
		i := bytes.IndexByte(data[start:], '"')
		if i < 0 {
			return len(data), ErrTruncated
		}
		end = start + i + 1
		slashes := end - 2
		for slashes > pos && data[slashes] == '\\' {
			slashes--
		}
		if (end-slashes)&1 == 0 {
			return end, nil
		}
		start = end
	}
}

// skip finds the end of a value by its brackets only.
func skip(data []byte, pos int) (end int, err error) {
	depth := 0
	for start := pos; pos < len(data); {
		switch data[pos] {
		case '"':
			if pos, err = skipString(data, pos); err != nil {
				return pos, err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return pos, emptyFault(start, pos)
			}
			if depth--; depth == 0 {
				return pos + 1, nil
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return pos, emptyFault(start, pos)
			}
		}
		pos++
	}
	return pos, ErrTruncated
}

func emptyFault(start, pos int) error {
	if pos == start {
		return ErrSyntax
	}
	return nil
}
