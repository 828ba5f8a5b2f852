package protect_test

import (
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/protect"
)

func TestFile(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	user := s.home + "/.claude/settings.json"
	for name, to := range map[string]string{
		s.project + "/link-root":     s.root,
		s.project + "/link-settings": user,
		s.project + "/link-db":       s.places.DB,
		s.project + "/link-claude":   s.home + "/.claude",
	} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(s.places.DB, s.project+"/hard.db"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(user, s.project+"/hard.json"); err != nil {
		t.Fatal(err)
	}
	swap := func(from, to string) string { return strings.Replace(userSettings, from, to, 1) }
	toml := "protected_branches = [\"main\", \"master\", \"release/*\", \"prod\"]\nmax_retries = 2\n"
	tests := []struct {
		name, path, before, after string
		rule                      string // "" passes
	}{
		// settings: other keys stay free
		{"model", user, userSettings, swap("sonnet", "opus"), ""},
		{"permissions", user, userSettings, swap("Bash(ls:*)", "Bash(make:*)"), ""},
		{"status line", user, userSettings, swap(`"model": "sonnet"`, `"statusLine": {"type": "command", "command": "x"}`), ""},
		{"indentation and order", user, userSettings, `{"hooks": {"Stop": [{"hooks": [{"command": "'/h/.claude/devflow/bin/devflow-stop' || exit 0", "type": "command"}]}]}, "env": {"FOO": "1"}}`, ""},
		{"same", user, userSettings, userSettings, ""},
		{"not there yet", s.project + "/.claude/settings.local.json", "", `{"model": "opus"}`, ""},
		{"empty hooks in a new file", s.project + "/.claude/settings.local.json", "", `{"hooks": {}}`, ""},
		{"hooks gone", user, userSettings, swap(`"hooks": {"Stop"`, `"hoks": {"Stop"`), "self.settings"},
		{"hook changed", user, userSettings, swap("devflow-stop", "true"), "self.settings"},
		{"hook disarmed", user, userSettings, swap("|| exit 0", "&& exit 0"), "self.settings"},
		{"hooks emptied", user, userSettings, `{"model": "sonnet", "env": {"FOO": "1"}, "hooks": {}}`, "self.settings"},
		{"hooks shadowed by a second member", user, userSettings, swap(`"model": "sonnet",`, ``)[:len(userSettings)-len(`"model": "sonnet",`)-2] + `, "hooks": {}}`, "self.settings"},
		{"event added", user, userSettings, swap(`"hooks": {"Stop"`, `"hooks": {"PreToolUse": [], "Stop"`), "self.settings"},
		{"env", user, userSettings, swap(`"FOO": "1"`, `"FOO": "1", "DEVFLOW_CHILD": "1"`), "self.settings"},
		{"switch", user, userSettings, swap(`"model": "sonnet"`, `"disableAllHooks": true`), "self.settings"},
		{"switch spelt with escapes", user, userSettings, swap(`"model": "sonnet"`, `"disableAllHook\u0073": true`), "self.settings"},
		{"switch off is no change", user, userSettings, swap(`"model": "sonnet"`, `"disableAllHooks": false`), ""},
		{"no JSON", user, userSettings, swap(`{`, `[`), "self.settings"},
		{"comment", user, userSettings, "// x\n" + userSettings, "self.settings"},
		{"emptied", user, userSettings, "", "self.settings"},
		{"an array", user, userSettings, "[]", "self.settings"},
		{"a type that makes the client drop the file", user, userSettings, swap(`["Bash(ls:*)"]`, `"Bash"`), "self.settings"},
		{"cleanup that makes the client drop the file", user, userSettings, swap(`"model": "sonnet"`, `"cleanupPeriodDays": "x"`), "self.settings"},
		{"broken before, repaired", user, "{,", `{"model": "opus"}`, ""},
		{"project scope", s.project + "/.claude/settings.json", `{}`, `{"disableAllHooks": true}`, "self.settings"},
		{"local scope", s.project + "/.claude/settings.local.json", "", `{"env": {"DEVFLOW_HOME": "/x"}}`, "self.settings"},
		{"managed", "/etc/claude-code/managed-settings.json", "", `{"disableAllHooks": true}`, "self.settings"},
		{"through a link", s.project + "/link-settings", userSettings, "{}", "self.settings"},
		{"through a linked folder", s.project + "/link-claude/settings.json", userSettings, "{}", "self.settings"},
		{"through a second name", s.project + "/hard.json", userSettings, "{}", "self.settings"},
		{"through proc", "/proc/self/root" + user, userSettings, "{}", "self.settings"},
		{"relative", "../../.claude/settings.json", userSettings, "{}", "self.settings"},
		{"up and down", s.project + "/x/../../../.claude/./settings.json", userSettings, "{}", "self.settings"},
		{"plugin hooks", s.home + "/.claude/plugins/p/hooks/hooks.json", "", `{"hooks": {"Stop": [{"hooks": []}]}}`, "self.settings"},
		{"no settings file", s.project + "/settings.json", "{}", `{"hooks": {"a": 1}}`, ""},
		{"a fixture", s.project + "/testdata/settings.golden.json", "", `{"disableAllHooks": true}`, ""},
		{"an editor's", s.project + "/.vscode/settings.json", "{}", `{"hooks": {"a": 1}, "env": {}}`, ""},
		// the root
		{"config", s.root + "/config.toml", "", "x", "self.root"},
		{"new file", s.root + "/a/b/c", "", "x", "self.root"},
		{"through a link", s.project + "/link-root/config.toml", "", "x", "self.root"},
		{"link and up", s.project + "/link-root/../devflow/config.toml", "", "x", "self.root"},
		{"database", s.places.DB, "", "x", "self.database"},
		{"its log", s.places.DB + "-wal", "", "x", "self.database"},
		{"by link", s.project + "/link-db", "", "x", "self.database"},
		{"by second name", s.project + "/hard.db", "", "x", "self.database"},
		{"program", s.root + "/bin/devflow-stop", "", "x", "self.binary"},
		{"own spec", s.root + "/state/" + session + "/active-spec.json", "{}", "{}", ""},
		{"another's spec", s.root + "/state/other/active-spec.json", "{}", "{}", "self.root"},
		{"another file of the session", s.root + "/state/" + session + "/judge-result.json", "{}", "{}", "self.root"},
		{"own spec, up", s.root + "/state/" + session + "/../other/active-spec.json", "{}", "{}", "self.root"},
		{"a neighbour", s.home + "/.claude/devflow-notes/x.md", "", "x", ""},
		{"memory", s.home + "/.claude/CLAUDE.md", "", "disableAllHooks", ""},
		{"command", s.home + "/.claude/commands/new.md", "", "x", ""},
		// project configuration
		{"tighter", s.project + "/.devflow.toml", toml, toml + "is_production = true\n", ""},
		{"branch gone", s.project + "/.devflow.toml", toml, strings.Replace(toml, `, "prod"`, "", 1), "self.config"},
		{"branch added", s.project + "/.devflow.toml", toml, strings.Replace(toml, `"prod"`, `"prod", "stage"`, 1), ""},
		{"more retries", s.project + "/.devflow.toml", toml, strings.Replace(toml, "= 2", "= 3", 1), "self.config"},
		{"fewer retries", s.project + "/.devflow.toml", toml, strings.Replace(toml, "= 2", "= 1", 1), ""},
		{"emptied", s.project + "/.devflow.toml", toml, "", "self.config"},
		{"broken", s.project + "/.devflow.toml", toml, toml + "x = = 1", "self.config"},
		{"key of another case", s.project + "/.devflow.toml", toml, toml + "DISABLED = [\"tdd\"]\n", "self.config"},
		{"module off", s.project + "/.devflow.toml", "", "disabled = [\"profiler\"]\n", "self.config"},
		{"guard rule lifted", s.project + "/.devflow.toml", "", "[guard]\nallow = [\"git.*\"]\n", "self.config"},
		{"push to main", s.project + "/.devflow.toml", "", "[gate]\nallow_push_to_main = true\n", "self.config"},
		{"auto push", s.project + "/.devflow.toml", "", "[gate]\nauto_push = \"auto\"\n", "self.config"},
		{"no auto push", s.project + "/.devflow.toml", "", "[gate]\nauto_push = \"off\"\n", ""},
		{"always armed", s.project + "/.devflow.toml", "", "[token_delta]\narm = \"always\"\nlimit = 90000\n", ""},
		{"boundary added", s.project + "/.devflow.toml", "", "[[gate.boundaries]]\nfrom = \"a/**\"\ndeny = [\"b/**\"]\n", ""},
		{"boundary gone", s.project + "/.devflow.toml", "[[gate.boundaries]]\nfrom = \"a/**\"\ndeny = [\"b/**\"]\n", "", "self.config"},
		{"comment", s.project + "/.devflow.toml", toml, "# why\n" + toml, ""},
		{"invalid before and after", s.project + "/.devflow.toml", "= x", "= y", ""},
		// git
		{"hook", s.project + "/.git/hooks/pre-push", prePush, "#!/bin/sh\n", "self.git-hook"},
		{"another hook", s.project + "/.git/hooks/commit-msg", "#!/bin/sh\n", "#!/bin/sh\nexit 1\n", ""},
		{"configuration", s.project + "/.git/config", "[core]\n", "[core]\n\thooksPath = /dev/null\n", "self.hooks-path"},
		{"on one line, other case", s.project + "/.git/config", "", "[CORE] HooksPath=x", "self.hooks-path"},
		{"another key", s.project + "/.git/config", "[core]\n", "[core]\n\teditor = vim\n", ""},
		{"hooksPath of a tool", s.project + "/.git/config", "", "[mytool]\n\thooksPath = x\n", ""},
		// start files
		{"mark", s.home + "/.bashrc", "", "export DEVFLOW_CHILD=1\n", "self.env"},
		{"another variable", s.home + "/.bashrc", "", "export EDITOR=vim\n", ""},
		{"the user's own, kept", s.home + "/.zshrc", "export DEVFLOW_HOME=/x\n", "export DEVFLOW_HOME=/x\nalias l=ls\n", ""},
		// ordinary work
		{"source", s.project + "/main.go", "", "package main // --no-verify, disableAllHooks, devflow approve", ""},
		{"outside", "/tmp/h5-x", "", "x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			got := protect.File(s.places, tt.path, []byte(tt.before), []byte(tt.after))
			switch {
			case tt.rule == "" && len(got) > 0:
				t.Errorf("findings %s (%s), want none", rules(got), got[0].Why)
			case tt.rule != "" && rules(got) != "deny "+tt.rule:
				t.Errorf("findings %s, want deny %s", rules(got), tt.rule)
			case tt.rule != "" && !protect.Watches(s.places, tt.path):
				t.Error("Watches is false, so nobody would ask File")
			}
		})
	}
}

func TestWatchesLeavesOtherFilesAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, path := range []string{s.project + "/main.go", "/tmp/x", "sub/x.go", s.home + "/.claude/CLAUDE.md", "", "/", s.project + "/settings.json"} {
		if protect.Watches(s.places, path) {
			t.Errorf("Watches(%q) = true, want false", path)
		}
	}
}

// TestWithoutPlaces shows that nothing is known, and nothing breaks, without an installation.
func TestWithoutPlaces(t *testing.T) {
	t.Parallel()
	var s scene
	for _, line := range []string{"rm -rf /", "echo x > f", "cp a b", "sqlite3 x.db 'delete from t'", "./run", "find / -delete"} {
		if found := s.bash(line); len(found) > 0 {
			t.Errorf("%q: findings %s, want none", line, rules(found))
		}
	}
	if found := protect.File(protect.Places{}, "x", nil, nil); len(found) > 0 {
		t.Errorf("findings %s, want none", rules(found))
	}
}

// TestDatabaseElsewhere is DEVFLOW_DB outside of the root.
func TestDatabaseElsewhere(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.places.DB = s.home + "/data/store.db"
	for line, want := range map[string]string{
		"rm ~/data/store.db":                          "deny self.database",
		"rm ~/data/store.db-wal":                      "deny self.database",
		"sqlite3 ~/data/store.db 'delete from tasks'": "deny self.database",
		"sqlite3 $DEVFLOW_DB 'drop table tasks'":      "deny self.database",
		"> ${DEVFLOW_DB}":                             "deny self.database",
		"rm ~/data/other.db":                          "",
		"rm ~/data/store.db.bak":                      "",
	} {
		if got := rules(s.bash(line)); got != want {
			t.Errorf("%q: findings %q, want %q", line, got, want)
		}
	}
}

