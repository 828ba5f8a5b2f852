package telemetry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/breaker"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// say records a prompt that a person types.
func (b *bundle) say(id, text string) *telemetry.Task {
	b.t.Helper()
	return b.record("UserPromptSubmit", func(f *telemetry.Fact) {
		f.Prompt, f.Command = id, spec.ParsePrompt(text, "", "")
		f.Description, f.Category = strings.TrimPrefix(text, "/spec "), spec.Categorize(text)
	})
}

func (b *bundle) phases(seq int64) []string {
	b.t.Helper()
	var got []string
	for _, r := range b.rows("SELECT status FROM phases WHERE session_id='s1' AND seq=? ORDER BY n", seq) {
		got = append(got, r[0].(string))
	}
	return got
}

func TestSpecOfATask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.say("p1", "/spec fix: the token is not rotated")
	if got.ID() != "s1#1" || got.SpecStatus != telemetry.SpecPending || got.Category != "bugfix" || got.SpecMS != b.now {
		t.Fatalf("%+v", got)
	}
	b.usage(100)
	if got = b.edit("src/a.py"); got.SpecStatus != telemetry.SpecImplementing || got.FirstActionTokens != 100 {
		t.Fatalf("%+v", got)
	}
	if got = b.say("p2", "/pause"); got.SpecStatus != telemetry.SpecPaused || got.Ended() {
		t.Fatalf("%+v", got)
	}
	if got = b.edit("src/a.py"); got.SpecStatus != telemetry.SpecPaused {
		t.Fatal("an edit took the pause away")
	}
	if got = b.say("p3", "/spec resume"); got.SpecStatus != telemetry.SpecImplementing || got.Seq != 1 {
		t.Fatalf("%+v", got)
	}
	b.test(true)
	if got = b.record("Stop", nil); got.SpecStatus != telemetry.SpecCompleted || got.Ended() {
		t.Fatalf("%+v", got)
	}
	b.verdict(breaker.OutcomePass)
	if got = b.current(); !got.Ended() {
		t.Fatal("completed and judged is not the end")
	}
	want := []string{"pending", "implementing", "paused", "implementing", "completed"}
	if diff := cmp.Diff(want, b.phases(1)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]any{{int64(0)}, {int64(100)}}, b.rows("SELECT work_tokens FROM phases WHERE n<3 ORDER BY n")); diff != "" {
		t.Error(diff)
	}
}

func TestSpecTakesOverAFreshTaskOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.say("p1", "hello there")
	if got := b.say("p2", "/spec add x"); got.Seq != 1 || got.Description != "add x" || got.Category != "feature" || got.Prompts != 2 {
		t.Fatalf("%+v", got)
	}
	// The same prompt arrives a second time as its expansion.
	got := b.record("UserPromptExpansion", func(f *telemetry.Fact) {
		f.Prompt, f.Command, f.Description = "p2", spec.ParsePrompt("/spec add x", "spec", "add x"), "add x"
	})
	if got.Seq != 1 || got.Prompts != 2 || len(b.phases(1)) != 1 {
		t.Fatalf("%+v", got)
	}
	b.edit("a.py")
	got = b.say("p3", "/spec add y")
	if got.Seq != 2 || got.SpecStatus != telemetry.SpecPending || got.Prompts != 1 || got.FirstPromptID != "p3" || got.Edited || got.BaseTree != "" {
		t.Fatalf("%+v", got)
	}
	if old := b.find(1); old.SpecStatus != telemetry.SpecAborted || !old.Ended() || old.LastPromptID != "p2" {
		t.Errorf("%+v", old)
	}
	if diff := cmp.Diff([]string{"pending", "implementing", "aborted(superseded)"}, b.phases(1)); diff != "" {
		t.Error(diff)
	}
	// A task without a spec in which something happened is closed as well.
	b = setup(t)
	b.say("p1", "do it")
	b.edit("a.py")
	if got := b.say("p2", "/spec add y"); got.Seq != 2 {
		t.Errorf("%+v", got)
	}
	if old := b.find(1); old.SpecStatus != telemetry.SpecNone || !old.Ended() {
		t.Errorf("%+v", old)
	}
}

func TestMoveSpec(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.say("p1", "/spec add x")
	b.edit("a.py")
	move := func(e telemetry.SpecEvent) bool {
		var moved bool
		b.update(func(tx *store.Tx) (err error) {
			moved, err = telemetry.MoveSpec(tx, "s1", 1, e, b.now)
			return err
		})
		return moved
	}
	if move(telemetry.EventResume) || !move(telemetry.EventPause) || move(telemetry.EventPause) || !move(telemetry.EventResume) {
		t.Error("an illegal move was made, or a legal one was not")
	}
	if got := b.current(); got.SpecStatus != telemetry.SpecImplementing || got.SpecMS != b.now {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"pending", "implementing", "paused", "implementing"}, b.phases(1)); diff != "" {
		t.Error(diff)
	}
}

