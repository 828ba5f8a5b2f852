package usage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/telemetry/usage"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// One million tokens of each kind, so that a cost reads as USD per million tokens times 10⁹.
const million = 1_000_000

func TestCostOfAMillionTokens(t *testing.T) {
	t.Parallel()
	const usd = 1_000_000_000
	tests := []struct {
		model                            string
		input, output, read, w5m, w1h100 int64 // USD per million ×100
	}{
		{"claude-opus-4-5-20251101", 500, 2500, 50, 625, 1000},
		{"claude-opus-4-6", 500, 2500, 50, 625, 1000},
		{"claude-opus-4-7", 500, 2500, 50, 625, 1000},
		{"claude-opus-4-8", 500, 2500, 50, 625, 1000},
		{"claude-opus-4-8[1m]", 500, 2500, 50, 625, 1000},
		{"claude-opus-5", 500, 2500, 50, 625, 1000},
		{"claude-opus-5-5", 400, 2000, 20, 500, 800},
		{"claude-opus-4-1-20250805", 1500, 7500, 150, 1875, 3000},
		{"claude-opus-4-20250514", 1500, 7500, 150, 1875, 3000},
		{"claude-3-opus-20240229", 1500, 7500, 150, 1875, 3000},
		{"claude-sonnet-4-6", 300, 1500, 30, 375, 600},
		{"claude-sonnet-5", 200, 1000, 20, 250, 400},
		{"claude-sonnet-5-5", 200, 1000, 10, 250, 400},
		{"claude-3-7-sonnet-latest", 300, 1500, 30, 375, 600},
		{"claude-haiku-4-5", 100, 500, 10, 125, 200},
		{"claude-haiku-4-5-20251001", 100, 500, 10, 125, 200},
		{"claude-3-5-haiku-20241022", 80, 400, 8, 100, 160},
		{"claude-fable-5-1", 1000, 5000, 25, 1250, 2000},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			p, ok := usage.Table{}.Lookup(tt.model, now)
			if !ok {
				t.Fatalf("Lookup(%q): unknown", tt.model)
			}
			for _, c := range []struct {
				kind string
				tok  usage.Tokens
				want int64
			}{
				{"input", usage.Tokens{Input: million}, tt.input},
				{"output", usage.Tokens{Output: million}, tt.output},
				{"cache read", usage.Tokens{CacheRead: million}, tt.read},
				{"5-minute write", usage.Tokens{CacheWrite5m: million}, tt.w5m},
				{"1-hour write", usage.Tokens{CacheWrite1h: million}, tt.w1h100},
			} {
				p.LongAbove = 0 // the million is a sum over many prompts
				if got, want := p.Cost(c.tok), c.want*usd/100; got != want {
					t.Errorf("%s: got %d nano-USD, want %d", c.kind, got, want)
				}
			}
		})
	}
}

func TestUnknownModelHasNoPrice(t *testing.T) {
	t.Parallel()
	for _, model := range []string{
		"", "<synthetic>", "gpt-9", "claude", "claude-opus", "claude-opus-4-9", "claude-opus-4-10", "claude-opus-6", "claude-haiku-4", "claude-opus-4-",
		"claude-opus-45", "claude-sonnet-4-5x", "us.anthropic.claude-opus-4-5-20251101-v1:0", "-20251101", "[1m]",
	} {
		if p, ok := (usage.Table{}).Lookup(model, now); ok {
			t.Errorf("Lookup(%q) = %q, want unknown", model, p.Model)
		}
	}
}

