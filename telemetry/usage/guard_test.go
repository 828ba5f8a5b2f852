package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/telemetry/usage"
)

func TestContextWarningOncePerStep(t *testing.T) {
	t.Parallel()
	const window = 200_000 // compacts at 167,000: 80 % is 133,600, 90 % is 150,300
	warned := int64(0)
	var said []string
	for _, occ := range []int64{0, 133_599, 133_600, 140_000, 150_299, 150_300, 166_000, 180_000, 20_000, 160_000} {
		var text string
		text, warned = usage.ContextWarning(occ, window, warned, "docs/plan.md")
		if text != "" {
			said = append(said, text)
		}
	}
	want := []string{
		"[devflow:context] over 80 % of the context is used (133,600 of the 167,000 tokens before the client compacts). At the next quiet point run /compact focus on docs/plan.md.",
		"[devflow:context] caution: over 90 % of the context is used (150,300 of the 167,000 tokens before the client compacts). Finish or note down the current step now, then run /compact focus on docs/plan.md.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if text, _ := usage.ContextWarning(140_000, window, 0, ""); !strings.Contains(text, "/compact focus on what is done") {
		t.Errorf("after a compaction and without a plan: %q", text)
	}
}

func TestContextWarningSkipsToTheSecondStep(t *testing.T) {
	t.Parallel()
	text, bits := usage.ContextWarning(160_000, 200_000, usage.WarnedTokens, "")
	if !strings.Contains(text, "90 %") || bits != usage.WarnedTokens|usage.WarnedNear|usage.WarnedFull {
		t.Fatalf("got %q, bits %b", text, bits)
	}
	if text, _ := usage.ContextWarning(140_000, 200_000, bits, ""); text != "" {
		t.Errorf("80 %% said after 90 %%: %q", text)
	}
}

func TestTokenGuard(t *testing.T) {
	t.Parallel()
	b := func(edit func(*usage.Budget)) usage.Budget {
		x := usage.Budget{Work: 150_001, Limit: 150_000}
		edit(&x)
		return x
	}
	tests := []struct {
		name string
		b    usage.Budget
		want usage.Decision
	}{
		{"unarmed advises", b(func(*usage.Budget) {}), usage.GuardAdvise},
		{"unarmed advises once", b(func(x *usage.Budget) { x.Advised = true }), usage.GuardNone},
		{"after a fail", b(func(x *usage.Budget) { x.Armed = true }), usage.GuardHalt},
		{"after a fail, advised before", b(func(x *usage.Budget) { x.Armed, x.Advised = true, true }), usage.GuardHalt},
		{"armed always", b(func(x *usage.Budget) { x.Always = true }), usage.GuardHalt},
		{"exactly the limit", b(func(x *usage.Budget) { x.Work, x.Armed = 150_000, true }), usage.GuardNone},
		{"already halted", b(func(x *usage.Budget) { x.Armed, x.Halted = true, true }), usage.GuardNone},
		{"a PASS moved the baseline", b(func(x *usage.Budget) { x.Armed, x.Baseline = true, 1 }), usage.GuardNone},
		{"baseline above the work", b(func(x *usage.Budget) { x.Armed, x.Baseline = true, 900_000 }), usage.GuardNone},
		{"switched off", b(func(x *usage.Budget) { x.Armed, x.Limit = true, 0 }), usage.GuardNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := usage.TokenGuard(tt.b); got != tt.want {
				t.Errorf("TokenGuard(%+v) = %v, want %v", tt.b, got, tt.want)
			}
		})
	}
}

func TestGuardTextsNameTheWayOut(t *testing.T) {
	t.Parallel()
	b := usage.Budget{Work: 160_001, Baseline: 10_000, Limit: 150_000}
	want := "[devflow:EMERGENCY_HALT] 150,001 work tokens were spent without a PASS (limit 150,000). The session is halted: reading is still possible, " +
		"changes are not. A person goes on by typing: devflow approve K7Q2. The limit is token_delta.limit in devflow's config.toml. Facts: /r/emergency-halt.log"
	if diff := cmp.Diff(want, usage.HaltText(b, "K7Q2", "/r/emergency-halt.log")); diff != "" {
		t.Errorf("halt (-want +got):\n%s", diff)
	}
	if got := usage.AdviceText(b); !strings.HasPrefix(got, "[devflow:tokens] 150,001 work tokens") || len(got) > 400 {
		t.Errorf("advice: %q", got)
	}
	line := string(b.Record(time.Date(2026, 11, 30, 1, 2, 3, 4567890, time.UTC), "s-1", "s-1#2", "fail").Line())
	wantLine := `{"at":"2026-11-30T01:02:03.004Z","session":"s-1","task":"s-1#2","tokens":160001,"baseline":10000,"delta":150001,"limit":150000,"verdict":"fail"}` + "\n"
	if diff := cmp.Diff(wantLine, line); diff != "" {
		t.Errorf("log line (-want +got):\n%s", diff)
	}
}
