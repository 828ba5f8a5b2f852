package static

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// Capture collects what a list of commands prints, as far as it can be computed. The zero value has seen nothing.
type Capture struct {
	Unknown bool // something was printed that cannot be computed

	parts   []string
	dynamic bool
}

// Add adds the output of one command; ok is false if it is not known.
func (c *Capture) Add(out word.Word, ok bool) {
	if !ok {
		c.Unknown = true
		return
	}
	c.parts = append(c.parts, out.Text)
	c.dynamic = c.dynamic || out.Dynamic
}

// Text returns what was collected; ok is false if not all of it is known.
func (c *Capture) Text() (out word.Word, ok bool) {
	if c.Unknown {
		return word.Word{}, false
	}
	if len(c.parts) == 1 {
		return word.Word{Text: c.parts[0], Dynamic: c.dynamic}, true
	}
	return word.Word{Text: strings.Join(c.parts, ""), Dynamic: c.dynamic}, true
}
