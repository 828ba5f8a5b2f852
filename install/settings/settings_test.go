package settings_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

func TestInstallIntoAnEmptyFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no bytes": "", "blank": " \n", "object": "{}\n", "mark": "\xef\xbb\xbf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := install(t, text, binOne)
			for _, want := range []string{
				"    \"PreToolUse\": [\n      {\n        \"matcher\": \"Write|Edit|MultiEdit|NotebookEdit\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n" +
					"            \"command\": \"'/home/u/.claude/devflow/bin/devflow-pre-tool-use' || exit 0\",\n            \"timeout\": 10\n          }\n        ]\n      },\n      {\n        \"matcher\": \"Bash\",\n",
				"    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n",
			} {
				if !strings.Contains(string(c.Data), want) {
					t.Errorf("installed text lacks\n%s\nin\n%s", want, c.Data)
				}
			}
			if got := uninstall(t, string(c.Data), c.Containers); got != text {
				t.Errorf("uninstall gives %q, want %q", got, text)
			}
		})
	}
}

// Bug case E5: every entry has the nested form, a sane timeout in seconds (F1)
// and stands under an event that the client knows.
func TestEveryEntryIsOneThatTheClientTakes(t *testing.T) {
	t.Parallel()
	c := install(t, "", binOne)
	view, err := claude.ParseSettings(c.Data)
	if err != nil || len(view.Problems) > 0 {
		t.Fatalf("ParseSettings: %v, %v", err, view.Problems)
	}
	var got []settings.Registration
	for _, e := range view.Events {
		if !claude.KnownEvent(e.Name) {
			t.Errorf("event %s does not exist", e.Name)
		}
		for _, g := range e.Groups {
			for _, h := range g.Handlers {
				if h.Type != "command" || h.Timeout < 1 || h.Timeout > 600 || h.Async || h.Exec {
					t.Errorf("%s: odd handler %+v", e.Name, h)
				}
				binary := strings.TrimSuffix(strings.TrimPrefix(h.Command, "'"+binOne+"/"), "' || exit 0")
				got = append(got, settings.Registration{Event: e.Name, Matcher: g.Matcher, Binary: binary, Timeout: int(h.Timeout)})
			}
		}
	}
	if diff := cmp.Diff(settings.Registrations(), got); diff != "" {
		t.Errorf("registered (-want +got):\n%s", diff)
	}
}

func TestInstallKeepsForeignBytes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"E1 other hook on the same event", `{"hooks":{"SessionStart":[{"matcher":"compact","hooks":[{"type":"command","command":"x"}]}]}}`},
		{"I2 mixed entry", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/mine/stop.sh","timeout":7}]}]}}`},
		{"I3 hooks null", "{\n  \"hooks\": null\n}"},
		{"event null", "{\n  \"hooks\": {\"Stop\": null}\n}"},
		{"big number, escapes", "{\n    \"n\": 12345678901234567890,\n    \"c\": \"a \\u0026\\u0026 b && c\",\n    \"z\": 1, \"a\": 2\n}"},
		{"crlf", "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {}\r\n}\r\n"},
		{"mark", "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n"},
		{"tabs without final newline", "{\n\t\"model\": \"opus\"\n}"},
		{"one line", `{"model":"opus","hooks":{"Stop":[]}}`},
		{"unknown event", `{"hooks":{"NoSuchEvent":[{"hooks":[{"type":"command","command":"x"}]}], "Setup": {"a":1}}}`},
		{"duplicate key elsewhere", `{"env":{"a":"1","a":"2"},"model":"a","model":"b"}`},
		{"hook type of a later client", `{"hooks":{"Stop":[{"hooks":[{"type":"wasm","module":"x"}]}]}}`},
		{"E3 sixty hooks", sixty()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := install(t, tt.text, binOne)
			again := install(t, string(c.Data), binOne)
			if string(again.Data) != string(c.Data) {
				t.Errorf("second install changed the text:\n%s", cmp.Diff(string(c.Data), string(again.Data)))
			}
			for _, e := range c.Edits { // pure insertion: no byte of the user's is touched
				if e.Removed != "" && e.Removed != "null" {
					t.Errorf("edit at %d takes out %q", e.At, e.Removed)
				}
			}
			if diff := cmp.Diff(foreign(t, tt.text), foreign(t, string(c.Data))); diff != "" {
				t.Errorf("foreign entries changed (-before +after):\n%s", diff)
			}
			if got := uninstall(t, string(c.Data), c.Containers); got != tt.text {
				t.Errorf("uninstall gives\n%q, want\n%q", got, tt.text)
			}
		})
	}
}

