package telemetry_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

func (b *bundle) raise(kind, key string) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		return telemetry.Raise(tx, telemetry.Signal{Session: "s1", Seq: 1, Kind: kind, Key: key, Severity: "hard", Payload: `{"file":"x"}`}, b.now)
	})
}

func (b *bundle) claim(by string) []telemetry.Signal {
	b.t.Helper()
	var got []telemetry.Signal
	b.update(func(tx *store.Tx) (err error) {
		got, err = telemetry.Claim(tx, "s1", 1, by, telemetry.LeaseMS, b.now)
		return err
	})
	return got
}

func (b *bundle) consume(by string, signals []telemetry.Signal) int64 {
	b.t.Helper()
	var ids []int64
	for _, s := range signals {
		ids = append(ids, s.ID)
	}
	var n int64
	b.update(func(tx *store.Tx) (err error) {
		n, err = telemetry.Consume(tx, by, ids, b.now)
		return err
	})
	return n
}

func (b *bundle) states() map[string]string {
	b.t.Helper()
	got := map[string]string{}
	for _, r := range b.rows("SELECT kind||' '||key,state||' '||generation FROM signals") {
		got[r[0].(string)] = r[1].(string)
	}
	return got
}

func TestSignalLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("tdd_violation", "a")
	b.raise("tdd_violation", "a") // still the same
	b.raise("lint_failure", "a")
	if diff := cmp.Diff(map[string]string{"tdd_violation a": "open 1", "lint_failure a": "open 1"}, b.states()); diff != "" {
		t.Fatal(diff)
	}
	held := b.claim("r1")
	if len(held) != 2 || held[0].ClaimedBy != "r1" || held[0].LeaseMS != b.now+10*60*1000 {
		t.Fatalf("%+v", held)
	}
	if other := b.claim("r2"); len(other) != 0 {
		t.Fatalf("claimed twice: %+v", other)
	}
	b.raise("lint_failure", "a") // comes back while the judge thinks
	if n := b.consume("r2", held); n != 0 {
		t.Errorf("%d consumed by another run", n)
	}
	if n := b.consume("r1", held); n != 1 {
		t.Errorf("%d consumed", n)
	}
	if diff := cmp.Diff(map[string]string{"tdd_violation a": "consumed 1", "lint_failure a": "open 2"}, b.states()); diff != "" {
		t.Error(diff)
	}
	b.now++
	b.raise("tdd_violation", "a")
	if diff := cmp.Diff(map[string]string{"tdd_violation a": "open 2", "lint_failure a": "open 2"}, b.states()); diff != "" {
		t.Error(diff)
	}
}

// Acceptance example 13: a judge that dies between claim and commit loses nothing.
func TestClaimOfADeadRunOpensAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("subagent_report", "sec")
	held := b.claim("r1")
	b.now += telemetry.LeaseMS - 1
	if got := b.claim("r2"); len(got) != 0 {
		t.Fatalf("lease was not kept: %+v", got)
	}
	b.now++
	again := b.claim("r2")
	if len(again) != 1 || again[0].ID != held[0].ID || again[0].Generation != 1 {
		t.Fatalf("%+v", again)
	}
	if n := b.consume("r1", held); n != 0 {
		t.Error("the dead run consumed after all")
	}
	if n := b.consume("r2", again); n != 1 {
		t.Error("the second run could not")
	}
}

func TestReleaseGivesClaimsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("tdd_violation", "a")
	b.claim("r1")
	b.update(func(tx *store.Tx) error { return telemetry.Release(tx, "s1", "r1") })
	if diff := cmp.Diff(map[string]string{"tdd_violation a": "open 1"}, b.states()); diff != "" {
		t.Error(diff)
	}
}

func TestSignalsExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("tdd_violation", "old")
	b.claim("r1") // and dies
	b.now += 24*60*60*1000 - 1
	b.raise("tdd_violation", "young")
	b.now++
	if got := b.claim("r2"); len(got) != 1 || got[0].Key != "young" {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(map[string]string{"tdd_violation old": "expired 1", "tdd_violation young": "claimed 1"}, b.states()); diff != "" {
		t.Error(diff)
	}
	b.now += 30 * 24 * 60 * 60 * 1000
	b.update(func(tx *store.Tx) error {
		n, err := telemetry.PruneSignals(tx, b.now)
		if n != 1 {
			t.Errorf("%d pruned", n)
		}
		return err
	})
}

