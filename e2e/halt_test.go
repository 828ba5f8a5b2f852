package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// TestEmergencyHaltDeniesUntilAPersonApproves spends 200,000 tokens after a failed verdict: the turn ends, and what the model tries
// afterwards does not run until the code is typed.
func TestEmergencyHaltDeniesUntilAPersonApproves(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			costly := mockapi.Turn(mockapi.Bash("touch " + path("costly.txt")))
			costly.Usage = &mockapi.Usage{Input: 200_000, Output: 100}
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))), mockapi.Say("Done."), // judged: fail 1/3
				costly, mockapi.Turn(mockapi.Bash("touch " + path("after.txt"))), // the guard ends the turn in one of these two
				mockapi.Turn(mockapi.Bash("touch " + path("denied.txt"))), mockapi.Say("I cannot."), // next prompt
				mockapi.Turn(mockapi.Bash("touch " + path("approved.txt"))), mockapi.Say("Now I can."), // after the approval
			}}
		})
		res := w.say("add token verification")
		if got := res.Final().Reason; got != "hook_stopped" {
			t.Fatalf("terminal_reason = %q, want hook_stopped by the token guard; %s", got, w.trouble())
		}
		if got := w.one("SELECT state FROM tasks"); got != "emergency" {
			t.Fatalf("state = %s, want emergency; %s", got, w.trouble())
		}
		next := len(w.srv.Talk(""))
		w.srv.Skip("", 4)
		w.goOn("try again")
		if _, err := os.Stat(w.repo.Path("denied.txt")); err == nil {
			t.Errorf("a denied command ran; %s", w.trouble())
		}
		denied := w.srv.Talk("")[next+1]
		holds(t, "request after the denied call", denied.Last(), true, "[devflow:EMERGENCY_HALT]", "devflow approve ")

		code := w.one("SELECT resume_code FROM tasks")
		w.goOn("devflow approve " + code)
		if _, err := os.Stat(w.repo.Path("approved.txt")); err != nil {
			t.Errorf("the command after the approval did not run: %v; %s", err, w.trouble())
		}
		if got := w.one("SELECT state, attempts FROM tasks WHERE seq = 1"); strings.HasPrefix(got, "emergency") {
			t.Errorf("task after the approval = %s, want it resumed", got)
		}
		if got := w.rows("SELECT 1 FROM signals WHERE kind = 'emergency_halt'"); len(got) != 1 {
			t.Errorf("emergency_halt signals = %d, want 1", len(got))
		}
	})
}

// TestHaltIsLeftByATypedCode is the loop as a person sees it in a terminal: halt, code, typed, on.
func TestHaltIsLeftByATypedCode(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))), mockapi.Say("answer-one"),
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("two"))), mockapi.Say("answer-two"),
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("three"))), mockapi.Say("answer-three"),
				mockapi.Turn(mockapi.Write(path("tests/auth/test_token.py"), tokenTest)), mockapi.Say("answer-four"),
			}}
		})
		tm := w.terminal("--permission-mode", "bypassPermissions")
		tm.Until("SessionStart", func() bool { return len(w.rows("SELECT 1 FROM hook_runs")) > 0 })
		tm.Wait("❯")
		tm.Enter("add token verification")
		tm.Wait("[devflow:CRITICAL_RETRY] 1/3")
		tm.Wait("[devflow:CRITICAL_RETRY] 2/3")
		tm.Wait("[devflow:HALTED_FOR_REVIEW]")
		code := w.one("SELECT resume_code FROM tasks")
		tm.Wait("devflow approve " + code)
		tm.Enter("devflow approve " + code)
		tm.Wait("[devflow:resume]")
		tm.Wait("answer-four")
		tm.Until("verdict", func() bool { return len(w.rows("SELECT 1 FROM judge_runs")) == 4 })
		if got := w.rows("SELECT verdict FROM judge_runs ORDER BY n"); fmt.Sprint(got) != "[fail fail fail pass]" {
			t.Errorf("verdicts = %v, want three fails and, after the approval and the test, a pass", got)
		}
		tm.Until("state", func() bool { return w.one("SELECT state, attempts FROM tasks") == "passed|0" })
		tm.Enter("/exit")
		tm.Until("end of the client", tm.Gone)
	})
}

// TestStopDoesNotWaitForADetachedBoundary holds the boundary lane at its first git call, through a git on PATH that waits for a file
// to go away, and looks whether the turn has ended meanwhile.
func TestStopDoesNotWaitForADetachedBoundary(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		var hold string
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			hold = filepath.Join(filepath.Dir(path(".")), "hold")
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/x.py"), "def double(n):\n    return n * 2\n")), mockapi.Turn(mockapi.Bash("touch '" + hold + "'")), mockapi.Say("Done."),
			}}
		})
		slow := filepath.Join(w.root, "slow")
		if err := os.Mkdir(slow, 0o755); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\ntouch '" + hold + ".seen'\ni=0\nwhile [ -e '" + hold + "' ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i+1)); done\nexec /usr/bin/git \"$@\"\n"
		if err := os.WriteFile(filepath.Join(slow, "git"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(hold) })
		res := w.run(claudecli.Options{Prompts: []string{"add double"}, Env: []string{"PATH=" + slow + ":/usr/local/bin:/usr/bin:/bin"}})
		if got := res.Final().Reason; got != "completed" {
			t.Errorf("terminal_reason = %q, want completed", got)
		}
		if got := w.rows("SELECT verdict FROM judge_runs"); len(got) > 0 {
			t.Fatalf("judged %q while git was held: the boundary was not what we held", got)
		}
		if err := os.Remove(hold); err != nil {
			t.Fatalf("the session never came to the last command: %v", err)
		}
		w.eventually("the verdict of the detached boundary", func() bool { return len(w.rows("SELECT verdict FROM judge_runs")) == 1 })
	})
}
