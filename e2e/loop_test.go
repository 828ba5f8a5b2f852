package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// Versions of a file that a model without a test writes; each is another diff.
func token(n string) string {
	return "import hmac\n\n\ndef verify(token, secret):\n    \"\"\"Attempt " + n + ".\"\"\"\n    return hmac.compare_digest(token, secret)\n"
}

const tokenTest = "from src.auth.token import verify\n\n\ndef test_verify_refuses_another_token():\n    assert not verify('a', 'b')\n\n\n" +
	"def test_verify_accepts_the_token():\n    assert verify('a', 'a')\n"

func TestHighRiskWithoutATestIsJudgedThreeTimesAndHalted(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))), mockapi.Say("Done."),
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("two"))), mockapi.Say("Done now."),
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("three"))), mockapi.Say("Done at last."),
			}}
		})
		res := w.say("add token verification")

		if got := res.Final().Reason; got != "stop_hook_prevented" {
			t.Errorf("terminal_reason = %q, want the halt; %s", got, w.trouble())
		}
		if got := len(w.srv.Talk("")); got != 6 || w.srv.Overrun() != 0 {
			t.Errorf("requests = %d (%d after the script), want 6: two for each attempt", got, w.srv.Overrun())
		}
		runs := w.rows("SELECT attempt, verdict, oversight FROM judge_runs ORDER BY n")
		if d := cmp.Diff([]string{"1|fail", "2|fail", "3|fail"}, trimLast(runs)); d != "" {
			t.Errorf("judgements (-want +got):\n%s\n%s", d, w.trouble())
		}
		if diffs := w.rows("SELECT DISTINCT diff_sha FROM judge_runs"); len(diffs) != 3 {
			t.Errorf("distinct diffs = %q, want 3", diffs)
		}
		holds(t, "conversation", w.conversation(), true, "[devflow:CRITICAL_RETRY] 1/3", "[devflow:CRITICAL_RETRY] 2/3",
			"[tdd] Missing Test Coverage: src/auth/token.py", "[devflow:risk]")
		holds(t, "conversation", w.conversation(), false, "3/3", "[devflow:HALTED_FOR_REVIEW]")
		if got := w.one("SELECT state, attempts FROM tasks"); got != "halted|3" {
			t.Errorf("task = %s, want halted|3", got)
		}
		report, err := filepath.Glob(filepath.Join(w.home.Dir, ".claude", "devflow", "state", "*", "post-mortem.md"))
		if err != nil || len(report) != 1 {
			t.Errorf("post-mortem.md: %v %v, want one", report, err)
		}
		recent := w.devflow("telemetry:recent", "--n", "10")
		holds(t, "devflow-telemetry recent", recent, true, "fail")
	})
}

func trimLast(rows []string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r[:strings.LastIndex(r, "|")])
	}
	return out
}

func TestHighRiskWithATestPassesAtTheFirstStop(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))),
				mockapi.Turn(mockapi.Write(path("tests/auth/test_token.py"), tokenTest)),
				mockapi.Say("Done."),
			}}
		})
		res := w.say("add token verification")
		if got := res.Final().Reason; got != "completed" || res.Final().Result != "Done." {
			t.Errorf("terminal_reason = %q, result %q; want completed and the model's text; %s", got, res.Final().Result, w.trouble())
		}
		if got := len(w.srv.Talk("")); got != 3 {
			t.Errorf("requests = %d, want 3: nothing was blocked", got)
		}
		if got := w.rows("SELECT attempt, verdict FROM judge_runs"); len(got) != 1 || !strings.HasSuffix(got[0], "|pass") {
			t.Errorf("judgements = %q, want one pass; %s", got, w.trouble())
		}
		if got := w.rows("SELECT state FROM signals WHERE kind = 'tdd_violation'"); !slices.Contains(got, "resolved") || len(got) != 1 {
			t.Errorf("signals = %q, want the one resolved by the test", got)
		}
		if got := w.one("SELECT judge_verdict, tdd_followthrough_rate FROM task_executions"); got != "pass|1" {
			t.Errorf("columns = %s, want pass|1", got)
		}
	})
}

func TestStandardRiskIsJudgedDetachedAndToldWithTheNextPrompt(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/x.py"), "def double(n):\n    return n * 2\n")), mockapi.Say("Done."), mockapi.Say("I see."),
			}}
		})
		res := w.say("add double")
		if got := res.Final().Reason; got != "completed" {
			t.Errorf("terminal_reason = %q, want completed: standard risk never blocks", got)
		}
		if got := len(w.srv.Talk("")); got != 2 {
			t.Errorf("requests = %d, want 2", got)
		}
		w.eventually("the detached verdict", func() bool { return len(w.rows("SELECT verdict FROM judge_runs")) > 0 })
		if got := w.one("SELECT oversight, verdict FROM judge_runs"); got != "standard|fail" {
			t.Errorf("judgement = %s, want standard|fail", got)
		}
		holds(t, "conversation", w.conversation(), false, "Missing Test Coverage")

		w.goOn("what next?")
		next := w.srv.Talk("")[2]
		holds(t, "request of the next prompt", next.Text(), true, "what next?", "[tdd] Missing Test Coverage: src/x.py")
		if got := len(w.srv.Talk("")); got != 3 {
			t.Errorf("requests = %d, want 3: the second turn was not blocked either", got)
		}
		if got := w.one("SELECT reflection_injected FROM task_executions"); got != "1" {
			t.Errorf("reflection_injected = %s, want 1", got)
		}
	})
}

