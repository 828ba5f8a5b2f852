package openai

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxMessage bounds an error text that is passed on, in bytes.
const maxMessage = 2000

// Error translates the error answer of a server, whatever it is (JSON of OpenAI's form or another, text, a web page), into the status
// and body that Anthropic would answer with. status is the server's.
func Error(status int, body []byte) (int, []byte) {
	p := problem{kindOf(status), "the endpoint answered " + statusText(status)}
	var top map[string]json.RawMessage
	trimmed := strings.TrimSpace(string(body))
	switch {
	case json.Unmarshal(body, &top) == nil:
		if found := findProblem(top); found != nil {
			p.Message = found.Message
			if found.Kind != "api_error" && status == http.StatusBadRequest {
				p.Kind = found.Kind
			}
		}
	case trimmed != "" && trimmed[0] != '<':
		p.Message += ": " + trimmed
	case trimmed != "":
		p.Message += " with a web page: is the address right, and the tunnel open?"
	}
	p.Message = clip(p.Message)
	out, err := encode(errorEvent{"error", p})
	if err != nil { // unreachable: strings always encode
		return status, nil
	}
	return status, out
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "with status " + strconv.Itoa(status)
}

// kindOf gives Anthropic's error type of a status (platform documentation, "Errors").
func kindOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable, 529:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if status >= 400 && status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}

// findProblem finds the error in an object: {"error":{…}} (OpenAI, llama-server), {"error":"…"} (Ollama),
// {"object":"error","message":…} (vLLM), {"detail":…} (FastAPI); nil when there is none.
func findProblem(top map[string]json.RawMessage) *problem {
	type fields struct {
		Message loose           `json:"message"`
		Type    loose           `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	raw := top["error"]
	var f fields
	switch {
	case len(raw) > 0 && raw[0] == '{':
		_ = json.Unmarshal(raw, &f)
		if f.Message == "" {
			f.Message = loose(raw)
		}
	case len(raw) > 0 && raw[0] == '"':
		_ = f.Message.UnmarshalJSON(raw)
	case string(top["object"]) == `"error"`:
		f = fields{Code: top["code"]}
		_ = json.Unmarshal(top["message"], &f.Message)
		_ = json.Unmarshal(top["type"], &f.Type)
	case top["choices"] == nil && len(top["detail"]) > 0:
		if _ = f.Message.UnmarshalJSON(top["detail"]); f.Message == "" {
			f.Message = loose(top["detail"])
		}
	default:
		return nil
	}
	if f.Message == "" {
		f.Message = "the endpoint reported an error without a text"
	}
	return &problem{classify(string(f.Type), strings.Trim(string(f.Code), `"`), string(f.Message)), string(f.Message)}
}

// classify gives the nearest Anthropic error type. The message is looked at only for what decides whether a retry helps: a prompt that
// is too long never will.
func classify(kind, code, message string) string {
	switch kind {
	case "authentication_error", "permission_error", "not_found_error", "request_too_large", "rate_limit_error", "overloaded_error",
		"timeout_error", "invalid_request_error", "api_error", "billing_error":
		if code != "429" && code != "529" && code != "503" {
			return kind
		}
	}
	switch code {
	case "400", "context_length_exceeded", "invalid_value":
		return "invalid_request_error"
	case "401", "invalid_api_key":
		return "authentication_error"
	case "403":
		return "permission_error"
	case "404", "model_not_found":
		return "not_found_error"
	case "413":
		return "request_too_large"
	case "429", "rate_limit_exceeded", "insufficient_quota":
		return "rate_limit_error"
	case "503", "529":
		return "overloaded_error"
	case "504":
		return "timeout_error"
	}
	lower := strings.ToLower(kind + " " + message)
	switch {
	case strings.Contains(lower, "rate limit") || strings.Contains(lower, "too many requests") || strings.Contains(lower, "quota"):
		return "rate_limit_error"
	case strings.Contains(lower, "overloaded") || strings.Contains(lower, "unavailable"):
		return "overloaded_error"
	case strings.Contains(lower, "exceed_context") || strings.Contains(lower, "context length") || strings.Contains(lower, "context size") ||
		strings.Contains(lower, "badrequest"):
		return "invalid_request_error"
	}
	return "api_error"
}

// clip bounds a text without cutting a character in two.
func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	n := maxMessage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
