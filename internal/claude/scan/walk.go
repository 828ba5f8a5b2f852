package scan

// Walker steps through the members of one object or the elements of one array. It checks each value whole before it hands
// it out, so what it handed out is good even when it later meets a fault.
type Walker struct {
	data   []byte
	pos    int
	depth  int
	close  byte // of the bracket; 0 when done
	first  bool
	err    error
	offset int // of the fault
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
	var err error
	if w.close == '}' {
		pos = Space(w.data, pos)
		if pos >= len(w.data) || w.data[pos] != '"' {
			return w.fail(pos, fault(w.data, pos))
		}
		start := pos
		if pos, err = String(w.data, pos); err != nil {
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
	end, err := Value(w.data, pos, w.depth)
	if err != nil {
		return w.fail(end, err)
	}
	w.pos = end
	return name, w.data[pos:end:end], true
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
