package wire

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds what is repeated of a server's words, in bytes.
const maxText = 300

// Printable makes foreign text fit for one line of a terminal: no control characters, no secret, bounded.
func Printable(s, secret string) string {
	if len(s) > 64*maxText {
		s = s[:64*maxText]
	}
	if len(secret) >= 4 { // a shorter one is no secret, and would be found in every word
		s = strings.ReplaceAll(s, secret, "[key]")
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			continue
		}
		if b.Len() >= maxText {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// contextLimit finds the size of a context, in tokens, in the words of a server that refuses a prompt: "maximum context length is
// 8192 tokens" (OpenAI, vLLM), "available context size (4096 tokens)" (llama-server), "n_ctx":4096, "> 200000 maximum" (Anthropic).
func contextLimit(text string) int64 {
	lower := strings.ToLower(text)
	for _, mark := range [...]string{"maximum context length is ", "context size (", "context size is ", `"n_ctx":`, "n_ctx = ", "context window of ", "context length of ", "max_model_len of ", "max_model_len=", "tokens > "} {
		_, rest, ok := strings.Cut(lower, mark)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " :")
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if n, err := strconv.ParseInt(rest[:end], 10, 64); err == nil && n >= 256 && n < 1<<32 {
			return n
		}
	}
	return 0
}

func hasAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
