package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// MaxLine bounds what is kept of one line, in bytes. The longest honest lines hold a file that is written or an image that was
// read; the client itself stops at a few megabytes.
const MaxLine = 32 << 20

// headSize is what is kept of a line that is longer than the limit: enough for the names in front of its content.
const headSize = 64 << 10

// Line is one line from the client.
type Line struct {
	Type      string          // "" when the line is no JSON object with a type
	Subtype   string          // of an event, or of the request in a control request
	RequestID string          // of control lines
	Raw       json.RawMessage // the line; of a Long one only its beginning, which is no JSON
	Long      bool            // longer than the limit
}

// Decoder reads lines. It belongs to one goroutine.
type Decoder struct {
	r   *bufio.Reader
	max int
}

// NewDecoder reads from r and keeps at most limit bytes of a line; 0 is MaxLine.
func NewDecoder(r io.Reader, limit int) *Decoder {
	if limit <= 0 {
		limit = MaxLine
	}
	return &Decoder{bufio.NewReaderSize(r, headSize), limit}
}

// Next gives the next line that is not blank. The error is the reader's; an unfinished last line comes before it.
func (d *Decoder) Next() (Line, error) {
	for {
		data, long, err := d.read()
		data = bytes.TrimSpace(data)
		if len(data) > 0 {
			return parse(data, long), nil
		}
		if err != nil {
			return Line{}, err
		}
	}
}

// read gives a line, or its first headSize bytes when it is longer than the limit.
func (d *Decoder) read() (line []byte, long bool, err error) {
	for {
		part, err := d.r.ReadSlice('\n')
		switch {
		case long: // the rest is not wanted
		case len(line)+len(part) > d.max:
			long = true
			line = append(line, part...)
			line = bytes.Clone(line[:min(len(line), headSize)])
		default:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, long, err
	}
}

func parse(data []byte, long bool) Line {
	l := Line{Raw: data, Long: long}
	if long {
		l.salvage()
		return l
	}
	var fields map[string]json.RawMessage // not a struct: Go would take "TYPE" for "type", the client does not
	if json.Unmarshal(data, &fields) != nil {
		return l
	}
	l.Type, l.Subtype, l.RequestID = text(fields["type"]), text(fields["subtype"]), text(fields["request_id"])
	switch l.Type {
	case "control_request":
		l.Subtype = text(member(fields["request"], "subtype"))
	case "control_response":
		l.Subtype, l.RequestID = text(member(fields["response"], "subtype")), text(member(fields["response"], "request_id"))
	}
	return l
}

// salvage reads the names at the beginning of a line that is cut off.
func (l *Line) salvage() {
	dec := json.NewDecoder(bytes.NewReader(l.Raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return
	}
	l.members(dec, 0)
}

// members walks an object as far as it is there, and into the one object that has names we want.
func (l *Line) members(dec *json.Decoder, depth int) {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return
		}
		name, _ := key.(string)
		if depth == 0 && (name == "request" || name == "response") {
			if t, err := dec.Token(); err != nil || t != json.Delim('{') {
				return
			}
			l.members(dec, 1)
			return
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		switch {
		case name == "type" && depth == 0:
			l.Type = text(value)
		case name == "subtype":
			l.Subtype = text(value)
		case name == "request_id":
			l.RequestID = text(value)
		}
	}
}

// text is the string in a value, "" when it is none.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// member is a value of an object, nil when it is none or has it not.
func member(raw json.RawMessage, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields[name]
}
