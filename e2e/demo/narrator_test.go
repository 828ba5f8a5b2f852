package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpokenFindsWhatHooksSaidInBothClients(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		context    []string
		block      string
	}{
		{"2.1.197", "<system-reminder>\nPreToolUse:Write hook additional context: [devflow:risk] oversight=STRICT\nmore\n</system-reminder>\nfile written",
			[]string{"[devflow:risk] oversight=STRICT\nmore"}, ""},
		{"2.1.332", "file written\nPreToolUse:Write hook additional context: [devflow:risk] one\n\nPostToolUse:Write hook additional context: [devflow:tdd] two\n\nToday",
			[]string{"[devflow:risk] one", "[devflow:tdd] two"}, ""},
		{"block of 2.1.197", "Stop hook feedback:\n[devflow:CRITICAL_RETRY] 1/3 x", nil, "[devflow:CRITICAL_RETRY] 1/3 x"},
		{"block of 2.1.332", "<system-reminder>\nThe text below …\nStop hook feedback:\nreason\n</system-reminder>\nStop hook blocking error from command: \"x\": reason",
			nil, "reason"},
		{"other hooks", "PostToolUse:Write hook additional context: hello", nil, ""},
	}
	for _, c := range cases {
		context, block := spoken(c.text)
		if d := cmp.Diff(c.context, context); d != "" || block != c.block {
			t.Errorf("%s: block %q, want %q; context (-want +got):\n%s", c.name, block, c.block, d)
		}
	}
}

func TestFoldKeepsWordsWholeAndIndents(t *testing.T) {
	t.Parallel()
	got := fold("one two three four\n  five six seven", 10)
	if d := cmp.Diff([]string{"one two", "three four", "  five six", "  seven"}, got); d != "" {
		t.Errorf("fold (-want +got):\n%s", d)
	}
	if got := fold(strings.Repeat("x", 30), 10); len(got) != 1 {
		t.Errorf("a word longer than the limit was broken: %q", got)
	}
}

func TestNoColourWithoutATerminal(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	newNarrator(&b, true).verdict(false, "FAIL")
	if got, want := b.String(), "  FAIL\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
