package probe_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run probes a handler, with time of its own, and checks what holds for every probe.
func run(t *testing.T, h http.Handler, o probe.Options) (probe.Report, []string) {
	t.Helper()
	if o.URL == "" {
		o.URL = "http://127.0.0.1:8080"
	}
	o.Client = serve(t, h)
	var seen []probe.Line
	report, err := probe.Run(t.Context(), o, func(l probe.Line) { seen = append(seen, l) })
	if err != nil {
		t.Fatalf("probe: %v", err)
	}
	if diff := cmp.Diff(report.Lines, seen); diff != "" {
		t.Errorf("lines of the report and lines that were told (-report +told):\n%s", diff)
	}
	var lines []string
	for _, l := range seen {
		lines = append(lines, fmt.Sprintf("%s %s: %s", l.Level, l.Check, l.Detail))
		if o.Key != "" && strings.Contains(l.Detail+l.Advice, o.Key) {
			t.Errorf("the key is in %+v", l)
		}
		if (l.Level == probe.Fail || l.Level == probe.Warn) && l.Advice == "" && l.Check != "long" {
			t.Errorf("no advice in %+v", l)
		}
	}
	return report, lines
}

// levels gives "check LEVEL" of each line.
func levels(r probe.Report) []string {
	var out []string
	for _, l := range r.Lines {
		out = append(out, l.Check+" "+string(l.Level))
	}
	return out
}

func TestServersOfEachKind(t *testing.T) {
	t.Parallel()
	good := []string{"stream PASS", "tool calls PASS", "tool results PASS", "real request PASS", "prefill 4k PASS", "prefill 16k PASS"}
	tests := []struct {
		name    string
		handler func() http.Handler
		options probe.Options
		want    probe.Report
		lines   []string
	}{
		{
			"llama-server", func() http.Handler {
				return llama(&model{pace: 20 * time.Millisecond, read: time.Second, slots: make(chan struct{}, 2)}, 2, 65536)
			},
			probe.Options{Key: key, URL: "127.0.0.1:8080/v1/"},
			probe.Report{URL: "http://127.0.0.1:8080", Auth: "x-api-key", API: "anthropic", Model: "qwen3-coder", Window: 65536, Parallel: 2, OK: true},
			append(append([]string{"address INFO", "server PASS", "models PASS", "access PASS", "server INFO"}, good...), "context PASS", "parallel PASS"),
		},
		{
			"LiteLLM", func() http.Handler { return litellm(&model{pace: 20 * time.Millisecond}) },
			probe.Options{Key: key, Model: "claude-local", Big: true},
			probe.Report{URL: "http://127.0.0.1:8080", Auth: "x-api-key", API: "anthropic", Model: "claude-local", Parallel: 4, OK: true},
			append(append([]string{"models PASS", "access PASS"}, good...), "prefill 48k PASS", "prefill 100k PASS", "context INFO", "parallel PASS"),
		},
		{
			"Anthropic", func() http.Handler { return anthropic(&model{pace: 20 * time.Millisecond}) },
			probe.Options{Key: key, URL: "https://api.anthropic.example"},
			probe.Report{URL: "https://api.anthropic.example", Auth: "x-api-key", API: "anthropic", Model: "claude-x", Parallel: 4, OK: true},
			nil,
		},
		{
			"chat completions only", func() http.Handler {
				return openaiOnly(&model{pace: 20 * time.Millisecond, slots: make(chan struct{}, 1)})
			},
			probe.Options{Key: "Bearer " + key, URL: "http://127.0.0.1:8080/v1/chat/completions"},
			probe.Report{URL: "http://127.0.0.1:8080", Auth: "bearer", API: "openai", Model: "gpt-oss", Window: 65536, Parallel: 1, OK: true},
			append(append([]string{"address INFO", "models PASS", "access PASS"}, good...), "context PASS", "parallel WARN"),
		},
		{
			"no key at all", func() http.Handler {
				mux := http.NewServeMux()
				mux.HandleFunc("POST /v1/messages", (&model{pace: time.Millisecond}).messages)
				return mux
			},
			probe.Options{URL: "localhost:1"},
			probe.Report{URL: "http://localhost:1", Auth: "none", API: "anthropic", Model: "qwen", Parallel: 4, OK: true},
			append(append([]string{"address INFO", "models INFO", "access PASS"}, good...), "context INFO", "parallel PASS"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := tt.handler()
				if tt.options.URL == "https://api.anthropic.example" { // the network in memory speaks no TLS
					tt.options.URL = "http://api.anthropic.example"
					tt.want.URL = tt.options.URL
				}
				r, lines := run(t, h, tt.options)
				if tt.lines != nil {
					if diff := cmp.Diff(tt.lines, levels(r)); diff != "" {
						t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(lines, "\n"))
					}
				}
				got := probe.Report{URL: r.URL, Auth: r.Auth, API: r.API, Model: r.Model, Window: r.Window, Parallel: r.Parallel, OK: r.OK}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(lines, "\n"))
				}
				if r.Write < 10 || r.Read < 100 || r.Floor < 4000 {
					t.Errorf("write %.1f, read %.1f, floor %d", r.Write, r.Read, r.Floor)
				}
			})
		})
	}
}
