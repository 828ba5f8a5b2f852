package robust_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Rows that a hook acknowledged by ending well survive whatever happens to the hooks beside it. A quarter of the processes
// are drains, and a quarter cannot reach the database, so that there is always something to drain.
func TestKilledHooks(t *testing.T) {
	t.Parallel()
	const kills, atOnce, mostStarts = 500, 4, 20_000
	w := newWorld(t)
	w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
	k := &killer{w: w, acked: map[string]bool{}, life: 8 * time.Millisecond}
	var wg sync.WaitGroup
	for i := range atOnce {
		rnd := rand.New(rand.NewPCG(uint64(i), 9)) // the scheduler makes the moments random, not the seed
		wg.Go(func() {
			for n := k.next(kills); n > 0 && n < mostStarts; n = k.next(kills) {
				k.one(n, rnd.Float64())
			}
		})
	}
	wg.Wait()
	if k.killed < kills {
		t.Fatalf("only %d of %d processes were killed before they ended", k.killed, k.started)
	}
	if len(k.acked) < kills/10 {
		t.Errorf("only %d processes ended by themselves: hardly anything was acknowledged", len(k.acked))
	}

	w.say("last", "Stop", nil)
	if n := w.spooled(".spool") + w.spooled(".drain"); n > 0 {
		t.Errorf("%d files are left in the spool", n)
	}
	w.sound()
	rows := map[string]int{}
	for _, session := range w.rows("SELECT session_id FROM hook_runs") {
		if rows[session]++; !strings.HasPrefix(session, "s-") && session != "first" && session != "last" {
			t.Errorf("a row of a session that never was: %q", session)
		}
	}
	for session, n := range rows {
		if n > 1 {
			t.Errorf("%s has %d rows", session, n)
		}
	}
	t.Logf("%d processes ended, %d were killed, %d rows come from those: mean life %s", len(k.acked), k.killed, len(rows)-2-len(k.acked), k.life)
	for session := range k.acked {
		if rows[session] != 1 {
			t.Errorf("%s was acknowledged and has %d rows", session, rows[session])
		}
	}
}

// killer starts hooks and kills them at random moments of their life.
type killer struct {
	w       *world
	mu      sync.Mutex
	started int
	killed  int
	life    time.Duration // mean of those that ended by themselves
	acked   map[string]bool
}

// next is the number of the next process, 0 when enough were killed.
func (k *killer) next(kills int) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.killed >= kills {
		return 0
	}
	k.started++
	return k.started
}

// one runs process n and kills it after a part of the usual life, or lets it end.
func (k *killer) one(n int, part float64) {
	name, session, data := k.w.input(n)
	switch n % 4 {
	case 0:
		name, data = "devflow-stop", k.w.event(session, "Stop", nil)
	case 1:
		name, data = "devflow-post-tool-use", k.w.event(session, "PostToolUse", fields{"tool_name": "Bash", "tool_input": fields{"command": "ls"}})
	}
	cmd := k.w.start(k.w.t, name)
	if n%4 == 1 {
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "DEVFLOW_DB="+filepath.Dir(k.w.dir)) // a folder
	}
	cmd.Stdin = bytes.NewReader(data)
	k.mu.Lock()
	after := time.Duration(part * 1.5 * float64(k.life))
	k.mu.Unlock()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		k.w.t.Error(err)
		return
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	life := time.Since(began)

	k.mu.Lock()
	defer k.mu.Unlock()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		k.killed++
	case err != nil:
		k.w.t.Errorf("%s ended with %v", name, err)
	default:
		k.acked[session] = true
		k.life += (life - k.life) / 16
	}
}
