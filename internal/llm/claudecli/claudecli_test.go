package claudecli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/claudecli"
)

// The test binary plays the client when these are set. Their names begin as those that reach the client do.
const (
	sayVar   = "ANTHROPIC_TEST_SAY"   // what it prints
	exitVar  = "ANTHROPIC_TEST_EXIT"  // its status
	lacksVar = "ANTHROPIC_TEST_LACKS" // options that it does not know, separated by commas
	logVar   = "ANTHROPIC_TEST_LOG"   // file for what it saw, one line per call
)

func TestMain(m *testing.M) {
	if log := os.Getenv(logVar); log != "" {
		os.Exit(play(log))
	}
	goleak.VerifyTestMain(m)
}

// call is what the played client saw.
type call struct {
	Args  []string
	Stdin string
	Env   []string
	Dir   string
	Files int
	Mode  os.FileMode
}

func play(log string) int {
	stdin, err := io.ReadAll(os.Stdin)
	dir, _ := os.Getwd()
	files, _ := os.ReadDir(dir)
	info, statErr := os.Stat(dir)
	if err != nil || statErr != nil {
		return 9
	}
	line, _ := json.Marshal(call{os.Args[1:], string(stdin), os.Environ(), dir, len(files), info.Mode().Perm()})
	f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 9
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
	for _, lacks := range strings.Split(os.Getenv(lacksVar), ",") {
		if lacks != "" && slices.Contains(os.Args, lacks) {
			fmt.Fprintf(os.Stderr, "error: unknown option '%s'\n", lacks)
			return 1
		}
	}
	say := os.Getenv(sayVar)
	if say == "hang" {
		time.Sleep(time.Hour)
	}
	if text, ok := strings.CutPrefix(say, "stderr:"); ok {
		fmt.Fprint(os.Stderr, text)
	} else {
		fmt.Print(say)
	}
	if os.Getenv(exitVar) != "" {
		return 1
	}
	return 0
}

const schema = `{"type":"object","required":["reason","ok"],"properties":{"reason":{"type":"string"},"ok":{"type":"boolean"}},"additionalProperties":false}`

func question() llm.Request {
	return llm.Request{System: "You judge.", Prompt: "Is it?", Schema: []byte(schema), SchemaName: "vote", Model: "claude-haiku-4-5-20251001", MaxTokens: 500, Temperature: 0.7}
}

// played is a backend whose client is this test binary; calls tells what it saw.
func played(t *testing.T, user ...string) (b *claudecli.Backend, calls func() []call) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	temp := filepath.Join(dir, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	b = claudecli.New(claudecli.Options{Path: self, TempDir: temp, Thinking: 1024, Environ: append(user, logVar+"="+log)})
	return b, func() []call {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var out []call
		for line := range strings.Lines(string(data)) {
			var c call
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
		return out
	}
}

const fine = `{"type":"result","subtype":"success","is_error":false,"result":"{\"reason\":\"r\",\"ok\":true}","structured_output":{"reason":"r","ok":true},"stop_reason":"tool_use",` +
	`"total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2},"modelUsage":{"a":{"inputTokens":10,"outputTokens":3,"cacheReadInputTokens":5},"b":{"inputTokens":1,"outputTokens":9}}}`

func TestTheClientIsAloneWithTheQuestion(t *testing.T) {
	t.Parallel()
	b, calls := played(t, sayVar+"="+fine, "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_OAUTH_TOKEN=o", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s", "CLAUDE_PROJECT_DIR=/p",
		"AWS_SECRET_ACCESS_KEY=a", "GITHUB_TOKEN=g", "LD_PRELOAD=x", "HTTPS_PROXY=http://127.0.0.1:1", "DEVFLOW_CHILD=0", "NODE_OPTIONS=--require=x")
	got, err := b.Ask(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	if string(got.JSON) != `{"reason":"r","ok":true}` || got.Model != "b" || got.TokensIn != 16 || got.TokensOut != 12 || got.CostUSD == nil || *got.CostUSD != 0.5 {
		t.Errorf("reply = %+v", got)
	}
	c := calls()[0]
	want := []string{
		"-p", "--model", "claude-haiku-4-5-20251001", "--output-format", "json", "--tools", "", "--setting-sources", "",
		"--no-session-persistence", "--strict-mcp-config", "--json-schema", schema, "--system-prompt", "You judge.",
	}
	if d := cmp.Diff(want, c.Args); d != "" || c.Stdin != "Is it?" {
		t.Errorf("stdin %q, arguments (-want +got):\n%s", c.Stdin, d)
	}
	if c.Files != 0 || c.Mode != 0o700 || !strings.Contains(c.Dir, "devflow-model-") {
		t.Errorf("folder %s with %d files, mode %o", c.Dir, c.Files, c.Mode)
	}
	for _, want := range []string{"DEVFLOW_CHILD=1", "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_OAUTH_TOKEN=o", "HTTPS_PROXY=http://127.0.0.1:1", "MAX_THINKING_TOKENS=1024", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1524", "CLAUDE_CODE_MAX_RETRIES=1"} {
		if !slices.Contains(c.Env, want) {
			t.Errorf("the environment lacks %s", want)
		}
	}
	for _, kv := range c.Env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD", "NODE_OPTIONS":
			t.Errorf("the environment holds %s", kv)
		}
	}
}

