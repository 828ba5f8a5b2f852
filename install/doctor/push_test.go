package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/install/doctor"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/prepush"
)

// The gate in git's own hook is optional; once it was put there, somebody who takes it away is named.
func TestPushHook(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := gitrepo.New(t, filepath.Join(t.TempDir(), "proj"), "main").Dir
	push := func() doctor.Check {
		report := doctor.Run(t.Context(), doctor.Config{Project: dir, Temp: t.TempDir(), Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		}})
		for _, c := range report.Checks {
			if c.ID == "push" {
				return c
			}
		}
		t.Fatalf("no check of the push hook: %+v", report)
		return doctor.Check{}
	}
	if c := push(); c.Status != doctor.OK || !strings.Contains(c.Text, "devflow gate hook install") {
		t.Errorf("without a hook: %+v", c)
	}
	repo, err := gitx.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(t.TempDir(), "devflow")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	state, err := prepush.Install(t.Context(), repo, exe)
	if err != nil {
		t.Fatal(err)
	}
	if c := push(); c.Status != doctor.OK {
		t.Errorf("with our hook: %+v", c)
	}
	if err := os.WriteFile(state.Hook, []byte("#!/bin/sh\n# lefthook\ncall_lefthook run \"pre-push\" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := push(); c.Status != doctor.Warn || !strings.Contains(c.Text, "lefthook") || c.Hint == "" {
		t.Errorf("after lefthook took the file: %+v", c)
	}
}
