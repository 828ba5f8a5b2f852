package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// lateOutput bounds what Stdout still gives after the end of the child, in bytes. A pipe holds at most
// /proc/sys/fs/pipe-max-size = 1 MiB of the child's own; more can only come from something that left its group.
const lateOutput = 1 << 20

// errStopped is the cause of an end by Child.Stop, which is nobody's failure.
var errStopped = errors.New("stopped")

// Child is a running child with open streams, see Start. Its methods may be called from many goroutines; Stdin and
// Stdout are for one writer and one reader.
type Child struct {
	cmd     *exec.Cmd
	pid     int
	started int64
	stdin   io.WriteCloser
	stdout  *stream
	stderr  shared
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when exit and err are set and the group has ended
	exit    int
	err     error
}

// Start starts a child in a process group of its own and returns while it runs. Cmd.Stdin is ignored: Stdin gives the
// open end. When ctx ends the whole group gets TERM, the grace period and KILL; what the child left in its group is
// killed at its end. The caller must read Stdout to its end or close it, and call Wait or Stop. Errors are those of
// Run for a child that never started.
func Start(ctx context.Context, c Cmd) (*Child, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name(), context.Cause(ctx))
	}
	inner, cancel := context.WithCancelCause(ctx)
	ch, err := c.open(inner)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	ch.cancel = cancel
	go ch.wait(ctx, inner, c)
	return ch, nil
}

func (c Cmd) open(ctx context.Context) (*Child, error) {
	cmd, err := c.build(ctx)
	if err != nil {
		return nil, err
	}
	ch := &Child{cmd: cmd, done: make(chan struct{}), stderr: shared{clip: newClip(c.MaxOutput)}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = &ch.stderr
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = c.grace()
	if ch.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name(), err)
	}
	out, theirs, err := os.Pipe() // not StdoutPipe: Wait would close it under the reader
	if err != nil {
		_ = ch.stdin.Close()
		return nil, fmt.Errorf("start %s: %w", c.name(), err)
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = out.Close()
		return nil, c.startError(err)
	}
	ch.pid = cmd.Process.Pid
	ch.started, _ = startTime(ch.pid) // not collected yet, so it is ours even when it has ended
	ch.stdout = &stream{file: out, grace: c.grace(), done: ch.done}
	return ch, nil
}

func (ch *Child) wait(outer, inner context.Context, c Cmd) {
	defer ch.cancel(nil)
	waitErr := ch.cmd.Wait()
	endGroup(inner, ch.pid, time.Now(), c.grace())
	ch.exit = exitStatus(ch.cmd.ProcessState)
	var exitErr *exec.ExitError
	switch {
	case waitErr == nil, errors.Is(context.Cause(inner), errStopped):
	case outer.Err() != nil:
		ch.err = fmt.Errorf("run %s: %w", c.name(), context.Cause(outer))
	case !errors.Is(waitErr, exec.ErrWaitDelay) && !errors.As(waitErr, &exitErr):
		ch.err = fmt.Errorf("wait for %s: %w", c.name(), waitErr)
	}
	close(ch.done)
	ch.stdout.ended()
}

// PID is the process number of the child and of its group.
func (ch *Child) PID() int { return ch.pid }

// Started tells the child from a later process with the same number: clock ticks since boot on Linux
// (/proc/PID/stat, field 22), microseconds since 1970 on macOS, 0 when unknown.
func (ch *Child) Started() int64 { return ch.started }

// Stdin is the open input of the child. It is closed at the end of the child; closing it twice is harmless.
func (ch *Child) Stdin() io.WriteCloser { return ch.stdin }

// Stdout is everything that the child writes, unbounded. It ends with io.EOF when the child has ended and all was
// read, also when something outside its group still holds the pipe. The reader must drain it: a full pipe stops the
// child.
func (ch *Child) Stdout() io.ReadCloser { return ch.stdout }

// Stderr is what the child has written to its error stream so far: at most Cmd.MaxOutput bytes, head and tail.
func (ch *Child) Stderr() []byte { return ch.stderr.bytes() }

// Wait waits for the end of the child and of its group. The exit status is as in Result.Exit, and not an error. The
// error is the cause of the context when that ended the child; nil after Stop.
func (ch *Child) Wait() (exit int, err error) {
	<-ch.done
	return ch.exit, ch.err
}

// Done is closed at the end of the child and of its group.
func (ch *Child) Done() <-chan struct{} { return ch.done }

// Stop ends the group (TERM, grace, KILL) and waits for the end. It may be called again, and after the end.
func (ch *Child) Stop() {
	ch.cancel(errStopped)
	<-ch.done
}

// shared is a clip that is read while it is written.
type shared struct {
	mu   sync.Mutex
	clip *clip
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clip.Write(p)
}

func (s *shared) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.clip.bytes())
}

// stream is the reading end of the output. After the end of the child it waits no longer than the grace period for
// more, and for no more than lateOutput, because a process that left the group may hold the other end for ever.
type stream struct {
	file  *os.File
	grace time.Duration
	done  <-chan struct{}
	late  int // read after the end; only the reader uses it
}

// ended wakes a reader that waits: what the group wrote is in the pipe by now.
func (s *stream) ended() { _ = s.file.SetReadDeadline(time.Now().Add(s.grace)) }

func (s *stream) Read(p []byte) (int, error) {
	over := false
	select {
	case <-s.done:
		over = true
		if s.late >= lateOutput {
			return 0, io.EOF
		}
		s.ended()
	default:
	}
	n, err := s.file.Read(p)
	if over {
		s.late += n
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

func (s *stream) Close() error { return s.file.Close() }
