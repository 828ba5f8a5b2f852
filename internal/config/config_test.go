package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/config"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func TestResolvePaths(t *testing.T) {
	t.Parallel()
	if _, err := config.ResolvePaths(env(nil)); err == nil {
		t.Fatal("ResolvePaths without HOME and DEVFLOW_HOME: want an error, got none")
	}
	p, err := config.ResolvePaths(env(map[string]string{"HOME": "/home/dev"}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.DB, "/home/dev/.claude/devflow/telemetry/devflow.db"; got != want {
		t.Errorf("DB = %q, want %q", got, want)
	}
	p, err = config.ResolvePaths(env(map[string]string{"DEVFLOW_HOME": "/x", "DEVFLOW_DB": "/y/z.db"}))
	if err != nil {
		t.Fatal(err)
	}
	if p.Root != "/x" || p.DB != "/y/z.db" || p.Bin != "/x/bin" {
		t.Errorf("paths = %+v, want root /x, db /y/z.db, bin /x/bin", p)
	}
}

func TestRelativePlacesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"DEVFLOW_HOME", "DEVFLOW_DB", "HOME"} {
		for _, value := range []string{"relative", "./x", "~/devflow"} {
			vars := map[string]string{"HOME": "/home/dev"}
			vars[name] = value
			want := name + ` is "` + value + `", want an absolute path`
			if _, err := config.ResolvePaths(env(vars)); err == nil || err.Error() != want {
				t.Errorf("ResolvePaths = %v, want %s", err, want)
			}
		}
	}
	p, err := config.ResolvePaths(env(map[string]string{"HOME": "/home/dev", "TMPDIR": "here"}))
	if err != nil || !filepath.IsAbs(p.Fallback) {
		t.Errorf("fallback = %q, %v, want an absolute path", p.Fallback, err)
	}
}

func TestFallbackIsOnePerInstallation(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, vars := range []map[string]string{{"DEVFLOW_HOME": "/a"}, {"DEVFLOW_HOME": "/b"}, {"DEVFLOW_HOME": "/a", "DEVFLOW_DB": "/c.db"}, {"HOME": "/a"}} {
		p, err := config.ResolvePaths(env(vars))
		if err != nil {
			t.Fatal(err)
		}
		if seen[p.Fallback] || filepath.Dir(p.Fallback) != "/tmp" {
			t.Errorf("%v: fallback %q, want one of its own below /tmp", vars, p.Fallback)
		}
		seen[p.Fallback] = true
	}
}

// load writes the two files (empty text: no file) and loads them.
func load(t *testing.T, user, project string) (config.Config, []config.Problem) {
	t.Helper()
	root, proj := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if text == "" {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(root, "config.toml", user)
	write(proj, config.ProjectFile, project)
	p, err := config.ResolvePaths(env(map[string]string{"DEVFLOW_HOME": root}))
	if err != nil {
		t.Fatal(err)
	}
	return config.Load(p, proj)
}

func TestLoadWithoutFilesIsDefault(t *testing.T) {
	t.Parallel()
	got, problems := load(t, "", "")
	if diff := cmp.Diff(config.Default(), got); diff != "" || problems != nil {
		t.Errorf("Load (-want +got):\n%s problems %v", diff, problems)
	}
}

func TestUserFileMaySetEverything(t *testing.T) {
	t.Parallel()
	got, problems := load(t, `
disabled = ["tdd"]
protected_branches = ["trunk"]
max_retries = 5
[token_delta]
limit = 400000
[pricing."my-model"]
input = 1.5
output = 7
`, "")
	if len(problems) != 0 {
		t.Fatalf("problems = %v, want none", problems)
	}
	if got.Enabled(config.ModuleTDD) || !got.Enabled(config.ModuleProfiler) || got.MaxRetries != 5 || got.TokenDelta.Limit != 400000 ||
		!got.Protected("trunk") || got.Protected("main") || got.Pricing["my-model"].Output != 7 {
		t.Errorf("config = %+v", got)
	}
}

func TestProjectFileMayOnlyTighten(t *testing.T) {
	t.Parallel()
	loosening := map[string]string{
		"disable a module":      `disabled = ["tdd"]`,
		"drop a branch":         `protected_branches = []`,
		"more retries":          `max_retries = 5`,
		"more tokens":           "[token_delta]\nlimit = 900000",
		"narrow the tdd scope":  "[tdd]\nsource_dirs = [\"nowhere\"]",
		"make a price negative": "[pricing.x]\ninput = -1\noutput = 0",
		"change a price":        "[pricing.x]\ninput = 0\noutput = 0",
	}
	for name, text := range loosening {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := load(t, "", text)
			if diff := cmp.Diff(config.Default(), got); diff != "" {
				t.Errorf("a project file loosened the configuration (-want +got):\n%s", diff)
			}
			if len(problems) == 0 {
				t.Error("want a problem that says so, got none")
			}
		})
	}
	got, problems := load(t, "", "protected_branches = [\"main\",\"master\",\"release/*\",\"prod\"]\nmax_retries = 2\nis_production = true\n[token_delta]\narm = \"always\"\nlimit = 50000")
	if len(problems) != 0 || !got.Protected("prod") || got.MaxRetries != 2 || !got.IsProduction || got.TokenDelta.Arm != config.ArmAlways || got.TokenDelta.Limit != 50000 {
		t.Errorf("tightened config = %+v, problems %v", got, problems)
	}
}

