// Command gwcopy listens on a unix socket and copies every request to one address and the answer back, by hand: read the body, send
// it, write what comes, flush. It is the floor of `make bench` for the gateway: the least that a Go proxy can do without cutting
// answers short. It checks nothing, retries nothing and looks at nothing.
//
//	gwcopy SOCKET URL
package main

import (
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
