package tdd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Bounds of a search.
const (
	maxRead       = 1 << 20  // bytes of one test that are looked at
	maxDeclared   = 32 << 10 // bytes of an implementation whose declarations are
	maxSearch     = 200      // candidate files of the text search
	maxSearchSize = 2 << 20  // bytes of all of them
)

// How a test was found.
const (
	ViaModule    = "module"    // inside the file itself: Rust's #[cfg(test)]
	ViaSibling   = "sibling"   // by its name next to the file, or in a test directory there
	ViaPackage   = "package"   // Go: another test file of the package that uses the file's names
	ViaMirror    = "mirror"    // by its name at the same place below a test directory
	ViaIndex     = "index"     // by its name elsewhere in the project
	ViaReference = "reference" // it imports the file or uses what it declares
)

// ErrOutside is returned for paths that leave the root.
var ErrOutside = errors.New("outside the project")

// Found is a test that covers a file.
type Found struct {
	Path string // relative to the root, with slashes
	Via  string // one of the constants above
	Stub bool   // it holds no assertion that could fail: it does not count
}

// Finder looks for the tests of files of one project. The repository's root is a hard border. A Finder is not safe for concurrent
// use; it keeps a directory open until Close.
type Finder struct {
	dir   string
	root  *os.Root
	index *Index
	load  func() string
	save  func(string)
}

// NewFinder returns a finder for the project in dir. It opens nothing yet.
func NewFinder(dir string) *Finder { return &Finder{dir: dir} }

// UseIndex gives the finder an index that the caller has kept. Without it the finder builds its own when it first needs one.
func (f *Finder) UseIndex(ix Index) { f.index = &ix }

// KeepIndex lets the finder keep its index between processes: load gives what save was given last, "" when there is nothing. Both
// are called only when an index is needed, which an implementation with a test at a customary place does not.
func (f *Finder) KeepIndex(load func() string, save func(encoded string)) {
	f.load, f.save = load, save
}

// Close closes the directory. The finder can be used again.
func (f *Finder) Close() error {
	if f.root == nil {
		return nil
	}
	err := f.root.Close()
	f.root = nil
	return err
}

// Root opens the project's directory, for BuildIndex and Index.Fresh. It belongs to the finder.
func (f *Finder) Root() (*os.Root, error) {
	if f.root == nil {
		r, err := os.OpenRoot(f.dir)
		if err != nil {
			return nil, fmt.Errorf("open project: %w", err)
		}
		f.root = r
	}
	return f.root, nil
}

// Find looks for a test of the file rel. It stops at the first that holds an assertion; if there is none but a stub, it returns the
// stub. ok is false if there is nothing at all. Errors are ErrOutside and what the file system says about the root; an unreadable
// file below it is passed over.
func (f *Finder) Find(rel string) (found Found, ok bool, err error) {
	rel = path.Clean(strings.TrimPrefix(rel, "./"))
	if path.IsAbs(rel) || rel == ".." || strings.HasPrefix(rel, "../") {
		return Found{}, false, fmt.Errorf("find test of %s: %w", rel, ErrOutside)
	}
	if _, err := f.Root(); err != nil {
		return Found{}, false, fmt.Errorf("find test of %s: %w", rel, err)
	}
	s := search{f: f, rel: rel, dir: path.Dir(rel), lang: LanguageOf(rel), stem: layout.Stem(rel)}
	if s.lang == "" {
		return Found{}, false, nil
	}
	steps := []func() bool{s.module, s.siblings, s.mirrors, s.byIndex, s.byReference}
	if s.lang == source.Go {
		steps = []func() bool{s.siblings, s.goPackage}
	}
	for _, step := range steps {
		if step() {
			return s.found, true, nil
		}
	}
	return s.found, s.found.Path != "", nil
}

// search is one Find.
type search struct {
	f      *Finder
	rel    string
	dir    string
	lang   Lang
	stem   string
	found  Found // best so far: a stub
	decls  []string
	known  bool // decls was filled
	words  map[string]bool
	read   int           // bytes of the tests that were looked at
	beside []fs.DirEntry // Go: what lies next to the file
}

// content reads at most maxRead bytes of a regular file.
func (f *Finder) content(rel string) []byte {
	file, err := regular.OpenIn(f.root, rel)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRead))
	if err != nil {
		return nil
	}
	return data
}

// try looks at one test file and reports whether it counts. accept, if not nil, decides whether it is about the file at all.
func (s *search) try(rel, via string, accept func(*source.File) bool) bool {
	if rel == s.rel {
		return false
	}
	src := s.f.content(rel)
	if src == nil {
		return false
	}
	s.read += len(src)
	lang := LanguageOf(rel)
	if accept != nil && (!s.named(src) || !accepts(lang, src, accept)) {
		return false
	}
	if cases.Any(lang, src) {
		s.found = Found{Path: rel, Via: via}
		return true
	}
	if s.found.Path == "" {
		s.found = Found{Path: rel, Via: via, Stub: true}
	}
	return false
}

