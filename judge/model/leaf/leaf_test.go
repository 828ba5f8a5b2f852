package leaf_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/llm/reply"
	"github.com/devflow-suite/devflow/judge/model/leaf"
	"github.com/devflow-suite/devflow/judge/model/shown"
	"github.com/devflow-suite/devflow/judge/verdict"
)

const patch = "--- a/pay.py\n+++ b/pay.py\n@@ -4,0 +5,3 @@\n+def charge(amount):\n+    total = amount * 1.19\n+    send_invoice(total)\n"

const task = "Charge customers with tax. Write a receipt to the archive."

type m = map[string]any

// clean is an answer that says nothing against the work, with some leaves replaced.
func clean(changed map[string]m, more m) m {
	leaves := m{}
	for key, value := range map[string]any{
		"lob_violation": "no", "duplication": "no", "type_contract_violation": "na", "unjustified_complexity": "no", "naming_consistency": 1.0,
		"edge_case_coverage": "thorough", "monetary_math": "ok", "idempotency": "na", "contract_compatibility": "na", "user_intent": "yes",
		"accidental_complexity": "ok", "design_system_adherence": "na", "agentic_legibility": 0.9,
	} {
		leaves[key] = m{"reason": "nothing speaks against it here", "quote": "", "value": value}
		if c, ok := changed[key]; ok {
			leaves[key] = c
		}
	}
	out := m{"leaves": leaves, "asked": []m{}, "unasked": []m{}, "summary": "a small change", "overall": "pass"}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func read(t *testing.T, answer m, c leaf.Case) leaf.Answer {
	t.Helper()
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reply.Compile([]byte(leaf.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(data); err != nil {
		t.Fatalf("the schema refuses the answer: %v", err)
	}
	got, err := leaf.Read(data, c)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func work() leaf.Case { return leaf.Case{Diff: shown.Of([]byte(patch)), Task: task} }

func TestACleanAnswerFillsTheColumns(t *testing.T) {
	t.Parallel()
	got := read(t, clean(nil, m{"overall": "fail"}), work())
	want := map[string]any{
		"lob_violations": 0, "arch_pattern_violations": 0, "duplication_detected": false, "type_contract_violations": 0, "unjustified_complexity": false,
		"naming_consistency_score": 1.0, "edge_case_coverage": "thorough", "monetary_math_status": "ok", "idempotency_status": "na", "contract_status": "na",
		"user_intent_status": "yes", "judge_reasoning": "a small change",
	}
	if d := cmp.Diff(want, got.Columns); d != "" || len(got.Findings) != 0 || got.Overall != "fail" {
		t.Errorf("findings %v, overall %s, columns (-want +got):\n%s", got.Findings, got.Overall, d)
	}
}

func TestABadLeafNeedsAQuotationAndWarnsAtMost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leaf   m
		key    string
		column string
		value  any // nil: dropped
	}{
		"money, quoted":            {m{"reason": "floats lose cents", "quote": "total = amount * 1.19", "value": "broken"}, "monetary_math", "monetary_math_status", "broken"},
		"money, invented":          {m{"reason": "floats lose cents", "quote": "total = amount * 1.21", "value": "broken"}, "monetary_math", "monetary_math_status", nil},
		"money, without a quote":   {m{"reason": "floats lose cents", "quote": "", "value": "suspicious"}, "monetary_math", "monetary_math_status", nil},
		"money, contradiction":     {m{"reason": "it looked wrong. Correction: fine.", "quote": "total = amount * 1.19", "value": "broken"}, "monetary_math", "monetary_math_status", nil},
		"twice is twice":           {m{"reason": "a retry sends two", "quote": "send_invoice(total)", "value": "broken"}, "idempotency", "idempotency_status", "broken"},
		"names":                    {m{"reason": "total elsewhere is a count", "quote": "total = amount * 1.19", "value": 0.4}, "naming_consistency", "naming_consistency_score", 0.4},
		"a score out of range":     {m{"reason": "seven of ten", "quote": "total = amount * 1.19", "value": 7}, "naming_consistency", "naming_consistency_score", nil},
		"locality":                 {m{"reason": "tax belongs elsewhere", "quote": "+    total = amount * 1.19", "value": "yes"}, "lob_violation", "lob_violations", 1},
		"duplication":              {m{"reason": "tax() is there", "quote": "total = amount * 1.19", "value": "yes"}, "duplication", "duplication_detected", true},
		"a good score is no find":  {m{"reason": "", "quote": "", "value": 0.7}, "naming_consistency", "naming_consistency_score", 0.7},
		"no tests for the extreme": {m{"reason": "negative amounts", "quote": "def charge(amount):", "value": "none"}, "edge_case_coverage", "edge_case_coverage", "none"},
	} {
		got := read(t, clean(map[string]m{c.key: c.leaf}, nil), work())
		value, ok := got.Columns[c.column]
		if ok != (c.value != nil) || ok && value != c.value {
			t.Errorf("%s: column %s = %v, %t", name, c.column, value, ok)
		}
		bad := c.value != nil && c.value != 0.7
		if bad != (len(got.Findings) == 1) {
			t.Errorf("%s: findings %v", name, got.Findings)
			continue
		}
		for _, f := range got.Findings {
			if f.Weight() != verdict.Soft || f.File != "pay.py" || f.Line < 5 || f.Line > 7 || f.Evidence == "" || f.Fix == "" || f.Rule == "" {
				t.Errorf("%s: finding %+v", name, f)
			}
		}
	}
}

func TestWhoSawAPartCannotCallTestsThorough(t *testing.T) {
	t.Parallel()
	c := work()
	c.Diff.Cut = []string{"pay.py"}
	if got := read(t, clean(nil, nil), c).Columns["edge_case_coverage"]; got != "adequate" {
		t.Errorf("coverage = %v", got)
	}
}

func TestScopeIsQuoted(t *testing.T) {
	t.Parallel()
	asked := func(item, evidence, status string) m {
		return m{"item": item, "evidence": evidence, "status": status}
	}
	answer := clean(nil, m{
		"asked": []m{
			asked("Charge customers with tax", "total = amount * 1.19", "done"),
			asked("Write a receipt to the archive", "", "not_done"),
			asked("Send a newsletter", "", "not_done"),                                 // nobody asked
			asked("Write a receipt to the archive", "send_invoice(total)", "not_done"), // shows that it is done
			asked("Charge customers with tax", "total = amount * 1.19", "partial"),
		},
		"unasked": []m{{"what": "sends mail", "quote": "send_invoice(total)"}, {"what": "deletes users", "quote": "drop_users()"}},
	})
	got := read(t, answer, work())
	var rules []string
	for _, f := range got.Findings {
		rules = append(rules, f.Rule)
		if f.Weight() != verdict.Soft || f.Axis != verdict.Scope {
			t.Errorf("finding %+v", f)
		}
	}
	if d := cmp.Diff([]string{"scope-not-done", "scope-partial", "scope-unasked"}, rules); d != "" {
		t.Fatalf("findings (-want +got):\n%s", d)
	}
	if f := got.Findings[1]; f.File != "pay.py" || f.Line != 6 {
		t.Errorf("partial at %s:%d", f.File, f.Line)
	}
	if got := read(t, answer, leaf.Case{Diff: work().Diff}); len(got.Findings) != 0 {
		t.Errorf("without a task: %v", got.Findings)
	}
}

func TestTextIsTheSameWhateverTheModelWrites(t *testing.T) {
	t.Parallel()
	one := read(t, clean(map[string]m{"idempotency": {"reason": "a retry sends two", "quote": "send_invoice(total)", "value": "broken"}}, nil), work())
	two := read(t, clean(map[string]m{"idempotency": {"reason": "sends again when called again", "quote": "send_invoice(", "value": "broken"}}, nil), work())
	if one.Findings[0].Finding() != two.Findings[0].Finding() {
		t.Errorf("%q and %q are two findings", one.Findings[0].Finding(), two.Findings[0].Finding())
	}
}

func TestTooManyFindingsAreCut(t *testing.T) {
	t.Parallel()
	var list []m
	for range 30 {
		list = append(list, m{"what": "x", "quote": "send_invoice(total)"})
	}
	if got := read(t, clean(nil, m{"unasked": list, "summary": strings.Repeat("long ", 2000)}), work()); len(got.Findings) != leaf.MaxFindings || len(got.Columns["judge_reasoning"].(string)) > 2000 {
		t.Errorf("%d findings, %d bytes of reasoning", len(got.Findings), len(got.Columns["judge_reasoning"].(string)))
	}
}

func TestTheGuideNamesEveryLeafOfTheSchema(t *testing.T) {
	t.Parallel()
	var s struct {
		Properties struct {
			Leaves struct {
				Required []string
			}
		}
	}
	if err := json.Unmarshal([]byte(leaf.Schema()), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Properties.Leaves.Required) != 13 {
		t.Errorf("%d leaves", len(s.Properties.Leaves.Required))
	}
	for _, key := range s.Properties.Leaves.Required {
		if !strings.Contains(leaf.Guide(), "- "+key+" (") {
			t.Errorf("the guide does not name %s", key)
		}
	}
}
