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
