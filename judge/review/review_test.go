package review_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/review"
)

const (
	strongTest = "from shop import total\n\n\ndef test_total():\n    assert total([]) == 0\n    assert total([1, 2]) == 3\n"
	weakTest   = "from shop import total\n\n\ndef test_total():\n    assert total([]) == 0\n    assert total([1, 2]) is not None\n"
	waived     = "[[waiver]]\nrule = \"assertion-weakened\"\npath = \"test_*.py\"\nreason = \"the exact sum moved elsewhere\"\nexpires = \"9999-12-31\"\n"
)

func run(t *testing.T, o review.Options) review.Report {
	t.Helper()
	o.Panel = judge.Panel{Examiners: evidence.ByHand()}
	r, err := review.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func repo(t *testing.T, files map[string]string) gitrepo.Repo {
	r := gitrepo.New(t, t.TempDir(), "feat/x")
	for path, text := range files {
		r.Write(path, text)
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "one")
	return r
}

func TestWaiversLowerAndShowThemselves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string // of the waiver file
		outcome             judge.Outcome
		says                string
	}{
		{"none", "", "", judge.Fail, "asks for less than before"},
		{"one holds", waived, waived, judge.Warn, "(waived until 9999-12-31: the exact sum moved elsewhere)"},
		{"it has ended", strings.Replace(waived, "9999", "2001", 1), strings.Replace(waived, "9999", "2001", 1), judge.Fail, "(its waiver ended on 2001-12-31)"},
		{"it comes with the change", "", waived, judge.Fail, "this change edits .devflow-waivers.toml"},
		{"it is widened by the change", strings.Replace(waived, "test_*.py", "other/**", 1), waived, judge.Fail, "this change edits .devflow-waivers.toml"},
		{"it cannot be read", "[[waiver]", "[[waiver]", judge.Fail, ".devflow-waivers.toml cannot be read: no waiver holds"},
		{"it is half", "[[waiver]]\nrule = \"assertion-weakened\"\n", "[[waiver]]\nrule = \"assertion-weakened\"\n", judge.Fail, "waiver 1 does not hold"},
	} {
		files := map[string]string{"test_shop.py": strongTest, "shop.py": "def total(items):\n    return sum(items)\n"}
		if tt.before != "" {
			files[".devflow-waivers.toml"] = tt.before
		}
		r := repo(t, files)
		r.Write("test_shop.py", weakTest)
		if tt.after != tt.before {
			r.Write(".devflow-waivers.toml", tt.after)
		}
		report := run(t, review.Options{Dir: r.Dir})
		var b bytes.Buffer
		if err := report.Text(&b, review.Look{}); err != nil {
			t.Fatal(err)
		}
		if report.Outcome != tt.outcome || !strings.Contains(b.String(), tt.says) {
			t.Errorf("%s: %s, want %s with %q:\n%s", tt.name, report.Outcome, tt.outcome, tt.says, b.String())
		}
	}
}

func TestErrorsSayWhatHelps(t *testing.T) {
	t.Parallel()
	r := repo(t, map[string]string{"a.py": "x = 1\n"})
	for _, tt := range []struct {
		o    review.Options
		want error
	}{
		{review.Options{Dir: t.TempDir()}, gitx.ErrNoRepo},
		{review.Options{Dir: r.Dir, Base: "nosuch"}, gitx.ErrNoRev},
		{review.Options{Dir: r.Dir, Base: "HEAD:a.py"}, gitx.ErrNoRev},
	} {
		if _, err := review.Run(t.Context(), tt.o); !errors.Is(err, tt.want) || review.Hint(err) == "" {
			t.Errorf("%+v: %v, hint %q", tt.o, err, review.Hint(err))
		}
	}
	if review.Hint(os.ErrNotExist) != "" {
		t.Error("a hint for any error")
	}
}

// findings are one of every kind, with what could spoil an output.
func findings() review.Report {
	return review.Report{Files: 5, Read: 5, Base: "main", Verdict: judge.Verdict{Outcome: judge.Fail, Reasons: []judge.Reason{
		{Prefix: "test", Rule: "assertion-weakened", Axis: "test_integrity", Class: judge.Hard, File: "tests/a b/тест#1.py", Line: 12, Unit: "test_x", Text: "test_x: " + strings.Repeat("long words ", 12), Evidence: "\tassert x\x1b[31m == " + strings.Repeat("y", 90), Fix: "ask again"},
		{Prefix: "sec", Rule: "secret-hardcoded", Axis: "security", Class: judge.Hard, File: "c:d.py", Line: 3, Text: "a credential is written down", Evidence: "two\nlines"},
		{Prefix: "judge", Class: judge.Blind, Text: "could not judge: nothing could be read"},
		{Prefix: "honesty", Rule: "stub-marker", Axis: "implementation_honesty", Class: judge.Soft, File: "x.py", Line: 2, Gone: true, Text: "gone", Evidence: "gone"},
		{Prefix: "gate", Rule: "lint-suppressed", Axis: "gate_integrity", Class: judge.Soft, File: "y.py", Text: "a file as a whole", Waived: true},
		{Prefix: "qa", Class: judge.Note, Text: "a note"},
	}}}
}

func TestSARIFIsWhatCodeScanningTakes(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.Compile(filepath.Join("testdata", "code-scanning.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]review.Report{"findings": findings(), "nothing": {Verdict: judge.Verdict{Outcome: judge.Pass}}} {
		var b bytes.Buffer
		if err := r.SARIF(&b, "dev", evidence.Rules()); err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID, Level string
					Prints        map[string]string `json:"partialFingerprints"`
					Suppressions  []any
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		rules, prints := map[string]bool{}, map[string]bool{}
		for _, x := range log.Runs[0].Tool.Driver.Rules {
			if rules[x.ID] {
				t.Errorf("%s: rule %s is described twice", name, x.ID)
			}
			rules[x.ID] = true
		}
		for _, x := range log.Runs[0].Results {
			if !rules[x.RuleID] {
				t.Errorf("%s: rule %s is not described", name, x.RuleID)
			}
			if prints[x.Prints["finding/v1"]] {
				t.Errorf("%s: fingerprint of %s is used twice", name, x.RuleID)
			}
			prints[x.Prints["finding/v1"]] = true
			if (len(x.Suppressions) > 0) != (x.RuleID == "lint-suppressed") {
				t.Errorf("%s: suppressions of %s: %v", name, x.RuleID, x.Suppressions)
			}
		}
		if len(log.Runs[0].Results) != len(r.Reasons) {
			t.Errorf("%s: %d results of %d reasons", name, len(log.Runs[0].Results), len(r.Reasons))
		}
	}
}

func TestJSONHoldsEveryFinding(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := findings().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Verdict  string
		Axes     map[string]string
		Findings []struct {
			Level, Text string
			Line        int
			Waived      bool
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	levels := ""
	for _, f := range got.Findings {
		levels += f.Level + " "
	}
	if got.Verdict != "FAIL" || len(got.Axes) != 11 || got.Axes["security"] != "FAIL" || got.Axes["tdd"] != "PASS" || got.Axes["gate_integrity"] != "WARN" ||
		levels != "FAIL FAIL COULD_NOT_JUDGE WARN WARN NOTE " || !got.Findings[4].Waived {
		t.Errorf("got %+v", got)
	}
}
