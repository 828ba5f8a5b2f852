package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/command"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sh(t *testing.T, script string) *command.Backend {
	t.Helper()
	return command.New(command.Options{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"MINE=1"}, TempDir: t.TempDir()})
}

func question() llm.Request {
	return llm.Request{System: "S", Prompt: "P", Schema: []byte(`{"type":"object"}`), SchemaName: "vote", Model: "m", MaxTokens: 5, Temperature: 0.5}
}

func TestTheProgramSeesTheQuestionAndItsOwnFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := command.New(command.Options{Argv: []string{"/bin/sh", "-c", `echo "$MINE $DEVFLOW_CHILD $(ls -A | wc -l) $(pwd)"; cat`}, Env: []string{"MINE=1"}, TempDir: dir})
	got, err := b.Ask(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(got.Raw, "\n")
	if f := strings.Fields(head); len(f) != 4 || f[0] != "1" || f[1] != "1" || f[2] != "0" || !strings.Contains(f[3], "devflow-model-") {
		t.Errorf("surroundings = %q", head)
	}
	var q map[string]any
	if json.Unmarshal([]byte(body), &q) != nil || q["system"] != "S" || q["prompt"] != "P" || q["schema"] == nil || q["schema_name"] != "vote" || q["model"] != "m" || q["max_tokens"] != 5.0 || q["temperature"] != 0.5 {
		t.Errorf("question = %s", body)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, json, raw, model string
		in                       int64
		cost                     float64
	}{
		"the answer itself":  {script: `echo '{"ok":true}'`, raw: `{"ok":true}`, model: "m"},
		"words around it":    {script: `echo 'Here: {"ok":true}'`, raw: `Here: {"ok":true}`, model: "m"},
		"with its figures":   {script: `echo '{"answer":{"ok":true},"model":"n","tokens_in":7,"cost_usd":0.5}'`, json: `{"ok":true}`, model: "n", in: 7, cost: 0.5},
		"an error of nobody": {script: `echo '{"ok":true,"error":null}'`, raw: `"ok":true`, model: "m"},
	} {
		got, err := sh(t, c.script).Ask(t.Context(), question())
		cost := 0.0
		if got.CostUSD != nil {
			cost = *got.CostUSD
		}
		if err != nil || string(got.JSON) != c.json || !strings.Contains(got.Raw, c.raw) || got.Model != c.model || got.TokensIn != c.in || cost != c.cost {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		kind   error
	}{
		"quota":                       {`echo '{"error":"x","kind":"quota"}'`, llm.ErrQuota},
		"refused":                     {`echo '{"error":"x","kind":"refused"}'`, llm.ErrRefused},
		"truncated":                   {`echo '{"error":"x","kind":"truncated"}'`, llm.ErrTruncated},
		"timeout":                     {`echo '{"error":"x","kind":"timeout"}'`, llm.ErrTimeout},
		"by its words":                {`echo '{"error":"rate limited"}'`, llm.ErrQuota},
		"an object":                   {`echo '{"error":{"code":1}}'`, llm.ErrUnavailable},
		"a status":                    {`echo boom >&2; exit 3`, llm.ErrUnavailable},
		"a status, said":              {`echo "usage limit reached" >&2; exit 3`, llm.ErrQuota},
		"a status with a good answer": {`echo '{"ok":true}'; exit 1`, llm.ErrUnavailable},
		"too much":                    {`yes | head -c 9000000`, llm.ErrTruncated},
	} {
		if got, err := sh(t, c.script).Ask(t.Context(), question()); !errors.Is(err, c.kind) || got.JSON != nil {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	var known *llm.Error
	if _, err := command.New(command.Options{Argv: []string{"devflow-no-such-program"}}).Ask(t.Context(), question()); !errors.As(err, &known) || !known.Permanent {
		t.Errorf("a missing program: %v", err)
	}
}

func TestEndsAtTheDeadlineWithItsChildren(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := sh(t, "sleep 600 & sleep 600").Ask(ctx, question()); !errors.Is(err, llm.ErrTimeout) {
		t.Errorf("err = %v", err)
	}
}