// accepts asks accept about the beginning of a file first, where imports stand and names soon occur.
func accepts(lang Lang, src []byte, accept func(*source.File) bool) bool {
	const beginning = 4 << 10
	if len(src) > 2*beginning {
		cut := bytes.LastIndexByte(src[:beginning], '\n') + 1
		if accept(source.Lex(lang, src[:cut])) {
			return true
		}
	}
	return accept(source.Lex(lang, src))
}

// module finds tests inside the file: Rust.
func (s *search) module() bool {
	if s.lang != source.Rust {
		return false
	}
	src := s.f.content(s.rel)
	if !bytes.Contains(src, []byte("#[")) || !cases.Any(s.lang, src) {
		return false
	}
	s.found = Found{Path: s.rel, Via: ViaModule}
	return true
}

// about reports whether a file name is the customary one of a test of this file.
func (s *search) about(base string) bool {
	l := LanguageOf(base)
	return l != "" && layout.Family(s.lang, l) && layout.SameStem(s.lang, layout.Subject(l, base), s.stem)
}

// isDir reports whether there seems to be a directory: a cheap probe, through which nothing is read. What lies behind a symbolic link
// is refused when it is opened.
func (s *search) isDir(rel string) bool {
	info, err := os.Stat(filepath.Join(s.f.dir, filepath.FromSlash(rel)))
	return err == nil && info.IsDir()
}

// list tries the tests in one directory that bear the file's name. In a directory of tests a plain name will do (tests/user.rs).
func (s *search) list(dir, via string, testDir bool) (found bool, entries []fs.DirEntry) {
	if !s.isDir(dir) {
		return false, nil
	}
	entries, err := readDir(s.f.root, dir)
	if err != nil {
		return false, nil
	}
	for _, e := range entries {
		if e.IsDir() || !s.about(e.Name()) {
			continue
		}
		if (testDir || layout.IsTestName(LanguageOf(e.Name()), e.Name())) && s.try(path.Join(dir, e.Name()), via, nil) {
			return true, nil
		}
	}
	return false, entries
}

// siblings looks next to the file and in the test directories beside it.
func (s *search) siblings() bool {
	found, entries := s.list(s.dir, ViaSibling, false)
	if found || s.lang == source.Go {
		s.beside = entries
		return found
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		switch name := e.Name(); name {
		case "__tests__", "tests", "test", "spec":
			found, _ = s.list(path.Join(s.dir, name), ViaSibling, true)
		case s.stem:
			found, _ = s.list(path.Join(s.dir, name), ViaSibling, false)
			// Rust: src/user.rs with src/user/tests.rs
			found = found || s.lang == source.Rust && s.try(path.Join(s.dir, name, "tests.rs"), ViaSibling, nil)
		}
		if found {
			return true
		}
	}
	return false
}

// goPackage accepts any test of the package that uses a name which the file declares.
func (s *search) goPackage() bool {
	for _, e := range s.beside {
		if strings.HasSuffix(e.Name(), "_test.go") && s.try(path.Join(s.dir, e.Name()), ViaPackage, func(t *source.File) bool { return mentions(t, s.declared()) }) {
			return true
		}
	}
	return false
}

// mirrors looks below the test directories of the project and of the package, at the place that mirrors the file's.
func (s *search) mirrors() bool {
	var seen []string
	for d := range s.mirrorDirs {
		if slices.Contains(seen, d) {
			continue
		}
		seen = append(seen, d)
		if found, _ := s.list(d, ViaMirror, true); found {
			return true
		}
	}
	return false
}

// mirrorDirs goes through candidate directories, likely ones first. Their number is bounded by the depth of the path.
func (s *search) mirrorDirs(yield func(string) bool) {
	dirs := s.dirs()
	if sug := Suggest(s.rel); sug != "" && !yield(path.Dir(sug)) {
		return
	}
	for i := 1; i < len(dirs); i++ { // src/main/java, src/commonMain/kotlin
		if dirs[i-1] == "src" && !sets(dirs, i, yield) {
			return
		}
	}
	bases := [][2]int{{0, 0}} // [end of base, start of what is below it]
	for i := range dirs {
		if layout.IsSourceDir(dirs[i]) {
			bases = append(bases, [2]int{i, i + 1})
		}
		if i < 2 && layout.Workspace(dirs[0]) {
			bases = append(bases, [2]int{i + 1, i + 1})
		}
		if i == 0 {
			bases = append(bases, [2]int{0, 1}) // mypkg/a.py → tests/test_a.py
		}
	}
	const most = 8 // source directories in one path
	for _, b := range bases[:min(len(bases), most)] {
		if !s.below(dirs, b[0], b[1], yield) {
			return
		}
	}
}

