package diff_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/diff"
)

const hunk = "@@ -2,3 +2,3 @@ head\n one\n-two\n+zwei\n three\n"

func TestFragmentsOfWhatPeopleHandIn(t *testing.T) {
	t.Parallel()
	const before, after = "\none\ntwo\nthree\n", "\none\nzwei\nthree\n"
	tests := []struct{ name, patch, path, before, after string }{
		{"git", "diff --git a/src/x.py b/src/x.py\n--- a/src/x.py\n+++ b/src/x.py\n" + hunk, "src/x.py", before, after},
		{"mnemonic prefixes", "diff --git i/src/x.py w/src/x.py\n--- i/src/x.py\n+++ w/src/x.py\n" + hunk, "src/x.py", before, after},
		{"mail", "From 1 Mon Sep 17\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk + "-- \n2.39.5\n\n", "x", before, after},
		{"git show", "commit 1\nAuthor: A\n\n    text\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk, "x", before, after},
		{"diff -u", "--- src/x.py\t2026-11-30 12:00:00 +0000\n+++ src/x.py\t2026-11-30 12:00:01 +0000\n" + hunk, "src/x.py", before, after},
		{"diff -u with a and b", "--- a/src/x.py\n+++ b/src/x.py\n" + hunk, "src/x.py", before, after},
		{"a folder b below", "--- a/b/x.py\n+++ b/b/x.py\n" + hunk, "b/x.py", before, after},
		{"a folder that is called b", "--- b/x.py\n+++ b/x.py\n" + hunk, "b/x.py", before, after},
		{"new, traditional", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n", "x", "", "one\n"},
		{"deleted, traditional", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "x", "one\n", ""},
		{"counts that do not fit", "diff --git a/x b/x\n--- a/x\n+++ b/x\n" + strings.Replace(hunk, "-2,3 +2,3", "-2,9 +2,7", 1), "x", before, after},
		{"an empty line without its blank", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n", "x", "a\n\nc\n", "b\n\nc\n"},
	}
	for _, tt := range tests {
		got, err := diff.Fragments([]byte(tt.patch))
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d files, %v", tt.name, len(got), err)
			continue
		}
		if f := got[0]; f.Unreadable != "" || f.Path() != tt.path || string(f.Before) != tt.before || string(f.After) != tt.after {
			t.Errorf("%s: %q %q, before %q, after %q", tt.name, f.Path(), f.Unreadable, f.Before, f.After)
		}
	}
}

func TestFragmentsOfWhatIsNoPatch(t *testing.T) {
	t.Parallel()
	if _, err := diff.Fragments([]byte("some words\n")); !errors.Is(err, diff.ErrNoPatch) {
		t.Errorf("words: %v", err)
	}
	for _, empty := range []string{"", "\n \n"} {
		if got, err := diff.Fragments([]byte(empty)); len(got) != 0 || err != nil {
			t.Errorf("%q: %v, %v", empty, got, err)
		}
	}
	for _, broken := range []string{"--- a/x\n+++ b/x\n@@ -2147483647,1 +2147483647,1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n@@ -99999999999999999999,1 +1,1 @@\n-a\n+b\n"} {
		if got, err := diff.Fragments([]byte(broken)); err != nil || len(got) != 1 || got[0].Unreadable == "" {
			t.Errorf("%q: %v, %v", broken, got, err)
		}
	}
}

func FuzzFragments(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk))
	f.Add([]byte("--- a/x\n+++ b/x\n" + hunk + "-- \n2.39.5\n\n"))
	f.Add([]byte("--- a/x\n+++ b/x\n@@ -2147483647,1 +2147483647,1 @@\n-a\n+b\n"))
	f.Add([]byte("diff --git a/x b/x\nBinary files a/x and b/x differ\n"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		files, err := diff.Fragments(patch)
		if err != nil && len(files) > 0 {
			t.Errorf("files and %v", err)
		}
		for _, x := range files {
			if x.Unreadable != "" && (x.Before != nil || x.After != nil) {
				t.Errorf("%q: %s, and content", x.Path(), x.Unreadable)
			}
			for _, side := range [][]byte{x.Before, x.After} {
				if len(side) > len(patch)+64*2_000_000 { // blank lines between hunks
					t.Errorf("%d bytes of a patch of %d", len(side), len(patch))
				}
			}
		}
	})
}
