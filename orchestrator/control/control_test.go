package control_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/orchestrator/control"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

type driver struct {
	mu      sync.Mutex
	live    control.Live
	swapped []gateway.Endpoint
	stopped []string
	refuse  error
}

func (d *driver) Live() control.Live { return d.live }

func (d *driver) Swap(e gateway.Endpoint) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.swapped = append(d.swapped, e)
	return d.refuse
}

func (d *driver) Stop(reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = append(d.stopped, reason)
}

func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dfc") // a test's own folder may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "control")
}

func TestOrdersReachTheDriver(t *testing.T) {
	t.Parallel()
	path := socket(t)
	if err := os.WriteFile(path, nil, 0o600); err != nil { // left by one that was killed
		t.Fatal(err)
	}
	d := &driver{live: control.Live{PID: 7, Confine: "bwrap", Workers: []control.Worker{{Region: "api", Doing: "working", Tokens: 5}}, Endpoints: []control.Health{{Endpoint: "main", Dead: true}}}}
	s, err := control.Serve(path, d)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v; want mode 0600", info.Mode(), err)
	}
	c := control.Client{Socket: path}
	live, err := c.Live(t.Context())
	if d := cmp.Diff(d.live, live); d != "" || err != nil {
		t.Errorf("live (-want +got): %v\n%s", err, d)
	}
	e := gateway.Endpoint{Name: "main", URL: "http://127.0.0.1:1", Key: "sk-secret", Prices: &gateway.Prices{Input: 1}}
	if err := c.Swap(t.Context(), e); err != nil {
		t.Error(err)
	}
	if err := c.Stop(t.Context(), "lunch"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]gateway.Endpoint{e}, d.swapped); diff != "" {
		t.Errorf("swapped (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lunch"}, d.stopped); diff != "" {
		t.Errorf("stopped (-want +got):\n%s", diff)
	}
	d.refuse = errors.New("no such endpoint")
	if err := c.Swap(t.Context(), e); err == nil || !strings.Contains(err.Error(), "no such endpoint") || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("refused swap: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Live(t.Context()); !errors.Is(err, control.ErrNobody) {
		t.Errorf("after the end: %v, want ErrNobody", err)
	}
}

func TestNobodyAndStrangers(t *testing.T) {
	t.Parallel()
	path := socket(t)
	if _, err := (control.Client{Socket: path}).Live(t.Context()); !errors.Is(err, control.ErrNobody) {
		t.Errorf("no socket: %v", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stranger := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })}
	go func() { _ = stranger.Serve(l) }()
	t.Cleanup(func() { stranger.Close() })
	if _, err := (control.Client{Socket: path}).Live(t.Context()); err == nil || errors.Is(err, control.ErrNobody) {
		t.Errorf("a stranger's answer: %v, want an error about it", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("over"))
	if err := (control.Client{Socket: path}).Stop(ctx, ""); err == nil {
		t.Error("a context that has ended was not noticed")
	}
}

func TestGarbageIsAnAnswerNotACrash(t *testing.T) {
	t.Parallel()
	path := socket(t)
	s, err := control.Serve(path, &driver{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}, DisableKeepAlives: true}}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/v1/swap", "{", 400}, {"POST", "/v1/swap", strings.Repeat(" ", 2<<20), 400}, {"GET", "/v1/swap", "", 405}, {"GET", "/v1/else", "", 404}, {"POST", "/v1/stop", strings.Repeat("x", 9000), 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://x"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s %s with %d bytes: status %d, want %d", c.method, c.path, len(c.body), resp.StatusCode, c.want)
		}
	}
}
