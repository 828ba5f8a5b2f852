package proc

import "fmt"

// clip keeps the first and the last half of what is written to it. One goroutine writes; bytes and cut are for after.
type clip struct {
	half  int
	head  []byte
	tail  []byte // ring, grows up to half
	at    int    // next place in a full ring
	total int64
}

func newClip(limit int) *clip {
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	return &clip{half: max(limit/2, 1)}
}

func (c *clip) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	if room := c.half - len(c.tail); room > 0 {
		k := min(room, len(p))
		c.tail = append(c.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.at:], p)
		c.at = (c.at + k) % c.half
		p = p[k:]
	}
	return n, nil
}

func (c *clip) cut() bool { return c.total > int64(len(c.head)+len(c.tail)) }

func (c *clip) bytes() []byte {
	if len(c.tail) == 0 {
		return c.head
	}
	out := make([]byte, 0, len(c.head)+len(c.tail)+64)
	out = append(out, c.head...)
	if c.cut() {
		out = fmt.Appendf(out, "\n[... %d bytes left out ...]\n", c.total-int64(len(c.head)+len(c.tail)))
	}
	out = append(out, c.tail[c.at:]...)
	return append(out, c.tail[:c.at]...)
}