// sixty is a settings file with 60 foreign hooks and 16 top-level keys.
func sixty() string {
	var b strings.Builder
	b.WriteString("{\n")
	for i := range 15 {
		fmt.Fprintf(&b, "  \"key%d\": {\"v\": %d.50},\n", i, i)
	}
	b.WriteString("  \"hooks\": {\n")
	events := []string{"PreToolUse", "PostToolUse", "Stop", "Notification", "SessionStart", "UserPromptSubmit"}
	for i, event := range events {
		fmt.Fprintf(&b, "    %q: [\n", event)
		for k := range 5 {
			fmt.Fprintf(&b, "      { \"matcher\": \"M%d\", \"hooks\": [\n", k)
			fmt.Fprintf(&b, "          { \"type\": \"command\", \"command\": \"/x/%s-%d && a\", \"timeout\": %d },\n", event, k, k+1)
			fmt.Fprintf(&b, "          { \"type\": \"prompt\", \"prompt\": \"p%d\" }\n        ] }%s\n", k, []string{"", ","}[min(1, 4-k)])
		}
		fmt.Fprintf(&b, "    ]%s\n", []string{"", ","}[min(1, len(events)-1-i)])
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

func TestReadRefusesWithPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text   string
		line, column int
	}{
		{"I1 comment", "{\n  // mine\n  \"a\": 1\n}", 2, 3},
		{"trailing comma", "{\n  \"a\": 1,\n}", 2, 9},
		{"truncated", "{\n  \"a\": [1, 2", 2, 13},
		{"top-level array", "\n[1]", 2, 1},
		{"hooks an array", "{\n  \"hooks\": [\n]}", 2, 12},
		{"event an object", "{\"hooks\": {\n  \"PreToolUse\": {\"x\": 1}}}", 2, 17},
		{"event a string", `{"hooks": {"Stop": "x"}}`, 1, 20},
		{"flat entry", `{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}`, 1, 21},
		{"group a string", `{"hooks": {"Stop": ["x"]}}`, 1, 21},
		{"hook a string", `{"hooks": {"Stop": [{"hooks": ["x"]}]}}`, 1, 32},
		{"hooks twice", "{\"hooks\": {},\n \"hooks\": {}}", 2, 2},
		{"event twice", "{\"hooks\": {\"Stop\": [],\n  \"Stop\": []}}", 2, 3},
		{"group key twice", `{"hooks": {"Stop": [{"hooks": [], "hooks": []}]}}`, 1, 35},
		{"two values", "{}\n{}", 2, 1},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := settings.Read([]byte(tt.text))
			var syntax *span.SyntaxError
			var shape *settings.ShapeError
			line, column := 0, 0
			switch {
			case errors.As(err, &syntax):
				line, column = syntax.Line, syntax.Column
			case errors.As(err, &shape):
				line, column = shape.Line, shape.Column
			}
			if line != tt.line || column != tt.column {
				t.Errorf("Read(%q) = %v, want a refusal at %d:%d", tt.text, err, tt.line, tt.column)
			}
		})
	}
}

func TestUsableRefusesAFileThatAClientIgnores(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		all  bool // 2.1.332 ignores it too
	}{
		{`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}`, false},
		{`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":0}]}]}}`, false},
		{`{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}`, false},
		{`{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}`, false},
		{`{"hooks":{"Stop":[{"matcher":1,"hooks":[]}]}}`, false},
		{`{"hooks":{"Setup":["x"]}}`, false},
		{`{"permissions":{"allow":"all"}}`, true},
		{`{"cleanupPeriodDays":"30"}`, true},
		{`{"disableAllHooks":"true"}`, true},
	}
	for _, tt := range tests {
		f, err := settings.Read([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		var shape *settings.ShapeError
		if err := f.Usable(); !errors.As(err, &shape) || !strings.Contains(err.Error(), "ignores the whole file") {
			t.Errorf("Usable(%s) = %v, want a refusal that says why", tt.text, err)
		}
		if got := len(f.Fatal(false)) > 0; got != tt.all {
			t.Errorf("Fatal(false) of %s: %v, want %v", tt.text, got, tt.all)
		}
	}
	for _, text := range []string{
		`{"hooks":{"Stop":[{"hooks":[{"type":"wasm","module":"x"}]}],"Stopp":{},"Setup":null}}`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"","shell":"zsh"}]}]},"env":{"a":1}}`,
	} {
		f, err := settings.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Usable(); err != nil {
			t.Errorf("Usable(%s) = %v, want nil", text, err)
		}
	}
}

func TestUninstallKeepsTheUsersHookOfAMixedEntry(t *testing.T) {
	t.Parallel()
	const before = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/mine/a"}, ` +
		`{"type": "command", "command": "'/home/u/.claude/devflow/bin/devflow-stop' || exit 0", "timeout": 600}, {"type": "command", "command": "/mine/b"}]}]}}`
	const want = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/mine/a"}, {"type": "command", "command": "/mine/b"}]}]}}`
	if got := uninstall(t, before, nil); got != want {
		t.Errorf("Uninstall = %s, want %s", got, want)
	}
}