// Acceptance example 5, as far as the store goes: the test comes, the violation goes, the judge gets none.
func TestResolve(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Edits = "Write", true, []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Created: true, TestState: "none"}}
		f.Raise = []telemetry.Signal{{Kind: telemetry.KindTDD, Key: "src/a.py", Severity: "hard"}}
	})
	b.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Edits = "Write", true, []telemetry.Edit{{Path: "tests/test_a.py", Kind: "test", Created: true, TestState: "noncode"}}
		f.Resolve = []telemetry.Key{{Kind: telemetry.KindTDD, Key: "src/a.py", By: "tests/test_a.py"}}
		f.Tested = []string{"src/a.py"}
	})
	if got := b.claim("r1"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([][]any{{"resolved", "tests/test_a.py"}}, b.rows("SELECT state,resolved_by FROM signals")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]any{{"src/a.py", "changed"}, {"tests/test_a.py", "noncode"}}, b.rows("SELECT path,test_state FROM edits ORDER BY n")); diff != "" {
		t.Error(diff)
	}
	// A late raise from the spool, older than the resolution, opens nothing.
	b.update(func(tx *store.Tx) error {
		return telemetry.Raise(tx, telemetry.Signal{Session: "s1", Seq: 1, Kind: telemetry.KindTDD, Key: "src/a.py", Severity: "hard"}, b.now-500)
	})
	if diff := cmp.Diff(map[string]string{"tdd_violation src/a.py": "resolved 1"}, b.states()); diff != "" {
		t.Error(diff)
	}
}

func TestResolveAfterTheVerdictIsOnlyNoted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("tdd_violation", "a")
	b.consume("r1", b.claim("r1"))
	b.update(func(tx *store.Tx) error {
		was, err := telemetry.Resolve(tx, "s1", 0, "tdd_violation", "a", "test_a", b.now)
		if was {
			t.Error("there was nothing open")
		}
		return err
	})
	if diff := cmp.Diff([][]any{{"consumed", "test_a"}}, b.rows("SELECT state,resolved_by FROM signals")); diff != "" {
		t.Error(diff)
	}
}

func TestOpenSignalsOnlyLooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.raise("tdd_violation", "a")
	b.raise("tdd_violation", "b")
	b.update(func(tx *store.Tx) error {
		_, err := telemetry.Resolve(tx, "s1", 1, "tdd_violation", "b", "t", b.now)
		return err
	})
	b.claim("r1")
	for range 2 {
		b.update(func(tx *store.Tx) error {
			got, err := telemetry.OpenSignals(tx, "s1", 1)
			if len(got) != 1 || got[0].Key != "a" || got[0].State != telemetry.SignalClaimed {
				t.Errorf("%+v", got)
			}
			return err
		})
	}
}

// signalModel is what the table must be, written as plainly as possible.
type signalModel struct {
	state, by  string
	generation int64
	lease, at  int64
}

