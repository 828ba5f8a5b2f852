package loop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// gitEnviron is git's environment: an author and a clock of its own, and no configuration but that of the home.
func gitEnviron(home string) []string {
	return []string{
		"HOME=" + home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
}

func (w *world) git(args []string) error { return w.gitIn(w.env("PROJ"), args...) }

func (w *world) gitIn(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append([]string{"PATH=" + os.Getenv("PATH")}, gitEnviron(w.env("HOME"))...)
	out, err := cmd.CombinedOutput()
	_, _ = w.ts.Stdout().Write(out) // the buffer of the script
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (w *world) project(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	dir := w.ts.MkAbs(args[0])
	w.ts.Setenv("PROJ", dir)
	return os.MkdirAll(dir, 0o755)
}

func (w *world) repo(args []string) error {
	if err := need(args, 1, 2); err != nil {
		return err
	}
	branch := "feat/demo"
	if len(args) == 2 {
		branch = args[1]
	}
	if err := w.project(args[:1]); err != nil {
		return err
	}
	dir := w.env("PROJ")
	return errors.Join(w.gitIn(dir, "init", "-q", "-b", branch), w.gitIn(dir, "add", "-A"), w.gitIn(dir, "commit", "-q", "--allow-empty", "-m", "start"))
}

// code reads the resume code as a person does.
func (w *world) code(args []string) error {
	if len(args) == 1 && args[0] == "refusal" {
		return w.refusalCode()
	}
	cmd := exec.Command(filepath.Join(programs, "devflow"), "status", "--json")
	cmd.Dir, cmd.Env = w.cwd(), w.environ()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("devflow status: %w", err)
	}
	var s struct{ Resume string }
	if err := json.Unmarshal(out, &s); err != nil {
		return err
	}
	code, ok := strings.CutPrefix(s.Resume, "devflow approve ")
	if !ok || code == "" {
		return fmt.Errorf("devflow status shows no way to resume: %s", out)
	}
	w.ts.Setenv("CODE", code)
	return nil
}
