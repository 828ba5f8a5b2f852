package settings_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/claude/settings"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

func parse(tb testing.TB, doc string) settings.Settings {
	tb.Helper()
	s, err := settings.Parse([]byte(doc))
	if err != nil {
		tb.Fatalf("Parse(%s): %v", doc, err)
	}
	return s
}

const whole = `{
  "env": {"A": "b", "N": 5},
  "disableAllHooks": true,
  "allowManagedHooksOnly": false,
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash|Write", "hooks": [
        {"type": "command", "command": "'/x y/devflow-pre-tool-use' || exit 0", "timeout": 600, "id": "ours"},
        {"type": "command", "command": "node", "args": ["a", "b"], "if": "Bash(git *)", "shell": "bash", "async": true, "timeout": 0.5}
      ]},
      {"hooks": [{"type": "prompt", "prompt": "p"}, {"type": "http", "url": "u"}, {"type": "agent", "prompt": "p"}, {"type": "mcp_tool", "server": "s", "tool": "t"}]}
    ],
    "Stop": []
  },
  "unknown": [1]
}`

func TestParseGivesTheHooksWithTheirBytes(t *testing.T) {
	t.Parallel()
	s := parse(t, whole)
	if len(s.Problems) > 0 || !s.DisableAllHooks || s.AllowManagedHooksOnly || s.Worst() != settings.EffectNone {
		t.Errorf("got %+v", s)
	}
	if diff := cmp.Diff(map[string]string{"A": "b", "N": "5"}, s.Env); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(s.Events) != 2 || s.Events[0].Name != "PreToolUse" || s.Events[1].Name != "Stop" || len(s.Events[0].Groups) != 2 || len(s.Events[1].Groups) != 0 {
		t.Fatalf("got %+v", s.Events)
	}
	g := s.Events[0].Groups[0]
	if g.Matcher != "Bash|Write" || len(g.Handlers) != 2 {
		t.Fatalf("got %+v", g)
	}
	h := g.Handlers[0]
	if want := `{"type": "command", "command": "'/x y/devflow-pre-tool-use' || exit 0", "timeout": 600, "id": "ours"}`; whole[h.Node.Start:h.Node.End] != want {
		t.Errorf("handler is %s", whole[h.Node.Start:h.Node.End])
	}
	if h.Command != "'/x y/devflow-pre-tool-use' || exit 0" || h.Timeout != 600 || h.Exec {
		t.Errorf("got %+v", h)
	}
	if h = g.Handlers[1]; !h.Exec || !h.Async || h.If != "Bash(git *)" || h.Shell != "bash" || h.Timeout != 0.5 || strings.Join(h.Args, " ") != "a b" {
		t.Errorf("got %+v", h)
	}
	if m := s.Hooks; whole[m.KeyStart:m.KeyEnd] != `"hooks"` || whole[m.Value.End-1] != '}' {
		t.Errorf("hooks at %+v", m)
	}
}

