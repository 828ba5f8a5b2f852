// Command gwcopy listens on a unix socket and copies every request to one address and the answer back, by hand: read the body, send
// it, write what comes, flush. It is the floor of `make bench` for the gateway: the least that a Go proxy can do without cutting
// answers short. It checks nothing, retries nothing and looks at nothing.
//
//	gwcopy SOCKET URL
package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	l, err := net.Listen("unix", os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	tr := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	_ = http.Serve(l, handler(tr, os.Args[2]))
}

func handler(tr *http.Transport, base string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return
		}
		req, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			return
		}
		req.Header = r.Header.Clone()
		resp, err := tr.RoundTrip(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		rc := http.NewResponseController(w)
		buf := make([]byte, 32<<10)
		for {
			n, err := resp.Body.Read(buf)
			if n > 0 {
				if _, err := w.Write(buf[:n]); err != nil || rc.Flush() != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}
