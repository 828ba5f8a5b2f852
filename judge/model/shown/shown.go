// Package shown makes of a patch the text that a model is shown, within bounds, and finds quotations in it again.
//
// What is too long is cut in the middle, what nobody reads is listed by name only, and secrets are taken out. A quotation
// counts only when it stands word for word in what was shown; its place is a line of the present file. The package owns no
// table, starts no process and is pure.
package shown

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm/fence"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Bounds of a whole patch and of one file in it, in bytes.
const (
	MaxTotal = 160 << 10
	MaxFile  = 24 << 10
	leastCut = 400 // a file that would be cut below this is only listed
	maxLines = 200_000
)

// Diff is a patch as it is shown.
type Diff struct {
	Text   string
	Cut    []string // paths of files that are not shown whole
	Listed []string // paths of files of which only the name is shown
	pieces []piece
}

// piece is the part of one file.
type piece struct {
	path  string // present path, or the former one of a deleted file
	text  string // as it is shown
	lines []line
}

type line struct {
	sign byte // ' ', '+' or '-'
	n    int  // in the present file; of a removed line the present line that stands there now
	text string
}

// Of reads a patch with the bounds of the contract.
func Of(patch []byte) Diff { return Within(patch, MaxTotal, MaxFile) }

// Within reads a patch with other bounds.
func Within(patch []byte, total, perFile int) Diff {
	var d Diff
	budget := maxLines
	for _, raw := range split(patch) {
		p := parse(raw, &budget)
		switch {
		case p.path == "":
			continue
		case bytes.Contains(raw, []byte("\nGIT binary patch\n")), bytes.Contains(raw, []byte("\nBinary files ")), unread(p.path):
			d.Listed = append(d.Listed, p.path)
			p.text, p.lines = "", nil
		default:
			p.redact(strings.ToValidUTF8(string(raw), "?"))
		}
		d.pieces = append(d.pieces, p)
	}
	level := min(perFile, waterLevel(d.pieces, total, perFile))
	var b strings.Builder
	for i := range d.pieces {
		p := &d.pieces[i]
		if p.text == "" {
			continue
		}
		if len(p.text) > level && level < leastCut {
			d.Listed = append(d.Listed, p.path)
			p.text, p.lines = "", nil
			continue
		}
		text, cut := fence.Middle(p.text, level)
		if cut {
			d.Cut = append(d.Cut, p.path)
		}
		p.text = text
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	d.Text = b.String() + listing(d.Listed)
	return d
}

// maxRedacted bounds the text of one file that is looked through for secrets; of a longer one the two ends are.
const maxRedacted = 1 << 20

// redact takes secrets out of the text that is shown, and out of the lines where there are any.
func (p *piece) redact(raw string) {
	raw, _ = fence.Middle(raw, maxRedacted)
	p.text = redact.String(raw)
	if p.text == raw {
		return
	}
	for i := range p.lines {
		p.lines[i].text = redact.String(p.lines[i].text)
	}
}

// unread tells files whose contents nobody writes by hand. Migrations are run once but are written, and read.
func unread(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	switch base {
	case "go.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "composer.lock", "Gemfile.lock", "bun.lockb":
		return true
	}
	if strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".min.css") {
		return true
	}
	return layout.Classify(path) == layout.Generated && !strings.Contains("/"+path, "/migrations/")
}

// maxListed bounds the list of names.
const maxListed = 100

func listing(names []string) string {
	if len(names) == 0 {
		return ""
	}
	more := ""
	if len(names) > maxListed {
		more = fmt.Sprintf(" and %d more", len(names)-maxListed)
		names = names[:maxListed]
	}
	return "Changed as well, contents not shown: " + strings.Join(names, ", ") + more + "\n"
}

// waterLevel is the greatest length to which the longest pieces have to be cut so that all fit into total.
func waterLevel(pieces []piece, total, perFile int) int {
	lengths := make([]int, 0, len(pieces))
	for _, p := range pieces {
		lengths = append(lengths, min(len(p.text), perFile))
	}
	slices.Sort(lengths)
	room := total
	for i, n := range lengths {
		left := len(lengths) - i
		if n*left > room {
			return room / left
		}
		room -= n
	}
	return total
}

// Paths are those of all files, in the order of the patch.
func (d Diff) Paths() []string {
	out := make([]string, 0, len(d.pieces))
	for _, p := range d.pieces {
		out = append(out, p.path)
	}
	return out
}

