// Package toolchain says what of the person's environment reaches workers and checks, so that the tools which the person works with
// are there: where programs are, and the packages that are on the machine already. Keys, homes and everything else stay out.
//
// It owns no table and makes no file.
package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/verify"
)

// defaultPath is used when the person has no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// passed are variables of toolchains that hold no secret and load no code.
var passed = [...]string{"GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "JAVA_HOME"}

// Tools is what may be seen. It is a value.
type Tools struct {
	Environ  []string       // KEY=value
	ReadOnly []sandbox.Bind // folders outside of the system's own
	Caches   verify.Caches
}

// Find looks at the person's environment. expose are more folders that a person has named.
func Find(getenv func(string) string, expose []string) Tools {
	t := Tools{Caches: verify.FindCaches(getenv, getenv("HOME"))}
	var dirs []string
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) || slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if system(dir) {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			t.ReadOnly = append(t.ReadOnly, sandbox.Bind{From: dir})
		}
	}
	for _, dir := range expose {
		t.ReadOnly = append(t.ReadOnly, sandbox.Bind{From: dir})
	}
	path := strings.Join(dirs, string(filepath.ListSeparator))
	if path == "" {
		path = defaultPath
	}
	t.Environ = []string{"PATH=" + path, "LANG=C.UTF-8", "TERM=dumb"}
	for _, name := range passed {
		if v := getenv(name); v != "" && !strings.Contains(v, "@") { // no address with a password
			t.Environ = append(t.Environ, name+"="+v)
		}
	}
	return t
}

// system is whether a sandbox shows a folder by itself.
func system(dir string) bool {
	return strings.HasPrefix(dir, "/usr/") || dir == "/bin" || dir == "/sbin"
}

// Worker is what a worker sees: its environment and what it may read. Packages come from the caches, because it has no network.
func (t Tools) Worker() (environ []string, read []sandbox.Bind) {
	return slices.Concat(t.Environ, t.Caches.Environ()), slices.Concat(t.ReadOnly, t.Caches.Binds())
}
