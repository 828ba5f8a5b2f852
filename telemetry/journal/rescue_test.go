package journal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

func split(s string) []string { return strings.Fields(s) }

func (b *bundle) render(source string) string {
	b.t.Helper()
	var text string
	b.update(func(tx *store.Tx) (err error) {
		text, err = journal.RenderRescue(tx, "s1", source)
		return err
	})
	return text
}

func (b *bundle) build(x journal.RescueExtra) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error { return journal.BuildRescue(tx, "s1", x, b.now) })
}

// Acceptance example 20, and complaints K1 and K3: the plan and the rest come back, again and again, and only after a compaction.
func TestRescue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if got := b.render("compact"); got != "" {
		t.Errorf("rescued before anything was saved: %q", got)
	}
	b.record("UserPromptSubmit", func(f *telemetry.Fact) {
		f.Prompt, f.Description, f.Command = "p2", "rotate the tokens", spec.ParsePrompt("/spec x", "", "")
	})
	b.record("Stop", func(f *telemetry.Fact) { f.Marker = &spec.Marker{Status: "PENDING", PlanPath: "docs/plan.md"} })
	b.edit(telemetry.Edit{Path: "src/first.py", Kind: "impl"})
	b.edit(telemetry.Edit{Path: "src/second.py", Kind: "impl"})
	b.edit(telemetry.Edit{Path: "src/first.py", Kind: "impl"})
	b.record("PostToolUseFailure", func(f *telemetry.Fact) {
		f.Tool, f.Runner, f.Class, f.Detail = "Bash", "pytest", "test", "pytest -q\nFAILED tests/test_first.py::test_rotation"
		f.Raise = []telemetry.Signal{{Kind: telemetry.KindTDD, Key: "src/second.py", Severity: "hard"}, {Kind: "shadow_audit", Key: "x", Severity: "info"}}
	})
	b.judged(1, "fail", `[{"prefix":"tdd","text":"Missing Test Coverage: src/second.py"}]`)
	b.record("PreCompact", nil)
	b.build(journal.RescueExtra{
		Plan: "# Plan\n1. rotate\n2. revoke\n", Branch: "feat/rotation", Head: "0123456789abcdef", Cwd: "/p/sub", Todos: []string{"revoke old tokens"},
	})
	got := b.render("compact")
	at := -1
	for _, want := range []string{
		"[devflow:rescue]", "rotate the tokens", "Plan (docs/plan.md):\n# Plan\n1. rotate\n2. revoke\n", "Spec: IMPLEMENTING", "feat/rotation at 0123456789",
		"/p/sub", "pytest -q\nFAILED tests/test_first.py::test_rotation", "hard tdd_violation src/second.py", "fail; [tdd] Missing Test Coverage: src/second.py",
		"src/first.py ×2; src/second.py ×1", "revoke old tokens", "s1#1, idle, failed attempts 0",
	} {
		i := strings.Index(got, want)
		if i < 0 {
			t.Fatalf("%q is not in\n%s", want, got)
		}
		if i < at {
			t.Errorf("%q comes too early", want)
		}
		at = i
	}
	if strings.Contains(got, "shadow_audit") {
		t.Error("notes are no open signals")
	}
	if again := b.render("compact"); again != got {
		t.Error("the second start gives something else")
	}
	for _, source := range []string{"startup", "resume", "clear", ""} {
		if got := b.render(source); got != "" {
			t.Errorf("source %q: %q", source, got)
		}
	}
	b.call("PostToolUse", "Bash", "", "pytest")
	b.build(journal.RescueExtra{Plan: "new"})
	if got := b.render("compact"); !strings.Contains(got, "green since") || !strings.Contains(got, "new") || strings.Contains(got, "revoke") {
		t.Error(got)
	}
}

func TestRescueWithoutATask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.update(func(tx *store.Tx) error {
		if err := journal.BuildRescue(tx, "", journal.RescueExtra{Plan: "x"}, b.now); err != nil {
			return err
		}
		return journal.BuildRescue(tx, "s2", journal.RescueExtra{Plan: "the plan", Branch: "main"}, b.now)
	})
	b.update(func(tx *store.Tx) error {
		got, err := journal.RenderRescue(tx, "s2", "compact")
		if !strings.Contains(got, "the plan") || !strings.Contains(got, "Branch: main") || strings.Contains(got, "Task:") {
			t.Error(got)
		}
		return err
	})
}

// However long and however broken its parts are, the text keeps its limit, is valid, and gives the plan its room.
func TestRescueKeepsItsLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rapid.Check(t, func(rt *rapid.T) {
		piece := func(label string) string {
			unit := rapid.SampledFrom([]string{"a", "é", "漢", "🙂", "\xff", "word ", "line\n"}).Draw(rt, label)
			return strings.Repeat(unit, rapid.IntRange(0, 9000).Draw(rt, label+" length")/len(unit))
		}
		plan := piece("plan")
		b.record("PostToolUseFailure", func(f *telemetry.Fact) { f.Tool, f.Runner, f.Detail = "Bash", "pytest", piece("detail") })
		b.build(journal.RescueExtra{Plan: plan, Branch: piece("branch"), Head: piece("head"), Cwd: piece("cwd"), Todos: []string{piece("todo"), "x"}})
		got := b.render("compact")
		if len(got) > journal.RescueLimit || !utf8.ValidString(got) {
			rt.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		if n := min(len(plan), 1000); utf8.ValidString(plan) && !strings.Contains(got, strings.TrimSpace(strings.ToValidUTF8(plan[:n], ""))) {
			rt.Fatalf("the first %d bytes of the plan are not in\n%s", n, got)
		}
	})
}
