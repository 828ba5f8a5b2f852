package ignore_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/gitx/ignore"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// files is a tree in which patterns can go wrong.
var files = [...]string{
	"a.log", "b.txt", "keep.log", "dir/a.log", "dir/sub/b.log", "dir/sub/keep.log", "build/x", "src/build/x", "src/a.go", "src/gen/x.go", "src/gen/keep/y.go", "docs/a.md", "docs/deep/a.md", "docs/deep/er/b.md",
	"node_modules/p/index.js", "pkg/node_modules/p/index.js", "tmp1/x", "tmp2/x", "tmpx/x", "sp ace/x y", "trail ", "#hash", "!bang", "a[b]c", "back\\slash", "star*", "é/ü.txt", ".env", ".env.local", "x/.env", "foo/bar/baz", "foo/x/bar", "bar",
	"deep/1/2/3/4/5.txt", "UPPER.LOG", "data-1.csv", "data-2.csv", "data-x.csv", "q?x", "build.txt", "abuild/x", "vendor/a/b.c", "vendor/keep/b.c", "out/.keep", "out/x", "ab/c", "abc/d",
}

func TestAgreesWithGit(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	for i, patterns := range []string{
		"*.log\n!keep.log", "/build/", "build", "build/", "/*.log", "dir/*.log", "dir/**/*.log", "**/gen", "src/**", "docs/**/b.md", "docs/*/", "node_modules/", "tmp[0-9]/", "tmp[!0-9]", "sp\\ ace", "sp ace/", "trail\\ ", "\\#hash", "\\!bang",
		"a\\[b\\]c", "back\\\\slash", "star\\*", "é/", ".env*\n!.env.local", "foo/bar", "/bar", "bar", "**/bar", "foo/**/bar", "deep/**/5.txt", "*.LOG", "data-[12].csv", "data-[[:digit:]].csv", "q\\?x", "*", "*\n!*/\n!*.go", "/*\n!/src", "vendor/*\n!vendor/keep",
		"out/*\n!out/.keep", "# comment\n\n  \n*.txt  ", "*.txt\r\n*.md\r\n", "a?c", "ab*", "**", "/**", "**/", "src/gen/\n!src/gen/keep/", "[", "[a", "a[", "foo/", "/", "//", "!", "dir", "!dir\n*.log", "\ufeff*.log", "docs/deep/**", "*/x", "*/*/x", "/*/x", "data-[!x].csv", "data-[^x].csv",
		"ab/", "**/a.md", "docs/**a.md", "d*/", "[a-d]*", "[[:upper:]]*", "*e/x", "\\a.log", "a.log\\",
	} {
		folder := fmt.Sprintf("p%02d/", i)
		for _, f := range files {
			r.Write(folder+f, "x")
		}
		r.Write(folder+".gitignore", patterns)
	}
	compare(t, r)
}

// Rules of deeper folders come first, then info/exclude, then the user's.
func TestOrderOfTheFiles(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	for _, f := range files {
		r.Write(f, "x")
	}
	r.Write(".gitignore", "*.log\n/docs/\n*.csv\n")
	r.Write("dir/.gitignore", "!a.log\n/sub/*.txt\n")
	r.Write("dir/sub/.gitignore", "!keep.log\nb.log\n")
	r.Write("docs/.gitignore", "!*\n")
	r.Write(".git/info/exclude", "*.txt\n!data-1.csv\n/out/\n")
	r.Write(".git/mine", "!b.txt\n*.c\n")
	r.Git("config", "core.excludesFile", r.Path(".git/mine"))
	compare(t, r, r.Path(".git/info/exclude"), r.Path(".git/mine"))
}

// compare asks git and us about every file.
func compare(t *testing.T, r gitrepo.Repo, excludes ...string) {
	t.Helper()
	var want, got []string
	for _, f := range strings.Split(r.Git("ls-files", "-o", "-i", "--exclude-standard", "-z"), "\x00") {
		if f != "" {
			want = append(want, f)
		}
	}
	tree := ignore.New(r.Dir, excludes...)
	err := filepath.WalkDir(r.Dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(r.Dir, p)
		switch {
		case err != nil:
			return err
		case rel == ".git":
			return filepath.SkipDir
		case !d.IsDir() && tree.Ignored(filepath.ToSlash(rel), false):
			got = append(got, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ignored files (-git +ours):\n%s", diff)
	}
}

// A pattern of many stars costs little.
func TestStarsAreLinear(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write(".gitignore", strings.Repeat("*a", 500)+"b\n"+strings.Repeat("**/", 60)+"x\n")
	if ignore.New(r.Dir).Ignored(strings.Repeat("a", 200)+"/"+strings.Repeat("a/", 50)+"c", false) {
		t.Error("ignored")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("*.log\n!a\n/b/\n", "a/b.log")
	f.Add("[", "[")
	f.Add("a[[:alpha:]", "ab")
	f.Add("**/**/\\", "x/y")
	f.Fuzz(func(t *testing.T, patterns, path string) {
		r := ignore.Parse(patterns)
		if a, b := r.Match(path, true), r.Match(path, true); a != b {
			t.Error("two answers")
		}
	})
}
