package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

var (
	errTooLarge = errors.New("response too large")
	errRedirect = errors.New("redirect")
	errCut      = errors.New("response cut")
	errNotJSON  = errors.New("not JSON")
)

// bounded is a transport whose responses have an end, and whose successes are JSON as a whole: the client library would
// read for ever, and would take the beginning of a page for an answer.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper. The body of the response is in memory and its connection is free.
func (t bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode < http.StatusBadRequest {
		return nil, errRedirect
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read response: %w: %w", errCut, err)
	}
	if len(body) > maxBody {
		return nil, errTooLarge
	}
	if resp.StatusCode < http.StatusMultipleChoices && !isJSON(resp.Header.Get("Content-Type"), body) {
		return nil, errNotJSON
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (t bounded) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// isJSON goes by the type where one is given, except that some servers call JSON plain text; without one by the first byte.
func isJSON(contentType string, body []byte) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "application/json", "application/problem+json":
		return true
	case "text/html", "text/event-stream", "application/xml", "text/xml":
		return false
	}
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '{'
}
