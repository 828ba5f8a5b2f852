package shown

import "strings"

// A quotation shorter than this, or with fewer letters and digits, proves nothing: it stands everywhere.
const (
	leastQuote   = 6
	leastLetters = 4
	maxQuote     = 2000
)

// Telling reports whether a quotation is long enough to prove that somebody looked.
func Telling(quote string) bool {
	quote = strings.TrimSpace(quote)
	if len(quote) < leastQuote || len(quote) > maxQuote {
		return false
	}
	letters := 0
	for i := range len(quote) {
		c := quote[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 {
			letters++
		}
	}
	return letters >= leastLetters
}

// In reports whether a telling quotation stands word for word in text. Blanks around it, and the marks + and - at the
// beginning of all of its lines, do not count.
func In(text, quote string) bool {
	if !Telling(quote) {
		return false
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	quote = strings.TrimSpace(strings.ReplaceAll(quote, "\r\n", "\n"))
	if strings.Contains(text, quote) {
		return true
	}
	bare := strings.TrimSpace(unmarked(quote))
	return Telling(bare) && strings.Contains(text, bare)
}

// unmarked takes the mark of a patch from every line when each has one.
func unmarked(quote string) string {
	lines := strings.Split(quote, "\n")
	for i, l := range lines {
		if l == "" || l[0] != '+' && l[0] != '-' {
			return quote
		}
		lines[i] = l[1:]
	}
	return strings.Join(lines, "\n")
}

// Find gives the place of a telling quotation: the path and the line in the present file at which it begins. A line that the
// patch added is preferred to one that stood there, and that to one that it removed. Only what was shown counts.
func (d Diff) Find(quote string) (path string, n int, ok bool) {
	if !Telling(quote) {
		return "", 0, false
	}
	quote = strings.TrimSpace(strings.ReplaceAll(quote, "\r\n", "\n"))
	for _, q := range [...]string{quote, strings.TrimSpace(unmarked(quote))} {
		if !Telling(q) {
			continue
		}
		lines := strings.Split(q, "\n")
		for _, sign := range [...]byte{'+', ' ', '-'} {
			for _, p := range d.pieces {
				for i := range p.lines {
					if p.lines[i].sign == sign && p.begins(i, lines) {
						return p.path, p.lines[i].n, true
					}
				}
			}
		}
	}
	return "", 0, false
}

// begins reports whether the quoted lines stand at the i-th line of the piece and were shown. Lines of the other side may
// stand between them.
func (p piece) begins(i int, quoted []string) bool {
	first := p.lines[i]
	if !at(first.text, quoted, 0) || !strings.Contains(p.text, first.text) {
		return false
	}
	for k := 1; k < len(quoted); k++ {
		for i++; i < len(p.lines) && first.sign != ' ' && p.lines[i].sign != first.sign && p.lines[i].sign != ' '; i++ {
		}
		if i >= len(p.lines) || !at(p.lines[i].text, quoted, k) {
			return false
		}
	}
	return true
}

// at compares the k-th line of a quotation: its first line may begin and its last line may end within the line of the file.
func at(text string, quoted []string, k int) bool {
	q := quoted[k]
	switch first, last := k == 0, k == len(quoted)-1; {
	case first && last:
		return strings.Contains(text, q)
	case first:
		return strings.HasSuffix(text, q)
	case last:
		return strings.HasPrefix(text, q)
	}
	return text == q
}
