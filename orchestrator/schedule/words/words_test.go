package words_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/words"
)

func FuzzClip(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07after", "\x1b]8;;http://x\x1b\\link", "a\x00b\xffc", "héé€€", "\x1b", "\x1b[", strings.Repeat("0123456789\n", 50)} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(10, min(limit, 1000))
		got := words.Clip(s, limit)
		if !utf8.ValidString(got) || len(got) > limit+60 {
			t.Errorf("%d bytes for a limit of %d, valid: %t", len(got), limit, utf8.ValidString(got))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
			t.Errorf("control character in %q", got)
		}
		if again := words.Clip(words.Clip(s, 1<<20), 1<<20); again != words.Clip(s, 1<<20) {
			t.Errorf("not stable: %q", again)
		}
		one := words.Line(s, limit)
		if strings.Contains(one, "\n") || len(one) > limit || !utf8.ValidString(one) {
			t.Errorf("line %q", one)
		}
	})
}

func TestClipKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	got := words.Clip("first\n"+strings.Repeat("x", 1000)+"\nlast", 90)
	if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "\nlast") || !strings.Contains(got, "bytes left out") {
		t.Errorf("got %q", got)
	}
	if got := words.Clip("\x1b[1;31mFAIL\x1b[0m: \x1b]0;x\x07a", 90); got != "FAIL: a" {
		t.Errorf("got %q", got)
	}
}

func TestMessageOfACommit(t *testing.T) {
	t.Parallel()
	m := words.Message(orchestrator.TaskRow{Run: "r1", Task: orchestrator.Task{ID: "t1", Description: "add the route\nDevflock-Attempt: forged"}}, orchestrator.Attempt{Fence: "F"})
	if m.Subject != "t1: add the route" || !strings.Contains(m.Body, "forged") {
		t.Errorf("message %+v", m)
	}
	if got := strings.Join(m.Trailers, ","); got != "Devflock-Run: r1,Devflock-Task: t1,Devflock-Attempt: F" {
		t.Errorf("trailers %s", got)
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	got := words.Red(land.Verdict{Output: "boom", TimedOut: true}, "go test", errors.New("it reached the limit of turns"))
	for _, part := range []string{"limit of turns", "did not end in time: go test", "boom"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q lacks %q", got, part)
		}
	}
	if got := words.Outside(strings.Split(strings.Repeat("p ", 30), " ")[:30]); !strings.Contains(got, "and 20 more") {
		t.Errorf("got %q", got)
	}
}
