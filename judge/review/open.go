package review

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/judge"
)

// maxPatchFile bounds a patch that is handed in, in bytes.
const maxPatchFile = 64 << 20

// ReadPatch reads a patch from a file, or from in when the name is "-".
func ReadPatch(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read patch: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPatchFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read patch: %w", err)
	case len(text) > maxPatchFile:
		return nil, fmt.Errorf("read patch: more than %d MB", maxPatchFile>>20)
	}
	return unmailed(append([]byte{}, text...)), nil
}

// unmailed takes the CR out of every line end of a patch that a program for texts has rewritten: then the lines of git and diff
// have one, too. A patch about files with such line ends keeps them.
func unmailed(patch []byte) []byte {
	for line := range bytes.Lines(patch) {
		for _, mark := range [...]string{"diff --git ", "--- ", "@@ -"} {
			if !bytes.HasPrefix(line, []byte(mark)) {
				continue
			}
			if bytes.HasSuffix(line, []byte("\r\n")) {
				return bytes.ReplaceAll(patch, []byte("\r\n"), []byte("\n"))
			}
			return patch
		}
	}
	return patch
}

// WritePending lists for people what waits for a review.
func WritePending(w io.Writer, list []judge.Waiting, l Look) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "Nothing waits for a review.")
		return err
	}
	var b strings.Builder
	for _, p := range list {
		word := fmt.Sprintf("%-5s ", Report{Verdict: judge.Verdict{Outcome: p.Verdict}}.Word())
		l.wrap(&b, l.Bold+word+l.Reset, indent, len(word), plain(p.What))
		at := time.UnixMilli(p.JudgedMS).Format("2006-01-02 15:04")
		l.wrap(&b, indent, indent, len(indent), plain(p.Root)+", judged "+at+", task "+plain(p.TaskID))
		for _, r := range p.Reasons {
			l.wrap(&b, indent+"- ", indent+"  ", len(indent)+2, plain(r.String()))
		}
		b.WriteByte('\n')
	}
	l.wrap(&b, "", "", 0, "Review the change; when the agent pushes it, the refusal holds the code that you type to let it pass.")
	_, err := io.WriteString(w, b.String())
	return err
}
