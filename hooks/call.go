package hooks

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
)

// Call is one event with everything a handler may use. It belongs to one goroutine.
type Call struct {
	In      claude.Input
	Session string // key of the session, "" when the input names none: then nothing is remembered
	Child   bool   // devflow started this session itself: only guards act
	Paths   config.Paths
	Now     time.Time // when the event arrived
	Getenv  func(string) string
	Exe     string

	run   *run
	busy  time.Duration
	parts []Part
	worst Outcome
	db    *store.DB
}

// Outcome says what a module did with an event.
type Outcome string

// Outcomes in rising order of weight; the heaviest one is the outcome of the hook.
const (
	OK      Outcome = "ok"      // nothing to say
	Context Outcome = "ctx"     // told the model
	Message Outcome = "message" // told the person
	Ask     Outcome = "ask"
	Deny    Outcome = "deny"
	Block   Outcome = "block"
	Halt    Outcome = "halt"
	Failed  Outcome = "error"
)

// weight orders outcomes; an unknown one weighs as much as a failure.
func (o Outcome) weight() int {
	for i, known := range [...]Outcome{OK, Context, Message, Ask, Deny, Block, Halt} {
		if o == known {
			return i
		}
	}
	return 7
}

func newCall(r *run, paths config.Paths, child bool) *Call {
	return &Call{
		In: r.in, Session: claude.SessionKey(r.in, r.env.Getenv), Child: child, Paths: paths, Now: r.started,
		Getenv: r.env.Getenv, Exe: r.env.Exe, run: r, worst: OK,
	}
}

// Module runs one named part and notes its time and outcome for the hook's row. An error is logged and ends only this
// part: modules fail open; what must fail closed returns its error from Hook.Handle instead.
func (c *Call) Module(name string, part func() (Outcome, error)) {
	start := c.run.env.Now()
	outcome, err := part()
	if err != nil {
		outcome = Failed
		c.Log(name, err)
	}
	c.Note(name, c.run.env.Now().Sub(start), outcome)
}

// Note adds one finished part to the hook's row.
func (c *Call) Note(name string, took time.Duration, outcome Outcome) {
	c.parts = append(c.parts, Part{name, took, outcome})
	if outcome.weight() > c.worst.weight() {
		c.worst = outcome
	}
}

// Part is the share of one module in this process.
type Part struct {
	Name    string
	Took    time.Duration
	Outcome Outcome
}

// Parts are the finished parts in their order.
func (c *Call) Parts() []Part { return c.parts }

// Outcome is the heaviest outcome so far.
func (c *Call) Outcome() Outcome { return c.worst }

// Elapsed is the time since the event arrived.
func (c *Call) Elapsed() time.Duration { return c.run.env.Now().Sub(c.Now) }

// Log writes one line to the log that says why something was not done.
func (c *Call) Log(what string, cause error) { c.run.log.write(c.run.entry(what, cause)) }

// Extend moves the deadline of this event to d after its arrival. It is for a tool whose registered timeout is longer than
// the one that the hook's own deadline was made for.
func (c *Call) Extend(d time.Duration) {
	if c.run.watchdog != nil && c.run.watchdog.Stop() {
		c.run.watchdog.Reset(d - c.Elapsed())
	}
}

// Busy sets how long Update and View wait for the database; the default is 2 s.
func (c *Call) Busy(d time.Duration) { c.busy = d }

// Update runs fn in one write transaction, opening the store at the first use. The store is never closed: leaving that
// out saves a checkpoint per call, and the next process loses nothing by it.
func (c *Call) Update(fn func(*store.Tx) error) error {
	db, err := c.DB()
	if err != nil {
		return err
	}
	return db.Update(fn)
}

// View runs fn in one read snapshot.
func (c *Call) View(fn func(*store.Tx) error) error {
	db, err := c.DB()
	if err != nil {
		return err
	}
	return db.View(fn)
}

// DB opens the store at the first use.
func (c *Call) DB() (*store.DB, error) {
	if c.db == nil {
		db, err := store.Open(c.Paths.DB, store.Options{Busy: c.busy})
		if err != nil {
			return nil, err
		}
		c.db = db
	}
	return c.db, nil
}

// Spool is where facts wait that the store could not take.
func (c *Call) Spool() store.Spool { return store.Spool{Dirs: c.Paths.SpoolDirs()} }

// Keep puts a record into the spool because of cause, and logs both.
func (c *Call) Keep(record []byte, cause error) {
	if err := c.Spool().Append(c.Session, record); err != nil {
		c.Log("spool fact", fmt.Errorf("%w; the store refused it before: %w", err, cause))
		return
	}
	c.Log("store fact", fmt.Errorf("kept in the spool: %w", cause))
}

// Sibling is the path of another executable of the same installation.
func (c *Call) Sibling(name string) string { return filepath.Join(filepath.Dir(c.Exe), name) }