func TestUnspecEndsTheTask(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.say("p1", "/spec add x")
	b.edit("a.py")
	if got := b.say("p2", "/unspec"); got.SpecStatus != telemetry.SpecAborted || !got.Ended() {
		t.Fatalf("%+v", got)
	}
	if got := b.edit("b.py"); got.Seq != 2 || got.SpecStatus != telemetry.SpecNone {
		t.Errorf("%+v", got)
	}
}

func TestSpecExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.say("p1", "/spec add x")
	b.edit("a.py")
	b.now += 24*60*60*1000 - 3000
	if got := b.record("Stop", nil); got.SpecStatus != telemetry.SpecImplementing {
		t.Fatalf("%+v", got)
	}
	b.now += 2000
	if got := b.edit("b.py"); got.Seq != 2 {
		t.Errorf("%+v", got)
	}
	if old := b.find(1); old.SpecStatus != telemetry.SpecExpired || !old.Ended() {
		t.Errorf("%+v", old)
	}
}

func TestCompletedIsInferredFromTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps string // e edit, d doc edit, m bash that changes files, g green, r red
		want  telemetry.SpecStatus
	}{
		{"green after the last edit", "eg", telemetry.SpecCompleted},
		{"red, edit, green", "eregg", telemetry.SpecCompleted},
		{"a note after the tests", "egd", telemetry.SpecCompleted},
		{"edit after the tests", "ege", telemetry.SpecImplementing},
		{"bash changed files after the tests", "egm", telemetry.SpecImplementing},
		{"red last", "egr", telemetry.SpecImplementing},
		{"never tested", "e", telemetry.SpecImplementing},
		{"green without an edit", "g", telemetry.SpecPending},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.say("p1", "/spec add x")
			for _, s := range c.steps {
				switch s {
				case 'e':
					b.edit("a.py")
				case 'g', 'r':
					b.test(s == 'g')
				case 'm':
					b.record("PostToolUse", func(f *telemetry.Fact) { f.Tool, f.Mutates = "Bash", true })
				case 'd':
					b.record("PostToolUse", func(f *telemetry.Fact) {
						f.Tool, f.Edits = "Write", []telemetry.Edit{{Path: "README.md", Kind: "doc"}}
					})
				}
			}
			if got := b.record("Stop", nil); got.SpecStatus != c.want {
				t.Errorf("spec %s, want %s", got.SpecStatus, c.want)
			}
		})
	}
}

// A claim that nobody has judged yet is taken back by the next edit; one that failed stands until it passes, so that it is judged again.
func TestEditAfterCompleted(t *testing.T) {
	t.Parallel()
	for _, failed := range []bool{false, true} {
		b := setup(t)
		b.say("p1", "/spec add x")
		b.edit("a.py")
		b.test(true)
		b.record("Stop", nil)
		want := telemetry.SpecImplementing
		if failed {
			b.verdict(breaker.OutcomeFail)
			want = telemetry.SpecCompleted
		}
		if got := b.edit("a.py"); got.SpecStatus != want || got.Seq != 1 {
			t.Errorf("failed %v: %+v", failed, got)
		}
	}
}

