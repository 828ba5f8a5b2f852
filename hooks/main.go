package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
)

// Hook describes one executable.
type Hook struct {
	Name string // the binary's name, for the log

	// Deadline is the time after which the hook answers by itself, 80 % of the registered timeout: past the registered
	// one the client kills the hook and lets the tool run. Call.Extend moves it for a tool that is registered with more.
	Deadline time.Duration

	// Event is the event that the hook answers to when the input does not say which one it is; "" = then it says nothing.
	Event string

	// Guards is set for a hook that also acts inside processes which devflow started itself (DEVFLOW_CHILD=1).
	// The handler then sees Call.Child.
	Guards bool

	// Closed makes the answer for a failure of this hook on one input; raw is what arrived on stdin. nil: fail open.
	Closed func(in claude.Input, raw []byte, cause error) claude.Output

	// Late makes the record of an event that was not done by the deadline; it goes to the spool. nil: none is kept.
	Late func(in claude.Input, session string, now time.Time) []byte

	// Handle answers one event. It must not write to stdout. An error is logged and answered by Closed.
	Handle func(c *Call) (claude.Output, error)
}

// Env is the world outside the process, a parameter so that tests can give another one.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	Exe    string    // path of the running executable; its siblings are the other binaries
	Exit   func(int) // ends the process at the deadline; the handler may still be running then
}

// System is the real environment of the process.
func System() Env {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return Env{Stdin: os.Stdin, Stdout: stdout(), Stderr: stderr(), Getenv: os.Getenv, Now: time.Now, Exe: exe, Exit: os.Exit}
}

// Main runs one event and returns the exit status, which is always 0. It answers at most once, also when the deadline
// passes while the handler is at work.
func Main(h Hook, env Env) int {
	child := isChild(env.Getenv)
	if child && !h.Guards {
		return 0
	}
	r := &run{hook: h, env: env, started: env.Now(), log: logger{stderr: env.Stderr}}
	paths, err := config.ResolvePaths(env.Getenv) // touches no file; the deadline needs the log from its first moment
	if err == nil {
		r.log.files = paths.LogFiles()
	}
	if h.Deadline > 0 {
		r.watchdog = time.AfterFunc(h.Deadline, r.expire)
		defer r.watchdog.Stop()
	}
	out := r.handle(child, paths, err)
	r.answer(out)
	return 0
}

// run is one execution of a hook.
type run struct {
	hook     Hook
	env      Env
	started  time.Time
	log      logger
	in       claude.Input
	raw      atomic.Pointer[[]byte] // the deadline may look at it at any time
	answered atomic.Bool
	watchdog *time.Timer // nil without a deadline
}

// handle is the whole life of one event. The recover here is the only one of the program.
func (r *run) handle(child bool, paths config.Paths, unresolved error) (out claude.Output) {
	defer func() {
		if v := recover(); v != nil {
			out = r.fail("panic", fmt.Errorf("panic: %v at %s", v, firstFrame(debug.Stack())))
		}
	}()
	if unresolved != nil && !r.hook.Guards {
		return r.fail("resolve paths", unresolved)
	}
	raw, err := readAll(r.env.Stdin)
	r.raw.Store(&raw)
	if err != nil {
		return r.fail("read input", err)
	}
	r.in, err = claude.Decode(raw)
	if err != nil {
		return r.fail("decode input", err)
	}
	c := newCall(r, paths, child)
	if unresolved != nil { // a guard needs no store, and must not be switched off by a variable
		r.log.write(r.entry("resolve paths", unresolved))
		c.Session = ""
	}
	out, err = r.hook.Handle(c)
	if err != nil {
		return r.fail("handle event", err)
	}
	if len(r.in.Malformed) > 0 {
		r.log.write(r.entry("decode input", fmt.Errorf("left out fields of a wrong type: %s", strings.Join(r.in.Malformed, ", "))))
	}
	return out
}

// fail logs a failure and gives the answer in the hook's fail direction.
func (r *run) fail(what string, cause error) claude.Output {
	r.log.write(r.entry(what, cause))
	if r.hook.Closed == nil {
		return claude.Output{}
	}
	return r.hook.Closed(r.in, r.input(), cause)
}

// input is what arrived on stdin, nil before its end.
func (r *run) input() []byte {
	if raw := r.raw.Load(); raw != nil {
		return *raw
	}
	return nil
}

// expire answers when the own deadline has passed, and ends the process: the client must not be the one to end it. The
// handler's fields may be in use, so only the raw input is looked at again.
func (r *run) expire() {
	if r.answered.Swap(true) {
		return
	}
	cause := fmt.Errorf("not done within %s", r.hook.Deadline)
	in, _ := claude.Decode(r.input()) // what could be read of it
	var unsaid error
	if r.hook.Closed != nil {
		unsaid = r.print(r.hook.Closed(in, r.input(), cause), in.Event)
	}
	r.keepLate(in, errors.Join(cause, unsaid))
	r.env.Exit(0)
}

// keepLate puts what is known of an event that was not done in time into the spool, and says so in the log.
func (r *run) keepLate(in claude.Input, cause error) {
	e := entry{Hook: r.hook.Name, Event: in.Event, What: "deadline", Cause: cause.Error(), At: r.env.Now()}
	session := claude.SessionKey(in, r.env.Getenv)
	if paths, err := config.ResolvePaths(r.env.Getenv); err == nil && r.hook.Late != nil && session != "" && in.Event != "" {
		if err := (store.Spool{Dirs: paths.SpoolDirs()}).Append(session, r.hook.Late(in, session, e.At)); err != nil {
			e.Cause += "; " + err.Error()
		} else {
			e.Cause += "; kept in the spool"
		}
	}
	r.log.write(e)
}

// answer writes the output unless the deadline was faster; then the process is about to end.
func (r *run) answer(out claude.Output) {
	if r.answered.Swap(true) {
		return
	}
	if err := r.print(out, r.in.Event); err != nil {
		r.log.write(r.entry("write output", err))
	}
}

// print writes an answer. It looks at nothing that a handler may still be writing.
func (r *run) print(out claude.Output, event string) error {
	if event == "" {
		event = r.hook.Event
	}
	data, err := out.Encode(event)
	if err != nil || len(data) == 0 {
		return err
	}
	_, err = r.env.Stdout.Write(data)
	return err
}

func (r *run) entry(what string, cause error) entry {
	return entry{Hook: r.hook.Name, Event: r.in.Event, Session: r.in.SessionID, What: what, Cause: cause.Error(), At: r.env.Now()}
}

// childMarkers are the variables that devflow and its published predecessors set for what they start.
var childMarkers = [...]string{"DEVFLOW_CHILD", "DEVFLOW_JUDGE_SUBPROCESS", "PAPERWEIGHT_RUN_ID"}

func isChild(getenv func(string) string) bool {
	for _, name := range childMarkers {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

// MaxInput is the largest input that a hook reads, in bytes. The client sends whole files, twice at PostToolUse; beyond
// this the event is logged and dropped.
const MaxInput = 256 << 20

// readAll reads stdin to its end without the growth steps of io.ReadAll: most inputs fit the first buffer.
func readAll(r io.Reader) ([]byte, error) {
	buf := make([]byte, 0, 16<<10)
	for {
		if len(buf) == cap(buf) {
			if len(buf) >= MaxInput {
				return nil, fmt.Errorf("input is larger than %d MiB", MaxInput>>20)
			}
			buf = append(make([]byte, 0, 4*cap(buf)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
