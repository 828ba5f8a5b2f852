package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/modelapi"
)

// A module with a test that guards it, and what an agent makes of both. Below src/auth it is of high risk.
const (
	scopeBefore = "def allowed(scopes, wanted):\n    \"\"\"True when the wanted scope was granted.\"\"\"\n    return wanted in scopes\n"
	scopeAfter  = "def allowed(scopes, wanted):\n    \"\"\"True when the wanted scope, or all of them, was granted.\"\"\"\n    return wanted in scopes or \"all\" in scopes\n"
	scopeHead   = "import unittest\n\nfrom src.PKG.scope import allowed\n\n\nclass AllowedTest(unittest.TestCase):\n"
	scopeGrants = "    def test_a_granted_scope_is_allowed(self):\n        self.assertTrue(allowed([\"read\"], \"read\"))\n"
	scopeTest   = scopeHead + scopeGrants + "\n    def test_another_scope_is_not(self):\n        self.assertFalse(allowed([\"read\"], \"write\"))\n"
	scopeMore   = "\n    def test_all_of_them_are(self):\n        self.assertTrue(allowed([\"all\"], \"write\"))\n"
)

// scope is the scenario of one world: the folder below src and tests says how risky the module is.
type scope struct {
	folder string
	path   func(string) string
}

func (s scope) impl() string { return "src/" + s.folder + "/scope.py" }
func (s scope) test() string { return "tests/" + s.folder + "/test_scope.py" }

func (s scope) text(test string) string { return strings.ReplaceAll(test, "PKG", s.folder) }

// look is the step that reads both files; the client refuses to overwrite what was not read.
func (s scope) look() mockapi.Step {
	return mockapi.Turn(mockapi.Read(s.path(s.impl())), mockapi.Read(s.path(s.test())))
}

func (s scope) write(impl, test string) mockapi.Step {
	return mockapi.Turn(mockapi.Write(s.path(s.impl()), impl), mockapi.Write(s.path(s.test()), s.text(test)))
}

// scopeWorld is a world with the module and its test in a folder.
func scopeWorld(t *testing.T, c claudecli.Client, folder string, steps func(s scope) []mockapi.Step) (*world, scope) {
	t.Helper()
	s := scope{folder: folder}
	w := newWorld(t, c, func(path func(string) string) mockapi.Script {
		s.path = path
		return mockapi.Script{Steps: steps(s)}
	})
	w.repo.Write(s.impl(), scopeBefore)
	w.repo.Write(s.test(), s.text(scopeTest))
	w.repo.Commit("scopes")
	return w, s
}

// stops are the outcomes of the hook at the end of turns, oldest first.
func (w *world) stops() []string {
	w.t.Helper()
	return w.rows("SELECT outcome FROM hook_runs WHERE event = 'Stop' ORDER BY id")
}

// told are the messages of devflow to the person; the client keeps them in its transcripts.
func (w *world) told() (list []string) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home.Dir, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var l struct {
				Attachment struct{ Type, Content string }
			}
			if json.Unmarshal(line, &l) == nil && l.Attachment.Type == "hook_system_message" {
				list = append(list, l.Attachment.Content)
			}
		}
	}
	return list
}

// configure writes the user's configuration.
func (w *world) configure(text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.home.Dir, ".claude", "devflow", "config.toml"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestWeakenedTestBlocksUntilItIsRestored: at high risk an implementation changes and its test is weakened in the same turn. The end
// of the turn is refused with the place and the rule, the repair passes.
func TestWeakenedTestBlocksUntilItIsRestored(t *testing.T) {
	t.Parallel()
	for name, weak := range map[string]struct{ test, line, says string }{
		"trivial": {scopeHead + scopeGrants + "\n    def test_another_scope_is_not(self):\n        self.assertTrue(True)\n", "11", "holds whatever the code does"},
		"skipped": {scopeHead + scopeGrants + "\n    @unittest.skip(\"later\")\n    def test_another_scope_is_not(self):\n        self.assertFalse(allowed([\"read\"], \"write\"))\n", "10", "is skipped now by"},
		"deleted": {scopeHead + scopeGrants, "8", "is deleted, and nothing took its place"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachClient(t, func(t *testing.T, c claudecli.Client) {
				w, s := scopeWorld(t, c, "auth", func(s scope) []mockapi.Step {
					return []mockapi.Step{
						s.look(), s.write(scopeAfter, weak.test), mockapi.Say("Done."),
						s.write(scopeAfter, scopeTest+scopeMore), mockapi.Say("The test is back."),
					}
				})
				res := w.say("let the scope all allow everything")
				if got := res.Final(); got.Reason != "completed" || got.Result != "The test is back." {
					t.Errorf("terminal_reason = %q, result %q; %s", got.Reason, got.Result, w.trouble())
				}
				talk := w.srv.Talk("")
				if len(talk) != 5 {
					t.Fatalf("requests = %d, want 5: two after the block; %s", len(talk), w.trouble())
				}
				holds(t, "what the model reads at the end of its turn", talk[3].Last(), true, "[devflow:CRITICAL_RETRY] 1/3", s.test()+":"+weak.line, weak.says)
				if d := cmp.Diff([]string{"block", "ok"}, w.stops()); d != "" {
					t.Errorf("ends of turns (-want +got):\n%s\n%s", d, w.trouble())
				}
				if d := cmp.Diff([]string{"1|fail|strict", "0|pass|strict"}, w.rows("SELECT attempt, verdict, oversight FROM judge_runs ORDER BY n")); d != "" {
					t.Errorf("judgements (-want +got):\n%s\n%q", d, w.rows("SELECT reasons FROM judge_runs"))
				}
			})
		})
	}
}

