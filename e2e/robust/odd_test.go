package robust_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Things that lie where devflow expects something else: a pipe that nobody writes to, a folder, a file. No hook waits for
// them, and every fact is in the store or kept.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	type odd func(w *world) error
	pipe := func(path func(w *world) string) odd {
		return func(w *world) error {
			return firstError(os.MkdirAll(filepath.Dir(path(w)), 0o700), func() error { return syscall.Mkfifo(path(w), 0o600) })
		}
	}
	folder := func(path func(w *world) string) odd {
		return func(w *world) error { return os.MkdirAll(path(w), 0o700) }
	}
	file := func(path func(w *world) string, content string) odd {
		return func(w *world) error {
			return firstError(os.MkdirAll(filepath.Dir(path(w)), 0o700), func() error { return os.WriteFile(path(w), []byte(content), 0o600) })
		}
	}
	root := func(name string) func(w *world) string {
		return func(w *world) string { return filepath.Join(w.root, name) }
	}
	project := func(name string) func(w *world) string {
		return func(w *world) string { return filepath.Join(w.repo, name) }
	}
	for _, tc := range []struct {
		name   string
		setup  odd
		stored bool // else kept in the spool
	}{
		{"a pipe as configuration", pipe(root("config.toml")), true},
		{"a folder as configuration", folder(root("config.toml")), true},
		{"a configuration that is no TOML", file(root("config.toml"), "[[[\x00"), true},
		{"a pipe as the project's configuration", pipe(project(".devflow.toml")), true},
		{"noise as .git", file(project(".git"), "gitdir: /\x00\xff\n"), true},
		{"an empty .git", folder(project(".git")), true},
		{"a pipe as the edited file", pipe(project("src/a.py")), true},
		{"a pipe as the test of the edited file", pipe(project("src/test_a.py")), true},
		{"a pipe as a test elsewhere", pipe(project("tests/test_a.py")), true},
		{"a pipe as .git", pipe(project(".git")), true},
		{"a folder as the edited file", folder(project("src/a.py")), true},
		{"a file as the root", file(root(""), "x"), false},
		{"a file as the folder of the store", file(root("telemetry"), "x"), false},
		{"a pipe as the store", pipe(root("telemetry/devflow.db")), false},
		{"a folder as the WAL", folder(root("telemetry/devflow.db-wal")), false},
		{"a folder as the lock file", folder(root("telemetry/devflow.db.lock")), false},
		{"a pipe as the lock file", pipe(root("telemetry/devflow.db.lock")), true},
		{"a file as the session's folder", file(root("state/s1"), "x"), true},
		{"a pipe as the spec marker", pipe(root("state/s1/active-spec.json")), true},
		{"a pipe as the log, and nothing to store in", both(pipe(root("logs/hooks.jsonl")), file(root("telemetry"), "x")), false},
		{"a link as the spool, and nothing to store in", both(
			func(w *world) error {
				return firstError(os.MkdirAll(w.root, 0o700), func() error { return os.Symlink(w.repo, filepath.Join(w.root, "spool")) })
			}, file(root("telemetry"), "x"),
		), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := tc.setup(w); err != nil {
				t.Fatal(err)
			}
			for _, p := range programs {
				w.say("s1", p.events[0], fields{
					"prompt": "/spec fix: it", "source": "startup", "tool_name": "Write", "tool_input": fields{"file_path": filepath.Join(w.repo, "src/a.py"), "content": "x = 1\n"},
					"tool_response": fields{"type": "create", "filePath": filepath.Join(w.repo, "src/a.py")},
				})
			}
			log := strings.Join(w.log(), "")
			if strings.Contains(log, `"deadline"`) {
				t.Errorf("a hook waited: %s", log)
			}
			if kept := strings.Count(log, "kept in the spool"); !tc.stored && kept != len(programs) {
				t.Errorf("%d facts are kept, want %d: %s", kept, len(programs), log)
			}
			if tc.stored {
				if got := w.count("SELECT count(*) FROM hook_runs"); got != len(programs) {
					t.Errorf("%d rows, want %d; log %s", got, len(programs), log)
				}
			}
			if got := files(t, w.repo); strings.Contains(strings.Join(got, " "), "s1.spool") {
				t.Errorf("the spool was led to another folder: %q", got)
			}
		})
	}
}

func firstError(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

func both(first, second func(w *world) error) func(w *world) error {
	return func(w *world) error { return firstError(first(w), func() error { return second(w) }) }
}