func TestInstallRepairsItsOwnEntries(t *testing.T) {
	t.Parallel()
	command, err := settings.Command(binOne, settings.Stop)
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.ReplaceAll(command, `"`, `\"`)
	tests := []struct {
		name, handlers   string
		renewed, removed int
	}{
		{"milliseconds", `{"type":"command","command":"` + quoted + `","timeout":600000}`, 1, 0},
		{"no timeout", `{"type":"command","command":"` + quoted + `"}`, 1, 0},
		{"async", `{"type":"command","command":"` + quoted + `","timeout":600,"async":true}`, 1, 0},
		{"bare path", `{"type":"command","command":"/home/u/.claude/devflow/bin/devflow-stop","timeout":600}`, 1, 0},
		{"tilde", `{"type":"command","command":"~/.claude/devflow/bin/devflow-stop --x","timeout":600}`, 1, 0},
		{"HOME", `{"type":"command","command":"\"$HOME\"/.claude/devflow/bin/devflow-stop || true","timeout":600}`, 1, 0},
		{"exec form", `{"type":"command","command":"/home/u/.claude/devflow/bin/devflow-stop","args":[],"timeout":600}`, 1, 0},
		{"doubled", `{"type":"command","command":"` + quoted + `","timeout":600},{"type":"command","command":"` + quoted + `","timeout":5}`, 0, 1},
		{"wrong executable", `{"type":"command","command":"'/home/u/.claude/devflow/bin/devflow-pre-compact'","timeout":600}`, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := install(t, `{"hooks":{"Stop":[{"hooks":[`+tt.handlers+`,{"type":"command","command":"/mine"}]}]}}`, binOne)
			if c.Renewed != tt.renewed || c.Removed != tt.removed {
				t.Errorf("renewed %d, removed %d, want %d, %d:\n%s", c.Renewed, c.Removed, tt.renewed, tt.removed, c.Data)
			}
			if !strings.Contains(string(c.Data), `{"type":"command","command":"/mine"}`) {
				t.Errorf("the user's hook is gone: %s", c.Data)
			}
		})
	}
}

func TestOwnershipIsDecidedByFolderAndName(t *testing.T) {
	t.Parallel()
	o := settings.Owner{Dirs: []string{binOne}, Home: "/home/u", Vouch: func(dir string) bool { return dir == "/clone two/bin" }}
	tests := []struct {
		command string
		want    bool
	}{
		{`'/home/u/.claude/devflow/bin/devflow-stop' || exit 0`, true},
		{`X=1 "/home/u/.claude/devflow/bin/devflow-stop"`, true},
		{`/home/u/.claude/devflow/bin/../bin/devflow-stop`, true},
		{`'/clone two/bin/devflow-session-end' || exit 0`, true},
		{`/clone\ two/bin/devflow-session-end`, true},
		{`'/other/bin/devflow-stop' || exit 0`, false},
		{`/home/u/.claude/devflow/bin/devflow-stopper`, false},
		{`/home/u/.claude/devflow/bin/mine`, false},
		{`/x/devflow/hooks/y`, false},
		{`devflow-stop`, false},
		{`echo /home/u/.claude/devflow/bin/devflow-stop`, false},
		{`'/home/u/.claude/devflow/bin/devflow-stop`, false},
		{``, false},
	}
	for _, tt := range tests {
		if got := o.Ours(settings.Handler{Type: "command", Command: tt.command}); got != tt.want {
			t.Errorf("Ours(%s) = %v, want %v", tt.command, got, tt.want)
		}
	}
}

// Bug cases F15, I4: the command runs from folders with blanks, quotes and
// backslashes, and a crash of the hook is not a block.
func TestCommandRunsFromAnyFolder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "my proj", `a"b'c\d $HOME`, "new\nline", "ünï"} {
		dir := filepath.Join(t.TempDir(), name)
		writeScript(t, filepath.Join(dir, settings.Stop), "#!/bin/sh\necho ran\nexit 2\n")
		c := install(t, "{}", dir)
		view, err := claude.ParseSettings(c.Data)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(view.Events, func(e claude.EventHooks) bool { return e.Name == "Stop" })
		out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", view.Events[i].Groups[0].Handlers[0].Command).Output()
		if err != nil || string(out) != "ran\n" {
			t.Errorf("%q: %q, %v, want it to run and to exit 0", name, out, err)
		}
	}
	for _, bad := range []string{"relative/bin", "/not\xffutf8"} {
		if got, err := settings.Command(bad, settings.Stop); err == nil {
			t.Errorf("Command(%q) = %s, want an error", bad, got)
		}
	}
}

