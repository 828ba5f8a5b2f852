package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/judge/model"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const why = "Sum may return anything but zero now"

func TestTwoOfThreeDecideAboutASoftFinding(t *testing.T) {
	t.Parallel()
	const raise, keep, lower = verdict.Hard, verdict.Soft, verdict.Note
	vote := map[byte]func() (llm.Reply, error){
		'd': func() (llm.Reply, error) { return ballot(why, newLine, "defect") },
		'h': func() (llm.Reply, error) { return ballot("both catch a wrong sum", oldLine, "honest") },
		'u': func() (llm.Reply, error) { return ballot("cannot be told from here", "", "unsure") },
		'q': func() (llm.Reply, error) { return ballot(why, "assert.Equal(t, 3, got)", "defect") }, // not shown
		'c': func() (llm.Reply, error) { return ballot(why+". Correction: pass.", newLine, "defect") },
		'f': func() (llm.Reply, error) { return text("I am unable to read the diff") },
		'e': func() (llm.Reply, error) { return text(`{"findings":[],"summary":"PASS"}`) },
		'r': func() (llm.Reply, error) { return llm.Reply{}, llm.Fail(llm.ErrRefused, "no") },
	}
	for cast, want := range map[string]struct {
		class verdict.Class
		err   bool
		calls int64
	}{
		"dd": {raise, false, 2}, "hh": {lower, false, 2}, "dhd": {raise, false, 3}, "hdh": {lower, false, 3}, "dhu": {keep, false, 3}, "uu": {keep, false, 2},
		"qdd": {raise, false, 3}, "qq": {keep, false, 2}, "qhh": {lower, false, 3}, "qud": {keep, false, 2}, "cdd": {raise, false, 3}, "cc": {keep, true, 2},
		"ff": {keep, true, 2}, "ee": {keep, true, 2}, "fhh": {lower, false, 3}, "rr": {keep, true, 2}, "fdf": {keep, true, 3}, "cdh": {keep, false, 3}, "fq": {keep, false, 2},
	} {
		f := &fake{answer: func(n int, _ llm.Request) (llm.Reply, error) { return vote[cast[n]]() }}
		r := votes(f)
		r.Parallel = 1 // the votes come in the order of the script
		got, err := r.Review(t.Context(), input(soft("assert-weaker", verdict.TestIntegrity)))
		if got.Reasons[0].Class != want.class || (err != nil) != want.err || got.Usage.Calls != want.calls {
			t.Errorf("votes %s: %s, %v after %d calls; want %s", cast, got.Reasons[0].Class, err, got.Usage.Calls, want.class)
		}
		if err != nil && !errors.Is(err, llm.ErrSchema) && !errors.Is(err, llm.ErrRefused) {
			t.Errorf("votes %s: %v has no kind", cast, err)
		}
		if same := got.Reasons[0].Finding() == input(soft("assert-weaker", verdict.TestIntegrity)).Reasons[0].Finding(); !same {
			t.Errorf("votes %s: the finding is another one now", cast)
		}
		changed := got.Reasons[0].Fix != "Compare with the exact value."
		if changed != (want.class != keep) || changed && !strings.Contains(got.Reasons[0].Fix, "quoting “") {
			t.Errorf("votes %s: fix %q", cast, got.Reasons[0].Fix)
		}
	}
}

func TestWhichFindingsAModelMayMove(t *testing.T) {
	t.Parallel()
	axes := verdict.Axes()
	var reasons []verdict.Reason
	for _, a := range axes {
		reasons = append(reasons, soft("rule-"+string(a), a))
	}
	defect := func(int, llm.Request) (llm.Reply, error) { return ballot(why, newLine, "defect") }
	r := votes(&fake{answer: defect})
	r.Questions = len(axes)
	got, err := r.Review(t.Context(), input(reasons...))
	if err != nil {
		t.Fatal(err)
	}
	var raised []verdict.Axis
	for _, x := range got.Reasons {
		if x.Class == verdict.Hard {
			raised = append(raised, x.Axis)
		}
	}
	want := []verdict.Axis{verdict.TestIntegrity, verdict.TestSubstance, verdict.Honesty, verdict.References, verdict.GateIntegrity, verdict.Security}
	if d := cmp.Diff(want, raised); d != "" {
		t.Errorf("raised (-want +got):\n%s", d)
	}
	// neither hard ones, nor notes, nor signals, nor what has no question is asked about
	signal := soft("", verdict.TDD)
	signal.Prefix = "tdd"
	note := soft("a-note", verdict.TestIntegrity)
	note.Class = verdict.Note
	in := input(hard("a-hard", verdict.TestIntegrity), note, signal, soft("no-question", verdict.TestIntegrity))
	delete(in.Questions, "no-question")
	f := &fake{answer: defect}
	got, err = votes(f).Review(t.Context(), in)
	if err != nil || len(f.asked) != 0 || cmp.Diff(in.Reasons, got.Reasons) != "" {
		t.Errorf("%v, %d questions, reasons %v", err, len(f.asked), got.Reasons)
	}
}