func TestImportOfTheMarker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before string // s spec, e edit, p pause, u unspec
		status       string
		want         telemetry.SpecStatus
	}{
		{"registers a plan", "", "PENDING", telemetry.SpecPending},
		{"registers and implements", "e", "IMPLEMENTING", telemetry.SpecImplementing},
		{"old name", "s", "in_progress", telemetry.SpecImplementing},
		{"pauses", "se", "PAUSED", telemetry.SpecPaused},
		{"resumes", "sep", "IMPLEMENTING", telemetry.SpecImplementing},
		{"claims completion", "se", "COMPLETED", telemetry.SpecCompleted},
		{"claims completion of nothing", "s", "COMPLETED", telemetry.SpecPending},
		{"claims completion without a spec", "e", "COMPLETED", telemetry.SpecNone},
		{"completes a paused one", "sep", "COMPLETED", telemetry.SpecPaused},
		{"goes back", "se", "PENDING", telemetry.SpecImplementing},
		{"may not abort", "se", "ABORTED", telemetry.SpecImplementing},
		{"may not expire", "se", "EXPIRED", telemetry.SpecImplementing},
		{"unknown word", "se", "DONE", telemetry.SpecImplementing},
		{"after the end", "seu", "IMPLEMENTING", telemetry.SpecAborted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.say("p1", "hello")
			for i, s := range c.before {
				switch s {
				case 's':
					b.say("q1", "/spec add x")
				case 'e':
					b.edit("a.py")
				case 'p':
					b.say("q2", "/pause")
				case 'u':
					b.say("q3", "/unspec")
				default:
					t.Fatal(i)
				}
			}
			got := b.record("Stop", func(f *telemetry.Fact) {
				f.Marker = &spec.Marker{Status: c.status, PlanPath: "docs/plan.md", StartedAt: b.now / 1000}
			})
			if got.SpecStatus != c.want || got.Seq != 1 {
				t.Errorf("spec %s, want %s", got.SpecStatus, c.want)
			}
			if got.State == telemetry.Passed {
				t.Error("a claim is no verdict")
			}
		})
	}
	t.Run("day-old file", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.say("p1", "hello")
		got := b.record("Stop", func(f *telemetry.Fact) {
			f.Marker = &spec.Marker{Status: "PENDING", StartedAt: b.now/1000 - 25*60*60}
		})
		if got.SpecStatus != telemetry.SpecNone {
			t.Errorf("%+v", got)
		}
	})
	t.Run("plan path", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.say("p1", "/spec add x")
		got := b.record("Stop", func(f *telemetry.Fact) { f.Marker = &spec.Marker{Status: "PENDING", PlanPath: "docs/plan.md"} })
		if got.PlanPath != "docs/plan.md" {
			t.Errorf("%+v", got)
		}
	})
}

func (b *bundle) guard(s telemetry.Stopping) string {
	b.t.Helper()
	var reason string
	b.update(func(tx *store.Tx) (err error) {
		reason, err = telemetry.SpecGuard(tx, "s1", 1, s)
		return err
	})
	return reason
}

// Acceptance example 3, and complaints G5: the way out is in the message.
func TestSpecGuardBlocksOncePerPrompt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.say("p1", "/spec add x")
	if got := b.guard(telemetry.Stopping{Prompt: "p1"}); got != "" {
		t.Fatal("a spec that is still planned blocks", got)
	}
	b.edit("a.py")
	got := b.guard(telemetry.Stopping{Prompt: "p1", LastMessage: "done."})
	for _, way := range []string{"/pause", "/unspec", "IMPLEMENTING"} {
		if !strings.Contains(got, way) {
			t.Errorf("%q does not name %s", got, way)
		}
	}
	if got := b.guard(telemetry.Stopping{Prompt: "p1"}); got != "" {
		t.Error("second block of one prompt")
	}
	if got := b.guard(telemetry.Stopping{Prompt: "p2"}); got == "" {
		t.Error("the next prompt is not guarded")
	}
	// A client without prompt ids: the count of prompts stands in.
	if got := b.guard(telemetry.Stopping{}); got == "" {
		t.Error("no block without a prompt id")
	}
	if got := b.guard(telemetry.Stopping{}); got != "" {
		t.Error("second block without a prompt id")
	}
}

func TestSpecGuardLetsGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(b *bundle)
		stop    telemetry.Stopping
	}{
		"question":           {func(*bundle) {}, telemetry.Stopping{LastMessage: "Shall I go on?\n"}},
		"question in markup": {func(*bundle) {}, telemetry.Stopping{LastMessage: "**Shall I go on?**"}},
		"background task":    {func(*bundle) {}, telemetry.Stopping{Background: true}},
		"asked by a tool": {func(b *bundle) {
			b.record("PostToolUse", func(f *telemetry.Fact) { f.Tool = "AskUserQuestion" })
		}, telemetry.Stopping{}},
		"paused":  {func(b *bundle) { b.say("p2", "/pause") }, telemetry.Stopping{}},
		"dropped": {func(b *bundle) { b.say("p2", "/unspec") }, telemetry.Stopping{}},
		"halted": {func(b *bundle) {
			b.update(func(tx *store.Tx) error {
				_, err := breaker.Fail(tx, "s1", 1, breaker.Verdict{AtMS: b.now}, 1)
				return err
			})
		}, telemetry.Stopping{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.say("p1", "/spec add x")
			b.edit("a.py")
			c.prepare(b)
			c.stop.Prompt = "p1"
			if got := b.guard(c.stop); got != "" {
				t.Error(got)
			}
		})
	}
}
