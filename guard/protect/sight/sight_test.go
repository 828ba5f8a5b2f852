package sight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/internal/shell"
)

// eyes look at a home folder with an installation.
func eyes(tb testing.TB) (*sight.Eyes, string) {
	tb.Helper()
	home, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	root := home + "/.claude/devflow"
	for _, dir := range []string{root + "/telemetry", root + "/bin", home + "/p"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	p := sight.Places{
		Root: root, DB: root + "/telemetry/devflow.db", Bin: root + "/bin", Home: home, Project: home + "/p", Cwd: home + "/p", Session: "s1",
		Settings: []string{home + "/.claude/settings.json"},
	}
	return sight.New(p, place.World{Home: home, Project: p.Project, Cwd: p.Cwd}), home
}

func TestKind(t *testing.T) {
	t.Parallel()
	e, home := eyes(t)
	tests := []struct {
		word shell.Word
		want sight.Kind
	}{
		{shell.Word{Text: "~/.claude/devflow/x"}, sight.RootDir},
		{shell.Word{Text: "~/.claude/devflow"}, sight.RootDir},
		{shell.Word{Text: "~/.claude/devflow2"}, sight.Other},
		{shell.Word{Text: "~/.claude"}, sight.Other},
		{shell.Word{Text: "~/.claude/devflow/telemetry/devflow.db-wal"}, sight.Database},
		{shell.Word{Text: "~/.claude/devflow/state/s1/active-spec.json"}, sight.OwnSpec},
		{shell.Word{Text: "~/.claude/devflow/state/s2/active-spec.json"}, sight.RootDir},
		{shell.Word{Text: "~/.claude/devflow/bin/devflow-stop"}, sight.Binary},
		{shell.Word{Text: "../.claude/settings.json"}, sight.SettingsFile},
		{shell.Word{Text: "$HOME/.claude/settings.json", Dynamic: true}, sight.SettingsFile},
		{shell.Word{Text: "$X/.claude/devflow/y", Dynamic: true}, sight.RootDir},
		{shell.Word{Text: "$X/y", Dynamic: true}, sight.Other},
		{shell.Word{Text: "~/.claude/*/telemetry", Glob: true}, sight.RootDir},
		{shell.Word{Text: "~/*/devflow", Glob: true}, sight.Other}, // a star fits no leading dot
		{shell.Word{Text: "~/.cl*/dev*", Glob: true}, sight.RootDir},
		{shell.Word{Text: "~/.claude/sett*", Glob: true}, sight.SettingsFile},
		{shell.Word{Text: "/proc/self/root" + home + "/.claude/devflow/x"}, sight.RootDir},
		{shell.Word{Text: "/proc/self/cwd/../.claude/devflow/x"}, sight.RootDir},
		{shell.Word{Text: ".devflow.toml"}, sight.ProjectFile},
		{shell.Word{Text: ".git/config"}, sight.GitConfig},
		{shell.Word{Text: "config"}, sight.Other},
		{shell.Word{Text: "src/environment"}, sight.Other},
		{shell.Word{Text: ""}, sight.Other},
	}
	for _, tt := range tests {
		if got := e.Kind(e.Target(shell.Dir{}, tt.word)); got != tt.want {
			t.Errorf("Kind(%q) = %d, want %d", tt.word.Text, got, tt.want)
		}
	}
}

func TestBraceListsGiveSeveralTargets(t *testing.T) {
	t.Parallel()
	e, home := eyes(t)
	var got []string
	for _, x := range e.Targets(shell.Dir{}, shell.Word{Text: "a{b,{c,d}}e{,f}", Glob: true}) {
		got = append(got, strings.TrimPrefix(x.Path, home+"/p/"))
	}
	if strings.Join(got, " ") != "abe abef ace acef ade adef" && len(got) != 6 {
		t.Errorf("targets %v, want the six words of a{b,{c,d}}e{,f}", got)
	}
	many := strings.Repeat("{a,b}", 40)
	if n := len(e.Targets(shell.Dir{}, shell.Word{Text: many, Glob: true})); n > 200 {
		t.Errorf("%d targets of %s, want a bounded number", n, many)
	}
}

// FuzzKind holds that nothing in the root is ever taken for something else, however it is written.
func FuzzKind(f *testing.F) {
	for _, s := range []string{"x", "a/b/../c", "./x", "//x", "telemetry/../y", "*", "$X", "{a,b}", "{", "}{", "${x", "\x00", "é", "-", "~", strings.Repeat("a/", 3000)} {
		f.Add(s)
	}
	e, home := eyes(f)
	root := home + "/.claude/devflow/"
	f.Fuzz(func(t *testing.T, rest string) {
		e.Kind(e.Target(shell.Dir{}, shell.Word{Text: rest, Dynamic: true, Glob: true}))
		e.Targets(shell.Dir{Path: rest}, shell.Word{Text: rest, Glob: true})
		e.Bare(shell.Dir{}, shell.Word{Text: rest})
		if strings.Contains(rest, "..") || len(rest) > 2000 || strings.ContainsRune(rest, 0) {
			return
		}
		for _, word := range []shell.Word{{Text: root + rest, Quoted: true}, {Text: root + "./" + rest}} {
			target := e.Target(shell.Dir{}, word)
			switch e.Kind(target) {
			case sight.RootDir, sight.Database, sight.Binary, sight.OwnSpec:
			default:
				t.Errorf("Kind(%q) = %d (target %+v), want something of the root", word.Text, e.Kind(target), target)
			}
		}
	})
}
