package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/verify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" { // this binary is the launcher of its own sandboxes
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// kinds are the confinements that every test of behaviour is run under.
var kinds = [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.None}

func box(t *testing.T, kind sandbox.Kind) sandbox.Sandbox {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := sandbox.Find(t.Context(), kind, []string{self, "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// project is a linked work tree of a repository, as a region has one, with files in it.
type project struct{ repo, tree string }

func newProject(t *testing.T, files map[string]string) project {
	t.Helper()
	dir := t.TempDir()
	p := project{filepath.Join(dir, "repo"), filepath.Join(dir, "tree")}
	mustGit(t, dir, "init", "-q", "-b", "main", p.repo)
	files[".gitignore"] = "build/\n"
	for name, content := range files {
		write(t, filepath.Join(p.repo, name), content)
	}
	mustGit(t, p.repo, "add", "-A")
	mustGit(t, p.repo, "commit", "-q", "-m", "base")
	mustGit(t, p.repo, "config", "http.https://host.example/.extraheader", "AUTHORIZATION: basic c2VjcmV0")
	mustGit(t, p.repo, "worktree", "add", "-q", "--detach", p.tree)
	return p
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func options(t *testing.T) verify.Options {
	t.Helper()
	dir := t.TempDir()
	return verify.Options{Home: filepath.Join(dir, "checks"), Evidence: filepath.Join(dir, "evidence"), Timeout: time.Minute, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}}
}

// each runs a test under every confinement.
func each(t *testing.T, f func(t *testing.T, b sandbox.Sandbox)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f(t, box(t, kind))
		})
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		ok            bool
		output        []string // in this order
	}{
		{"success", "echo out; echo err >&2; pwd", true, []string{"out\nerr\n", "/tree/src/api\n"}},
		{"status", "echo why; exit 3", false, []string{"failed with exit status 3 after", "\nwhy\n"}},
		{"a comment at the end", "true # fine)", true, nil},
		{"brackets that do not match", "true) && (exit 0", false, []string{"exit status"}},
		{"a here-document", "cat <<X\nhello\nX", true, []string{"hello\n"}},
		{"quotes", `test "a'b" = 'a'"'"'b'`, true, nil},
		{"the last command decides", "false; true", true, nil},
		{"cd in it", "cd ../.. && ls", true, []string{"src\n"}},
		{"signal", "kill -SEGV $$", false, []string{"ended by a signal", "segmentation fault, the program crashed (exit status 139)"}},
		{"no such program", "devflock-no-such-program --x", false, []string{"could not be run (exit status 127)", "command not found"}},
		{"not executable", "./data.txt", false, []string{"could not be run (exit status 126)"}},
		{"no input", "cat; echo end", true, []string{"end\n"}},
		{"colours are taken out", `printf '\033[31mred\033[0m \033]0;title\007x\r\n'`, true, []string{"red x\n"}},
	}
	p := newProject(t, map[string]string{"src/api/data.txt": "x", "src/web/x": "y"})
	each(t, func(t *testing.T, b sandbox.Sandbox) {
		v := verify.New(b, options(t))
		for _, tt := range tests {
			got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: filepath.Join(p.tree, "src", "api"), Command: tt.command})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			rest, missing := got.Output, ""
			for _, want := range tt.output {
				_, after, found := strings.Cut(rest, want)
				if rest = after; !found {
					missing = want
				}
			}
			if got.OK != tt.ok || got.TimedOut || missing != "" {
				t.Errorf("%s: OK %t, timed out %t, no %q in:\n%s", tt.name, got.OK, got.TimedOut, missing, got.Output)
			}
		}
	})
}

