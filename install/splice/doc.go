// Package splice edits JSON text without rewriting it: edits are lists of
// (offset, bytes out, bytes in), and every byte outside of them is carried over
// untouched, so key order, white space, escapes, number spellings, line ends
// and a byte-order mark survive.
//
// New text is written in the layout that the document already has. The spans of
// values come from internal/claude/span. The package knows no devflow word and
// no settings key, touches no file, and is not a general JSON library.
package splice

import (
	"bytes"

	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Doc is parsed text. Root is nil when the text holds nothing but white space
// (and perhaps a byte-order mark).
type Doc struct {
	Data []byte
	BOM  int // bytes of the mark at the start, 0 or 3
	Root *span.Node
}

// Parse reads data, which it keeps and does not change. The error is always a
// *span.SyntaxError. Text of white space only is accepted: it is for the caller
// to decide what an empty file means.
func Parse(data []byte) (*Doc, error) {
	d := &Doc{Data: data}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		d.BOM = 3
	}
	if len(bytes.Trim(data[d.BOM:], " \t\r\n")) == 0 {
		return d, nil
	}
	root, err := span.Parse(data)
	if err != nil {
		return nil, err
	}
	d.Root = root
	return d, nil
}

// Place returns the line and column of a byte offset, both counted from 1.
func (d *Doc) Place(offset int) (line, column int) { return span.Position(d.Data, offset) }
