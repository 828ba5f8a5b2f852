package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// echo writes what an endpoint repeats of the key, with a length.
func echo(c net.Conn, status, header, body string) {
	write(c, fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, header, len(body), body))
}

// Wherever an endpoint, or a proxy on the way, repeats the key that it was sent: neither the worker nor an event nor the figures have it.
func TestAnEndpointThatRepeatsTheKeyTellsItToNobody(t *testing.T) {
	t.Parallel()
	const kind = "Content-Type: application/json\r\n"
	fault := func(kind string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"no such key: ` + key + `"}}`
	}
	event := func(kind string) string { return "event: error\ndata: " + fault(kind) + "\n\n" }
	in := func(text string) string { return strings.Replace(text, "h\u00e9", "your key is "+key, 1) }
	for name, answer := range map[string]func(c net.Conn){
		"error":                  func(c net.Conn) { echo(c, "400 Bad Request", kind, fault("invalid_request_error")) },
		"error of another kind":  func(c net.Conn) { echo(c, "401 "+key, "Content-Type: text/"+key+"\r\n", "X-Api-Key: "+key) },
		"error to try again":     func(c net.Conn) { echo(c, "500 Oops", kind, fault("api_error")) },
		"header of an error":     func(c net.Conn) { echo(c, "403 Forbidden", "X-Echo: "+key+"\r\n"+key+": 1\r\n", "{}") },
		"name of a header":       func(c net.Conn) { echo(c, "200 OK", kind+"X-"+key+": 1\r\n", whole) },
		"redirect":               func(c net.Conn) { echo(c, "302 Found", "Location: https://other.invalid/"+key+"?k="+key+"\r\n", "") },
		"redirect to a host":     func(c net.Conn) { echo(c, "307 Found", "Location: //"+key+".invalid/\r\n", "") },
		"redirect to a scheme":   func(c net.Conn) { echo(c, "307 Found", "Location: "+key+"://x/\r\n", "") },
		"other status":           func(c net.Conn) { echo(c, "204 "+key, "", "") },
		"content type":           func(c net.Conn) { echo(c, "200 OK", "Content-Type: text/"+key+"\r\n", "<html>") },
		"coding":                 func(c net.Conn) { echo(c, "200 OK", "Content-Encoding: "+key+"\r\n", "x") },
		"no HTTP":                func(c net.Conn) { write(c, key+" is what you sent\r\n\r\n") },
		"broken status":          func(c net.Conn) { write(c, "HTTP/1.1 "+key+" x\r\n\r\n") },
		"broken header":          func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\n"+key+"\r\n\r\n") },
		"broken length":          func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nContent-Length: "+key+"\r\n\r\n") },
		"broken transfer coding": func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: "+key+"\r\n\r\n") },
		"broken chunk":           func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\n"+kind+"Transfer-Encoding: chunked\r\n\r\n"+key+"\r\n") },
		"retry after":            func(c net.Conn) { echo(c, "429 Busy", "Retry-After: "+key+"\r\n", fault("rate_limit_error")) },
		"whole answer":           func(c net.Conn) { echo(c, "200 OK", kind, strings.Replace(whole, `"hi"`, `"`+key+`"`, 1)) },
		"model":                  func(c net.Conn) { echo(c, "200 OK", kind, strings.Replace(whole, `m-1`, key, 1)) },
		"no JSON":                func(c net.Conn) { echo(c, "200 OK", kind, "{"+key) },
		"fault with status 200":  func(c net.Conn) { echo(c, "200 OK", kind, fault("invalid_request_error")) },
		"fault to try again":     func(c net.Conn) { echo(c, "200 OK", kind, fault("overloaded_error")) },
		"fault of kind key":      func(c net.Conn) { echo(c, "200 OK", kind, fault(key)) },
		"stream":                 func(c net.Conn) { write(c, head, in(streamed)) },
		"stream in pieces": func(c net.Conn) {
			for _, b := range in(streamed) {
				write(c, string(b))
			}
		},
		"comment":                func(c net.Conn) { write(c, head, ": "+key+"\n\n", streamed) },
		"event":                  func(c net.Conn) { write(c, head, evStart, "event: "+key+"\ndata: {}\n\n", evStop) },
		"message":                func(c net.Conn) { write(c, head, strings.ReplaceAll(streamed, "msg_1", key)) },
		"model of a stream":      func(c net.Conn) { write(c, head, strings.ReplaceAll(streamed, "m-1", key)) },
		"stop reason":            func(c net.Conn) { write(c, head, strings.ReplaceAll(streamed, "end_turn", key)) },
		"error first":            func(c net.Conn) { write(c, head, event("invalid_request_error")) },
		"error first, try again": func(c net.Conn) { write(c, head, event("overloaded_error")) },
		"error in the middle":    func(c net.Conn) { write(c, head, evStart, evOpen, evText, event("overloaded_error")) },
		"error of kind key":      func(c net.Conn) { write(c, head, evStart, event(key)) },
		"stream that is cut":     func(c net.Conn) { write(c, head, evStart, evOpen, "event: content_block_delta\ndata: "+key) },
		"stream without an end":  func(c net.Conn) { write(c, head, in(evStart+evOpen+evText)) },
		"not an event":           func(c net.Conn) { write(c, head, "data: "+key+"\n\n") },
		"very long line":         func(c net.Conn) { write(c, head, evStart, strings.Repeat("x", 9<<20)+key+"\n\n") },
		"very long line, cut": func(c net.Conn) {
			write(c, head, evStart, strings.Repeat("x", 17<<20-10)+key+strings.Repeat("x", 17<<20))
		},
		"trailer": func(c net.Conn) {
			write(c, "HTTP/1.1 200 OK\r\n"+kind+"Trailer: X-Echo\r\nTransfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\nX-Echo: %s\r\n\r\n", len(whole), whole, key))
		},
		"early hints": func(c net.Conn) {
			write(c, "HTTP/1.1 103 Early\r\nLink: "+key+"\r\n\r\n")
			echo(c, "200 OK", kind, whole)
		},
	} {
		for _, form := range []string{"anthropic", "bearer", "openai", "stored"} {
			for _, body := range []string{ask, plain} {
				t.Run(name+"/"+form, func(t *testing.T) {
					t.Parallel()
					w := serve(t, raw(t, func(_ int, c net.Conn, r *http.Request) {
						if !strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), key) {
							t.Error("the endpoint was not sent the key")
						}
						answer(c)
					}), func(o *gateway.Options) { o.Budget, o.Store = 50*time.Millisecond, form == "stored" })
					w.swap(func(e *gateway.Endpoint) {
						if form == "openai" {
							e.API = "openai"
						}
						if form == "bearer" {
							e.Auth = "bearer"
						}
					})
					got := w.post(body)
					if text := fmt.Sprint(got.status, got.header, got.body); strings.Contains(text, key) {
						at := strings.Index(text, key)
						t.Errorf("the worker is told: %s", text[max(0, at-200):at+len(key)])
					}
					if got.err != nil && got.err != io.ErrUnexpectedEOF {
						t.Error(got.err)
					}
					stats := w.Stats()
					w.mu.Lock()
					defer w.mu.Unlock()
					if text := fmt.Sprintf("%+v %+v %+v", w.events, w.usage, stats); strings.Contains(strings.ToLower(text), key) {
						at := strings.Index(strings.ToLower(text), key)
						t.Errorf("the person is told: %s", text[max(0, at-200):at+len(key)])
					}
				})
			}
		}
	}
}
