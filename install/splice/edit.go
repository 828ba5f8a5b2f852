package splice

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Edit replaces the text Removed at byte offset At (of the text before any
// edit) by Inserted.
type Edit struct {
	At       int    `json:"at"`
	Removed  string `json:"removed"`
	Inserted string `json:"inserted"`
}

// Apply performs edits, which may come in any order but must not overlap and
// must find what they remove. Several insertions at one offset keep their
// order. data is not changed.
func Apply(data []byte, edits []Edit) ([]byte, error) {
	ordered := slices.Clone(edits)
	slices.SortStableFunc(ordered, func(a, b Edit) int { return a.At - b.At })
	var out bytes.Buffer
	pos := 0
	for _, e := range ordered {
		if e.At < pos || e.At > len(data) {
			return nil, fmt.Errorf("apply edit at byte %d: overlaps another edit or lies outside of the text", e.At)
		}
		if !bytes.HasPrefix(data[e.At:], []byte(e.Removed)) {
			return nil, fmt.Errorf("apply edit at byte %d: the text there is not what the edit removes", e.At)
		}
		out.Write(data[pos:e.At])
		out.WriteString(e.Inserted)
		pos = e.At + len(e.Removed)
	}
	out.Write(data[pos:])
	return out.Bytes(), nil
}

// Inverse returns the edits that undo edits on the text that Apply made.
func Inverse(edits []Edit) []Edit {
	ordered := slices.Clone(edits)
	slices.SortStableFunc(ordered, func(a, b Edit) int { return a.At - b.At })
	shift := 0
	for i, e := range ordered {
		ordered[i] = Edit{At: e.At + shift, Removed: e.Inserted, Inserted: e.Removed}
		shift += len(e.Inserted) - len(e.Removed)
	}
	return ordered
}

// Remove returns the edits that take children out of the array or object n:
// drop reports which ones, by index. The bytes between two removed children go
// too, and one separator per removed run, so that removing what Append put in
// gives back the bytes from before. When nothing is left, whole is the text
// that the complete value gets instead (for example "[]" or "null").
func (d *Doc) Remove(n *span.Node, drop func(i int) bool, whole string) []Edit {
	spans := d.childSpans(n)
	var edits []Edit
	kept := 0
	for i := range spans {
		if !drop(i) {
			kept++
		}
	}
	if kept == len(spans) {
		return nil
	}
	if kept == 0 {
		return []Edit{d.cut(n.Start, n.End, whole)}
	}
	for i := 0; i < len(spans); i++ {
		if !drop(i) {
			continue
		}
		j := i
		for j+1 < len(spans) && drop(j+1) {
			j++
		}
		if i > 0 {
			edits = append(edits, d.cut(spans[i-1].end, spans[j].end, ""))
		} else {
			edits = append(edits, d.cut(spans[i].start, spans[j+1].start, ""))
		}
		i = j
	}
	return edits
}

// Replace returns the edit that spells n as text.
func (d *Doc) Replace(n *span.Node, text string) Edit { return d.cut(n.Start, n.End, text) }

func (d *Doc) cut(from, to int, text string) Edit {
	return Edit{At: from, Removed: string(d.Data[from:to]), Inserted: text}
}

type child struct{ start, end int }

func (d *Doc) childSpans(n *span.Node) []child {
	var out []child
	for _, m := range n.Members {
		out = append(out, child{m.KeyStart, m.Value.End})
	}
	for _, e := range n.Items {
		out = append(out, child{e.Start, e.End})
	}
	return out
}

// Append returns the edit that puts children at the end of the array or object
// n, in the layout that n already has: one child a line if n is written so,
// behind each other if not. An empty n takes the layout of the document.
func (d *Doc) Append(n *span.Node, children []Value) Edit {
	st := d.style()
	spans := d.childSpans(n)
	if len(spans) == 0 {
		at := n.Start + 1
		inner := string(d.Data[at : n.End-1])
		if !st.lines {
			return Edit{At: at, Inserted: joined(children, st, "", st.comma)}
		}
		base := d.lineIndent(n.Start)
		open := st.newline + base + st.unit
		text := open + joined(children, st, base+st.unit, ","+open)
		if !strings.Contains(inner, "\n") {
			text += st.newline + base
		}
		return Edit{At: at, Inserted: text}
	}
	last := spans[len(spans)-1]
	before := d.Data[n.Start+1 : spans[0].start]
	switch {
	case bytes.IndexByte(before, '\n') >= 0 || d.ownLine(last.start):
		base := d.lineIndent(last.start)
		sep := "," + st.newline + base
		st.lines = true
		return Edit{At: last.end, Inserted: sep + joined(children, st, base, sep)}
	case bytes.IndexByte(d.Data[last.start:last.end], '\n') >= 0:
		base := d.lineIndent(last.end - 1)
		st.lines = true
		return Edit{At: last.end, Inserted: st.comma + joined(children, st, base, st.comma)}
	default:
		st.lines = false
		return Edit{At: last.end, Inserted: st.comma + joined(children, st, "", st.comma)}
	}
}

// Spell returns v written in the layout of the document, as the value that
// starts at offset at.
func (d *Doc) Spell(v Value, at int) string {
	return v.text(d.style(), d.lineIndent(at))
}

func joined(children []Value, st style, base, sep string) string {
	parts := make([]string, len(children))
	for i, c := range children {
		parts[i] = c.text(st, base)
	}
	return strings.Join(parts, sep)
}

// ownLine reports whether only white space stands before offset in its line.
func (d *Doc) ownLine(offset int) bool {
	head := d.Data[d.BOM:offset]
	nl := bytes.LastIndexByte(head, '\n')
	return nl >= 0 && len(bytes.TrimLeft(head[nl+1:], " \t")) == 0
}

// lineIndent returns the white space at the start of offset's line.
func (d *Doc) lineIndent(offset int) string {
	head := d.Data[d.BOM:offset]
	line := head[bytes.LastIndexByte(head, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
