package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// Options of a worker. Client, Sandbox, Home, Socket, Token and Dir are required; all paths are absolute.
type Options struct {
	Client    string          // the claude program
	Sandbox   sandbox.Sandbox // how it is confined
	Home      string          // private home folder, made with mode 0700; transcripts live there
	Socket    string          // unix socket of the worker's gateway
	Token     string          // what the gateway wants to see; never a real key
	Tree      string          // root of the work tree, readable; "" = Dir
	Dir       string          // folder that the client starts in: the region's first
	Writable  []string        // folders of the region; none = it reads only
	CommonDir string          // the repository's common git directory, readable; "" = no repository
	Model     string          // name of the model at the endpoint; "" leaves it to the client
	Window    int64           // context tokens of the model, from which the client compacts in time; 0 leaves it to the client
	Foreign   bool            // the endpoint is not Anthropic's own: no experimental headers
	MaxTurns  int             // model calls of one turn; 0 = no bound
	System    string          // appended to the client's system prompt
	Tools     []string        // nil = Read, Write, Edit, Bash, Glob, Grep; empty = none at all
	Schema    []byte          // JSON schema of the answer; nil = free text
	Regions   regions.Backend // what ask_region and request_change do; nil = they are not offered
	Region    string          // name of the worker's own region
	Network   bool            // its commands may reach the network
	ReadOnly  []sandbox.Bind  // more that it may read: toolchains, caches
	ReadWrite []sandbox.Bind  // more that its commands may write, outside of the region: private caches
	Hide      []string        // of all that, what it may not
	Env       []string        // more environment (PATH, GOFLAGS, …); names of the recipe win
	Procs     int             // processes and threads at most, where the machine can limit them; 0 = no limit
	Memory    int64           // bytes at most, likewise
	Stall     time.Duration   // without a line from the client it is dead; 0 = never. Time that it waits for us does not count
	Session   string          // id to use, a UUID; "" = a new one
	Resume    bool            // go on with Session when its transcript is there
	Record    io.Writer       // gets the client's raw lines; from one goroutine
	Log       *slog.Logger    // nil = none; no prompt and no answer is logged

	seams seams
}

// seams open barriers one by one, so that each can be tested alone. Only tests of this package can set them.
type seams struct {
	everything bool                // the permission rules allow every file
	unguarded  bool                // the hook's guard lets everything pass
	handshake  time.Duration       // instead of handshakeLimit
	hold       func(method string) // runs before an MCP message is answered
}

// Errors that callers branch on. Every other error of Start and Turn is one of the machine, too, unless it is a *TurnError.
var (
	// ErrStalled: the client said nothing for Options.Stall. It was killed.
	ErrStalled = errors.New("worker has stalled")
	// ErrEnded: the client has ended, by itself or because of an earlier error. The session can be resumed in a new worker.
	ErrEnded = errors.New("worker has ended")
	// ErrNotReady: the client started, but without what it must offer on its first turn (tools of package regions).
	ErrNotReady = errors.New("worker is not ready")
)

// APIError is an answer of the endpoint that ended a turn, after the retries of the gateway and of the client. It is the
// endpoint's failure, not the worker's.
type APIError struct {
	Status  int    // HTTP status; 0 when the answer broke off
	Message string // the client's words, cut
}

// Error implements error.
func (e *APIError) Error() string {
	if e.Status == 0 {
		return "endpoint failed: " + e.Message
	}
	return fmt.Sprintf("endpoint failed with status %d: %s", e.Status, e.Message)
}

// TurnError is a turn that the client gave up: neither a success nor an error of the endpoint, for example an interrupted one.
type TurnError struct {
	Subtype  string // error_during_execution, …
	Messages []string
}

// Error implements error.
func (e *TurnError) Error() string {
	return strings.TrimSuffix("turn ended with "+e.Subtype+": "+strings.Join(e.Messages, "; "), ": ")
}

// defaultTools are what a worker gets.
var defaultTools = [...]string{"Read", "Write", "Edit", "Bash", "Glob", "Grep"}

// maxArg bounds one argument of a process; Linux allows 128 KiB.
const maxArg = 120 << 10

var uuidForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
})

// toolForm is what may stand in the comma-separated list of tools.
var toolForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,100}$`) })

func (o *Options) complete() error {
	if o.Tree == "" {
		o.Tree = o.Dir
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Tools == nil {
		o.Tools = defaultTools[:]
	}
	if o.Sandbox.Kind() == "" {
		return errors.New("no sandbox chosen")
	}
	for _, p := range append([]string{o.Client, o.Home, o.Socket, o.Dir, o.Tree}, o.Writable...) {
		if !filepath.IsAbs(p) || strings.ContainsRune(p, 0) {
			return fmt.Errorf("%q is not an absolute path", p)
		}
	}
	if o.CommonDir != "" && !filepath.IsAbs(o.CommonDir) {
		return fmt.Errorf("%q is not an absolute path", o.CommonDir)
	}
	if o.Token == "" || strings.ContainsAny(o.Token, "\n\x00") {
		return errors.New("no usable gateway token")
	}
	if o.Session != "" && !uuidForm().MatchString(o.Session) {
		return fmt.Errorf("session %q is no UUID", o.Session)
	}
	for _, t := range o.Tools {
		if !toolForm().MatchString(t) {
			return fmt.Errorf("tool %q is not a name", t)
		}
	}
	if len(o.Schema) > 0 && !json.Valid(o.Schema) || len(o.Schema) > maxArg {
		return fmt.Errorf("schema of the answer is no JSON of at most %d bytes", maxArg)
	}
	if o.MaxTurns < 0 || o.Window < 0 || o.Stall < 0 || o.Procs < 0 || o.Memory < 0 {
		return errors.New("a limit is negative")
	}
	return nil
}
