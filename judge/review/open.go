package review

import (
	"fmt"
	"io"
	"os"
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
	return append([]byte{}, text...), nil
}

// ColoursFor are colours on a terminal that has them and a person who wants them.
func ColoursFor(w io.Writer, getenv func(string) string) Colours {
	f, ok := w.(*os.File)
	if !ok || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return Colours{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return Colours{}
	}
	return Colours{Red: "\x1b[31;1m", Yellow: "\x1b[33;1m", Green: "\x1b[32;1m", Dim: "\x1b[2m", Reset: "\x1b[0m"}
}

// WritePending lists for people what waits for a review.
func WritePending(w io.Writer, list []judge.Waiting) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "Nothing waits for a review.")
		return err
	}
	for _, p := range list {
		fmt.Fprintf(w, "%s  %s  %s\n  %s\n  %s\n", time.UnixMilli(p.JudgedMS).Format(time.DateTime), p.Verdict, p.TaskID, p.Root, p.What)
		for _, r := range p.Reasons {
			fmt.Fprintln(w, "  -", r)
		}
	}
	_, err := fmt.Fprintln(w, "\nReview the change; when the agent pushes it, the refusal holds the code that you type to let it pass.")
	return err
}