// TestHonestChangeAtHighRiskIsSilent is the natural twin: the same change of the source with a test for it.
func TestHonestChangeAtHighRiskIsSilent(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w, _ := scopeWorld(t, c, "auth", func(s scope) []mockapi.Step {
			return []mockapi.Step{s.look(), s.write(scopeAfter, scopeTest+scopeMore), mockapi.Say("Done."), mockapi.Say("As I said.")}
		})
		w.say("let the scope all allow everything", "is it done?")
		if got := len(w.srv.Talk("")); got != 4 {
			t.Errorf("requests = %d, want 4: nothing was blocked; %s", got, w.trouble())
		}
		if d := cmp.Diff([]string{"ok", "ok"}, w.stops()); d != "" {
			t.Errorf("ends of turns (-want +got):\n%s\n%s", d, w.trouble())
		}
		if d := cmp.Diff([]string{"pass|strict"}, w.rows("SELECT verdict, oversight FROM judge_runs")); d != "" {
			t.Errorf("judgements (-want +got):\n%s\n%q", d, w.rows("SELECT reasons FROM judge_runs"))
		}
		holds(t, "conversation", w.conversation(), false, "[devflow:judge]", "CRITICAL_RETRY")
		holds(t, "what the person is told", strings.Join(w.told(), "\n"), false, "FAIL", "WARN", "could not judge")
	})
}

// TestWeakenedTestAtStandardRiskComesBackOnce: nobody waits for the verdict, the next prompt brings it, and no other.
func TestWeakenedTestAtStandardRiskComesBackOnce(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w, s := scopeWorld(t, c, "shop", func(s scope) []mockapi.Step {
			return []mockapi.Step{
				s.look(), s.write(scopeAfter, scopeHead+scopeGrants+"\n    def test_another_scope_is_not(self):\n        self.assertTrue(True)\n"), mockapi.Say("Done."),
				mockapi.Say("I see."), mockapi.Say("Nothing else."),
			}
		})
		w.say("let the scope all allow everything")
		w.eventually("the detached verdict", func() bool { return len(w.rows("SELECT 1 FROM judge_runs")) > 0 })
		if got := w.one("SELECT oversight, verdict FROM judge_runs"); got != "standard|fail" && got != "standard|warn" {
			t.Errorf("judgement = %s, want one of standard", got)
		}
		holds(t, "conversation of the first turn", w.conversation(), false, "[devflow:judge]")
		w.goOn("what next?", "and then?")
		talk := w.srv.Talk("")
		if len(talk) != 5 {
			t.Fatalf("requests = %d, want 5; %s", len(talk), w.trouble())
		}
		holds(t, "the next prompt", talk[3].Last(), true, "what next?", "[devflow:judge] Your last change", "was judged ", s.test()+":11")
		holds(t, "the prompt after it", talk[4].Last(), false, "[devflow:judge]")
		if got := strings.Count(talk[4].Text(), "[devflow:judge] Your last change"); got != 1 {
			t.Errorf("the conversation holds the verdict %d times, want once", got)
		}
		if got := w.one("SELECT count(*) FROM judge_runs"); got != "1" {
			t.Errorf("judgements = %s, want one", got)
		}
		if slices.Contains(w.stops(), "block") {
			t.Errorf("standard risk blocked: %q", w.stops())
		}
	})
}

