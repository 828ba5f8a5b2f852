package gateway

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/gate"
	"github.com/devflow-suite/devflow/orchestrator/gateway/socket"
	"github.com/devflow-suite/devflow/orchestrator/gateway/upstream"
)

const deadFrom = gate.Dead

// Gateway serves one socket. Safe for concurrent use.
type Gateway struct {
	o         Options
	token     [sha256.Size]byte
	transport http.RoundTripper
	own       *http.Transport // to be closed; nil when it is the caller's
	server    *http.Server
	cancel    context.CancelCauseFunc
	wait      sync.WaitGroup
	close     sync.Once

	expected atomic.Bool // the first request with tools had them all
	number   atomic.Int64
	bodies   atomic.Int64 // bytes of request bodies that are held
	buffers  sync.Pool
	count    counters

	mu      sync.Mutex
	pending map[*try]struct{} // tries that nothing was told of yet
	stirred chan struct{}     // has one element when pending has become non-empty
	lacking map[string]bool   // "base path": what an endpoint does not have
}

// errMoved cancels a try because the endpoint is another one now; errClosed because the gateway is closed.
var (
	errMoved  = errors.New("the endpoint was replaced")
	errClosed = errors.New("gateway is closed")
)

// Start listens on the socket, mode 0600, and serves until [Gateway.Close]. A socket file that nobody serves any more is replaced.
func Start(o Options) (*Gateway, error) {
	if o.Socket == "" || o.Token == "" || o.Upstream == nil {
		return nil, fmt.Errorf("start gateway: %w: Socket, Token and Upstream are required", ErrOptions)
	}
	o.fill()
	g := &Gateway{
		o: o, token: sha256.Sum256([]byte(o.Token)), transport: o.Transport,
		pending: map[*try]struct{}{}, stirred: make(chan struct{}, 1), lacking: map[string]bool{},
		buffers: sync.Pool{New: func() any { b := make([]byte, readSize); return &b }},
	}
	if g.transport == nil {
		g.own = upstream.Transport()
		g.transport = g.own
	}
	l, err := socket.Listen(o.Socket, maxConns)
	if err != nil {
		return nil, fmt.Errorf("start gateway: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	g.cancel = cancel
	g.server = &http.Server{
		Handler: http.HandlerFunc(g.serve), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 15 * time.Minute, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	g.wait.Go(func() {
		_ = g.server.Serve(l)
	})
	g.wait.Go(func() { g.follow(ctx) })
	return g, nil
}

func (o *Options) fill() {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.Budget, DefaultBudget)
	def(&o.FirstByte, DefaultFirstByte)
	def(&o.Idle, DefaultIdle)
	def(&o.Ping, DefaultPing)
	if o.Gates == nil {
		o.Gates = &Gates{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
}

// Close drops all connections, waits until nothing of the gateway runs any more and removes the socket. It may be called twice.
func (g *Gateway) Close() error {
	var err error
	g.close.Do(func() {
		g.cancel(errClosed)
		err = g.server.Close()
		g.wait.Wait()
		if g.own != nil {
			g.own.CloseIdleConnections()
		}
	})
	return err
}

// follow cancels what waits when the endpoint has become another one.
func (g *Gateway) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.stirred:
		}
		for g.waits() {
			g.sleep(ctx)
			if ctx.Err() != nil {
				return
			}
			g.Wake()
		}
	}
}

// sleep waits for a change of the endpoint, or for the next look.
func (g *Gateway) sleep(ctx context.Context) {
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	var changed <-chan struct{}
	if g.o.Changed != nil {
		changed = g.o.Changed()
	}
	select {
	case <-ctx.Done():
	case <-changed:
	case <-timer.C:
	}
}

func (g *Gateway) waits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.pending) > 0
}

// Wake makes requests that wait look at the endpoint at once. It is not needed with [Options.Changed].
func (g *Gateway) Wake() {
	now := g.o.Upstream()
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.pending {
		if !t.to.Same(now) {
			t.cancel(errMoved)
			delete(g.pending, t)
		}
	}
}

// enlist makes a try one that a change of the endpoint cancels.
func (g *Gateway) enlist(t *try) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.to = g.o.Upstream() // under the lock: a change after this finds the try
	if len(g.pending) == 0 {
		select {
		case g.stirred <- struct{}{}:
		default:
		}
	}
	g.pending[t] = struct{}{}
}

// settle makes a try one that goes on whatever becomes of the endpoint; false when it was canceled already.
func (g *Gateway) settle(t *try) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.pending[t]
	delete(g.pending, t)
	return ok
}

// gate is the way to an endpoint. Different keys are different accounts with bounds of their own.
func (g *Gateway) gate(e Endpoint) *gate.Gate { return g.o.Gates.Gate(e.Base() + "\x00" + e.Key) }
