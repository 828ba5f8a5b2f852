// Package upstream is what a gateway needs towards endpoints: connections, headers both ways, bodies decoded and translated.
//
// It decides nothing: what an answer means is for its caller.
package upstream

import (
	"maps"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
)

// hop are the headers of one connection (RFC 9110, section 7.6.1, and what older proxies use).
var hop = [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward copies the headers that pass: not those of the connection (also those that Connection names), and not those in except.
func forward(from http.Header, except ...string) http.Header {
	to := make(http.Header, len(from)+2)
	maps.Copy(to, from)
	for _, value := range from["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			delete(to, textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)))
		}
	}
	for _, name := range hop {
		delete(to, name)
	}
	for _, name := range except {
		delete(to, name)
	}
	return to
}

// Headers are the headers for the endpoint: the client's own without its token, the endpoint's key, and no compression.
func Headers(from http.Header, e endpoint.Endpoint) http.Header {
	h := forward(from, "X-Api-Key", "Authorization", "Host", "Content-Length", "Accept-Encoding", "Expect", "Cookie")
	h["Accept-Encoding"] = []string{"identity"}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // none, not Go's own
	}
	auth := e.Auth
	if e.API == endpoint.APIOpenAI {
		for name := range h {
			if strings.HasPrefix(name, "Anthropic-") {
				delete(h, name)
			}
		}
	}
	if auth == "" {
		auth = endpoint.AuthKey
		if e.API == endpoint.APIOpenAI {
			auth = endpoint.AuthBearer
		}
	}
	switch {
	case e.Key == "" || auth == endpoint.AuthNone:
	case auth == endpoint.AuthBearer:
		h["Authorization"] = []string{"Bearer " + e.Key}
	default:
		h["X-Api-Key"] = []string{e.Key}
	}
	return h
}

// Back are the headers for the client. Lengths and codings are set anew by who writes the body.
func Back(from http.Header) http.Header {
	return forward(from, "Content-Length", "Content-Encoding", "Alt-Svc")
}
