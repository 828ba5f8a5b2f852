// Package openai asks any endpoint that speaks the chat completions wire format: hosted ones, gateways, and servers on the
// own machine.
//
// The key is given by the caller, is sent to the configured address only (no redirect is followed, no proxy of the
// environment is used) and is never part of an error. The answer's form is asked for as strict as the endpoint allows: a
// JSON schema, a JSON object, or words alone, found out by what it refuses and remembered. The package owns no table and no
// file.
package openai

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	wire "github.com/sashabaranov/go-openai"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/redact"
)

// Options of a backend.
type Options struct {
	BaseURL string // with the version, for example http://127.0.0.1:11434/v1; required
	Key     string // "" sends none
	Proxy   string // URL of an HTTP proxy; "" = none, whatever the environment says
	// Connect bounds the time to a connection and to the TLS handshake; 0 is 10 seconds. How long an answer may take is
	// the context's matter.
	Connect time.Duration
}

// Bounds.
const (
	connectTimeout = 10 * time.Second
	maxBody        = 4 << 20 // bytes of a response
)

// Backend implements llm.Backend. Close lets go of idle connections.
type Backend struct {
	client  *wire.Client
	http    *http.Client
	key     string
	dialect atomic.Pointer[dialect] // what worked last
}

// dialect is what differs between endpoints.
type dialect struct {
	form    form
	noLimit bool // no max_completion_tokens; servers that do not know it ignore it as a rule
	noTemp  bool // no temperature
}

// form is how the form of an answer is asked for, from strict to loose.
type form int

const (
	formSchema form = iota
	formObject
	formPlain
)

// New makes a backend. The address has to be http or https and name a host; a password in it is refused.
func New(o Options) (*Backend, error) {
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, errors.New("read base URL: not a URL") // the cause would quote it
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, errors.New("read base URL: want http://HOST/… or https://HOST/…")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("read base URL: it must hold no user, no query and no fragment")
	case strings.ContainsAny(o.Key, "\r\n\x00"):
		return nil, errors.New("read key: it holds a line break")
	}
	connect := o.Connect
	if connect <= 0 {
		connect = connectTimeout
	}
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connect}).DialContext,
		TLSHandshakeTimeout: connect, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10,
	}
	if o.Proxy != "" {
		proxy, err := url.Parse(o.Proxy)
		if err != nil || proxy.Host == "" {
			return nil, errors.New("read proxy: not a URL")
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	b := &Backend{key: o.Key}
	b.dialect.Store(&dialect{})
	b.http = &http.Client{
		Transport:     bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	config := wire.DefaultConfig(o.Key)
	config.BaseURL, config.HTTPClient = strings.TrimRight(base.String(), "/"), b.http
	b.client = wire.NewClientWithConfig(config)
	return b, nil
}

// Name implements llm.Backend.
func (b *Backend) Name() string { return "openai" }

// Close lets go of idle connections.
func (b *Backend) Close() { b.http.CloseIdleConnections() }

// Ask implements llm.Backend. Within one call it asks again only where the endpoint refused the form of the question; what
// it accepted is remembered.
func (b *Backend) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	d := *b.dialect.Load()
	for {
		req := request(r, d)
		resp, err := b.client.CreateChatCompletion(ctx, req)
		if err == nil {
			b.dialect.Store(&d)
			return b.reply(resp)
		}
		if !d.loosen(err, req) {
			return llm.Reply{}, b.failure(ctx, err)
		}
	}
}

func request(r llm.Request, d dialect) wire.ChatCompletionRequest {
	system := r.System
	if d.form != formSchema && len(r.Schema) > 0 {
		system += "\n\nAnswer with one JSON object and nothing else. It has to satisfy this JSON schema:\n" + string(r.Schema)
	}
	req := wire.ChatCompletionRequest{
		Model: r.Model,
		Messages: []wire.ChatCompletionMessage{
			{Role: wire.ChatMessageRoleSystem, Content: system},
			{Role: wire.ChatMessageRoleUser, Content: r.Prompt},
		},
	}
	if !d.noTemp {
		req.Temperature = float32(r.Temperature)
	}
	if !d.noLimit {
		req.MaxCompletionTokens = r.MaxTokens
	}
	switch {
	case d.form == formSchema && len(r.Schema) > 0:
		name := r.SchemaName
		if name == "" {
			name = "answer"
		}
		req.ResponseFormat = &wire.ChatCompletionResponseFormat{
			Type:       wire.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &wire.ChatCompletionResponseFormatJSONSchema{Name: name, Schema: json.RawMessage(r.Schema), Strict: true},
		}
	case d.form <= formObject:
		req.ResponseFormat = &wire.ChatCompletionResponseFormat{Type: wire.ChatCompletionResponseFormatTypeJSONObject}
	}
	return req
}

// loosen changes the dialect after a refusal and reports whether asking in the new one is worth it. Every step takes
// something away, so it ends.
func (d *dialect) loosen(err error, req wire.ChatCompletionRequest) bool {
	status, text := statusOf(err)
	text = strings.ToLower(text)
	if errors.Is(err, wire.ErrReasoningModelLimitationsOther) || errors.Is(err, wire.ErrReasoningSamplingUnsupported) {
		text, status = "temperature", http.StatusBadRequest
	}
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && status != http.StatusNotImplemented || llm.SaysQuota(text) {
		return false
	}
	for _, other := range [...]string{"context length", "context_length", "maximum context", "model_not_found", "content_filter"} {
		if strings.Contains(text, other) {
			return false
		}
	}
	switch {
	case !d.noLimit && req.MaxCompletionTokens > 0 && strings.Contains(text, "max_completion_tokens"):
		d.noLimit = true
	case !d.noTemp && req.Temperature != 0 && strings.Contains(text, "temperature"):
		d.noTemp = true
	case d.form < formPlain:
		d.form++
		if req.ResponseFormat != nil && req.ResponseFormat.Type == wire.ChatCompletionResponseFormatTypeJSONObject {
			d.form = formPlain
		}
	default:
		return false
	}
	return true
}

func (b *Backend) reply(resp wire.ChatCompletionResponse) (llm.Reply, error) {
	out := llm.Reply{Model: redact.Clip(b.safe(resp.Model), maxModel), TokensIn: int64(resp.Usage.PromptTokens), TokensOut: int64(resp.Usage.CompletionTokens)}
	if len(resp.Choices) == 0 {
		return out, llm.Fail(llm.ErrUnavailable, "the endpoint answered without a choice")
	}
	choice := resp.Choices[0]
	out.Raw = choice.Message.Content
	switch {
	case choice.Message.Refusal != "":
		return out, llm.Fail(llm.ErrRefused, "%s", b.safe(choice.Message.Refusal))
	case choice.FinishReason == wire.FinishReasonContentFilter:
		return out, llm.Fail(llm.ErrRefused, "the endpoint's filter stopped the answer")
	case choice.FinishReason == wire.FinishReasonLength:
		return out, llm.Fail(llm.ErrTruncated, "the answer reached its length limit")
	case strings.TrimSpace(out.Raw) == "" && (len(choice.Message.ToolCalls) > 0 || choice.Message.FunctionCall != nil):
		return out, llm.Fail(llm.ErrSchema, "the model called a tool instead of answering")
	case strings.TrimSpace(out.Raw) == "":
		return out, llm.Fail(llm.ErrSchema, "the answer is empty")
	}
	return out, nil
}

// statusOf gives the HTTP status and the text of a refusal of the endpoint, 0 when it did not come to one.
func statusOf(err error) (int, string) {
	var api *wire.APIError
	var plain *wire.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode, strings.TrimSpace(fmt.Sprint(api.Message, " ", api.Type, " ", code(api.Code)))
	case errors.As(err, &plain):
		return plain.HTTPStatusCode, strings.ToValidUTF8(string(plain.Body), "")
	}
	return 0, ""
}

