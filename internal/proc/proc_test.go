package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// roleVar makes this test binary play a part instead of running the tests.
const roleVar = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "detacher": // starts the child of TestDetach and ends at once
		err := proc.Detach(proc.Cmd{Argv: []string{os.Args[0]}, Env: []string{roleVar + "=child", "GO_FIFO=" + os.Getenv("GO_FIFO"), "REPORT_FIFO=" + os.Getenv("REPORT_FIFO")}})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("started")
		os.Exit(0)
	case "child":
		os.Exit(child())
	case "env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child waits until the test lets it go, which is after the end of its parent's output, and reports what it is.
func child() int {
	if _, err := os.ReadFile(os.Getenv("GO_FIFO")); err != nil {
		return 1
	}
	sid, _, _ := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	streams := ""
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		info, err := f.Stat()
		if err != nil {
			return 1
		}
		streams += info.Mode().Type().String() + ";"
	}
	out := fmt.Sprintf("leader=%t marker=%s streams=%s", int(sid) == os.Getpid(), os.Getenv(proc.ChildMarker), streams)
	if err := os.WriteFile(os.Getenv("REPORT_FIFO"), []byte(out), 0o600); err != nil {
		return 1
	}
	return 0
}

func sh(script string) proc.Cmd { return proc.Cmd{Argv: []string{"sh", "-c", script}} }

func TestRunGivesOutputAndStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		cmd         proc.Cmd
		out, errOut string
		exit        int
	}{
		{"both streams and a status", sh("echo out; echo err >&2; exit 3"), "out\n", "err\n", 3},
		{"stdin is fed", proc.Cmd{Argv: []string{"cat"}, Stdin: []byte("hello")}, "hello", "", 0},
		{"no stdin is the null device", proc.Cmd{Argv: []string{"cat"}}, "", "", 0},
		{"stdin that nobody reads", proc.Cmd{Argv: []string{"true"}, Stdin: make([]byte, 1<<20)}, "", "", 0},
		{"ended by a signal of its own", sh("kill -9 $$"), "", "", 128 + 9},
		{"arguments are not a shell line", proc.Cmd{Argv: []string{"echo", "$HOME;", "a b"}}, "$HOME; a b\n", "", 0},
		{"working folder", proc.Cmd{Argv: []string{"sh", "-c", "pwd; echo $PWD"}, Dir: "/"}, "/\n/\n", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := proc.Run(t.Context(), tt.cmd)
			if err != nil {
				t.Fatalf("Run(%q): %v", tt.cmd.Argv, err)
			}
			got := []any{string(res.Stdout), string(res.Stderr), res.Exit, res.Truncated}
			if diff := cmp.Diff([]any{tt.out, tt.errOut, tt.exit, false}, got); diff != "" {
				t.Errorf("Run(%q) (-want +got):\n%s", tt.cmd.Argv, diff)
			}
		})
	}
}

func TestRunBoundsOutputKeepingBothEnds(t *testing.T) {
	t.Parallel()
	c := sh(`i=0; while [ $i -lt 5000 ]; do echo line$i; i=$((i+1)); done`)
	c.MaxOutput = 1000
	res, err := proc.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	got := string(res.Stdout)
	if !res.Truncated || len(got) > 1100 || !strings.HasPrefix(got, "line0\nline1\n") || !strings.HasSuffix(got, "line4998\nline4999\n") || !strings.Contains(got, "bytes left out") {
		t.Errorf("truncated %t, %d bytes, begins %q, ends %q", res.Truncated, len(got), got[:20], got[len(got)-20:])
	}
}

func TestRunMissingThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, script := filepath.Join(dir, "plain"), filepath.Join(dir, "script")
	writeFile(t, plain, "x", 0o600)
	writeFile(t, script, "#!/no/such/interpreter\n", 0o700)
	tests := []struct {
		name    string
		cmd     proc.Cmd
		missing bool
	}{
		{"name on no folder of PATH", proc.Cmd{Argv: []string{"devflow-no-such-program"}}, true},
		{"empty argument list", proc.Cmd{}, true},
		{"path to nothing", proc.Cmd{Argv: []string{filepath.Join(dir, "none")}}, true},
		{"path to a file that cannot be executed", proc.Cmd{Argv: []string{plain}}, true},
		{"interpreter is missing", proc.Cmd{Argv: []string{script}}, true},
		{"the PATH of the child counts", proc.Cmd{Argv: []string{"sh"}, Env: []string{"PATH=" + dir}}, true},
		{"relative entries of PATH are not searched", proc.Cmd{Argv: []string{"script"}, Dir: dir, Env: []string{"PATH=.:"}}, true},
		{"working folder is missing", proc.Cmd{Argv: []string{"true"}, Dir: filepath.Join(dir, "none")}, false},
		{"working folder is a file", proc.Cmd{Argv: []string{"true"}, Dir: plain}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := proc.Run(t.Context(), tt.cmd)
			if err == nil || errors.Is(err, proc.ErrNotFound) != tt.missing || res.Exit != -1 {
				t.Errorf("Run: exit %d, error %v, want ErrNotFound %t", res.Exit, err, tt.missing)
			}
			if err := proc.Detach(tt.cmd); err == nil || errors.Is(err, proc.ErrNotFound) != tt.missing {
				t.Errorf("Detach: error %v, want ErrNotFound %t", err, tt.missing)
			}
		})
	}
}

