package probe_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe"
)

// find gives the last line of a check.
func find(r probe.Report, check string) probe.Line {
	for i := len(r.Lines) - 1; i >= 0; i-- {
		if r.Lines[i].Check == check {
			return r.Lines[i]
		}
	}
	return probe.Line{}
}

// has reports whether some line of a check has a level and a text in it.
func has(r probe.Report, check string, level probe.Level, text string) bool {
	for _, l := range r.Lines {
		if l.Check == check && l.Level == level && strings.Contains(l.Detail+" → "+l.Advice, text) {
			return true
		}
	}
	return false
}

func page(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, code, body) }
}

// Servers that cannot be used: each is told apart, and each has its own advice.
func TestServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		handler http.HandlerFunc
		check   string
		text    string // in the detail and the advice of the FAIL
	}{
		{"wrong key", status(401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`), "access", "status 401: Invalid API Key → the key is wrong"},
		{"not allowed", status(403, `{"type":"error","error":{"type":"permission_error","message":"no access"}}`), "access", "status 403: no access → the key is known but not allowed"},
		{"no credit", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`), "access", "no credit left"},
		{"payment", status(402, `{"error":{"message":"Insufficient credits"}}`), "access", "no credit left"},
		{"no such path", status(404, `{"detail":"Not Found"}`), "access", "status 404: Not Found → the server does not know this path"},
		{"no such model", status(404, `{"type":"error","error":{"type":"not_found_error","message":"model: qwen"}}`), "access", "choose one of the server's models"},
		{"crash", status(500, `{"error":{"message":"CUDA error"}}`), "access", "status 500: CUDA error → look at the log"},
		{"plain text", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "It works!") }, "access", "status 200, but no message: It works! → what answers here is no model API"},
		{"another object", status(200, `{"hello":"world"}`), "access", "what answers here is no model API"},
		{"an error with status 200", status(200, `{"type":"error","error":{"type":"api_error","message":"broken inside"}}`), "access", "broken inside → look at the log"},
		{"web page", page(200, "<!doctype html><title>Open WebUI</title>"), "access", "a web page answers here"},
		{"login page", page(200, `<html><form><input type="password"></form>`), "access", "a login or warning page"},
		{"ngrok's warning", page(200, `<html>You are about to visit ERR_NGROK_6024`, "Ngrok-Error-Code", "ERR_NGROK_6024"), "access", "a login or warning page"},
		{"ngrok without a server", page(502, "<html>", "Ngrok-Error-Code", "ERR_NGROK_8012"), "access", "the tunnel is up but the server behind it is not"},
		{"ngrok offline", page(404, "<html>The endpoint is offline. ERR_NGROK_3200"), "access", "the tunnel is up but"},
		{"localtunnel's password", page(511, "<html>Tunnel Password"), "access", "a login or warning page"},
		{"Cloudflare without a server", page(530, "<html>error code: 1033"), "access", "the tunnel is up but"},
		{"Cloudflare, as text", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(530); fmt.Fprint(w, "error code: 1033") }, "access", "the tunnel is up but"},
		{"Cloudflare timed out", page(524, "<html>A timeout occurred"), "access", "the tunnel is up but"},
		{"page of a firewall", page(403, "<html>Attention Required! | Cloudflare"), "access", "a login or warning page"},
		{"Cloudflare Access", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://team.cloudflareaccess.com/cdn-cgi/access/login/x?redirect=1", http.StatusFound)
		}, "access", "a login or warning page"},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			answer(w, 200, "xx")
		}, "access", "compressed (br)"},
		{"always busy", status(429, `{"error":{"message":"slow down"}}`), "access", "the endpoint limits requests"},
		{"always loading", status(503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`), "server", "the model is still being loaded"},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "access", "more than any answer holds"},
		{"never answers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "access", "no answer in time → the server takes connections but does not answer"},
		{"drips", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		}, "access", "the answer did not end in time → the server was too slow"},
		{"closes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "access", "closed the connection without an answer"},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"type":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "access", "the connection broke in the middle"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, lines := run(t, tt.handler, probe.Options{Key: key})
				if r.OK || r.Auth != "" || !has(r, tt.check, probe.Fail, tt.text) {
					t.Errorf("OK %t, auth %q, want a FAIL with %q:\n%s\n%+v", r.OK, r.Auth, tt.text, strings.Join(lines, "\n"), r.Lines)
				}
			})
		})
	}
}

// A key goes to the address that was given and nowhere else, and into no line.
func TestTheKeyGoesNowhereElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		elsewhere := 0
		r, lines := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Host, "127.0.0.1") {
				mu.Lock()
				elsewhere++
				mu.Unlock()
				return
			}
			http.Redirect(w, r, "http://evil.example/v1/messages", http.StatusTemporaryRedirect)
		}), probe.Options{Key: key})
		if elsewhere > 0 || !has(r, "access", probe.Fail, "the server sends to http://evil.example/v1/messages → use the address that it points to") {
			t.Errorf("asked elsewhere %d times:\n%s", elsewhere, strings.Join(lines, "\n"))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r, lines := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer(w, 400, fmt.Sprintf(`{"error":{"message":"\u001b[2J\u0007bad header %s%s\r\nnext\u202e"}}`, r.Header.Get("X-Api-Key"), r.Header.Get("Authorization")))
		}), probe.Options{Key: key})
		l := find(r, "access")
		if l.Detail != "status 400: [2Jbad header [key] next" && l.Detail != "status 400: [2Jbad header Bearer [key] next" {
			t.Errorf("detail %q\n%s", l.Detail, strings.Join(lines, "\n"))
		}
	})
}

func TestAnAddressThatMovedOnTheSameHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &model{pace: time.Millisecond}
		r, lines := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "gpu.example" {
				http.Redirect(w, r, "http://gpu.example:8443"+r.URL.Path, http.StatusPermanentRedirect)
				return
			}
			llama(m, 1, 65536).ServeHTTP(w, r)
		}), probe.Options{Key: key, URL: "http://gpu.example/"})
		if !r.OK || r.URL != "http://gpu.example:8443" || !has(r, "address", probe.Warn, "is not encrypted") {
			t.Errorf("OK %t, URL %q:\n%s", r.OK, r.URL, strings.Join(lines, "\n"))
		}
	})
}

func TestAModelThatIsBeingLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		good := llama(&model{pace: time.Millisecond}, 1, 65536)
		r, lines := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if time.Since(begin) < time.Minute {
				answer(w, 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
				return
			}
			good.ServeHTTP(w, r)
		}), probe.Options{Key: key})
		if !r.OK {
			t.Error(strings.Join(lines, "\n"))
		}
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, url, fail string }{
		{"", "", "no address is given"},
		{"http://user:hunter2@host", "", "the address holds a user name or a password"},
		{"ftp://host", "", "addresses begin with http:// or https://"},
		{"http://", "", "the address names no host"},
		{"http://a b", "", "this is no address"},
		{"http://%zz", "", "this is no address"},
		{"http://[::1", "", "this is no address"},
	}
	for _, tt := range tests {
		r, err := probe.Run(t.Context(), probe.Options{URL: tt.in, Key: key}, nil)
		if err != nil || r.OK || !has(r, "address", probe.Fail, tt.fail) || strings.Contains(fmt.Sprint(r), "hunter2") {
			t.Errorf("%q: %+v (%v)", tt.in, r, err)
		}
	}
	if r, _ := probe.Run(t.Context(), probe.Options{URL: "http://host", Key: "a\nb"}, nil); !has(r, "address", probe.Fail, "key holds characters") {
		t.Errorf("a key with a line end: %+v", r)
	}
}

// The real network: what only it can show.
func TestConnections(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	open := httptest.NewServer(http.NotFoundHandler())
	defer open.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	_ = l.Close()
	tests := []struct{ name, url, text string }{
		{"unknown certificate", secure.URL, "the certificate does not fit"},
		{"http behind https", strings.Replace(open.URL, "http:", "https:", 1), "write http:// instead of https://"},
		{"nobody listens", "http://" + closed, "connection refused → start the server"},
	}
	for _, tt := range tests {
		r, err := probe.Run(t.Context(), probe.Options{URL: tt.url, Key: key}, nil)
		if err != nil || r.OK || !has(r, "server", probe.Fail, tt.text) {
			t.Errorf("%s: %+v (%v)", tt.name, r.Lines, err)
		}
	}
	unknown := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "gone.trycloudflare.example", IsNotFound: true}
	}}}
	if r, _ := probe.Run(t.Context(), probe.Options{URL: "https://gone.trycloudflare.example", Client: unknown}, nil); !has(r, "server", probe.Fail, "is not known → check the spelling") {
		t.Errorf("unknown host: %+v", r.Lines)
	}
}

func TestTheWholeIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, llama(&model{pace: time.Second}, 1, 65536))
		var doing []string
		r, err := probe.Run(t.Context(), probe.Options{URL: "http://127.0.0.1:1", Key: key, Client: client, Limit: 90 * time.Second, Progress: func(s string) { doing = append(doing, s) }}, nil)
		if err == nil || r.OK || r.API != "anthropic" || r.Elapsed != 90 {
			t.Errorf("error %v, %+v", err, r)
		}
		if got := strings.Join(doing, ","); !strings.Contains(got, "server,models,access: anthropic, key as x-api-key") || !strings.HasSuffix(got, "stream") {
			t.Errorf("progress %s", got)
		}
		stop := errors.New("ctrl-c")
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err = probe.Run(ctx, probe.Options{URL: "http://127.0.0.1:1", Key: key, Client: client, Progress: func(s string) {
			if s == "stream" {
				cancel(stop)
			}
		}}, nil)
		if !errors.Is(err, stop) {
			t.Errorf("error %v, want %v", err, stop)
		}
	})
}
