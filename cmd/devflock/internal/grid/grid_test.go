package grid_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
)

func TestATableFitsItsScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{0, 40, 60, 80, 200} {
		g := grid.New("*Name", ">N", "*Text")
		g.Row("日本語のとても長い名前の模様", "12", strings.Repeat("word ", 30))
		g.Row("short", "3", "")
		for i, line := range g.Lines(width) {
			if width > 0 && grid.Width(line) > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d, line %d is %d wide: %q", width, i, grid.Width(line), line)
			}
		}
	}
	g := grid.New("A", ">B")
	g.Row("x", "1")
	g.Row("yyy", "22")
	if got, want := strings.Join(g.Lines(0), "|"), "A     B|x     1|yyy  22"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCleanTakesOutWhatMovesTheCursorOrLies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\tc\r\nd": "a b c d", "\x1b[31mred\x1b[0m": "·[31mred·[0m", "a\u202egnp.exe": "a·gnp.exe", "x\xffy": "x·y", "\u200bz": "·z", "a\u2028b": "a b", " a  b ": "a b", "\x1b]8;;http://x\x07link": "·]8;;http://x·link",
	} {
		if got := grid.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[2J", 5)
	f.Fuzz(func(t *testing.T, s string, width int) {
		got := grid.Clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if width = width % 200; width > 0 {
			if cut := grid.Cut(got, width); grid.Width(cut) > width {
				t.Errorf("Cut(%q, %d) = %q, %d wide", got, width, cut, grid.Width(cut))
			}
		}
	})
}

func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 12_345: "12.3k", 99_949: "99.9k", 456_789: "457k", 999_400: "999k", 999_600: "1.0M", 7_800_000: "7.8M", 123_000_000: "123M", 2_000_000_000: "2.0G"} {
		if got := grid.Short(n); got != want {
			t.Errorf("Short(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{-time.Second: "0s", 8 * time.Second: "8s", 65 * time.Second: "1m05s", 20 * time.Minute: "20m", 2*time.Hour + 7*time.Minute + 5*time.Second: "2h07m", 3 * time.Hour: "3h"} {
		if got := grid.Span(d); got != want {
			t.Errorf("Span(%s) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", -1234: "-1,234", 1_234_567: "1,234,567"} {
		if got := grid.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 5 << 20: "5.0 MiB", 3 << 40: "3.0 TiB"} {
		if got := grid.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
	for v, want := range map[float64]string{1: "1", 2.5: "2.5", 0.333333: "0.33"} {
		if got := grid.Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
	if got := grid.Dollars(0.01234) + " " + grid.Dollars(12.345); got != "0.0123 12.35" && got != "0.0123 12.34" {
		t.Error(got)
	}
}
