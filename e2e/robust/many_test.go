package robust_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
)

// input is one event that a program is registered for, of a session of its own; the kinds of events take turns.
func (w *world) input(i int) (name, session string, data []byte) {
	w.t.Helper()
	session = fmt.Sprintf("s-%04d", i)
	p := programs[i%len(programs)]
	event := p.events[i/len(programs)%len(p.events)]
	return p.name, session, w.event(session, event, fields{
		"prompt": "do " + strconv.Itoa(i), "source": "startup", "tool_name": "Bash", "tool_input": fields{"command": "ls"}, "tool_response": fields{"stdout": "a.py"},
	})
}

// together runs n hooks at the same time: all are started, and only then their input comes. It gives what each printed.
func (w *world) together(n int, input func(i int) (name string, data []byte)) [][]byte {
	w.t.Helper()
	type hook struct {
		cmd       *exec.Cmd
		stdin     io.WriteCloser
		data      []byte
		out, errs bytes.Buffer
	}
	hooks := make([]*hook, n)
	for i := range n {
		name, data := input(i)
		h := &hook{cmd: w.start(w.t, name), data: data}
		h.cmd.Stdout, h.cmd.Stderr = &h.out, &h.errs
		var err error
		if h.stdin, err = h.cmd.StdinPipe(); err == nil {
			err = h.cmd.Start()
		}
		if err != nil {
			w.t.Fatal(err)
		}
		hooks[i] = h
	}
	var wg sync.WaitGroup
	for _, h := range hooks {
		wg.Go(func() {
			_, err := h.stdin.Write(h.data)
			if cerr := h.stdin.Close(); err == nil {
				err = cerr
			}
			if werr := h.cmd.Wait(); err != nil || werr != nil || h.errs.Len() > 0 {
				w.t.Errorf("%s: %v, %v, stderr %q", h.cmd.Path, err, werr, &h.errs)
			}
		})
	}
	wg.Wait()
	outs := make([][]byte, n)
	for i, h := range hooks {
		outs[i] = h.out.Bytes()
	}
	return outs
}

func TestManyHooksAtOnceOnAMissingDatabase(t *testing.T) {
	t.Parallel()
	const hooks = 64
	w := newWorld(t)
	outs := w.together(hooks, func(i int) (string, []byte) {
		name, _, data := w.input(i)
		return name, data
	})
	for i, out := range outs {
		if len(out) > 0 {
			t.Errorf("hook %d: it answers: %s", i, out)
		}
	}
	if got := w.count("SELECT count(*) FROM hook_runs"); got != hooks {
		t.Errorf("%d rows, want %d", got, hooks)
	}
	if got := w.count("SELECT count(DISTINCT session_id) FROM hook_runs WHERE outcome <> 'error'"); got != hooks {
		t.Errorf("%d sessions without an error, want %d", got, hooks)
	}
	if log := w.log(); len(log) > 0 || w.spooled("") > 0 {
		t.Errorf("%d files in the spool, log %q; want neither", w.spooled(""), log)
	}
	w.sound()
}

// sound checks the database.
func (w *world) sound() {
	w.t.Helper()
	if got := w.rows("PRAGMA integrity_check"); !slices.Equal(got, []string{"ok"}) {
		w.t.Errorf("integrity check: %q", got)
	}
}

// hold takes the write lock of the database until release is called.
func (w *world) hold() (release func()) {
	w.t.Helper()
	db, err := store.Open(w.database(), store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- db.Update(func(*store.Tx) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		w.t.Helper()
		close(free)
		if err := <-done; err != nil {
			w.t.Error(err)
		}
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

// Acceptance example 26: the lock is held for longer than any hook waits. That the hooks end at all while it is held proves
// that they end within their own bounds.
func TestManyHooksAtOnceOnALockedDatabase(t *testing.T) {
	t.Parallel()
	const hooks = 32
	w := newWorld(t)
	w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
	release := w.hold()
	events := make([]string, hooks)
	outs := w.together(hooks, func(i int) (string, []byte) {
		name, _, data := w.input(i)
		for _, p := range programs {
			if p.name == name {
				events[i] = p.events[i/len(programs)%len(p.events)]
			}
		}
		return name, data
	})
	for i, out := range outs {
		if err := valid(events[i], out); err != nil {
			t.Errorf("hook %d: %v: %s", i, err, out)
		}
	}
	if got := w.count("SELECT count(*) FROM hook_runs"); got != 1 {
		t.Errorf("%d rows while the database is locked, want the first one", got)
	}
	log := strings.Join(w.log(), "")
	for i := range hooks {
		_, session, _ := w.input(i)
		if !strings.Contains(log, session) {
			t.Errorf("no line in the log is about %s", session)
		}
	}
	release()
	w.drained(hooks + 1)
}

// drained lets turns end until everything that waits in the spool must be in the store, and checks that it is there once.
// rows is how many rows there are, spooled ones included.
func (w *world) drained(rows int) {
	w.t.Helper()
	for i := 1; i <= 2; i++ { // the second one finds nothing
		w.say("last", "Stop", nil)
		if got := w.count("SELECT count(*) FROM hook_runs"); got != rows+i {
			w.t.Errorf("%d rows after %d drains, want %d", got, i, rows+i)
		}
	}
	if n := w.spooled(""); n > 0 {
		w.t.Errorf("%d files are left in the spool", n)
	}
	w.sound()
}

// Hooks that wait for the lock within their bound write as soon as it is free, without the spool.
func TestHooksWaitForAShortLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("first", "UserPromptSubmit", fields{"prompt": "begin"})
	release := w.hold()
	name, _, data := w.input(2)
	cmd := w.start(t, name)
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = stdin.Write(data)
	}
	if err == nil {
		err = stdin.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if got := w.count("SELECT count(*) FROM hook_runs"); got != 2 || w.spooled("") != 0 {
		t.Errorf("%d rows and %d spooled files, want 2 and none; log %q", got, w.spooled(""), w.log())
	}
}

// A folder in place of the database: nothing can be stored, everything is kept, and the person hears of it once a session.
func TestAFolderInPlaceOfTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.MkdirAll(w.database(), 0o700); err != nil {
		t.Fatal(err)
	}
	w.unusable(20)
	if err := os.Remove(w.database()); err != nil {
		t.Fatalf("the folder is not as it was: %v", err)
	}
	w.drained(20)
}

// unusable runs n hooks on a store that cannot be used: each ends well, tells the log why, and keeps its fact; the start of
// a session says it to the person.
func (w *world) unusable(n int) {
	w.t.Helper()
	for i := range n {
		name, session, data := w.input(i)
		out := w.ok(name, data)
		switch name {
		case "devflow-session-start":
			if valid("SessionStart", []byte(out)) != nil || !strings.Contains(out, `"systemMessage":"[devflow] `) || !strings.Contains(out, "devflow doctor") {
				w.t.Errorf("SessionStart says %q, want a message about the store", out)
			}
		default:
			if out != "" {
				w.t.Errorf("%s answers: %s", name, out)
			}
		}
		if w.kept(session) != 1 {
			w.t.Errorf("%s: %d lines say that the fact is kept, want one: %q", name, w.kept(session), w.log())
		}
	}
}

// kept counts the lines of the log that say of a session that a fact went to the spool.
func (w *world) kept(session string) int {
	w.t.Helper()
	n := 0
	for _, line := range w.log() {
		if strings.Contains(line, "kept in the spool") && strings.Contains(line, `"session_id":"`+session+`"`) {
			n++
		}
	}
	return n
}
