// Package prompt reads and edits the body of a Messages request without parsing it whole: what is not edited stays byte for byte as
// the client sent it, because prompt caches live on equal prefixes.
//
// It is pure. It trusts nothing: a body that is no JSON object is refused, and what is wrong deeper inside is left to the endpoint.
package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ErrNotObject says that a body is not a JSON object.
var ErrNotObject = errors.New("the body is not a JSON object")

// span is a piece of the body.
type span struct{ from, to int }

// Body is a scanned request body. It refers to the bytes that it was made from.
type Body struct {
	Stream bool // "stream": true

	text     []byte
	models   []span // values of "model", the last one counts, but all are edited
	system   span   // value of "system"; empty without one
	tools    span   // value of "tools"
	messages span   // value of "messages"
	limit    span   // value of "max_tokens"
}

// Scan looks at the top level of a body.
func Scan(text []byte) (Body, error) {
	b := Body{text: text}
	s := scanner{text: text}
	end, ok := s.object(0, func(key string, v span) {
		switch key {
		case "model":
			b.models = append(b.models, v)
		case "stream":
			b.Stream = string(text[v.from:v.to]) == "true"
		case "system":
			b.system = v
		case "tools":
			b.tools = v
		case "messages":
			b.messages = v
		case "max_tokens":
			b.limit = v
		}
	})
	if !ok || s.space(end) != len(text) {
		return Body{}, ErrNotObject
	}
	return b, nil
}

// Model is the model that the body asks for; "" without one.
func (b Body) Model() string {
	if len(b.models) == 0 {
		return ""
	}
	last := b.models[len(b.models)-1]
	name, _ := unquote(b.text[last.from:last.to])
	return name
}

// Tools are the names of the offered tools, in order; nil when there are none.
func (b Body) Tools() []string {
	var names []string
	s := scanner{text: b.text}
	s.array(b.tools.from, func(v span) {
		s.object(v.from, func(key string, v span) {
			if key != "name" {
				return
			}
			if name, ok := unquote(b.text[v.from:v.to]); ok {
				names = append(names, name)
			}
		})
	})
	return names
}

// edit replaces a piece.
type edit struct {
	span
	text string
}

// Way is how an endpoint wants a body.
type Way struct {
	Model   string   // "" keeps the client's
	Foreign bool     // not Anthropic's own: the client's billing block is made constant, and messages of role system are folded
	Window  int64    // of a foreign endpoint, in tokens: max_tokens is cut so that the answer fits; 0 = not known
	Forget  []string // signatures of thinking that the endpoint would refuse
}

// For gives the body as it goes to an endpoint. Everything that the way does not name is byte for byte the same; without an edit the
// original slice is returned.
func (b Body) For(w Way) []byte {
	edits := b.forget(w.Forget)
	if w.Foreign {
		edits = append(append(append(edits, b.billing()...), b.fold()...), b.fit(w.Window)...)
	}
	model := w.Model
	if model != "" {
		quoted, err := json.Marshal(model)
		if err != nil { // unreachable: a string encodes
			return b.text
		}
		for _, m := range b.models {
			if string(b.text[m.from:m.to]) != string(quoted) {
				edits = append(edits, edit{m, string(quoted)})
			}
		}
		if len(b.models) == 0 {
			open := bytes.IndexByte(b.text, '{') + 1
			text := `"model":` + string(quoted)
			if s := (scanner{text: b.text}); b.text[s.space(open)] != '}' {
				text += ","
			}
			edits = append(edits, edit{span{open, open}, text})
		}
	}
	return b.apply(edits)
}

func (b Body) apply(edits []edit) []byte {
	if len(edits) == 0 {
		return b.text
	}
	for i := 1; i < len(edits); i++ { // few: insertion sort
		for j := i; j > 0 && edits[j].from < edits[j-1].from; j-- {
			edits[j], edits[j-1] = edits[j-1], edits[j]
		}
	}
	size := len(b.text)
	for _, e := range edits {
		size += len(e.text) - (e.to - e.from)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(append(out, b.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, b.text[at:]...)
}

// billingMark begins the first system block of Claude Code: "x-anthropic-billing-header: cc_version=2.1.197.0df; cc_entrypoint=sdk-cli;".
// The three hexadecimal digits differ between sessions (2.1.197, 2.1.332), in some versions more of it between requests. A local
// server that finds another first block has to read the whole prompt again.
const billingMark = "x-anthropic-billing-header:"

// billingText takes its place.
const billingText = "x-anthropic-billing-header: cc_version=0; cc_entrypoint=devflock;"

// billing finds the block among the system texts.
func (b Body) billing() []edit {
	at := b.system.from
	if b.system.to == at {
		return nil
	}
	if b.text[at] == '"' {
		return b.billingIn(b.system)
	}
	var edits []edit
	s := scanner{text: b.text}
	s.array(at, func(v span) {
		s.object(v.from, func(key string, v span) {
			if key == "text" {
				edits = append(edits, b.billingIn(v)...)
			}
		})
	})
	return edits
}

// billingIn replaces the line in a JSON string that begins with it: up to the first line end, which stays.
func (b Body) billingIn(v span) []edit {
	text, ok := unquote(b.text[v.from:v.to])
	if !ok || len(text) < len(billingMark) || text[:len(billingMark)] != billingMark {
		return nil
	}
	rest := ""
	if i := bytes.IndexByte([]byte(text), '\n'); i >= 0 {
		rest = text[i:]
	}
	if text == billingText+rest {
		return nil
	}
	if rest != "" {
		// The rest keeps its own spelling: what follows the first escaped line end in the source.
		raw := b.text[v.from:v.to]
		if i := bytes.Index(raw, []byte(`\n`)); i >= 0 && !bytes.ContainsAny(raw[1:i], `\`) {
			return []edit{{span{v.from, v.from + i}, `"` + billingText}}
		}
		quoted, err := json.Marshal(billingText + rest)
		if err != nil { // unreachable: a string encodes
			return nil
		}
		return []edit{{v, string(quoted)}}
	}
	return []edit{{v, `"` + billingText + `"`}}
}

func unquote(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; !bytes.ContainsRune(inner, '\\') {
		return string(inner), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
