package judge

import (
	"github.com/devflow-suite/devflow/judge/verdict"
	"github.com/devflow-suite/devflow/telemetry"
)

// telling is what the next prompt brings of a verdict that was reached while nobody waited.
func telling(r *run) *Telling {
	t := &Telling{Session: r.Session, Seq: r.Seq, N: r.N, Outcome: r.Outcome}
	routing := Routing{Task: telemetry.TaskID(r.Session, r.Seq), Level: r.Level, Verdict: Verdict{Outcome: r.Outcome, Reasons: r.Reasons}}
	_, t.Message = verdict.Route(routing)
	if r.Outcome == Error || r.Level == "vibe" {
		return t
	}
	word := map[Outcome]string{Fail: "FAIL", Warn: "WARN"}[r.Outcome]
	t.Context = verdict.Fit(verdict.MaxReflection, "[devflow:judge] Your last change ("+routing.Task+") was judged "+word+":\n", r.Reasons, "\nDeal with this before you go on, unless the user asks for something else.")
	if r.Outcome == Fail && t.Message == "" || r.Level == "strict" || r.Level == "human_review" { // a block that nobody saw: its attempt was counted
		t.Message = routing.List(word, "")
	}
	return t
}
