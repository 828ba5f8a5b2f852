package live

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
)

// Height is the height of the terminal that a stream is; 0 when it is none.
func Height(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	_, rows, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return rows
}

// Painter writes pictures one over the other, or, where the cursor cannot go back, the lines that have changed.
type Painter struct {
	W      io.Writer
	Redraw bool

	last []string
}

// Paint shows a picture in the place of the one before.
func (p *Painter) Paint(lines []string) error {
	before := p.last
	p.last = slices.Clone(lines)
	var b strings.Builder
	if !p.Redraw {
		for i, line := range lines {
			if i > 0 && line != "" && !slices.Contains(before, line) { // the first tells the time
				b.WriteString(line + "\n")
			}
		}
		_, err := io.WriteString(p.W, b.String())
		return err
	}
	if len(before) > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", len(before))
	}
	for _, line := range lines {
		b.WriteString("\r\x1b[K" + line + "\n")
	}
	b.WriteString("\x1b[J")
	_, err := io.WriteString(p.W, b.String())
	return err
}
