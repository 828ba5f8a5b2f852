package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
)

// ErrOffset reports a start offset that is not the start of a line of the present file: it was replaced or truncated.
var ErrOffset = errors.New("offset is not the start of a line")

const (
	minBuffer = 4 << 10
	maxBuffer = 256 << 10
)

// Read calls each for every whole line from the offset on and returns the offset of the first byte that was not consumed:
// the end, or the start of a last line that has no newline yet. Broken lines are handed over too, marked; blank ones are
// not. An error of each stops the reading in front of its line and is returned as it is. Other errors: ErrOffset, and those
// of opening and reading the file.
func Read(path string, from int64, each func(Line) error) (next int64, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return from, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return from, fmt.Errorf("read transcript: %w", err)
	}
	if err := checkOffset(f, from, info.Size()); err != nil {
		return from, fmt.Errorf("read transcript %s at %d: %w", path, from, err)
	}
	if from == info.Size() {
		return from, nil
	}
	size := int(min(max(info.Size()-from+1, minBuffer), maxBuffer))
	next = from
	if from == 0 {
		from = byteOrderMark(f)
	}
	p := parser{source: newSource(io.NewSectionReader(f, from, 1<<62), from, size)}
	for {
		l, ok := p.next()
		if !ok {
			break
		}
		if err := each(l); err != nil {
			return l.Offset, err
		}
		next = l.End
	}
	if p.err != nil && p.err != io.EOF {
		return next, fmt.Errorf("read transcript: %w", p.err)
	}
	return next, nil
}

func checkOffset(f io.ReaderAt, from, size int64) error {
	if from == 0 {
		return nil
	}
	var before [1]byte
	if from < 0 || from > size {
		return ErrOffset
	}
	if _, err := f.ReadAt(before[:], from-1); err != nil {
		return err
	}
	if before[0] != '\n' {
		return ErrOffset
	}
	return nil
}

// byteOrderMark is the length of the mark at the start of the file.
func byteOrderMark(f io.ReaderAt) int64 {
	var b [3]byte
	if _, err := f.ReadAt(b[:], 0); err == nil && string(b[:]) == "\ufeff" {
		return int64(len(b))
	}
	return 0
}

// SubagentFiles lists the transcripts of a session's subagents, sorted by name. No folder is no error.
func SubagentFiles(transcriptPath string) ([]string, error) {
	dir := filepath.Join(strings.TrimSuffix(transcriptPath, ".jsonl"), "subagents")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list subagent transcripts: %w", err)
	}
	var files []string
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, "agent-") && strings.HasSuffix(n, ".jsonl") && e.Type().IsRegular() {
			files = append(files, filepath.Join(dir, n))
		}
	}
	slices.Sort(files)
	return files, nil
}
