// Package proc starts every child process of the project, so that the rules about children hold in one place.
//
// A child is an argument list, never a shell line. It runs in a process group of its own, sees a scrubbed environment
// with [ChildMarker] set, may write a bounded amount, and is ended as a whole group when its context ends: TERM, a
// grace period, KILL. What it left behind in its group is killed when it has ended. The package owns no table and no
// file. It does not decide what may be run, and it is for Linux and macOS only.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNotFound is returned, wrapped, when the program itself is not there: the name is on no folder of PATH, or the path
// names nothing that can be executed. A missing working folder is a different error.
var ErrNotFound = errors.New("program not found")

const (
	// DefaultMaxOutput bounds each of stdout and stderr, in bytes, when Cmd.MaxOutput is 0.
	DefaultMaxOutput = 1 << 20
	// DefaultGrace lies between TERM and KILL when Cmd.Grace is 0.
	DefaultGrace = 2 * time.Second
	// groupPoll is the pause between two looks at a group that was told to end.
	groupPoll = 5 * time.Millisecond
)

// Cmd is one child to start. The zero value of every field but Argv is usable.
type Cmd struct {
	Argv      []string      // program and arguments; the program is looked up on the child's PATH unless it holds a slash
	Dir       string        // working folder; empty = ours
	Env       []string      // KEY=value entries put on top of the scrubbed environment, see Environ
	Bare      bool          // the environment is exactly Env and the marker: nothing of ours, not even PATH, HOME or PWD
	Stdin     []byte        // fed to the child; nil = /dev/null
	MaxOutput int           // bytes kept of each output stream; 0 = DefaultMaxOutput
	Grace     time.Duration // from TERM to KILL, and how long a held output is waited for; 0 = DefaultGrace
}

// Result is what a finished child left.
type Result struct {
	Stdout, Stderr []byte        // at most MaxOutput bytes each: the first half and the last half around a marker line
	Exit           int           // exit status; 128+n after signal n, -1 when it never started
	Truncated      bool          // at least one stream was longer than MaxOutput
	Elapsed        time.Duration // wall time from start to the end of the group
}

// Run starts the child and waits for it. A non-zero exit status is not an error, it is in Result.Exit. The error is
// ErrNotFound (wrapped) for a missing program, the context's cause (wrapped) when ctx ended first, and anything else
// when the child could not be started or waited for. The result is filled as far as it goes in every case. Run may be
// called from many goroutines.
func Run(ctx context.Context, c Cmd) (Result, error) {
	res := Result{Exit: -1}
	if err := ctx.Err(); err != nil {
		return res, fmt.Errorf("run %s: %w", c.name(), context.Cause(ctx))
	}
	out, errOut := newClip(c.MaxOutput), newClip(c.MaxOutput)
	cmd, err := c.build(ctx)
	if err != nil {
		return res, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = out, errOut
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = c.grace()

	began := time.Now()
	if err := cmd.Start(); err != nil {
		return res, c.startError(err)
	}
	waitErr := cmd.Wait()
	endGroup(ctx, cmd.Process.Pid, began, c.grace())

	res.Elapsed = time.Since(began)
	res.Stdout, res.Stderr = out.bytes(), errOut.bytes()
	res.Truncated = out.cut() || errOut.cut()
	res.Exit = exitStatus(cmd.ProcessState)
	if ctx.Err() != nil && waitErr != nil { // one that ended well in the same moment did end well
		return res, fmt.Errorf("run %s: %w", c.name(), context.Cause(ctx))
	}
	var exitErr *exec.ExitError
	if waitErr != nil && !errors.Is(waitErr, exec.ErrWaitDelay) && !errors.As(waitErr, &exitErr) { // WaitDelay: something left behind held the output
		return res, fmt.Errorf("wait for %s: %w", c.name(), waitErr)
	}
	return res, nil
}

// Detach starts the child in a session of its own with all three streams on /dev/null and does not wait for it. It
// outlives us, and nobody who waits for the end of our output waits for it. Stdin, MaxOutput and Grace are ignored.
// The caller is expected to exit soon: in a long-lived program the child stays a zombie after its end.
func Detach(c Cmd) error {
	cmd, err := c.build(context.Background())
	if err != nil {
		return err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return c.startError(err)
	}
	if err := cmd.Process.Release(); err != nil {
		return fmt.Errorf("release %s: %w", c.name(), err)
	}
	return nil
}

func (c Cmd) build(ctx context.Context) (*exec.Cmd, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, fmt.Errorf("start child: no program named: %w", ErrNotFound)
	}
	dir := c.Dir
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", c.name(), err)
		}
		if info, err := os.Stat(abs); err != nil {
			return nil, fmt.Errorf("start %s: working folder: %w", c.name(), err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("start %s: working folder %s: %w", c.name(), abs, syscall.ENOTDIR)
		}
		dir = abs
	}
	env := c.environ(dir)
	path, err := lookPath(c.Argv[0], dir, env)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, c.Argv[1:]...)
	cmd.Args[0] = c.Argv[0]
	cmd.Dir, cmd.Env = dir, env
	return cmd, nil
}

func (c Cmd) name() string {
	if len(c.Argv) == 0 {
		return "child"
	}
	return c.Argv[0]
}

func (c Cmd) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return DefaultGrace
}

func (c Cmd) startError(err error) error {
	if errors.Is(err, fs.ErrNotExist) { // the folder was looked at before: it is the program, or its interpreter
		return fmt.Errorf("start %s: %w: %w", c.name(), ErrNotFound, err)
	}
	return fmt.Errorf("start %s: %w", c.name(), err)
}

// lookPath finds the program on the PATH of the child, not on ours. Relative PATH entries are never searched.
func lookPath(name, dir string, env []string) (string, error) {
	if filepath.Base(name) != name {
		path := name
		if !filepath.IsAbs(path) && dir != "" {
			path = filepath.Join(dir, path)
		}
		if !runnable(path) {
			return "", fmt.Errorf("start %s: %w", name, ErrNotFound)
		}
		return path, nil
	}
	for _, folder := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path := filepath.Join(folder, name); runnable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("start %s: %w", name, ErrNotFound)
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// signalGroup reports os.ErrProcessDone when nobody is left, as exec.Cmd.Cancel wants it.
func signalGroup(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(-pid, sig); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	return nil
}

// endGroup kills what is left of the group. After a cancelled run the members have got TERM and may use the rest of
// the grace period; after an ordinary end they get none. The group's number can be given to somebody else only when the
// group is empty and the kernel's process numbers have gone once round since Wait.
func endGroup(ctx context.Context, pid int, began time.Time, grace time.Duration) {
	if ctx.Err() != nil {
		deadline := time.Now().Add(grace)
		for time.Now().Before(deadline) && syscall.Kill(-pid, 0) == nil {
			time.Sleep(groupPoll)
		}
	}
	_ = signalGroup(pid, syscall.SIGKILL)
}

func exitStatus(state *os.ProcessState) int {
	if state == nil {
		return -1
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
