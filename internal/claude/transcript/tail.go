package transcript

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/regular"
)

const (
	block     = 64 << 10
	maxBack   = 64 << 20 // how far TailHas looks back
	waitLimit = 250 * time.Millisecond
	waitStep  = 7 * time.Millisecond
)

// TailHas reports whether the last assistant text that the transcript holds is text, or its last block, with no tool call and
// no line of the user behind it: then the turn that ended with text is written whole. White space around them does not count. For "" it is
// true, as there is nothing to wait for; for a missing file it is false.
func TailHas(path, text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return true
	}
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return false
	}
	b := backward{r: f, at: info.Size()}
	end, ok := b.newline()
	for ok && info.Size()-end < maxBack {
		var start int64
		if start, ok = b.newline(); !ok {
			start = 0 // the file's first line
		}
		size := int(min(max(end-start, minBuffer), maxBuffer))
		p := parser{source: newSource(io.NewSectionReader(f, start, end-start), start, size)}
		l, _ := p.next()
		switch {
		case l.Type == "user" || len(l.ToolUses) > 0: // the turn's last message answers this
			return false
		case l.Type == "assistant" && strings.TrimSpace(l.Text) != "":
			last := strings.TrimSpace(l.Text)
			return strings.HasSuffix(text, last) || strings.HasSuffix(last, text)
		}
		end = start
	}
	return false
}

// backward finds newlines from the end of a file to its start.
type backward struct {
	r   io.ReaderAt
	at  int64 // everything behind was searched
	buf []byte
	n   int // bytes of buf, those in front of at, that are not searched yet
}

// newline returns the offset behind the next newline towards the start.
func (b *backward) newline() (offset int64, ok bool) {
	for {
		if b.n == 0 {
			size := min(b.at, block)
			if size == 0 {
				return 0, false
			}
			if b.buf == nil {
				b.buf = make([]byte, size)
			}
			b.n = int(size)
			if _, err := b.r.ReadAt(b.buf[:b.n], b.at-size); err != nil {
				return 0, false
			}
		}
		i := bytes.LastIndexByte(b.buf[:b.n], '\n')
		b.at -= int64(b.n - max(i, 0))
		b.n = max(i, 0)
		if i >= 0 {
			return b.at + 1, true
		}
	}
}

// WaitTail polls the transcript until TailHas, at most 250 ms: at Stop the client writes the last message 3 to 110 ms after
// it started the hook. False means that the transcript is still incomplete, or that ctx ended.
func WaitTail(ctx context.Context, path, lastMessage string) bool {
	if TailHas(path, lastMessage) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	tick := time.NewTicker(waitStep)
	defer tick.Stop()
	for size := int64(-1); ; {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() == size {
			continue
		}
		size = info.Size()
		if TailHas(path, lastMessage) {
			return true
		}
	}
}
