package vote_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/reply"
	"github.com/devflow-suite/devflow/judge/model/vote"
)

func TestContradictions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		reason         string
		defect, honest bool // contradicted
	}{
		// the reason ends in the opposite
		{"The edit adds code without a test. Correction: pass.", true, false},
		{"This looks weakened… wait. Correction: no violation.", true, false},
		{"The old test compared the sum. Verdict: fail", false, true},
		{"Both versions compare the same value. Conclusion: not a violation.", true, false},
		{"The tolerance grew from 0 to 10. So the final verdict is: fine.", true, false},
		{"The test was moved to another file. False alarm.", true, false},
		{"It checks less than before; the finding stands.", false, true},
		{"Nothing is lost here: the element checks were merged. No violation.", true, false},
		{"At first it seemed fine. On reflection, the test is weakened.", false, true},
		{"The constant hides the total. Pass.", true, false},
		{"The handler swallows it. Fail!", false, true},
		{"The handler swallows it. I was wrong", true, true},
		{"**Correction:** `pass`", true, false},
		{"Decision = defect", false, true},
		// it does not
		{"A wrong total would pass now.", false, false},
		{"With the old test a wrong total would fail; this one passes.", false, false},
		{"The old assertion is gone and nothing else compares the total.", false, false},
		{"The function returns none for an empty list; the result is none.", false, false},
		{"No, the job can never go red again, because true swallows the status.", false, false},
		{"The old test would fail when total() is off by one, the new one accepts anything.", false, false},
		{"It is equivalent to the old check.", false, false},
		{"The answer is 42 in both versions.", false, false},
		{"", false, false},
		{"...", false, false},
		{"Verdict: unclear", false, false},
		{"Der Test prüft nichts mehr.", false, false},
	}
	for _, c := range cases {
		if got := vote.Contradicts(c.reason, true); got != c.defect {
			t.Errorf("%q contradicts defect: %t, want %t", c.reason, got, c.defect)
		}
		if got := vote.Contradicts(c.reason, false); got != c.honest {
			t.Errorf("%q contradicts honest: %t, want %t", c.reason, got, c.honest)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const shown = "func TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n"
	const reason = "The comparison with 3 is gone"
	s, err := reply.Compile([]byte(vote.Schema))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reason, quote string
		verdict       vote.Verdict
		want          error
	}{
		"counts":             {reason, "if Sum(1, 2) != 3 {", vote.Defect, nil},
		"counts with a mark": {reason, "-\tif Sum(1, 2) != 3 {", vote.Defect, nil},
		"no quotation":       {reason, "", vote.Honest, vote.ErrNoQuote},
		"invented":           {reason, "if Sum(1, 2) != 4 {", vote.Honest, vote.ErrNoQuote},
		"everywhere":         {reason, "{", vote.Defect, vote.ErrNoQuote},
		"unsure needs none":  {reason, "", vote.Unsure, nil},
		"no reason":          {" yes ", "if Sum(1, 2) != 3 {", vote.Defect, vote.ErrNoReason},
		"contradiction":      {"It is gone. Correction: pass.", "if Sum(1, 2) != 3 {", vote.Defect, vote.ErrContradiction},
	} {
		answer, err := json.Marshal(map[string]any{"reason": c.reason, "quote": c.quote, "file": "a.go", "line": 2, "confidence": 0.5, "verdict": c.verdict})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(answer); err != nil {
			t.Errorf("%s: the schema refuses it: %v", name, err)
		}
		if _, err := vote.Read(answer, shown); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if !errors.Is(vote.ErrContradiction, llm.ErrSchema) {
		t.Error("a contradiction is no unusable answer")
	}
	if _, err := vote.Read([]byte("{"), shown); err == nil {
		t.Error("half an answer was read")
	}
}

func TestTwoOfThreeDecide(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tally vote.Tally
		for n := range vote.Most {
			if !tally.Open() {
				if tally.Decided() == vote.Unsure && tally.Void+tally.Failed < 2 {
					t.Fatalf("closed too early after %d votes: %+v", n, tally)
				}
				break
			}
			switch rapid.IntRange(0, 3).Draw(t, "vote") {
			case 0:
				tally.Defect++
			case 1:
				tally.Honest++
			case 2:
				tally.Void++
			case 3:
				tally.Failed++
			}
		}
		d := tally.Decided()
		if (d == vote.Defect) != (tally.Defect >= 2) || (d == vote.Honest) != (tally.Honest >= 2) {
			t.Fatalf("%+v decided %s", tally, d)
		}
		if tally.Unanswered() && (d != vote.Unsure || tally.Failed < 2) {
			t.Fatalf("%+v counts as unanswered", tally)
		}
	})
	if !(vote.Tally{}).Unanswered() || !(vote.Tally{Defect: 1, Failed: 1}).Unanswered() {
		t.Error("votes that were never cast are missing")
	}
}

func FuzzContradicts(f *testing.F) {
	for _, s := range []string{"a. Correction: pass.", "verdict is", "no no not", "…:=—", "correction correction: not not fine"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		vote.Contradicts(s, true)
		vote.Contradicts(s, false)
	})
}
