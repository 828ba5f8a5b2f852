package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/devflow-suite/devflow/orchestrator/gateway/sse"
)

// Bounds of what is read of an answer, in bytes.
const (
	maxGet    = 1 << 20
	maxWhole  = 4 << 20
	maxStream = 16 << 20
)

var errGiant = errors.New("the answer is too large")

// Server is an endpoint in one way of speaking to it.
type Server struct {
	Base  string // without "/" or "/v1" at its end
	Key   string
	Auth  string // endpoint.AuthKey, AuthBearer, AuthNone
	API   string // endpoint.APIAnthropic, APIOpenAI
	Model string
	HTTP  *http.Client // see [Client]
	Now   func() time.Time
}

// Client gives a client that follows no redirect and takes no compressed answers; the transport of base (nil = a new one) is kept.
func Client(base *http.Client) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	if c.Transport == nil {
		c.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost: 8, TLSHandshakeTimeout: 15 * time.Second, ForceAttemptHTTP2: true,
		}
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Jar, c.Timeout = nil, 0
	return &c
}

// Get asks for a resource of the server, within a time. A status other than 200 is a failure.
func (s Server) Get(ctx context.Context, path string, within time.Duration) (body []byte, status int, f *Failure) {
	call, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := http.NewRequestWithContext(call, http.MethodGet, s.Base+path, nil)
	if err != nil {
		return nil, 0, &Failure{Kind: Address, Text: "no valid address"}
	}
	s.head(req)
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return nil, 0, s.failed(err, ctx.Err() != nil, call.Err() != nil, false)
	}
	defer resp.Body.Close()
	if f := compressed(resp); f != nil {
		return nil, resp.StatusCode, f
	}
	body, err = limited(resp.Body, maxGet)
	switch {
	case err != nil:
		return nil, resp.StatusCode, s.failed(err, ctx.Err() != nil, call.Err() != nil, true)
	case resp.StatusCode != http.StatusOK || pageKind(resp, body) != "":
		return nil, resp.StatusCode, s.refused(resp, body)
	}
	return body, resp.StatusCode, nil
}

func (s Server) head(req *http.Request) {
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "devflock-probe")
	req.Header.Set("Ngrok-Skip-Browser-Warning", "1")
	if s.API != endpoint.APIOpenAI {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	switch s.Auth {
	case endpoint.AuthKey:
		req.Header.Set("X-Api-Key", s.Key)
	case endpoint.AuthBearer:
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
}

// compressed refuses an answer that is compressed although it was not asked to be: the gateway passes bytes on as they are.
func compressed(resp *http.Response) *Failure {
	how := resp.Header.Get("Content-Encoding")
	if how == "" || strings.EqualFold(how, "identity") {
		return nil
	}
	return &Failure{Kind: Type, Status: resp.StatusCode, Text: "the answer is compressed (" + Printable(how, "") + ") although that was not asked for"}
}

// limited reads all, but not more than n bytes.
func limited(r io.Reader, n int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, n+1))
	if err == nil && int64(len(body)) > n {
		err = errGiant
	}
	return body, err
}

