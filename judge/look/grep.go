package look

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/judge/change"
)

// Bounds of a search.
const (
	maxLine  = 2000      // bytes of a line that a place tells of: longer ones are no text that a person wrote
	maxAsked = 300       // words that git is asked for at once: its memory grows with what they come to together
	maxIndex = 24 << 20  // bytes of the project that are read where there are more
	maxTexts = 512 << 10 // bytes of one file among them
	batch    = 4 << 20   // bytes that are read at once
)

// Somewhere is the path of a place that stands for the part of a project that was not searched: a word that is found only there
// may be anywhere, and is not "nowhere".
const Somewhere = "?"

// Grep implements change.Tree. A search that did not see all of the project gives each word that it did not find a place of path
// Somewhere.
func (t *tree) Grep(words []string, limit int) map[string][]change.Place {
	if t.found == nil {
		t.found = map[string][]change.Place{}
	}
	var ask []string
	for _, w := range words {
		if _, known := t.found[w]; !known && w != "" {
			ask = append(ask, w)
			t.found[w] = nil
		}
	}
	if len(ask) > 0 {
		whole := t.search(ask)
		for _, w := range ask {
			if !whole && len(t.found[w]) == 0 {
				t.found[w] = []change.Place{{Path: Somewhere}}
			}
		}
	}
	out := make(map[string][]change.Place, len(words))
	for _, w := range words {
		if p := t.found[w]; len(p) > 0 {
			out[w] = p[:min(len(p), limit)]
		}
	}
	return out
}

// search fills in where words are, and reports whether it saw the whole project.
func (t *tree) search(ask []string) (whole bool) {
	asked := make(map[string]bool, len(ask))
	plain := true
	for _, w := range ask {
		asked[w] = true
		plain = plain && isWord(w)
	}
	if len(ask) > maxAsked && plain {
		return t.index(asked)
	}
	whole = true
	for len(ask) > 0 {
		n := min(len(ask), maxAsked)
		lines, err := t.repo.Grep(t.ctx, t.objs, t.oid, ask[:n])
		whole = whole && err == nil
		for _, l := range lines {
			if place := (change.Place{Path: l.Path, Line: l.N, Text: l.Text}); plain {
				t.note(place, asked)
			} else if len(l.Text) <= maxLine { // phrases and names with marks: git has found them, and they are few
				for _, w := range ask[:n] {
					if strings.Contains(l.Text, w) {
						t.found[w] = append(t.found[w], place)
					}
				}
			}
		}
		ask = ask[n:]
	}
	return whole
}

// note keeps a line for every word that was asked for and stands on it.
func (t *tree) note(place change.Place, asked map[string]bool) {
	if len(place.Text) > maxLine {
		return
	}
	var seen []string
words:
	for _, w := range change.Words(place.Text) {
		if !asked[w] {
			continue
		}
		for _, s := range seen {
			if s == w {
				continue words
			}
		}
		seen = append(seen, w)
		t.found[w] = append(t.found[w], place)
	}
}

// index reads the project's texts and looks for very many words at once.
func (t *tree) index(asked map[string]bool) (whole bool) {
	t.list()
	whole = true
	var oids []string
	paths := map[string][]string{}
	size, total := int64(0), int64(0)
	flush := func() {
		got, err := t.repo.Blobs(t.ctx, t.objs, oids)
		whole = whole && err == nil
		for _, oid := range oids {
			text, ok := got[oid]
			if !ok || changeset.IsBinary(text) {
				continue
			}
			for _, p := range paths[oid] {
				n := 0
				for line := range strings.Lines(string(text)) {
					n++
					t.note(change.Place{Path: p, Line: n, Text: strings.TrimRight(line, "\r\n")}, asked)
				}
			}
		}
		oids, size = oids[:0], 0
		clear(paths)
	}
	for _, e := range t.entries {
		switch {
		case e.Size < 0 || e.Mode == "120000" || binaryName(e.Path):
			continue
		case e.Size > maxTexts || total+e.Size > maxIndex:
			whole = false
			continue
		}
		total += e.Size
		if len(paths[e.OID]) == 0 {
			oids = append(oids, e.OID)
			size += e.Size
		}
		paths[e.OID] = append(paths[e.OID], e.Path)
		if size > batch {
			flush()
		}
	}
	flush()
	return whole
}

func isWord(w string) bool {
	words := change.Words(w)
	return len(words) == 1 && words[0] == w
}
