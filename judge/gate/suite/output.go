package suite

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
)

// noise begins lines that say nothing about a failure: packages without one, and what package managers add at the end.
var noise = [...]string{"ok  \t", "?   \t", "npm ERR!", "npm error", "npm notice", "npm warn", "npm WARN", "make: *** ", "make[", "error Command failed", "info Visit https://yarnpkg.com"}

// tail is the end of an output for people and for the model: at most MaxOutput bytes, without secrets, control characters
// and noise. hide is a folder of ours whose name means nothing; empty = none.
func tail(output []byte, hide string) string {
	text := plain(string(output))
	if hide != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, hide+"/", ""), hide, ".")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\n"); line != "" && !noisy(line) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	text = redact.String(strings.TrimSuffix(b.String(), "\n")) // before the cut, which could leave half a secret
	i := len(text) - MaxOutput
	if i <= 0 {
		return text
	}
	for i < len(text) && text[i]&0xC0 == 0x80 {
		i++
	}
	if _, whole, ok := strings.Cut(text[i:], "\n"); ok && len(whole) > MaxOutput/2 { // the first line is a part
		return whole
	}
	return text[i:]
}

func noisy(line string) bool {
	for _, n := range noise {
		if strings.HasPrefix(line, n) {
			return true
		}
	}
	return false
}

// plain takes terminal sequences and control characters out; a carriage return ends a line.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "?")
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x1b:
			i = sequence(s, i)
		case c == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// sequence gives the index of the last byte of the escape sequence at i (ECMA-48: CSI, OSC, or one byte).
func sequence(s string, i int) int {
	const longest = 256 // what is longer is no sequence, and must not swallow the text
	if i+1 >= len(s) {
		return i
	}
	end := min(len(s), i+longest)
	switch s[i+1] {
	case '[':
		for j := i + 2; j < end; j++ {
			if s[j] >= 0x40 && s[j] <= 0x7e {
				return j
			}
		}
	case ']':
		for j := i + 2; j < end; j++ {
			if s[j] == 0x07 {
				return j
			}
			if s[j] == 0x1b && j+1 < end && s[j+1] == '\\' {
				return j + 1
			}
		}
	}
	return i + 1
}
