package governance_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/governance"
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/devflow-suite/devflow/telemetry"
)

// stand compares an answer, but for what only this package knows of it.
func stand(t *testing.T, got, want governance.Answer) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(governance.Answer{})); diff != "" {
		t.Errorf("answer: -want +got\n%s", diff)
	}
}

func level(s string) *string { return &s }

func risk() *governance.Risk {
	return &governance.Risk{Probability: 0.3, Impact: 0.9, Detectability: 0.5}
}

func TestPassIsForItsOwnDiffOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	want := governance.Answer{Level: level("standard"), Risk: risk(), Verdict: governance.None, Forced: []string{}, Notes: []string{}}
	w.edit("notes.txt", "one\n")
	stand(t, w.apply(), want)

	w.judged()
	want.Verdict, want.Ready = "pass", true
	before := w.rows()
	stand(t, w.apply(), want)
	stand(t, w.apply(), want) // twice the same
	w.Commit("two")
	stand(t, w.apply(), want) // a commit changes no content
	if got := w.rows(); got != before {
		t.Errorf("asking has changed the store:\n%s\n%s", before, got)
	}

	w.Repo.Write("notes.txt", "two\n") // an edit that no hook has seen
	want.Verdict, want.Ready = governance.Stale, false
	stand(t, w.apply(), want)
	w.Repo.Write("notes.txt", "one\n")
	want.Verdict, want.Ready = "pass", true
	stand(t, w.apply(), want)
}

func TestReasonsAreSorted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.edit("notes.txt", "one\n")
	w.judged(judge.Reason{Prefix: "sec", Class: judge.Hard, Text: "unsafe: eval"}, judge.Reason{Prefix: "qa", Text: "weak: no empty input"}, judge.Reason{Prefix: "test", Class: judge.Soft, Text: "fewer asserts"})
	stand(t, w.apply(), governance.Answer{Level: level("standard"), Risk: risk(), Verdict: "fail", Forced: []string{"[sec] unsafe: eval"}, Notes: []string{"[test] fewer asserts", "[qa] weak: no empty input"}})
}

func TestOpenSignalThatIsStillTrueBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.edit("src/a.py", "def a(n):\n    return n + 1\n")
	w.judged()
	w.raise(telemetry.KindTDD, "src/a.py", "hard", `{"file":"src/a.py"}`)
	w.raise(telemetry.KindSecret, "x", "info", `{"summary":"a key"}`)
	before := w.rows()
	got := w.apply()
	if got.Verdict != "pass" || got.Ready || !cmp.Equal(got.Forced, []string{"[tdd] Missing Test Coverage: src/a.py"}) {
		t.Errorf("answer %+v, want a pass that a signal holds back", got)
	}
	h, err := governance.GetHealth(context.Background(), w.deps(), governance.Args{ProjectRoot: w.Dir})
	if err != nil {
		t.Fatal(err)
	}
	want := governance.Health{TDDViolations: []string{"src/a.py"}, LastVerdict: "pass", Level: level("standard"), RiskFlags: []governance.Flag{
		{Kind: "tdd_violation", Severity: "hard", Summary: "src/a.py"}, {Kind: "secret_blocked", Severity: "info", Summary: "a key"}}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("health: -want +got\n%s", diff)
	}
	if got := w.rows(); got != before {
		t.Errorf("signals were changed:\n%s\n%s", before, got)
	}
	w.Repo.Write("tests/test_a.py", "from src.a import a\n\n\ndef test_a():\n    assert a(1) == 2\n")
	if got := w.apply(); len(got.Forced) > 0 {
		t.Errorf("the test is there now, but forced reasons are %q", got.Forced)
	}
	if h, err := governance.GetHealth(context.Background(), w.deps(), governance.Args{ProjectRoot: w.Dir}); err != nil || len(h.TDDViolations) > 0 {
		t.Errorf("the test is there now, but health is %+v, %v", h, err)
	}
}

