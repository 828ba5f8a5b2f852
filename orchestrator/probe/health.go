package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
	"github.com/devflow-suite/devflow/orchestrator/probe/wire"
)

const (
	withinGet  = 15 * time.Second
	loadPause  = 3 * time.Second
	loadRounds = 60 // of loadPause: three minutes
	maxListed  = 200
	maxNamed   = 8
)

// health asks /health, which llama-server and some others have. Nobody needs it; but it tells whether anybody is there at all.
func (p *prober) health(ctx context.Context) bool {
	p.doing("server")
	moved := false
	for round := 0; ; round++ {
		body, _, f := p.server.Get(ctx, "/health", withinGet)
		if f == nil {
			p.healthy(body)
			return true
		}
		switch f.Kind {
		case wire.Ended:
			return false
		case wire.Loading:
			if round < loadRounds {
				p.doing("server: the model is being loaded")
				if pause(ctx, loadPause); ctx.Err() != nil {
					return false
				}
				continue
			}
			p.failed("server", Fail, f)
			return false
		case wire.Redirect:
			if !moved && p.follow(f.Where) {
				moved = true
				continue
			}
		case wire.Address, wire.Lookup, wire.Refused, wire.Network, wire.TLS, wire.Plain:
			p.failed("server", Fail, f)
			return false
		}
		return true // there is somebody; what it can do is seen later
	}
}

func (p *prober) healthy(body []byte) {
	var v struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(body, &v) // any answer will do
	detail := "/health answers"
	if v.Status != "" {
		detail += ": " + v.Status
	}
	p.line("server", Pass, detail, "")
}

// follow takes over an address on the same host, https instead of http for instance. To any other host the key is not taken along.
func (p *prober) follow(where string) bool {
	to, err := url.Parse(where)
	from, err2 := url.Parse(p.server.Base)
	if err != nil || err2 != nil || !strings.EqualFold(to.Hostname(), from.Hostname()) || from.Scheme == "https" && to.Scheme != "https" {
		return false
	}
	base := (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: strings.TrimSuffix(strings.TrimSuffix(to.Path, "/"), "/health")}).String()
	if base == p.server.Base {
		return false
	}
	p.report.URL, p.server.Base = base, base
	p.line("address", Info, "the server sends to "+base+", which is used from here on", "")
	return true
}

// styles are the ways to show the key, the likeliest first.
func (p *prober) styles() []string {
	if p.o.Key == "" {
		return []string{endpoint.AuthNone}
	}
	return []string{endpoint.AuthKey, endpoint.AuthBearer}
}

// models reads the list of models where there is one.
func (p *prober) models(ctx context.Context) bool {
	p.doing("models")
	p.report.Model = p.o.Model
	path := "/v1/models"
	if address, err := openai.URL(p.server.Base, "models"); err == nil {
		path = strings.TrimPrefix(address, p.server.Base)
	}
	for _, style := range p.styles() {
		s := p.server
		s.Auth = style
		body, _, f := s.Get(ctx, path, withinGet)
		if f == nil && p.list(body) {
			break
		}
	}
	if p.report.Model == "" && len(p.listed) > 0 {
		p.report.Model = p.listed[0]
	}
	if p.report.Model == "" {
		p.report.Model = "qwen"
	}
	p.server.Model = p.report.Model
	p.named()
	return true
}

func (p *prober) named() {
	switch {
	case len(p.listed) == 0:
		advice := ""
		if p.o.Model == "" {
			advice = "name yours with --model, when the server wants it"
		}
		p.line("models", Info, "no models are listed; asked for "+p.report.Model, advice)
	case p.o.Model == "" && len(p.listed) > 1:
		p.line("models", Info, fmt.Sprintf("%d listed, the first is asked: %s", len(p.listed), p.report.Model), "name another one with --model"+p.choice())
	case !p.lists(p.report.Model):
		p.line("models", Warn, fmt.Sprintf("%s is not among the %d listed", p.report.Model, len(p.listed)), "name one with --model"+p.choice())
	default:
		p.line("models", Pass, p.report.Model+" is listed", "")
	}
}

func (p *prober) lists(model string) bool {
	for _, m := range p.listed {
		if m == model {
			return true
		}
	}
	return false
}

// choice names the first models for an advice.
func (p *prober) choice() string {
	if len(p.listed) == 0 {
		return ""
	}
	text := ": " + strings.Join(p.listed[:min(len(p.listed), maxNamed)], ", ")
	if len(p.listed) > maxNamed {
		text += ", …"
	}
	return text
}

// list reads a list of models: their names, and the context of the one that is asked, which vLLM, OpenRouter, Groq, LM Studio and
// Anthropic tell under various names.
func (p *prober) list(body []byte) bool {
	type size = float64
	var v struct {
		Data []struct {
			ID      string `json:"id"`
			VLLM    size   `json:"max_model_len"`
			Router  size   `json:"context_length"`
			Groq    size   `json:"context_window"`
			Studio  size   `json:"loaded_context_length"`
			Input   size   `json:"max_input_tokens"`
			Mistral size   `json:"max_context_length"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &v) != nil || len(v.Data) == 0 {
		return false
	}
	for _, m := range v.Data[:min(len(v.Data), maxListed)] {
		if m.ID == "" {
			continue
		}
		p.listed = append(p.listed, wire.Printable(m.ID, p.o.Key))
		if m.ID != p.o.Model && (p.o.Model != "" || len(p.listed) > 1) {
			continue
		}
		for _, n := range [...]size{m.Studio, m.VLLM, m.Groq, m.Router, m.Input, m.Mistral} {
			if n > 0 && n < 1<<32 {
				p.setWindow(int64(n), "the list of models")
				break
			}
		}
	}
	return len(p.listed) > 0
}

// setWindow notes the size of the context; the smallest that anybody tells or shows holds.
func (p *prober) setWindow(n int64, source string) {
	if n > 0 && (p.report.Window == 0 || n < p.report.Window) {
		p.report.Window, p.source = n, source
	}
}

// props reads what llama-server tells of itself. default_generation_settings.n_ctx is the context of one slot.
func (p *prober) props(ctx context.Context) {
	p.doing("properties")
	body, _, f := p.server.Get(ctx, "/props", withinGet)
	if f != nil {
		return
	}
	var v struct {
		Slots    float64 `json:"total_slots"`
		Settings struct {
			Context float64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(body, &v) != nil || v.Settings.Context <= 0 && v.Slots <= 0 {
		return
	}
	if n := v.Settings.Context; n > 0 && n < 1<<32 {
		p.setWindow(int64(n), "/props")
	}
	if v.Slots >= 1 && v.Slots < 1<<16 {
		p.slots = int(v.Slots)
	}
	p.line("server", Info, fmt.Sprintf("llama-server: %d slots of %d tokens each", p.slots, p.report.Window), "")
}