// TestModelThatCannotBeReachedNeverHoldsATurn: a backend is configured and gives no verdict. What was seen without it still blocks;
// what is left then is said to the person once, and no turn is held for it.
func TestModelThatCannotBeReachedNeverHoldsATurn(t *testing.T) {
	t.Parallel()
	garbage := func(w http.ResponseWriter, _ *http.Request, _ modelapi.Question) {
		modelapi.Say(w, "Summary fine. **No issues found.** Verdict: PASS")
	}
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))), mockapi.Say("Done."), // no test: blocked
				mockapi.Turn(mockapi.Write(path("tests/auth/test_token.py"), tokenTest)), mockapi.Say("Tested."),
				mockapi.Say("Nothing."), mockapi.Say("Nothing at all."),
			}}
		})
		url := "http://127.0.0.1:1/v1" // nobody listens there
		if c.Version != claudecli.Versions()[0] {
			url = modelapi.Serve(t, garbage).URL
		}
		w.configure("[judge]\nbackend = \"openai\"\nbase_url = \"" + url + "\"\nmodel = \"scripted\"\n")
		res := w.say("add token verification", "what next?", "and then?")
		if got := res.Final(); got.Reason != "completed" || got.Result != "Nothing at all." {
			t.Errorf("terminal_reason = %q, result %q; %s", got.Reason, got.Result, w.trouble())
		}
		talk := w.srv.Talk("")
		if len(talk) != 6 {
			t.Fatalf("requests = %d, want 6: one block; %s\n%q", len(talk), w.trouble(), w.rows("SELECT verdict, reasons FROM judge_runs"))
		}
		holds(t, "the block", talk[2].Last(), true, "[devflow:CRITICAL_RETRY] 1/3", "[tdd] Missing Test Coverage: src/auth/token.py")
		if d := cmp.Diff([]string{"block", "message", "ok", "ok"}, w.stops()); d != "" {
			t.Errorf("ends of turns (-want +got):\n%s\n%s", d, w.trouble())
		}
		said := 0
		for _, text := range w.told() {
			if strings.Contains(text, "could not judge") {
				said++
				holds(t, "message", text, true, "This is not a pass: do not push on it.")
			}
		}
		if said != 1 {
			t.Errorf("the person was told %d times, want once: %q", said, w.told())
		}
		if got := w.rows("SELECT verdict FROM judge_runs WHERE verdict = 'pass'"); len(got) > 0 {
			t.Errorf("a pass without a model: %q", w.rows("SELECT verdict, reasons FROM judge_runs"))
		}
		if got := w.one("SELECT attempts FROM tasks"); got != "1" {
			t.Errorf("attempts = %s, want the one of the missing test", got)
		}
	})
}

// TestReviewOfAPersonHoldsThePush: what a person has to review waits in a list, the agent does not push it, and the typed approval
// lets it pass once.
func TestReviewOfAPersonHoldsThePush(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		const push = "git push -u origin feat/demo"
		w, _ := scopeWorld(t, c, "auth", func(s scope) []mockapi.Step {
			return []mockapi.Step{
				s.look(), s.write(scopeAfter, scopeTest+scopeMore), mockapi.Turn(mockapi.Bash("kubectl delete pod web-1")),
				mockapi.Turn(mockapi.Bash("git add -A && git -c user.name=x -c user.email=x@y commit -qm 'feat: scopes'")), mockapi.Turn(mockapi.Bash(push)), mockapi.Say("Done."),
				mockapi.Turn(mockapi.Bash(push)), mockapi.Say("It waits for you."),
				mockapi.Turn(mockapi.Bash(push)), mockapi.Say("Pushed."),
			}
		})
		remote := filepath.Join(w.root, "remote.git")
		w.repo.Git("init", "-q", "--bare", remote)
		w.repo.Git("remote", "add", "origin", remote)
		w.repo.Git("push", "-q", "origin", "HEAD:refs/heads/main")
		w.say("let the scope all allow everything", "push it")
		talk := w.srv.Talk("")
		if len(talk) != 8 {
			t.Fatalf("requests = %d, want 8: nothing is blocked; %s", len(talk), w.trouble())
		}
		holds(t, "the push before the verdict", talk[5].Last(), true, "[devflow:push-gate] refused", "human_review")
		if got := w.one("SELECT verdict, oversight FROM judge_runs"); got != "pass|human_review" {
			t.Errorf("judgement = %s; %q", got, w.rows("SELECT reasons FROM judge_runs"))
		}
		holds(t, "what the person is told", strings.Join(w.told(), "\n"), true, "PASS. A person has to review this task before it is pushed.")
		holds(t, "what waits", w.devflow("judge", "--pending"), true, "let the scope all allow everything")
		holds(t, "the push", talk[7].Last(), true, "[devflow:push-gate] refused", "human_review", "devflow approve ")
		w.goOn("devflow approve " + typedCode(t, talk[7].Last()))
		talk = w.srv.Talk("")[len(talk):]
		holds(t, "the push after the approval", talk[1].Last(), false, "refused")
		if got, want := w.repo.Git("--git-dir", remote, "rev-parse", "feat/demo"), w.repo.Git("rev-parse", "HEAD"); got != want {
			t.Errorf("the remote has %s, want %s; %s", got, want, w.trouble())
		}
		if got := w.one("SELECT count(*) FROM approvals WHERE used_ms IS NOT NULL"); got != "1" {
			t.Errorf("%s approvals were used, want one", got)
		}
		holds(t, "what waits afterwards", w.devflow("judge", "--pending"), false, "let the scope")
		if got := w.devflow("judge", "--pending", "--json"); strings.TrimSpace(got) != "[]" {
			t.Errorf("pending = %s, want none", got)
		}
	})
}

