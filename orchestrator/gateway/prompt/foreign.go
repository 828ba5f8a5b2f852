package prompt

import (
	"bytes"
	"strconv"
)

// message is an element of "messages".
type message struct {
	span
	role    string
	content span
}

// messages lists the conversation; nil when it is not a list of objects.
func (b Body) list() []message {
	var all []message
	s := scanner{text: b.text}
	s.array(b.messages.from, func(v span) {
		m := message{span: v}
		s.object(v.from, func(key string, v span) {
			switch key {
			case "role":
				m.role, _ = unquote(b.text[v.from:v.to])
			case "content":
				m.content = v
			}
		})
		all = append(all, m)
	})
	return all
}

func (b Body) holds(v span, mark string) bool {
	return bytes.Contains(b.text[v.from:v.to], []byte(mark))
}

// fold puts messages of role system, which 2.1.332 sends among the others without being asked, into the messages of the user beside
// them: other servers and most chat templates refuse them. What the user said comes first, since results of tools must.
func (b Body) fold() []edit {
	if !b.holds(b.messages, `"system"`) {
		return nil
	}
	var edits []edit
	all := b.list()
	for i := 0; i < len(all); i++ {
		from, systems := i, 0
		for ; i < len(all) && (all[i].role == "user" || all[i].role == "system"); i++ {
			if all[i].role == "system" {
				systems++
			}
		}
		if systems > 0 {
			edits = append(edits, edit{span{all[from].from, all[i-1].to}, b.together(all[from:i])})
		}
	}
	return edits
}

// together makes one message of the user out of several.
func (b Body) together(run []message) string {
	var out bytes.Buffer
	out.WriteString(`{"role":"user","content":[`)
	some := false
	for _, role := range [...]string{"user", "system"} {
		for _, m := range run {
			if m.role != role {
				continue
			}
			raw := bytes.TrimSpace(b.text[m.content.from:m.content.to])
			before, after := "", ""
			switch {
			case len(raw) > 1 && raw[0] == '[':
				raw = bytes.TrimSpace(raw[1 : len(raw)-1])
			case len(raw) > 1 && raw[0] == '"':
				before, after = `{"type":"text","text":`, `}`
			default:
				continue
			}
			if len(raw) == 0 {
				continue
			}
			if some {
				out.WriteByte(',')
			}
			some = true
			out.WriteString(before)
			out.Write(raw)
			out.WriteString(after)
		}
	}
	out.WriteString("]}")
	return out.String()
}

// forget takes thinking out of the conversation that bears one of the signatures. A message of which nothing would be left keeps an
// empty-handed text.
func (b Body) forget(signatures []string) []edit {
	some := false
	for _, mark := range signatures {
		some = some || b.holds(b.messages, `"`+mark+`"`)
	}
	if !some {
		return nil
	}
	var edits []edit
	s := scanner{text: b.text}
	for _, m := range b.list() {
		var kept [][]byte
		gone := 0
		s.array(m.content.from, func(v span) {
			kind, sign := "", ""
			s.object(v.from, func(key string, v span) {
				switch key {
				case "type":
					kind, _ = unquote(b.text[v.from:v.to])
				case "signature":
					sign, _ = unquote(b.text[v.from:v.to])
				}
			})
			for _, mark := range signatures {
				if kind == "thinking" && sign == mark {
					gone++
					return
				}
			}
			kept = append(kept, b.text[v.from:v.to])
		})
		if gone == 0 {
			continue
		}
		if len(kept) == 0 {
			kept = [][]byte{[]byte(`{"type":"text","text":"(nothing)"}`)}
		}
		edits = append(edits, edit{m.content, "[" + string(bytes.Join(kept, []byte{','})) + "]"})
	}
	return edits
}

const (
	// minOutput is what max_tokens is never cut below: with less no answer makes sense.
	minOutput = 1024
	// bytesPerToken under-estimates how much of a request a token covers, so that the answer still fits.
	bytesPerToken = 3
)

// fit lowers max_tokens to what the window leaves beside the prompt: some servers refuse a request that asks for more.
func (b Body) fit(window int64) []edit {
	if window <= 0 || b.limit.to == 0 {
		return nil
	}
	asked, err := strconv.ParseInt(string(b.text[b.limit.from:b.limit.to]), 10, 64)
	room := max(window-int64(len(b.text)/bytesPerToken), minOutput)
	if err != nil || asked <= room {
		return nil
	}
	return []edit{{b.limit, strconv.FormatInt(room, 10)}}
}
