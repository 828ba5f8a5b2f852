package loop_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
)

// documentedEndpoint is the address that documents use for an endpoint.
const documentedEndpoint = "http://127.0.0.1:8080"

// flockDocs runs the documented lines of devflock in a project of their own: what one line makes, the next one finds.
type flockDocs struct {
	w   *world
	url string // of the endpoint
	end func()
	dir string // project
	bin string // has the client
}

func (w *world) newFlockDocs() (*flockDocs, error) {
	work, err := os.MkdirTemp(w.env("WORK"), "flock")
	if err != nil {
		return nil, err
	}
	f := &flockDocs{w: w, dir: filepath.Join(work, "proj"), bin: filepath.Join(work, "bin")}
	client, err := claudecli.Find(filepath.Join("..", ".."), claudecli.Versions()[1])
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.bin, 0o755); err != nil {
		return nil, err
	}
	if err := os.Symlink(client.Path, filepath.Join(f.bin, "claude")); err != nil {
		return nil, err
	}
	for _, line := range []string{"mkdir -p proj", "git -C proj init -q", "echo '# shop' > proj/README.md", "git -C proj add .", "git -C proj -c user.name=dev -c user.email=dev@example.org commit -qm start"} {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Dir, cmd.Env = work, w.personEnviron()
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	module := func(name string, deps ...string) map[string]any {
		return map[string]any{"name": name, "path": name, "weight": 1, "depends_on": append([]string{}, deps...)}
	}
	task := func(id, module, acceptance string, deps ...string) map[string]any {
		return map[string]any{"id": id, "module": module, "description": "the part of " + module, "depends_on": append([]string{}, deps...), "acceptance_cmd": acceptance}
	}
	f.url, _, f.end, err = taskmodel.Start(taskmodel.Model{
		Plan: map[string]any{
			"summary": "an HTTP API", "modules": []any{module("core"), module("api", "core")},
			"tasks": []any{task("prices", "core", "grep -q 3 prices.txt"), task("serve", "api", "cmp served.txt ../core/prices.txt", "prices")},
		},
		Tasks: map[string][]mockapi.Step{
			"prices": {mockapi.Turn(mockapi.Bash("echo 3 > prices.txt")), mockapi.Say("kept")},
			"serve":  {mockapi.Turn(mockapi.Bash("cd ../api && cp ../core/prices.txt served.txt")), mockapi.Say("served")},
		},
	})
	return f, err
}

// concerns is whether a line belongs to the story of devflock.
func (f *flockDocs) concerns(l docLine) bool {
	return strings.HasPrefix(l.text, "devflock ") || strings.HasPrefix(l.text, "git diff HEAD...devflock/")
}

func (f *flockDocs) run(l docLine) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.text = strings.ReplaceAll(l.text, documentedEndpoint, f.url)
	environ := f.w.personEnviron()
	for i, kv := range environ {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			environ[i] = "PATH=" + f.bin + ":" + filepath.Join(f.w.env("HOME"), ".claude", "devflow", "bin") + ":" + path
		}
	}
	return runLine(ctx, l, f.dir, environ)
}
