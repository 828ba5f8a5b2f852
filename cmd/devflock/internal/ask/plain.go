package ask

import (
	"context"
	"io"
	"os"

	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// runPlain asks in lines: for a screen reader, and where the cursor cannot be moved.
func (a *Asker) runPlain(ctx context.Context, q Question, field huh.Field) error {
	out := stripped{a.Out}
	lead := "\n"
	if q.Help != "" {
		lead += q.Help + "\n"
	}
	if _, err := io.WriteString(out, lead); err != nil {
		return err
	}
	if a.input == nil {
		a.input = &lines{file: a.In}
	}
	a.input.ctx = ctx
	defer a.restoring()()
	done := make(chan error, 1)
	go func() {
		form := huh.NewForm(huh.NewGroup(field)).WithAccessible(true).WithTheme(huh.ThemeFunc(huh.ThemeBase)).WithInput(a.input).WithOutput(out)
		done <- form.RunWithContext(ctx)
	}()
	select {
	case <-ctx.Done(): // whoever still reads a hidden line does so until the process ends, which is now
		return context.Cause(ctx)
	case err := <-done:
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case a.input.over:
			return ErrAborted
		}
		return nil
	}
}

// restoring keeps the terminal's settings, which a hidden line changes, and gives what puts them back.
func (a *Asker) restoring() func() {
	state, err := term.GetState(a.In.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(a.In.Fd(), state) }
}

// lines reads at most one line at a time, so that a reader who buffers takes nothing of the next question. It notes the end of input,
// which huh hides.
type lines struct {
	file *os.File
	ctx  context.Context // of the question that is being asked: Read cannot be given one
	over bool
	rest []byte
}

// Fd is what a hidden line is read from.
func (l *lines) Fd() uintptr { return l.file.Fd() }

// Read gives the next bytes, up to the end of the line.
func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if err := l.next(); err != nil {
			l.over = true
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads one line. A line that the context's end interrupts is lost.
func (l *lines) next() error {
	type answer struct {
		line []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		var line []byte
		var one [1]byte
		for {
			n, err := l.file.Read(one[:])
			if n == 1 {
				line = append(line, one[0])
			}
			if err != nil || n == 1 && one[0] == '\n' || len(line) >= maxLine {
				got <- answer{line, err}
				return
			}
		}
	}()
	select {
	case <-l.ctx.Done():
		return io.EOF
	case a := <-got:
		if len(a.line) == 0 {
			if a.err == nil {
				a.err = io.EOF
			}
			return a.err
		}
		l.rest = a.line
		return nil
	}
}

// maxLine bounds one answer, in bytes. A scanner of huh takes at most 64 KiB.
const maxLine = 60 << 10

// stripped takes every escape sequence out of what passes: a plain terminal shows them as dirt.
type stripped struct{ w io.Writer }

// Write writes the text of p.
func (s stripped) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, ansi.Strip(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
