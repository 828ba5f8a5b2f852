package review_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/review"
)

func text(t *testing.T, r review.Report, l review.Look) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Text(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextFitsTheScreen(t *testing.T) {
	t.Parallel()
	colours := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	for _, width := range []int{20, 40, 80, 100, 400} {
		plain := text(t, findings(), review.Look{Width: width})
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%d columns: an escape sequence of the project reaches the terminal", width)
		}
		for line := range strings.Lines(plain) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > min(max(width, 40), 100) || strings.HasSuffix(line, " \n") {
				t.Errorf("%d columns: line of %d: %q", width, n, line)
			}
		}
		if colours.ReplaceAllString(text(t, findings(), review.Look{Width: width, Colours: review.Terminal()}), "") != plain {
			t.Errorf("%d columns: colours change the text", width)
		}
	}
}

func TestTextOnEightyColumns(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join("testdata", "screen.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, findings(), review.Look{Width: 80}); got != string(want) {
		t.Errorf("got:\n%s", got)
	}
}

func TestTextBreaksNoLineWithoutAScreen(t *testing.T) {
	t.Parallel()
	got := text(t, findings(), review.Look{})
	if !strings.Contains(got, strings.TrimSpace(strings.Repeat("long words ", 12))+"\n") || !strings.Contains(got, strings.Repeat("y", 90)+"\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[judge.Outcome]string{
		judge.Pass: "PASS  1 changed file against main\n", judge.Skipped: "NOTHING TO JUDGE  nothing differs from main\n", judge.Error: "COULD NOT JUDGE  1 changed file against main\n",
	} {
		if got := text(t, review.Report{Files: 1, Read: 1, Base: "main", Verdict: judge.Verdict{Outcome: outcome}}, review.Look{}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestReadPatch(t *testing.T) {
	t.Parallel()
	git := "Subject: x\r\n\r\ndiff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n"
	dos := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n"
	for in, want := range map[string]string{git: strings.ReplaceAll(git, "\r", ""), dos: dos, "": "", "words\r\n": "words\r\n"} {
		got, err := review.ReadPatch("-", strings.NewReader(in))
		if err != nil || got == nil || string(got) != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	if _, err := review.ReadPatch(filepath.Join(t.TempDir(), "nosuch"), nil); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestWritePending(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	list := []judge.Waiting{{TaskID: "s#1", Root: "/home/me/app", What: "change\x1b[2J refunds", Verdict: judge.Warn, Reasons: []judge.Reason{{Prefix: "test", Text: strings.Repeat("long words ", 12)}}}}
	if err := review.WritePending(&b, list, review.Look{Width: 60}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(line) > 61 || strings.Contains(line, "\x1b") {
			t.Errorf("line %q", line)
		}
	}
}