// What a command may see, write and reach.
func TestConfined(t *testing.T) {
	t.Parallel()
	for _, kind := range [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := box(t, kind)
			p := newProject(t, map[string]string{"src/api/a.txt": "x"})
			outside := filepath.Join(filepath.Dir(p.tree), "outside.txt")
			write(t, outside, "secret")
			o := options(t)
			v := verify.New(b, o)
			tests := []struct {
				name, command string
				ok            bool
			}{
				{"writes in the project", "mkdir -p build && echo x > build/out && echo x > ../new.txt", true},
				{"reads the project", "cat a.txt", true},
				{"writes beside the tree", "echo x > " + outside + "; true", true}, // in vain, as is seen below
				{"reads beside the tree", "cat " + outside, false},
				{"writes where git looks", "echo gitdir: /tmp > ../../.git", false},
				{"removes where git looks", "rm -f ../../.git && test ! -e ../../.git", false},
				{"reads the credentials of the repository", "cat " + filepath.Join(p.repo, ".git", "config") + " | grep AUTHORIZATION", false},
				{"writes in the repository", "echo x > " + filepath.Join(p.repo, ".git", "refs", "heads", "evil"), false},
				{"has a home of its own", `case "$HOME" in ` + o.Home + `/*) echo x > "$HOME/f";; *) exit 1;; esac`, true},
				{"has temporary files", `echo x > "$(mktemp)"`, true},
				{"sees no variable of ours", "env | grep -c GOTRACEBACK_TEST || true; test -z \"$SSH_AUTH_SOCK$ANTHROPIC_API_KEY\"", true},
				{"reaches no network", "exec 3<>/dev/tcp/127.0.0.1/22", false},
			}
			for _, tt := range tests {
				got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: filepath.Join(p.tree, "src", "api"), Command: tt.command})
				if err != nil || got.OK != tt.ok {
					t.Errorf("%s: OK %t (%v):\n%s", tt.name, got.OK, err, got.Output)
				}
			}
			if got := read(t, outside); got != "secret" {
				t.Errorf("the file outside holds %q", got)
			}
		})
	}
}

func TestGitWorksInsideBwrap(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"api/a.txt": "x"})
	write(t, filepath.Join(p.tree, "api", "a.txt"), "changed")
	v := verify.New(box(t, sandbox.Bwrap), options(t))
	got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: filepath.Join(p.tree, "api"), Command: "git status --porcelain && git show HEAD:api/a.txt && git ls-files && ! git config --get-regexp extraheader"})
	if err != nil || !got.OK || !strings.Contains(got.Output, " M a.txt") && !strings.Contains(got.Output, " M api/a.txt") {
		t.Errorf("OK %t (%v):\n%s", got.OK, err, got.Output)
	}
}

// Nothing of a command lives on: not what left its process group, not what holds its output.
func TestTimeOutKillsEverything(t *testing.T) {
	t.Parallel()
	commands := map[string]string{
		"in the foreground":            "sleep 997",
		"children hold the pipe":       "sleep 997 & wait",
		"in a session of its own":      "setsid sleep 997 & wait; sleep 997",
		"nobody's child, deaf to TERM": `(trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 &); sleep 997`,
	}
	each(t, func(t *testing.T, b sandbox.Sandbox) {
		for name, command := range commands {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newProject(t, map[string]string{"a": "x"})
				o := options(t)
				o.Timeout = 1500 * time.Millisecond
				mark := "devflock-mark-" + filepath.Base(filepath.Dir(p.tree)) + fmt.Sprint(len(name), b.Kind())
				o.Env = append(o.Env, "TEST_MARK="+mark)
				got, err := verify.New(b, o).Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: p.tree, Command: command})
				if err != nil || got.OK || !got.TimedOut || !strings.Contains(got.Output, "did not end within 1.5s and was killed") {
					t.Fatalf("OK %t, timed out %t (%v):\n%s", got.OK, got.TimedOut, err, got.Output)
				}
				if alive := holders(t, mark); len(alive) > 0 {
					t.Errorf("still alive: %v", alive)
				}
			})
		}
	})
}

// A command that ends well takes what it started along, too.
func TestNothingStaysAfterSuccess(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b sandbox.Sandbox) {
		p := newProject(t, map[string]string{"a": "x"})
		o := options(t)
		mark := "devflock-after-" + filepath.Base(filepath.Dir(p.tree)) + string(b.Kind())
		o.Env = append(o.Env, "TEST_MARK="+mark)
		got, err := verify.New(b, o).Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: p.tree, Command: "(setsid nohup sleep 996 >/dev/null 2>&1 &); sleep 995 & echo started"})
		if err != nil || !got.OK || got.Output != "started\n" {
			t.Fatalf("OK %t (%v): %q", got.OK, err, got.Output)
		}
		if alive := holders(t, mark); len(alive) > 0 {
			t.Errorf("still alive: %v", alive)
		}
	})
}

