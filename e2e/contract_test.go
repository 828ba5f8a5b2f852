package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// promise is something about hook output that devflow is built on. docs/claude-hooks.md tells each in words.
type promise struct {
	name    string
	answers map[string]string // what the recorder prints, by file name
	files   map[string]string // in the repository
	steps   []mockapi.Step    // default: one Bash call that makes made.txt, then a text
	prompts []string          // default: one

	made    bool     // made.txt is there afterwards: the tool ran
	talks   int      // requests of the conversation; 0: not looked at
	stops   int      // Stop events; 0: not looked at
	reason  string   // terminal_reason of the last result
	silent  bool     // no hook ran at all
	reaches []string // texts in the conversation's requests, any version
	old     []string // … in those of 2.1.197 only
	new     []string // … in those of 2.1.332 only
	never   []string // texts in no request of the conversation
	summary []string // texts in the request for a summary
}

func contextJSON(event, text string) string {
	return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,"additionalContext":%q}}`, event, text)
}

func decisionJSON(event, decision, reason string) string {
	return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,"permissionDecision":%q,"permissionDecisionReason":%q}}`, event, decision, reason)
}

func promises() []promise {
	compaction := []string{"one", "two", "/compact", "three"}
	talk := []mockapi.Step{mockapi.Say("r1"), mockapi.Say("r2"), mockapi.Say("r3")}
	return append(contextPromises(), []promise{
		{name: "deny keeps a tool from running", answers: map[string]string{"PreToolUse.json": decisionJSON("PreToolUse", "deny", "MARK")},
			reason: "completed", old: []string{"\nMARK\n"}, new: []string{"PreToolUse:Bash hook error: MARK"}},
		{name: "ask is a refusal without a terminal", answers: map[string]string{"PreToolUse.json": decisionJSON("PreToolUse", "ask", "MARK")},
			reason: "completed", reaches: []string{"MARK"}},
		{name: "a byte before the JSON makes it void", answers: map[string]string{"PreToolUse.json": "x\n" + decisionJSON("PreToolUse", "deny", "MARK")},
			made: true, reason: "completed", never: []string{"MARK"}},
		{name: "the name of another event makes it void", answers: map[string]string{"PreToolUse.json": decisionJSON("PostToolUse", "deny", "MARK")},
			made: true, reason: "completed", never: []string{"MARK"}},
		{name: "continue false before a tool does not keep it from running", answers: map[string]string{"PreToolUse.json": `{"continue":false,"stopReason":"MARK"}`},
			made: true, talks: 1, reason: "hook_stopped"},
		{name: "continue false after a tool ends the turn without Stop", answers: map[string]string{"PostToolUse.json": `{"continue":false,"stopReason":"MARK"}`},
			made: true, talks: 1, reason: "hook_stopped"},
		{name: "10000 characters of context go through", answers: map[string]string{"PostToolUse.json": contextJSON("PostToolUse", strings.Repeat("x", 10_000))},
			made: true, reason: "completed", reaches: []string{strings.Repeat("x", 10_000)}},
		{name: "10001 do not", answers: map[string]string{"PostToolUse.json": contextJSON("PostToolUse", strings.Repeat("x", 10_001))},
			made: true, reason: "completed", reaches: []string{"Preview (first 2KB)"}, never: []string{strings.Repeat("x", 3000)}},
		{name: "a blocked prompt asks no model", answers: map[string]string{"UserPromptSubmit.json": `{"decision":"block","reason":"MARK"}`},
			steps: talk, talks: -1},
		{name: "a message at Stop is for the user", answers: map[string]string{"Stop.json": `{"systemMessage":"MARK"}`},
			steps: talk, prompts: []string{"one", "two"}, talks: 2, reason: "completed", never: []string{"MARK"}},
		{name: "Stop that always blocks is cut off after eight", answers: map[string]string{"Stop.json": `{"decision":"block","reason":"MARK"}`},
			steps: talk, talks: 9, stops: 9, reason: "completed", reaches: []string{"Stop hook feedback:\nMARK"}, new: []string{"Stop hook blocking error from command: "}},
		{name: "context at Stop goes on like a block", answers: map[string]string{"Stop.once.json": contextJSON("Stop", "MARK")},
			steps: talk, talks: 2, stops: 2, reason: "completed", reaches: []string{"Stop hook additional context: MARK"}},
		{name: "continue false at Stop ends the turn", answers: map[string]string{"Stop.json": `{"continue":false,"stopReason":"MARK"}`},
			steps: talk, prompts: []string{"one", "two"}, talks: 2, stops: 2, reason: "stop_hook_prevented"},
		{name: "what PreCompact prints goes to the summariser", answers: map[string]string{"PreCompact.json": `{"systemMessage":"MARK"}`},
			steps: talk, prompts: compaction, reason: "completed", summary: []string{`Additional Instructions:` + "\n" + `{"systemMessage":"MARK"}`}},
		{name: "a project switches all hooks off", files: map[string]string{".claude/settings.json": `{"disableAllHooks":true}`},
			made: true, reason: "completed", silent: true},
		{name: "StopFailure cannot say anything", answers: map[string]string{"StopFailure.json": `{"decision":"block","reason":"MARK"}`},
			steps: []mockapi.Step{mockapi.Fail(529, "busy"), mockapi.Say("r")}, prompts: []string{"one", "two"}, talks: 2, reason: "completed", never: []string{"MARK"}},
	}...)
}

