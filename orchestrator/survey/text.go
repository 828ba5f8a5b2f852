package survey

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text writes the inventory for a prompt, in at most maxBytes: the totals first, then build files, entry points, natural modules,
// folders and imports, each as far as there is room; what is left out is counted. Names are quoted where they could be mistaken
// for something else.
func (inv Inventory) Text(maxBytes int) string {
	w := &writer{left: maxBytes}
	w.line("%s, %s of program text, %s", plural(inv.Files, "file"), plural(inv.Lines, "line"), plural(inv.Tests, "test file"))
	if langs := languages(inv.Languages, inv.Lines, 8); langs != "" {
		w.line("Languages: %s", langs)
	}
	if left := inv.Skipped.String(); left != "" {
		w.line("Left out: %s", left)
	}
	for _, n := range inv.Notes {
		w.line("Note: %s", n)
	}
	w.part("Build files:", len(inv.Builds), maxBytes/12, func(i int) string { return "- " + name(inv.Builds[i]) })
	w.part("Entry points:", len(inv.Entries), maxBytes/12, func(i int) string { return "- " + name(inv.Entries[i]) })
	w.part("Natural modules (name, folder, size, measured weight):", len(inv.Modules), maxBytes/3, func(i int) string {
		m := inv.Modules[i]
		s := fmt.Sprintf("- %s in %s: %s in %s, %s, %s, weight %g", m.Name, name(m.Path), plural(m.Lines, "line"), plural(m.Files, "file"), plural(m.Tests, "test file"), m.Main, m.Weight)
		if len(m.Uses) > 0 {
			s += "; imports " + strings.Join(m.Uses[:min(len(m.Uses), 12)], ", ")
		}
		return s
	})
	w.part("Folders (lines, files, tests):", len(inv.Folders), w.left*3/5, func(i int) string {
		f := inv.Folders[i]
		return strings.TrimSuffix(fmt.Sprintf("- %s: %d, %d, %d %s", name(f.Path), f.Lines, f.Files, f.Tests, languages(f.Languages, 0, 3)), " ")
	})
	w.part("Imports between folders (importing files):", len(inv.Edges), w.left, func(i int) string {
		e := inv.Edges[i]
		return fmt.Sprintf("- %s → %s (%d)", name(e.From), name(e.To), e.Count)
	})
	return w.String()
}

// String lists what was left out, "" for nothing.
func (s Skipped) String() string {
	var words []string
	for _, x := range [...]struct {
		n    int
		what string
	}{{s.Vendored, "vendored"}, {s.Generated, "generated"}, {s.Binary, "binary"}, {s.Links, "links"}, {s.Large, "too large to read"}, {s.Odd, "unreadable"}} {
		if x.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(words, ", ")
}

// writer writes whole lines while there is room.
type writer struct {
	strings.Builder
	left int
}

func (w *writer) line(format string, args ...any) bool {
	s := fmt.Sprintf(format, args...) + "\n"
	if len(s) > w.left {
		return false
	}
	w.left -= len(s)
	w.WriteString(s)
	return true
}

// reserve is room for the line that counts what is left out.
const reserve = 32

// part writes a list under a title, in at most room bytes.
func (w *writer) part(title string, n, room int, item func(i int) string) {
	if n == 0 || len(title)+reserve+1 > min(room, w.left) {
		return
	}
	room = min(room, w.left)
	spare := w.left - room
	w.line("%s", title)
	for i := range n {
		s := item(i)
		if w.left-len(s)-1 < spare+reserve && (i < n-1 || w.left-len(s)-1 < spare) {
			w.line("… and %d more", n-i)
			return
		}
		w.line("%s", s)
	}
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func languages(list []Language, total, most int) string {
	var words []string
	for i, l := range list {
		switch {
		case i == most:
			words = append(words, fmt.Sprintf("%d more", len(list)-most))
		case i > most:
		case total > 0:
			words = append(words, fmt.Sprintf("%s %d %%", l.Name, (100*l.Lines+total/2)/total))
		default:
			words = append(words, l.Name)
		}
	}
	return strings.Join(words, ", ")
}

// name writes a path: quoted when it holds more than letters, digits and what paths are made of, and bounded.
func name(p string) string {
	const long = 160
	if len(p) > long {
		cut := len(p) - long
		for cut < len(p) && !utf8.RuneStart(p[cut]) {
			cut++
		}
		p = "…" + p[cut:]
	}
	for _, r := range p {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r < 128 && !strings.ContainsRune("/._-@+()=,~", r) {
			return strconv.Quote(p)
		}
	}
	return p
}
