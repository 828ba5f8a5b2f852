package journal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// rollup rolls the newest task up and returns its row without NULLs.
func (b *bundle) rollup(x journal.Extra) map[string]any {
	b.t.Helper()
	got := map[string]any{}
	b.with(func(tx *store.Tx, t *telemetry.Task) error {
		if x.NowMS == 0 {
			x.NowMS = b.now
		}
		if err := journal.Rollup(tx, t, x); err != nil {
			return err
		}
		return tx.Query("SELECT * FROM task_executions WHERE task_id=?", []any{t.ID()}, func(r *store.Row) error {
			for i, name := range r.Columns() {
				if !r.Null(i) {
					got[name] = r.Value(i)
				}
			}
			return nil
		})
	})
	return got
}

func TestRollupOfAWholeTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.with(func(tx *store.Tx, _ *telemetry.Task) error {
		return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{In: 30_000, Read: 900_000, CostNanoUSD: 1_250_000_000, Model: "claude-opus-4-8[1m]"})
	})
	b.record("PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates = "Write", true
		f.Score = &telemetry.Score{Level: "strict", P: 230, I: 900, D: 312, R: 64}
		f.Modules = []telemetry.Module{{Name: "profiler", US: 1, Outcome: "ctx"}, {Name: "guard", US: 1, Outcome: "ok"}}
	})
	b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path = "Write", true, "src/a.py"
		f.Edits = []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Created: true, After: "h1", Added: 10, TestState: "none"}}
		f.Raise = []telemetry.Signal{{Kind: telemetry.KindTDD, Key: "src/a.py", Severity: "hard"}, {Kind: telemetry.KindTDD, Key: "src/b.py", Severity: "hard"}}
		f.Modules = []telemetry.Module{{Name: "tdd", US: 1, Outcome: "ctx"}}
	})
	b.with(func(tx *store.Tx, _ *telemetry.Task) error {
		return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{In: 1000, Out: 500, W5: 40, W1h: 60, CostNanoUSD: 250_000_000})
	})
	b.record("PostToolUseFailure", func(f *telemetry.Fact) { f.Tool, f.Runner, f.Class, f.Diagnostics = "Bash", "pytest", "test", 2 })
	b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path, f.Empty = "Edit", true, "src/a.py", true
		f.Edits = []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Before: "h1", After: "h2"}}
		f.Resolve = []telemetry.Key{{Kind: telemetry.KindTDD, Key: "src/a.py", By: "tests/test_a.py"}}
	})
	b.call("PostToolUse", "Bash", "", "pytest")
	b.record("PreCompact", nil)
	b.record("Stop", nil)
	b.judged(1, "warn", `[{"prefix":"qa","text":"weak, on empty input"}]`)
	got := b.rollup(journal.Extra{Stop: true, Window: 1_000_000, Stack: "python", Skills: []string{"spec-driven-dev", "tdd"}})
	want := map[string]any{
		"task_id": "s1#1", "session_id": "s1", "timestamp": "2025-11-30T10:53:29.000Z",
		"task_category": "feature", "task_description": "rotate the tokens", "stack": "python",
		"iterations_to_completion": int64(1), "tool_calls_total": int64(4), "tool_calls_without_output": int64(1),
		"context_tokens_consumed": int64(31_600), "context_tokens_at_first_action": int64(30_000), "context_anxiety_score": 0.03,
		"backtrack_count": int64(0), "compile_errors_first_attempt": int64(2), "compaction_events": int64(1), "spiral_detected": int64(0),
		"judge_verdict": "warn", "judge_categories_failed": `["[qa] weak, on empty input"]`,
		"probability_score": 0.23, "impact_score": 0.9, "detectability_score": 0.312, "oversight_level": "strict",
		"skills_loaded": "spec-driven-dev,tdd", "rules_triggered": "profiler,tdd", "harness_drift_detected": int64(1),
		"task_time_seconds": int64(7), "test_retry_count": int64(1), "tdd_followthrough_rate": 0.5, "cost_usd": 1.5,
		"model": "claude-opus-4-8[1m]", "input_tokens": int64(31_000), "output_tokens": int64(500),
		"cache_read_tokens": int64(900_000), "cache_creation_tokens": int64(100),
	}
	want["timestamp"] = got["timestamp"] // checked below
	want["task_time_seconds"] = (b.now - start - 1000) / 1000
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if stamp := got["timestamp"]; stamp != "2025-11-30T10:53:28.000Z" {
		t.Error(stamp)
	}
}

