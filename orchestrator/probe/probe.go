package probe

import (
	"context"
	"net/http"
	"time"
)

// Level is how a check ended.
type Level string

// Levels. A WARN works, but not well or not everywhere; with a FAIL no worker can use the endpoint.
const (
	Pass Level = "PASS"
	Warn Level = "WARN"
	Fail Level = "FAIL"
	Info Level = "INFO"
)

// Line is one row of the table that a person reads.
type Line struct {
	Check  string `json:"check"` // address, server, models, access, stream, tool calls, real request, context, prefill 4k, parallel, long
	Level  Level  `json:"level"`
	Detail string `json:"detail"`           // what was found, without line ends, never a key
	Advice string `json:"advice,omitempty"` // what to do; "" for nothing
}

// Report is what is known of an endpoint afterwards.
type Report struct {
	URL      string  `json:"url"`               // cleaned: what belongs into the endpoints file
	Auth     string  `json:"auth"`              // x-api-key, bearer, none; "" = not found out
	API      string  `json:"api"`               // anthropic, openai; "" = not found out
	Model    string  `json:"model"`             // that was asked
	Window   int64   `json:"window"`            // context of one conversation in tokens; 0 = not found out
	Parallel int     `json:"parallel"`          // conversations at once that the server really serves at once; 0 = not found out
	Read     float64 `json:"read,omitempty"`    // prompt tokens per second
	Write    float64 `json:"write,omitempty"`   // answer tokens per second of one conversation
	Floor    int64   `json:"floor,omitempty"`   // tokens of a worker's first request on this server, before any task text
	Lines    []Line  `json:"lines"`             // in the order of the checks
	OK       bool    `json:"ok"`                // no FAIL
	Elapsed  float64 `json:"elapsed,omitempty"` // seconds
}

// Options say what to look at. Only URL is wanted.
type Options struct {
	URL    string
	Key    string
	Model  string           // "" = the first that the server lists, else "qwen"
	Big    bool             // prompts of about 48,000 and 100,000 tokens, too
	Long   bool             // an answer of 4000 tokens, too: does a connection live longer than 100 s
	Client *http.Client     // nil = one of its own; redirects are never followed
	Now    func() time.Time // nil = time.Now
	// Progress is told what is being done, before it is done: "prefill 16k". nil = nobody. Called by one goroutine at a time.
	Progress func(doing string)
	// Limit bounds the whole; 0 = 15 minutes, 30 with Big, and 20 more with Long.
	Limit time.Duration
}

// Limits of a whole probe.
const (
	limit     = 15 * time.Minute
	limitBig  = 30 * time.Minute
	limitLong = 20 * time.Minute // on top
)

// Run looks at an endpoint. each is called with every line as soon as it is known (nil = nobody). The error is that of a context that
// ended, the caller's or the limit's; what was found until then is in the report. That an endpoint is bad is no error.
func Run(ctx context.Context, o Options, each func(Line)) (Report, error) {
	p := newProber(o, each)
	defer p.close()
	ctx, cancel := context.WithTimeoutCause(ctx, p.limit(), errLimit)
	defer cancel()
	began := p.now()
	p.all(ctx)
	p.report.Elapsed = p.now().Sub(began).Seconds()
	p.report.OK = p.ok()
	if err := ctx.Err(); err != nil {
		p.report.OK = false
		return p.report, context.Cause(ctx)
	}
	return p.report, nil
}
