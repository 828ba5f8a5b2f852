package protect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

const (
	session = "0b5e2f6a"
	// userSettings is what an installation leaves behind, shortened.
	userSettings = `{
  "model": "sonnet",
  "permissions": {"allow": ["Bash(ls:*)"]},
  "env": {"FOO": "1"},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "'/h/.claude/devflow/bin/devflow-stop' || exit 0"}]}]}
}
`
	prePush = "#!/bin/sh\nexec devflow gate pre-push \"$@\"\n"
)

// scene is a home folder with an installation, and a project in it.
type scene struct {
	home, root, project string
	places              protect.Places
	world               place.World
}

func newScene(t *testing.T) scene {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{home: home, root: home + "/.claude/devflow", project: home + "/src/app"}
	for path, text := range map[string]string{
		s.root + "/telemetry/devflow.db":                   "SQLite format 3\x00",
		s.root + "/telemetry/devflow.db-wal":               "",
		s.root + "/config.toml":                            "max_retries = 3\n",
		s.root + "/install-manifest.json":                  "{}",
		s.root + "/bin/devflow":                            "elf",
		s.root + "/bin/devflow-stop":                       "elf stop",
		s.root + "/bin/devflow-user-prompt-submit":         "elf prompt",
		s.root + "/state/" + session + "/active-spec.json": "{}",
		s.root + "/state/other/active-spec.json":           "{}",
		home + "/.claude/settings.json":                    userSettings,
		home + "/.claude/CLAUDE.md":                        "# notes",
		home + "/.claude/commands/mine.md":                 "mine",
		home + "/.bashrc":                                  "alias ll='ls -l'\n",
		home + "/.gitconfig":                               "[user]\n\tname = Dev\n",
		home + "/settings.bak":                             userSettings,
		home + "/bad.json":                                 `{"disableAllHooks": true}`,
		s.project + "/.git/config":                         "[core]\n\tbare = false\n",
		s.project + "/.git/hooks/pre-push":                 prePush,
		s.project + "/.git/hooks/commit-msg":               "#!/bin/sh\nexit 0\n",
		s.project + "/.claude/settings.json":               `{"permissions": {"allow": []}}`,
		s.project + "/.devflow.toml":                       "protected_branches = [\"main\", \"master\", \"release/*\", \"prod\"]\nmax_retries = 2\n",
		s.project + "/main.go":                             "package main\n",
		s.project + "/sub/x.go":                            "package sub\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.places = protect.Places{
		Root: s.root, DB: s.root + "/telemetry/devflow.db", Bin: s.root + "/bin", Home: home, Project: s.project, Cwd: s.project, Session: session,
		Settings: []string{
			home + "/.claude/settings.json", home + "/.claude/settings.local.json",
			s.project + "/.claude/settings.json", s.project + "/.claude/settings.local.json", "/etc/claude-code/managed-settings.json",
		},
	}
	s.world = place.World{Home: home, Project: s.project, Cwd: s.project}
	return s
}

// bash returns what speaks against a command line, as package guard puts it together.
func (s scene) bash(line string) []verdict.Finding {
	line = strings.NewReplacer("@HOME", s.home, "@ROOT", s.root, "@DB", s.places.DB).Replace(line)
	script, _ := shell.Parse(line)
	return append(protect.Commands(&script, s.world, s.places), protect.Writes(write.Of(&script), s.world, s.places)...)
}

func rules(found []verdict.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Decision.String()+" "+f.Rule)
	}
	return strings.Join(out, ", ")
}