// holders are the processes that have mark in their environment and are no zombies.
func holders(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(env), "TEST_MARK="+mark+"\x00") {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			found = append(found, filepath.Base(filepath.Dir(f))+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}

func TestOutputIsBoundedAndKept(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "x"})
	o := options(t)
	o.MaxOutput = 2000
	got, err := verify.New(box(t, sandbox.Bwrap), o).Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: p.tree, Command: "seq 1 100000; exit 1"})
	if err != nil || got.OK || len(got.Output) > 2300 || !strings.Contains(got.Output, "\n1\n2\n3\n") || !strings.Contains(got.Output, "bytes left out") || !strings.HasSuffix(got.Output, "99999\n100000\n") {
		t.Errorf("OK %t (%v), %d bytes:\n%s", got.OK, err, len(got.Output), got.Output)
	}
	files, err := filepath.Glob(filepath.Join(o.Evidence, "*-api-*.txt"))
	if err != nil || len(files) != 1 {
		t.Fatalf("evidence %v (%v)", files, err)
	}
	text := read(t, files[0])
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("evidence is %v (%v)", info.Mode(), err)
	}
	for _, want := range []string{"command: seq 1 100000; exit 1\n", "confinement: bwrap\n", "result: The command failed with exit status 1", "99999\n100000\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the evidence:\n%s", want, text)
		}
	}
}

func TestWhatIsNoVerdict(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "x"})
	b := box(t, sandbox.Bwrap)
	v := verify.New(b, options(t))
	gone, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the run is stopped")
	cancel(stop)
	tests := []struct {
		name  string
		v     *verify.Verifier
		ctx   context.Context
		check schedule.Check
	}{
		{"context has ended", v, gone, schedule.Check{Root: p.tree, Dir: p.tree, Command: "true"}},
		{"no command", v, t.Context(), schedule.Check{Root: p.tree, Dir: p.tree, Command: " "}},
		{"a NUL in it", v, t.Context(), schedule.Check{Root: p.tree, Dir: p.tree, Command: "a\x00b"}},
		{"folder outside", v, t.Context(), schedule.Check{Root: p.tree, Dir: p.repo, Command: "true"}},
		{"folder is missing", v, t.Context(), schedule.Check{Root: p.tree, Dir: filepath.Join(p.tree, "none"), Command: "true"}},
		{"a region that is a path", v, t.Context(), schedule.Check{Region: "../x", Root: p.tree, Dir: p.tree, Command: "true"}},
		{"no confinement was chosen", verify.New(sandbox.Sandbox{}, options(t)), t.Context(), schedule.Check{Root: p.tree, Dir: p.tree, Command: "true"}},
	}
	for _, tt := range tests {
		if got, err := tt.v.Verify(tt.ctx, tt.check); err == nil || got.OK {
			t.Errorf("%s: OK %t, %v, want an error", tt.name, got.OK, err)
		} else if tt.ctx == gone && !errors.Is(err, stop) {
			t.Errorf("%s: %v, want the cause", tt.name, err)
		}
	}
}

// What a command leaves in its folders leads nobody elsewhere: neither the verifier, which clears up there, nor the next command.
func TestLinksOfACommandLeadNobodyElsewhere(t *testing.T) {
	t.Parallel()
	for _, kind := range [...]sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"a": "x"})
			mine := t.TempDir()
			old := time.Now().Add(-48 * time.Hour)
			for _, name := range []string{"docs/precious.txt", "docs/sub/file.txt", "cargo/registry/x", "cargo/git/x"} {
				write(t, filepath.Join(mine, name), "precious")
				if err := errors.Join(os.Chtimes(filepath.Join(mine, name), old, old), os.Chtimes(filepath.Dir(filepath.Join(mine, name)), old, old)); err != nil {
					t.Fatal(err)
				}
			}
			docs := filepath.Join(mine, "docs")
			o := options(t)
			o.Caches = verify.Caches{Cargo: filepath.Join(mine, "cargo")}
			v := verify.New(box(t, kind), o)
			command := `D=` + docs + `; for x in "$TMPDIR" "$HOME" "$XDG_CACHE_HOME" "$XDG_CACHE_HOME/cargo" "$TMPDIR/in" "$HOME/../git-config" "$HOME/../tmp"; do rm -rf "$x"; mv "$x" "$x.old"; ln -s "$D" "$x"; done; ls -laR "$HOME/.."; true`
			for n := range 3 {
				got, err := v.Verify(t.Context(), schedule.Check{Region: "api", Root: p.tree, Dir: p.tree, Command: command})
				if err != nil || !got.OK {
					t.Errorf("check %d: OK %t (%v):\n%s", n, got.OK, err, got.Output)
				}
			}
			if got, err := filepath.Glob(filepath.Join(docs, "*")); err != nil || len(got) != 2 {
				t.Errorf("the person's folder holds %q (%v)", got, err)
			}
			read(t, filepath.Join(docs, "sub", "file.txt"))
		})
	}
}
