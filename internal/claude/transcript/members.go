package transcript

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

// top handles the members of a line.
func (p *parser) top(name []byte, c byte) bool {
	l := &p.line
	switch string(name) {
	case "type":
		return p.kind(c)
	case "message":
		return p.nested(c, (*parser).message)
	case "uuid":
		return p.string(&l.UUID, c)
	case "timestamp":
		return p.time(c)
	case "promptId":
		return p.repeated(&l.PromptID, c, 0)
	case "requestId":
		return p.string(&l.RequestID, c)
	case "agentId":
		return p.repeated(&l.AgentID, c, 3)
	case "isSidechain":
		return p.boolean(&l.Sidechain, c)
	case "subtype":
		return p.string(&l.Subtype, c)
	case "isCompactSummary":
		return p.boolean(&l.CompactSummary, c)
	case "compactMetadata":
		return p.nested(c, (*parser).compactMetadata)
	case "isMeta":
		return p.boolean(&l.Meta, c)
	case "attachment":
		p.attached = true
		return p.nested(c, (*parser).attachment)
	case "toolUseResult":
		if p.user && l.UUID != "" && !l.At.IsZero() { // large, and the client writes nothing of interest behind it
			p.done = true
			return false
		}
	}
	return p.skipValue(c)
}

// kind takes the line's type, and ends the reading of lines that have nothing of interest: the client's copies of whole API
// requests, attached listings and the like.
func (p *parser) kind(c byte) bool {
	if c != '"' {
		return p.skipValue(c)
	}
	raw, ok := p.bytes(maxName)
	l := &p.line
	switch string(raw) {
	case "assistant":
		l.Type = "assistant"
	case "user":
		l.Type, p.user = "user", true
	case "system":
		l.Type = "system"
	case "attachment":
		l.Type = "attachment"
		p.done = p.attached && l.Hook == nil
	default:
		l.Type = scan.Decode(raw)
		p.done = true
	}
	return ok && !p.done
}

func (p *parser) message(name []byte, c byte) bool {
	switch string(name) {
	case "id":
		return p.repeated(&p.messageID, c, 1)
	case "model":
		return p.repeated(&p.model, c, 2)
	case "usage":
		p.usage, p.created, p.hasUsage = Usage{}, 0, c == '{'
		return p.nested(c, (*parser).tokens)
	case "content":
		switch c {
		case '"':
			p.item = item{text: p.item.text}
			ok := p.tailText()
			p.endText()
			return ok
		case '[':
			p.pos++
			return p.array((*parser).block)
		}
	}
	return p.skipValue(c)
}

func (p *parser) tokens(name []byte, c byte) bool {
	switch string(name) {
	case "input_tokens":
		return p.number(&p.usage.Input, c)
	case "output_tokens":
		return p.number(&p.usage.Output, c)
	case "cache_read_input_tokens":
		return p.number(&p.usage.CacheRead, c)
	case "cache_creation_input_tokens":
		return p.number(&p.created, c)
	case "cache_creation":
		return p.nested(c, (*parser).cacheCreation)
	case "server_tool_use":
		return p.nested(c, (*parser).serverTools)
	case "speed":
		return p.string(&p.usage.Speed, c)
	case "inference_geo":
		return p.string(&p.usage.Geo, c)
	}
	return p.skipValue(c)
}

func (p *parser) serverTools(name []byte, c byte) bool {
	if string(name) == "web_search_requests" {
		return p.number(&p.usage.WebSearches, c)
	}
	return p.skipValue(c)
}

func (p *parser) cacheCreation(name []byte, c byte) bool {
	switch string(name) {
	case "ephemeral_5m_input_tokens":
		return p.number(&p.usage.CacheWrite5m, c)
	case "ephemeral_1h_input_tokens":
		return p.number(&p.usage.CacheWrite1h, c)
	}
	return p.skipValue(c)
}

