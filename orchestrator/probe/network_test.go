package probe_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
)

// network is a connection to one handler in memory, so that time can be the test's own.
type network struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve starts a server and gives a client that reaches it under every name.
func serve(t *testing.T, h http.Handler) *http.Client {
	t.Helper()
	n := &network{conns: make(chan net.Conn), done: make(chan struct{})}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context()) // a handler that did not read its request does not see the client leave
	s := &http.Server{BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wg.Add(1)
		defer wg.Done()
		h.ServeHTTP(w, r)
	})}
	wg.Go(func() { _ = s.Serve(n) })
	transport := &http.Transport{DialContext: n.dial, DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = s.Close()
		cancel()
		wg.Wait()
	})
	return &http.Client{Transport: transport}
}
