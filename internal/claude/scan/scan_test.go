package scan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

// documents covers every production of the grammar, and near misses of each.
var documents = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `nulll`, `truth`, `0`, `-0`, `01`, `-`, `1.`, `.1`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `1.e1`, `+1`, `-1`,
	`""`, `"a`, `"a"b`, `"\"`, `"\\"`, `"\\\"`, `"\u00e9"`, `"\u00g9"`, `"\u00e`, `"\x"`, "\"\n\"", "\"\t\"", "\"\x00\"", "\"\x7f\"", "\"\xff\"", "\"\xe2\x82\"", `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2`, `[`, `]`, `[]]`, `[[[]]]`, `[[[]]`, `[}`, `{]`, `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1,"b":[1,{"c":null}]}`, `{"a":1}x`, `{"a":1} {}`,
	`{"\ud800":1}`, " \t\r\n{} ", "\v{}", "\u00a0{}", "\ufeff{}", `[1,"a\nb",true,false,null,-1.5e-3,{"x":[]}]`,
	`{"a":"` + strings.Repeat("x\\n\\\"y", 20) + `"}`, `"12345678"`, `"1234567`, `"1234567\"`, "\"1234567\x1f\"", "\"éééééééé\"",
}

func FuzzValueAgreesWithEncodingJSON(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end, err := scan.Value(data, 0, 0)
		ok := err == nil && scan.Space(data, end) == len(data)
		if want := json.Valid(data); ok != want {
			t.Fatalf("Value(%q) = %d, %v; encoding/json says valid = %v", data, end, err, want)
		}
		if end < 0 || end > len(data) {
			t.Fatalf("Value(%q) = %d, outside of the data", data, end)
		}
		if !ok {
			return
		}
		raw := bytes.TrimSpace(data)
		compareText(t, raw)
		compareMembers(t, raw)
		compareElements(t, raw)
	})
}

func compareText(t *testing.T, raw []byte) {
	var want string
	if raw[0] != '"' || json.Unmarshal(raw, &want) != nil {
		return
	}
	if got := scan.Unquote(raw); got != want {
		t.Fatalf("Unquote(%q) = %q, want %q", raw, got, want)
	}
	if !scan.Equal(raw, want) && strings.ToValidUTF8(string(raw), "") == string(raw) {
		t.Fatalf("Equal(%q, %q) = false", raw, want)
	}
}

func compareMembers(t *testing.T, raw []byte) {
	if raw[0] != '{' {
		return
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("Unmarshal(%q): %v", raw, err)
	}
	strict, ok := scan.Object(raw, 0, 0)
	loose := scan.Members(raw)
	for kind, w := range map[string]*scan.Walker{"strict": &strict, "loose": &loose} {
		got := map[string]json.RawMessage{}
		for name, value, more := w.Next(); more; name, value, more = w.Next() {
			got[scan.Unquote(name)] = value
		}
		if end, err := w.End(); !ok || err != nil || end != len(raw) {
			t.Fatalf("%s walk over %q: ends at %d, %v, object = %v", kind, raw, end, err, ok)
		}
		if len(got) != len(want) {
			t.Fatalf("%s walk over %q: %d members, want %d", kind, raw, len(got), len(want))
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Fatalf("%s walk over %q: %q is %q, want %q", kind, raw, name, got[name], value)
			}
		}
	}
}

func compareElements(t *testing.T, raw []byte) {
	if raw[0] != '[' {
		return
	}
	var want []json.RawMessage
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("Unmarshal(%q): %v", raw, err)
	}
	strict, _ := scan.Array(raw, 0, 0)
	loose := scan.Elements(raw)
	for kind, w := range map[string]*scan.Walker{"strict": &strict, "loose": &loose} {
		for i, value := range want {
			if _, got, ok := w.Next(); !ok || !bytes.Equal(got, value) {
				t.Fatalf("%s walk over %q: element %d is %q, want %q", kind, raw, i, got, value)
			}
		}
		if _, got, ok := w.Next(); ok {
			t.Fatalf("%s walk over %q: has %q past its end", kind, raw, got)
		}
	}
}

