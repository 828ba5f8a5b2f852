package splice_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install/splice"
)

func group(name string) splice.Value {
	return splice.Obj(splice.Named("name", splice.Literal(splice.Quote(name))))
}

func TestAppendFollowsTheLayoutOfItsNeighbours(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"two spaces", "{\n  \"list\": [\n    {\n      \"name\": \"a\"\n    }\n  ]\n}\n",
			"{\n  \"list\": [\n    {\n      \"name\": \"a\"\n    },\n    {\n      \"name\": \"x\"\n    }\n  ]\n}\n"},
		{"tabs", "{\n\t\"list\": [\n\t\t1\n\t]\n}", "{\n\t\"list\": [\n\t\t1,\n\t\t{\n\t\t\t\"name\": \"x\"\n\t\t}\n\t]\n}"},
		{"compact", `{"list":[{"name":"a"}]}`, `{"list":[{"name":"a"},{"name":"x"}]}`},
		{"one line with blanks", `{ "list": [ 1 ] }`, `{ "list": [ 1, {"name": "x"} ] }`},
		{"crlf", "{\r\n    \"list\": [\r\n        1\r\n    ]\r\n}", "{\r\n    \"list\": [\r\n        1,\r\n        {\r\n            \"name\": \"x\"\r\n        }\r\n    ]\r\n}"},
		{"hugging brackets", "{\n  \"list\": [{\n    \"name\": \"a\"\n  }]\n}", "{\n  \"list\": [{\n    \"name\": \"a\"\n  }, {\n    \"name\": \"x\"\n  }]\n}"},
		{"empty", "{\n  \"list\": []\n}", "{\n  \"list\": [\n    {\n      \"name\": \"x\"\n    }\n  ]\n}"},
		{"empty over two lines", "{\n  \"list\": [\n  ]\n}", "{\n  \"list\": [\n    {\n      \"name\": \"x\"\n    }\n  ]\n}"},
		{"empty in compact text", `{"list":[]}`, `{"list":[{"name":"x"}]}`},
		{"byte-order mark", "\xef\xbb\xbf{\"list\":[1]}", "\xef\xbb\xbf{\"list\":[1,{\"name\":\"x\"}]}"},
		{"no indentation", "{\n\"list\": [\n1\n]\n}", "{\n\"list\": [\n1,\n{\n\"name\": \"x\"\n}\n]\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, err := splice.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			edits := []splice.Edit{doc.Append(doc.Root.Value("list"), []splice.Value{group("x")})}
			got, err := splice.Apply(doc.Data, edits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
			back, err := splice.Apply(got, splice.Inverse(edits))
			if err != nil || string(back) != tt.in {
				t.Errorf("Inverse = %q, %v, want the text from before", back, err)
			}
		})
	}
}

func TestRemoveTakesOneSeparatorPerRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		drop map[int]bool
		want string
	}{
		{"last", "[1, 2, 3]", map[int]bool{2: true}, "[1, 2]"},
		{"first", "[ 1 , 2 ]", map[int]bool{0: true}, "[ 2 ]"},
		{"middle run", "[1,\n 2,\n 3,\n 4]", map[int]bool{1: true, 2: true}, "[1,\n 4]"},
		{"two runs", "[1,2,3,4,5]", map[int]bool{0: true, 3: true}, "[2,3,5]"},
		{"all", "[ 1, 2 ]", map[int]bool{0: true, 1: true}, "[]"},
		{"none", "[ 1, 2 ]", nil, "[ 1, 2 ]"},
		{"member", `{"a": 1, "b": {"c": 2}}`, map[int]bool{1: true}, `{"a": 1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, err := splice.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			whole := "[]"
			got, err := splice.Apply(doc.Data, doc.Remove(doc.Root, func(i int) bool { return tt.drop[i] }, whole))
			if err != nil || string(got) != tt.want {
				t.Errorf("Remove(%s) = %q, %v, want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestApplyRefusesEditsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]splice.Edit{
		"other text": {{At: 0, Removed: "x"}},
		"overlap":    {{At: 0, Removed: "ab"}, {At: 1, Removed: "b"}},
		"outside":    {{At: 9}},
	} {
		if got, err := splice.Apply([]byte("abc"), edits); err == nil {
			t.Errorf("%s: Apply = %q, want an error", name, got)
		}
	}
}

func TestQuoteEscapesOnlyWhatJSONDemands(t *testing.T) {
	t.Parallel()
	in := "a && b <c> ü \"q\" \\ \x01\n\t\r"
	want := `"a && b <c> ü \"q\" \\ \u0001\n\t\r"`
	got := splice.Quote(in)
	if got != want {
		t.Errorf("Quote(%q) = %s, want %s", in, got, want)
	}
	var back string
	if err := json.Unmarshal([]byte(got), &back); err != nil || back != in {
		t.Errorf("decoded = %q, %v, want %q", back, err, in)
	}
}

func FuzzAppendThenInverse(f *testing.F) {
	for _, s := range []string{"", "{}", "[]", "[ ]", "{\"a\":1}", "{\n\t\"a\" : [\n]\n}", "\xef\xbb\xbf[1,\r\n2]", "[[],{}]", "nul", "{\"a\":1,}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := splice.Parse(data)
		if err != nil || doc.Root == nil {
			return
		}
		child := group("x")
		switch {
		case len(data) == 0:
			return
		case doc.Root.Kind.String() == "object":
			child = splice.Named("new key", child)
		case doc.Root.Kind.String() != "array":
			return
		}
		edits := []splice.Edit{doc.Append(doc.Root, []splice.Value{child, child})}
		out, err := splice.Apply(data, edits)
		if err != nil {
			t.Fatal(err)
		}
		again, err := splice.Parse(out)
		if err != nil {
			t.Fatalf("Append made %q of %q: %v", out, data, err)
		}
		n := len(doc.Root.Items) + len(doc.Root.Members)
		if m := len(again.Root.Items) + len(again.Root.Members); m != n+2 {
			t.Fatalf("Append made %d children of %d", m, n)
		}
		if back, err := splice.Apply(out, splice.Inverse(edits)); err != nil || string(back) != string(data) {
			t.Fatalf("Inverse = %q, %v, want %q", back, err, data)
		}
		if n == 0 {
			return
		}
		cut, err := splice.Apply(out, again.Remove(again.Root, func(i int) bool { return i >= n }, "[]"))
		if err != nil || string(cut) != string(data) {
			t.Fatalf("Remove of what Append made = %q, %v, want %q", cut, err, data)
		}
	})
}