func TestLinksOnDisk(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for name, to := range map[string]string{
		"a":     s.home + "/.claude",
		"b":     "a/devflow",
		"state": s.root + "/state",
		"loop":  "loop",
	} {
		if err := os.Symlink(to, s.project+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"rm -rf b/telemetry":            "deny self.root",
		"> a/devflow/config.toml":       "deny self.root",
		"> state/../config.toml":        "deny self.root",
		"cd b && rm -rf telemetry":      "deny self.root",
		"cd a/devflow && > config.toml": "deny self.root",
		"> a/settings.json":             "deny self.settings",
		"> loop/x":                      "",
		"> a/notes.md":                  "",
		"rm b":                          "",
		"rm -rf a/cache":                "",
		"./b/bin/devflow-stop":          "deny self.hook-call",
		"sqlite3 b/telemetry/devflow.db 'delete from x'": "deny self.database",
	} {
		if got := rules(s.bash(line)); got != want {
			t.Errorf("%q: findings %q, want %q", line, got, want)
		}
	}
}

// TestSecondNameOfAHook calls a hook program under a name that says nothing.
func TestSecondNameOfAHook(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	if err := os.Link(s.root+"/bin/devflow-user-prompt-submit", s.project+"/run"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.root+"/bin/devflow-stop", s.project+"/walk"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"./run < x", "./walk < x", s.project + "/run"} {
		if got := rules(s.bash(line)); got != "deny self.hook-call" {
			t.Errorf("%q: findings %q, want self.hook-call", line, got)
		}
	}
}