// fenceMark is in every question of the judge that shows a whole change, and nowhere else.
const fenceMark = "Patch:\n<<<"

// TestJudgeAsksThroughTheSameClientUnseen: the judge's own call of the client has no tools but that for its answer, fires no hook, and
// is not in the cost of the session.
func TestJudgeAsksThroughTheSameClientUnseen(t *testing.T) {
	t.Parallel()
	c, err := claudecli.Find("..", claudecli.Versions()[1])
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(modelapi.Review("pass", nil)), &answer); err != nil {
		t.Fatal(err)
	}
	s := scope{folder: "shop"}
	w := newWorld(t, c, func(path func(string) string) mockapi.Script {
		s.path = path
		said := mockapi.Turn(mockapi.Tool("StructuredOutput", answer))
		said.Usage = &mockapi.Usage{Input: 7000, Output: 300}
		return mockapi.Script{
			Steps: []mockapi.Step{s.write(scopeAfter, scopeTest+scopeMore), mockapi.Say("Done.")},
			Talks: map[string][]mockapi.Step{fenceMark: {said}},
		}
	})
	tools := filepath.Join(w.root, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.Path, filepath.Join(tools, "claude")); err != nil {
		t.Fatal(err)
	}
	w.configure("[judge]\nbackend = \"claude\"\n")
	res := w.run(claudecli.Options{Prompts: []string{"add scopes"}, Env: []string{"PATH=" + tools + ":/usr/local/bin:/usr/bin:/bin"}})
	w.eventually("the verdict", func() bool { return len(w.rows("SELECT 1 FROM judge_runs")) > 0 })
	asked := w.srv.Talk(fenceMark)
	if len(asked) == 0 {
		t.Fatalf("nothing was asked; %s\n%q", w.trouble(), w.rows("SELECT verdict, reasons, backend FROM judge_runs"))
	}
	for _, r := range asked {
		if d := cmp.Diff([]string{"StructuredOutput"}, r.Tools); d != "" {
			t.Errorf("tools of the question (-want +got):\n%s", d)
		}
	}
	if got := w.one("SELECT verdict, backend, tokens_in, tokens_out FROM judge_runs"); got != "pass|claude|7000|300" {
		t.Errorf("judgement = %s, want it with the tokens of the question; %q", got, w.rows("SELECT reasons FROM judge_runs"))
	}
	if d := cmp.Diff([]string{res.SessionID}, w.rows("SELECT DISTINCT session_id FROM hook_runs")); d != "" {
		t.Errorf("sessions that the hooks saw (-want +got):\n%s", d)
	}
	if got := w.one("SELECT count(*) FROM hook_runs WHERE event IN('UserPromptSubmit','Stop')"); got != "2" {
		t.Errorf("%s prompts and ends of turns were seen, want one of each; %s", got, w.trouble())
	}
	if got := w.one("SELECT input_tokens, output_tokens FROM task_executions"); got != "200|84" {
		t.Errorf("tokens of the session = %s, want those of its two requests", got)
	}
}
