package span_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude/span"
)

func TestParseKnowsEveryOffset(t *testing.T) {
	t.Parallel()
	data := []byte("\ufeff {\n  \"a\\u0062\" : [ 1.5 , \"x\\n\" ],\"c\":{},\"c\":null , \"d\" :true}\r\n")
	root, err := span.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	text := func(n *span.Node) string { return string(data[n.Start:n.End]) }
	if got := text(root); got != strings.TrimSpace(string(data[3:])) {
		t.Errorf("root is %q", got)
	}
	type row struct{ Key, Name, Value, Text, Kind string }
	var got []row
	for _, m := range root.Members {
		got = append(got, row{m.Key, string(data[m.KeyStart:m.KeyEnd]), text(m.Value), m.Value.Text, m.Value.Kind.String()})
	}
	for _, n := range root.Value("ab").Items {
		got = append(got, row{"", "", text(n), n.Text, n.Kind.String()})
	}
	want := []row{
		{"ab", `"a\u0062"`, `[ 1.5 , "x\n" ]`, "", "array"},
		{"c", `"c"`, "{}", "", "object"},
		{"c", `"c"`, "null", "null", "null"},
		{"d", `"d"`, "true", "true", "boolean"},
		{"", "", "1.5", "1.5", "number"},
		{"", "", `"x\n"`, "x\n", "string"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if v := root.Value("c"); v.Kind != span.Null {
		t.Errorf("the last c counts, got %s", v.Kind)
	}
	if diff := cmp.Diff([]string{"c"}, root.Duplicates()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if root.Get("nope") != nil || root.Value("d").Value("x").Get("y") != nil || root.Value("nope").Duplicates() != nil {
		t.Error("what is absent must be nil, also through absent nodes")
	}
}

func TestFaultsHavePlaceAndReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, doc, want string
		offset          int
	}{
		{"empty", "", "line 1, column 1: the file is empty", 0},
		{"only a mark", "\ufeff\n", "line 2, column 1: the file is empty", 4},
		{"trailing comma", "{\n  \"a\": 1,\n}", `line 2, column 9: trailing comma before '}'`, 10},
		{"trailing comma in an array", "[1,\n]", `line 1, column 3: trailing comma before ']'`, 2},
		{"comment", "{\n  // hi\n}", `line 2, column 3: unexpected comment (JSON has none), a name in double quotes must stand here`, 4},
		{"comment between", "[1, /* x */ 2]", `line 1, column 5: unexpected comment (JSON has none), a value must stand here`, 4},
		{"truncated", "{\"é\": [1, 2", `line 1, column 12: unexpected end of file, a comma or ']' must stand here`, 12},
		{"open string", "{\"a\": \"x\n}", `line 1, column 9: unexpected '\n' inside a string`, 8},
		{"open string at the end", "{\r\n\"a\": \"x", `line 2, column 6: string without closing quote`, 8},
		{"bad escape", `["é\x"]`, `line 1, column 5: unexpected 'x' inside a string`, 5},
		{"single quotes", "{'a':1}", `line 1, column 2: unexpected '\'', a name in double quotes must stand here`, 1},
		{"no colon", `{"a" 1}`, `line 1, column 6: unexpected '1' after a name, a colon must stand here`, 5},
		{"no comma", `{"a":1 "b":2}`, `line 1, column 8: unexpected '"', a comma or '}' must stand here`, 7},
		{"number", `[01]`, `line 1, column 3: unexpected '1', a comma or ']' must stand here`, 2},
		{"half a number", `[1.]`, `line 1, column 4: unexpected ']' inside a number`, 3},
		{"literal", `[nul]`, `line 1, column 2: unexpected 'n', a value must stand here`, 1},
		{"two documents", "{}\r{}", `line 2, column 1: unexpected '{' after the end of the document`, 3},
		{"binary", "\xff\xfe{", `line 1, column 1: unexpected byte 0xff, a value must stand here`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := span.Parse([]byte(tc.doc))
			var syntax *span.SyntaxError
			if !errors.As(err, &syntax) || err.Error() != tc.want || syntax.Offset != tc.offset {
				t.Errorf("got %v at %+v\nwant %s at %d", err, syntax, tc.want, tc.offset)
			}
		})
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"a":`} {
		for _, depth := range []int{span.MaxDepth, span.MaxDepth + 1, 1 << 20} {
			doc := strings.Repeat(open, depth) + "1" + strings.Repeat(string(rune(open[0]+2)), depth)
			_, err := span.Parse([]byte(doc))
			if want := depth <= span.MaxDepth; (err == nil) != want {
				t.Errorf("%d times %s: %v", depth, open, err)
			}
		}
	}
}

func FuzzParseAgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":1.5}]}]},"env":{"A":"b"}}`,
		"\ufeff{}", `[1,-2.5e+3,"\u00e9\ud83d\ude00",true,false,null,{"a":{"a":[]},"a":2}]`, `{"a":1,}`, "// x\n{}", "{\"\xff\":\"\xff\"}", " \r\n1", "[", "\"\\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := span.Parse(data)
		trimmed := bytes.TrimPrefix(data, []byte("\ufeff"))
		if (err == nil) != json.Valid(trimmed) {
			t.Fatalf("Parse(%q): %v, encoding/json says valid = %v", data, err, json.Valid(trimmed))
		}
		var syntax *span.SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(data) || syntax.Line < 1 || syntax.Column < 1 {
				t.Fatalf("Parse(%q): %#v", data, err)
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		compare(t, data, root, d)
	})
}

// compare walks tree and tokens side by side.
func compare(t *testing.T, data []byte, n *span.Node, d *json.Decoder) {
	t.Helper()
	raw := data[n.Start:n.End]
	tok, err := d.Token()
	if err != nil || !json.Valid(raw) || len(bytes.TrimSpace(raw)) != len(raw) {
		t.Fatalf("%q: node %q, %v", data, raw, err)
	}
	text, kind := "", span.Null
	switch v := tok.(type) {
	case json.Delim:
		if kind = span.Array; v == '{' {
			kind = span.Object
		}
		for _, m := range n.Members {
			name, err := d.Token()
			var key string
			if err != nil || name != m.Key || json.Unmarshal(data[m.KeyStart:m.KeyEnd], &key) != nil || key != m.Key {
				t.Fatalf("%q: name %q, want %v, %v", data, m.Key, name, err)
			}
			compare(t, data, m.Value, d)
		}
		for _, item := range n.Items {
			compare(t, data, item, d)
		}
		if end, err := d.Token(); err != nil || end != v+2 {
			t.Fatalf("%q: %q ends in %v, %v", data, raw, end, err)
		}
	case string:
		text, kind = v, span.String
	case json.Number:
		text, kind = v.String(), span.Number
	case bool:
		text, kind = string(raw), span.Bool
	case nil:
		text = "null"
	}
	if n.Kind != kind || n.Text != text {
		t.Fatalf("%q: node %q is %s %q, want %s %q", data, raw, n.Kind, n.Text, kind, text)
	}
}
