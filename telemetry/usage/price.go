package usage

import (
	"math"
	"strings"
	"time"
)

// Tokens are the billable parts of one message. All counts are tokens, except WebSearches (requests).
type Tokens struct {
	Input        int64
	Output       int64
	CacheRead    int64
	CacheWrite5m int64 // written to the 5-minute cache, also when the transcript does not tell which cache
	CacheWrite1h int64 // written to the 1-hour cache
	WebSearches  int64
	Fast         bool // the request ran in fast mode (usage.speed is "fast")
	US           bool // inference was pinned to the US (usage.inference_geo is "us")
}

// Prompt is the number of tokens that the model read, from whatever source.
func (t Tokens) Prompt() int64 { return t.Input + t.CacheRead + t.CacheWrite5m + t.CacheWrite1h }

// Rate is what one token costs, in nano-USD (1 USD per million tokens is 1,000).
type Rate struct {
	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h int64
}

// Price is what one model costs from a moment on.
type Price struct {
	Model     string // as matched: without [1m] and date
	FromMS    int64  // unix milliseconds of the first moment it is valid; 0 is always
	Rate      Rate
	LongAbove int64 // prompts of more tokens than this are charged at Long as a whole; 0 means there is no such step
	Long      Rate
	Fast      Rate // price in fast mode; zero when the model has none
}

// Surcharges that hold for every model. Source: pricing pages of the Claude API, and the client's own arithmetic (2.1.332).
const (
	webSearchNano  = 10_000_000 // one web search request, 0.01 USD
	usSurchargePct = 10         // inference pinned to the US
)

// Table is a list of prices. The zero value holds the built-in list only. It is safe for concurrent use.
type Table struct {
	own []Price // preferred to the built-in list
}

// With returns a table in which a model costs what the user says, in USD per million tokens. Cache prices are derived from
// the input price by the usual factors: 5-minute write 1.25, 1-hour write 2, read 0.1. The model is written without [1m]
// and date, or exactly as the transcript has it.
func (t Table) With(model string, inputUSD, outputUSD float64) Table {
	own := make([]Price, 0, len(t.own)+1)
	own = append(own, t.own...)
	return Table{append(own, Price{Model: strings.ToLower(model), Rate: usualRate(nano(inputUSD), nano(outputUSD))})}
}

// nano converts USD per million tokens to nano-USD per token.
func nano(usdPerMillion float64) int64 { return int64(math.Round(usdPerMillion * 1000)) }

func usualRate(input, output int64) Rate {
	return Rate{
		Input: input, Output: output, CacheRead: (input + 5) / 10,
		CacheWrite5m: (input*5 + 2) / 4, CacheWrite1h: input * 2,
	}
}

// Lookup finds the price of a model at a moment. It reports false for a model that is not listed: a wrong number is worse
// than none. A name matches an entry when, [1m] and date taken off, it is the entry or continues it with a word
// ("claude-opus-4-6-latest"); it does not match when it continues with a number, which would be another version.
func (t Table) Lookup(model string, at time.Time) (Price, bool) {
	name := strings.ToLower(model)
	for _, key := range [...]string{name, BaseModel(model)} {
		if p, ok := newest(t.own, key, at); ok {
			return p, true
		}
	}
	return newest(builtin(), BaseModel(model), at)
}

// newest returns the longest entry that matches, and of those for the same model the latest one valid at the moment.
func newest(list []Price, name string, at time.Time) (best Price, found bool) {
	ms := at.UnixMilli()
	for _, p := range list {
		if p.FromMS > ms || !matches(p.Model, name) {
			continue
		}
		longer := len(p.Model) > len(best.Model)
		if !found || longer || len(p.Model) == len(best.Model) && p.FromMS >= best.FromMS {
			best, found = p, true
		}
	}
	return best, found
}

func matches(entry, name string) bool {
	rest, ok := strings.CutPrefix(name, entry)
	if !ok || entry == "" {
		return false
	}
	return rest == "" || len(rest) > 1 && rest[0] == '-' && (rest[1] < '0' || rest[1] > '9')
}

// BaseModel takes the context marker and the date off a model name: "Claude-Opus-4-5-20251101[1m]" is "claude-opus-4-5".
func BaseModel(model string) string {
	name, _ := strings.CutSuffix(strings.ToLower(strings.TrimSpace(model)), "[1m]")
	if i := len(name) - 9; i > 0 && name[i] == '-' && allDigits(name[i+1:]) {
		name = name[:i]
	}
	return name
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Cost is the price of one message in nano-USD.
func (p Price) Cost(t Tokens) int64 {
	r := p.Rate
	switch {
	case t.Fast && p.Fast != (Rate{}):
		r = p.Fast
	case p.LongAbove > 0 && t.Prompt() > p.LongAbove:
		r = p.Long
	}
	sum := t.Input*r.Input + t.Output*r.Output + t.CacheRead*r.CacheRead +
		t.CacheWrite5m*r.CacheWrite5m + t.CacheWrite1h*r.CacheWrite1h
	if t.US {
		sum += (sum*usSurchargePct + 50) / 100
	}
	return sum + t.WebSearches*webSearchNano
}
