package claudecli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/proc"
)

// envelope is the result object that the client prints with --output-format json.
type envelope struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	IsError    bool            `json:"is_error"`
	Status     int             `json:"api_error_status"`
	Result     json.RawMessage `json:"result"`
	Structured json.RawMessage `json:"structured_output"`
	Stop       string          `json:"stop_reason"`
	Errors     []string        `json:"errors"`
	CostUSD    *float64        `json:"total_cost_usd"`
	Usage      struct {
		In         int64 `json:"input_tokens"`
		Out        int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Models map[string]struct {
		In         int64 `json:"inputTokens"`
		Out        int64 `json:"outputTokens"`
		CacheRead  int64 `json:"cacheReadInputTokens"`
		CacheWrite int64 `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"`
}

// read takes the answer out of what the client printed.
func read(res proc.Result, r llm.Request) (llm.Reply, error) {
	e, state := open(res.Stdout)
	switch {
	case state == cut || state == none && res.Truncated:
		return llm.Reply{}, llm.Fail(llm.ErrTruncated, "the output of the claude program breaks off")
	case state == none && res.Exit == 0: // a client that prints the answer bare
		return llm.Reply{Raw: string(res.Stdout), Model: r.Model}, nil
	case state == none:
		return llm.Reply{}, classify(0, "", string(res.Stderr)+" "+string(res.Stdout), res.Exit)
	}
	out := e.reply(r)
	switch text := e.text(); {
	case e.Stop == "refusal":
		return out, llm.Fail(llm.ErrRefused, "the model declined to answer")
	case strings.HasPrefix(e.Subtype, "error_max_structured_output"):
		return out, llm.Fail(llm.ErrSchema, "the model never gave an answer of the wanted form: %s", strings.Join(e.Errors, "; "))
	case e.Stop == "max_tokens", e.IsError && strings.Contains(text, "output token maximum"):
		return out, llm.Fail(llm.ErrTruncated, "the answer reached its length limit")
	case e.IsError, e.Subtype != "" && e.Subtype != "success", e.Status >= http.StatusBadRequest:
		return out, classify(e.Status, e.Subtype, text+" "+strings.Join(e.Errors, "; "), res.Exit)
	}
	if len(e.Structured) > 0 && e.Structured[0] == '{' {
		out.JSON = e.Structured
	}
	return out, nil
}

// states of an output.
type state int

const (
	none state = iota // no envelope
	cut               // the beginning of one
	full
)

// open finds the envelope: the whole output, the last of a list, or the last line that is one, for a client that prints
// notices before it.
func open(stdout []byte) (envelope, state) {
	var e envelope
	text := bytes.TrimSpace(stdout)
	if len(text) == 0 {
		return e, none
	}
	if json.Unmarshal(text, &e) == nil && e.Type == "result" {
		return e, full
	}
	var list []json.RawMessage
	if text[0] == '[' && json.Unmarshal(text, &list) == nil {
		text = bytes.Join(toLines(list), []byte("\n"))
	}
	lines := bytes.Split(text, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var e envelope
		if json.Unmarshal(lines[i], &e) == nil && e.Type == "result" {
			return e, full
		}
	}
	if bytes.Contains(text, []byte(`"type":"result"`)) || bytes.Contains(text, []byte(`"is_error":`)) || bytes.Contains(text, []byte(`"duration_api_ms":`)) {
		return e, cut
	}
	return envelope{}, none
}

func toLines(list []json.RawMessage) [][]byte {
	var out [][]byte
	for _, m := range list {
		var b bytes.Buffer
		if json.Compact(&b, m) == nil {
			out = append(out, b.Bytes())
		}
	}
	return out
}

func (e envelope) text() string {
	var s string
	if json.Unmarshal(e.Result, &s) != nil {
		return string(e.Result)
	}
	return s
}

func (e envelope) reply(r llm.Request) llm.Reply {
	out := llm.Reply{Raw: e.text(), Model: r.Model, CostUSD: e.CostUSD}
	most := int64(-1)
	for name, m := range e.Models {
		out.TokensIn += m.In + m.CacheRead + m.CacheWrite
		out.TokensOut += m.Out
		if m.Out > most || m.Out == most && name < out.Model {
			most, out.Model = m.Out, name
		}
	}
	if len(e.Models) == 0 {
		out.TokensIn, out.TokensOut = e.Usage.In+e.Usage.CacheRead+e.Usage.CacheWrite, e.Usage.Out
	}
	return out
}

// classify finds the kind of a failure in the status of the API and, where there is none, in the client's words.
func classify(status int, subtype, text string, exit int) error {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusTooManyRequests, llm.SaysQuota(text):
		e := llm.Fail(llm.ErrQuota, "%s", text)
		e.Permanent = status != http.StatusTooManyRequests
		return e
	case status == http.StatusUnauthorized, status == http.StatusForbidden, has("invalid api key", "/login", "not logged in", "oauth token"):
		return llm.FailForGood(llm.ErrUnavailable, "the claude program is not signed in: %s", text)
	case status == http.StatusNotFound, has("issue with the selected model", "may not exist"):
		return llm.FailForGood(llm.ErrUnavailable, "%s", text)
	case status == http.StatusRequestTimeout, has("request timed out"):
		return llm.Fail(llm.ErrTimeout, "%s", text)
	case has("usage policy"):
		return llm.Fail(llm.ErrRefused, "%s", text)
	case subtype != "" && subtype != "success":
		return llm.Fail(llm.ErrUnavailable, "%s: %s", subtype, text)
	case text == "":
		return llm.Fail(llm.ErrUnavailable, "the claude program ended with status %d and said nothing", exit)
	}
	return llm.Fail(llm.ErrUnavailable, "%s", text)
}
