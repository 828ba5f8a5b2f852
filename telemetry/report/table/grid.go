package table

import (
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"
)

// unknown stands for a value that is not known. It is a word: an empty cell reads as zero.
const unknown = "unknown"

// none stands for a mean or share of nothing.
const none = "n/a"

// grid is a table with a header; columns whose header starts with '>' are aligned to the right.
type grid struct {
	header []string
	rows   [][]string
}

func newGrid(header ...string) *grid { return &grid{header: header} }

func (g *grid) row(cells ...string) { g.rows = append(g.rows, cells) }

// write pads the right-aligned columns and leaves the rest to tabwriter.
func (g *grid) write(w io.Writer) error {
	lines := make([][]string, 0, len(g.rows)+1)
	right := make([]bool, len(g.header))
	head := make([]string, len(g.header))
	for i, h := range g.header {
		head[i], right[i] = strings.CutPrefix(h, ">")
	}
	lines = append(append(lines, head), g.rows...)
	width := make([]int, len(head))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		for i, cell := range line {
			if i > 0 {
				_, _ = io.WriteString(tw, "\t") // tabwriter reports its errors at Flush
			}
			if right[i] {
				cell = strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)) + cell
			}
			_, _ = io.WriteString(tw, cell)
		}
		_, _ = io.WriteString(tw, "\n")
	}
	return tw.Flush()
}

// count writes a number with thousands separators.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

func countOr(n *int64) string {
	if n == nil {
		return unknown
	}
	return count(*n)
}

// dollars writes USD with four decimals and thousands separators.
func dollars(v float64) string {
	text := strconv.FormatFloat(v, 'f', 4, 64)
	whole, frac, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n == 0 {
		return text
	}
	return count(n) + "." + frac
}

func dollarsOr(v *float64) string {
	if v == nil {
		return unknown
	}
	return dollars(*v)
}

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

func decimalsOr(v *float64, n int) string {
	if v == nil {
		return none
	}
	return decimals(*v, n)
}

func percent(v *float64) string {
	if v == nil {
		return none
	}
	return decimals(*v*100, 1) + " %"
}

// textOr is a text or "-" where there is none.
func textOr(s *string, width int) string {
	if s == nil || *s == "" {
		return "-"
	}
	return cut(*s, width)
}

// verdict is the word for people; programs read the stored one.
func verdict(stored string) string {
	switch stored {
	case "judge_error":
		return "could not judge"
	case "skipped_no_diff":
		return "no diff"
	}
	return cut(stored, 15)
}

func verdictOr(stored *string) string {
	if stored == nil || *stored == "" {
		return "-"
	}
	return verdict(*stored)
}

// cut makes a text safe to print and at most width characters wide, the end replaced by "…".
func cut(s string, width int) string {
	s = clean(s)
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

// cutLeft keeps the end, which tells more of a path.
func cutLeft(s string, width int) string {
	s = clean(s)
	n := utf8.RuneCountInString(s)
	if n <= width {
		return s
	}
	return "…" + string([]rune(s)[n-width+1:])
}

// clean replaces what could move the cursor or hide text: control and format characters, and bytes that are not UTF-8.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || unicode.In(c, unicode.Zl, unicode.Zp) {
			return '·'
		}
		return c
	}, s)
}

// taskName shortens "<uuid>#<n>" to what tells tasks of a day apart.
func taskName(id string) string {
	session, seq, ok := strings.Cut(id, "#")
	if !ok {
		return cut(id, 14)
	}
	if len(session) > 8 {
		session = session[:8]
	}
	return cut(session+"#"+seq, 14)
}

// clock writes a moment as "11-30 14:16" in the reader's zone, and one of another year as "2025-11-30".
func clock(ms int64, now time.Time) string {
	t := time.UnixMilli(ms).In(now.Location())
	if t.Year() != now.Year() {
		return t.Format(time.DateOnly)
	}
	return t.Format("01-02 15:04")
}

// clockOf reads a stored timestamp.
func clockOf(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return "-"
	}
	return clock(t.UnixMilli(), now)
}

// days names a range.
func days(n int) string {
	switch n {
	case 0:
		return "all time"
	case 1:
		return "the last day"
	}
	return "the last " + strconv.Itoa(n) + " days"
}

// plural is "1 file", "2 files".
func plural(n int64, word string) string {
	if n != 1 {
		word += "s"
	}
	return count(n) + " " + word
}
