package review

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge"
)

// Hint is what a person can do about an error of Run or ReadPatch; empty when there is nothing to say.
func Hint(err error) string {
	switch {
	case errors.Is(err, gitx.ErrNoRepo):
		return "cd into a git repository, or devflow judge --diff FILE"
	case errors.Is(err, gitx.ErrNoRev):
		return "name a commit that is here (git log --oneline); in a shallow clone: git fetch --unshallow"
	case errors.Is(err, gitx.ErrTooLarge):
		return "judge less at once: devflow judge --diff FILE"
	case errors.Is(err, diff.ErrNoPatch):
		return "hand in what git diff, git format-patch or diff -u prints"
	}
	return ""
}

// Colours of a terminal; empty strings without one.
type Colours struct{ Red, Yellow, Green, Bold, Dim, Reset string }

// Terminal are the colours of a terminal.
func Terminal() Colours {
	return Colours{Red: "\x1b[31;1m", Yellow: "\x1b[33;1m", Green: "\x1b[32;1m", Bold: "\x1b[1m", Dim: "\x1b[2m", Reset: "\x1b[0m"}
}

// Look is how a verdict is shown.
type Look struct {
	Colours
	Width int // of the screen; 0: no line is broken, so that programs for lines can read them
}

// maxWidth is the widest text that is pleasant to read, minWidth the narrowest that is tried.
const maxWidth, minWidth = 100, 40

// indent of what is said about a finding.
const indent = "      "

// Text writes the verdict for eyes: what fails first, and there one file after the other. With many findings the verdict
// stands at the end again, where a person who scrolled is.
func (r Report) Text(w io.Writer, l Look) error {
	const screen = 4 // findings
	if l.Width > 0 {
		l.Width = min(max(l.Width, minWidth), maxWidth)
	}
	var b strings.Builder
	l.wrap(&b, r.headline(l)+"  ", "", len(r.Word())+2, r.about())
	for _, x := range r.inOrder() {
		b.WriteByte('\n')
		l.finding(&b, x)
	}
	if len(r.Reasons) > screen {
		b.WriteByte('\n')
		l.wrap(&b, r.headline(l)+"  ", "", len(r.Word())+2, r.counts())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) headline(l Look) string {
	colour := map[string]string{"FAIL": l.Red, "WARN": l.Yellow, "PASS": l.Green}[r.Word()]
	if colour == "" {
		colour = l.Bold
	}
	return colour + strings.ReplaceAll(r.Word(), "_", " ") + l.Reset
}

// inOrder sorts by weight, which the verdict has done, then by file in the order of the heaviest findings, then by line.
func (r Report) inOrder() []judge.Reason {
	list := slices.Clone(r.Reasons)
	first := map[string]int{}
	for i, x := range list {
		if _, known := first[x.File]; !known {
			first[x.File] = i
		}
	}
	weight := func(x judge.Reason) int {
		return slices.Index([]judge.Class{judge.Hard, judge.Blind, judge.Soft, judge.Note}, x.Weight())
	}
	slices.SortStableFunc(list, func(a, b judge.Reason) int {
		if d := weight(a) - weight(b); d != 0 {
			return d
		}
		if d := first[a.File] - first[b.File]; d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return list
}

// counts says how many findings there are of each weight.
func (r Report) counts() string {
	n := map[string]int{}
	for _, x := range r.Reasons {
		n[level(x.Weight())]++
	}
	var list []string
	for _, c := range [...]struct{ level, one, many string }{
		{"FAIL", "finding fails", "findings fail"}, {"COULD_NOT_JUDGE", "could not be judged", "could not be judged"},
		{"WARN", "warning", "warnings"}, {"NOTE", "note", "notes"},
	} {
		switch n[c.level] {
		case 0:
		case 1:
			list = append(list, "1 "+c.one)
		default:
			list = append(list, fmt.Sprintf("%d %s", n[c.level], c.many))
		}
	}
	return strings.Join(list, ", ")
}

// finding writes one: what and where, what is wrong, the line as it stands, what makes it go away.
func (l Look) finding(b *strings.Builder, x judge.Reason) {
	word, colour := "fail", l.Red
	switch x.Weight() {
	case judge.Soft:
		word, colour = "warn", l.Yellow
	case judge.Note:
		word, colour = "note", l.Dim
	case judge.Blind:
		word = "error"
	}
	where := plain(x.File)
	switch {
	case x.File == "":
		where = "the change as a whole"
	case x.Line > 0 && x.Gone:
		where = fmt.Sprintf("%s:%d (deleted)", where, x.Line)
	case x.Line > 0:
		where = fmt.Sprintf("%s:%d", where, x.Line)
	}
	fmt.Fprintf(b, "%s%-5s%s %s%s%s", colour, word, l.Reset, l.Bold, where, l.Reset)
	if x.Rule != "" {
		rule := x.Rule + " (" + string(x.Axis) + ")"
		if l.Width > 0 && len(indent)+len(where)+2+len(rule) > l.Width {
			rule = x.Rule
		}
		if l.Width > 0 && len(indent)+len(where)+2+len(rule) > l.Width {
			b.WriteString("\n" + strings.Repeat(" ", len(indent)-2))
		}
		fmt.Fprintf(b, "  %s%s%s", l.Dim, rule, l.Reset)
	}
	b.WriteByte('\n')
	l.wrap(b, indent, indent, len(indent), plain(x.Text))
	for line := range strings.Lines(x.Evidence) {
		if !strings.Contains(strings.TrimSpace(x.Evidence), "\n") {
			line = strings.TrimSpace(line)
		}
		text := cut(strings.TrimRight(plain(line), " "), l.Width-len(indent)-2)
		fmt.Fprintf(b, "%s%s| %s%s\n", indent, l.Dim, text, l.Reset)
	}
	if x.Fix != "" {
		l.wrap(b, indent+"→ ", indent+"  ", len(indent)+2, plain(x.Fix))
	}
}

// wrap writes a text behind first, which takes up `at` columns, and goes on below each line's beginning with rest.
func (l Look) wrap(b *strings.Builder, first, rest string, at int, text string) {
	b.WriteString(first)
	start := true
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case start:
		case l.Width > 0 && at+1+n > l.Width:
			b.WriteString("\n" + rest)
			at = utf8.RuneCountInString(rest)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, start = at+n, false
	}
	b.WriteByte('\n')
}

// cut bounds a line of code; width below 1 is no bound.
func cut(line string, width int) string {
	runes := []rune(line)
	if width < 1 || len(runes) <= width {
		return line
	}
	return string(runes[:width-1]) + "…"
}

// plain takes out of a text of the project what a terminal would obey, and what turns the direction of reading.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == '\n':
			return -1
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d':
			return '\ufffd'
		}
		return r
	}, text)
}

// about says what was judged.
func (r Report) about() string {
	files := fmt.Sprintf("%d changed files", r.Files)
	if r.Files == 1 {
		files = "1 changed file"
	}
	if r.Read != r.Files {
		files += fmt.Sprintf(", %d read", r.Read)
	}
	switch {
	case r.Partial && r.Outcome == judge.Skipped:
		return "the patch is empty"
	case r.Partial:
		return files + " of a patch; what the rest of the project says was not asked"
	case r.Outcome == judge.Skipped:
		return "nothing differs from " + r.from()
	}
	return files + " against " + r.from()
}

func (r Report) from() string {
	const short = 12
	switch {
	case r.Base == "":
		return "an empty repository"
	case len(r.Base) >= 40:
		return "HEAD " + r.Base[:short]
	}
	return plain(r.Base)
}
