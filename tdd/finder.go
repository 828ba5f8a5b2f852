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
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Bounds of a search.
const (
	maxRead       = 1 << 20 // bytes of one file that are looked at
	maxSearch     = 200     // candidate files of the text search
	maxSearchSize = 8 << 20 // bytes of all of them
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
	read  int64 // bytes read by the text search that is going on
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
	f     *Finder
	rel   string
	dir   string
	lang  Lang
	stem  string
	found Found // best so far: a stub
	decls []string
	known bool // decls was filled
}

// content reads at most maxRead bytes of a regular file.
func (f *Finder) content(rel string) []byte {
	file, err := f.root.Open(rel)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
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
	lexed := source.Lex(LanguageOf(rel), src)
	if accept != nil && !accept(lexed) {
		return false
	}
	if cases.Any(lexed) {
		s.found = Found{Path: rel, Via: via}
		return true
	}
	if s.found.Path == "" {
		s.found = Found{Path: rel, Via: via, Stub: true}
	}
	return false
}

// module finds tests inside the file: Rust.
func (s *search) module() bool {
	if s.lang != source.Rust {
		return false
	}
	src := s.f.content(s.rel)
	if !bytes.Contains(src, []byte("#[")) || !cases.Any(source.Lex(s.lang, src)) {
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

// list tries the tests in one directory that bear the file's name. In a directory of tests a plain name will do (tests/user.rs).
func (s *search) list(dir, via string, testDir bool) bool {
	if info, err := s.f.root.Stat(dir); err != nil || !info.IsDir() {
		return false
	}
	entries, err := readDir(s.f.root, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() || !s.about(e.Name()) {
			continue
		}
		if (testDir || layout.IsTestName(LanguageOf(e.Name()), e.Name())) && s.try(path.Join(dir, e.Name()), via, nil) {
			return true
		}
	}
	return false
}

// siblings looks next to the file and in the test directories beside it.
func (s *search) siblings() bool {
	if s.list(s.dir, ViaSibling, false) {
		return true
	}
	if s.lang == source.Go {
		return false
	}
	for _, d := range [...]string{"__tests__", "tests", "test", "spec", s.stem} {
		if s.list(path.Join(s.dir, d), ViaSibling, d != s.stem) {
			return true
		}
	}
	// Rust: src/user.rs with src/user/tests.rs
	return s.lang == source.Rust && s.try(path.Join(s.dir, s.stem, "tests.rs"), ViaSibling, nil)
}

// goPackage accepts any test of the package that uses a name which the file declares.
func (s *search) goPackage() bool {
	entries, err := readDir(s.f.root, s.dir)
	if err != nil {
		return false
	}
	names := s.declared()
	if len(names) == 0 {
		return false
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") && s.try(path.Join(s.dir, e.Name()), ViaPackage, func(t *source.File) bool { return mentions(t, names) }) {
			return true
		}
	}
	return false
}

// mirrors looks below the test directories of the project and of the package, at the place that mirrors the file's.
func (s *search) mirrors() bool {
	seen := map[string]bool{}
	for _, d := range s.mirrorDirs() {
		if !seen[d] {
			seen[d] = true
			if s.list(d, ViaMirror, true) {
				return true
			}
		}
	}
	return false
}

// mirrorDirs lists candidate directories, likely ones first. Their number is bounded by the depth of the path.
func (s *search) mirrorDirs() []string {
	dirs := strings.Split(s.dir, "/")
	if s.dir == "." {
		dirs = nil
	}
	var out []string
	if sug := Suggest(s.rel); sug != "" {
		out = append(out, path.Dir(sug))
	}
	for i := 1; i < len(dirs); i++ { // src/main/java, src/commonMain/kotlin
		if dirs[i-1] != "src" {
			continue
		}
		for _, set := range [...]string{"test", "androidTest", "commonTest", "jvmTest", "integrationTest", "it"} {
			c := slices.Clone(dirs)
			c[i] = set
			out = append(out, path.Join(c...))
			if i+1 < len(c) { // Kotlin tests of Java code and the like
				for _, l := range [...]string{"java", "kotlin", "scala", "groovy"} {
					c[i+1] = l
					out = append(out, path.Join(c...))
				}
			}
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
		base := path.Join(dirs[:b[0]]...)
		below := path.Join(dirs[b[1]:]...)
		full := path.Join(dirs[b[0]:]...)
		for _, root := range layout.TestRoots(s.lang) {
			r := path.Join(base, root)
			if info, err := s.f.root.Stat(r); err != nil || !info.IsDir() {
				continue
			}
			for _, sub := range [...]string{"", "unit", "Unit", "integration", "Feature", "functional", "src"} {
				out = append(out, path.Join(r, sub, below), path.Join(r, sub, full), path.Join(r, sub))
			}
			if len(dirs) > b[1] { // App/X.cs → tests/App.Tests, Sources/Mod/X.swift → Tests/ModTests
				rest := path.Join(dirs[b[1]+1:]...)
				for _, suffix := range [...]string{".Tests", "Tests", ".UnitTests", ".Test"} {
					out = append(out, path.Join(r, dirs[b[1]]+suffix, rest), path.Join(r, dirs[b[1]]+suffix))
				}
			}
		}
		if s.lang == source.CSharp && len(dirs) > b[1] {
			for _, suffix := range [...]string{".Tests", ".UnitTests", ".Test"} {
				out = append(out, path.Join(base, dirs[b[1]]+suffix, path.Join(dirs[b[1]+1:]...)), path.Join(path.Join(dirs[:b[1]]...), dirs[b[1]]+suffix, path.Join(dirs[b[1]+1:]...)))
			}
		}
	}
	return out
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
		if s.try(t, ViaIndex, func(x *source.File) bool { return path.Base(path.Dir(t)) == own || s.refers(t, x) }) {
			return true
		}
	}
	return false
}

// byReference accepts any test that imports the file or uses what it declares.
func (s *search) byReference() bool {
	s.f.read = 0
	candidates := s.near(func(t string) bool { return layout.Family(s.lang, LanguageOf(t)) })
	for _, t := range candidates[:min(len(candidates), maxSearch)] {
		info, err := s.f.root.Stat(t)
		if err != nil {
			continue
		}
		if s.f.read += min(info.Size(), maxRead); s.f.read > maxSearchSize {
			return false
		}
		if s.try(t, ViaReference, func(x *source.File) bool { return s.refers(t, x) }) {
			return true
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