// Whatever happens in whatever order, the table is the model; no signal that was raised is lost without having been answered,
// resolved or a day old.
func TestSignalStateMachine(t *testing.T) {
	t.Parallel()
	db := setup(t).db
	rapid.Check(t, func(rt *rapid.T) {
		if err := db.Update(func(tx *store.Tx) error {
			_, err := tx.Exec("DELETE FROM signals")
			return err
		}); err != nil {
			rt.Fatal(err)
		}
		model := map[string]*signalModel{}
		held := map[string][]int64{}
		ids := map[int64]string{}
		now := start
		update := func(fn func(tx *store.Tx) error) {
			if err := db.Update(fn); err != nil {
				rt.Fatal(err)
			}
		}
		keys, runs := rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]string{"r1", "r2"})
		rt.Repeat(map[string]func(*rapid.T){
			"raise": func(rt *rapid.T) {
				key := keys.Draw(rt, "key")
				update(func(tx *store.Tx) error {
					return telemetry.Raise(tx, telemetry.Signal{Session: "s", Seq: 1, Kind: "k", Key: key, Severity: "hard"}, now)
				})
				m := model[key]
				if m == nil {
					m = &signalModel{}
					model[key] = m
				}
				if m.state != "open" {
					m.generation++
				}
				*m = signalModel{state: "open", generation: m.generation, at: now}
			},
			"resolve": func(rt *rapid.T) {
				key := keys.Draw(rt, "key")
				update(func(tx *store.Tx) error {
					_, err := telemetry.Resolve(tx, "s", 0, "k", key, "x", now)
					return err
				})
				if m := model[key]; m != nil && (m.state == "open" || m.state == "claimed") {
					*m = signalModel{state: "resolved", generation: m.generation, at: now}
				} else if m != nil && m.state == "consumed" {
					m.by, m.at = "", now
				}
			},
			"claim": func(rt *rapid.T) {
				run := runs.Draw(rt, "run")
				var got []telemetry.Signal
				update(func(tx *store.Tx) (err error) {
					got, err = telemetry.Claim(tx, "s", 1, run, telemetry.LeaseMS, now)
					return err
				})
				expire(model, now)
				var want, have []string
				for key, m := range model {
					if m.state == "open" {
						m.state, m.by, m.lease = "claimed", run, now+telemetry.LeaseMS
					}
					if m.state == "claimed" && m.by == run {
						want = append(want, key)
					}
				}
				held[run] = nil
				for _, s := range got {
					have = append(have, s.Key)
					held[run] = append(held[run], s.ID)
					ids[s.ID] = s.Key
				}
				slices.Sort(want)
				slices.Sort(have)
				if !slices.Equal(want, have) {
					rt.Fatalf("run %s holds %v, want %v", run, have, want)
				}
			},
			"commit": func(rt *rapid.T) {
				run := runs.Draw(rt, "run")
				update(func(tx *store.Tx) error {
					_, err := telemetry.Consume(tx, run, held[run], now)
					return err
				})
				for _, id := range held[run] {
					if m := model[ids[id]]; m.state == "claimed" && m.by == run {
						m.state, m.lease, m.at = "consumed", 0, now
					}
				}
				held[run] = nil
			},
			"rollback": func(rt *rapid.T) { // the verdict's transaction fails: nothing is consumed
				run := runs.Draw(rt, "run")
				_ = db.Update(func(tx *store.Tx) error {
					if _, err := telemetry.Consume(tx, run, held[run], now); err != nil {
						return err
					}
					return errBoom
				})
			},
			"release": func(rt *rapid.T) {
				run := runs.Draw(rt, "run")
				update(func(tx *store.Tx) error { return telemetry.Release(tx, "s", run) })
				for _, m := range model {
					if m.state == "claimed" && m.by == run {
						m.state, m.by, m.lease = "open", "", 0
					}
				}
			},
			"wait": func(rt *rapid.T) {
				now += rapid.SampledFrom([]int64{1, 1000, telemetry.LeaseMS, 24 * 60 * 60 * 1000}).Draw(rt, "ms")
			},
			"": func(rt *rapid.T) {
				got := map[string]signalModel{}
				err := db.View(func(tx *store.Tx) error {
					return tx.Query("SELECT key,state,generation,claimed_by,lease_ms,updated_ms FROM signals", nil, func(r *store.Row) error {
						if _, twice := got[r.Text(0)]; twice {
							rt.Fatalf("two rows for %s", r.Text(0))
						}
						got[r.Text(0)] = signalModel{state: r.Text(1), generation: r.Int(2), by: r.Text(3), lease: r.Int(4), at: r.Int(5)}
						return nil
					})
				})
				if err != nil {
					rt.Fatal(err)
				}
				for key, m := range model {
					if got[key] != *m {
						rt.Fatalf("%s is %+v, want %+v", key, got[key], *m)
					}
				}
				if len(got) != len(model) {
					rt.Fatalf("%d rows, want %d", len(got), len(model))
				}
			},
		})
	})
}

func expire(model map[string]*signalModel, now int64) {
	for _, m := range model {
		if m.state == "claimed" && m.lease <= now {
			m.state, m.by, m.lease = "open", "", 0
		}
		if m.state == "open" && m.at <= now-24*60*60*1000 {
			*m = signalModel{state: "expired", generation: m.generation, at: now}
		}
	}
}

var errBoom = errorText("boom")

type errorText string

func (e errorText) Error() string { return string(e) }
