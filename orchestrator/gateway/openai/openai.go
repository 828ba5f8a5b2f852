package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai/request"
)

// Options say how to translate for one endpoint. The zero value is usable.
type Options struct {
	Model     string        // name of the model at the endpoint; "" = the one of the request
	Window    int64         // context of the endpoint in tokens; max_tokens is cut so that prompt and answer fit; 0 = unknown, nothing is cut
	MaxOutput int64         // upper bound of max_tokens; 0 = none
	Estimate  int64         // input tokens to report when the server reports none; 0 = report 0
	ID        func() string // makes an id where the server gave none, called by one goroutine; nil = random
}

// Request translates a request for a model; see [Options.Request].
func Request(body []byte, model string) ([]byte, error) { return Options{Model: model}.Request(body) }

// Request translates the body of a POST to /v1/messages. The error is plain: the body is no such request, and a server would refuse it
// too. Safe for concurrent use.
func (o Options) Request(body []byte) ([]byte, error) {
	return request.Options{Model: o.Model, Window: o.Window, MaxOutput: o.MaxOutput}.Translate(body)
}

// encode is json.Marshal without the escaping for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write json: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
