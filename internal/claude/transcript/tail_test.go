package transcript_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

func say(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // unreachable: a string
	}
	return `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":` + string(quoted) + `}]}}` + "\n"
}

const (
	prompt = `{"type":"user","message":{"content":"go on"}}` + "\n"
	result = `{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}}` + "\n"
	use    = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}` + "\n"
	hook   = `{"attachment":{"type":"hook_success","hookName":"Stop"},"type":"attachment"}` + "\n"
)

func TestTailHas(t *testing.T) {
	t.Parallel()
	odd := "quote \" slash \\ line\nbreak \t é 😀 <b> \u2028 end"
	long := strings.Repeat(odd, 5000)
	for _, tc := range []struct {
		name, content, text string
		want                bool
	}{
		{"the last line", prompt + say("done"), "done", true},
		{"nothing to wait for", "", "", true},
		{"white space to wait for", "", " \n", true},
		{"an empty file", "", "done", false},
		{"only lines of the client behind it", prompt + say("done") + hook + `{"type":"last-prompt","x":1}` + "\n", "done", true},
		{"escapes", prompt + say(odd), odd, true},
		{"a long text", prompt + say(long), long, true},
		{"white space around", prompt + say(" done\n"), "done ", true},
		{"another text", prompt + say("doing"), "done", false},
		{"the same text of an earlier turn", prompt + say("done") + prompt, "done", false},
		{"the same text before a tool call", prompt + say("done") + use + result, "done", false},
		{"the same text before a tool call without an answer yet", prompt + say("done") + use, "done", false},
		{"not whole yet", prompt + strings.TrimSuffix(say("done"), "\n"), "done", false},
		{"the last of several blocks", prompt + say("first") + say("second"), "first\nsecond", true},
		{"one line only", say("done"), "done", true},
		{"a broken line behind it", prompt + say("done") + "{\"type\n", "done", true},
		{"a huge line behind it", prompt + say("done") + `{"type":"x","y":"` + strings.Repeat("z", 3<<20) + `"}` + "\n", "done", true},
		{"behind a huge line", prompt + `{"type":"x","y":"` + strings.Repeat("z", 3<<20) + `"}` + "\n" + say("done"), "done", true},
		{"many small lines behind it", prompt + say("done") + strings.Repeat(hook, 5000), "done", true},
		{"the summary of the last turn", say("done") + strings.Repeat(hook, 5000) + prompt, "done", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := transcript.TailHas(write(t, tc.content), tc.text); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if transcript.TailHas(filepath.Join(t.TempDir(), "none"), "done") {
		t.Error("a missing file has the text")
	}
}

func TestWaitTailSeesALateLine(t *testing.T) {
	t.Parallel()
	path := write(t, prompt)
	synctest.Test(t, func(t *testing.T) {
		go func() {
			time.Sleep(108 * time.Millisecond)
			if err := os.WriteFile(path, []byte(prompt+say("done")), 0o600); err != nil {
				t.Error(err)
			}
		}()
		start := time.Now()
		if !transcript.WaitTail(t.Context(), path, "done") {
			t.Error("the line was not seen")
		}
		if waited := time.Since(start); waited < 108*time.Millisecond || waited > 125*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestWaitTailGivesUp(t *testing.T) {
	t.Parallel()
	path := write(t, prompt)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if transcript.WaitTail(t.Context(), path, "done") || time.Since(start) != 250*time.Millisecond {
			t.Errorf("gave up after %v", time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		start = time.Now()
		if transcript.WaitTail(ctx, path+"none", "done") || time.Since(start) != 20*time.Millisecond {
			t.Errorf("ended %v after its context", time.Since(start))
		}
	})
}