func TestRunEndsTheWholeGroupOnCancel(t *testing.T) {
	t.Parallel()
	fifo := makeFifo(t)
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := proc.Run(ctx, proc.Cmd{
			Argv:  []string{"sh", "-c", `trap '' TERM; (trap '' TERM; sh -c 'echo $PPID' > "$0"; while :; do sleep 1; done) & while :; do sleep 1; done`, fifo},
			Grace: 50 * time.Millisecond,
		})
		done <- err
	}()
	pid := readPid(t, fifo)
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause %v", err, stop)
	}
	if !gone(pid) {
		t.Errorf("grandchild %d, deaf to TERM, is still there", pid)
	}
}

func TestRunLetsTheChildEndOnTerm(t *testing.T) {
	t.Parallel()
	fifo := makeFifo(t)
	ctx, cancel := context.WithCancel(t.Context())
	type ended struct {
		res proc.Result
		err error
	}
	done := make(chan ended, 1)
	go func() {
		res, err := proc.Run(ctx, proc.Cmd{Argv: []string{"sh", "-c", `trap 'echo tidy; exit 7' TERM; echo $$ > "$0"; while :; do sleep 0.01; done`, fifo}, Grace: time.Minute})
		done <- ended{res, err}
	}()
	readPid(t, fifo)
	cancel()
	got := <-done
	if string(got.res.Stdout) != "tidy\n" || got.res.Exit != 7 || !errors.Is(got.err, context.Canceled) {
		t.Errorf("stdout %q exit %d error %v", got.res.Stdout, got.res.Exit, got.err)
	}
}

func TestRunDeadlineIsTheCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := proc.Run(ctx, sh("exit 0")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want deadline exceeded", err)
	}
}

func TestRunDoesNotHangOnGrandchildThatHoldsThePipe(t *testing.T) {
	t.Parallel()
	c := sh(`(while :; do sleep 1; done) & echo $!; exit 4`)
	c.Grace = 50 * time.Millisecond
	res, err := proc.Run(t.Context(), c)
	if err != nil || res.Exit != 4 {
		t.Fatalf("exit %d error %v", res.Exit, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("grandchild %d is still there", pid)
	}
}

func TestDetachOutlivesItsParentAndHoldsNoPipe(t *testing.T) {
	t.Parallel()
	goFifo, report := makeFifo(t), makeFifo(t)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), roleVar+"=detacher", "GO_FIFO="+goFifo, "REPORT_FIFO="+report)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(out) // ends only when nobody holds the pipe; the child is still waiting then
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err != nil || string(text) != "started\n" {
		t.Fatalf("parent: %q, %v", text, err)
	}
	writeFile(t, goFifo, "go", 0o600)
	got, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	want := "leader=true marker=1 streams=Dc---------;Dc---------;Dc---------;"
	if string(got) != want {
		t.Errorf("child reports %q, want %q", got, want)
	}
}

func TestEnvironmentIsScrubbed(t *testing.T) {
	for k, v := range map[string]string{
		"ANTHROPIC_API_KEY": "secret", "GITHUB_TOKEN": "secret", "AWS_SECRET_ACCESS_KEY": "secret", "SSH_AUTH_SOCK": "/x",
		"GIT_DIR": "/elsewhere", "GIT_INDEX_FILE": "/elsewhere/index", "LD_PRELOAD": "", "CLAUDE_CODE_SESSION_ID": "s",
		"https_proxy": "http://user:pw@h", "LC_TIME": "C", "TZ": "UTC", "DEVFLOW_HOME": "/root-of-ours", proc.ChildMarker: "0", "PWD": ".",
	} {
		t.Setenv(k, v)
	}
	res, err := proc.Run(t.Context(), proc.Cmd{
		Argv: []string{os.Args[0]}, Dir: t.TempDir(),
		Env: []string{roleVar + "=env", "GIVEN=1", "TZ=Asia/Tokyo", proc.ChildMarker + "=", "broken", "=x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(res.Stdout)))
	for lines.Scan() {
		k, v, _ := strings.Cut(lines.Text(), "=")
		seen[k] = v
	}
	for _, k := range []string{"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "GIT_DIR", "GIT_INDEX_FILE", "LD_PRELOAD", "CLAUDE_CODE_SESSION_ID", "https_proxy", "broken"} {
		if v, ok := seen[k]; ok {
			t.Errorf("%s=%q reached the child", k, v)
		}
	}
	want := map[string]string{"LC_TIME": "C", "TZ": "Asia/Tokyo", "DEVFLOW_HOME": "/root-of-ours", "GIVEN": "1", proc.ChildMarker: "1"}
	for k, v := range want {
		if seen[k] != v {
			t.Errorf("%s=%q, want %q", k, seen[k], v)
		}
	}
	if !filepath.IsAbs(seen["PWD"]) {
		t.Errorf("PWD=%q, want the real folder", seen["PWD"])
	}
}

func makeFifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readPid(t *testing.T, fifo string) int {
	t.Helper()
	text, err := os.ReadFile(fifo)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone is true for a process that was killed: it is not there, or only waits to be collected by whoever inherited it.
func gone(pid int) bool {
	for range 2000 { // a killed process is out of the table a moment after the kill
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if s := strings.TrimSpace(string(out)); s == "" || strings.HasPrefix(s, "Z") {
			return true
		}
	}
	return false
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
