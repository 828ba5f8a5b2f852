package claude_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude"
)

var update = flag.Bool("update", false, "rewrite golden files")

var outputEvents = []string{
	"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
	"SubagentStop", "Stop", "StopFailure", "PreCompact", "PostCompact", "CwdChanged", "SessionEnd", "Notification", "FromTheFuture",
}

// The golden file shows, for every event, what each kind of answer becomes. A "-" is silence; "!" is what was refused.
func TestEncodeSpellsEachAnswerForEachEvent(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, event := range outputEvents {
		context := claude.Context(event, "c")
		for _, c := range []struct {
			name string
			out  claude.Output
		}{
			{"nothing", claude.Output{}},
			{"halt", claude.Halt("h")},
			{"deny", claude.Deny("d")},
			{"ask", claude.Ask("a")},
			{"block", claude.Block("b")},
			{"context", context},
			{"message", claude.Message("m")},
			{"everything", claude.Merge(event, claude.Message("m"), context, claude.Block("b"), claude.Ask("a"), claude.Deny("d"), claude.Halt("h"))},
			{"all but halt", claude.Merge(event, claude.Message("m"), context, claude.Block("b"), claude.Ask("a"), claude.Deny("d"))},
		} {
			data, err := c.out.Encode(event)
			line := "-"
			if data != nil {
				line = string(data)
			}
			var shape *claude.ShapeError
			if errors.As(err, &shape) {
				line += " ! " + strings.Join(shape.Parts, ", ")
			} else if err != nil {
				t.Errorf("%s %s: %v", event, c.name, err)
			}
			got.WriteString(event + " " + c.name + ": " + line + "\n")
		}
	}
	path := filepath.Join("testdata", "encode.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got (-update rewrites)\n%s", diff)
	}
}

func encode(tb testing.TB, event string, o claude.Output) string {
	tb.Helper()
	data, err := o.Encode(event)
	if err != nil {
		tb.Fatalf("Encode(%s): %v", event, err)
	}
	return string(data)
}