func TestInvalidLayerKeepsTheLayerBelow(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not toml":     "max_retries = ",
		"wrong type":   `max_retries = "many"`,
		"out of range": "max_retries = 0",
		"bad module":   `disabled = ["judge"]`,
		"binary":       "\x00\x01\xff",
		"huge":         strings.Repeat("# x\n", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := load(t, text, "")
			if diff := cmp.Diff(config.Default(), got); diff != "" || len(problems) != 1 {
				t.Errorf("Load(%s) (-want +got):\n%s problems %v", name, diff, problems)
			}
		})
	}
	if _, problems := load(t, "unknown_key = 1", ""); len(problems) != 1 || !strings.Contains(problems[0].Text, "unknown_key") {
		t.Errorf("unknown key: problems = %v, want one that names it", problems)
	}
}

func TestProtected(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	for branch, want := range map[string]bool{"main": true, "master": true, "release/1.2": true, "releases": false, "feat/main": false, "": false, "HEAD": false} {
		if got := cfg.Protected(branch); got != want {
			t.Errorf("Protected(%q) = %v, want %v", branch, got, want)
		}
	}
}

// Every message names the key, what to write instead, and what holds meanwhile.
func TestMessagesForPeople(t *testing.T) {
	t.Parallel()
	const user = "; the whole file is ignored, the defaults hold"
	const project = "; the whole file is ignored, the defaults and the user's config.toml hold"
	const noEffect = "; the line has no effect"
	tests := []struct {
		name, user, project string
		want                []string // whole messages; a trailing … means any end
	}{
		{"text for a number", `max_retries = "many"`, "", []string{"max_retries is a text, want a whole number: write max_retries = 3" + user}},
		{"fraction for a number", "[token_delta]\nlimit = 1.5", "", []string{"token_delta.limit is a number with a fraction, want a whole number: write token_delta.limit = 150000" + user}},
		{"text for a list", `disabled = "tdd"`, "", []string{`disabled is a text, want a list of texts: write disabled = ["tdd"]` + user}},
		{"number in a list", `protected_branches = ["main", 3]`, "", []string{`protected_branches is a list, want a list of texts: write protected_branches = ["main", "release/*"]` + user}},
		{"text for a switch", `is_production = "yes"`, "", []string{"is_production is a text, want true or false: write is_production = true" + user}},
		{"text for a price", "[pricing.\"a.b\"]\ninput = \"3\"", "", []string{`pricing."a.b".input is a text, want a number: write pricing."a.b".input = 3.0` + user}},
		{"value for a table", "tdd = true", "", []string{"tdd is true or false, want a table: write [tdd] on a line of its own" + user}},
		{"another case", `MAX_RETRIES = "x"`, "", []string{"MAX_RETRIES is a text, want a whole number: write MAX_RETRIES = 3" + user}},
		{"two mistakes", "max_retries = true\n[context]\nwindow = \"big\"", "", []string{
			"context.window is a text, want a whole number: write context.window = 200000" + user,
			"max_retries is true or false, want a whole number: write max_retries = 3" + user,
		}},
		{"no TOML", "max_retries = ", "", []string{"not valid TOML: …"}},
		{"too large for the type", "max_retries = 99999999999999999999", "", []string{"…"}},
		{"out of range, twice", "max_retries = 9\n[token_delta]\nlimit = 1", "", []string{
			"max_retries is 9, want 1 to 5 (the client stops honouring blocks after 8)" + user, "token_delta.limit is 1, want at least 1000" + user,
		}},
		{"unknown module", `disabled = ["judge"]`, "", []string{`disabled names "judge", want some of profiler, tdd, rescue, context, commits` + user}},
		{"absolute source folder", "[tdd]\nsource_dirs = [\"/src\"]", "", []string{`tdd.source_dirs names "/src", want a folder inside the project, relative to its root, such as "src"` + user}},
		{"leaving source folder", "[tdd]\nsource_dirs = [\"a/../../b\"]", "", []string{`tdd.source_dirs names "a/../../b", want a folder inside …`}},
		{"empty source folder", "[tdd]\nsource_dirs = [\"\"]", "", []string{`tdd.source_dirs names "", want a folder inside …`}},
		{"unknown key", "max_retry = 2", "", []string{`unknown key "max_retry", the nearest known one is max_retries` + noEffect}},
		{"key of a table at the top", `source_dirs = ["src"]`, "", []string{`unknown key "source_dirs", the nearest known one is tdd.source_dirs` + noEffect}},
		{"unknown table, once", "[token_deltas]\nlimit = 5", "", []string{`unknown key "token_deltas", the nearest known one is [token_delta]` + noEffect}},
		{"unknown key of a price", "[pricing.\"a.b\"]\ninputs = 1", "", []string{`unknown key "pricing.\"a.b\".inputs", the nearest known one is pricing."a.b".input` + noEffect}},
		{"like nothing", "colour = 1", "", []string{`unknown key "colour"` + noEffect}},
		{"project of a wrong type", "", "max_retries = []", []string{"max_retries is a list, want a whole number: write max_retries = 3" + project}},
		{"project loosens", "", "max_retries = 5", []string{"max_retries would loosen a rule, which only the user's config.toml may" + noEffect}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, problems := load(t, tt.user, tt.project)
			if diff := cmp.Diff(config.Default(), cfg); diff != "" && !strings.Contains(tt.name, "price") {
				t.Errorf("the defaults do not hold (-want +got):\n%s", diff)
			}
			var got []string
			for i, p := range problems {
				text := p.Text
				if i < len(tt.want) {
					if start, cut := strings.CutSuffix(tt.want[i], "…"); cut && strings.HasPrefix(text, start) {
						text = tt.want[i]
					}
				}
				got = append(got, text)
				if p.Ignored != strings.Contains(p.Text, "whole file is ignored") || !strings.HasSuffix(p.Text, " hold") && !strings.HasSuffix(p.Text, noEffect) {
					t.Errorf("problem %+v does not end with its consequence", p)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSourceFoldersThatAreNotThere(t *testing.T) {
	t.Parallel()
	root, proj := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "config.toml"), []byte("[tdd]\nsource_dirs = [\"src\", \"./lib/\", \".\"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(proj, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := config.ResolvePaths(env(map[string]string{"DEVFLOW_HOME": root}))
	if err != nil {
		t.Fatal(err)
	}
	cfg, problems := config.Load(p, proj)
	want := []config.Problem{{File: p.File, Text: `tdd.source_dirs names "./lib/": ` + filepath.Join(proj, "lib") + " does not exist, so the rule covers nothing there"}}
	if diff := cmp.Diff(want, problems); diff != "" || len(cfg.TDD.SourceDirs) != 3 {
		t.Errorf("problems (-want +got):\n%s config %+v", diff, cfg.TDD)
	}
	if _, problems := config.Load(p, ""); len(problems) != 0 {
		t.Errorf("without a project: %v, want no problem", problems)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("max_retries = 2", "[token_delta]\nlimit = 2000")
	f.Add("\xff", "a = [[[[")
	f.Fuzz(func(t *testing.T, user, project string) {
		root, proj := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "config.toml"), []byte(user), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proj, config.ProjectFile), []byte(project), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := config.ResolvePaths(env(map[string]string{"DEVFLOW_HOME": root}))
		if err != nil {
			t.Fatal(err)
		}
		base, _ := config.Load(p, "")
		got, _ := config.Load(p, proj)
		if got.MaxRetries > base.MaxRetries || got.TokenDelta.Limit > base.TokenDelta.Limit || len(got.Disabled) > len(base.Disabled) {
			t.Errorf("project file %q loosened %+v to %+v", project, base, got)
		}
	})
}
