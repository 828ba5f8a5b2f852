package guard

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/secret"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// hit is a secret in a text; value is never shown.
type hit struct {
	secret.Match
	value string
}

// find looks for secrets in a text as it stands, and with pieces for those of a known format that are put together from
// neighbouring string literals: 'ghp_…' + '…'. Careful tests build their made-up keys like that.
func find(text string, pieces bool) []hit {
	var out []hit
	for _, m := range secret.Find(text) {
		out = append(out, hit{m, text[m.Start:m.End]})
	}
	if !pieces {
		return out
	}
	joined, breaks := join(text)
	if joined == "" {
		return out
	}
	for _, m := range secret.Find(joined) {
		value := joined[m.Start:m.End]
		if !m.High || slices.ContainsFunc(out, func(h hit) bool { return strings.Contains(value, h.value) }) {
			continue
		}
		for _, b := range breaks { // the lines that the pieces were spread over
			if b <= m.Start {
				m.Line++
			}
		}
		out = append(out, hit{m, value})
	}
	return out
}

// join is the text without the gaps between neighbouring string literals, and where in it a line break was left out. It is ""
// if there is no such gap.
func join(text string) (joined string, breaks []int) {
	var b strings.Builder
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' && text[i] != '\'' {
			continue
		}
		end := i + 1
		for end < len(text) && end-i < maxGap && strings.IndexByte(" \t\r\n+.\\", text[end]) >= 0 {
			end++
		}
		if end == i+1 || end >= len(text) || text[end] != text[i] || strings.Trim(text[i+1:end], " \t") == "" && i > 0 && text[i-1] == '=' {
			continue
		}
		b.WriteString(text[start:i])
		for range strings.Count(text[i:end], "\n") {
			breaks = append(breaks, b.Len())
		}
		start, i = end+1, end
	}
	if start == 0 {
		return "", nil
	}
	b.WriteString(text[start:])
	return b.String(), breaks
}

// maxGap bounds the space between two pieces of a string, in bytes.
const maxGap = 80

// said are the words of a command as the shell hands them over, and what it prints if that can be computed: a secret may be
// spelled with quotes, escapes, variables, or be encoded.
func said(c *shell.Command) []string {
	if len(c.Words) < 2 {
		return nil
	}
	texts := []string{word.Join(c.Words[1:], " ").Text}
	if out, ok := static.Output(c.Name, c.Words[1:], c.Stdin.Text, c.Stdin.Kind == shell.FeedText); ok && out.Text != "" {
		texts = append(texts, out.Text)
	}
	return texts
}
