// Package command asks through a program of the user's choice.
//
// The program reads one JSON object from its standard input:
//
//	{"system":"…","prompt":"…","schema":{…},"schema_name":"…","model":"…","max_tokens":0,"temperature":0}
//
// and prints either the answer itself, or
//
//	{"answer":{…},"model":"…","tokens_in":1,"tokens_out":1,"cost_usd":0.01}
//
// or a failure, whose kind is unavailable, quota, refused, truncated or timeout:
//
//	{"error":"what happened","kind":"quota"}
//
// A status other than 0 is a failure as well. It runs in an empty private folder and is ended with its group at the
// deadline. The package owns no table; the folders are removed before Ask returns.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/proc"
)

// Options of a backend.
type Options struct {
	Argv    []string // the program, by absolute path or name on PATH, and its arguments; required
	Env     []string // KEY=value entries on top of what every child sees
	TempDir string   // where private folders are made; "" is the system's
}

const (
	maxOutput = 4 << 20
	grace     = 1 * time.Second
)

// Backend implements llm.Backend.
type Backend struct{ o Options }

// New makes a backend. It does not look whether the program is there.
func New(o Options) *Backend { return &Backend{o} }

// Name implements llm.Backend.
func (b *Backend) Name() string { return "command" }

type question struct {
	System      string          `json:"system"`
	Prompt      string          `json:"prompt"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	SchemaName  string          `json:"schema_name,omitempty"`
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Temperature float64         `json:"temperature,omitempty"`
}

type answer struct {
	Answer    json.RawMessage `json:"answer"`
	Model     string          `json:"model"`
	TokensIn  int64           `json:"tokens_in"`
	TokensOut int64           `json:"tokens_out"`
	CostUSD   *float64        `json:"cost_usd"`
	Error     json.RawMessage `json:"error"`
	Kind      string          `json:"kind"`
}

// Ask implements llm.Backend.
func (b *Backend) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	in, err := json.Marshal(question{r.System, r.Prompt, r.Schema, r.SchemaName, r.Model, r.MaxTokens, r.Temperature})
	if err != nil {
		return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "encode the question: %v", err)
	}
	dir, err := os.MkdirTemp(b.o.TempDir, "devflow-model-")
	if err != nil {
		return llm.Reply{}, llm.Fail(llm.ErrUnavailable, "make a private folder: %v", err)
	}
	defer os.RemoveAll(dir)
	res, err := proc.Run(ctx, proc.Cmd{Argv: b.o.Argv, Dir: dir, Env: b.o.Env, Stdin: in, MaxOutput: maxOutput, Grace: grace})
	if err != nil {
		return llm.Reply{}, startFailure(ctx, err)
	}
	return read(res, r.Model)
}

func startFailure(ctx context.Context, err error) error {
	if ended := llm.Ended(ctx); ended != nil {
		return ended
	}
	e := llm.Fail(llm.ErrUnavailable, "%v", err)
	e.Permanent = errors.Is(err, proc.ErrNotFound)
	return e
}

func read(res proc.Result, model string) (llm.Reply, error) {
	out := llm.Reply{Raw: string(res.Stdout), Model: model}
	var a answer
	isObject := json.Unmarshal(bytes.TrimSpace(res.Stdout), &a) == nil
	if isObject {
		out.TokensIn, out.TokensOut, out.CostUSD = a.TokensIn, a.TokensOut, a.CostUSD
		if a.Model != "" {
			out.Model = a.Model
		}
	}
	switch {
	case isObject && said(a.Error):
		return out, failure(a.Kind, text(a.Error))
	case res.Exit != 0:
		return out, failure("", string(res.Stderr))
	case res.Truncated:
		return out, llm.Fail(llm.ErrTruncated, "the program printed too much")
	case isObject && len(a.Answer) > 0 && a.Answer[0] == '{':
		out.JSON = a.Answer
	}
	return out, nil
}

func said(v json.RawMessage) bool {
	return !slices.Contains([]string{"", "null", "false", `""`}, string(v))
}

func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

func failure(kind, text string) error {
	switch kind {
	case "quota":
		return llm.Fail(llm.ErrQuota, "%s", text)
	case "refused":
		return llm.Fail(llm.ErrRefused, "%s", text)
	case "truncated":
		return llm.Fail(llm.ErrTruncated, "%s", text)
	case "timeout":
		return llm.Fail(llm.ErrTimeout, "%s", text)
	}
	if llm.SaysQuota(text) {
		return llm.Fail(llm.ErrQuota, "%s", text)
	}
	return llm.Fail(llm.ErrUnavailable, "%s", text)
}
