package usage

import "sync"

// flatPriceMS is 2026-03-13T00:00Z, when prompts above 200k tokens of the 4.6 models lost their surcharge.
const flatPriceMS = 1_773_360_000_000

// longPrompt is the prompt size in tokens above which the 2025 models with a million-token beta cost more.
const longPrompt = 200_000

// builtin is the price list. Order does not matter; the longest matching name and then the latest date win.
var builtin = sync.OnceValue(func() []Price {
	// Price tiers, USD per million tokens as input/output. Sources: the model catalogue inside Claude Code 2.1.332 (its
	// pricing_tiers), which agrees with 2.1.197 on the models that both know; the long-prompt steps of 2025 and early 2026
	// from the published price list of the API. The 4.6 models lost their step on 13 March 2026.
	var (
		rate025   = Rate{Input: 250, Output: 1_250, CacheRead: 30, CacheWrite5m: 300, CacheWrite1h: 500}
		rate08    = Rate{Input: 800, Output: 4_000, CacheRead: 80, CacheWrite5m: 1_000, CacheWrite1h: 1_600}
		rate1     = Rate{Input: 1_000, Output: 5_000, CacheRead: 100, CacheWrite5m: 1_250, CacheWrite1h: 2_000}
		rate01    = Rate{Input: 100, Output: 500, CacheRead: 10, CacheWrite5m: 125, CacheWrite1h: 200}
		rate05    = Rate{Input: 500, Output: 2_500, CacheRead: 50, CacheWrite5m: 625, CacheWrite1h: 1_000}
		rate2     = Rate{Input: 2_000, Output: 10_000, CacheRead: 200, CacheWrite5m: 2_500, CacheWrite1h: 4_000}
		rate2r10  = Rate{Input: 2_000, Output: 10_000, CacheRead: 100, CacheWrite5m: 2_500, CacheWrite1h: 4_000}
		rate3     = Rate{Input: 3_000, Output: 15_000, CacheRead: 300, CacheWrite5m: 3_750, CacheWrite1h: 6_000}
		rate6     = Rate{Input: 6_000, Output: 22_500, CacheRead: 600, CacheWrite5m: 7_500, CacheWrite1h: 12_000}
		rate4     = Rate{Input: 4_000, Output: 20_000, CacheRead: 200, CacheWrite5m: 5_000, CacheWrite1h: 8_000}
		rate5     = Rate{Input: 5_000, Output: 25_000, CacheRead: 500, CacheWrite5m: 6_250, CacheWrite1h: 10_000}
		rate10l   = Rate{Input: 10_000, Output: 37_500, CacheRead: 1_000, CacheWrite5m: 12_500, CacheWrite1h: 20_000}
		rate8r20  = Rate{Input: 8_000, Output: 40_000, CacheRead: 200, CacheWrite5m: 10_000, CacheWrite1h: 16_000}
		rate8     = Rate{Input: 8_000, Output: 40_000, CacheRead: 400, CacheWrite5m: 10_000, CacheWrite1h: 16_000}
		rate10    = Rate{Input: 10_000, Output: 50_000, CacheRead: 1_000, CacheWrite5m: 12_500, CacheWrite1h: 20_000}
		rate10r25 = Rate{Input: 10_000, Output: 50_000, CacheRead: 250, CacheWrite5m: 12_500, CacheWrite1h: 20_000}
		rate15    = Rate{Input: 15_000, Output: 75_000, CacheRead: 1_500, CacheWrite5m: 18_750, CacheWrite1h: 30_000}
		rate16    = Rate{Input: 16_000, Output: 80_000, CacheRead: 400, CacheWrite5m: 20_000, CacheWrite1h: 32_000}
		rate30    = Rate{Input: 30_000, Output: 150_000, CacheRead: 3_000, CacheWrite5m: 37_500, CacheWrite1h: 60_000}
	)
	return []Price{
		{Model: "claude-3-haiku", Rate: rate025},
		{Model: "claude-3-5-haiku", Rate: rate08},
		{Model: "claude-haiku-4-5", Rate: rate1},
		{Model: "claude-haiku-5-5", Rate: rate01, LongAbove: 100_000, Long: rate05},

		{Model: "claude-3-sonnet", Rate: rate3},
		{Model: "claude-3-5-sonnet", Rate: rate3},
		{Model: "claude-3-7-sonnet", Rate: rate3},
		{Model: "claude-sonnet-4", Rate: rate3, LongAbove: longPrompt, Long: rate6},
		{Model: "claude-sonnet-4-0", Rate: rate3, LongAbove: longPrompt, Long: rate6},
		{Model: "claude-sonnet-4-5", Rate: rate3, LongAbove: longPrompt, Long: rate6},
		{Model: "claude-sonnet-4-6", Rate: rate3, LongAbove: longPrompt, Long: rate6},
		{Model: "claude-sonnet-4-6", FromMS: flatPriceMS, Rate: rate3},
		{Model: "claude-sonnet-5", Rate: rate2},
		{Model: "claude-sonnet-5-5", Rate: rate2r10},

		{Model: "claude-3-opus", Rate: rate15},
		{Model: "claude-opus-4", Rate: rate15},
		{Model: "claude-opus-4-0", Rate: rate15},
		{Model: "claude-opus-4-1", Rate: rate15},
		{Model: "claude-opus-4-5", Rate: rate5},
		{Model: "claude-opus-4-6", Rate: rate5, LongAbove: longPrompt, Long: rate10l, Fast: rate30},
		{Model: "claude-opus-4-6", FromMS: flatPriceMS, Rate: rate5, Fast: rate30},
		{Model: "claude-opus-4-7", Rate: rate5, Fast: rate30},
		{Model: "claude-opus-4-8", Rate: rate5, Fast: rate10},
		{Model: "claude-opus-5", Rate: rate5, Fast: rate10},
		{Model: "claude-opus-5-5", Rate: rate4, Fast: rate8},

		{Model: "claude-fable-5", Rate: rate10},
		{Model: "claude-fable-5-1", Rate: rate10r25},
		{Model: "claude-fable-5-2", Rate: rate8r20, Fast: rate16},
		{Model: "claude-mythos-5", Rate: rate10},
		{Model: "claude-mythos-5-1", Rate: rate10r25},
		{Model: "claude-mythos-5-2", Rate: rate8r20, Fast: rate16},
	}
})