// A task about which nothing is known has no invented values.
func TestRollupOfAnEmptyTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.rollup(journal.Extra{})
	for _, name := range []string{
		"stack", "context_tokens_at_first_action", "compile_errors_first_attempt", "judge_verdict", "judge_categories_failed", "probability_score",
		"oversight_level", "skills_loaded", "task_time_seconds", "test_retry_count", "context_anxiety_score", "model", "estimated_usd",
		"context_tokens_consumed", "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "cost_usd",
		"firewall_delegated", "lob_violations", "naming_consistency_score", "judge_reasoning", "reflection_injected",
	} {
		if v, ok := got[name]; ok {
			t.Errorf("%s is %v", name, v)
		}
	}
	if got["tdd_followthrough_rate"] != 1.0 {
		t.Error("nothing raised is everything followed")
	}
}

func TestRollupNeverForgets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.with(func(tx *store.Tx, _ *telemetry.Task) error {
		return telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{Read: 7}) // counted, but no work
	})
	b.edit(telemetry.Edit{Path: "a.py", Kind: "impl", Created: true})
	b.judged(1, "fail", `["[tdd] x"]`)
	b.rollup(journal.Extra{Stop: true, Window: 200_000, Stack: "go", Skills: []string{"x"}})
	b.now += 5000
	got := b.rollup(journal.Extra{})
	if got["stack"] != "go" || got["skills_loaded"] != "x" || got["task_time_seconds"] != int64(1) || got["context_anxiety_score"] != 0.0 || got["judge_verdict"] != "fail" {
		t.Errorf("%v", got)
	}
	// Another part fills its own columns; a skipped verdict never replaces a real one, a cost that turned unknown is cleared.
	b.with(func(tx *store.Tx, _ *telemetry.Task) error {
		if err := telemetry.AddUsage(tx, "s1", 1, telemetry.Delta{CostUnknown: true}); err != nil {
			return err
		}
		return telemetry.Fill(tx, "s1", 1, map[string]any{
			"judge_verdict": "skipped_no_diff", "lob_violations": 2, "naming_consistency_score": 0.9, "user_intent_status": "yes", "contract_status": nil,
		}, b.now)
	})
	got = b.rollup(journal.Extra{})
	if got["judge_verdict"] != "fail" || got["lob_violations"] != int64(2) || got["naming_consistency_score"] != 0.9 || got["user_intent_status"] != "yes" {
		t.Errorf("%v", got)
	}
	if _, ok := got["cost_usd"]; ok {
		t.Errorf("cost %v of unknown prices", got["cost_usd"])
	}
	b.judged(2, "pass", "[]")
	if got = b.rollup(journal.Extra{}); got["judge_verdict"] != "pass" || got["judge_categories_failed"] != "[]" {
		t.Errorf("%v", got)
	}
}

func TestSkippedVerdictGivesWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.judged(1, "skipped_no_diff", "")
	if got := b.rollup(journal.Extra{}); got["judge_verdict"] != "skipped_no_diff" {
		t.Error(got["judge_verdict"])
	}
	b.judged(2, "warn", "[]")
	if got := b.rollup(journal.Extra{}); got["judge_verdict"] != "warn" {
		t.Error(got["judge_verdict"])
	}
}

func TestFillRefusesUnknownColumns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"task_id", "session_id", "timestamp", "cloud_mode_active", "x=1,y", ""} {
		if err := b.db.Update(func(tx *store.Tx) error { return telemetry.Fill(tx, "s1", 1, map[string]any{name: 1}, b.now) }); err == nil {
			t.Errorf("column %q filled", name)
		}
	}
}

// The columns that may be filled are those of the table.
func TestFillKnowsEveryColumn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var names []string
	b.rollup(journal.Extra{})
	b.update(func(tx *store.Tx) error {
		return tx.Query("SELECT * FROM task_executions", nil, func(r *store.Row) error {
			names = r.Columns()
			return nil
		})
	})
	if len(names) != 54 {
		t.Fatalf("%d columns", len(names))
	}
	for _, name := range names {
		if name == "task_id" || name == "timestamp" || name == "session_id" {
			continue
		}
		b.update(func(tx *store.Tx) error { return telemetry.Fill(tx, "s1", 1, map[string]any{name: nil}, b.now) })
	}
}

func TestSpirals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, steps string // a b edits of two files, g r test green/red, f failed call, o another call, s the same call
		want        int64
	}{
		{"five edits of one file", "aaaaa", 1},
		{"four edits", "aaaa", 0},
		{"five edits, red between", "aarraaa", 1},
		{"five edits, green between", "aaagaa", 0},
		{"edits of two files", "aabbaabb", 0},
		{"three failures in a row", "fff", 1},
		{"failures with a success between", "ffof", 0},
		{"three identical calls", "soso" + "s", 1},
		{"three identical calls far apart", "sooooooooosooooooooos", 0},
		{"tests run again after each edit", "agagag", 0},
		{"tests run again and again", "ggg", 1},
		{"nothing", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i, s := range c.steps {
				switch s {
				case 'a', 'b':
					b.edit(telemetry.Edit{Path: string(s) + ".py", Kind: "impl"})
				case 'g':
					b.call("PostToolUse", "Bash", "same", "pytest")
				case 'r':
					b.call("PostToolUseFailure", "Bash", string(rune('a'+i)), "pytest")
				case 'f':
					b.call("PostToolUseFailure", "Bash", "", "")
				case 'o':
					b.call("PostToolUse", "Bash", string(rune('a'+i)), "")
				case 's':
					b.call("PostToolUse", "Read", "same", "")
				}
			}
			if got := b.rollup(journal.Extra{})["spiral_detected"]; got != c.want {
				t.Errorf("%v, want %d", got, c.want)
			}
		})
	}
}

