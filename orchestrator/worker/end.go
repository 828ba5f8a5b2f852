package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/worker/strays"
)

// PID is the number of the process that leads the worker's group: the sandbox, or the client without one.
func (w *Worker) PID() int { return w.child.PID() }

// Started tells that process from a later one with its number, see proc.Child.
func (w *Worker) Started() int64 { return w.child.Started() }

// Session is the id under which the conversation can be resumed. It is known before the first prompt.
func (w *Worker) Session() string { return w.id }

// Resumed reports whether the client knows the conversation of Options.Session. When it does not, the first prompt must say all.
func (w *Worker) Resumed() bool { return w.resumed }

// Interrupt ends the turn that runs, which then gives a *TurnError, and what it has started. The worker stays usable.
func (w *Worker) Interrupt(ctx context.Context) error { return w.session.Interrupt(ctx) }

// Close ends the worker and everything that it has started, and waits for that. It may be called twice, and during a turn.
func (w *Worker) Close() error {
	w.mu.Lock()
	idle := w.turn == nil && w.why == nil
	if w.why == nil {
		w.why = ErrEnded
	}
	w.mu.Unlock()
	if idle {
		_ = w.child.Stdin().Close() // the client ends by itself, and writes its transcript to the end
		late := time.NewTimer(closeGrace)
		select {
		case <-w.child.Done():
		case <-late.C:
		}
		late.Stop()
	}
	w.stop()
	w.shut()
	return nil
}

// kill ends everything at once, because of err.
func (w *Worker) kill(err error) {
	w.mu.Lock()
	if w.why == nil {
		w.why = err
	}
	w.mu.Unlock()
	w.stop()
}

// stop ends the process tree: the group, and through the sandbox its namespace or the descendants of its launcher. Without a
// sandbox the client leaves its commands alive, in groups of their own, so they are looked for.
func (w *Worker) stop() {
	if w.o.Sandbox.Kind() != sandbox.None {
		w.child.Stop()
		return
	}
	family := strays.Descendants(w.child.PID())
	w.child.Stop()
	strays.End(family, tmpVar(w.o.Home))
}

// EndStrays ends what an unconfined worker of an earlier orchestrator has left running: everything that was started with this home.
// It is for a home that no worker uses, and does nothing where there is no /proc. Confined workers die with their orchestrator.
func EndStrays(home string) { strays.End(nil, tmpVar(home)) }

// tmpVar stands in the environment of everything that a worker starts.
func tmpVar(home string) string { return "CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp") }

// shut frees what belongs to a process that has ended.
func (w *Worker) shut() {
	w.once.Do(func() {
		if w.server != nil {
			w.server.Close()
		}
		w.session.Close()
		_ = w.child.Stdout().Close() // read to its end
		close(w.closed)
	})
	<-w.closed
}

// end kills the worker because of err and says how it ended.
func (w *Worker) end(ctx context.Context, err error) error {
	w.mu.Lock()
	before := w.why
	w.mu.Unlock()
	w.kill(err)
	switch {
	case before != nil:
		return fmt.Errorf("turn: %w", ErrEnded)
	case ctx.Err() != nil, errors.Is(err, ErrStalled), errors.Is(err, ErrNotReady):
		return fmt.Errorf("turn: %w", err)
	}
	exit, _ := w.child.Wait() // its own error is that of a context that never ends
	text := fmt.Sprintf("exit status %d", exit)
	if said := w.said(); said != "" {
		text += ": " + said
	}
	if errors.Is(err, ErrEnded) {
		return fmt.Errorf("turn: %w: %s", err, text)
	}
	return fmt.Errorf("turn: %w: %w: %s", ErrEnded, err, text)
}

// said is the end of the client's error output, without the token.
func (w *Worker) said() string {
	const limit = 600
	text := strings.TrimSpace(strings.ReplaceAll(string(w.child.Stderr()), w.o.Token, "[token]"))
	if len(text) > limit {
		text = "…" + text[len(text)-limit:]
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\n", "; "), "?")
}
