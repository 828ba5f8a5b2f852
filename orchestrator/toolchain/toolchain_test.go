package toolchain_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/toolchain"
)

func TestOnlyToolsReachAWorker(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bin := filepath.Join(home, "tools", "bin")
	for _, dir := range []string{bin, filepath.Join(home, "go", "pkg", "mod", "cache", "download")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{
		"HOME": home, "PATH": bin + ":/usr/bin:relative::" + bin + ":/nowhere/bin", "ANTHROPIC_API_KEY": "k", "GOPROXY": "https://user:pw@proxy.example", "GOFLAGS": "-mod=mod",
		"NODE_OPTIONS": "--require /evil.js", "LD_PRELOAD": "/evil.so",
	}
	tools := toolchain.Find(func(name string) string { return env[name] }, []string{"/opt/sdk"})
	if d := cmp.Diff([]string{"PATH=" + bin + ":/usr/bin:/nowhere/bin", "LANG=C.UTF-8", "TERM=dumb", "GOFLAGS=-mod=mod"}, tools.Environ); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]sandbox.Bind{{From: bin}, {From: "/opt/sdk"}}, tools.ReadOnly); d != "" {
		t.Errorf("folders (-want +got):\n%s", d)
	}
	environ, read := tools.Worker()
	if cache := filepath.Join(home, "go", "pkg", "mod", "cache", "download"); !slices.Contains(environ, "GOPROXY=file://"+cache) || !slices.Contains(read, sandbox.Bind{From: cache}) {
		t.Errorf("a worker sees %q and reads %v, want the packages of Go", environ, read)
	}
	if got := toolchain.Find(func(string) string { return "" }, nil).Environ[0]; got != "PATH=/usr/local/bin:/usr/bin:/bin" {
		t.Errorf("without a PATH: %s", got)
	}
}
