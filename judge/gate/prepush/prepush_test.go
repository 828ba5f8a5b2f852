package prepush_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/prepush"
	"github.com/google/go-cmp/cmp"
)

// world is a repository with a bare remote, and a stand-in for the executable that notes what it was given.
type world struct {
	gitrepo.Repo
	repo   gitx.Repo
	remote string
	exe    string // its path has blanks and quotes
	logs   string // folder of what the stand-ins note
}

func newWorld(t *testing.T, initArgs ...string) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{remote: filepath.Join(base, "remote.git"), logs: filepath.Join(base, "logs"), exe: filepath.Join(base, `it's "my" $(dir) \n`, "devflow")}
	w.Repo = gitrepo.New(t, filepath.Join(base, "work tree"), "main")
	if len(initArgs) > 0 {
		if err := os.RemoveAll(w.Path(".git")); err != nil {
			t.Fatal(err)
		}
		w.Git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	}
	w.Git(append([]string{"init", "-q", "--bare", w.remote}, initArgs...)...)
	w.Git("remote", "add", "origin", w.remote)
	w.Write("a", "1")
	w.Commit("one")
	for _, dir := range []string{w.logs, filepath.Dir(w.exe)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.noting(t, w.exe, "gate", 0)
	var err error
	if w.repo, err = gitx.Find(w.Dir); err != nil {
		t.Fatal(err)
	}
	return w
}

// noting writes a program that notes its arguments and standard input under a name, and ends with a status.
func (w *world) noting(t *testing.T, path, name string, status int) {
	t.Helper()
	put(t, path, fmt.Sprintf("#!/bin/sh\n# a hook\n{ printf '<%%s>' \"$@\"; echo; cat; } >>'%s/%s'\necho %s said no >&2\nexit %d\n", w.logs, name, name, status), 0o755)
}

// noted gives what was noted under a name, and forgets it.
func (w *world) noted(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(w.logs, name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// push runs git push in dir and gives what it says and whether it went through.
func push(t *testing.T, dir string, args ...string) (string, bool) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"push"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "PWD=."}
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &errs, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return errs.String(), err == nil
}

func (w *world) install(t *testing.T) prepush.State {
	t.Helper()
	s, err := prepush.Install(t.Context(), w.repo, w.exe)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) check(t *testing.T) prepush.State {
	t.Helper()
	s, err := prepush.Check(t.Context(), w.repo)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) remove(t *testing.T) prepush.State {
	t.Helper()
	s, err := prepush.Remove(t.Context(), w.repo)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// disk gives every file and folder below dir with mode and content.
func disk(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data) + info.ModTime().String()
		case info.Mode()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		all[strings.TrimPrefix(path, dir)] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (w *world) hook(name string) string { return w.Path(".git/hooks/" + name) }

func TestThePushRunsTheGate(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "--object-format="+format)
			head := w.Git("rev-parse", "HEAD")
			none := strings.Repeat("0", len(head))
			if s := w.install(t); s.Kind != prepush.Ours || s.Chained != "" || s.Exe != w.exe || s.Missing || s.Text() != "the pre-push hook runs devflow ("+w.hook("pre-push")+")" || s.Hint() != "" {
				t.Errorf("state %+v, text %q", s, s.Text())
			}
			if out, ok := push(t, w.Dir, "origin", "main"); !ok {
				t.Fatalf("push refused:\n%s", out)
			}
			want := "<gate><pre-push><origin><" + w.remote + ">\nrefs/heads/main " + head + " refs/heads/main " + none + "\n"
			if diff := cmp.Diff(want, w.noted(t, "gate")); diff != "" {
				t.Errorf("gate was given (-want +got):\n%s", diff)
			}
			w.Git("branch", "x")
			push(t, w.Dir, "origin", "x")
			w.noted(t, "gate")
			if out, ok := push(t, w.Dir, "origin", ":x"); !ok {
				t.Errorf("deletion refused:\n%s", out)
			}
			if got := w.noted(t, "gate"); !strings.Contains(got, "\n(delete) "+none+" refs/heads/x "+head+"\n") {
				t.Errorf("deletion: gate was given %q", got)
			}
		})
	}
}

func TestTheGateStopsThePush(t *testing.T) {
	t.Parallel()
	for _, status := range []int{1, 2, 3, 125, 128} {
		w := newWorld(t)
		w.noting(t, w.exe, "gate", status)
		w.install(t)
		out, ok := push(t, w.Dir, "origin", "main")
		if ok || !strings.Contains(out, "gate said no") {
			t.Errorf("status %d: pushed %t\n%s", status, ok, out)
		}
		if refs := w.Git("ls-remote", w.remote); refs != "" {
			t.Errorf("status %d: remote has %s", status, refs)
		}
	}
}

func TestAMissingExecutableLetsThePushGoOnWithAWarning(t *testing.T) {
	t.Parallel()
	breakers := map[string]func(t *testing.T, exe string){
		"deleted": func(t *testing.T, exe string) {
			if err := os.Remove(exe); err != nil {
				t.Fatal(err)
			}
		},
		"not executable":            func(t *testing.T, exe string) { put(t, exe, "x", 0o644) },
		"interpreter is not there":  func(t *testing.T, exe string) { put(t, exe, "#!/no/such/program\n", 0o755) },
		"program of another system": func(t *testing.T, exe string) { put(t, exe, "\x7fELF\x00\x00", 0o755) },
	}
	for name, breakIt := range breakers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install(t)
			breakIt(t, w.exe)
			out, ok := push(t, w.Dir, "origin", "main")
			if !ok || strings.Count(out, "this push was not checked") != 1 {
				t.Errorf("pushed %t\n%s", ok, out)
			}
			if s := w.check(t); s.Kind != prepush.Ours || s.Missing != (name == "deleted" || name == "not executable") || s.Missing && s.Hint() == "" {
				t.Errorf("state %+v", s)
			}
		})
	}
}

func TestChainedHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noting(t, w.hook("pre-push"), "old", 0)
	if s := w.check(t); s.Kind != prepush.None || s.By != "another hook" {
		t.Errorf("before: %+v", s)
	}
	if s := w.install(t); s.Kind != prepush.Ours || s.Chained != w.hook("pre-push.devflow-chained") {
		t.Errorf("state %+v", s)
	}
	installed := disk(t, w.Path(".git"))
	w.install(t)
	if diff := cmp.Diff(installed, disk(t, w.Path(".git"))); diff != "" {
		t.Errorf("a second install changes something (-first +second):\n%s", diff)
	}

	if out, ok := push(t, w.Dir, "origin", "main"); !ok {
		t.Fatalf("push refused:\n%s", out)
	}
	old, gate := w.noted(t, "old"), w.noted(t, "gate")
	if diff := cmp.Diff(old, strings.Replace(gate, "<gate><pre-push>", "", 1)); diff != "" || old == "" {
		t.Errorf("the two were given different things (-old hook +gate):\n%s", diff)
	}
	push(t, w.Dir, "origin", "main") // up to date: nothing on standard input
	if old, gate := w.noted(t, "old"), w.noted(t, "gate"); strings.Count(old, "\n") != strings.Count(gate, "\n") {
		t.Errorf("nothing to push: old hook %q, gate %q", old, gate)
	}

	w.noting(t, w.hook("pre-push.devflow-chained"), "old", 7)
	w.Commit("two")
	if out, ok := push(t, w.Dir, "origin", "main"); ok || !strings.Contains(out, "old said no") || w.noted(t, "gate") != "" {
		t.Errorf("the chained hook refuses, pushed %t\n%s", ok, out)
	}
	w.noting(t, w.exe, "gate", 3)
	w.noting(t, w.hook("pre-push.devflow-chained"), "old", 0)
	if out, ok := push(t, w.Dir, "origin", "main"); ok || !strings.Contains(out, "gate said no") {
		t.Errorf("the gate refuses, pushed %t\n%s", ok, out)
	}

	w2 := newWorld(t)
	w2.noting(t, w2.hook("pre-push"), "old", 0)
	before := disk(t, w2.Path(".git"))
	w2.install(t)
	if s := w2.remove(t); s.Kind != prepush.None || s.By != "another hook" || s.Kept != "" {
		t.Errorf("after removal: %+v", s)
	}
	if diff := cmp.Diff(before, disk(t, w2.Path(".git"))); diff != "" {
		t.Errorf("install and remove leave a difference (-before +after):\n%s", diff)
	}
}

func TestRemovalLeavesNothing(t *testing.T) {
	t.Parallel()
	setups := map[string]func(t *testing.T, w *world){
		"no hook": func(*testing.T, *world) {},
		"no hooks folder": func(t *testing.T, w *world) {
			if err := os.RemoveAll(w.hook("")); err != nil {
				t.Fatal(err)
			}
		},
		"hook that is not executable": func(t *testing.T, w *world) { put(t, w.hook("pre-push"), "#!/bin/sh\nexit 9\n", 0o644) },
		"hook with odd bytes and no line end": func(t *testing.T, w *world) {
			put(t, w.hook("pre-push"), "#!/bin/sh\r\n\xff\x00", 0o711)
		},
		"empty hook": func(t *testing.T, w *world) { put(t, w.hook("pre-push"), "", 0o755) },
		"link": func(t *testing.T, w *world) {
			put(t, w.Path("scripts/pre-push"), "#!/bin/sh\n", 0o755)
			if err := os.Symlink("../../scripts/pre-push", w.hook("pre-push")); err != nil {
				t.Fatal(err)
			}
		},
		"dangling link": func(t *testing.T, w *world) {
			if err := os.Symlink("../../gone", w.hook("pre-push")); err != nil {
				t.Fatal(err)
			}
		},
		"own folder by core.hooksPath": func(t *testing.T, w *world) {
			w.Git("config", "core.hooksPath", ".my hooks")
			put(t, w.Path(".my hooks/pre-push"), "#!/bin/sh\n", 0o755)
		},
		"folder of core.hooksPath is missing": func(_ *testing.T, w *world) { w.Git("config", "core.hooksPath", "not/there") },
	}
	for name, setup := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			setup(t, w)
			before := disk(t, w.Dir)
			if s := w.install(t); s.Kind != prepush.Ours {
				t.Errorf("state %+v", s)
			}
			if out, ok := push(t, w.Dir, "origin", "main"); !ok && name != "hook with odd bytes and no line end" || !strings.Contains(w.noted(t, "gate"), "pre-push") && ok {
				t.Errorf("pushed %t\n%s", ok, out)
			}
			w.remove(t)
			after := disk(t, w.Dir)
			for path := range after {
				if strings.HasPrefix(path, "/.git/refs/remotes") || strings.HasPrefix(path, "/.git/logs") {
					delete(after, path)
				}
			}
			for path := range before {
				if strings.HasPrefix(path, "/.git/logs") {
					delete(before, path)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("install, push and remove leave a difference (-before +after):\n%s", diff)
			}
			if s := w.check(t); s.Kind != prepush.None {
				t.Errorf("after removal: %+v", s)
			}
		})
	}
}
