package yaml_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint/compile/yaml"
)

func TestHonestTexts(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"", "\n\n", "# only a comment\n", "a: 1\nb: 2\n", "\xef\xbb\xbfa: 1\n", "a: 1\r\nb:\r\n  - c\r\n",
		"---\na: 1\n---\na: 2\n...\n---\na: 3\n", "%YAML 1.2\n---\na: 1\n", "--- # one\na: 1\n--- |\n  text: a: b\n--- {a: 1}\n",
		"a: |\n  x: y: z\n\tb\n   \n  {[\nb: >-\n  c: d\n\n  e\nc: 1\n", "a:\n  - |\n    x: y\n  - b\n", "- |+\n text\n- 2\n",
		"a:\n- b: 1\n  c: 2\n- b: 1\nd:\n  - e\n", "- - 1\n  - 2\n- - 3\n", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
		"x: &a\n  k: v\ny:\n  <<: *a\n  <<: *b\nz: !!map\n  k: v\nw: !Ref Name\nv: &b !tag\n  - 1\n",
		"a: \"x: y\"\nb: 'it''s: fine'\nc: \"say \\\"hi\\\": {\"\n", "a: \"two\n  lines: here\"\nb: 'and\n\n  three'\n", "a: two\n  lines\nb: 1\n",
		"a: {b: 1, c: [1, 2]}\nb: [1,\n  2, {x: y},\n]\nc: {\n  \"q\": 'r', # s}\n  t: u}\n", "a: [it's, don't]\n", "a: http://x.y/z#frag\nb: 12:30\nc: a:b\nd: ::\n",
		"\"a\": 1\n'b': 2\na b: 3\n? complex\n: 4\na: 5\na: 6\n", "1: a\n\"1\": b\n", "key:   value   # comment: x\n", "on:\n  push:\n    branches: [ main ]\nenv:\n  X: ${{ secrets.X }}\n",
		"- name: x\n  run: |\n    echo a: b\n    cat <<E\n  \tE\n- name: y\n", "- a\n-\n  b: c\n-\n  - d\n", "a:\n  # comment\n# another\n  b: 1\n", "a: b\n\t\n\t# tab before a comment\nc: d\n",
		"a: *x\nb: - not a list\nc: @\n"[:5], "plain\ntext\n", "- &a x\n- *a\n", "{a: 1}\n", "[a, b]\n", "a: |2\n    x\n  y: z\n",
	} {
		if r := yaml.Check([]byte(src)); r.Problem != "" || r.Template {
			t.Errorf("%q: %+v, want nothing", src, r)
		}
	}
}

func TestTemplatesAreToldApart(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"{{- if .Values.x }}\na: 1\n{{- end }}\n", "a: 1\n  {{- toYaml . | nindent 2 }}\n", "{% if x %}\na: 1\n{% endif %}\n", "name: {{ .Release.Name }}\nname: b\n",
		"a: 1\na: 2\n{{- end }}\n", "- {{ x }}\n", "<% if x %>\na: 1\n",
	} {
		if r := yaml.Check([]byte(src)); !r.Template {
			t.Errorf("%q: %+v, want a template", src, r)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		line int
		text string
	}{
		{"a: 1\nb: 2\na: 3\n", 3, "twice"},
		{"a:\n  b: 1\n  c: 2\n  b: 3\n", 4, "twice"},
		{"- a: 1\n  a: 2\n", 2, "twice"},
		{"x: 1\n---\na: 1\n\"q\": 2\n\"q\": 3\n", 5, "twice"},
		{"a:\n\tb: 1\n", 2, "tab"},
		{"a:\n  b: 1\n \tc: 2\n", 3, "tab"},
		{"a:\n\t- b\n", 2, "tab"},
		{"a: b: c\n", 1, "second"},
		{"run: echo: x\n", 1, "second"},
		{"a: b\n  c: d\n", 2, "inside of a value"},
		{"a:\n    b: 1\n  c: 2\n", 3, "depth"},
		{"  a: 1\nb: 2\n", 2, "depth"},
		{"a: 1\nb\nc: 2\n", 2, "neither"},
		{"a: 1\n- b\n", 2, "list item"},
		{"a: [1, 2\nb: 3\n", 1, "never closed"},
		{"a: \"x\nb: 3\n", 1, "never closed"},
		{"a: 'x\n---\nb: 1\n", 1, "never closed"},
		{"a: [1}\n", 1, "closes nothing"},
		{"a: \"x\" y\n", 1, "behind"},
		{"a: |x\n  b\n", 1, "sign of a block"},
		{"a: @x\n", 1, "may not begin"},
		{"a: 1\r\n\tb: 2\r\n", 2, "tab"},
		{"<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", 3, "neither"},
	} {
		r := yaml.Check([]byte(tt.src))
		if r.Line != tt.line || !strings.Contains(r.Problem, tt.text) {
			t.Errorf("%q: %+v, want %q on line %d", tt.src, r, tt.text, tt.line)
		}
	}
}

// A text in which everything opens and nothing closes costs time in proportion to its length.
func TestDeepTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"[", "{", "- ", "\"", "a: {", "? ", "&a ", "'", "|\n", "!", " a:\n"} {
		yaml.Check([]byte(strings.Repeat(s, 1<<20/len(s))))
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, 'y']\n", "- |\n x\n", "a: \"b\n c\"\n", "--- {a\n", "{{ x }}", "\ta: b", "? a\n: b", "a: &x !y |2-\n  z\n", "%x\n..."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r := yaml.Check([]byte(src))
		if r.Problem != "" && (r.Line < 1 || r.Line > strings.Count(src, "\n")+1) {
			t.Errorf("%q: line %d", src, r.Line)
		}
	})
}
