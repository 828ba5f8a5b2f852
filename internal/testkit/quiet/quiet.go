// Package quiet waits for the processes that a test has left behind. Hooks start detached ones (a judge, an auto-push) that go on
// writing below the test's folder after the client has ended; removing the folder under them would fail. It owns nothing.
package quiet

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// TB is the part of testing.TB that is needed.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

const (
	// limit bounds the waiting; only a broken run reaches it.
	limit = 2 * time.Minute
	// calm is how many looks in a row must see nobody. One is not enough: a process that starts another and ends between the list
	// of processes and the look at it hides both, and in the moment of an exec a process shows no environment.
	calm = 5
)

// Await makes the test wait at its end until no process is left that was started with a variable naming dir. Call it after
// TempDir, so that it runs before the folder is removed. Where there is no /proc it waits for nothing.
func Await(tb TB, dir string) {
	tb.Helper()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if left := Wait(ctx, dir); len(left) > 0 {
			tb.Errorf("still running at the end: %q", left)
		}
		empty(ctx, dir)
	})
}

// empty removes what is below dir, again when somebody we did not see put something there meanwhile: TempDir tries only once.
func empty(ctx context.Context, dir string) {
	for ctx.Err() == nil {
		if os.RemoveAll(dir) == nil {
			return
		}
		runtime.Gosched()
	}
}

// Wait waits until several looks in a row see no process that was started with a variable naming dir. It returns the command
// lines of those that are left when ctx ends.
func Wait(ctx context.Context, dir string) []string {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for quiet := 0; ; {
		left := processes(dir)
		if len(left) > 0 {
			quiet = 0
		} else if quiet++; quiet == calm {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return left
		}
	}
}

// processes are the command lines of the processes that know dir by their environment: ours and our ancestors' do not.
func processes(dir string) (list []string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte(dir)) || filepath.Base(filepath.Dir(file)) == strconv.Itoa(os.Getpid()) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if err != nil || len(line) == 0 {
			continue // gone meanwhile, or a zombie
		}
		list = append(list, string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})))
	}
	return list
}
