package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/gateway/gate"
	"github.com/devflow-suite/devflow/orchestrator/gateway/socket"
)

// What the packages below call by other names.
type (
	// Endpoint is one place where a model answers.
	Endpoint = endpoint.Endpoint
	// Prices are USD per million tokens.
	Prices = endpoint.Prices
	// Usage counts tokens.
	Usage = endpoint.Usage
	// Book is the endpoints file of a run.
	Book = endpoint.Book
	// Gates are shared by all gateways of a process; the zero value is usable.
	Gates = gate.Set
)

// OpenBook reads an endpoints file; see [endpoint.OpenBook].
func OpenBook(path string) (*Book, error) { return endpoint.OpenBook(path) }

// Defaults of [Options] and the bounds of what cannot be chosen.
const (
	DefaultBudget    = 9 * time.Minute // below the 600 seconds that the client announces in X-Stainless-Timeout
	DefaultFirstByte = 5 * time.Minute
	DefaultIdle      = 3 * time.Minute
	DefaultPing      = 15 * time.Second

	// silence is how long a request may stay without a byte of answer: the clients 2.1.197 and 2.1.332 hang up after 300 seconds.
	silence = 270 * time.Second
	// share is the part of the client's own time-out that is used.
	share = 0.9
	// afterStop is how long an endpoint may keep a stream open behind message_stop.
	afterStop = 5 * time.Second
	// sideBudget bounds requests that nothing depends on: token counts and the list of models.
	sideBudget = 20 * time.Second
	// quickRead bounds reading the text of an error.
	quickRead = 10 * time.Second
	// lookAgain is how often the endpoint is read anew without a Changed channel while something waits.
	lookAgain = 500 * time.Millisecond
)

// Bounds of sizes, in bytes, and of numbers.
const (
	MaxBody      = 64 << 20  // of one request; more is answered with 413
	maxBodies    = 256 << 20 // of all requests that a gateway holds at once
	maxReply     = 64 << 20  // of an answer that is not streamed, or is stored
	maxErrorText = 1 << 20   // of the text of an error
	maxHeld      = 9 << 20   // of a stream before its first event is whole; above sse.MaxEvent
	maxConns     = 128       // connections of the worker; more have to wait
	maxHeader    = 256 << 10 // of a request's header
	firstAlloc   = 8 << 20   // bodies announced as larger are still allocated as they arrive
	readSize     = 32 << 10
)

// Options of a gateway. Socket, Token and Upstream are required.
type Options struct {
	Socket   string          // path of the unix socket; its folder exists and should be the user's alone
	Token    string          // what the worker has to show as x-api-key or bearer token
	Upstream func() Endpoint // read anew for every try; must not block. An endpoint that is not usable counts as one that does not answer
	// Changed gives a channel that is closed at the next change of what Upstream says ([Book.Changed]); nil: it is asked twice a
	// second while requests wait.
	Changed func() <-chan struct{}
	Gates   *Gates   // shared with the other gateways of the run; nil: this gateway's own
	Expect  []string // tools that the first request with tools must offer; otherwise it is refused without asking the endpoint

	Budget    time.Duration // within which a request may be tried; 0 = DefaultBudget
	FirstByte time.Duration // from sending a request to the first event of a streamed answer; 0 = DefaultFirstByte
	Idle      time.Duration // between two pieces of an answer; 0 = DefaultIdle
	Ping      time.Duration // between pings to a client that waits for a stream; 0 = DefaultPing, negative = none
	// Store holds a streamed answer back until it is whole, so that one that dies in the middle is tried again unseen. The client
	// sees pings meanwhile and then everything at once.
	Store bool

	Allow     func() error      // asked before every try; an error is told to the client (402), the endpoint is not asked. nil = go on
	OnUsage   func(Reply)       // after every answer of the endpoint that used tokens; must not block
	OnEvent   func(Event)       // must not block
	Transport http.RoundTripper // nil: own connections, no proxy, no compression, no redirects
	Log       *slog.Logger      // nil: nothing is logged
	Now       func() time.Time  // for times in events and dates in headers; nil = time.Now
	Random    func() float64    // 0 ≤ x < 1, for the spread of pauses; nil = math/rand/v2
}

// Errors of [Start] that a caller can do something about.
var (
	ErrOptions    = errors.New("gateway options are not usable")
	ErrSocketPath = socket.ErrPath
	ErrServed     = socket.ErrServed
)