func TestMigratePythonTakesOnlyKnownScripts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		command       string
		script, alone bool
	}{
		{"python3 /home/u/devflow/hooks/pre_compact.py", true, true},
		{"python3 /home/u/my proj/devflow/hooks/file_checker.py", true, true},
		{"python3 /home/u/devflow stuff/hooks/file_checker.py", true, true},
		{"python3 ~/.claude/devflow/hooks/stop_dispatcher.py 2>/dev/null || true", true, true},
		{`"$HOME/.venv/bin/python" "$HOME/devflow-lite/hooks/secrets_gate.py"`, true, true},
		{"bash -c 'python3 /x/devflow/hooks/tdd_enforcer.py'", true, true},
		{"python3 /x/devflow/hooks/tdd_enforcer.py && /mine/stop.sh", true, false},
		{"/mine/first.sh; python3 /x/devflow/hooks/tdd_enforcer.py", true, false},
		{"python3 /x/devflow/hooks/mine.py", false, false},
		{"python3 /x/hooks/pre_compact.py", false, false},
		{"python3 /x/devflow/hooks/sub/pre_compact.py", false, false},
		{"python3 /x/notdevflow/hooks/pre_compact.py", false, false},
		{"/x/devflow/hooks/y", false, false},
	}
	for _, tt := range tests {
		script, alone := settings.Python(settings.Handler{Type: "command", Command: tt.command}, "/home/u")
		if (script != "") != tt.script || alone != tt.alone {
			t.Errorf("Python(%s) = %q, %v, want %v, %v", tt.command, script, alone, tt.script, tt.alone)
		}
	}
}

func TestMigratePythonKeepsTheUsersBytes(t *testing.T) {
	t.Parallel()
	const before = `{
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Write|Edit|MultiEdit",
        "hooks": [
          {"type": "command", "command": "python3 /c/devflow/hooks/file_checker.py"},
          {"type": "command", "command": "/mine/fmt.sh",   "timeout": 7}
        ]
      },
      {"matcher": "", "hooks": [{"type": "command", "command": "python3 /c/devflow/hooks/context_monitor.py"}]}
    ],
    "PreCompact": [{"matcher": "", "hooks": [{"type": "command", "command": "python3 /c/devflow/hooks/pre_compact.py"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "python3 /c/devflow/hooks/spec_stop_guard.py; say done"}]}]
  }
}
`
	const want = `{
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Write|Edit|MultiEdit",
        "hooks": [
          {"type": "command", "command": "/mine/fmt.sh",   "timeout": 7}
        ]
      }
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "python3 /c/devflow/hooks/spec_stop_guard.py; say done"}]}]
  }
}
`
	f, err := settings.Read([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	c, err := settings.MigratePython(f, "/home/u")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(c.Data)); diff != "" {
		t.Errorf("MigratePython (-want +got):\n%s", diff)
	}
	if c.Removed != 3 || len(c.Notes) != 4 {
		t.Errorf("removed %d with notes %q, want 3 and 4 notes", c.Removed, c.Notes)
	}
}

func FuzzReadInstallUninstall(f *testing.F) {
	f.Add([]byte(sixty()))
	for _, s := range []string{
		"", "{}", "[]", "null", "{\"hooks\":null}", "{\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}", "{\"hooks\":{\"Stop\":[{\"hooks\":[{}]}]}}", "{\"a\":1,}",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"'/home/u/.claude/devflow/bin/devflow-stop' || exit 0\",\"timeout\":1}]}]}}",
		"\xef\xbb\xbf{\r\n}\r\n", "{ \"hooks\" : { \"Stop\" : [ ] } }",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := settings.Read(data)
		if err != nil {
			return
		}
		c, err := settings.Install(file, owner(), binOne)
		if err != nil {
			return
		}
		if again := install(t, string(c.Data), binOne); string(again.Data) != string(c.Data) {
			t.Fatalf("second install of %q differs", data)
		}
		if c.Edits == nil {
			return // entries of ours were there before
		}
		if had := slices.ContainsFunc(file.Handlers, owner().Ours); had {
			return
		}
		if got := uninstall(t, string(c.Data), c.Containers); got != string(data) {
			t.Fatalf("uninstall gives %q, want %q", got, data)
		}
	})
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/a/b-c.d": "/a/b-c.d", "/my home": "'/my home'", "/it's": `'/it'\''s'`, "/$x": "'/$x'", "": "''"} {
		if got := settings.ShellWord(path); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", path, got, want)
		}
	}
}
