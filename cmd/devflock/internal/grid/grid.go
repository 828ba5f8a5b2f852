// Package grid writes text that came from anywhere safely into columns of a terminal: cleaned, measured in cells, cut to a width.
//
// It owns no table of the database and knows nothing about runs.
package grid

import (
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// gap lies between two columns.
const gap = "  "

// ellipsis stands for what was cut.
const ellipsis = "…"

// least is the narrowest that a column which gives way becomes, in cells.
const least = 8

// Grid is a table with a header. A header that starts with ">" aligns its column to the right, one that starts with "*" lets its column give way when the
// table is wider than the screen.
type Grid struct {
	header []string
	rows   [][]string
}

// New makes a table.
func New(header ...string) *Grid { return &Grid{header: header} }

// Row adds a line. Cells are cleaned.
func (g *Grid) Row(cells ...string) {
	row := make([]string, len(g.header))
	for i := range row {
		if i < len(cells) {
			row[i] = Clean(cells[i])
		}
		if row[i] == "" {
			row[i] = "-"
		}
	}
	g.rows = append(g.rows, row)
}

// Lines gives the table; width is that of the screen, 0 = as wide as it gets. No line ends in a blank.
func (g *Grid) Lines(width int) []string {
	head := make([]string, len(g.header))
	right, elastic := make([]bool, len(head)), make([]bool, len(head))
	for i, h := range g.header {
		for {
			if rest, ok := strings.CutPrefix(h, ">"); ok {
				h, right[i] = rest, true
				continue
			}
			if rest, ok := strings.CutPrefix(h, "*"); ok {
				h, elastic[i] = rest, true
				continue
			}
			break
		}
		head[i] = h
	}
	all := append([][]string{head}, g.rows...)
	widths := make([]int, len(head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	if width > 0 {
		shrink(widths, elastic, width)
	}
	lines := make([]string, len(all))
	for n, row := range all {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString(gap)
			}
			cell = Cut(cell, widths[i])
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if right[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString(cell)
		}
		lines[n] = strings.TrimRight(b.String(), " ")
		if width > 0 {
			lines[n] = Cut(lines[n], width)
		}
	}
	return lines
}

// shrink takes cells from the widest column that gives way until the table fits.
func shrink(widths []int, elastic []bool, width int) {
	total := (len(widths) - 1) * len(gap)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, w := range widths {
			if elastic[i] && w > least && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// Write writes the table.
func (g *Grid) Write(w io.Writer, width int) error {
	_, err := io.WriteString(w, strings.Join(g.Lines(width), "\n")+"\n")
	return err
}

// Width is how many cells a text takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut makes a text at most width cells wide.
func Cut(s string, width int) string {
	if width < 1 {
		return ""
	}
	return ansi.Truncate(s, width, ellipsis)
}

// Clean makes a text one line without what could move the cursor, hide text or turn it around.
func Clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "·")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r', unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return '·'
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// CleanLines is Clean for a text of several lines; at most limit of them, from the end.
func CleanLines(s string, limit int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		lines = append(lines, Clean(line))
	}
	if len(lines) > limit {
		lines = lines[len(lines)-limit:]
	}
	return lines
}

// Wrap breaks a text at blanks into lines of at most width cells.
func Wrap(s string, width int) []string {
	if width < 1 {
		return []string{s}
	}
	return strings.Split(ansi.Wrap(s, width, ""), "\n")
}

// Count writes a number with thousands separators.
func Count(n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
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

// Short writes a number in at most five characters: 999, 12.3k, 456k, 7.8M.
func Short(n int64) string {
	for _, unit := range [...]struct {
		size int64
		name string
	}{{1_000_000_000, "G"}, {1_000_000, "M"}, {1_000, "k"}} {
		// What rounds up to the next unit is written in the next unit.
		switch v := float64(n) / float64(unit.size); {
		case v >= 99.95:
			return strconv.FormatFloat(v, 'f', 0, 64) + unit.name
		case v >= 0.9995 && unit.size > 1_000 || v >= 1:
			return strconv.FormatFloat(v, 'f', 1, 64) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Dollars writes USD: four decimals below one dollar, two above.
func Dollars(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Number writes a weight or a makespan: no decimals where there are none.
func Number(v float64) string {
	return strconv.FormatFloat(float64(int64(v*100+0.5))/100, 'f', -1, 64)
}

// Size writes bytes.
func Size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	if i == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[i]
}

// Span writes a duration: 8s, 3m05s, 20m, 2h07m.
func Span(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	two := func(n int64) string {
		if n < 10 {
			return "0" + strconv.FormatInt(n, 10)
		}
		return strconv.FormatInt(n, 10)
	}
	h, m, s := int64(d/time.Hour), int64(d/time.Minute)%60, int64(d/time.Second)%60
	switch {
	case h > 0 && m == 0:
		return strconv.FormatInt(h, 10) + "h"
	case m > 0 && h == 0 && s == 0:
		return strconv.FormatInt(m, 10) + "m"
	case h > 0:
		return strconv.FormatInt(h, 10) + "h" + two(m) + "m"
	case m > 0:
		return strconv.FormatInt(m, 10) + "m" + two(s) + "s"
	}
	return strconv.FormatInt(s, 10) + "s"
}

// Plural is "1 task", "2 tasks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