func TestRunsOfATestCommandAreRecordedRedAndGreen(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		const run = "python3 -B -m unittest discover -s tests" // -B: a test that is edited within a second must not run as it was before
		test := func(want string) string {
			return "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(1 + 1, " + want + ")\n"
		}
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("tests/test_sum.py"), test("3"))), mockapi.Turn(mockapi.Bash(run)),
				mockapi.Turn(mockapi.Write(path("tests/test_sum.py"), test("2"))), mockapi.Turn(mockapi.Bash(run)),
				mockapi.Turn(mockapi.Bash("echo 'FAILED tests, 3 failed'")), // says so, but is no test run
				mockapi.Say("Done."),
			}}
		})
		w.say("add a test")
		if d := cmp.Diff([]string{"0", "1"}, w.rows("SELECT ok FROM tool_log WHERE runner <> '' ORDER BY n")); d != "" {
			t.Errorf("test runs, red then green (-want +got):\n%s\n%q", d, w.rows("SELECT n, tool, ok, runner, class FROM tool_log ORDER BY n"))
		}
		if got := w.one("SELECT test_retry_count FROM task_executions"); got != "1" {
			t.Errorf("test_retry_count = %s, want 1", got)
		}
		if detail := w.one("SELECT detail FROM tool_log WHERE runner <> '' AND ok = 0"); !strings.Contains(detail, "unittest") {
			t.Errorf("detail of the red run = %q, want the command", detail)
		}
	})
}

func TestAnUnfinishedSpecBlocksOncePerPrompt(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("docs/plan.txt"), "step one\n")), mockapi.Say("One step is done."), mockapi.Say("The rest is missing."),
				mockapi.Say("Still missing."), mockapi.Say("As I said."),
			}}
		})
		w.say("/spec write the plan", "and now")
		if got := w.rows("SELECT outcome FROM hook_runs WHERE event = 'Stop' ORDER BY id"); len(got) != 4 {
			t.Errorf("Stop ran with %q, want twice for each of two prompts; %s", got, w.trouble())
		}
		if got := w.one("SELECT count(*) FROM hook_runs WHERE event = 'Stop' AND outcome = 'block'"); got != "2" {
			t.Errorf("%s blocks, want one for each prompt; %s", got, w.trouble())
		}
		holds(t, "conversation", w.conversation(), true, "[devflow:spec]", "/pause", "/unspec")
	})
}

func TestCompactionBringsThePlanBack(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Say("Planned."), mockapi.Turn(mockapi.Write(path("src/rotate.py"), "def rotate():\n    return 1\n")), mockapi.Say("Working."),
				mockapi.Say("Still working."), mockapi.Say("Going on."),
			}}
		})
		w.say("/spec rotate refresh tokens KEEPSAKE every hour", "begin", "is it going well?", "/compact", "go on")
		talk := w.srv.Talk("")
		last := talk[len(talk)-1]
		_, after, found := strings.Cut(last.Text(), "SessionStart hook additional context: ")
		if !found {
			t.Fatalf("no rescue in the request after the compaction; %s\n%.5000s", w.trouble(), last.Text())
		}
		holds(t, "rescue", after, true, "rotate refresh tokens KEEPSAKE every hour", "feat/demo", "src/rotate.py")
		for _, r := range w.srv.Requests() {
			if r.Kind == mockapi.Summary {
				holds(t, "request for the summary", r.Last(), false, "Additional Instructions:\n{", "Additional Instructions:\n[devflow")
			}
		}
		if got := w.one("SELECT compactions FROM tasks ORDER BY seq DESC LIMIT 1"); got != "1" {
			t.Errorf("compactions = %s, want 1", got)
		}
	})
}

func TestASessionThatDevflowStartsIsNotWatched(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		nested := ""
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			// A program that devflow starts has the marker; a command of the agent that sets it would be refused, so the project's own script does.
			nested = "DEVFLOW_CHILD=1 " + c.Path + " -p 'NESTED question' > " + path("nested.txt") + "\n"
			return mockapi.Script{
				Steps: []mockapi.Step{mockapi.Turn(mockapi.Bash("sh tools/nested.sh")), mockapi.Say("Done.")},
				Talks: map[string][]mockapi.Step{"NESTED question": {mockapi.Say("nested answer")}},
			}
		})
		w.repo.Write("tools/nested.sh", nested)
		w.repo.Commit("tools")
		res := w.say("ask another session")
		if got := len(w.srv.Talk("NESTED question")); got != 1 {
			t.Fatalf("requests of the nested session = %d, want 1", got)
		}
		if out, err := os.ReadFile(w.repo.Path("nested.txt")); err != nil || !strings.Contains(string(out), "nested answer") {
			t.Errorf("nested session said %q (%v), want its answer", out, err)
		}
		if d := cmp.Diff([]string{res.SessionID}, w.rows("SELECT DISTINCT session_id FROM hook_runs")); d != "" {
			t.Errorf("sessions in the store (-want +got):\n%s", d)
		}
	})
}