// block handles one content block. Its members come in any order: 2.1.332 sorts them by name.
func (p *parser) block(_ []byte, c byte) bool {
	if c != '{' {
		return p.skipValue(c)
	}
	p.item = item{text: p.item.text[:0], input: p.item.input[:0]}
	if !p.nested(c, (*parser).blockMember) {
		return false
	}
	switch p.item.kind {
	case "text":
		p.endText()
	case "tool_use":
		if len(p.line.ToolUses) < MaxToolUses && !p.user {
			u := ToolUse{ID: p.item.id, Name: p.item.name}
			if p.item.hasInput {
				u.Input = bytes.Clone(p.item.input)
			}
			p.line.ToolUses = append(p.line.ToolUses, u)
		}
	}
	return true
}

func (p *parser) blockMember(name []byte, c byte) bool {
	switch string(name) {
	case "type":
		return p.string(&p.item.kind, c)
	case "id":
		return p.string(&p.item.id, c)
	case "name":
		return p.string(&p.item.name, c)
	case "text":
		if c == '"' {
			return p.tailText()
		}
	case "input":
		p.begin(MaxToolInput, false)
		ok := p.skipValue(c)
		raw := p.take()
		p.item.input, p.item.hasInput = append(p.item.input[:0], raw...), raw != nil
		return ok
	}
	return p.skipValue(c)
}

// tailText keeps the end of the string at the next byte in p.item.text, still escaped.
func (p *parser) tailText() bool {
	p.pos++
	if p.user {
		return p.skipString()
	}
	p.begin(MaxText+utf8.UTFMax+1, true)
	ok := p.skipString()
	raw := p.take()
	if len(raw) > 0 {
		raw = raw[:len(raw)-1]
	}
	p.item.text, p.item.cut = append(p.item.text[:0], raw...), p.over
	return ok
}

func (p *parser) endText() {
	p.text = true
	if p.user {
		return
	}
	raw := p.item.text
	if p.item.cut {
		raw = raw[border(raw):]
	}
	p.lastText = lastBytes(scan.Decode(raw), MaxText)
}

// lastBytes cuts text in front to at most n bytes, between two characters.
func lastBytes(text string, n int) string {
	i := max(0, len(text)-n)
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return text[i:]
}

// border is the first offset of the end of an escaped text at which surely neither an escape nor a character is cut.
func border(raw []byte) int {
	const longest = len(`\u0000`)
	i := longest - 1
	for i < len(raw) && !utf8.RuneStart(raw[i]) {
		i++
	}
	if i >= len(raw) || bytes.IndexByte(raw[:i], '\\') < 0 {
		return min(i, len(raw))
	}
	// A backslash behind another character always starts an escape.
	for ; i < len(raw); i++ {
		if raw[i] == '\\' && raw[i-1] != '\\' {
			return i
		}
	}
	return len(raw)
}

func (p *parser) compactMetadata(name []byte, c byte) bool {
	if string(name) == "preTokens" {
		return p.number(&p.line.CompactTokens, c)
	}
	return p.skipValue(c)
}

// attachment handles what the client attached; only what it says about hooks is kept.
func (p *parser) attachment(name []byte, c byte) bool {
	if string(name) == "type" {
		kind := ""
		ok := p.string(&kind, c)
		if strings.HasPrefix(kind, "hook_") {
			p.hook().Kind = kind
		}
		return ok
	}
	h := p.line.Hook
	if h == nil { // the type always comes first
		return p.skipValue(c)
	}
	n := int64(0)
	switch string(name) {
	case "hookName":
		return p.string(&h.Name, c)
	case "hookEvent":
		return p.string(&h.Event, c)
	case "command":
		return p.command(c)
	case "blockingError":
		return p.nested(c, (*parser).blockingError)
	case "exitCode":
		ok := p.number(&n, c)
		h.ExitCode = int(n)
		return ok
	case "durationMs":
		return p.number(&h.DurationMS, c)
	case "timedOut":
		return p.boolean(&h.TimedOut, c)
	}
	return p.skipValue(c)
}

func (p *parser) hook() *HookRun {
	if p.line.Hook == nil {
		p.line.Hook = &HookRun{}
	}
	return p.line.Hook
}

func (p *parser) blockingError(name []byte, c byte) bool {
	if string(name) == "command" {
		return p.command(c)
	}
	return p.skipValue(c)
}

func (p *parser) command(c byte) bool {
	if c != '"' {
		return p.skipValue(c)
	}
	raw, ok := p.bytes(MaxText)
	p.hook().Command = scan.Decode(raw)
	return ok
}
