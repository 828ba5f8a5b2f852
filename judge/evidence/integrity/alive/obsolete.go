package alive

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/units"
)

// isCode reports whether a changed file is code that tests exercise.
func isCode(f *change.File) bool {
	return !f.IsTest() && f.Kind != layout.Doc && f.Kind != layout.Generated && (f.Lang != "" || f.Kind == layout.Config)
}

// vanished are the words that code files lost altogether in this change.
func (x *Index) vanished() map[string]bool {
	if x.lost != nil {
		return x.lost
	}
	x.lost = map[string]bool{}
	for _, f := range x.c.Files {
		if !isCode(f) || f.Before == nil {
			continue
		}
		inside := testLines(f.Before)
		for i := range f.Before.Tokens {
			t := &f.Before.Tokens[i]
			if t.Kind == source.Op || !f.TouchedOld(int(t.Line), int(t.Line)) || inside(int(t.Line)) {
				continue
			}
			text := f.Before.Text(i)
			if t.Kind == source.String && strings.Contains(text, " ") {
				continue // prose
			}
			for _, w := range change.Words(text) {
				if len(w) > 2 && !keyword(w) {
					x.lost[w] = true
				}
			}
		}
	}
	if len(x.lost) == 0 {
		return x.lost
	}
	for _, f := range x.c.Files {
		if f.After == nil || f.Kind == layout.Doc || f.Kind == layout.Generated {
			continue
		}
		for i := range f.After.Tokens {
			if f.After.Kind(i) == source.Op {
				continue
			}
			for _, w := range change.Words(f.After.Text(i)) {
				delete(x.lost, w)
			}
		}
	}
	return x.lost
}

