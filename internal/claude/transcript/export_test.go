package transcript

import "bytes"

// Lines reads data through a buffer of that many bytes.
func Lines(data []byte, buffer int) (lines []Line, next int64) {
	p := parser{source: newSource(bytes.NewReader(data), 0, buffer)}
	for {
		l, ok := p.next()
		if !ok {
			return lines, next
		}
		lines, next = append(lines, l), l.End
	}
}
