package gateway

import (
	"bytes"
	"net/http"
	"net/textproto"
	"strings"
)

// hop are the headers of one connection (RFC 9110, section 7.6.1, and what older proxies use).
var hop = [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward copies the headers that pass: not those of the connection (also those that Connection names), and not those in except.
func forward(from http.Header, except ...string) http.Header {
	to := make(http.Header, len(from)+2)
	for name, values := range from {
		to[name] = values
	}
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

// outward are the headers for the endpoint: the client's own without its token, the endpoint's key, and no compression.
func outward(from http.Header, e Endpoint) http.Header {
	h := forward(from, "X-Api-Key", "Authorization", "Host", "Content-Length", "Accept-Encoding", "Expect", "Cookie")
	h["Accept-Encoding"] = []string{"identity"}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // none, not Go's own
	}
	auth := e.Auth
	if auth == "" {
		auth = "x-api-key"
		if e.API == "openai" {
			auth = "bearer"
		}
	}
	switch {
	case e.Key == "" || auth == "none":
	case auth == "bearer":
		h["Authorization"] = []string{"Bearer " + e.Key}
	default:
		h["X-Api-Key"] = []string{e.Key}
	}
	return h
}

// inward are the headers for the client. Lengths and codings are set anew by who writes the body.
func inward(from http.Header) http.Header {
	return forward(from, "Content-Length", "Content-Encoding", "Alt-Svc")
}

// conceal replaces the key in what an endpoint says: some repeat it in their errors.
func conceal(text []byte, e Endpoint) []byte {
	if len(e.Key) < 4 || !bytes.Contains(text, []byte(e.Key)) {
		return text
	}
	return bytes.ReplaceAll(text, []byte(e.Key), []byte("***"))
}

func concealHeader(h http.Header, e Endpoint) http.Header {
	if len(e.Key) < 4 {
		return h
	}
	for name, values := range h {
		for i, v := range values {
			if strings.Contains(v, e.Key) {
				values = append([]string(nil), values...)
				values[i] = strings.ReplaceAll(v, e.Key, "***")
				h[name] = values
			}
		}
	}
	return h
}
