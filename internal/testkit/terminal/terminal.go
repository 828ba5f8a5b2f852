// Package terminal runs a program in a real terminal, held by tmux on a socket of its own, and looks at its screen.
//
// It owns no table. Nothing here waits for a fixed time: every wait polls the screen for a text, up to a bound.
package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Screen size and waits. A wait that long only passes when something is broken.
const (
	width, height = "180", "60"
	bound         = 60 * time.Second
	pause         = 40 * time.Millisecond
	grace         = 5 * time.Second // between hanging up and killing
	patience      = 25              // looks at the screen between two presses of the same keys
)

// Terminal is a program on a screen.
type Terminal struct {
	tb     testing.TB
	socket string
}

// Start runs argv in dir with exactly this environment. It is killed with the test.
func Start(tb testing.TB, dir string, env, argv []string) *Terminal {
	tb.Helper()
	folder, err := os.MkdirTemp("", "tmux") // a socket path must stay short, and the test's own folder may be long
	if err != nil {
		tb.Fatal(err)
	}
	t := &Terminal{tb: tb, socket: filepath.Join(folder, "s")}
	tb.Cleanup(func() {
		t.Kill()
		_ = os.RemoveAll(folder)
	})
	command := append([]string{"env", "-i"}, env...)
	out, err := t.tmux("-f", "/dev/null", "start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";",
		"new-session", "-d", "-x", width, "-y", height, "-c", dir, quote(append(command, argv...)))
	if err != nil {
		tb.Fatalf("start tmux: %v: %s (install tmux: apt-get install tmux)", err, out)
	}
	return t
}

func quote(argv []string) string {
	q := make([]string, len(argv))
	for i, a := range argv {
		q[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(q, " ")
}

func (t *Terminal) tmux(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	return string(out), err
}

// Kill ends the program and its terminal and waits until the program is gone. It may be called twice.
func (t *Terminal) Kill() {
	out, err := t.tmux("list-panes", "-F", "#{pane_pid}")
	_, _ = t.tmux("kill-server") // hangs up on the program
	pid, convErr := strconv.Atoi(strings.TrimSpace(out))
	if err != nil || convErr != nil {
		return // no server, or no program left
	}
	for end := time.Now().Add(grace); time.Now().Before(end); {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		<-time.After(pause)
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

// Screen is the text on the screen now, without styles.
func (t *Terminal) Screen() string {
	out, _ := t.tmux("capture-pane", "-p", "-J")
	return out
}

// Type sends text as if typed, without a line end.
func (t *Terminal) Type(text string) {
	t.tb.Helper()
	if out, err := t.tmux("send-keys", "-l", text); err != nil {
		t.tb.Fatalf("type %q: %v: %s", text, err, out)
	}
}

// Keys presses named keys, for example Enter, Escape, C-c.
func (t *Terminal) Keys(names ...string) {
	t.tb.Helper()
	if out, err := t.tmux(append([]string{"send-keys"}, names...)...); err != nil {
		t.tb.Fatalf("press %v: %v: %s", names, err, out)
	}
}

// Enter types a line once the text is on the screen, and sends it.
func (t *Terminal) Enter(line string) {
	t.tb.Helper()
	t.Type(line)
	t.Wait(line)
	t.Keys("Enter")
}

// KeysUntil presses keys until a text is on the screen: a dialog that has just opened ignores them. It looks for a while before it
// presses again.
func (t *Terminal) KeysUntil(text string, names ...string) {
	t.tb.Helper()
	looks := 0
	t.Until(fmt.Sprintf("%q after %v", text, names), func() bool {
		if strings.Contains(t.Screen(), text) {
			return true
		}
		if looks%patience == 0 {
			t.Keys(names...)
		}
		looks++
		return false
	})
}

// Wait polls until one of the texts is on the screen, gives that text, and ends the test when none comes.
func (t *Terminal) Wait(texts ...string) string {
	t.tb.Helper()
	var hit string
	t.Until(fmt.Sprintf("one of %q on the screen", texts), func() bool {
		screen := t.Screen()
		for _, s := range texts {
			if strings.Contains(screen, s) {
				hit = s
				return true
			}
		}
		return false
	})
	return hit
}

// Until polls a condition and ends the test, with the screen, when it does not come true.
func (t *Terminal) Until(what string, ok func() bool) {
	t.tb.Helper()
	deadline := time.NewTimer(bound)
	defer deadline.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.tb.Fatalf("wait for %s: nothing came; screen:\n%s", what, t.Screen())
		case <-t.tb.Context().Done():
			t.tb.Fatalf("wait for %s: test ended; screen:\n%s", what, t.Screen())
		}
	}
}

// Gone reports whether the program has ended.
func (t *Terminal) Gone() bool {
	out, err := t.tmux("list-panes", "-F", "#{pane_dead}")
	return err != nil || strings.HasPrefix(out, "1")
}
