package upstream

import (
	"io"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
)

// Translation reads a stream of chat completions as one of messages.
type Translation struct {
	from io.Reader
	to   *openai.Stream
	out  []byte
	in   []byte
	err  error
}

// Translate begins a translation.
func Translate(from io.Reader, o openai.Options) *Translation {
	t := &Translation{from: from, in: make([]byte, readSize)}
	t.to = o.Stream((*sink)(t))
	return t
}

// sink collects what the translation says.
type sink Translation

// Write implements [io.Writer].
func (s *sink) Write(b []byte) (int, error) {
	s.out = append(s.out, b...)
	return len(b), nil
}

// Read implements [io.Reader].
func (t *Translation) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		n, err := t.from.Read(t.in)
		if _, e := t.to.Write(t.in[:n]); e != nil && err == nil {
			err = e
		}
		if err != nil {
			_ = t.to.Close() // says in an event what is wrong
			t.err = err
		}
	}
	n := copy(p, t.out)
	t.out = append(t.out[:0], t.out[n:]...)
	return n, nil
}
