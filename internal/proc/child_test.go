package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, ctx context.Context, c proc.Cmd) *proc.Child {
	t.Helper()
	child, err := proc.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		child.Stop()
		_ = child.Stdout().Close()
	})
	return child
}

func TestBareEnvironmentIsExact(t *testing.T) {
	t.Parallel()
	res, err := proc.Run(t.Context(), proc.Cmd{Argv: []string{os.Args[0]}, Dir: t.TempDir(), Bare: true, Env: []string{roleVar + "=env", "A=1", "A=2", proc.ChildMarker + "=0"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{roleVar + "=env", "A=2", proc.ChildMarker + "=1"}, strings.Fields(string(res.Stdout))); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if _, err := proc.Run(t.Context(), proc.Cmd{Argv: []string{"true"}, Bare: true}); !errors.Is(err, proc.ErrNotFound) {
		t.Errorf("without PATH: %v, want ErrNotFound", err)
	}
}

func TestChildIsTalkedTo(t *testing.T) {
	t.Parallel()
	child := start(t, t.Context(), proc.Cmd{Argv: []string{"sh", "-c", `while read -r line; do echo "got $line"; echo "note $line" >&2; done; exit 5`}})
	lines := bufio.NewReader(child.Stdout())
	for _, word := range []string{"one", "two"} {
		fmt.Fprintln(child.Stdin(), word)
		if got, err := lines.ReadString('\n'); got != "got "+word+"\n" || err != nil {
			t.Fatalf("answer %q, %v", got, err)
		}
	}
	if !proc.Alive(child.PID(), child.Started()) || proc.Alive(child.PID(), child.Started()+1) || proc.Alive(child.PID(), 0) || proc.Alive(0, 1) {
		t.Errorf("Alive(%d, %d) is wrong", child.PID(), child.Started())
	}
	if err := child.Stdin().Close(); err != nil {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if exit, err := child.Wait(); exit != 5 || err != nil {
				t.Errorf("exit %d, %v", exit, err)
			}
		})
	}
	wg.Wait()
	if proc.Alive(child.PID(), child.Started()) {
		t.Error("alive after the end")
	}
	if got := string(child.Stderr()); got != "note one\nnote two\n" {
		t.Errorf("stderr %q", got)
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("after the end: %v, want EOF", err)
	}
	child.Stop()
}

func TestChildOutputIsCompleteAfterTheEnd(t *testing.T) {
	t.Parallel()
	child := start(t, t.Context(), proc.Cmd{Argv: []string{"sh", "-c", `i=0; while [ $i -lt 500 ]; do echo line$i; i=$((i+1)); done; printf %2000s x >&2`}, MaxOutput: 1000})
	if exit, err := child.Wait(); exit != 0 || err != nil { // everything fits into the pipe
		t.Fatalf("exit %d, %v", exit, err)
	}
	text, err := io.ReadAll(child.Stdout())
	if err != nil || strings.Count(string(text), "\n") != 500 {
		t.Errorf("%d lines, %v", strings.Count(string(text), "\n"), err)
	}
	if got := child.Stderr(); len(got) > 1100 || !strings.Contains(string(got), "bytes left out") {
		t.Errorf("stderr of %d bytes", len(got))
	}
}

func TestStopEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	child := start(t, t.Context(), proc.Cmd{Argv: []string{"sh", "-c", `trap '' TERM; (trap '' TERM; sh -c 'echo $PPID'; while :; do sleep 1; done) & while :; do sleep 1; done`}, Grace: 50 * time.Millisecond})
	line, err := bufio.NewReader(child.Stdout()).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(child.Stop)
	}
	wg.Wait()
	if exit, err := child.Wait(); exit != 128+9 || err != nil {
		t.Errorf("exit %d, error %v: a stop is nobody's failure", exit, err)
	}
	if !gone(pid) {
		t.Errorf("grandchild %d is still there", pid)
	}
}

func TestContextEndsTheChild(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	child := start(t, ctx, proc.Cmd{Argv: []string{"sleep", "600"}})
	cancel(enough)
	if exit, err := child.Wait(); exit != 128+15 || !errors.Is(err, enough) {
		t.Errorf("exit %d, error %v, want the cause", exit, err)
	}
	if _, err := proc.Start(ctx, proc.Cmd{Argv: []string{"true"}}); !errors.Is(err, enough) {
		t.Errorf("after the end of the context: %v", err)
	}
	if _, err := proc.Start(t.Context(), proc.Cmd{Argv: []string{"devflow-no-such-program"}}); !errors.Is(err, proc.ErrNotFound) {
		t.Errorf("missing program: %v", err)
	}
}

// Something that left the group may hold the output, and may even go on writing: the reader comes to an end.
func TestStdoutEndsThoughSomethingOutsideTheGroupHoldsIt(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"silent": `setsid sh -c 'echo $$; exec sleep 600' </dev/null & read -r x`,
		"chatty": `setsid sh -c 'echo $$; exec yes' </dev/null & read -r x`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := start(t, t.Context(), proc.Cmd{Argv: []string{"sh", "-c", script}, Grace: 50 * time.Millisecond})
			out := bufio.NewReader(child.Stdout())
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = killOne(pid) }()
			_ = child.Stdin().Close() // lets the child end
			if _, err := io.Copy(io.Discard, out); err != nil {
				t.Error(err)
			}
		})
	}
}

func killOne(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

func TestStopGroupEndsAnOrphanAndNoStranger(t *testing.T) {
	t.Parallel()
	child := start(t, t.Context(), proc.Cmd{Argv: []string{"sh", "-c", `(sh -c 'echo $PPID'; while :; do sleep 1; done) & while :; do sleep 1; done`}})
	line, err := bufio.NewReader(child.Stdout()).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []int64{child.Started() + 1, 0} {
		if err := proc.StopGroup(t.Context(), child.PID(), wrong); err != nil || !proc.Alive(child.PID(), child.Started()) {
			t.Fatalf("start %d: error %v, or it was hit", wrong, err)
		}
	}
	if err := proc.StopGroup(t.Context(), pid, 1); err != nil {
		t.Errorf("a stranger: %v", err)
	}
	if err := proc.StopGroup(t.Context(), child.PID(), child.Started()); err != nil {
		t.Error(err)
	}
	if exit, err := child.Wait(); exit != 128+15 || err != nil {
		t.Errorf("exit %d, %v", exit, err)
	}
	if !gone(pid) {
		t.Errorf("member %d is still there", pid)
	}
	if err := proc.StopGroup(t.Context(), child.PID(), child.Started()); err != nil {
		t.Errorf("again: %v", err)
	}
}
