package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// registered are the events that the installation put into the settings.
func (w *world) registered() []string {
	w.t.Helper()
	data, err := os.ReadFile(w.home.Settings())
	if err != nil {
		w.t.Fatal(err)
	}
	var s struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for name := range s.Hooks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestEveryRegisteredEventReachesTheStore(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		agent := mockapi.Agent("look", "SUBTASK look around")
		agent.Input["run_in_background"] = false
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{
				Steps: []mockapi.Step{
					mockapi.Turn(mockapi.Write(path("notes.md"), "notes\n")), mockapi.Turn(mockapi.Bash("mkdir -p d && cd d"), mockapi.Bash("exit 3")),
					mockapi.Turn(agent), mockapi.Say("one done"),
					mockapi.Say("two done"), mockapi.Fail(529, "busy"), mockapi.Say("three done"),
				},
				Talks: map[string][]mockapi.Step{"SUBTASK": {mockapi.Turn(mockapi.Bash("echo sub")), mockapi.Say("sub done")}},
			}
		})
		w.run(claudecli.Options{
			Prompts: []string{"do it", "/pause", "fail once", "/compact", "go on"}, Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"},
		})
		w.goOn("and again")
		stored := w.rows("SELECT DISTINCT event FROM hook_runs ORDER BY event")
		if d := cmp.Diff(w.registered(), stored); d != "" {
			t.Errorf("events in the store (-registered +stored):\n%s\n%s", d, w.trouble())
		}
		if len(stored) < 14 {
			t.Errorf("registered events = %q, want the fourteen of the design", stored)
		}
		if got := w.rows("SELECT event FROM hook_runs WHERE outcome = 'error'"); len(got) > 0 {
			t.Errorf("hooks that failed: %q; %s", got, w.trouble())
		}
	})
}

func TestEventsOfATerminalSessionReachTheStore(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{mockapi.Turn(mockapi.Bash("echo hello")), mockapi.Say("answer-one"), mockapi.Say("answer-two")}}
		})
		count := func(event string) int { return len(w.rows("SELECT 1 FROM hook_runs WHERE event = ?", event)) }
		tm := w.terminal("--permission-mode", "bypassPermissions")
		tm.Until("SessionStart", func() bool { return count("SessionStart") == 1 })
		tm.Wait("❯")
		tm.Enter("say one")
		tm.Wait("answer-one")
		tm.Until("Stop", func() bool { return count("Stop") == 1 })
		tm.Enter("/clear")
		tm.Until("SessionStart after /clear", func() bool { return count("SessionStart") == 2 })
		tm.Enter("say two")
		tm.Wait("answer-two")
		tm.Until("Stop", func() bool { return count("Stop") == 2 })
		tm.Enter("/exit")
		tm.Until("end of the client", tm.Gone)
		got := map[string]int{}
		for _, e := range w.rows("SELECT event FROM hook_runs") {
			got[e]++
		}
		want := map[string]int{"SessionStart": 2, "UserPromptSubmit": 2, "PreToolUse": 1, "PostToolUse": 1, "Stop": 2, "SessionEnd": 2}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("events in the store (-want +got):\n%s", d)
		}
		if got := w.rows("SELECT DISTINCT session_id FROM hook_runs"); len(got) != 2 {
			t.Errorf("sessions = %q, want two: /clear begins a new one", got)
		}
	})
}

