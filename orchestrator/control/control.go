// Package control is how other processes talk to the one that drives a run: over a unix socket of mode 0600 in a folder of the
// user's own, never over the gateway's sockets, which workers can reach.
//
// It owns the socket file. It carries figures and orders; what they mean is the driver's business.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway"
)

// ErrNobody says that no process drives the run.
var ErrNobody = errors.New("nobody drives the run")

// limits of one exchange.
const (
	maxBody = 1 << 20
	timeout = 10 * time.Second
)

// Worker is what the driver knows about the worker of a region at this moment.
type Worker struct {
	Region   string    `json:"region"`
	Endpoint string    `json:"endpoint"`
	Task     string    `json:"task,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Doing    string    `json:"doing"` // idle, starting, working, checking, integrating
	Context  int64     `json:"context"`
	Tokens   int64     `json:"tokens"`
	LastAt   time.Time `json:"last_at,omitzero"`
	Last     string    `json:"last,omitempty"` // what it did last, one line
}

// Health is how an endpoint answers.
type Health struct {
	Endpoint string `json:"endpoint"`
	URL      string `json:"url"`
	Dead     bool   `json:"dead"`
	Requests int64  `json:"requests"`
	Retries  int64  `json:"retries"`
	Failures int64  `json:"failures"`
	Error    string `json:"error,omitempty"` // the last one
}

// Live is what only the driver knows.
type Live struct {
	PID       int      `json:"pid"`
	Confine   string   `json:"confine"`
	Lacks     []string `json:"lacks,omitempty"`
	Tokens    int64    `json:"tokens"` // of attempts that have not ended, too
	CostUSD   float64  `json:"cost_usd"`
	Workers   []Worker `json:"workers"`
	Endpoints []Health `json:"endpoints"`
}

// Driver is what the server asks. Its methods are called from many goroutines.
type Driver interface {
	Live() Live
	// Swap replaces an endpoint of the run; fields that are empty in e keep their values.
	Swap(e gateway.Endpoint) error
	// Stop ends the run so that it can be resumed.
	Stop(reason string)
}

// Server answers on the socket until it is closed.
type Server struct {
	http *http.Server
	done chan error
	path string
}

// Serve listens on the socket; a file that a dead driver left there is replaced.
func Serve(path string, d Driver) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/live", func(w http.ResponseWriter, _ *http.Request) { answer(w, d.Live(), nil) })
	mux.HandleFunc("POST /v1/swap", func(w http.ResponseWriter, r *http.Request) {
		var e wire
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&e); err != nil {
			answer(w, nil, fmt.Errorf("decode endpoint: %w", err))
			return
		}
		e.Endpoint.Key = e.Key
		answer(w, struct{}{}, d.Swap(e.Endpoint))
	})
	mux.HandleFunc("POST /v1/stop", func(w http.ResponseWriter, r *http.Request) {
		reason, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
		if err == nil {
			d.Stop(strings.ToValidUTF8(string(reason), "?"))
		}
		answer(w, struct{}{}, err)
	})
	s := &Server{http: &http.Server{Handler: mux, ReadHeaderTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout}, done: make(chan error, 1), path: path}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Close stops listening and removes the socket. It may be called once.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	_ = os.Remove(s.path)
	if err != nil {
		return fmt.Errorf("close control: %w", err)
	}
	return nil
}

type failure struct {
	Error string `json:"error"`
}

func answer(w http.ResponseWriter, value any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		value = failure{err.Error()}
	}
	_ = json.NewEncoder(w).Encode(value) // the one who asked may be gone
}

// Client talks to the driver at a socket.
type Client struct{ Socket string }

// Live asks for the present figures; ErrNobody when no driver listens.
func (c Client) Live(ctx context.Context) (Live, error) {
	var live Live
	return live, c.call(ctx, http.MethodGet, "/v1/live", nil, &live)
}

// Swap gives the run another endpoint in place of the one with the name of e.
func (c Client) Swap(ctx context.Context, e gateway.Endpoint) error {
	body, err := json.Marshal(wire{e, e.Key})
	if err != nil {
		return fmt.Errorf("encode endpoint: %w", err)
	}
	return c.call(ctx, http.MethodPost, "/v1/swap", body, nil)
}

// Stop asks the driver to end the run so that it can be resumed.
func (c Client) Stop(ctx context.Context, reason string) error {
	return c.call(ctx, http.MethodPost, "/v1/stop", []byte(reason), nil)
}

// wire sends the key, which the encoding of an endpoint hides.
type wire struct {
	gateway.Endpoint
	Key string `json:"key"`
}

func (c Client) call(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://devflock.invalid"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the driver: %w", err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", c.Socket)
	}, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	var refused *net.OpError
	switch {
	case errors.As(err, &refused) && refused.Op == "dial":
		return ErrNobody
	case err != nil:
		return fmt.Errorf("ask the driver: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return fmt.Errorf("ask the driver: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		var f failure
		if json.Unmarshal(data, &f) != nil || f.Error == "" {
			f.Error = resp.Status
		}
		return fmt.Errorf("ask the driver: %s", f.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("ask the driver: decode answer: %w", err)
	}
	return nil
}
