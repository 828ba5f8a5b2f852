package commandline

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Fold breaks lines that are longer than Width characters at blanks. A broken line goes on under its text: below the second
// column, where there is one, else below its first word. A word that is too long stays whole. Flush writes a last line
// without an end. It is not safe for concurrent use.
type Fold struct {
	W     io.Writer
	Width int
	rest  []byte
}

// Write passes on every whole line.
func (f *Fold) Write(p []byte) (int, error) {
	f.rest = append(f.rest, p...)
	for {
		i := bytes.IndexByte(f.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		if _, err := io.WriteString(f.W, fold(string(f.rest[:i]), f.Width)+"\n"); err != nil {
			return 0, err
		}
		f.rest = f.rest[i+1:]
	}
}

// Flush writes what has no end of line.
func (f *Fold) Flush() error {
	if len(f.rest) == 0 {
		return nil
	}
	_, err := io.WriteString(f.W, fold(string(f.rest), f.Width))
	f.rest = nil
	return err
}

func fold(line string, width int) string {
	line = strings.TrimRight(line, " ")
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	indent := column(line)
	if indent > width/2 {
		indent = len(line) - len(strings.TrimLeft(line, " "))
	}
	var out strings.Builder
	out.WriteString(line[:indent])
	at := utf8.RuneCountInString(line[:indent])
	first := true
	for word := range strings.FieldsSeq(line[indent:]) {
		n := utf8.RuneCountInString(word)
		switch {
		case first:
		case at+1+n > width:
			out.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at, first = at+n, false
	}
	return out.String()
}

// column is where the text after a name begins: "   --name VALUE  text". Without a name it is the first word.
func column(line string) int {
	text := strings.TrimLeft(line, " ")
	start := len(line) - len(text)
	gap := strings.Index(text, "  ")
	if gap < 0 {
		return start
	}
	return len(line) - len(strings.TrimLeft(text[gap:], " "))
}
