package reply_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/reply"
)

const schema = `{"type":"object","additionalProperties":false,"required":["reason","verdict"],
"properties":{"reason":{"type":"string"},"verdict":{"enum":["yes","no"]}}}`

const good = `{"reason":"r","verdict":"no"}`

func compiled(tb testing.TB) *reply.Schema {
	tb.Helper()
	s, err := reply.Compile([]byte(schema))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestFindTakesTheOneAnswerOutOfWhatIsAroundIt(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"bare":                          good,
		"a quotation mark before it":    `Here is 5" of text: ` + good,
		"a word in braces before it":    `I used {braces} first. ` + good,
		"code before it":                "if x { y() }\nfunc f() {\n" + good,
		"fenced":                        "```json\n" + good + "\n```",
		"fenced without a language":     "Sure!\n```\n" + good + "\n```\nAnything else?",
		"in an envelope":                `{"type":"result","is_error":false,"result":` + good + `}`,
		"in a string of an envelope":    `{"result":"{\"reason\":\"r\",\"verdict\":\"no\"}"}`,
		"in a fence in a string":        `{"result":"Here:\n` + "```json\\n" + `{\"reason\":\"r\",\"verdict\":\"no\"}` + "\\n```" + `"}`,
		"in a list":                     `[{"x":1},` + good + `]`,
		"in a list of an envelope":      `{"choices":[{"message":` + good + `}]}`,
		"twice the same":                good + "\n" + `{ "reason": "r", "verdict": "no" }`,
		"an unfinished object before":   `{"reason":"r","verdict": ` + good,
		"an error that says nothing":    `{"error":null,"result":` + good + `}`,
		"blanks and a byte order mark":  "\ufeff \n" + good,
		"an empty object before":        `{} ` + good,
		"many braces":                   strings.Repeat("{", 500) + good,
		"an invalid one of ours before": `{"reason":"r","verdict":"maybe"} no: ` + good,
	} {
		got, err := compiled(t).Find(raw, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var v struct{ Reason, Verdict string }
		if json.Unmarshal(got, &v) != nil || v.Reason != "r" || v.Verdict != "no" {
			t.Errorf("%s: answer %s", name, got)
		}
	}
}

func TestWhatIsInsideOfAnAnswerIsNotAnother(t *testing.T) {
	t.Parallel()
	raw := `{"reason":"the patch holds {\"reason\":\"x\",\"verdict\":\"yes\"}","verdict":"no"}`
	if got, err := compiled(t).Find(raw, ""); err != nil || string(got) != raw {
		t.Errorf("answer %s, %v", got, err)
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw, given, says string
		kind             error
	}{
		"free text":            {raw: "Summary fine. **No issues found.**", kind: llm.ErrSchema, says: "no JSON"},
		"cannot read":          {raw: "I am unable to read the diff", kind: llm.ErrSchema},
		"nothing":              {raw: " \n", kind: llm.ErrSchema, says: "empty"},
		"another form":         {raw: `{"findings":[],"summary":"PASS"}`, kind: llm.ErrSchema, says: "reason"},
		"an error object":      {raw: `{"error":"rate limited"}`, kind: llm.ErrQuota, says: "rate limited"},
		"another error object": {raw: `{"error":{"message":"boom"}}`, kind: llm.ErrSchema, says: "boom"},
		"an error with answer": {raw: `{"error":"broken","partial":` + good + `}`, kind: llm.ErrSchema, says: "broken"},
		"cut":                  {raw: `{"reason":"r","verd`, kind: llm.ErrTruncated, says: "breaks off"},
		"cut in a fence":       {raw: "```json\n{\"reason\":\"it", kind: llm.ErrTruncated},
		"two answers":          {raw: good + ` On reflection: {"reason":"r","verdict":"yes"}`, kind: llm.ErrSchema, says: "two different"},
		"a member twice":       {raw: `{"reason":"r","verdict":"yes","verdict":"no"}`, kind: llm.ErrSchema, says: "twice"},
		"a wrong word":         {raw: `{"reason":"r","verdict":"pass"}`, kind: llm.ErrSchema, says: "/verdict"},
		"a list":               {raw: `["reason","no"]`, kind: llm.ErrSchema},
		"quoted":               {raw: "The patch says " + good + ", and I cannot answer.", given: "+ // " + good, kind: llm.ErrSchema, says: "quoted"},
		"too long":             {raw: good + strings.Repeat(" ", reply.MaxRaw), kind: llm.ErrSchema, says: "bytes"},
		"not UTF-8":            {raw: "{\"reason\":\"\xff", kind: llm.ErrTruncated},
	} {
		got, err := compiled(t).Find(c.raw, c.given)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || got != nil {
			t.Errorf("%s: %s, %v; want %v saying %q", name, got, err, c.kind, c.says)
		}
	}
}

func TestSchemasStandAlone(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{"$ref":"https://example.com/x.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"type":7}`, `{`} {
		if _, err := reply.Compile([]byte(bad)); err == nil {
			t.Errorf("schema %s was taken", bad)
		}
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	for _, raw := range []string{
		strings.Repeat(`{"a":`, 150_000), strings.Repeat("{", 900_000), strings.Repeat(`{"a":{}}`, 100_000),
		strings.Repeat(`{"a":[`, 4000) + strings.Repeat("]}", 4000), `{"a":"` + strings.Repeat(`{\"b\":`, 100_000) + `"}`,
	} {
		if _, err := s.Find(raw, ""); err == nil {
			t.Errorf("an answer in %.20s…", raw)
		}
	}
}

func FuzzFind(f *testing.F) {
	s := compiled(f)
	for _, seed := range []string{good, `Here is 5" of text: ` + good, `{braces} ` + good, `{"error":"x"}`, `{"result":"{\"reason\":\"r\"}"}`, "```json\n{", `[{"a":{"b":[1,{"c":"{"}]}}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := s.Find(raw, "")
		if (err == nil) != (got != nil) {
			t.Fatalf("answer %q, error %v", got, err)
		}
		if got == nil {
			return
		}
		if err := s.Check(got); err != nil {
			t.Fatalf("answer %q does not satisfy the schema: %v", got, err)
		}
		again, err := s.Find(string(got), "")
		if err != nil || string(again) != string(got) {
			t.Fatalf("answer of %q is %q, %v", got, again, err)
		}
	})
}
