package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// gatewayRequest is a request of the measured size.
func gatewayRequest() string {
	const open, end = `{"model":"bench","stream":true,"max_tokens":100,"messages":[{"role":"user","content":"`, `"}]}`
	return open + strings.Repeat("x", gatewayBody-len(open)-len(end)) + end
}

// part runs a part of a measurement that is a process of its own; false when args name none.
func part(args []string, out io.Writer) (bool, error) {
	switch {
	case len(args) == 1 && args[0] == "endpoint-for-gateway":
		return true, serveEndpoint(out)
	case len(args) == 3 && args[0] == "gateway":
		return true, serveGateway(args[1], args[2], out)
	}
	return false, nil
}

func serveGateway(socket, address string, out io.Writer) error {
	_, err := gateway.Start(gateway.Options{
		Socket: socket, Token: gatewayToken,
		Upstream: func() gateway.Endpoint { return gateway.Endpoint{Name: "bench", URL: address, Key: "key-of-the-bench"} },
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	select {} // until it is killed
}

// gatewayStream is the streamed answer: twenty deltas.
func gatewayStream() string {
	var b strings.Builder
	event := func(name, rest string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, rest)
	}
	event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"bench","content":[],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":1}}`)
	event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	for range 20 {
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"some words of an answer"}`)
	}
	event("content_block_stop", `,"index":0`)
	event("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":120}`)
	event("message_stop", "")
	return b.String()
}

// serveEndpoint answers everything at once, without reading the request.
func serveEndpoint(out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	stream := gatewayStream()
	var seen sync.Map
	fmt.Fprintln(out, "http://"+l.Addr().String())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		refuse := func(status int) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)
		}
		switch q.Get("mode") {
		case "busy":
			w.Header().Set("X-Should-Retry", "false")
			refuse(529)
			return
		case "once":
			if _, again := seen.LoadOrStore(q.Get("n"), true); !again {
				w.Header().Set("Retry-After", "0")
				refuse(429)
				return
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	}))
}