func TestTheMostSeriousFindingsAreAskedAboutFirst(t *testing.T) {
	t.Parallel()
	reasons := []verdict.Reason{soft("docs", verdict.Documentation), soft("debug", verdict.Hygiene), soft("weak", verdict.TestIntegrity), soft("stub", verdict.Honesty)}
	f := &fake{answer: func(int, llm.Request) (llm.Reply, error) { return ballot(why, newLine, "defect") }}
	r := votes(f)
	r.Questions = 2
	got, err := r.Review(t.Context(), input(reasons...))
	if err != nil || got.Reasons[2].Class != verdict.Hard || got.Reasons[3].Class != verdict.Hard || got.Reasons[0].Class != verdict.Soft || len(f.asked) != 4 {
		t.Errorf("%v, reasons %v after %d questions", err, got.Reasons, len(f.asked))
	}
}

func TestNothingIsAskedAtVibeOrAboutNothing(t *testing.T) {
	t.Parallel()
	f := &fake{answer: func(int, llm.Request) (llm.Reply, error) { return text("x") }}
	vibe := input(soft("weak", verdict.TestIntegrity))
	vibe.Level = "vibe"
	for _, in := range []model.Input{vibe, {Level: "strict"}, {Level: "strict", Diff: []byte(" \n")}} {
		got, err := (&model.Reviewer{Backend: f, Model: "m"}).Review(t.Context(), in)
		if err != nil || len(f.asked) != 0 || got.Leaves != nil || got.Usage.CostUSD != nil || len(got.Reasons) != len(in.Reasons) {
			t.Errorf("%v, %d questions, %+v", err, len(f.asked), got)
		}
	}
}

func TestBackendFailuresAreOneErrorWithTheirKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func() (llm.Reply, error)
		kind   error
		most   int // calls
	}{
		"down for good": {func() (llm.Reply, error) { return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "not signed in") }, llm.ErrUnavailable, 4},
		"no quota":      {func() (llm.Reply, error) { return llm.Reply{}, llm.FailForGood(llm.ErrQuota, "used up") }, llm.ErrQuota, 4},
		"down":          {func() (llm.Reply, error) { return llm.Reply{}, llm.Fail(llm.ErrUnavailable, "503") }, llm.ErrUnavailable, 7},
		"refused":       {func() (llm.Reply, error) { return llm.Reply{}, llm.Fail(llm.ErrRefused, "no") }, llm.ErrRefused, 7},
		"truncated":     {func() (llm.Reply, error) { return text(`{"reason":"it i`) }, llm.ErrTruncated, 7},
		"another form":  {func() (llm.Reply, error) { return text(`{"kind":"violation","reason":"… Correction: pass."}`) }, llm.ErrSchema, 7},
		"an error":      {func() (llm.Reply, error) { return text(`{"error":"rate limited"}`) }, llm.ErrQuota, 7},
		"a crash":       {func() (llm.Reply, error) { panic("broken") }, llm.ErrUnavailable, 4},
		"free text":     {func() (llm.Reply, error) { return text("Summary fine. **No issues found.** PASS") }, llm.ErrSchema, 7},
	} {
		f := &fake{answer: func(int, llm.Request) (llm.Reply, error) { return c.answer() }}
		in := input(soft("weak", verdict.TestIntegrity), soft("stub", verdict.Honesty), soft("gate", verdict.GateIntegrity), hard("gone", verdict.TestIntegrity))
		got, err := (&model.Reviewer{Backend: f, Model: "m"}).Review(t.Context(), in)
		if !errors.Is(err, c.kind) || strings.Count(err.Error(), "\n") != 0 {
			t.Errorf("%s: %v, want %v in one line", name, err, c.kind)
		}
		if d := cmp.Diff(in.Reasons, got.Reasons); d != "" || got.Leaves != nil || len(got.Extra) != 0 {
			t.Errorf("%s: something was decided: %+v\n%s", name, got, d)
		}
		if len(f.asked) > c.most {
			t.Errorf("%s: %d calls, want at most %d", name, len(f.asked), c.most)
		}
	}
}

