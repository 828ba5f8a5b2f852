package diff_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/google/go-cmp/cmp"
)

func TestParseWhatGitPrints(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	twenty := strings.Repeat("line\n", 20)
	r.Write("edit.go", "one\ntwo\nthree\n"+twenty+"end\n")
	r.Write("old name ü.txt", twenty)
	r.Write("gone.py", "a\nb\n")
	r.Write("mode.sh", "x\n")
	r.Write("bin.dat", "a\x00b")
	r.Write("noend", "x")
	r.Write("crlf.txt", "a\r\nb\r\n")
	r.Write("becomes-empty", "x\n")
	r.Write("tab\tquote\"back\\slash", "1\n")
	r.Commit("one")
	r.Write("edit.go", "one\nTWO\nthree\n"+twenty+"END\n+++ b/fake\n")
	r.Git("mv", "old name ü.txt", "new name ü.txt")
	r.Git("rm", "-q", "gone.py")
	r.Git("update-index", "--chmod=+x", "mode.sh")
	r.Git("config", "core.fileMode", "false")
	r.Write("bin.dat", "a\x00c")
	r.Write("noend", "y")
	r.Write("crlf.txt", "a\r\nB\r\n")
	r.Write("becomes-empty", "")
	r.Write("new empty", "")
	r.Write("latin.py", "caf\xe9 = 1\n")
	r.Write("tab\tquote\"back\\slash", "diff --git a/x b/x\n")
	r.Commit("two")
	patch := r.Git("-c", "core.quotepath=off", "diff-tree", "-r", "-M", "-p", "--full-index", "HEAD~", "HEAD")

	got, err := diff.Parse([]byte(patch + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []diff.File{
		{Old: "becomes-empty", New: "becomes-empty", Status: diff.Modified, Removed: []diff.Line{{1, 0, "x"}}},
		{Old: "bin.dat", New: "bin.dat", Status: diff.Modified, Binary: true},
		{Old: "crlf.txt", New: "crlf.txt", Status: diff.Modified, Added: []diff.Line{{2, 0, "B\r"}}, Removed: []diff.Line{{2, 0, "b\r"}}},
		{
			Old: "edit.go", New: "edit.go", Status: diff.Modified,
			Added: []diff.Line{{2, 0, "TWO"}, {24, 1, "END"}, {25, 1, "+++ b/fake"}}, Removed: []diff.Line{{2, 0, "two"}, {24, 1, "end"}},
		},
		{Old: "gone.py", Status: diff.Deleted, Removed: []diff.Line{{1, 0, "a"}, {2, 0, "b"}}},
		{New: "latin.py", Status: diff.Added, Added: []diff.Line{{1, 0, "caf\xe9 = 1"}}},
		{Old: "mode.sh", New: "mode.sh", Status: diff.Modified, ModeOnly: true},
		{New: "new empty", Status: diff.Added},
		{Old: "old name ü.txt", New: "new name ü.txt", Status: diff.Renamed},
		{Old: "noend", New: "noend", Status: diff.Modified, Added: []diff.Line{{1, 0, "y"}}, Removed: []diff.Line{{1, 0, "x"}}},
		{Old: "tab\tquote\"back\\slash", New: "tab\tquote\"back\\slash", Status: diff.Modified, Added: []diff.Line{{1, 0, "diff --git a/x b/x"}}, Removed: []diff.Line{{1, 0, "1"}}},
	}
	byPath := cmp.Transformer("byPath", func(files []diff.File) map[string]diff.File {
		m := map[string]diff.File{}
		for _, f := range files {
			m[f.Path()] = f
		}
		return m
	})
	if d := cmp.Diff(want, got, byPath); d != "" {
		t.Errorf("files (-want +got):\n%s\npatch:\n%s", d, patch)
	}
}

func TestParseBrokenInput(t *testing.T) {
	t.Parallel()
	good := "diff --git a/ok.go b/ok.go\nindex 1..2 100644\n--- a/ok.go\n+++ b/ok.go\n@@ -1 +1 @@\n-a\n+b\n"
	tests := []struct {
		name, patch string
		fail        bool
		paths       []string // a leading ! marks an unreadable one
	}{
		{"nothing", "", false, nil},
		{"blank lines", "\n\n", false, nil},
		{"no patch", "fatal: bad object\n", true, nil},
		{"a broken hunk keeps the others", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,5 +1 @@\n-a\n" + good, false, []string{"!x", "ok.go"}},
		{"a broken header", good + "diff --git \"a/\\q b/x\n", false, []string{"ok.go", "!x"}},
		{"cut off in the middle", good + "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n", false, []string{"ok.go", "!y"}},
		{"a hunk out of nowhere", "diff --git a/y b/y\n@@ nonsense @@\n" + good, false, []string{"y", "ok.go"}},
		{"huge numbers", "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,99999999999999999999 +1 @@\n+a\n", false, []string{"!y"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files, err := diff.Parse([]byte(tt.patch))
			var got []string
			for _, f := range files {
				mark := ""
				if f.Unreadable != "" {
					mark = "!"
				}
				got = append(got, mark+f.Path())
			}
			if d := cmp.Diff(tt.paths, got); d != "" || (err != nil) != tt.fail {
				t.Errorf("Parse(%q): error %v, paths (-want +got):\n%s", tt.patch, err, d)
			}
		})
	}
}

// FuzzParse: it never panics, every piece that begins a file is named once, and line numbers only grow.
func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.patch")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range seeds {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		files, err := diff.Parse(patch)
		if err != nil {
			return
		}
		pieces := strings.Count("\n"+string(patch), "\ndiff --git ")
		if len(files) != pieces {
			t.Errorf("%d files for %d pieces", len(files), pieces)
		}
		for _, file := range files {
			for i := 1; i < len(file.Added); i++ {
				if a, b := file.Added[i-1], file.Added[i]; a.Hunk == b.Hunk && b.N <= a.N {
					t.Errorf("added line %d after %d", b.N, a.N)
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	r := gitrepo.New(b, b.TempDir(), "main")
	var sb strings.Builder
	for range 50 {
		sb.WriteString("func f() int { return 1 }\n")
	}
	for i := range 20 {
		r.Write(filepath.Join("src", "f"+string(rune('a'+i))+".go"), sb.String())
	}
	r.Commit("one")
	cmd := exec.Command("git", "diff-tree", "-r", "-p", "--root", "HEAD")
	cmd.Dir = r.Dir
	patch, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	_, patch, _ = cutLine(patch)
	for b.Loop() {
		if _, err := diff.Parse(patch); err != nil {
			b.Fatal(err)
		}
	}
}

func cutLine(text []byte) (line, rest []byte, ok bool) {
	before, after, ok := strings.Cut(string(text), "\n")
	return []byte(before), []byte(after), ok
}
