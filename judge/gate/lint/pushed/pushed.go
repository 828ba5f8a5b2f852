// Package pushed is what the push linters look at: the trees before and after a push, the files that differ, and what a linter says
// about them.
//
// Trees are those of commits, never the work tree. A tree is read lazily and in batches, within fixed bounds of memory, and may be used
// by several linters at once. The package judges nothing, writes nothing and owns no table.
package pushed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/redact"
)

// Tree is the tree of a commit. Its methods may be called from several goroutines.
type Tree interface {
	// Files lists the paths of all regular files, with slashes, in order. Symbolic links and submodules are no files. The caller must
	// not change the list.
	Files() []string
	// Read gives the content of a file; false if there is none of that name. The caller must not change it. A file that is too large
	// to read is an error that wraps gitx.ErrTooLarge.
	Read(ctx context.Context, path string) ([]byte, bool, error)
}

// Prefetcher is a Tree that reads many files faster than one by one.
type Prefetcher interface {
	// Prefetch reads files that will be asked for, as far as memory allows. Those that are missing or too large are left out.
	Prefetch(ctx context.Context, paths []string) error
}

// Prefetch prepares a tree for reading files, if it can be prepared.
func Prefetch(ctx context.Context, t Tree, paths []string) error {
	if p, ok := t.(Prefetcher); ok && len(paths) > 0 {
		return p.Prefetch(ctx, paths)
	}
	return nil
}

// Boundary forbids imports. Patterns are globs over slash paths relative to the project; Deny and Allow are compared with the imported
// file or folder and with the import as it is written.
type Boundary struct {
	From  string
	Deny  []string
	Allow []string // exceptions
}

// Config is what a user may set. The zero value means the defaults.
type Config struct {
	Warn, Fail    int // lines of a file; 0 = DefaultWarn and DefaultFail
	Boundaries    []Boundary
	SourceDirs    []string // where a missing test is a finding; none: everywhere
	TestsOptional bool     // a missing test is a note: the user has switched that rule off
}

// Limits of a file's length in lines (governance.md 4.3).
const (
	DefaultWarn = 400
	DefaultFail = 600
)

// Input is a push. Changes leads from Before to After.
type Input struct {
	Before, After Tree
	Changes       []gitx.Change
	Root          string // the work tree, where the project's own tools are; nothing else is read there
	Config        Config
}

// Status is the outcome of a linter.
type Status string

// Outcomes.
const (
	OK   Status = "ok"
	Warn Status = "warn" // notes that stop nothing
	Fail Status = "fail"
	Skip Status = "skip" // nothing was looked at, because a tool is missing
)

// Finding is one thing that a linter found. Text is for people: bounded, redacted, without the file's name.
type Finding struct {
	File string // path in the pushed tree, made printable
	Line int    // from 1; 0 when it is about the whole file
	Text string
	Fail bool // false: a note
}

// Report is what one linter says. Findings that fail come first.
type Report struct {
	Linter   string
	Status   Status
	Findings []Finding
	Skipped  []string // what was not looked at and why: "tsc: not installed (3 files)"
	Took     time.Duration
}

// Written lists the changes that leave a regular file behind.
func (in *Input) Written() []gitx.Change {
	var out []gitx.Change
	for _, c := range in.Changes {
		if c.Status != 'D' && strings.HasPrefix(c.NewMode, "100") {
			out = append(out, c)
		}
	}
	return out
}

// Old gives the content that a changed file had, nil if it is new or was no regular file.
func (in *Input) Old(ctx context.Context, c gitx.Change) ([]byte, error) {
	if c.Status == 'A' || in.Before == nil || !strings.HasPrefix(c.OldMode, "100") {
		return nil, nil
	}
	path := c.Path
	if c.OldPath != "" {
		path = c.OldPath
	}
	data, _, err := in.Before.Read(ctx, path)
	if errors.Is(err, gitx.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s as it was: %w", Printable(path), err)
	}
	return data, nil
}

// Bounds of what ends up in a message, in bytes.
const (
	maxText = 300
	maxPath = 160
)

// Text makes a message of what may come from anywhere: one line, redacted, bounded.
func Text(s string) string {
	return redact.Clip(clean(s), maxText)
}

// Printable makes a path fit for a message. Of a long one it keeps the end.
func Printable(path string) string {
	return redact.Tail(clean(path), maxPath)
}

// clean replaces control characters and bytes that are no text.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "?")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '?'
		}
		return r
	}, s)
}
