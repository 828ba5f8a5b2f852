package splice

import (
	"bytes"
	"strings"

	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Value is new text to be spelled in a document's own layout: a member (Key
// set), a scalar (Literal set), or a container with children.
type Value struct {
	Key      string  // key of an object member, "" for an array element
	Literal  string  // JSON text of a scalar
	Children []Value // of a container
	IsArray  bool    // container is an array, otherwise an object
}

// Literal returns an array element or member value of ready JSON text.
func Literal(text string) Value { return Value{Literal: text} }

// Arr returns an array.
func Arr(children ...Value) Value { return Value{Children: children, IsArray: true} }

// Obj returns an object of members made by Named.
func Obj(members ...Value) Value { return Value{Children: members} }

// Named returns v as the member called key.
func Named(key string, v Value) Value { v.Key = key; return v }

func (v Value) text(st style, base string) string {
	var b strings.Builder
	if v.Key != "" {
		b.WriteString(Quote(v.Key))
		b.WriteString(st.colon)
	}
	opening, closing := "{", "}"
	if v.IsArray {
		opening, closing = "[", "]"
	}
	switch {
	case v.Literal != "":
		b.WriteString(v.Literal)
	case len(v.Children) == 0:
		b.WriteString(opening + closing)
	case st.lines:
		line := st.newline + base + st.unit
		b.WriteString(opening + line + joined(v.Children, st, base+st.unit, ","+line) + st.newline + base + closing)
	default:
		b.WriteString(opening + joined(v.Children, st, "", st.comma) + closing)
	}
	return b.String()
}

// style is how a document is laid out.
type style struct {
	lines   bool   // one child per line
	unit    string // one step of indentation
	newline string // "\n" or "\r\n"
	colon   string // between key and value
	comma   string // between children on one line
}

// style reads the layout off the document; a document without members gets
// what Claude Code itself writes: two spaces, "\n", one blank after the colon.
func (d *Doc) style() style {
	st := style{lines: true, unit: "  ", newline: "\n", colon: ": ", comma: ", "}
	if nl := bytes.IndexByte(d.Data, '\n'); nl > 0 && d.Data[nl-1] == '\r' {
		st.newline = "\r\n"
	}
	if d.Root == nil || d.Root.Kind != span.Object || len(d.Root.Members) == 0 {
		return st
	}
	first := d.Root.Members[0]
	if gap := string(d.Data[first.KeyEnd:first.Value.Start]); !strings.ContainsAny(gap, "\r\n") {
		st.colon = gap
	}
	if len(st.colon) == 1 {
		st.comma = ","
	}
	if len(d.Root.Members) > 1 {
		gap := string(d.Data[first.Value.End:d.Root.Members[1].KeyStart])
		if !strings.ContainsAny(gap, "\r\n") {
			st.comma = gap
		}
	}
	st.lines = bytes.IndexByte(d.Data[d.Root.Start:first.KeyStart], '\n') >= 0
	if st.lines {
		st.unit = strings.TrimPrefix(d.lineIndent(first.KeyStart), d.lineIndent(d.Root.Start))
	}
	return st
}
