package shell

import (
	"io"
	"runtime"
)

// maxFrames bounds the depth of the call stack while a script is parsed. One level of nesting costs the parser about six frames
// (parentheses, substitutions) to twenty (arithmetic), so some 250 to 800 levels are read: more than people or programs write.
const maxFrames = 5000

// depthReader feeds a script to the parser and stops when the parser has recursed too deeply.
//
// The parser takes its input in pieces of at most 1 KB (bufSize in mvdan.cc/sh/v3/syntax) and must come back here from the bottom of
// its recursion for the next piece. One byte can add at most one level, so between two looks the stack grows by at most
// 1,024 levels of 20 frames: a few megabytes, far below the 1 GB at which the runtime gives up. This holds for every construct of the
// grammar (brackets, quotes in substitutions, if/case/function, !, time, ternaries …) without a list of them that could be
// incomplete. A look costs less than a microsecond on a shallow stack.
type depthReader struct {
	src     string
	tooDeep bool
}

// Read implements io.Reader. After the bound was passed it returns ErrTooDeep for ever.
func (r *depthReader) Read(p []byte) (int, error) {
	var pc [1]uintptr
	if r.tooDeep || runtime.Callers(maxFrames, pc[:]) > 0 {
		r.tooDeep = true
		return 0, ErrTooDeep
	}
	if r.src == "" {
		return 0, io.EOF
	}
	n := copy(p, r.src)
	r.src = r.src[n:]
	return n, nil
}
