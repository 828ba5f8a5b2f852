package robust_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
)

// mountsVar tells a test process that it is in a mount namespace of its own, and for which test.
const mountsVar = "DEVFLOW_ROBUST_MOUNTS"

// ownMounts runs the calling test again in a process that has a mount namespace of its own, where it may mount what it
// likes without anybody seeing it. It reports whether this is that process. A user without rights gets them in a user
// namespace; where neither is allowed the test fails.
func ownMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountsVar) == t.Name() {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"unshare", "-m"}
	if os.Getuid() != 0 {
		argv = []string{"unshare", "-U", "-r", "-m"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	argv = append(argv, self, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v", "-test.timeout="+limit.String())
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), mountsVar+"="+t.Name(), programsVar+"="+built.programs, loneVar+"="+built.lone)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("in a mount namespace of its own: %v\n%s", err, out)
	}
	return false
}

// readOnly makes a folder read-only for everybody, root included, until writable is called.
func readOnly(t testing.TB, dir string) (writable func()) {
	t.Helper()
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Fatal(os.NewSyscallError("bind "+dir, err))
	}
	mounted := true
	writable = func() {
		if mounted {
			mounted = false
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(os.NewSyscallError("unmount "+dir, err))
			}
		}
	}
	t.Cleanup(writable)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	// What the outer namespace has set may not be taken back in a user namespace. These bits are the same in both calls.
	const kept = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME
	flags := uintptr(fs.Flags)&kept | syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY
	if err := syscall.Mount("", dir, "", flags, ""); err != nil {
		t.Fatal(os.NewSyscallError("remount "+dir, err))
	}
	if err := os.WriteFile(filepath.Join(dir, "probe"), nil, 0o600); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("write below a read-only mount: %v, want EROFS", err)
	}
	return writable
}

func TestARootThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if !ownMounts(t) {
		return
	}
	for _, tc := range []struct {
		name  string
		setup func(w *world) (dir string, rows int)
	}{
		{"with a store", func(w *world) (string, int) {
			w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
			return w.root, 1
		}},
		{"with a store that was closed", func(w *world) (string, int) {
			w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
			w.update(func(*store.Tx) error { return nil })
			return w.root, 1
		}},
		{"empty", func(w *world) (string, int) {
			if err := os.MkdirAll(w.root, 0o700); err != nil {
				w.t.Fatal(err)
			}
			return w.root, 0
		}},
		{"missing", func(w *world) (string, int) { return filepath.Dir(w.root), 0 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			dir, rows := tc.setup(w)
			before := sums(t, dir)
			writable := readOnly(t, dir)
			w.unusable(2 * len(programs))
			if now := sums(t, dir); len(now) != len(before) {
				t.Errorf("the root has other files: %v", files(t, dir))
			}
			if n := len(files(t, filepath.Join(w.fallback(), "spool"))); n != 2*len(programs) {
				t.Errorf("%d files in the fallback spool, want one of each session", n)
			}
			writable()
			w.drained(rows + 2*len(programs))
		})
	}
}

// Nothing can be written anywhere: all that is left is to let the session go on and to say why on stderr.
func TestNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	if !ownMounts(t) {
		return
	}
	w := newWorld(t)
	w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
	defer readOnly(t, w.dir)()
	for i := range 2 * len(programs) {
		name, session, data := w.input(i)
		r := w.raw(name, data)
		if r.err != nil || len(r.stdout) > 0 && name != "devflow-session-start" || valid("SessionStart", r.stdout) != nil {
			t.Errorf("%s: %v, stdout %q", name, r.err, r.stdout)
		}
		if !strings.Contains(string(r.stderr), `"spool fact"`) || !strings.Contains(string(r.stderr), session) {
			t.Errorf("%s: stderr does not tell what was lost: %s", name, r.stderr)
		}
	}
	if got := w.count("SELECT count(*) FROM hook_runs"); got != 1 {
		t.Errorf("%d rows, want the first one", got)
	}
}

// disk mounts a file system of a size in KiB on a folder.
func disk(t testing.TB, dir string, kib int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=700", kib)); err != nil {
		t.Fatal(os.NewSyscallError("mount "+dir, err))
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(os.NewSyscallError("unmount "+dir, err))
		}
	})
}

// fill leaves that many blocks of a disk free, and gives the file that takes the others.
func fill(t testing.TB, dir string, free int) (file string) {
	t.Helper()
	file = filepath.Join(dir, "fill")
	var fs syscall.Statfs_t
	err := os.RemoveAll(file)
	if err == nil {
		err = os.WriteFile(file, nil, 0o600)
	}
	if err == nil {
		err = syscall.Statfs(dir, &fs)
	}
	if err == nil {
		err = os.WriteFile(file, make([]byte, max(int(fs.Bavail)-free, 0)*int(fs.Bsize)), 0o600)
	}
	if err == nil {
		err = syscall.Statfs(dir, &fs)
	}
	if err != nil || int(fs.Bavail) > free {
		t.Fatalf("fill %s: %d blocks are free, want %d: %v", dir, fs.Bavail, free, err)
	}
	return file
}

// A full disk, and every amount of room at which something else is the first thing that fails: the commit, the index of the
// WAL, the spool, the log. Every fact is either in the store or kept, and comes back when there is room.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	if !ownMounts(t) {
		return
	}
	w := newWorld(t)
	disk(t, w.root, 2048)
	rows := 0
	for free := range 48 {
		if free%2 == 0 { // the store is not made yet
			if err := os.RemoveAll(filepath.Join(w.root, "telemetry")); err != nil {
				t.Fatal(err)
			}
			rows = 0
		}
		file := fill(t, w.root, free)
		for i := range 3 {
			name, session, data := w.input(free*3 + i)
			out := w.ok(name, data)
			if out != "" && (name != "devflow-session-start" || valid("SessionStart", []byte(out)) != nil) {
				t.Errorf("%s with %d free blocks: it answers %s", name, free, out)
			}
			rows++
			if stored := w.has(session); stored == (w.kept(session) > 0) {
				t.Errorf("%s with %d free blocks: the fact is in the store: %v, and %d lines say that it is kept: %q", name, free, stored, w.kept(session), w.log())
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		w.drained(rows)
		rows += 2
	}
}

// has reports whether the store has a row of a session. A store that cannot be opened has none.
func (w *world) has(session string) bool {
	w.t.Helper()
	db, err := store.Open(w.database(), store.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	defer db.Close()
	found := false
	err = db.View(func(tx *store.Tx) error {
		found, err = tx.One("SELECT 1 FROM hook_runs WHERE session_id=?", []any{session}, new(int64))
		return err
	})
	return err == nil && found
}