// Ask sends a request of the Messages API, whose "stream" says how the answer is to come, within a time; beta is the value of
// anthropic-beta, "" for none. started, when not nil, is called at the first piece of content. For the openai API it is translated.
func (s Server) Ask(ctx context.Context, body []byte, beta string, within time.Duration, started func()) *Answer {
	a := &Answer{}
	var head struct {
		Stream bool `json:"stream"`
	}
	_ = json.Unmarshal(body, &head) // ours
	address := s.Base + "/v1/messages"
	if beta != "" {
		address += "?beta=true"
	}
	if s.API == endpoint.APIOpenAI {
		var err error
		if body, err = openai.Request(body, s.Model); err == nil {
			address, err = openai.URL(s.Base, "chat/completions")
		}
		if err != nil {
			a.Failure = &Failure{Kind: Address, Text: Printable(err.Error(), s.Key)}
			return a
		}
	}
	call, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := http.NewRequestWithContext(call, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		a.Failure = &Failure{Kind: Address, Text: "no valid address"}
		return a
	}
	s.head(req)
	req.Header.Set("Content-Type", "application/json")
	if beta != "" && s.API != endpoint.APIOpenAI {
		req.Header.Set("Anthropic-Beta", beta)
	}
	sent := s.Now()
	resp, err := s.HTTP.Do(req)
	a.Head = s.Now().Sub(sent)
	if err != nil {
		a.Failure = s.failed(err, ctx.Err() != nil, call.Err() != nil, false)
		return a
	}
	defer resp.Body.Close()
	a.Status = resp.StatusCode
	if a.Failure = compressed(resp); a.Failure != nil {
		return a
	}
	isStream := strings.Contains(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream")
	if resp.StatusCode == http.StatusOK && head.Stream && isStream {
		err = s.stream(a, resp.Body, sent, started)
	} else {
		err = s.read(a, resp, head.Stream)
	}
	a.Total = s.Now().Sub(sent)
	if err != nil && a.Failure == nil {
		a.Failure = s.failed(err, ctx.Err() != nil, call.Err() != nil, true)
	}
	if a.Failure != nil {
		a.Failure.Status = a.Status
	}
	return a
}

// read takes an answer that is no stream.
func (s Server) read(a *Answer, resp *http.Response, wantStream bool) error {
	body, err := limited(resp.Body, maxWhole)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || pageKind(resp, body) != "" {
		a.Failure = s.refused(resp, body)
		return nil
	}
	if s.API == endpoint.APIOpenAI {
		translated, err := openai.Response(body)
		var said *openai.ResponseError
		switch {
		case errors.As(err, &said):
			a.Failure = s.refused(resp, body)
			a.Failure.Kind, a.Failure.Text = Fault, Printable(said.Message, s.Key)
			return nil
		case err == nil:
			body = translated
		}
	}
	if fault, ok := sse.ParseError(body); ok {
		a.Failure = &Failure{Kind: Fault, Text: Printable(fault.Message, s.Key)}
		return nil
	}
	if !a.whole(body) {
		a.Failure = s.refused(resp, body)
		a.Failure.Text = "status 200, but no message: " + Printable(string(body), s.Key)
		return nil
	}
	if wantStream {
		a.Problems = append(a.Problems, "it was asked to stream and did not")
	}
	return nil
}

// stream takes a streamed answer.
func (s Server) stream(a *Answer, body io.Reader, sent time.Time, started func()) error {
	var parser sse.Parser
	var check sse.Checker
	feed := func(piece []byte) {
		parser.Feed(piece, func(e sse.Event) bool {
			check.Event(e)
			content := a.event(e)
			if e.Name != sse.Ping {
				a.Last = s.Now().Sub(sent)
			}
			if content && a.First == 0 {
				a.First = a.Last
				if started != nil {
					started()
				}
			}
			return true
		})
	}
	var back *openai.Stream
	if s.API == endpoint.APIOpenAI {
		back = openai.NewStream(writerFunc(feed), s.Model)
	}
	var failed error
	buf := make([]byte, 32<<10)
	for total := 0; ; {
		n, err := body.Read(buf)
		total += n
		events := a.Events
		if back != nil {
			_, _ = back.Write(buf[:n]) // feed has no error
		} else {
			feed(buf[:n])
		}
		if a.Events > events {
			a.Pieces++
		}
		if check.Stopped() || err != nil || total > maxStream {
			switch {
			case total > maxStream:
				failed = errGiant
			case err != nil && err != io.EOF:
				failed = err
			}
			break
		}
	}
	if back != nil && failed == nil {
		_ = back.Close()
	}
	a.settle()
	a.Usage, a.Stop = check.Usage(), check.StopReason()
	first, more := check.Problems()
	a.Problems = first
	if more > 0 {
		a.Problems = append(a.Problems, "and more")
	}
	switch fault := check.Fault(); {
	case fault != nil && back != nil && fault.Message == openai.Incomplete && a.Events > 1:
		failed = io.ErrUnexpectedEOF
	case fault != nil:
		a.Failure = &Failure{Kind: faultKind(fault), Text: Printable(fault.Message, s.Key), Limit: contextLimit(fault.Message)}
	case failed == nil && !check.Stopped():
		failed = io.ErrUnexpectedEOF
		if a.Events == 0 {
			a.Failure = &Failure{Kind: Type, Text: "a stream without a single event"}
		}
	}
	return failed
}

func faultKind(f *sse.Fault) Kind {
	status := map[string]int{"authentication_error": 401, "permission_error": 403, "billing_error": 402, "not_found_error": 404, "rate_limit_error": 429, "overloaded_error": 529, "invalid_request_error": 400}[f.Type]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if kind := kindOf(status, strings.ToLower(f.Message)); kind != Tunnel {
		return kind
	}
	return Fault
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
