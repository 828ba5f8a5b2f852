package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	// A worker's first request has 17.4 kB with Claude Code 2.1.197 and 22.3 kB with 2.1.332; the larger one is sent.
	realBytes  = 22300
	withinReal = 5 * time.Minute
	// Betas that the client asks for at a foreign endpoint (2.1.332, CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1).
	realBetas = "claude-code-20250219,interleaved-thinking-2025-05-14,effort-2025-11-24"
	// One more that it asks for at Anthropic's own.
	ownBeta = ",mid-conversation-system-2026-04-07"
	// Fewer tokens than this part of the bytes cannot be all of it: code and English have 3 to 5 bytes in a token.
	leastShare = 9
)

// real sends what Claude Code sends, in form and in size, with a word in it that has to come back.
func (p *prober) real(ctx context.Context) {
	p.doing("real request")
	word := "maple-" + p.fresh()
	full := p.realRequest(word)
	a := p.askReal(ctx, full)
	if a.Failure != nil {
		p.refused(ctx, full, a.Failure)
		return
	}
	p.report.Floor = a.Prompt()
	size := realBytes + len(word)
	detail := fmt.Sprintf("%.1f kB as Claude Code sends them", float64(size)/1000)
	if p.report.Floor > 0 {
		detail += fmt.Sprintf(" are %d tokens", p.report.Floor)
	}
	switch {
	case p.report.Floor > 0 && p.report.Floor < int64(size/leastShare):
		p.setWindow(p.report.Floor+a.Usage.Output, "what it kept of a real request")
		p.line("real request", Fail, detail+": it was shortened without a word", "start the server with a larger context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH, at least 32768)")
	case !strings.Contains(a.Text, word):
		p.line("real request", Warn, detail+", but the model did not give back the word at its beginning", "the prompt is shortened, or the model is too weak for long prompts")
	default:
		p.line("real request", Pass, detail+"; the word at the beginning came back", "")
	}
}

func (p *prober) askReal(ctx context.Context, r request) *wire.Answer {
	betas := realBetas
	if !(endpoint.Endpoint{URL: p.report.URL, API: p.report.API}).Foreign() {
		betas += ownBeta
	}
	return p.askWith(ctx, p.server, r, betas, withinReal, nil)
}

// refused finds out which part of a real request a server does not take, by leaving one after the other out.
func (p *prober) refused(ctx context.Context, full request, f *wire.Failure) {
	if f.Kind == wire.Ended {
		return
	}
	if f.Limit > 0 {
		p.setWindow(f.Limit, "its refusal of a real request")
	}
	if f.Kind != wire.Refusal && f.Kind != wire.Fault && f.Kind != wire.Context {
		p.failed("real request", Fail, f)
		return
	}
	messages, _ := full["messages"].([]any)
	folded := full.with(request{"messages": messages[:1]})
	steps := [...]struct {
		what, advice string
		level        Level
		change       request
	}{
		{"a system message among the messages", "the gateway puts it into the prompt", Warn, nil},
		{"max_tokens of 32000", "start the server with a larger context, or with a higher limit for answers", Fail, request{"max_tokens": 2048}},
		{"thinking and effort", "use a newer version of the server, or LiteLLM before it", Fail, request{"thinking": nil, "output_config": nil}},
		{"metadata", "use a newer version of the server, or LiteLLM before it", Fail, request{"metadata": nil}},
		{"a system prompt in blocks", "use a newer version of the server, or LiteLLM before it", Fail, request{"system": "You are a worker."}},
		{"tools of this size", "use a newer version of the server, and a model with tools", Fail, request{"tools": nil}},
	}
	r := folded
	for _, s := range steps {
		r = r.with(s.change)
		p.doing("real request: without %s", s.what)
		a := p.askReal(ctx, r)
		if a.Failure == nil {
			p.line("real request", s.level, fmt.Sprintf("it does not take %s (status %d: %s)", s.what, f.Status, f.Text), s.advice)
			if p.report.Floor == 0 && s.level == Warn {
				p.report.Floor = a.Prompt()
			}
			return
		}
		if a.Failure.Kind == wire.Ended {
			return
		}
	}
	p.failed("real request", Fail, f)
}

// realRequest is a request of a worker's first turn: the same parts, about the same size, other words.
func (p *prober) realRequest(word string) request {
	cached := request{"type": "ephemeral"}
	text := func(s string) request { return request{"type": "text", "text": s} }
	begin := "The code word of this session is " + word + ".\n"
	r := p.request(32000, "").with(request{
		"stream": true, "metadata": request{"user_id": `{"device_id":"0","account_uuid":"","session_id":"0"}`},
		"tools": realTools(),
		"messages": []any{
			user([]any{text("<system-reminder>\nToday is an ordinary day.\n</system-reminder>\n"), text("What is the code word of this session? Answer with the word and nothing else; use no tool.").with(request{"cache_control": cached})}),
			request{"role": "system", "content": []any{text("# Environment\n - Platform: linux\n - Shell: bash")}},
		},
		"thinking": request{"type": "adaptive"}, "output_config": request{"effort": "low"},
	})
	if p.report.API == endpoint.APIOpenAI {
		r = r.with(request{"max_tokens": 8192}) // the gateway cuts it to what fits
	}
	rules := rulesText(realBytes - toolsBytes - 1400)
	return r.with(request{"system": []any{
		text("x-anthropic-billing-header: cc_version=2.1.332.18b; cc_entrypoint=sdk-cli;"),
		text("You are a worker of a software project.").with(request{"cache_control": cached}),
		text(begin + rules).with(request{"cache_control": cached}),
	}})
}

// rulesText gives about n bytes of working rules.
func rulesText(n int) string {
	rules := [...]string{
		"Read a file before you change it, and change no more than the task needs.",
		"Run the tests of what you changed, and look at their output before you say that they pass.",
		"Keep to the style of the code around: its names, its comments and its way to handle errors.",
		"When a command fails, read what it says; do not run it again unchanged.",
		"Write only in the folders that are yours; ask the owner of another folder for a change there.",
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d. %s\n", i+1, rules[i%len(rules)])
	}
	return b.String()[:n]
}
