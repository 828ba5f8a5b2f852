package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	withinStream  = 5 * time.Minute
	slowFirst     = 30 * time.Second
	slowWrite     = 5.0               // tokens per second
	bufferedTotal = 5 * time.Second   // below, a buffer cannot be told from a fast model
	bufferedShare = 0.05              // of the whole time, in which all events came
	bufferedLeast = 20                // events
	shortSpan     = time.Second / 5   // in which no speed can be measured
	tunnelLimit   = 100 * time.Second // Cloudflare's tunnels and proxies end a request that has sent nothing for so long (status 524)
	nearLimit     = 90 * time.Second
	withinLong    = 20 * time.Minute
)

const numbers = "Write the numbers from 1 to %d, in figures, separated by spaces. Write nothing else."

// stream looks at how an answer arrives.
func (p *prober) stream(ctx context.Context) {
	p.doing("stream")
	a := p.ask(ctx, p.request(900, fmt.Sprintf(numbers, 300)).with(request{"stream": true}), withinStream)
	if a.Failure != nil {
		p.failed("stream", Fail, a.Failure)
		return
	}
	if a.Events == 0 { // an answer in one piece
		p.line("stream", Fail, "asked for a stream, it sent the answer in one piece", "Claude Code always streams: use a server, or a proxy, that does")
		return
	}
	span := a.Last - a.First
	if span > shortSpan && a.Usage.Output > 1 {
		p.report.Write = float64(a.Usage.Output) / span.Seconds()
	}
	detail := fmt.Sprintf("%d events in %s, the first after %s", a.Events, seconds(a.Last), seconds(a.First))
	if p.report.Write > 0 {
		detail += fmt.Sprintf(", %.0f tokens/s", p.report.Write)
	}
	switch {
	case len(a.Problems) > 0:
		p.line("stream", Warn, "events are not in order: "+strings.Join(a.Problems, "; "), "the client may refuse the answer: use a newer version of the server")
	case a.Events > bufferedLeast && a.Last > bufferedTotal && float64(span) < bufferedShare*float64(a.Last):
		p.line("stream", Warn, detail+": all at once, so something on the way holds it back", "switch buffering off in the tunnel or proxy; until then long answers fail at its time limit")
	case a.First > slowFirst:
		p.line("stream", Warn, detail, "the first word takes long: another conversation may be in the way, or the machine is slow")
	case p.report.Write > 0 && p.report.Write < slowWrite:
		p.line("stream", Warn, detail, "a worker writes thousands of tokens: use a smaller model or a faster machine")
	case a.Text == "" && a.Thinking == 0 && len(a.Calls) == 0:
		p.line("stream", Warn, detail+", and no text in them", "look at the model's chat template")
	default:
		p.line("stream", Pass, detail, "")
	}
	if a.Prompt() == 0 || a.Usage.Output == 0 {
		p.line("usage", Warn, "the server does not report tokens", "caps, costs and the replacing of long sessions go by estimates: use a server that reports usage in streams")
	}
}

// long keeps one answer going for longer than tunnels like.
func (p *prober) long(ctx context.Context) {
	if !p.o.Long {
		return
	}
	p.doing("long answer (up to 20 minutes)")
	a := p.ask(ctx, p.request(4000, fmt.Sprintf(numbers, 2000)).with(request{"stream": true}), withinLong)
	switch {
	case a.Failure != nil && (a.Failure.Kind == wire.Cut || a.Failure.Kind == wire.Tunnel):
		p.line("long", Fail, fmt.Sprintf("cut off after %s: %s", seconds(a.Total), a.Failure.Text), "the tunnel or proxy ends long answers: raise its limit or use another one")
	case a.Failure != nil:
		p.failed("long", Fail, a.Failure)
	case a.Total > tunnelLimit:
		p.line("long", Pass, "one answer of "+seconds(a.Total)+" came through", "")
	default:
		p.line("long", Warn, "the answer took only "+seconds(a.Total)+": whether one of more than 100 s comes through is not known", "")
	}
}
