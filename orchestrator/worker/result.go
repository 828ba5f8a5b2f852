package worker

import (
	"encoding/json"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Result is what a turn came to.
type Result struct {
	Text       string             // the model's last words
	Subtype    string             // success, error_max_turns, …
	APIStatus  int                // HTTP status of the endpoint's last error; 0 = none
	MaxTurns   bool               // the bound on model calls ended the turn; the work may be complete
	Context    int64              // tokens that the last model call held, its answer included; 0 = no call was seen
	Usage      orchestrator.Usage // of this turn, over all its model calls
	Denied     []string           // calls that were refused, by rule or by guard: "Write /path"
	Structured json.RawMessage    // answer by Options.Schema; nil when the model gave none
	ToolCalls  int
}

// maxDenied bounds Result.Denied, maxText an error's words, and maxAnswer Result.Text, in bytes.
const maxDenied, maxText, maxAnswer = 50, 2000, 4 << 20

// outcome is the client's result line.
type outcome struct {
	Subtype    string          `json:"subtype"`
	IsError    bool            `json:"is_error"`
	APIStatus  *int            `json:"api_error_status"`
	Result     string          `json:"result"`
	Errors     []any           `json:"errors"`
	SessionID  string          `json:"session_id"`
	Usage      counts          `json:"usage"`
	Structured json.RawMessage `json:"structured_output"`
	Denials    []struct {
		Tool  string                     `json:"tool_name"`
		ID    string                     `json:"tool_use_id"`
		Input map[string]json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

// counts are token counts as the endpoint reports them.
type counts struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// onto overwrites what is given. Negative counts are nonsense of a foreign endpoint.
func (c counts) onto(u orchestrator.Usage) orchestrator.Usage {
	for _, f := range [...]struct {
		from *int64
		to   *int64
	}{{c.Input, &u.Input}, {c.Output, &u.Output}, {c.CacheRead, &u.CacheRead}, {c.CacheWrite, &u.CacheWrite}} {
		if f.from != nil && *f.from >= 0 {
			*f.to = *f.from
		}
	}
	return u
}

// verdict tells a result from an error. The client calls a turn that the endpoint's errors ended a success with is_error.
func (o outcome) verdict() error {
	status := 0
	if o.APIStatus != nil {
		status = *o.APIStatus
	}
	switch {
	case o.Subtype == "error_max_turns":
		return nil
	case o.APIStatus != nil, o.Subtype == "success" && o.IsError:
		return &APIError{status, cut(o.message(), maxText)}
	case o.Subtype != "success":
		return &TurnError{cut(o.Subtype, 100), o.messages()}
	}
	return nil
}

func (o outcome) message() string {
	if o.Result != "" {
		return o.Result
	}
	return strings.Join(o.messages(), "; ")
}

func (o outcome) messages() []string {
	var out []string
	for _, e := range o.Errors {
		text, ok := e.(string)
		if !ok {
			data, err := json.Marshal(e)
			if err != nil {
				continue // unreachable: it came from JSON
			}
			text = string(data)
		}
		if out = append(out, cut(text, maxText)); len(out) == 10 {
			break
		}
	}
	return out
}

func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "…"
	}
	return strings.ToValidUTF8(s, "?")
}

// target names what a refused call was about.
func target(tool string, input map[string]json.RawMessage) string {
	for _, key := range [...]string{"file_path", "notebook_path", "path", "command", "region"} {
		var s string
		if json.Unmarshal(input[key], &s) == nil && s != "" {
			return tool + " " + cut(s, 300)
		}
	}
	return tool
}
