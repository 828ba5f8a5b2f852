// Package depth lets the recursive parser of shell scripts be given input of any shape without overflowing the stack.
//
// It owns no table and no file and knows nothing of shells but how the parser asks for its input.
package depth

import (
	"errors"
	"io"
	"runtime"
)

// maxFrames bounds the depth of the call stack while a script is parsed. One level of nesting costs the parser about six frames
// (parentheses, substitutions) to twenty (arithmetic), so some 250 to 800 levels are read: more than people or programs write.
const maxFrames = 5000

// ErrDeep is what Read returns once the bound was passed.
var ErrDeep = errors.New("nested too deeply")

// Reader feeds a script to the parser and stops when the parser has recursed too deeply.
//
// The parser takes its input in pieces of at most 1 KB (bufSize in mvdan.cc/sh/v3/syntax) and must come back here from the bottom of
// its recursion for the next piece. One byte can add at most one level, so between two looks the stack grows by at most
// 1,024 levels of 20 frames: a few megabytes, far below the 1 GB at which the runtime gives up. This holds for every construct of the
// grammar (brackets, quotes in substitutions, if/case/function, !, time, ternaries …) without a list of them that could be
// incomplete. Walking the stack costs some 10,000 instructions, so the first piece, which is all there is of most command lines, is
// handed out without a look.
type Reader struct {
	Source  string // what is left to be read
	TooDeep bool   // the bound was passed
	begun   bool
}

// Read implements io.Reader. After the bound was passed it returns ErrDeep for ever.
func (r *Reader) Read(p []byte) (int, error) {
	switch {
	case r.TooDeep:
		return 0, ErrDeep
	case r.Source == "":
		return 0, io.EOF
	case r.begun && runtime.Callers(maxFrames, make([]uintptr, 1)) > 0:
		r.TooDeep = true
		return 0, ErrDeep
	}
	r.begun = true
	n := copy(p, r.Source)
	r.Source = r.Source[n:]
	return n, nil
}