func TestParseReportsWhatTheClientIgnores(t *testing.T) {
	t.Parallel()
	const group, handler = `{"hooks":{"Stop":[@]}}`, `{"hooks":{"Stop":[{"hooks":[@]}]}}`
	for _, tc := range []struct {
		name, frame, content string
		want                 []string // path, text
		effect               settings.Effect
	}{
		{"unknown event", "@", `{"hooks":{"Nope":[]}}`, []string{"hooks.Nope: is no event of the client"}, settings.EffectEvent},
		{"event is null", "@", `{"hooks":{"Stop":null}}`, []string{"hooks.Stop: must be an array, not null"}, settings.EffectEvent},
		{"event is an object", "@", `{"hooks":{"Stop":{}}}`, []string{"hooks.Stop: must be an array, not an object"}, settings.EffectEvent},
		{"hooks is an array", "@", `{"hooks":[]}`, []string{"hooks: must be an object, not an array"}, settings.EffectHooks},
		{"not an object", "@", `[]`, []string{": the file must hold an object, not an array"}, settings.EffectFile},
		{"permissions.allow", "@", `{"permissions":{"allow":"x"}}`, []string{"permissions.allow: must be an array, not a string"}, settings.EffectFile},
		{"cleanupPeriodDays", "@", `{"cleanupPeriodDays":"30"}`, []string{"cleanupPeriodDays: must be a number, not a string"}, settings.EffectFile},
		{"group is no object", group, `7`, []string{"hooks.Stop[0]: must be an object, not a number"}, settings.EffectFile},
		{"group without hooks", group, `{"matcher":"x"}`, []string{"hooks.Stop[0]: has no array hooks"}, settings.EffectFile},
		{"group with hooks null", group, `{"hooks":null}`, []string{"hooks.Stop[0].hooks: must be an array, not null"}, settings.EffectFile},
		{"matcher is no string", group, `{"matcher":null,"hooks":[]}`, []string{"hooks.Stop[0].matcher: must be a string, not null"}, settings.EffectFile},
		{"handler is no object", handler, `"x"`, []string{"hooks.Stop[0].hooks[0]: must be an object, not a string"}, settings.EffectFile},
		{"unknown type", handler, `{"type":"shell","command":"x"}`, []string{`hooks.Stop[0].hooks[0]: has the unknown type "shell"`}, settings.EffectFile},
		{"no type", handler, `{"command":"x"}`, []string{`hooks.Stop[0].hooks[0]: has no type`}, settings.EffectFile},
		{"no command", handler, `{"type":"command"}`, []string{`hooks.Stop[0].hooks[0]: has no command`}, settings.EffectFile},
		{"no url", handler, `{"type":"http"}`, []string{`hooks.Stop[0].hooks[0]: has no url`}, settings.EffectFile},
		{"empty command", handler, `{"type":"command","command":""}`, []string{`hooks.Stop[0].hooks[0].command: is empty and does nothing`}, settings.EffectNone},
		{"timeout zero", handler, `{"type":"command","command":"x","timeout":0}`, []string{`hooks.Stop[0].hooks[0].timeout: must be a number of seconds above 0`}, settings.EffectFile},
		{"timeout negative", handler, `{"type":"command","command":"x","timeout":-1}`, []string{`hooks.Stop[0].hooks[0].timeout: must be a number of seconds above 0`}, settings.EffectFile},
		{"timeout is a string", handler, `{"type":"command","command":"x","timeout":"5"}`, []string{`hooks.Stop[0].hooks[0].timeout: must be a number of seconds above 0`}, settings.EffectFile},
		{"unknown shell", handler, `{"type":"command","command":"x","shell":"zsh"}`, []string{`hooks.Stop[0].hooks[0].shell: must be bash or powershell`}, settings.EffectFile},
		{"args is no array", handler, `{"type":"command","command":"x","args":"a"}`, []string{`hooks.Stop[0].hooks[0].args: must be an array, not a string`}, settings.EffectFile},
		{"an argument is no string", handler, `{"type":"command","command":"x","args":["a",1]}`, []string{`hooks.Stop[0].hooks[0].args[1]: must be a string, not a number`}, settings.EffectFile},
		{"the last duplicate counts", "@", `{"hooks":[],"hooks":{"Stop":7,"Stop":[]},"hooks":{}}`, []string{"hooks: appears more than once; only the last one counts"}, settings.EffectNone},
		{"a hidden event is not judged", "@", `{"hooks":{"Stop":7,"Stop":[]}}`, []string{"hooks.Stop: appears more than once; only the last one counts"}, settings.EffectNone},
		{"extra members are fine", handler, `{"type":"command","command":"x","id":1}`, nil, settings.EffectNone},
		{"disableAllHooks is no boolean", "@", `{"disableAllHooks":"true"}`, nil, settings.EffectNone},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			doc := strings.Replace(tc.frame, "@", tc.content, 1)
			s := parse(t, doc)
			var got []string
			for _, p := range s.Problems {
				got = append(got, p.Path+": "+p.Text)
				if line, column := span.Position([]byte(doc), p.Offset); line != p.Line || column != p.Column {
					t.Errorf("%s: %d:%d is not offset %d", p.Path, p.Line, p.Column, p.Offset)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if s.Worst() != tc.effect {
				t.Errorf("worst is %d, want %d", s.Worst(), tc.effect)
			}
		})
	}
}

func TestParseRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", "{,}", "{\n// x\n}", `{"a":1,}`, `{"hooks":`} {
		_, err := settings.Parse([]byte(doc))
		var syntax *span.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%q): %v", doc, err)
		}
	}
	if s := parse(t, "\ufeff{}"); s.Hooks != nil || len(s.Problems) > 0 {
		t.Errorf("got %+v", s)
	}
}

func TestKnownEvent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Stop": true, "PreModelSwitch": true, "stop": false, "": false, "Nope": false} {
		if settings.KnownEvent(name) != want {
			t.Errorf("KnownEvent(%q) = %v", name, !want)
		}
	}
}

// Every place that the view names lies inside the file, and what it calls a handler is one.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, seed := range []string{`{"hooks":{"Stop":[{"hooks":[{}]}]}}`, `{"hooks":{"Stop":[{"hooks":[{"type":1,"args":[{}],"timeout":1e999}]}],"Stop":0}}`, `{"env":[],"permissions":{"allow":{}}}`, "null", "[]", "\ufeff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := settings.Parse(data)
		if err != nil {
			return
		}
		for _, p := range s.Problems {
			if p.Offset < 0 || p.Offset >= len(data) || p.Line < 1 || p.Column < 1 || p.Text == "" {
				t.Fatalf("%q: %+v", data, p)
			}
		}
		for _, e := range s.Events {
			for _, g := range e.Groups {
				for _, h := range g.Handlers {
					if n := h.Node; n.Start >= n.End || n.End > len(data) {
						t.Fatalf("%q: handler at %d to %d", data, n.Start, n.End)
					}
				}
			}
		}
	})
}