// obsolete lists names that a test used and that are gone from the project.
func (x *Index) obsolete(e *entry) []string {
	if e.file == nil {
		return nil
	}
	var words []string
	lost := x.vanished()
	for w := range e.words {
		if lost[w] {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	if len(words) > 0 && x.c.Now != nil {
		still := x.c.Now.Grep(words, 500)
		words = slices.DeleteFunc(words, func(w string) bool {
			return slices.ContainsFunc(still[w], func(p change.Place) bool {
				k := layout.Classify(p.Path)
				return k != layout.Doc && k != layout.Generated && source.Of(p.Path) != ""
			})
		})
	}
	if len(words) == 0 {
		words = x.packages(e)
	}
	if len(words) == 0 {
		words = x.unsaid(e)
	}
	if len(words) == 0 && e.file.After == nil {
		words = x.folder(e)
	}
	return words
}

// packages lists names of a test that its file imported from a package which a manifest does not name any more.
func (x *Index) packages(e *entry) []string {
	if e.file.Before == nil {
		return nil
	}
	dropped := map[string]bool{}
	for _, f := range x.c.Files {
		if f.Kind != layout.Config {
			continue
		}
		for _, l := range f.Removed {
			if name := quoted(l.Text); len(name) > 1 {
				dropped[name] = true
			}
			if name := grouped(l.Text); name != "" {
				dropped[name] = true
			}
		}
		for _, l := range f.Added {
			delete(dropped, quoted(l.Text))
			delete(dropped, grouped(l.Text))
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	var out []string
	u := e.file.Before
	for i := range u.Tokens {
		if u.Lang == source.Java && u.Is(i, "import") && u.Tokens[i].First {
			out = append(out, x.imported(e, i, dropped)...)
		}
		if u.Kind(i) != source.String || !dropped[u.Unquote(i)] {
			continue
		}
		for k := i - 1; k >= 0 && u.Tokens[k].Line == u.Tokens[i].Line; k-- {
			if w := u.Text(k); u.Kind(k) == source.Name && e.words[w] > 0 && !keyword(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// imported is the name that an import of Java at token i gives a test, if it comes from a package that was dropped and the
// present file does not import it any more.
func (x *Index) imported(e *entry, i int, dropped map[string]bool) []string {
	u := e.file.Before
	for i++; u.Is(i, "static"); i++ {
	}
	spec := ""
	for ; i < len(u.Tokens) && !u.Is(i, ";"); i++ {
		spec += u.Text(i)
		if !dropped[spec] {
			continue
		}
		end := i
		for end+1 < len(u.Tokens) && !u.Is(end+1, ";") {
			end++
		}
		name := u.Text(end)
		if e.words[name] == 0 || e.file.After != nil && strings.Contains(e.file.After.Src, "import static "+spec+".") {
			return nil
		}
		return []string{name}
	}
	return nil
}

// grouped is the group of a dependency in a pom.
func grouped(line string) string {
	_, rest, _ := strings.Cut(line, "<groupId>")
	name, _, _ := strings.Cut(rest, "</groupId>")
	return strings.TrimSpace(name)
}

// unsaid lists the messages that a test expects, which code said and does not say any more, while it says nothing new in
// the same file.
func (x *Index) unsaid(e *entry) []string {
	const least = 12
	var out []string
	f := e.test.File()
	for i := e.test.From; i < e.test.To; i++ {
		if i == e.test.From && e.test.Call != "" || f.Kind(i) == source.Op || f.Kind(i) == source.Name {
			continue
		}
		text := strings.Trim(f.Text(i), "\"'`/")
		if len(text) < least || !strings.Contains(text, " ") {
			continue
		}
		for _, said := range x.messages() {
			if strings.Contains(text, said) || strings.Contains(said, text) {
				out = append(out, said)
			}
		}
	}
	return out
}

// messages are the texts of several words that code said and that stand nowhere in the changed files any more, of files
// that say nothing new.
func (x *Index) messages() []string {
	if x.said != nil {
		return x.said
	}
	x.said = []string{}
	const least = 12
	for _, f := range x.c.Files {
		if !isCode(f) || f.Before == nil || f.Lang == "" || f.After == nil {
			continue
		}
		list := prose(f.Before, f.TouchedOld, least)
		if len(list) == 0 || len(prose(f.After, f.Touched, least)) > 0 {
			continue
		}
		for _, said := range list {
			if !strings.Contains(f.After.Src, said) {
				x.said = append(x.said, said)
			}
		}
	}
	return x.said
}

// prose lists the string literals of several words on the touched lines of a file, those of its tests left out.
func prose(u *units.File, touched func(from, to int) bool, least int) []string {
	var out []string
	inside := testLines(u)
	for i := range u.Tokens {
		line := int(u.Tokens[i].Line)
		if u.Kind(i) != source.String || !touched(line, line) || inside(line) {
			continue
		}
		if text := u.Unquote(i); len(text) >= least && strings.Contains(text, " ") {
			out = append(out, text)
		}
	}
	return out
}

// quoted is the first quoted part of a line, without quotes.
func quoted(line string) string {
	i := strings.IndexAny(line, `"'`)
	if i < 0 {
		return ""
	}
	rest := line[i+1:]
	if k := strings.IndexByte(rest, line[i]); k > 0 {
		return rest[:k]
	}
	return ""
}

// folder says which source went together with a test file: the one that it is named after, or its whole folder.
func (x *Index) folder(e *entry) []string {
	old := e.file.OldPath
	lang := source.Of(old)
	for _, f := range x.c.Files {
		if f.Deleted() && isCode(f) && f.Lang != "" && layout.SameStem(lang, layout.Stem(old), layout.Stem(f.OldPath)) {
			return []string{f.OldPath}
		}
	}
	if x.c.Now == nil {
		return nil
	}
	for dir := path.Dir(old); dir != "." && dir != "/"; dir = path.Dir(dir) {
		base := path.Base(dir)
		if !x.c.Now.Has(dir) && x.codeBelow(dir) && base != "test" && base != "tests" {
			return []string{dir}
		}
	}
	return nil
}

// codeBelow reports whether code below a folder was deleted.
func (x *Index) codeBelow(dir string) bool {
	for _, f := range x.c.Files {
		if f.Deleted() && isCode(f) && f.Lang != "" && strings.HasPrefix(f.OldPath, dir+"/") {
			return true
		}
	}
	return false
}

// touched lists what ties a test to code that this change took away, though not altogether: words that the changed code
// lost, and lines of code that it took away or replaced and that speak of what the test is named after.
func (x *Index) touched(e *entry) []string {
	var out []string
	lost := x.vanished()
	for w := range e.words {
		if lost[w] && len(w) >= 4 && x.often[w] <= 3 {
			out = append(out, w)
		}
	}
	out = append(out, x.changedHelpers(e)...)
	topics := x.topics(e)
	for w := range x.changedWords() {
		if topics[w] {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// topics are the words of a test's name that few tests of its file share.
func (x *Index) topics(e *entry) map[string]bool {
	out := map[string]bool{}
	for _, w := range subwords(e.test.Name) {
		if len(w) >= 5 && w != "tests" {
			out[w] = true
		}
	}
	others, shared := 0, map[string]int{}
	for _, o := range x.old {
		if o.file != e.file || o == e {
			continue
		}
		others++
		seen := map[string]bool{}
		for _, w := range subwords(o.test.Name) {
			if out[w] && !seen[w] {
				seen[w] = true
				shared[w]++
			}
		}
	}
	for w, n := range shared {
		if 4*n > others {
			delete(out, w)
		}
	}
	return out
}

// much is the share of the places that speak of something that a change must take away or replace to be about it; source:
// docs/judge-quality.md.
const much = 0.3

// changedWords are the parts of names, and the words of comments, of which this change took away or replaced much.
func (x *Index) changedWords() map[string]bool {
	if x.changed != nil {
		return x.changed
	}
	x.changed = map[string]bool{}
	all, gone := map[string]int{}, map[string]int{}
	for _, f := range x.c.Files {
		if !isCode(f) || f.Before == nil || f.Lang == "" || len(f.Removed) == 0 {
			continue
		}
		inside := testLines(f.Before)
		removed := map[int]bool{}
		for _, l := range f.Removed {
			removed[l.N] = true
		}
		n := 0
		for line := range strings.Lines(f.Before.Src) {
			n++
			if inside(n) {
				continue
			}
			for _, w := range subwords(line) {
				if len(w) < 5 {
					continue
				}
				if all[w]++; removed[n] {
					gone[w]++
				}
			}
		}
	}
	for w, n := range gone {
		if float64(n) >= much*float64(all[w]) {
			x.changed[w] = true
		}
	}
	return x.changed
}

// changedHelpers lists the functions of test files that a test called and that take more or fewer parameters now.
func (x *Index) changedHelpers(e *entry) []string {
	var out []string
	calls := callees(e.test)
	for _, p := range x.c.Funcs() {
		if p.Before == nil || p.After == nil || !p.Old.IsTest() || !calls[p.Before.Name] {
			continue
		}
		if len(p.After.Params) != len(p.Before.Params) {
			out = append(out, p.Before.Name)
		}
	}
	return out
}

// testLines says which lines of a file belong to tests inside source: the tests themselves and, in Rust, the modules that
// are compiled for tests only.
func testLines(u *units.File) func(line int) bool {
	type span struct{ from, to int }
	var spans []span
	for _, t := range u.Tests() {
		spans = append(spans, span{t.First, t.End})
	}
	for i := range u.Tokens {
		if u.Lang != source.Rust || !u.Is(i, "cfg") || !u.Is(i+1, "(") || !u.Is(i+2, "test") {
			continue
		}
		for k := i; k < i+12; k++ {
			if u.Is(k, "mod") && u.Is(k+2, "{") {
				spans = append(spans, span{u.TokenLine(i), u.TokenLine(u.Close(k + 2))})
			}
		}
	}
	return func(line int) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.from <= line && line <= s.to })
	}
}

// subwords splits a name where its case changes and at what is no letter, and lowers the parts.
func subwords(name string) []string {
	var out []string
	start := 0
	cut := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(name[start:i]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case !upper && (c < 'a' || c > 'z') && c < 0x80:
			cut(i)
			start = i + 1
		case upper && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			cut(i)
			start = i
		case !upper && i > start+1 && name[i-1] >= 'A' && name[i-1] <= 'Z':
			cut(i - 1)
			start = i - 1
		}
	}
	cut(len(name))
	return out
}

func sorted(hits map[string]int) []string {
	var out []string
	for p := range hits {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b string) int {
		if n := hits[b] - hits[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return out
}
