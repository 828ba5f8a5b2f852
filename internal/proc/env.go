package proc

import (
	"os"
	"slices"
	"strings"
)

// ChildMarker is set to 1 in every child, so that hooks which a nested client starts again do nothing.
const ChildMarker = "DEVFLOW_CHILD"

// inherited names the variables that a child may see of ours. Whatever can hold a key (API tokens, proxies with a
// password, agent sockets) or redirect a tool (GIT_DIR, LD_PRELOAD, PYTHONPATH) is missing on purpose; a caller that
// needs one adds it by Cmd.Env.
var inherited = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"DEVFLOW_HOME", "DEVFLOW_DB",
}

// Environ gives the environment of a child: the inherited names and LC_*, then extra (later entries win), then the
// marker, which nothing can take away. Entries without "=" are dropped.
func Environ(extra ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		key, _, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(inherited[:], key) || strings.HasPrefix(key, "LC_")) {
			env = append(env, kv)
		}
	}
	return merge(env, extra)
}

func merge(env, extra []string) []string {
	for _, kv := range extra {
		if key, _, ok := strings.Cut(kv, "="); ok && key != "" {
			env = set(env, key, kv)
		}
	}
	return set(env, ChildMarker, ChildMarker+"=1")
}

func (c Cmd) environ(dir string) []string {
	switch {
	case c.Bare:
		return merge(nil, c.Env)
	case dir == "":
		return Environ(c.Env...)
	}
	return Environ(append([]string{"PWD=" + dir}, c.Env...)...)
}

func set(env []string, key, kv string) []string {
	for i := range env {
		if k, _, _ := strings.Cut(env[i], "="); k == key {
			env[i] = kv
			return env
		}
	}
	return append(env, kv)
}

func lookup(env []string, key string) string {
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == key {
			return v
		}
	}
	return ""
}
