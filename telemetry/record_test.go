package telemetry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// rows are the rows of a query, each as the driver gives it.
func (b *bundle) rows(query string, args ...any) [][]any {
	b.t.Helper()
	var all [][]any
	b.update(func(tx *store.Tx) error {
		return tx.Query(query, args, func(r *store.Row) error {
			row := make([]any, len(r.Columns()))
			for i := range row {
				row[i] = r.Value(i)
			}
			all = append(all, row)
			return nil
		})
	})
	return all
}

func TestRecordWritesWhatAToolCallLeaves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.fact("PostToolUse", func(f *telemetry.Fact) {
		f.Agent, f.Tool, f.Prompt, f.Outcome, f.US, f.Mutates, f.Path, f.InputSHA, f.DurMS = "a1", "Edit", "p1", "ctx", 1234, true, "src/a.py", "in", 7
		f.Modules = []telemetry.Module{{Name: "tdd", US: 40, Outcome: "ctx"}, {Name: "usage", US: 3, Outcome: "ok"}, {Name: "tdd", US: 1, Outcome: "ctx"}}
		f.Edits = []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Before: "b0", After: "b1", Added: 3, Removed: 1, TestState: "exists"}}
	})
	b.update(func(tx *store.Tx) error {
		_, err := telemetry.Record(tx, nil, &f)
		return err
	})
	if diff := cmp.Diff([][]any{{f.ID, f.MS, "s1", int64(1), "a1", "PostToolUse", "Edit", "ctx", int64(1234), "tdd:40:ctx,usage:3:ok,tdd:1:ctx"}},
		b.rows("SELECT * FROM hook_runs")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]any{{"s1", f.ID, int64(1), "a1", "Edit", "src/a.py", "in", int64(1), nil, nil, int64(0), nil, f.MS, int64(7)}},
		b.rows("SELECT * FROM tool_log")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]any{{"s1", f.ID, int64(1), "src/a.py", "Edit", "impl", "b0", "b1", int64(0), int64(3), int64(1), "exists", f.MS}},
		b.rows("SELECT * FROM edits")); diff != "" {
		t.Error(diff)
	}
	if got := b.current(); got.Rules != "tdd" || !got.Edited {
		t.Errorf("%+v", got)
	}
}

// complaints F9: a call inside a subagent is stored under the session it belongs to.
func TestRecordOfASubagentsCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	got := b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool, f.Agent, f.AgentType = "Read", "a1", "Explore" })
	if got.ID() != "s1#1" || b.count("SELECT count(*) FROM hook_runs WHERE session_id='s1' AND agent_id='a1' AND seq=1") != 1 {
		t.Error(got)
	}
	if n := b.count("SELECT count(*) FROM subagents"); n != 0 {
		t.Errorf("%d subagents from a tool call", n)
	}
}

func TestRecordSubagents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agent := func(event, kind, transcript string) {
		b.record(event, func(f *telemetry.Fact) { f.Agent, f.AgentType, f.AgentTranscript = "a1", kind, transcript })
	}
	agent("SubagentStart", "Explore", "")
	began := b.now
	agent("SubagentStop", "", "/t/compaction") // the client's own
	agent("SubagentStop", "Explore", "/t/a1")
	b.update(func(tx *store.Tx) error {
		if err := telemetry.AddSubagentUsage(tx, "s1", "a1", 10, 20); err != nil {
			return err
		}
		return telemetry.AddSubagentUsage(tx, "s1", "a1", 1, 2)
	})
	if diff := cmp.Diff([][]any{{"s1", "a1", "Explore", began, b.now, "/t/a1", int64(11), int64(22)}}, b.rows("SELECT * FROM subagents")); diff != "" {
		t.Error(diff)
	}
}

func TestReadBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	edit := func(e telemetry.Edit) {
		b.record("PostToolUse", func(f *telemetry.Fact) {
			f.Tool, f.Mutates, f.Path, f.Edits = "Edit", true, e.Path, []telemetry.Edit{e}
		})
	}
	b.record("PostToolUse", func(f *telemetry.Fact) { f.Tool, f.Path = "Read", "read.go" })
	edit(telemetry.Edit{Path: "read.go"})
	edit(telemetry.Edit{Path: "unread.go"})
	edit(telemetry.Edit{Path: "unread.go"}) // known by now
	edit(telemetry.Edit{Path: "new.go", Created: true})
	edit(telemetry.Edit{Path: "told.go", ReadBefore: true})
	want := [][]any{{"read.go", int64(1)}, {"unread.go", int64(0)}, {"unread.go", int64(1)}, {"new.go", int64(1)}, {"told.go", int64(1)}}
	if diff := cmp.Diff(want, b.rows("SELECT path,read_before FROM edits ORDER BY n")); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCountsAsASourceEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, event, tool string
		mutates, want     bool
	}{
		{"write", "PostToolUse", "Write", true, true},
		{"failed write", "PostToolUseFailure", "Write", true, false},
		{"write about to happen", "PreToolUse", "Write", true, false},
		{"bash that changes files", "PostToolUse", "Bash", true, true},
		{"bash that changed files and failed", "PostToolUseFailure", "Bash", true, true},
		{"write outside the project", "PostToolUse", "Write", false, false},
		{"read", "PostToolUse", "Read", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			got := b.record(c.event, func(f *telemetry.Fact) { f.Tool, f.Mutates = c.tool, c.mutates })
			if got.Edited != c.want {
				t.Errorf("edited %v", got.Edited)
			}
			if c.tool == "Bash" && b.count("SELECT count(*) FROM tool_log WHERE class='mutate'") != 1 {
				t.Error("command is not kept as one that changes files")
			}
		})
	}
}

func TestAnEditAfterAVerdictMakesItStale(t *testing.T) {
	t.Parallel()
	for state, want := range map[telemetry.State]telemetry.State{
		telemetry.Idle: telemetry.Idle, telemetry.Judging: telemetry.Stale, telemetry.Passed: telemetry.Stale, telemetry.Warned: telemetry.Stale,
		telemetry.Retry: telemetry.Retry, telemetry.Unknown: telemetry.Unknown, telemetry.Halted: telemetry.Halted,
		telemetry.Emergency: telemetry.Emergency, telemetry.Stale: telemetry.Stale,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.prompt("p1")
			b.update(func(tx *store.Tx) error {
				_, err := telemetry.Change(tx, "s1", 1, func(t *telemetry.Task) error {
					t.State = state
					return nil
				})
				return err
			})
			got := b.edit("a.py")
			if got.State != want {
				t.Errorf("state %s, want %s", got.State, want)
			}
			if drift := state == telemetry.Halted || state == telemetry.Emergency; got.Drift != drift {
				t.Errorf("drift %v", got.Drift)
			}
		})
	}
}

// A fact that was committed and spooled as well, or spooled twice, counts once.
func TestReplay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	facts := []telemetry.Fact{
		b.fact("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt = "p1" }),
		b.fact("PostToolUse", func(f *telemetry.Fact) {
			f.Tool, f.Mutates, f.Path = "Write", true, "a.py"
			f.Edits = []telemetry.Edit{{Path: "a.py", Kind: "impl", Created: true}}
			f.Raise = []telemetry.Signal{{Kind: telemetry.KindTDD, Key: "a.py", Severity: "hard"}}
			f.Base = &telemetry.Base{Root: "/p", Tree: "t"}
			f.Score = &telemetry.Score{Level: "strict", P: 1, I: 2, D: 3, R: 4}
		}),
		b.fact("PreCompact", nil),
		b.fact("Stop", nil),
	}
	dump := func() [][]any {
		var all [][]any
		for _, table := range []string{"tasks", "hook_runs", "edits", "tool_log", "signals", "phases", "kv", "subagents"} {
			all = append(all, b.rows("SELECT * FROM "+table)...)
		}
		return all
	}
	b.update(func(tx *store.Tx) error {
		for i := range facts {
			if _, err := telemetry.Record(tx, nil, &facts[i]); err != nil {
				return err
			}
		}
		return nil
	})
	direct := dump()
	for range 2 {
		b.update(func(tx *store.Tx) error {
			for i := range facts {
				encoded, err := facts[i].Encode()
				if err != nil {
					return err
				}
				if err := telemetry.Replay(tx, encoded); err != nil {
					return err
				}
			}
			return nil
		})
		if diff := cmp.Diff(direct, dump()); diff != "" {
			t.Fatal(diff)
		}
	}
	// And a store that has only ever seen the spool is the same.
	b.db = setup(t).db
	b.update(func(tx *store.Tx) error {
		for i := range facts {
			encoded, err := facts[i].Encode()
			if err != nil {
				return err
			}
			if err := telemetry.Replay(tx, encoded); err != nil {
				return err
			}
		}
		return nil
	})
	if diff := cmp.Diff(direct, dump()); diff != "" {
		t.Error(diff)
	}
}

func TestReplayPutsAFactInTheTaskOfItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.edit("a.py")
	late := b.fact("PostToolUse", func(f *telemetry.Fact) { f.Tool, f.Path = "Read", "z.py" })
	b.verdict("pass")
	b.prompt("p2")
	b.record("PreToolUse", func(f *telemetry.Fact) { f.Tool, f.Mutates = "Write", true })
	if got := b.current(); got.Seq != 2 {
		t.Fatal(got)
	}
	b.update(func(tx *store.Tx) error {
		encoded, err := late.Encode()
		if err != nil {
			return err
		}
		return telemetry.Replay(tx, encoded)
	})
	if n := b.count("SELECT seq FROM tool_log WHERE path='z.py'"); n != 1 {
		t.Errorf("in task %d", n)
	}
}

func FuzzReplay(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"id":1}`, `{"id":1,"ms":2,"session":"s","event":"Stop"}`, "\xff",
		`{"id":9,"ms":2,"session":"s","event":"PostToolUse","tool":"Write","mutates":true,"edits":[{"path":"a"}],"raise":[{"kind":"x","key":"y","severity":"hard"}]}`,
		`{"id":9,"ms":-1,"session":"s","event":"UserPromptSubmit","command":{"verb":"spec"},"marker":{"status":"COMPLETED","started_at":-9223372036854775808}}`,
	} {
		f.Add([]byte(seed))
	}
	b := setup(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = b.db.Update(func(tx *store.Tx) error { return telemetry.Replay(tx, data) }) // an error is fine, a panic is not
	})
}

func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, data := range []string{``, `null`, `{`, `{"id":1,"ms":1}`, `{"id":1,"session":"s"}`, `{"ms":1,"session":"s"}`} {
		if err := b.db.Update(func(tx *store.Tx) error { return telemetry.Replay(tx, []byte(data)) }); err == nil {
			t.Errorf("Replay(%q) succeeded", data)
		}
	}
}

// One compaction is counted once, whichever of its events arrives; the context warnings start anew.
func TestCompactions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.prompt("p1")
	b.update(func(tx *store.Tx) error {
		return telemetry.SetWarned(tx, "s1", 1, telemetry.WarnedNear|telemetry.WarnedTokens)
	})
	b.record("PreCompact", nil)
	if got := b.record("PostCompact", nil); got.Compactions != 1 || got.CtxWarned != telemetry.WarnedTokens {
		t.Errorf("%+v", got)
	}
	if got := b.record("PostCompact", nil); got.Compactions != 2 { // its PreCompact was lost
		t.Errorf("%+v", got)
	}
}

func TestKV(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.update(func(tx *store.Tx) error {
		for _, v := range []string{"1", "2"} {
			if err := telemetry.Put(tx, "index:x", v); err != nil {
				return err
			}
		}
		if v, err := telemetry.Get(tx, "index:x"); v != "2" || err != nil {
			t.Error(v, err)
		}
		if err := telemetry.Drop(tx, "index:x"); err != nil {
			return err
		}
		if v, err := telemetry.Get(tx, "index:x"); v != "" || err != nil {
			t.Error(v, err)
		}
		return nil
	})
}
