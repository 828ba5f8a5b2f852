package answer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/answer"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	res := gate.Result{
		Verdict: gate.Deny,
		Steps:   []gate.Step{{Name: "verdict", Status: gate.OK, Text: "PASS"}, {Name: "tests", Status: gate.Fail, MS: 1500, Text: "2 failed\ntest_a\ntest_b"}},
		Refs:    []gate.Ref{{Remote: "origin", Name: "refs/heads/main", Protected: true}},
	}
	var b strings.Builder
	if err := answer.Write(&b, gate.Request{}, res); err != nil {
		t.Fatal(err)
	}
	want := `verdict          ok             PASS
tests            fail    1.5 s  2 failed
                                 test_a
                                 test_b
note: main is a protected branch: an agent's push of it is refused
refused: origin main
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := answer.Log(&b, "/home/me/app", nil); err != nil || b.String() != "no push was looked at in /home/me/app\n" {
		t.Errorf("empty: %q, %v", b.String(), err)
	}
	b.Reset()
	list := []pushes.Push{{At: time.UnixMilli(0), Verdict: gate.Deny, Ref: "refs/heads/x", Tests: "run 3 s", TookMS: 2300, Steps: []gate.Step{{Name: "tests", Status: gate.Fail, Text: "2 failed\nmore"}}}}
	if err := answer.Log(&b, "/home/me/app", list); err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(b.String(), "\n")
	for _, want := range []string{"-       x    run    2.3      tests: 2 failed"} {
		if !strings.Contains(row, want) {
			t.Errorf("row %q does not hold %q", row, want)
		}
	}
}