func TestACloudSignsInByItsOwnVariables(t *testing.T) {
	t.Parallel()
	b, calls := played(t, sayVar+"="+fine, "CLAUDE_CODE_USE_BEDROCK=1", "AWS_PROFILE=p", "GOOGLE_CLOUD_PROJECT=q")
	if _, err := b.Ask(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	env := calls()[0].Env
	if !slices.Contains(env, "AWS_PROFILE=p") || slices.Contains(env, "GOOGLE_CLOUD_PROJECT=q") {
		t.Errorf("environment = %q", env)
	}
}

func TestAClientWithoutSomeOptionsIsAskedInAnotherWay(t *testing.T) {
	t.Parallel()
	b, calls := played(t, sayVar+"="+fine, lacksVar+"=--json-schema,--system-prompt,--no-session-persistence,--strict-mcp-config")
	for range 2 {
		if _, err := b.Ask(t.Context(), question()); err != nil {
			t.Fatal(err)
		}
	}
	list := calls()
	if len(list) != 4+1+1 {
		t.Fatalf("%d calls: what was learnt was forgotten", len(list))
	}
	last := list[len(list)-1]
	want := []string{"-p", "--model", "claude-haiku-4-5-20251001", "--output-format", "json", "--tools", "", "--setting-sources", ""}
	if d := cmp.Diff(want, last.Args); d != "" || !strings.HasPrefix(last.Stdin, "You judge.\n\nIs it?") || !strings.Contains(last.Stdin, schema) {
		t.Errorf("stdin %q, arguments (-want +got):\n%s", last.Stdin, d)
	}
	for _, needed := range []string{"--tools", "--setting-sources"} {
		b, calls := played(t, sayVar+"="+fine, lacksVar+"="+needed)
		_, err := b.Ask(t.Context(), question())
		var known *llm.Error
		if !errors.As(err, &known) || !known.Permanent || !strings.Contains(err.Error(), needed) || len(calls()) != 1 {
			t.Errorf("without %s: %v", needed, err)
		}
	}
}

func TestWhatTheClientPrints(t *testing.T) {
	t.Parallel()
	envelope := func(members string) string { return `{"type":"result",` + members + `}` }
	for name, c := range map[string]struct {
		say       string
		exit      bool
		kind      error
		permanent bool
		json, raw string
	}{
		"no structured output":    {say: envelope(`"subtype":"success","is_error":false,"result":"Here: {\"ok\":true}"`), raw: `Here: {"ok":true}`},
		"a notice before it":      {say: "Update available\n" + fine, json: `{"reason":"r","ok":true}`, raw: `{"reason":"r","ok":true}`},
		"a list of messages":      {say: `[{"type":"system"},` + fine + `]`, json: `{"reason":"r","ok":true}`, raw: `{"reason":"r","ok":true}`},
		"a bare answer":           {say: `{"ok":true}`, raw: `{"ok":true}`},
		"an error of success":     {say: envelope(`"subtype":"success","is_error":true,"api_error_status":500,"result":"API Error: 500 boom"`), exit: true, kind: llm.ErrUnavailable, raw: "API Error: 500 boom"},
		"an error that exits 0":   {say: envelope(`"subtype":"success","is_error":true,"result":"{\"ok\":true}"`), kind: llm.ErrUnavailable, raw: `{"ok":true}`},
		"rate limit":              {say: envelope(`"subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: Request rejected (429)"`), exit: true, kind: llm.ErrQuota, raw: "API Error: Request rejected (429)"},
		"usage limit":             {say: envelope(`"subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1796"`), exit: true, kind: llm.ErrQuota, permanent: true, raw: "Claude AI usage limit reached|1796"},
		"no credit":               {say: envelope(`"subtype":"success","is_error":true,"api_error_status":400,"result":"Credit balance is too low"`), exit: true, kind: llm.ErrQuota, permanent: true, raw: "Credit balance is too low"},
		"not signed in":           {say: envelope(`"subtype":"success","is_error":true,"result":"Not logged in · Please run /login"`), exit: true, kind: llm.ErrUnavailable, permanent: true, raw: "Not logged in · Please run /login"},
		"wrong key":               {say: envelope(`"subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"`), exit: true, kind: llm.ErrUnavailable, permanent: true, raw: "Invalid API key"},
		"refusal":                 {say: envelope(`"subtype":"success","is_error":true,"stop_reason":"refusal","result":"x"`), exit: true, kind: llm.ErrRefused, raw: "x"},
		"length":                  {say: envelope(`"subtype":"success","is_error":true,"stop_reason":"stop_sequence","result":"API Error: Claude's response exceeded the 32000 output token maximum."`), exit: true, kind: llm.ErrTruncated, raw: "API Error: Claude's response exceeded the 32000 output token maximum."},
		"never of the form":       {say: envelope(`"subtype":"error_max_structured_output_retries","is_error":true,"errors":["no"]`), exit: true, kind: llm.ErrSchema},
		"too many turns":          {say: envelope(`"subtype":"error_max_turns","is_error":false`), kind: llm.ErrUnavailable},
		"cut":                     {say: fine[:len(fine)-30], kind: llm.ErrTruncated},
		"cut early":               {say: `{"type":"result","structured_output":{"reason":"r","ok":true},"is_er`, kind: llm.ErrTruncated},
		"nothing":                 {say: "stderr:", exit: true, kind: llm.ErrUnavailable},
		"only words":              {say: "stderr:connect ECONNREFUSED", exit: true, kind: llm.ErrUnavailable},
		"words of a limit":        {say: "stderr:5-hour limit reached", exit: true, kind: llm.ErrQuota, permanent: true},
		"an answer with status 1": {say: `{"ok":true}`, exit: true, kind: llm.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := []string{sayVar + "=" + c.say}
			if c.exit {
				user = append(user, exitVar+"=1")
			}
			b, _ := played(t, user...)
			got, err := b.Ask(t.Context(), question())
			var known *llm.Error
			if !errors.Is(err, c.kind) || errors.As(err, &known) && known.Permanent != c.permanent {
				t.Errorf("err = %v (%+v), want %v", err, known, c.kind)
			}
			if string(got.JSON) != c.json || got.Raw != c.raw {
				t.Errorf("answer %s, raw %q", got.JSON, got.Raw)
			}
		})
	}
}

func TestEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	b, _ := played(t, sayVar+"=hang")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.Ask(ctx, question()); !errors.Is(err, llm.ErrTimeout) {
		t.Errorf("err = %v", err)
	}
}

func TestWithoutAClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o     claudecli.Options
		model string
		long  bool
	}{
		"not installed":  {claudecli.Options{Path: "devflow-no-such-claude"}, "m", false},
		"no model":       {claudecli.Options{}, "", false},
		"an option":      {claudecli.Options{}, "--dangerously-skip-permissions", false},
		"long questions": {claudecli.Options{}, "m", true},
	} {
		q := question()
		q.Model = c.model
		if c.long {
			q.System = strings.Repeat("x", 200<<10)
		}
		var known *llm.Error
		if _, err := claudecli.New(c.o).Ask(t.Context(), q); !errors.As(err, &known) || !errors.Is(err, llm.ErrUnavailable) || !known.Permanent {
			t.Errorf("%s: %v", name, err)
		}
	}
}