// A loose walk is made for checked JSON. On anything else it may say anything, but must hand out what its callers index.
func FuzzLooseWalkNeverPanics(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Add([]byte(`{"a":}`))
	f.Add([]byte(`[,,]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, w := range []scan.Walker{scan.Members(data), scan.Elements(data)} {
			for name, value, ok := w.Next(); ok; name, value, ok = w.Next() {
				if len(value) == 0 || value[0] == '"' && (len(value) < 2 || value[len(value)-1] != '"') {
					t.Fatalf("walk over %q hands out %q", data, value)
				}
				if name != nil {
					scan.Unquote(name)
				}
				if value[0] == '"' {
					scan.Unquote(value)
				}
				scan.Int(value)
			}
		}
		if got := scan.Decode(data); !json.Valid(data) && strings.ToValidUTF8(got, "") != got {
			t.Fatalf("Decode(%q) = %q, not UTF-8", data, got)
		}
	})
}

func TestNestingBoundIsThatOfEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{63, 64, 65, 128, 129, scan.MaxDepth - 1, scan.MaxDepth, scan.MaxDepth + 1} {
		for name, open := range map[string]string{"arrays": "[", "objects": `{"a":`, "mixed": `[{"a":`} {
			n := depth / (1 + strings.Count(open, "[{"))
			doc := strings.Repeat(open, n) + "1"
			for range n {
				for _, c := range []byte{'{', '['} {
					if strings.IndexByte(open, c) >= 0 {
						doc += string(rune(c + 2))
					}
				}
			}
			_, err := scan.Value([]byte(doc), 0, 0)
			if want := json.Valid([]byte(doc)); (err == nil) != want {
				t.Errorf("%s %d deep: %v, encoding/json says valid = %v", name, depth, err, want)
			}
			if depth > scan.MaxDepth && name != "mixed" && !errors.Is(err, scan.ErrDepth) {
				t.Errorf("%s %d deep: %v, want ErrDepth", name, depth, err)
			}
		}
	}
	deep := bytes.Repeat([]byte("["), 60<<20)
	if _, err := scan.Value(deep, 0, 0); !errors.Is(err, scan.ErrDepth) {
		t.Errorf("60 MB of brackets: %v, want ErrDepth", err)
	}
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]struct {
		offset int
		err    error
	}{
		`{"a":x}`:       {5, scan.ErrSyntax},
		`{"a":1,}`:      {7, scan.ErrSyntax},
		`{"a":"b`:       {7, scan.ErrTruncated},
		`{"a":tru`:      {8, scan.ErrTruncated},
		`[1,2`:          {4, scan.ErrTruncated},
		`"\u12`:         {5, scan.ErrTruncated},
		"[\"a\x01b\"]":  {3, scan.ErrSyntax},
		`{"a":1 "b":2}`: {7, scan.ErrSyntax},
	} {
		if end, err := scan.Value([]byte(doc), 0, 0); end != want.offset || err != want.err {
			t.Errorf("Value(%q) = %d, %v; want %d, %v", doc, end, err, want.offset, want.err)
		}
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]int64{
		"0": 0, "-0": 0, "47": 47, "-12": -12, "1e3": 1000, "1.9": 1, "-1.9": -1, "9223372036854775807": math.MaxInt64,
		"9223372036854775808": math.MaxInt64, "-1e400": math.MinInt64, "1e400": math.MaxInt64, "123456789012345678": 123456789012345678,
	} {
		if got, ok := scan.Int([]byte(literal)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v; want %d", literal, got, ok, want)
		}
	}
	for _, literal := range []string{"", `"1"`, "null", "true", "[1]", "-", "{}"} {
		if got, ok := scan.Int([]byte(literal)); ok {
			t.Errorf("Int(%s) = %d, want no number", literal, got)
		}
	}
}

func TestDecodeDropsCutEscapes(t *testing.T) {
	t.Parallel()
	for piece, want := range map[string]string{`ab\`: "ab", `ab\u12`: "ab", `\u00e9\ud83d`: "é\ufffd", `a\qb`: "aqb", "a\\é": "aé"} {
		if got := scan.Decode([]byte(piece)); got != want {
			t.Errorf("Decode(%q) = %q, want %q", piece, got, want)
		}
	}
}
