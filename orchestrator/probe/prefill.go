package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	withinPrefill = 6 * time.Minute
	lineTokens    = 14 // of one line of filler
	kept          = 0.7
	workTokens    = 8000  // room for a task beside a worker's first request
	goodTokens    = 32000 // below, sessions are replaced often
	realTokens    = 6200  // of a real request at a server that reports none, 3.6 bytes each
)

// filler gives about n tokens that no server has seen before.
func filler(n int, word string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Notes %s\n", word)
	for i := range n / lineTokens {
		fmt.Fprintf(&b, "%05d: the river runs past the old mill and the stone bridge\n", i)
	}
	return b.String()
}

// prefill measures how fast prompts are read, and whether they are read whole.
func (p *prober) prefill(ctx context.Context) {
	sizes := []int{4000, 16000}
	if p.o.Big {
		sizes = append(sizes, 48000, 100000)
	}
	for _, n := range sizes {
		if !p.readOne(ctx, n) || ctx.Err() != nil {
			return
		}
	}
}

// readOne measures one size; false when larger ones make no sense.
func (p *prober) readOne(ctx context.Context, n int) bool {
	check := fmt.Sprintf("prefill %dk", n/1000)
	if w := p.report.Window; w > 0 && int64(n) > w-500 {
		p.line(check, Info, fmt.Sprintf("left out: the context has %d tokens", w), "")
		return false
	}
	p.doing("%s", check)
	text := filler(n, p.fresh())
	a := p.ask(ctx, p.request(16, text+"\nAnswer with the word ok."), withinPrefill)
	if f := a.Failure; f != nil {
		return p.unread(check, n, a)
	}
	got := a.Prompt()
	expected := float64(n)
	if p.perToken > 0 {
		expected = float64(len(text)) / p.perToken
	}
	if got > 0 && float64(got) < kept*expected*startShare(p.perToken) {
		p.setWindow(got, "what it kept of a long prompt")
		p.line(check, Fail, fmt.Sprintf("of about %.0f tokens it read %d: it shortens prompts without a word", expected, got), "start the server with a larger context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH)")
		return false
	}
	if got > 0 && p.perToken == 0 {
		p.perToken = float64(len(text)) / float64(got)
	}
	if got == 0 {
		got = int64(n)
	}
	p.report.Read = float64(got) / max(a.Total.Seconds(), 0.001)
	detail := fmt.Sprintf("%d tokens in %s, %.0f tokens/s", got, seconds(a.Total), p.report.Read)
	if a.Total > nearLimit {
		p.line(check, Warn, detail+": near the limit of 100 s that tunnels have", "use a smaller context, a faster machine, or no tunnel")
		return a.Total < withinPrefill/2
	}
	p.line(check, Pass, detail, "")
	return true
}

// startShare is more lenient as long as no real ratio of bytes and tokens is known.
func startShare(perToken float64) float64 {
	if perToken == 0 {
		return 0.7
	}
	return 1
}

func (p *prober) unread(check string, n int, a *wire.Answer) bool {
	f := a.Failure
	switch f.Kind {
	case wire.Context:
		if f.Limit == 0 {
			f.Limit = int64(n) - 1
		}
		p.setWindow(f.Limit, "its refusal of a long prompt")
		level := Warn
		if n <= 4000 {
			level = Fail
		}
		p.line(check, level, "refused: "+f.Text, f.Advice())
	case wire.Tunnel, wire.Cut, wire.Slow:
		p.line(check, Fail, fmt.Sprintf("no answer after %s: %s", seconds(max(a.Total, a.Head)), f.Text), "reading this much takes longer than the tunnel waits (100 s as a rule): use a smaller context, a faster machine, or no tunnel")
	default:
		p.failed(check, Fail, f)
	}
	return false
}

// context holds what the server says about its context against what a worker needs.
func (p *prober) context(ctx context.Context) {
	w := p.report.Window
	floor := p.report.Floor
	if floor == 0 || w > 0 && floor > w {
		floor = realTokens
	}
	if w == 0 {
		p.line("context", Info, fmt.Sprintf("its size is not known; a worker's first request alone has %d tokens", floor), "give the size, if you know it, in the endpoints file (window)")
		return
	}
	detail := fmt.Sprintf("%d tokens (%s); a worker's first request alone has %d", w, p.source, floor)
	switch {
	case w < floor+workTokens/4:
		p.line("context", Fail, detail, fmt.Sprintf("give each conversation %d tokens or more (llama-server: -c is divided by -np)", goodTokens))
	case w < floor+workTokens:
		p.line("context", Warn, detail+": too little for more than small tasks", fmt.Sprintf("give each conversation %d tokens or more (llama-server: -c is divided by -np)", goodTokens))
	case w < goodTokens:
		p.line("context", Warn, detail+": sessions have to be replaced often", fmt.Sprintf("%d tokens or more are better", goodTokens))
	default:
		p.line("context", Pass, detail, "")
	}
	if p.report.Read > 0 {
		if full := time.Duration(float64(w) / p.report.Read * float64(time.Second)); full > nearLimit && w <= 1<<20 {
			p.line("context", Warn, fmt.Sprintf("a full context takes about %.0f s to read, and tunnels wait 100 s for the first byte", full.Seconds()), "behind a tunnel, use a smaller context; without one, all is well")
		}
	}
}