func TestEncodeText(t *testing.T) {
	t.Parallel()
	const pre, post = claude.EventPreToolUse, claude.EventPostToolUse
	for _, tc := range []struct {
		name, event string
		out         claude.Output
		want        string
	}{
		{"no HTML escapes", pre, claude.Deny(`a && b > c < "d" \ é 😀`),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a && b > c < \"d\" \\ é 😀"}}`},
		{"most severe first, each once", pre, claude.Merge(pre, claude.Ask("a1"), claude.Deny("d1"), claude.Ask("a2"), claude.Deny("d2"), claude.Deny("d1")),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"d1\nd2\na1\na2"}}`},
		{"a halt denies the call as well", pre, claude.Merge(pre, claude.Deny("d"), claude.Halt("h")),
			`{"continue":false,"stopReason":"h","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"h\nd"}}`},
		{"a reason is never empty", "Stop", claude.Block(" \n"), `{"decision":"block","reason":"devflow gave no reason"}`},
		{"contexts and messages are joined", post, claude.Merge(post, claude.Context(post, "one\n"), claude.Message("m1"), claude.Context("", "two"), claude.Message("m2"), claude.Context(post, "  ")),
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"one\ntwo"},"systemMessage":"m1\nm2"}`},
		{"nothing but white space is silence", post, claude.Merge(post, claude.Context(post, "\n\t "), claude.Message("\r\n")), ""},
		{"a dropped prompt has no context", "UserPromptSubmit", claude.Merge("UserPromptSubmit", claude.Context("UserPromptSubmit", "c"), claude.Block("b")),
			`{"decision":"block","reason":"b"}`},
		{"control characters and stray bytes", post, claude.Context(post, "a\x1b[31mb\x00\r\nc\x7f\u0085\td\xffe"),
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a[31mb\nc\td` + "\ufffd" + `e"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, encode(t, tc.event, tc.out)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEncodeReportsAContextOfAnotherEvent(t *testing.T) {
	t.Parallel()
	out := claude.Merge("PostToolUse", claude.Context("SessionStart", "c"), claude.Message("m"))
	data, err := out.Encode("PostToolUse")
	var shape *claude.ShapeError
	if !errors.As(err, &shape) || string(data) != `{"systemMessage":"m"}` {
		t.Errorf("got %s, %v", data, err)
	}
	if got, want := err.Error(), "encode answer to PostToolUse: the client takes no context there"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type answer struct {
	Continue      *bool   `json:"continue"`
	StopReason    *string `json:"stopReason"`
	Decision      *string `json:"decision"`
	Reason        *string `json:"reason"`
	SystemMessage *string `json:"systemMessage"`
	Specific      *struct {
		Event    string  `json:"hookEventName"`
		Decision *string `json:"permissionDecision"`
		Reason   *string `json:"permissionDecisionReason"`
		Context  *string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func parse(tb testing.TB, data []byte) answer {
	tb.Helper()
	var a answer
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		tb.Fatalf("%s: %v", data, err)
	}
	if d.More() {
		tb.Fatalf("%s: more than one value", data)
	}
	return a
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

func TestEncodeCutsAtCharacterBorders(t *testing.T) {
	t.Parallel()
	for _, char := range []string{"x", "é", "世", "😀"} {
		for _, n := range []int{100, 1999, 2000, 2001, 8999, 9000, 9001, 200_000} {
			text := strings.Repeat(char, n)
			c := *parse(t, []byte(encode(t, "PostToolUse", claude.Context("PostToolUse", text)))).Specific.Context
			checkCut(t, "context", text, c, len(c), len(text), claude.MaxContext)
			c = *parse(t, []byte(encode(t, "SessionStart", claude.Rescue("SessionStart", text)))).Specific.Context
			checkCut(t, "rescue", text, c, units(c), units(text), claude.MaxRescue)
			c = *parse(t, []byte(encode(t, "Stop", claude.Block(text)))).Reason
			checkCut(t, "reason", text, c, len(c), len(text), claude.MaxReason)
			c = *parse(t, []byte(encode(t, "Stop", claude.Message(text)))).SystemMessage
			checkCut(t, "message", text, c, len(c), len(text), claude.MaxReason)
		}
	}
	// A rescue makes room for its neighbours, but the sum stays below what the client takes.
	both := claude.Merge("SessionStart", claude.Context("SessionStart", strings.Repeat("a", 5000)), claude.Rescue("SessionStart", strings.Repeat("b", 9000)))
	if c := *parse(t, []byte(encode(t, "SessionStart", both))).Specific.Context; units(c) != claude.MaxRescue {
		t.Errorf("context and rescue together: %d units", units(c))
	}
}

func checkCut(t *testing.T, what, text, got string, size, whole, limit int) {
	t.Helper()
	switch {
	case !utf8.ValidString(got):
		t.Errorf("%s of %d: not UTF-8", what, whole)
	case whole <= limit && got != text:
		t.Errorf("%s of %d was cut to %d", what, whole, size)
	case whole > limit && (size > limit || size < limit-6 || !strings.HasSuffix(got, "…") || !strings.HasPrefix(text, strings.TrimSuffix(got, "…"))):
		t.Errorf("%s of %d: %d left, bound %d", what, whole, size, limit)
	}
}

func TestOutcomeNamesTheWeightiestPart(t *testing.T) {
	t.Parallel()
	order := []claude.Output{claude.Message("m"), claude.Context("", "c"), claude.Block("b"), claude.Ask("a"), claude.Deny("d"), claude.Halt("h")}
	for i, want := range []string{"message", "ctx", "block", "ask", "deny", "halt"} {
		if got := claude.Merge("PreToolUse", order[:i+1]...).Outcome(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if o := claude.Merge("Stop"); !o.Empty() || o.Outcome() != "ok" {
		t.Errorf("nothing is %q", o.Outcome())
	}
}

// Whatever is merged, stdout is nothing or one object that the client's schema takes, and a refusal is never lost.
func FuzzEncode(f *testing.F) {
	for i := range len(outputEvents) {
		f.Add(uint8(i), uint8(i*7), "halt", "deny", "context")
	}
	f.Add(uint8(3), uint8(255), "\xff\x00\u2028", strings.Repeat("é", 5000), strings.Repeat("😀", 9000))
	f.Fuzz(func(t *testing.T, eventIndex, mask uint8, one, two, three string) {
		event := outputEvents[int(eventIndex)%len(outputEvents)]
		parts := []claude.Output{claude.Halt(one), claude.Deny(two), claude.Ask(three), claude.Block(two), claude.Context(event, three), claude.Message(one), claude.Rescue(event, two), claude.Context("Other", one)}
		var chosen []claude.Output
		for i, p := range parts {
			if mask&(1<<i) != 0 {
				chosen = append(chosen, p)
			}
		}
		data, err := claude.Merge(event, chosen...).Encode(event)
		again, _ := claude.Merge(event, claude.Merge(event, chosen...)).Encode(event)
		if string(data) != string(again) {
			t.Fatalf("merging again changes %s to %s", data, again)
		}
		var shape *claude.ShapeError
		if err != nil && !errors.As(err, &shape) {
			t.Fatalf("Encode: %v", err)
		}
		if data == nil {
			return
		}
		if !utf8.Valid(data) || data[0] != '{' || data[len(data)-1] != '}' {
			t.Fatalf("Encode = %q", data)
		}
		a := parse(t, data)
		if a.Specific != nil && a.Specific.Event != event {
			t.Fatalf("%s names %s", data, event)
		}
		if event == "PreToolUse" && mask&3 != 0 && (a.Specific == nil || a.Specific.Decision == nil || *a.Specific.Decision != "deny") {
			t.Fatalf("a deny is lost: %s", data)
		}
		if (event == "Stop" || event == "UserPromptSubmit") && mask&9 == 8 && (a.Decision == nil || *a.Decision != "block" || *a.Reason == "") {
			t.Fatalf("a block is lost: %s", data)
		}
		switch event {
		case "PreCompact", "PostCompact", "SessionEnd", "StopFailure", "CwdChanged":
			t.Fatalf("%s is answered: %s", event, data)
		case "Stop", "SubagentStop":
			if a.Specific != nil {
				t.Fatalf("%s has a context: %s", event, data)
			}
		}
	})
}