// Around gives the part of the patch about a line of a file, at most limit bytes; the beginning of the file's part when the
// line is in none of its hunks, "" when the file is not there.
func (d Diff) Around(path string, n, limit int) string {
	for _, p := range d.pieces {
		if p.path != path || len(p.lines) == 0 {
			continue
		}
		at, best := 0, -1
		for i, l := range p.lines {
			if away := max(l.n-n, n-l.n); best < 0 || away < best {
				at, best = i, away
			}
		}
		from, to, size := at, at, 0
		for grew := true; grew; {
			grew = false
			if from > 0 && size+len(p.lines[from-1].text)+2 <= limit {
				from--
				size += len(p.lines[from].text) + 2
				grew = true
			}
			if to < len(p.lines) && size+len(p.lines[to].text)+2 <= limit {
				size += len(p.lines[to].text) + 2
				to++
				grew = true
			}
		}
		var b strings.Builder
		for _, l := range p.lines[from:to] {
			b.WriteByte(l.sign)
			b.WriteString(l.text)
			b.WriteByte('\n')
		}
		return b.String()
	}
	return ""
}

// split cuts a patch into the parts of its files. Hunk lengths are counted, so a removed line that looks like a heading is
// none.
func split(patch []byte) [][]byte {
	var parts [][]byte
	start, old, now := -1, 0, 0
	unnamed := false // the part is one of git's and has not come to its names yet
	for at := 0; at < len(patch); {
		end := len(patch)
		if k := bytes.IndexByte(patch[at:], '\n'); k >= 0 {
			end = at + k + 1
		}
		l := patch[at:end]
		git := bytes.HasPrefix(l, []byte("diff --git "))
		names := bytes.HasPrefix(l, []byte("--- ")) && bytes.HasPrefix(patch[end:], []byte("+++ "))
		switch {
		case (old > 0 || now > 0) && strings.IndexByte(" +-\\\r\n", l[0]) >= 0:
			if l[0] != '+' && l[0] != '\\' {
				old--
			}
			if l[0] != '-' && l[0] != '\\' {
				now--
			}
		case bytes.HasPrefix(l, []byte("@@ ")):
			_, old, _, now = hunk(string(l))
		case names && unnamed:
			unnamed = false
		case git, names:
			if start >= 0 {
				parts = append(parts, patch[start:at])
			}
			start, old, now, unnamed = at, 0, 0, git
		}
		at = end
	}
	if start >= 0 {
		parts = append(parts, patch[start:])
	}
	return parts
}

// hunk reads "@@ -a,b +c,d @@".
func hunk(l string) (oldStart, oldLen, newStart, newLen int) {
	fields := strings.Fields(l)
	if len(fields) < 3 {
		return 0, 0, 0, 0
	}
	pair := func(s string) (int, int) {
		a, b, both := strings.Cut(strings.TrimLeft(s, "-+"), ",")
		start, _ := strconv.Atoi(a)
		if !both {
			return start, 1
		}
		n, _ := strconv.Atoi(b)
		return start, n
	}
	oldStart, oldLen = pair(fields[1])
	newStart, newLen = pair(fields[2])
	return oldStart, oldLen, newStart, newLen
}

// parse reads the part of one file: its path and its lines, as far as the budget of lines goes.
func parse(raw []byte, budget *int) piece {
	var p piece
	old, now, n := 0, 0, 0
	for l := range strings.Lines(strings.ToValidUTF8(string(raw), "?")) {
		l = strings.TrimRight(l, "\r\n")
		if old > 0 || now > 0 {
			sign, text := byte(' '), l
			if l != "" {
				sign, text = l[0], l[1:]
			}
			if sign == '\\' {
				continue
			}
			if *budget--; *budget >= 0 {
				p.lines = append(p.lines, line{sign, max(n, 1), text})
			}
			if sign != '+' {
				old--
			}
			if sign != '-' {
				now--
				n++
			}
			continue
		}
		switch {
		case strings.HasPrefix(l, "@@ "):
			_, old, n, now = hunk(l)
		case strings.HasPrefix(l, "diff --git ") && p.path == "":
			if i := strings.LastIndex(l, " b/"); i >= 0 {
				p.path = l[i+3:]
			}
		case strings.HasPrefix(l, "rename to "):
			p.path = unquote(l[len("rename to "):])
		case strings.HasPrefix(l, "--- "):
			if name := name(l[4:], "a/"); name != "" {
				p.path = name
			}
		case strings.HasPrefix(l, "+++ "):
			if name := name(l[4:], "b/"); name != "" {
				p.path = name
			}
		}
	}
	return p
}

// name takes a path from a heading line, "" for /dev/null.
func name(s, prefix string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = unquote(s)
	if s == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(s, prefix)
}

func unquote(s string) string {
	if strings.HasPrefix(s, `"`) {
		if plain, err := strconv.Unquote(s); err == nil {
			return plain
		}
	}
	return s
}