func TestBacktracks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		edits [][2]string // before, after
		want  int64
	}{
		{"back to the original", [][2]string{{"h0", "h1"}, {"h1", "h0"}}, 1},
		{"there and back and there", [][2]string{{"", "h1"}, {"h1", "h2"}, {"h2", "h1"}, {"h1", "h2"}}, 2},
		{"onwards", [][2]string{{"h0", "h1"}, {"h1", "h2"}}, 0},
		{"no change", [][2]string{{"h0", "h0"}, {"h0", "h0"}}, 0},
		{"deleted and written anew", [][2]string{{"h0", ""}, {"", "h1"}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for _, e := range c.edits {
				b.edit(telemetry.Edit{Path: "a.py", Kind: "impl", Before: e[0], After: e[1]})
			}
			b.edit(telemetry.Edit{Path: "b.py", Kind: "impl", After: "h0"}) // the same content elsewhere is no backtrack
			if got := b.rollup(journal.Extra{})["backtrack_count"]; got != c.want {
				t.Errorf("%v, want %d", got, c.want)
			}
		})
	}
}

func TestFirstDiagnosticsStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	build := func(n int64) {
		b.record("PostToolUseFailure", func(f *telemetry.Fact) { f.Tool, f.Class, f.Diagnostics = "Bash", "build", n })
	}
	build(7)
	build(1)
	b.call("PostToolUse", "Bash", "", "go test")
	if got := b.rollup(journal.Extra{})["compile_errors_first_attempt"]; got != int64(7) {
		t.Error(got)
	}
}

func TestTestRetries(t *testing.T) {
	t.Parallel()
	for steps, want := range map[string]any{"rrgr": int64(2), "g": int64(0), "rr": int64(2), "": nil} {
		b := setup(t)
		for i, s := range steps {
			b.call(map[rune]string{'g': "PostToolUse", 'r': "PostToolUseFailure"}[s], "Bash", string(rune('a'+i)), "go test")
		}
		if got := b.rollup(journal.Extra{})["test_retry_count"]; got != want {
			t.Errorf("%s: %v, want %v", steps, got, want)
		}
	}
}

// Paths that were edited say more about the work than the words of the request.
func TestCategoryFromPaths(t *testing.T) {
	t.Parallel()
	for kinds, want := range map[string]string{"doc doc": "docs", "test": "test", "doc test": "feature", "impl doc": "feature"} {
		b := setup(t)
		for i, kind := range split(kinds) {
			b.edit(telemetry.Edit{Path: string(rune('a' + i)), Kind: kind})
		}
		if got := b.rollup(journal.Extra{})["task_category"]; got != want {
			t.Errorf("%s: %v, want %s", kinds, got, want)
		}
	}
}

// What was spent between two tasks is charged to the second.
func TestTokensBetweenTasks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	spend := func(n int64) {
		b.with(func(tx *store.Tx, t *telemetry.Task) error {
			return telemetry.AddUsage(tx, "s1", t.Seq, telemetry.Delta{Out: n})
		})
	}
	b.edit(telemetry.Edit{Path: "a.py", Kind: "impl"})
	spend(1000)
	b.verdict("pass")
	b.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt = "p2" })
	spend(300)
	if got := b.rollup(journal.Extra{})["context_tokens_consumed"]; got != int64(1000) {
		t.Errorf("first task %v", got)
	}
	b.edit(telemetry.Edit{Path: "b.py", Kind: "impl"})
	spend(50)
	got := b.rollup(journal.Extra{Window: 600})
	if got["task_id"] != "s1#2" || got["context_tokens_consumed"] != int64(350) || got["context_tokens_at_first_action"] != int64(300) || got["context_anxiety_score"] != 0.5 {
		t.Errorf("%v", got)
	}
}

func TestReflectionIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.with(func(tx *store.Tx, _ *telemetry.Task) error { return telemetry.SetReflected(tx, "s1", 1) })
	if got := b.rollup(journal.Extra{})["reflection_injected"]; got != int64(1) {
		t.Error(got)
	}
	b.verdict("fail")
	if got := b.rollup(journal.Extra{})["reflection_injected"]; got != int64(1) {
		t.Error(got)
	}
}
