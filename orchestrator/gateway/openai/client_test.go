package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
)

// completions is a chat completions endpoint that answers by a script and keeps what it was asked.
type completions struct {
	mu    sync.Mutex
	steps []string
	asked []string
}

func (c *completions) answer(body []byte) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, string(body))
	if len(c.steps) == 0 {
		return stream(`{"error":{"message":"the script is over","code":400}}`)
	}
	next := c.steps[0]
	c.steps = c.steps[1:]
	return next
}

// bridge is the shortest gateway: what a client asks is translated, asked there, and translated back in small pieces.
func (c *completions) bridge(t *testing.T) *httptest.Server {
	t.Helper()
	o := openai.Options{Model: "qwen", Window: 32768}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/messages" {
			http.NotFound(w, r)
			return
		}
		asked, err := o.Request(body)
		if err != nil {
			t.Errorf("translate %s: %v", body, err)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		back := o.Stream(w)
		for piece := []byte(c.answer(asked)); len(piece) > 0; {
			n := min(17, len(piece))
			_, _ = back.Write(piece[:n])
			piece = piece[n:]
		}
		_ = back.Close()
	}))
	t.Cleanup(s.Close)
	return s
}

func quote(t *testing.T, v any) string {
	t.Helper()
	inner, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := json.Marshal(string(inner))
	if err != nil {
		t.Fatal(err)
	}
	return string(outer)
}

// The real clients work through the translation: reasoning, parallel calls, a call that is no JSON, an image, the results of all of them.
func TestRealClientWorksThroughTheTranslation(t *testing.T) {
	t.Parallel()
	for _, version := range claudecli.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			client, err := claudecli.Find("../../..", version)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			png := filepath.Join(dir, "dot.png")
			writePNG(t, png)
			made := filepath.Join(dir, "a.txt")
			write := quote(t, map[string]string{"file_path": made, "content": "one \"two\" <three>\n"})
			steps := []string{
				stream(say(`{"role":"assistant","content":null,"reasoning_content":"think"}`), say(`{"content":"I write."}`),
					say(`{"tool_calls":[{"index":0,"id":"functions.Write:0","type":"function","function":{"name":"Write","arguments":""}},{"index":1,"id":"functions.Read:1","type":"function","function":{"name":"Read","arguments":`+quote(t, map[string]string{"file_path": png})+`}}]}`),
					say(`{"tool_calls":[{"index":0,"function":{"arguments":`+write+`}}]}`), end("tool_calls"), usage, "[DONE]"),
				stream(say(`{"tool_calls":[{"index":0,"id":"c2","function":{"name":"Write","arguments":"{\"file_path\":\"/x"}}]}`), end("tool_calls"), usage, "[DONE]"),
				stream(say(`{"content":"all "}`), say(`{"content":"done"}`), end("stop"), usage, "[DONE]"),
			}
			fake := &completions{steps: steps}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			res, err := client.Run(ctx, claudecli.Options{
				Home: t.TempDir(), Dir: dir, URL: fake.bridge(t).URL, Prompts: []string{"go"},
				Args: []string{"--model", "qwen", "--setting-sources", "", "--tools", "Read,Write,Bash"},
				Env:  []string{"CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1", "ENABLE_TOOL_SEARCH=false", "ANTHROPIC_MODEL=qwen"},
			})
			if err != nil {
				t.Fatal(err)
			}
			final := res.Final()
			if final.Subtype != "success" || final.IsError || final.Result != "all done" {
				t.Fatalf("result %s\nasked %q", final.Raw, fake.asked)
			}
			if got, err := os.ReadFile(made); err != nil || string(got) != "one \"two\" <three>\n" {
				t.Errorf("written %q (%v)", got, err)
			}
			if want := `"input_tokens":120`; !strings.Contains(string(final.Raw), want) { // 40 not cached, in three answers
				t.Errorf("result %s has no %s", final.Raw, want)
			}
			if len(fake.asked) != 3 {
				t.Fatalf("asked %d times: %q", len(fake.asked), fake.asked)
			}
			for what, want := range map[string]string{
				"reasoning":   `"reasoning_content":"think"`,
				"first call":  `{"id":"functions.Write:0","type":"function","function":{"name":"Write","arguments":`,
				"its result":  `"tool_call_id":"functions.Write:0"`,
				"second call": `"tool_call_id":"functions.Read:1"`,
				"image":       `{"type":"image_url","image_url":{"url":"data:image/`,
				"prompt":      `{"role":"system","content":"You are a Claude agent`,
			} {
				if !strings.Contains(fake.asked[1], want) {
					t.Errorf("%s: no %s in %s", what, want, fake.asked[1])
				}
			}
			if want := "could not be parsed as JSON"; !strings.Contains(fake.asked[2], want) {
				t.Errorf("no %q in %s", want, fake.asked[2])
			}
			for i, asked := range fake.asked {
				if strings.Contains(asked, "billing-header") || strings.Count(asked, `"role":"system"`) != 1 {
					t.Errorf("request %d holds the billing line, or not one system message: %s", i, asked)
				}
			}
		})
	}
}

// A stream that breaks after content is an error for the real client, and the call in it is not run.
func TestRealClientDoesNotRunWhatWasCut(t *testing.T) {
	t.Parallel()
	client, err := claudecli.Find("../../..", claudecli.Versions()[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	made := filepath.Join(dir, "a.txt")
	cut := stream(say(`{"content":"I write."}`), say(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"Write","arguments":`+quote(t, map[string]string{"file_path": made, "content": "x"})+`}}]}`))
	steps := make([]string, 20)
	for i := range steps {
		steps[i] = cut
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	res, err := client.Run(ctx, claudecli.Options{
		Home: t.TempDir(), Dir: dir, URL: (&completions{steps: steps}).bridge(t).URL, Prompts: []string{"go"},
		Args: []string{"--model", "qwen", "--setting-sources", "", "--tools", "Write"}, Env: []string{"CLAUDE_CODE_MAX_RETRIES=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if final := res.Final(); !final.IsError {
		t.Errorf("result %s, want an error", final.Raw)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the call of a stream that was cut has been run")
	}
}

func writePNG(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