func code(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// failure turns an error of the client into one of ours.
func (b *Backend) failure(ctx context.Context, err error) error {
	if ended := llm.Ended(ctx); ended != nil {
		return ended
	}
	status, text := statusOf(err)
	const shown = 300
	if text = b.safe(text); len(text) > shown { // cut behind the key was taken out, so that no part of it is left
		text = strings.ToValidUTF8(text[:shown], "")
	}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired, status >= 400 && llm.SaysQuota(text):
		e := llm.Fail(llm.ErrQuota, "status %d: %s", status, text)
		lower := strings.ToLower(text)
		e.Permanent = status == http.StatusPaymentRequired || strings.Contains(lower, "insufficient") || strings.Contains(lower, "exceeded your current quota")
		return e
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.FailForGood(llm.ErrUnavailable, "status %d: the endpoint does not accept the key: %s", status, text)
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return llm.Fail(llm.ErrTimeout, "status %d: %s", status, text)
	case status >= 300 && status < 400:
		return llm.FailForGood(llm.ErrUnavailable, "status %d: the endpoint redirects; set the address that it leads to", status)
	case status >= 400 && status < 500 && strings.Contains(strings.ToLower(text), "content_filter"):
		return llm.Fail(llm.ErrRefused, "the endpoint's filter refused the question")
	case status >= 400 && status < 500:
		return llm.FailForGood(llm.ErrUnavailable, "status %d: %s", status, text)
	case status >= 500:
		return llm.Fail(llm.ErrUnavailable, "status %d: %s", status, text)
	}
	return b.transportFailure(err)
}

// transportFailure is about errors below HTTP and about bodies that are no answer.
func (b *Backend) transportFailure(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return llm.Fail(llm.ErrUnavailable, "the response has more than %d bytes", maxBody)
	case errors.Is(err, errRedirect):
		return llm.FailForGood(llm.ErrUnavailable, "the endpoint redirects; set the address that it leads to")
	case errors.Is(err, errNotJSON):
		return llm.Fail(llm.ErrUnavailable, "the endpoint answers with something that is no JSON; does the address end in /v1?")
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		return llm.Fail(llm.ErrTruncated, "the response breaks off")
	case errors.As(err, &syntax), errors.As(err, &kind):
		return llm.Fail(llm.ErrUnavailable, "the response is no chat completion")
	case errors.As(err, &dns):
		return llm.Fail(llm.ErrUnavailable, "the endpoint's host cannot be found")
	case errors.As(err, &timeout) && timeout.Timeout():
		return llm.Fail(llm.ErrTimeout, "the connection timed out")
	}
	text := err.Error()
	var where *url.Error
	if errors.As(err, &where) {
		text = where.Err.Error()
	}
	return llm.Fail(llm.ErrUnavailable, "%s", b.safe(text))
}

// safe takes the key out of text of the endpoint, which may repeat it.
func (b *Backend) safe(text string) string {
	const shortest = 4
	if len(b.key) < shortest {
		return text
	}
	text = strings.ReplaceAll(text, b.key, "[redacted]")
	if plain := visible(text); strings.Contains(plain, b.key) { // broken up by what nobody sees
		text = strings.ReplaceAll(plain, b.key, "[redacted]")
	}
	return text
}

// maxModel bounds the name of a model that an endpoint reports, in bytes.
const maxModel = 100

// visible is a text without characters that take no room.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
