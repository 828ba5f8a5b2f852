package prompt

import "bytes"

// scanner walks over JSON. It checks as much as it needs to find where values begin and end.
type scanner struct{ text []byte }

// space gives the offset of the next byte that is no white space.
func (s scanner) space(i int) int {
	for i < len(s.text) {
		switch s.text[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

func (s scanner) at(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

// object calls each for the members of the object that begins at or after i, and gives the offset behind it.
func (s scanner) object(i int, each func(key string, value span)) (end int, ok bool) {
	i = s.space(i)
	if s.at(i) != '{' {
		return i, false
	}
	i = s.space(i + 1)
	if s.at(i) == '}' {
		return i + 1, true
	}
	for {
		from := i
		if s.at(i) != '"' {
			return i, false
		}
		if i, ok = s.str(i); !ok {
			return i, false
		}
		key, ok := unquote(s.text[from:i])
		if !ok {
			return i, false
		}
		if i = s.space(i); s.at(i) != ':' {
			return i, false
		}
		from = s.space(i + 1)
		if i, ok = s.value(from); !ok {
			return i, false
		}
		each(key, span{from, i})
		i = s.space(i)
		switch s.at(i) {
		case '}':
			return i + 1, true
		case ',':
			i = s.space(i + 1)
		default:
			return i, false
		}
	}
}

// array calls each for the elements of the array that begins at i; nothing happens when there is none.
func (s scanner) array(i int, each func(span)) {
	i = s.space(i)
	if s.at(i) != '[' {
		return
	}
	i = s.space(i + 1)
	for s.at(i) != ']' {
		end, ok := s.value(i)
		if !ok {
			return
		}
		each(span{i, end})
		i = s.space(end)
		if s.at(i) != ',' {
			return
		}
		i = s.space(i + 1)
	}
}

// str gives the offset behind the string that begins at i.
func (s scanner) str(i int) (end int, ok bool) {
	i++
	for {
		n := bytes.IndexByte(s.text[min(i, len(s.text)):], '"')
		if n < 0 {
			return len(s.text), false
		}
		n += i
		back := 0
		for n-1-back >= i && s.text[n-1-back] == '\\' {
			back++
		}
		i = n + 1
		if back%2 == 0 {
			return i, true
		}
	}
}

// value gives the offset behind the value that begins at i.
func (s scanner) value(i int) (end int, ok bool) {
	switch s.at(i) {
	case '"':
		return s.str(i)
	case '{', '[':
		return s.nested(i)
	}
	from := i
	for i < len(s.text) {
		switch s.text[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r', '"', '{', '[', ':':
			return i, i > from
		}
		i++
	}
	return i, i > from
}

// nested skips an object or array; brackets are counted, not remembered, and so cost no memory however deep they go.
func (s scanner) nested(i int) (end int, ok bool) {
	depth := 0
	for i < len(s.text) {
		switch s.text[i] {
		case '"':
			if i, ok = s.str(i); !ok {
				return i, false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return i, false
}