func contextPromises() []promise {
	command := map[string]string{".claude/commands/mycmd.md": "say hi to $ARGUMENTS\n"}
	say := []mockapi.Step{mockapi.Say("r")}
	all := promise{name: "context reaches the model", made: true, reason: "completed", answers: map[string]string{},
		steps: []mockapi.Step{mockapi.Turn(mockapi.Bash("touch made.txt")), mockapi.Turn(mockapi.Bash("exit 7")), mockapi.Say("r")}}
	for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"} {
		all.answers[e+".json"] = contextJSON(e, "MARK of "+e+".")
		all.reaches = append(all.reaches, "hook additional context: MARK of "+e+".")
	}
	return []promise{
		all,
		{name: "context with a command reaches the model", files: command, steps: say, prompts: []string{"/mycmd Bob"}, talks: 1, reason: "completed",
			answers: map[string]string{"UserPromptExpansion.json": contextJSON("UserPromptExpansion", "MARK")},
			reaches: []string{"UserPromptExpansion hook additional context: MARK", "say hi to Bob"}},
		{name: "an unknown command reaches only the model of 2.1.332", steps: say, prompts: []string{"/nosuch x"}, new: []string{"/nosuch x"}},
		{name: "context of CwdChanged goes nowhere", answers: map[string]string{"CwdChanged.json": contextJSON("CwdChanged", "MARK")},
			steps: []mockapi.Step{mockapi.Turn(mockapi.Bash("mkdir d; cd d")), mockapi.Say("r")}, reason: "completed", never: []string{"MARK"}},
	}
}

func TestClientKeepsThePromisesWeBuildOn(t *testing.T) {
	t.Parallel()
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			forEachClient(t, func(t *testing.T, c claudecli.Client) { checkPromise(t, c, p) })
		})
	}
}

func checkPromise(t *testing.T, c claudecli.Client, p promise) {
	if p.steps == nil {
		p.steps = []mockapi.Step{mockapi.Turn(mockapi.Bash("touch made.txt")), mockapi.Say("end")}
	}
	if p.prompts == nil {
		p.prompts = []string{"do it"}
	}
	r := record(t, c, func(func(string) string) mockapi.Script { return mockapi.Script{Steps: p.steps} })
	for name, text := range p.answers {
		r.answer(name, text)
	}
	for name, text := range p.files {
		r.repo.Write(name, text)
	}
	res := r.run(claudecli.Options{Prompts: p.prompts, Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}})

	if _, err := os.Stat(r.repo.Path("made.txt")); (err == nil) != p.made {
		t.Errorf("tool ran = %v, want %v", err == nil, p.made)
	}
	if got := res.Final().Reason; p.reason != "" && got != p.reason {
		t.Errorf("terminal_reason = %q, want %q", got, p.reason)
	}
	if got := len(r.srv.Talk("")); p.talks > 0 && got != p.talks || p.talks < 0 && got != 0 {
		t.Errorf("requests of the conversation = %d, want %d", got, max(p.talks, 0))
	}
	if got := r.count("Stop"); p.stops > 0 && got != p.stops {
		t.Errorf("Stop events = %d, want %d", got, p.stops)
	}
	if got := len(r.payloads()); p.silent != (got == 0) {
		t.Errorf("hook events = %d, want none: %v", got, p.silent)
	}
	talk, summary := said(r.srv.Requests(), mockapi.Talk), said(r.srv.Requests(), mockapi.Summary)
	expect := func(where, text string, want []string, present bool) {
		for _, w := range want {
			if strings.Contains(text, w) != present {
				t.Errorf("%s holds %.80q: %v, want %v; it is:\n%.3000s", where, w, !present, present, text)
			}
		}
	}
	expect("conversation", talk, p.reaches, true)
	expect("conversation", talk, p.old, c.Version == "2.1.197")
	expect("conversation", talk, p.new, c.Version != "2.1.197")
	expect("conversation", talk, p.never, false)
	expect("summary request", summary, p.summary, true)
}

// said is all text of all requests of a kind.
func said(rs []mockapi.Request, kind mockapi.Kind) string {
	var b strings.Builder
	for _, r := range rs {
		if r.Kind == kind {
			b.WriteString(r.Text())
		}
	}
	return b.String()
}
