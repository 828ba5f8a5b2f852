package guard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// A script that was written in an earlier call is read when it is run; one that git has as it is belongs to the project.
func TestScriptFilesAreReadWhenTheyRun(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t, filepath.Join(t.TempDir(), "proj"), "main")
	for name, text := range map[string]string{
		"committed.sh": "#!/bin/sh\nrm -rf \"$HOME\"\n",
		"changed.sh":   "echo fine\n",
	} {
		repo.Write(name, text)
	}
	repo.Commit("start")
	repo.Write("changed.sh", "git reset --hard\n")
	for name, text := range map[string]string{
		"new.sh":      "#!/usr/bin/env bash\nset -e\ncd src\nrm -rf ~\n",
		"clean.sh":    "set -eu\nrm -rf \"$1\" build dist\nrm -rf \"${OUT:-out}\"\n",
		"new.py":      "import shutil\nshutil.rmtree('/')\n",
		"tool":        "#!/usr/bin/env python3\nimport os\nos.system('git clean -fdx')\n",
		"honest.py":   "import json\nprint(json.dumps({'rm -rf': '/'}))\n",
		"publish.sh":  "npm test\ngit push --force origin main\n",
		"binary":      "\x7fELF\x00rm -rf ~\n",
		"switches.sh": "git commit --no-verify -m x\n",
	} {
		repo.Write(name, text)
	}
	found, err := gitx.Find(repo.Dir)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	paths, err := config.ResolvePaths(func(name string) string { return map[string]string{"HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	o := guard.Origin{Paths: paths, Config: config.Default(), Project: found.Root, Repo: found, HasRepo: true, Cwd: found.Root, Exe: "/opt/devflow/devflow", Getenv: os.Getenv}
	for command, want := range map[string]verdict.Decision{
		"bash new.sh": verdict.Deny, "./new.sh": verdict.Deny, "sh ./new.sh arg": verdict.Deny, "source new.sh": verdict.Deny, "cd . && bash new.sh": verdict.Deny,
		"sudo bash new.sh": verdict.Deny, "bash -x new.sh": verdict.Deny, "chmod +x new.sh && ./new.sh": verdict.Deny,
		"python3 new.py": verdict.Deny, "./tool": verdict.Deny, "bash changed.sh": verdict.Deny, "bash publish.sh": verdict.Deny, "bash switches.sh": verdict.Deny,
		"bash committed.sh": verdict.Pass, "bash clean.sh x": verdict.Pass, "python3 honest.py": verdict.Pass, "./binary": verdict.Pass, "bash missing.sh": verdict.Pass,
		"cat new.sh": verdict.Pass, "bash -n new.sh": verdict.Pass, "chmod +x new.sh": verdict.Pass, "shellcheck new.sh": verdict.Pass,
	} {
		l := line.Read(command, o.Around())
		if got := verdict.Worst(guard.Check(&l, o.Scene())); got != want {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
	if l := line.Read("bash publish.sh", o.Around()); len(l.Pushes) != 1 {
		t.Errorf("%d pushes in a script that pushes", len(l.Pushes))
	}
}