// sets yields the places of other source sets of Gradle, Maven and sbt: dirs[i] is the name of the file's own set.
func sets(dirs []string, i int, yield func(string) bool) bool {
	for _, set := range [...]string{"test", "androidTest", "commonTest", "jvmTest", "integrationTest", "it"} {
		c := slices.Clone(dirs)
		c[i] = set
		if !yield(path.Join(c...)) {
			return false
		}
		if i+1 == len(c) {
			continue
		}
		for _, l := range [...]string{"java", "kotlin", "scala", "groovy"} { // Kotlin tests of Java code and the like
			c[i+1] = l
			if !yield(path.Join(c...)) {
				return false
			}
		}
	}
	return true
}

// below yields places in the test directories of the base dirs[:end]. The file lies in dirs[start:] below it.
func (s *search) below(dirs []string, end, start int, yield func(string) bool) bool {
	base, rest, full := path.Join(dirs[:end]...), path.Join(dirs[start:]...), path.Join(dirs[end:]...)
	for _, root := range layout.TestRoots(s.lang) {
		r := path.Join(base, root)
		if !s.isDir(r) {
			continue
		}
		for _, sub := range [...]string{"", "unit", "Unit", "integration", "Feature", "functional", "src"} {
			if sub != "" && !s.isDir(path.Join(r, sub)) {
				continue
			}
			if !yield(path.Join(r, sub, rest)) || !yield(path.Join(r, sub, full)) || !yield(path.Join(r, sub)) {
				return false
			}
		}
		if len(dirs) > start && !s.project(r, dirs[start], dirs[start+1:], yield) { // App/X.cs → tests/App.Tests
			return false
		}
	}
	if s.lang == source.CSharp && len(dirs) > start { // App/X.cs → App.Tests
		return s.project(base, dirs[start], dirs[start+1:], yield) && s.project(path.Join(dirs[:start]...), dirs[start], dirs[start+1:], yield)
	}
	return true
}

// project yields the test project that belongs to the project or module named name: App.Tests, ModTests.
func (s *search) project(at, name string, rest []string, yield func(string) bool) bool {
	if s.lang != source.CSharp && s.lang != source.Swift {
		return true
	}
	for _, suffix := range [...]string{".Tests", "Tests", ".UnitTests", ".Test"} {
		p := path.Join(at, name+suffix)
		if !yield(path.Join(p, path.Join(rest...))) || !yield(p) {
			return false
		}
	}
	return true
}

// tests returns the index, building it if need be.
func (s *search) tests() []string {
	if s.f.index != nil {
		return s.f.index.Tests
	}
	if s.f.load != nil {
		if ix, err := DecodeIndex(s.f.load()); err == nil && ix.Fresh(s.f.root) {
			s.f.index = &ix
			return ix.Tests
		}
	}
	ix, err := BuildIndex(s.f.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.f.index = &ix
	if s.f.save != nil {
		s.f.save(ix.Encode())
	}
	return ix.Tests
}

// byIndex accepts a test of the file's name anywhere in the project if it refers to the file or lies in a directory of the same name.
func (s *search) byIndex() bool {
	own := path.Base(s.dir)
	for _, t := range s.near(func(t string) bool { return s.about(path.Base(t)) }) {
		accept := func(x *source.File) bool { return s.refers(t, x) }
		if path.Base(path.Dir(t)) == own {
			accept = nil
		}
		if s.try(t, ViaIndex, accept) {
			return true
		}
	}
	return false
}

// byReference accepts any test that imports the file or uses what it declares.
func (s *search) byReference() bool {
	s.read = 0
	candidates := s.near(func(t string) bool { return layout.Family(s.lang, LanguageOf(t)) })
	for _, t := range candidates[:min(len(candidates), maxSearch)] {
		if s.try(t, ViaReference, func(x *source.File) bool { return s.refers(t, x) }) {
			return true
		}
		if s.read > maxSearchSize {
			return false
		}
	}
	return false
}

// near lists the tests that satisfy keep, those that share the longest path with the file first.
func (s *search) near(keep func(string) bool) []string {
	var out []string
	for _, t := range s.tests() {
		if keep(t) {
			out = append(out, t)
		}
	}
	shared := func(t string) int {
		n := 0
		for n < len(t) && n < len(s.rel) && t[n] == s.rel[n] {
			n++
		}
		return strings.Count(t[:n], "/")
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return out
}

// sourceOf lexes a file below the root; an unreadable one is empty.
func sourceOf(f *Finder, rel string) *source.File {
	return source.Lex(LanguageOf(rel), f.content(rel))
}
