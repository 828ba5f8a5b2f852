// Package span parses JSON into a tree that knows the exact bytes of every value, member and element, so that a file may be
// changed by splicing bytes while all others stay as their author wrote them.
//
// It owns no file and no table. It is strict (RFC 8259 grammar, as the client's JSON.parse), but accepts one UTF-8 byte order
// mark in front. Duplicate members are kept and reported. It never changes or interprets a document.
package span

import (
	"fmt"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as an article-less noun.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// MaxDepth bounds nesting: deeper documents are an error. encoding/json has the same bound.
const MaxDepth = 10000

// Node is one value. Offsets are bytes from the start of the parsed data, a byte order mark included.
type Node struct {
	Kind    Kind
	Start   int      // of the value's first byte
	End     int      // one past its last byte
	Members []Member // of an Object, in file order, duplicates included
	Items   []*Node  // of an Array
	Text    string   // of a String, decoded; of other scalars the literal
}

// Member is one name and value of an object.
type Member struct {
	Key      string // decoded
	KeyStart int    // of the opening quote
	KeyEnd   int    // one past the closing quote
	Value    *Node
}

// Get returns the last member of that name, the one which counts for the client, or nil. It is nil for every other kind.
func (n *Node) Get(key string) *Member {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return &n.Members[i]
		}
	}
	return nil
}

// Value returns the value of the last member of that name, or nil.
func (n *Node) Value(key string) *Node {
	if m := n.Get(key); m != nil {
		return m.Value
	}
	return nil
}

// Duplicates lists the names that an object holds more than once, in the order of their second appearance.
func (n *Node) Duplicates() []string {
	if n == nil {
		return nil
	}
	seen := make(map[string]int, len(n.Members))
	var dup []string
	for _, m := range n.Members {
		if seen[m.Key]++; seen[m.Key] == 2 {
			dup = append(dup, m.Key)
		}
	}
	return dup
}

// SyntaxError is a fault of the document with its place.
type SyntaxError struct {
	Offset int // bytes from the start of the data
	Line   int // from 1; lines end with \n, \r\n or \r
	Column int // from 1, in characters
	Reason string
}

// Error gives line, column and reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Position returns line and column, both from 1, of a byte offset, as SyntaxError counts them.
func Position(data []byte, offset int) (line, column int) {
	line, column = 1, 1
	i := bom(data)
	for i < min(offset, len(data)) {
		switch c := data[i]; {
		case c == '\n', c == '\r' && (i+1 >= len(data) || data[i+1] != '\n'):
			line, column = line+1, 1
			i++
		case c == '\r':
			i++
		default:
			_, n := utf8.DecodeRune(data[i:])
			i += n
			column++
		}
	}
	return line, column
}

func bom(data []byte) int {
	if len(data) >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf {
		return 3
	}
	return 0
}

// Parse reads one JSON document. Every error is a *SyntaxError. The tree does not alias data.
func Parse(data []byte) (*Node, error) {
	p := parser{data: data, pos: bom(data)}
	p.space()
	if p.pos == len(data) {
		return nil, p.fault("the file is empty")
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(data) {
		return nil, p.fault("unexpected %s after the end of the document", p.what())
	}
	return n, nil
}