// stuck never answers.
type stuck struct{}

func (stuck) Name() string { return "stuck" }

func (stuck) Ask(ctx context.Context, _ llm.Request) (llm.Reply, error) {
	<-ctx.Done()
	return llm.Reply{}, llm.Ended(ctx)
}

func TestEverythingEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	var many []verdict.Reason
	for range 20 {
		many = append(many, soft("weak", verdict.TestIntegrity))
	}
	got, err := (&model.Reviewer{Backend: stuck{}, Model: "m", Policy: ask.Async(), Questions: 20}).Review(ctx, input(many...))
	if !errors.Is(err, llm.ErrTimeout) || cmp.Diff(many, got.Reasons) != "" {
		t.Errorf("err = %v", err)
	}
}

func TestNoMoreThanFourAtOnce(t *testing.T) {
	t.Parallel()
	var many []verdict.Reason
	for range 12 {
		many = append(many, soft("weak", verdict.TestIntegrity))
	}
	f := &fake{answer: func(int, llm.Request) (llm.Reply, error) { return ballot(why, newLine, "defect") }}
	r := votes(f)
	r.Questions = 12
	if _, err := r.Review(t.Context(), input(many...)); err != nil || f.most > model.DefaultParallel || len(f.asked) != 24 {
		t.Errorf("%v, %d at once, %d in all", err, f.most, len(f.asked))
	}
}

func TestUsageAndRecord(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	f := &fake{answer: func(n int, r llm.Request) (llm.Reply, error) {
		if r.SchemaName == "vote" {
			return ballot(why+" "+secret, newLine, "defect")
		}
		return text("%s", leaves(t, nil))
	}}
	got, err := (&model.Reviewer{Backend: f, Model: "m"}).Review(t.Context(), input(soft("weak", verdict.TestIntegrity)))
	if err != nil {
		t.Fatal(err)
	}
	if u := got.Usage; u.Calls != 3 || u.TokensIn != 300 || u.TokensOut != 30 || u.CostUSD == nil || *u.CostUSD != 0.75 || got.Model != "small" || got.Backend != "fake" {
		t.Errorf("usage = %+v, %s %s", got.Usage, got.Model, got.Backend)
	}
	if !strings.Contains(got.Raw, "model_overall: fail") || !strings.Contains(got.Raw, why) || strings.Contains(got.Raw+got.Reasons[0].Fix, secret) || len(got.Raw) > 20<<10 {
		t.Errorf("record = %s", got.Raw)
	}
	if got.Leaves["edge_case_coverage"] != "adequate" || len(got.Extra) != 0 {
		t.Errorf("leaves = %v, extra %v", got.Leaves, got.Extra)
	}
}

// leaves is an answer about taste in which the model thinks badly of the whole but says nothing against a part of it.
func leaves(t *testing.T, changed map[string]any) []byte {
	t.Helper()
	all := map[string]any{}
	for key, value := range map[string]any{
		"lob_violation": "no", "duplication": "no", "type_contract_violation": "na", "unjustified_complexity": "no", "naming_consistency": 1.0,
		"edge_case_coverage": "adequate", "monetary_math": "ok", "idempotency": "na", "contract_compatibility": "na", "user_intent": "yes",
		"accidental_complexity": "ok", "design_system_adherence": "na", "agentic_legibility": 0.9,
	} {
		if v, ok := changed[key]; ok {
			value = v
		}
		all[key] = map[string]any{"reason": "as the line shows", "quote": newLine, "value": value}
	}
	data, err := json.Marshal(map[string]any{"leaves": all, "asked": []any{}, "unasked": []any{}, "summary": "s", "overall": "fail"})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