func TestLongPromptsCostMoreAsAWhole(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, model string
		at          time.Time
		tok         usage.Tokens
		want        int64
	}{
		{"haiku 5.5 at the step", "claude-haiku-5-5", now, usage.Tokens{Input: 100_000}, 100_000 * 100},
		{"haiku 5.5 above the step", "claude-haiku-5-5", now, usage.Tokens{Input: 1, CacheRead: 100_000, Output: 10}, 1*500 + 100_000*50 + 10*2_500},
		{"sonnet 4.5 above", "claude-sonnet-4-5", now, usage.Tokens{CacheWrite5m: 200_001}, 200_001 * 7_500},
		{"opus 4.6 above, before 13 March 2026", "claude-opus-4-6", time.Date(2026, 3, 12, 23, 59, 59, 0, time.UTC), usage.Tokens{Input: 200_001}, 200_001 * 10_000},
		{"opus 4.6 above, since", "claude-opus-4-6", time.Date(2026, 3, 13, 0, 0, 0, 0, time.UTC), usage.Tokens{Input: 200_001}, 200_001 * 5_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, ok := usage.Table{}.Lookup(tt.model, tt.at)
			if !ok {
				t.Fatal("unknown model")
			}
			if got := p.Cost(tt.tok); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSurcharges(t *testing.T) {
	t.Parallel()
	p, _ := usage.Table{}.Lookup("claude-opus-4-8", now)
	for _, tt := range []struct {
		name string
		tok  usage.Tokens
		want int64
	}{
		{"fast mode", usage.Tokens{Input: 10, Output: 10, Fast: true}, 10*10_000 + 10*50_000},
		{"US inference", usage.Tokens{Input: 10, US: true}, 55_000},
		{"web searches are not marked up", usage.Tokens{Input: 10, US: true, WebSearches: 2}, 55_000 + 20_000_000},
	} {
		if got := p.Cost(tt.tok); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestConfiguredPriceWins(t *testing.T) {
	t.Parallel()
	table := usage.Table{}.With("claude-opus-4-8", 1, 2).With("local/qwen", 0.05, 0.1)
	for _, tt := range []struct {
		model string
		tok   usage.Tokens
		want  int64
	}{
		{"claude-opus-4-8-20260301[1m]", usage.Tokens{Input: 100, Output: 10}, 100*1_000 + 10*2_000},
		{"local/qwen", usage.Tokens{Input: 100, CacheRead: 100, CacheWrite5m: 100, CacheWrite1h: 100, Output: 1}, 100*50 + 100*5 + 100*63 + 100*100 + 100},
		{"claude-sonnet-4-6", usage.Tokens{Input: 1}, 3_000},
	} {
		p, ok := table.Lookup(tt.model, now)
		if !ok {
			t.Errorf("%s: unknown", tt.model)
			continue
		}
		if got := p.Cost(tt.tok); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.model, got, tt.want)
		}
	}
	if _, ok := (usage.Table{}).Lookup("local/qwen", now); ok {
		t.Error("With changed the table it was called on")
	}
}

func TestWindowAndThreshold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		override, occupancy int64
		models              []string
		window, threshold   int64
	}{
		{"nothing known", 0, 0, nil, 200_000, 167_000},
		{"haiku", 0, 0, []string{"claude-haiku-4-5-20251001"}, 200_000, 167_000},
		{"marker in the client's name only", 0, 0, []string{"claude-sonnet-4-6", "claude-sonnet-4-6[1M]"}, 1_000_000, 920_000},
		{"native million", 0, 0, []string{"claude-opus-4-8"}, 1_000_000, 920_000},
		{"future version is not guessed", 0, 0, []string{"claude-opus-4-9"}, 200_000, 167_000},
		{"proved by its occupancy", 0, 200_001, []string{"claude-sonnet-4-6"}, 1_000_000, 920_000},
		{"configured", 100_000, 0, []string{"claude-opus-4-8"}, 100_000, 67_000},
		{"configured very small", 40_000, 0, nil, 40_000, 20_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := usage.Window(tt.override, tt.occupancy, tt.models...)
			if w != tt.window || usage.Threshold(w) != tt.threshold {
				t.Errorf("got window %d threshold %d, want %d and %d", w, usage.Threshold(w), tt.window, tt.threshold)
			}
		})
	}
}

// What the endpoint charges besides tokens is in the transcript, so it is in the cost.
func TestSurchargesReachTheCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := `{"type":"assistant","message":{"id":"%s","model":"claude-opus-4-8","usage":{"input_tokens":1000000,"output_tokens":0%s}},"requestId":"r%s"}` + "\n"
	cost := func(id, extra string) int64 {
		t.Helper()
		w.append(fmt.Sprintf(plain, id, extra, id))
		return w.ingest(usage.Options{Force: true}).Added.CostNanoUSD
	}
	base := cost("a", "")
	if got := cost("b", `,"speed":"standard","inference_geo":"","server_tool_use":{"web_search_requests":0}`); got != base || base == 0 {
		t.Errorf("standard reply costs %d, want %d", got, base)
	}
	if got := cost("c", `,"speed":"fast"`); got <= base {
		t.Errorf("fast reply costs %d, want more than %d", got, base)
	}
	if got := cost("d", `,"inference_geo":"us"`); got != base*110/100 {
		t.Errorf("pinned reply costs %d, want %d", got, base*110/100)
	}
	if got := cost("e", `,"server_tool_use":{"web_search_requests":3}`); got != base+3*10_000_000 {
		t.Errorf("reply with three searches costs %d, want %d", got, base+3*10_000_000)
	}
}
