package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
)

// orchestrate plays the orchestrator that is killed: it starts a command in a sandbox and waits. args: kind, folder.
func orchestrate(args []string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	s, err := sandbox.Find(context.Background(), sandbox.Kind(args[0]), []string{exe, "sandbox"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := s.Wrap(daemonPolicy(exe, args[1]), daemonCommand(exe, args[1], "wait", ""))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	res, err := proc.Run(context.Background(), c)
	fmt.Fprintln(os.Stderr, res.Exit, string(res.Stderr), err)
	return 1
}

func daemonPolicy(exe, dir string) sandbox.Policy {
	return sandbox.Policy{Dir: dir, ReadWrite: []sandbox.Bind{{From: dir}}, ReadOnly: []sandbox.Bind{{From: exe}}, Env: []string{path}}
}

// daemonCommand leaves a process behind that has left group and session and is connected to the socket of the folder,
// and then does more.
func daemonCommand(exe, dir string, more ...string) []string {
	return append([]string{exe, "sandbox", "probe", "daemon", filepath.Join(dir, "s")}, more...)
}

// watch accepts the daemon's connection after start has set off the command, and waits until it says that it is there.
func watch(t *testing.T, dir string, start func()) net.Conn {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	start()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return c
}

// ended waits for the end of the daemon: its connection ends with it.
func ended(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("daemon: %v", err)
	}
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dv") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(t *testing.T, s sandbox.Sandbox, dir string, more ...string) (*proc.Child, net.Conn) {
		t.Helper()
		c, err := s.Wrap(daemonPolicy(exe, dir), daemonCommand(exe, dir, more...))
		if err != nil {
			t.Fatal(err)
		}
		var child *proc.Child
		conn := watch(t, dir, func() {
			if child, err = proc.Start(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			_ = child.Stdout().Close()
		})
		return child, conn
	}
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		t.Run("after the end", func(t *testing.T) {
			t.Parallel()
			child, conn := start(t, s, shortDir(t))
			ended(t, conn)
			if exit, err := child.Wait(); exit != 0 && exit != 128+13 || err != nil {
				t.Errorf("exit %d, error %v: %s", exit, err, child.Stderr())
			}
		})
		t.Run("after TERM", func(t *testing.T) {
			t.Parallel()
			child, conn := start(t, s, shortDir(t), "wait", "")
			child.Stop()
			ended(t, conn)
			if exit, err := child.Wait(); exit != 128+15 && exit != 128+13 || err != nil {
				t.Errorf("exit %d, error %v: %s", exit, err, child.Stderr())
			}
		})
		t.Run("after a kill of the launcher", func(t *testing.T) {
			t.Parallel()
			child, conn := start(t, s, shortDir(t), "wait", "")
			if err := syscall.Kill(child.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			ended(t, conn)
			if exit, err := child.Wait(); exit != 128+9 || err != nil {
				t.Errorf("exit %d, error %v", exit, err)
			}
		})
		t.Run("after a kill of its group", func(t *testing.T) {
			t.Parallel()
			child, conn := start(t, s, shortDir(t), "wait", "")
			if err := syscall.Kill(-child.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			ended(t, conn)
			_, _ = child.Wait()
		})
		t.Run("after a kill of the orchestrator", func(t *testing.T) {
			t.Parallel()
			dir := shortDir(t)
			var child *proc.Child
			conn := watch(t, dir, func() {
				var err error
				if child, err = proc.Start(t.Context(), proc.Cmd{Argv: []string{exe, "orchestrator", string(s.Kind()), dir}}); err != nil {
					t.Fatal(err)
				}
				_ = child.Stdout().Close()
			})
			if err := syscall.Kill(child.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			ended(t, conn)
			_, _ = child.Wait()
		})
	})
}

func TestTermLetsTheCommandEndInOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path}}
		c, err := s.Wrap(p, []string{"sh", "-c", `trap 'echo tidy; exit 7' TERM; echo up; while :; do sleep 0.01; done`})
		if err != nil {
			t.Fatal(err)
		}
		child, err := proc.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(child.Stdout(), make([]byte, len("up\n"))); err != nil {
			t.Fatal(err)
		}
		go child.Stop()
		rest, err := io.ReadAll(child.Stdout())
		exit, waitErr := child.Wait()
		if string(rest) != "tidy\n" || exit != 7 || err != nil || waitErr != nil {
			t.Errorf("stdout %q exit %d errors %v, %v: %s", rest, exit, err, waitErr, child.Stderr())
		}
	})
}

// A command that is deaf to TERM and starts ever more processes is ended with all of them.
func TestDeafForkerIsEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path}, Procs: 200}
		fifo := filepath.Join(dir, "w", "alive")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		// Every member holds the pipe open for writing, so that its end is the end of all.
		c, err := s.Wrap(p, []string{"sh", "-c", `trap '' TERM HUP; exec 9>alive; f() { setsid sh -c 'trap "" TERM; while :; do setsid sleep 0.05; done' & }; f; f; f; echo up; while :; do sleep 0.01; done`})
		if err != nil {
			t.Fatal(err)
		}
		child, err := proc.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		alive, err := os.Open(fifo) // waits for the writer
		if err != nil {
			t.Fatal(err)
		}
		defer alive.Close()
		if _, err := io.ReadFull(child.Stdout(), make([]byte, len("up\n"))); err != nil {
			t.Fatal(err)
		}
		child.Stop()
		if _, err := io.ReadAll(alive); err != nil {
			t.Error(err)
		}
	})
}

func TestFindSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Find(t.Context(), sandbox.Landlock, nil); !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "landlock needs a launcher") || strings.Contains(err.Error(), "\n") {
		t.Errorf("landlock without a launcher: %v", err)
	}
	if _, err := sandbox.Find(t.Context(), "docker", nil); err == nil || errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "known are auto, bwrap, landlock, none") {
		t.Errorf("unknown backend: %v", err)
	}
	// Inside a confinement user namespaces are blocked, as under AppArmor: bwrap fails for real there.
	for kind, want := range map[sandbox.Kind]string{sandbox.Bwrap: "bwrap does not work here", sandbox.Auto: "kind=landlock"} {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), ReadOnly: []sandbox.Bind{{From: exe}}, Env: []string{path, "TMPDIR=" + filepath.Join(dir, "w")}}
		res := run(t, find(t, sandbox.Bwrap), p, exe, "finder", string(kind))
		if out := string(res.Stdout); !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %q, want %q in one line: %s", kind, out, want, res.Stderr)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if _, err := sandbox.Find(ctx, sandbox.Auto, []string{exe, "sandbox"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended context: %v", err)
	}
}

// finder reports in one line what Find finds where it runs.
func finder(kind string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	s, err := sandbox.Find(context.Background(), sandbox.Kind(kind), []string{exe, "sandbox"})
	fmt.Printf("kind=%s lacks=%q error=%v unavailable=%t\n", s.Kind(), s.Lacks(), err, errors.Is(err, sandbox.ErrUnavailable))
	return 0
}