func TestNeverReady(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		change          func(w *world, d *governance.Deps, a *governance.Args)
		verdict, status string
		says            string
	}{
		{"a store that cannot be opened", func(_ *world, d *governance.Deps, _ *governance.Args) {
			d.Open = func() (*store.DB, error) { return nil, store.ErrCorrupt }
		}, "none", "error", "[sec] swarm-reports-unavailable"},
		{"a store without the tables", func(w *world, d *governance.Deps, _ *governance.Args) {
			w.update(func(tx *store.Tx) error { _, err := tx.Exec("DROP TABLE signals"); return err })
		}, "none", "error", "[sec] swarm-reports-unavailable"},
		{"no store", func(_ *world, d *governance.Deps, _ *governance.Args) {
			d.Open = func() (*store.DB, error) { return nil, os.ErrNotExist }
		}, "none", "pending_review", "no task is known"},
		{"a project without a task", func(w *world, _ *governance.Deps, a *governance.Args) { a.ProjectRoot = w.paths.Home }, "none", "pending_review", "no task is known"},
		{"an unknown session", func(_ *world, _ *governance.Deps, a *governance.Args) { a.SessionID = "s9" }, "none", "pending_review", "no task is known of session s9"},
		{"reasons that cannot be read", func(w *world, _ *governance.Deps, _ *governance.Args) {
			w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE judge_runs SET reasons='{'"); return err })
		}, "judge_error", "pending_review", ""},
		{"a repository that is gone", func(w *world, _ *governance.Deps, _ *governance.Args) {
			if err := os.RemoveAll(filepath.Join(w.Dir, ".git")); err != nil {
				w.Fatal(err)
			}
		}, "stale", "pending_review", "cannot be told"},
		{"a base tree that is gone", func(w *world, d *governance.Deps, _ *governance.Args) {
			d.Paths.Objects = filepath.Join(w.Dir, "README.md")
		}, "stale", "pending_review", "cannot be told"},
		{"a halted task", func(w *world, _ *governance.Deps, _ *governance.Args) {
			w.raise(telemetry.KindHalt, "token_delta", "hard", `{"delta":150001}`)
		}, "pass", "blocked", "[halt] token delta 150001"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "standard")
			w.edit("notes.txt", "one\n")
			w.judged()
			got := w.apply(func(d *governance.Deps, a *governance.Args) { tt.change(w, d, a) })
			if got.Ready || got.Verdict != tt.verdict || got.Bridge().Status != tt.status || !strings.Contains(strings.Join(append(got.Forced, got.Notes...), "\n"), tt.says) {
				t.Errorf("answer %+v, status %s", got, got.Bridge().Status)
			}
		})
	}
}

func TestBridgeWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		level, verdict, want string
		forced               []string
	}{
		{"standard", "pass", "ready_to_push", nil}, {"", "pass", "ready_to_push", nil}, {"human_review", "pass", "pending_review", nil},
		{"strict", "pass", "blocked", []string{"[sec] x"}}, {"vibe", "fail", "blocked", nil}, {"vibe", "warn", "pending_review", nil},
		{"vibe", "stale", "pending_review", nil}, {"vibe", "none", "pending_review", nil}, {"vibe", "judge_error", "pending_review", nil},
	} {
		a := governance.Answer{Verdict: tt.verdict, Forced: tt.forced, Ready: tt.verdict == "pass" && len(tt.forced) == 0}
		if tt.level != "" {
			a.Level = &tt.level
		}
		b := a.Bridge()
		if b.Status != tt.want {
			t.Errorf("status of %s at %s is %s, want %s", tt.verdict, tt.level, b.Status, tt.want)
		}
		data, err := json.Marshal(b)
		var keys map[string]any
		if err != nil || json.Unmarshal(data, &keys) != nil || len(keys) != 8 || keys["status"] != tt.want || keys["ready_to_push"] == nil {
			t.Errorf("JSON %s, %v", data, err)
		}
		var text strings.Builder
		if err := b.Write(&text); err != nil || !strings.HasPrefix(text.String(), "status     "+tt.want+"\nverdict    "+tt.verdict) {
			t.Errorf("text %q, %v", text.String(), err)
		}
	}
}

func TestWhichTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.edit("notes.txt", "one\n")
	w.judged()
	w.begin("s2", "strict")
	link := filepath.Join(w.paths.Home, "link")
	if err := errors.Join(os.Symlink(w.Dir, link), os.Mkdir(filepath.Join(w.Dir, "sub"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args governance.Args
		want string // level, or text of the error
	}{
		{"newest of the project", governance.Args{ProjectRoot: w.Dir}, "strict"},
		{"from the home folder", governance.Args{ProjectRoot: "~/project"}, "strict"},
		{"through a link", governance.Args{ProjectRoot: link}, "strict"},
		{"a folder of the repository", governance.Args{ProjectRoot: w.Path("sub")}, "strict"},
		{"by session", governance.Args{ProjectRoot: w.Dir, SessionID: "s1"}, "standard"},
		{"by state folder", governance.Args{ProjectRoot: w.Dir, StateDir: "~/devflow/state/s1"}, "standard"},
		{"by both", governance.Args{ProjectRoot: w.Dir, StateDir: "~/devflow/state/s1/", SessionID: "s1"}, "standard"},
		{"a session of another project", governance.Args{ProjectRoot: "~", SessionID: "s1"}, "no task is known"},
		{"no project", governance.Args{SessionID: "s1"}, "project_root is empty"},
		{"a project that is not there", governance.Args{ProjectRoot: "~/nowhere"}, "is no folder"},
		{"home of somebody", governance.Args{ProjectRoot: "~root/x"}, "only ~ and ~/"},
		{"a NUL", governance.Args{ProjectRoot: "a\x00b"}, "NUL"},
		{"a state folder elsewhere", governance.Args{ProjectRoot: w.Dir, StateDir: "/tmp/s1"}, "not directly below"},
		{"a state folder above", governance.Args{ProjectRoot: w.Dir, StateDir: "~/devflow/state/.."}, "not directly below"},
		{"two sessions", governance.Args{ProjectRoot: w.Dir, StateDir: "~/devflow/state/s1", SessionID: "s2"}, "is of session s1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := governance.GetHealth(context.Background(), w.deps(), tt.args)
			switch {
			case err != nil && (!strings.Contains(err.Error(), tt.want) || !errors.Is(err, governance.ErrArgs) && !errors.Is(err, governance.ErrNoTask)):
				t.Errorf("error %v, want %s", err, tt.want)
			case err == nil && (h.Level == nil || *h.Level != tt.want):
				t.Errorf("level %v, want %s", h.Level, tt.want)
			}
		})
	}
}