func TestSubagentsAreStoredUnderTheirParent(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		agent := mockapi.Agent("look", "SUBTASK look around")
		agent.Input["run_in_background"] = false
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{
				Steps: []mockapi.Step{mockapi.Turn(agent), mockapi.Say("Done.")},
				Talks: map[string][]mockapi.Step{"SUBTASK": {mockapi.Turn(mockapi.Bash("echo sub")), mockapi.Turn(mockapi.Write(path("notes.md"), "n\n")), mockapi.Say("sub done")}},
			}
		})
		res := w.say("look around")
		if d := cmp.Diff([]string{res.SessionID}, w.rows("SELECT DISTINCT session_id FROM hook_runs")); d != "" {
			t.Errorf("sessions (-want +got):\n%s", d)
		}
		agents := w.rows("SELECT agent_id, type FROM subagents WHERE session_id = ? AND ended_ms IS NOT NULL", res.SessionID)
		if len(agents) != 1 || !strings.HasSuffix(agents[0], "|general-purpose") {
			t.Fatalf("subagents = %q, want the one of type general-purpose; %s", agents, w.trouble())
		}
		id, _, _ := strings.Cut(agents[0], "|")
		got := w.rows("SELECT event, tool FROM hook_runs WHERE agent_id = ? AND tool <> '' ORDER BY id", id)
		if d := cmp.Diff([]string{"PreToolUse|Bash", "PostToolUse|Bash", "PreToolUse|Write", "PostToolUse|Write"}, got); d != "" {
			t.Errorf("tool events of the subagent (-want +got):\n%s", d)
		}
		if got := w.one("SELECT work_tokens > 0 FROM subagents"); got != "1" {
			t.Errorf("the subagent's tokens were not counted")
		}
	})
}

func TestInstallationUnderPathsWithBlanksWorksAndGoesAway(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorldAt(t, c, place{home: "my home", repo: "my home/my proj's", bin: "my home/dev flow/bin"}, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{mockapi.Turn(mockapi.Write(path("notes.md"), "n\n")), mockapi.Say("Done."), mockapi.Say("Again.")}}
		})
		w.say("write notes")
		for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
			if len(w.rows("SELECT 1 FROM hook_runs WHERE event = ?", e)) == 0 {
				t.Errorf("no row of %s; %s", e, w.trouble())
			}
		}
		rows := len(w.rows("SELECT 1 FROM hook_runs"))
		w.devflow("uninstall")
		after, err := os.ReadFile(w.home.Settings())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(w.before), string(after)); d != "" {
			t.Errorf("settings.json after uninstall (-before +after):\n%s", d)
		}
		if info, err := os.Stat(w.home.Settings()); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode of settings.json = %v (%v), want 0640", info.Mode(), err)
		}
		if left, _ := filepath.Glob(filepath.Join(w.home.Dir, ".claude", "commands", "*")); len(left) > 0 {
			t.Errorf("command files left behind: %q", left)
		}
		w.goOn("again")
		if got := len(w.rows("SELECT 1 FROM hook_runs")); got != rows {
			t.Errorf("rows after uninstall = %d, want %d as before", got, rows)
		}
	})
}

// TestATurnIsJudgedWhenItsBackgroundAgentsHaveEnded: an agent in the background (the default of 2.1.332) goes on after the turn's first
// Stop; the client then starts a turn by itself, and only its Stop is the end of the work.
func TestATurnIsJudgedWhenItsBackgroundAgentsHaveEnded(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		agent := mockapi.Agent("work", "SUBTASK write it")
		agent.Input["run_in_background"] = true
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{
				Steps: []mockapi.Step{
					mockapi.Turn(mockapi.Write(path("tests/auth/test_token.py"), tokenTest)), mockapi.Turn(agent), mockapi.Say("An agent works."), mockapi.Say("It is done."),
				},
				Talks: map[string][]mockapi.Step{"SUBTASK": {
					mockapi.Turn(mockapi.Bash("sleep 2")), mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))), mockapi.Say("sub done"),
				}},
			}
		})
		w.say("add token verification")
		stops := w.rows("SELECT 1 FROM hook_runs WHERE event = 'Stop'")
		if len(stops) != 2 {
			t.Fatalf("Stop events = %d, want 2; %s", len(stops), w.trouble())
		}
		if got := w.rows("SELECT attempt, verdict FROM judge_runs"); len(got) != 1 || !strings.HasSuffix(got[0], "|pass") {
			t.Errorf("judgements = %q, want one pass, of the second Stop; %s", got, w.trouble())
		}
		judged := w.one("SELECT started_ms FROM judge_runs")
		written := w.one("SELECT ms FROM edits WHERE path = 'src/auth/token.py'")
		if judged < written {
			t.Errorf("judged at %s, before the agent wrote at %s", judged, written)
		}
		if got := w.one("SELECT prompts FROM tasks"); got != "1" {
			t.Errorf("prompts = %s, want 1: the notice of the client is no prompt", got)
		}
	})
}
