package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/internal/llm/reply"
)

// step is what the scripted backend does at one call.
type step struct {
	takes time.Duration
	raw   string
	json  string
	err   error
	cost  float64 // < 0: unknown
}

type scripted struct {
	steps   []step
	prompts []string
	times   []time.Duration // since the beginning
	began   time.Time
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	n := len(s.prompts)
	s.prompts = append(s.prompts, r.Prompt)
	s.times = append(s.times, time.Since(s.began))
	st := s.steps[min(n, len(s.steps)-1)]
	select {
	case <-ctx.Done():
		return llm.Reply{}, llm.Ended(ctx)
	case <-time.After(st.takes):
	}
	out := llm.Reply{Raw: st.raw, JSON: json.RawMessage(st.json), Model: "m", TokensIn: 10, TokensOut: 1}
	if st.cost >= 0 {
		out.CostUSD = &st.cost
	}
	return out, st.err
}

const good = `{"ok":true}`

func run(t *testing.T, ctx context.Context, p ask.Policy, steps ...step) (ask.Answer, *scripted, error) {
	t.Helper()
	s, err := reply.Compile([]byte(`{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	b := &scripted{steps: steps, began: time.Now()}
	got, err := ask.Ask(ctx, b, llm.Request{Prompt: "Q", Schema: []byte(`{"SCHEMA":1}`)}, s, p)
	return got, b, err
}

func TestWhatWasWrongGoesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, b, err := run(t, t.Context(), ask.Async(), step{raw: "no idea"}, step{raw: `{"ok":"yes"}`, cost: 0.5}, step{raw: "Fine: " + good, cost: 0.25})
		if err != nil || string(got.JSON) != good || got.Tries != 3 || got.TokensIn != 30 || got.TokensOut != 3 || got.CostUSD == nil || *got.CostUSD != 0.75 {
			t.Errorf("answer = %+v, %v", got, err)
		}
		if d := cmp.Diff([]time.Duration{0, 2 * time.Second, 10 * time.Second}, b.times); d != "" {
			t.Errorf("times (-want +got):\n%s", d)
		}
		if b.prompts[0] != "Q" || !strings.Contains(b.prompts[1], "no JSON object") || !strings.Contains(b.prompts[2], "/ok") || !strings.Contains(b.prompts[2], "SCHEMA") || strings.Contains(b.prompts[2], "no JSON object") {
			t.Errorf("prompts = %q", b.prompts)
		}
		if !strings.Contains(b.prompts[2], "<<<") {
			t.Error("what was wrong is not fenced")
		}
	})
}

func TestOneUnknownPriceMakesTheSumUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, _, err := run(t, t.Context(), ask.Sync(), step{raw: "x", cost: -1}, step{json: good, cost: 1})
		if err != nil || got.CostUSD != nil || got.Priced || got.Tries != 2 {
			t.Errorf("answer = %+v, %v", got, err)
		}
	})
}

func TestFailuresThatNothingCuresEndAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		kind  error
		tries int
	}{
		"refusal":   {llm.Fail(llm.ErrRefused, "no"), llm.ErrRefused, 1},
		"permanent": {llm.FailForGood(llm.ErrUnavailable, "no key"), llm.ErrUnavailable, 1},
		"down":      {llm.Fail(llm.ErrUnavailable, "down"), llm.ErrUnavailable, 3},
		"quota":     {llm.Fail(llm.ErrQuota, "slow down"), llm.ErrQuota, 3},
		"truncated": {llm.Fail(llm.ErrTruncated, "cut"), llm.ErrTruncated, 3},
		"unknown":   {errors.New("odd"), llm.ErrUnavailable, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			got, _, err := run(t, t.Context(), ask.Async(), step{err: c.err, raw: good})
			if !errors.Is(err, c.kind) || got.Tries != c.tries || got.JSON != nil {
				t.Errorf("%s: %d tries, %v, %s", name, got.Tries, err, got.JSON)
			}
		})
	}
}

func TestEverythingStaysWithinTheDeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit time.Duration
		p     ask.Policy
		step  step
		tries int
		ends  time.Duration
		kind  error
	}{
		"a hanging model, two tries":      {time.Hour, ask.Sync(), step{takes: time.Hour}, 2, 105 * time.Second, llm.ErrTimeout},
		"a hanging model, little time":    {5 * time.Second, ask.Sync(), step{takes: time.Hour}, 1, 5 * time.Second, llm.ErrTimeout},
		"no time for the pause":           {3 * time.Second, ask.Async(), step{takes: 1500 * time.Millisecond, raw: "x"}, 1, 1500 * time.Millisecond, llm.ErrSchema},
		"no policy is one try":            {time.Hour, nil, step{raw: "x"}, 1, 0, llm.ErrSchema},
		"no time before the first try":    {time.Second, ask.Policy{{Pause: time.Minute}}, step{}, 0, 0, llm.ErrTimeout},
		"a hanging model, in background":  {time.Hour, ask.Async(), step{takes: time.Hour}, 3, 550 * time.Second, llm.ErrTimeout},
		"an answer at the very last time": {time.Hour, ask.Sync(), step{takes: 59 * time.Second, raw: good}, 1, 59 * time.Second, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			began := time.Now()
			got, _, err := run(t, ctx, c.p, c.step)
			if !errors.Is(err, c.kind) || got.Tries != c.tries || time.Since(began) != c.ends {
				t.Errorf("%s: %d tries, %v, ended after %v; want %d, %v, %v", name, got.Tries, err, time.Since(began), c.tries, c.kind, c.ends)
			}
		})
	}
}

func TestCancelStopsAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		got, _, err := run(t, ctx, ask.Async(), step{raw: "x"})
		if !errors.Is(err, llm.ErrSchema) || got.Tries != 1 {
			t.Errorf("%d tries, %v", got.Tries, err)
		}
	})
}