// shadow counts its starts and knows the diffs it has run for.
type shadow struct {
	seen map[string]bool
	err  error
}

func (s *shadow) Start(_ context.Context, _ telemetry.Task, diffSHA string) (bool, error) {
	started := !s.seen[diffSHA] && s.err == nil
	s.seen[diffSHA] = true
	return started, s.err
}

func TestShadowStartsOncePerDiffAtHighRisk(t *testing.T) {
	t.Parallel()
	for _, lvl := range []string{"standard", "strict"} {
		w := newWorld(t, lvl)
		w.edit("notes.txt", "one\n")
		s := &shadow{seen: map[string]bool{}}
		with := func(d *governance.Deps, _ *governance.Args) { d.Shadow = s }
		if first, second := w.apply(with).ShadowStarted, w.apply(with).ShadowStarted; first != (lvl == "strict") || second {
			t.Errorf("%s: started %v, then %v", lvl, first, second)
		}
		s.err = errors.New("no room")
		if got := w.apply(with); got.ShadowStarted || lvl == "strict" && !strings.Contains(strings.Join(got.Notes, ""), "[shadow]") {
			t.Errorf("%s: after a failure %+v", lvl, got)
		}
	}
}

func TestEvaluateIsTheJudge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	w.edit("notes.txt", "one\n")
	w.found = []judge.Reason{{Prefix: "sec", Rule: "x", Axis: verdict.Security, Class: judge.Hard, Text: "a hole"}, {Prefix: "docs", Rule: "y", Axis: verdict.Documentation, Class: judge.Note, Text: "a note"}, {Prefix: "test", Rule: "z", Axis: verdict.TestIntegrity, Class: judge.Soft, Text: "weak"}}
	args := governance.Args{ProjectRoot: w.Dir}
	got, err := governance.Evaluate(context.Background(), w.deps(), args)
	want := governance.Evaluation{Verdict: "fail", Forced: []string{"[sec] a hole"}, Notes: []string{"[test] weak", "[docs] a note"}, Axes: []string{"test_integrity", "security"}, Attempt: 1}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(governance.Evaluation{}, "DiffSHA")); err != nil || diff != "" || got.DiffSHA == "" {
		t.Errorf("evaluation %v, -want +got\n%s", err, diff)
	}
	w.found = nil
	w.edit("notes.txt", "two\n")
	if got, err := governance.Evaluate(context.Background(), w.deps(), args); err != nil || got.Verdict != "pass" {
		t.Errorf("after the repair: %+v, %v", got, err)
	}
	if got := w.apply(); !got.Ready {
		t.Errorf("after the pass: %+v", got)
	}
}

func TestEvaluateFailsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "strict")
	d := w.deps()
	d.Judge = func(context.Context, string, int64) (judge.Result, error) {
		return judge.Result{Verdict: judge.Pass}, store.ErrIO
	}
	if got, err := governance.Evaluate(context.Background(), d, governance.Args{ProjectRoot: w.Dir}); err != nil || got.Verdict != "fail" || len(got.Forced) != 1 {
		t.Errorf("evaluation %+v, %v", got, err)
	}
	d.Open = func() (*store.DB, error) { return nil, store.ErrBusy }
	if got, err := governance.Evaluate(context.Background(), d, governance.Args{ProjectRoot: w.Dir}); err != nil || got.Verdict != "fail" {
		t.Errorf("evaluation %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := governance.Evaluate(ctx, w.deps(), governance.Args{ProjectRoot: w.Dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := governance.Apply(ctx, w.deps(), governance.Args{ProjectRoot: w.Dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
