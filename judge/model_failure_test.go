package judge_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/modelapi"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/panel"
	"github.com/devflow-suite/devflow/telemetry"
)

// asking lets a model look at the task, too.
func (w *world) asking(cfg config.Judge) judge.Deps {
	d := w.deps()
	d.Panel = func(config.Config) judge.Panel { return panel.Session(panel.Options{Config: cfg, Waited: true}) }
	return d
}

// judged judges the task with a model within a time.
func (w *world) judged(cfg config.Judge, limit time.Duration) judge.Result {
	w.Helper()
	w.now = w.now.Add(time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := judge.Boundary(ctx, w.asking(cfg), session, w.task().Seq)
	if err != nil {
		w.Fatal(err)
	}
	w.now = w.now.Add(time.Second)
	return r
}

// tested work: nothing that a rule could complain about.
func (w *world) honest() {
	w.edit("src/auth/token.py", "def issue(user):\n    return \"t-\" + user\n")
	w.edit("tests/auth/test_token.py", "from src.auth.token import issue\n\n\ndef test_issue():\n    assert issue(\"a\") == \"t-a\"\n")
}

// failures are the ways in which a model does not answer, by what is wrong.
func failures() map[string]modelapi.Answer {
	say := func(text string) modelapi.Answer {
		return func(w http.ResponseWriter, _ *http.Request, _ modelapi.Question) { modelapi.Say(w, text) }
	}
	status := func(code int, body string) modelapi.Answer {
		return func(w http.ResponseWriter, _ *http.Request, _ modelapi.Question) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	const violation = `{"kind":"violation","reason":"… Correction: pass."}`
	return map[string]modelapi.Answer{
		"quota":                status(http.StatusTooManyRequests, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`),
		"server error":         status(http.StatusInternalServerError, `{"error":{"message":"internal"}}`),
		"page":                 status(http.StatusOK, "<!doctype html><title>Sign in</title>"),
		"half an answer":       status(http.StatusOK, `{"id":"1","choices":[{"message":{"content":"{\"lea`),
		"truncated":            say(modelapi.Review("pass", nil)[:200]),
		"another form":         say(violation),
		"findings and no word": say(`{"findings":[],"summary":"PASS"}`),
		"free text":            say("Summary fine. **No issues found.** Verdict: PASS"),
		"unable":               say("I am unable to read the diff"),
		"refusal":              say("I'm sorry, but I can't help with that."),
		"nothing":              say(""),
	}
}

// A configured model that gives no answer: nobody could judge. It is said once, passes nothing, counts nothing, blocks
// nothing.
func TestModelThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	all := failures()
	all["down"] = nil
	for name, answer := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Judge{Backend: config.BackendOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m"}
			if answer != nil {
				cfg = modelapi.Serve(t, answer).Config()
			}
			w := newWorld(t, "standard")
			w.honest()
			w.raise(telemetry.KindDrift, "r0", "info", `{}`)
			first := w.judged(cfg, time.Minute)
			if first.Verdict != judge.Error || first.Attempt != 0 || first.Action == judge.Block || first.Action == judge.Halt || first.AlreadyJudged {
				t.Fatalf("%+v", first)
			}
			said := 0
			for _, r := range first.Reasons {
				if strings.HasPrefix(r.Text, "could not judge") {
					said++
				}
			}
			if said != 1 {
				t.Errorf("said %d times: %+v", said, first.Reasons)
			}
			second := w.judged(cfg, time.Minute)
			if second.Verdict != judge.Error || !second.AlreadyJudged || second.Action != judge.Silent || second.Text != "" {
				t.Errorf("the second time: %+v", second)
			}
			if n := w.count("SELECT count(*) FROM judge_runs"); n != 1 {
				t.Errorf("%d runs are kept, want one", n)
			}
			if n := w.count("SELECT count(*) FROM signals WHERE state='claimed'"); n != 0 {
				t.Errorf("%d signals stay claimed", n)
			}
			w.raise(telemetry.KindReport, "sec", "hard", `{"worker":"sec","status":"unsafe","summary":"a key"}`)
			if forced := w.judged(cfg, time.Minute); forced.Verdict != judge.Fail {
				t.Errorf("a forced reason beside it: %+v", forced)
			}
		})
	}
}

// A model that hangs until the run's time is over could not judge either; there is time left to store that.
func TestModelThatHangs(t *testing.T) {
	t.Parallel()
	s := modelapi.Serve(t, func(_ http.ResponseWriter, r *http.Request, _ modelapi.Question) { <-r.Context().Done() })
	w := newWorld(t, "standard")
	w.honest()
	const short = 4 * time.Second
	if r := w.judged(s.Config(), short); r.Verdict != judge.Error || r.N == 0 || r.Attempt != 0 || r.Action == judge.Block {
		t.Errorf("%+v", r)
	}
	if r := w.judged(s.Config(), short); r.Verdict != judge.Error || !r.AlreadyJudged {
		t.Errorf("the second time: %+v", r)
	}
}

// At high risk the report of Sec is missing then, which is a hard reason whatever the rules say. It never passes, but no work
// of the agent changes it: it is said once, counts nothing and blocks nothing, until something else fails.
func TestModelThatDoesNotAnswerAtHighRisk(t *testing.T) {
	t.Parallel()
	for name, answer := range failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict")
			w.honest()
			cfg := modelapi.Serve(t, answer).Config()
			r := w.judged(cfg, time.Minute)
			text := ""
			for _, x := range r.Reasons {
				text += x.String() + "\n"
			}
			if r.Verdict != judge.Fail || !strings.Contains(text, "[sec] swarm-reports-unavailable") || !strings.Contains(text, "could not judge: model") {
				t.Errorf("%s:\n%s", r.Verdict, text)
			}
			if r.Action != judge.Message || r.Attempt != 0 || !strings.Contains(r.Text, "could not judge.") {
				t.Errorf("%s, attempt %d: %s", r.Action, r.Attempt, r.Text)
			}
			if again := w.judged(cfg, time.Minute); again.Action != judge.Silent || !again.AlreadyJudged || again.Attempt != 0 {
				t.Errorf("the second time: %+v", again)
			}
			w.raise(telemetry.KindShadow, "r1", "hard", `{"summary":"2 failed"}`)
			if forced := w.judged(cfg, time.Minute); forced.Action != judge.Block || forced.Attempt != 1 {
				t.Errorf("a forced reason beside it: %+v", forced)
			}
		})
	}
}

// What asking costs stands in the run, not in the task's cost; what the model thinks stands in the task's columns.
func TestWhatAModelSaysIsKept(t *testing.T) {
	t.Parallel()
	s := modelapi.Serve(t, func(w http.ResponseWriter, r *http.Request, q modelapi.Question) {
		if q.Kind == "review" {
			modelapi.Say(w, modelapi.Review("fail", map[string][2]string{"lob_violation": {"yes", "def issue(user):"}}))
			return
		}
		modelapi.Clean(w, r, q)
	})
	w := newWorld(t, "standard")
	w.honest()
	w.update(func(tx *store.Tx) error {
		return telemetry.Fill(tx, session, 1, map[string]any{"cost_usd": 0.5, "input_tokens": int64(7)}, w.now.UnixMilli())
	})
	_ = w.judged(s.Config(), time.Minute)
	asked := int64(len(s.Asked()))
	for query, want := range map[string]int64{
		"SELECT count(*) FROM judge_runs WHERE backend='openai' AND model='scripted-1' AND cost_usd IS NULL": 1,
		"SELECT tokens_in FROM judge_runs":                                                             asked * modelapi.TokensIn,
		"SELECT tokens_out FROM judge_runs":                                                            asked * modelapi.TokensOut,
		"SELECT count(*) FROM task_executions WHERE cost_usd=0.5 AND input_tokens=7":                   1,
		"SELECT count(*) FROM task_executions WHERE user_intent_status='yes' AND contract_status='ok'": 1,
	} {
		if got := w.count(query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
}

// leaves is a reviser that fills what it likes.
type leaves map[string]any

func (leaves) Name() string { return "leaves" }

func (l leaves) Revise(context.Context, *judge.Case, []judge.Reason) (judge.Revision, error) {
	return judge.Revision{Leaves: l}, nil
}

func TestUnknownLeavesDoNotLoseTheVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "standard")
	w.honest()
	w.update(func(tx *store.Tx) error {
		return telemetry.Fill(tx, session, 1, map[string]any{"cost_usd": 0.5}, w.now.UnixMilli())
	})
	d := w.deps()
	d.Panel = func(config.Config) judge.Panel {
		return judge.Panel{Examiners: d.Examiners, Revisers: []judge.Reviser{leaves{
			"no such column": "x", "cost_usd": 9.0, "judge_verdict": "fail", "idempotency_status": []string{"broken"}, "lob_violations": 1, "contract_status": "breaking",
		}}}
	}
	r, err := judge.Boundary(t.Context(), d, session, 1)
	if err != nil || r.N == 0 || r.Verdict == judge.Error {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := w.count("SELECT count(*) FROM task_executions WHERE cost_usd=0.5 AND judge_verdict='" + string(r.Verdict) + "' AND idempotency_status IS NULL AND lob_violations=1 AND contract_status='breaking'"); n != 1 {
		t.Error("the columns are not those that a reviser may fill")
	}
}
