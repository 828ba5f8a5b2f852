package loop_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// deploy is the folder with what CI services run.
var deploy = filepath.Join("..", "..", "deploy", "ci")

// judged runs judge.sh in a folder with the built program; scratch is its temporary folder.
func judged(t *testing.T, dir, scratch string, args ...string) (exit int, out string) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join(deploy, "judge.sh"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), script, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "nohome"), "TMPDIR=" + scratch, "DEVFLOW=" + filepath.Join(programs, "devflow")}
	text, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

func TestJudgeScriptOfCI(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "feat/x")
	commit := func(path, text string) {
		r.Write(path, text)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "change "+path)
	}
	results := func() int {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(r.Dir, "judge.sarif"))
		if err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct{ Results []json.RawMessage }
		}
		if err := json.Unmarshal(data, &log); err != nil || len(log.Runs) != 1 {
			t.Fatalf("judge.sarif: %d runs, %v", len(log.Runs), err)
		}
		return len(log.Runs[0].Results)
	}
	const test = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
	commit("shop.py", "def total(items):\n    return sum(item for item in items)\n")
	commit("test_shop.py", test)
	commit("shop.py", "def total(items):\n    return sum(items)\n")
	scratch := t.TempDir()
	if exit, out := judged(t, r.Dir, scratch, "HEAD~1"); exit != 0 || !strings.HasPrefix(out, "PASS  1 changed file ") || results() != 0 {
		t.Errorf("exit %d with %d results: %s", exit, results(), out)
	}
	commit("test_shop.py", strings.Replace(test, "== 3", "is not None", 1)) // with judge.sarif of the first run, as a cache may bring it
	r.Git("rm", "-q", "--cached", "judge.sarif")
	r.Git("commit", "-q", "--amend", "--no-edit")
	if exit, out := judged(t, r.Dir, scratch, "HEAD~1"); exit != 3 || !strings.HasPrefix(out, "FAIL  1 changed file ") || results() != 1 {
		t.Errorf("exit %d with %d results: %s", exit, results(), out)
	}
	for _, args := range [][]string{{"nosuch"}, {""}, nil} {
		exit, out := judged(t, r.Dir, scratch, args...)
		if exit == 0 || exit == 3 || strings.Contains(out, "PASS") {
			t.Errorf("%q: exit %d: %s", args, exit, out)
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSnippetsForCI(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "bash", "-n", filepath.Join(deploy, "judge.sh")).CombinedOutput(); err != nil {
		t.Errorf("judge.sh: %v: %s", err, out)
	}
	called := regexp.MustCompile(`deploy/ci/[a-z.]+`)
	for _, name := range []string{"github.yml", "gitlab.yml"} {
		data, err := os.ReadFile(filepath.Join(deploy, name))
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		commands := strings.Join(runLines(doc), "\n")
		files := called.FindAllString(commands, -1)
		if len(files) == 0 {
			t.Errorf("%s calls nothing of deploy/ci: %s", name, commands)
		}
		for _, file := range files {
			if info, err := os.Stat(filepath.Join("..", "..", file)); err != nil || info.Mode()&0o111 == 0 {
				t.Errorf("%s calls %s, which is no program (%v)", name, file, err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-n")
		cmd.Stdin = strings.NewReader(commands)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// runLines collects the commands of a workflow: run of GitHub, script of GitLab.
func runLines(v any) (list []string) {
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			list = append(list, runLines(e)...)
		}
	case map[string]any:
		for key, e := range x {
			switch text := e.(type) {
			case string:
				if key == "run" {
					list = append(list, text)
				}
			case []any:
				for _, line := range text {
					if s, ok := line.(string); ok && key == "script" {
						list = append(list, s)
					}
				}
			}
			list = append(list, runLines(e)...)
		}
	}
	return list
}

// TestSnippetsOfDocumentsParse reads every block that is tagged json, toml or yaml.
func TestSnippetsOfDocumentsParse(t *testing.T) {
	t.Parallel()
	files, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	parse := map[string]func(string) error{
		"json": func(s string) error { return json.Unmarshal([]byte(s), new(any)) },
		"toml": func(s string) error { _, err := toml.Decode(s, new(map[string]any)); return err },
		"yaml": func(s string) error { return yaml.Unmarshal([]byte(s), new(any)) },
	}
	block := regexp.MustCompile("(?ms)^```(json|toml|yaml)\n(.*?)^```$")
	seen := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(data), -1) {
			seen[m[1]]++
			if err := parse[m[1]](m[2]); err != nil {
				t.Errorf("%s: %v in\n%s", filepath.Base(file), err, m[2])
			}
		}
	}
	for tag := range parse {
		if seen[tag] == 0 {
			t.Errorf("no block tagged %s was found", tag)
		}
	}
}
