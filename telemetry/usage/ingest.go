package usage

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Bounds of one reading, in bytes.
const (
	// MinGrowth is how much a transcript must have grown before a reading without Force looks into it.
	MinGrowth = 1 << 10
	// HotBytes is how much a reading without Force takes at most; the rest waits for the next event.
	HotBytes = 1 << 20
	// chunkBytes is how much one transaction of Catch takes, so that other hooks can write in between.
	chunkBytes = 8 << 20
)

// Options say how to read. The zero value suits a hook on every tool call.
type Options struct {
	Now       time.Time // required: the time of lines without one, and of the cursors
	Prices    Table
	Window    int64  // context window from the configuration, tokens; 0: by model
	Model     string // the session's model as the client names it (it may carry [1m]); "" when not known
	Force     bool   // read to the end, also when little was added: Stop, SessionEnd, SubagentStop
	MaxBytes  int64  // 0: HotBytes without Force, no bound with it
	Subagents bool   // read the transcripts of the session's subagents too
}

// Result is what a reading found.
type Result struct {
	Added       telemetry.Delta // what was added to the task, subagents included
	Messages    int             // replies counted for the first time
	Occupancy   int64           // tokens in the main context after the newest message; 0 when there is none since a compaction
	Window      int64           // context window in tokens
	Model       string          // of the newest main-chain message, as the transcript has it
	Skills      []string        // with Force: all skills that the task has used so far, each once; else those of this reading
	Todos       []Todo          // with Force: the session's todo list; else only when this reading changed it
	Bytes       int64           // read
	More        bool            // whole lines are left unread
	Unreadable  int             // lines that are not JSON
	Interrupted error           // the main transcript was counted, but a subagent's could not be read
}

// Ingest reads what was added to a session's transcript since the last time, counts each reply once, and adds tokens and
// cost to the task, which must be the session's newest one. It changes the transaction only; when the process dies before
// the commit, the same bytes are read again and nothing is counted twice. Without a task nothing is read, so that what came
// before the first task is counted with it. A transcript that does not exist yet is no error. A transcript that was
// replaced or cut short is read from its start; what was counted before is not counted again.
func Ingest(tx *store.Tx, t *telemetry.Task, transcript string, o Options) (Result, error) {
	r := reader{tx: tx, task: t, o: o}
	if o.MaxBytes == 0 && !o.Force {
		r.o.MaxBytes = HotBytes
	}
	if t == nil || transcript == "" {
		r.res.Window = Window(o.Window, 0, o.Model)
		return r.res, nil
	}
	if err := r.file(transcript, ""); err != nil {
		return Result{}, err
	}
	if o.Subagents && !r.res.More {
		if err := r.subagents(transcript); err != nil {
			return Result{}, err
		}
	}
	if err := r.notes(); err != nil {
		return Result{}, err
	}
	r.res.Window = Window(o.Window, r.res.Occupancy, r.res.Model, o.Model)
	return r.res, r.store()
}

// Catch reads everything that a session's transcripts hold, in as many transactions as that needs, so that a first reading
// of a huge file does not lock other hooks out. It is for Stop and SessionEnd. Without a task in the session it does nothing.
func Catch(db *store.DB, session, transcript string, o Options) (Result, error) {
	o.Force, o.MaxBytes = true, chunkBytes
	var sum Result
	for {
		var part Result
		err := db.Update(func(tx *store.Tx) error {
			t, err := telemetry.Current(tx, session)
			if err != nil {
				return err
			}
			part, err = Ingest(tx, t, transcript, o)
			return err
		})
		if err != nil {
			return sum, err
		}
		sum.add(part)
		if !part.More || part.Bytes == 0 {
			return sum, nil
		}
	}
}

// add folds a later reading in, which was forced: its skills and todos are complete.
func (r *Result) add(p Result) {
	p.Added.In += r.Added.In
	p.Added.Out += r.Added.Out
	p.Added.Read += r.Added.Read
	p.Added.W5 += r.Added.W5
	p.Added.W1h += r.Added.W1h
	p.Added.CostNanoUSD += r.Added.CostNanoUSD
	p.Added.CostUnknown = p.Added.CostUnknown || r.Added.CostUnknown
	if p.Added.Model == "" {
		p.Added.Model = r.Added.Model
	}
	p.Messages += r.Messages
	p.Bytes += r.Bytes
	p.Unreadable += r.Unreadable
	if p.Interrupted == nil {
		p.Interrupted = r.Interrupted
	}
	*r = p
}

// reader is one Ingest.
type reader struct {
	tx   *store.Tx
	task *telemetry.Task
	o    Options
	res  Result
	uses []claude.ToolUse // of the main transcript, those that notes looks at
}

// batch is what one file adds.
type batch struct {
	order    []uint64
	messages map[uint64]*message
}

// message is a reply with the largest output count that its lines have shown.
type message struct {
	usage claude.Usage
	at    time.Time
}

// file reads one transcript from its cursor. agent is the subagent's id, "" for the main one.
func (r *reader) file(path, agent string) error {
	size, ino, found, err := fileState(path)
	if err != nil || !found {
		return r.unread(agent, err)
	}
	c, err := loadCursor(r.tx, path)
	if err != nil {
		return err
	}
	if c.ino != ino || size < c.offset {
		c = cursor{ino: ino}
	}
	if agent == "" {
		defer func() { r.res.Occupancy, r.res.Model = c.occupancy, c.model }()
	}
	if grown := size - c.offset; grown == 0 || !r.o.Force && grown < MinGrowth {
		return nil
	}
	was := c
	b, err := r.read(path, &c, agent)
	if errors.Is(err, claude.ErrOffset) { // another file in the same inode
		c = cursor{ino: ino}
		b, err = r.read(path, &c, agent)
	}
	if err != nil {
		return r.unread(agent, err)
	}
	if agent == "" && r.res.More {
		if n, model, err := newestUsage(path, size); err == nil && n > 0 {
			c.occupancy, c.model = n, model
		}
	}
	if err := r.count(b, agent); err != nil || c == was {
		return err
	}
	return saveCursor(r.tx, path, c, r.o.Now.UnixMilli())
}

// unread passes on that the main transcript could not be read; of a subagent's it is only noted, and the others are counted.
func (r *reader) unread(agent string, err error) error {
	if agent == "" {
		return err
	}
	r.res.Interrupted = errors.Join(r.res.Interrupted, err)
	return nil
}

// read collects the lines after the cursor and moves it.
func (r *reader) read(path string, c *cursor, agent string) (*batch, error) {
	b := &batch{messages: map[uint64]*message{}}
	start := c.offset
	next, err := claude.ReadTranscript(path, start, func(l claude.Line) error {
		if r.o.MaxBytes > 0 && l.Offset > start && r.res.Bytes+l.End-start > r.o.MaxBytes {
			return errStop
		}
		r.line(b, c, &l, agent)
		return nil
	})
	if errors.Is(err, errStop) {
		r.res.More, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	r.res.Bytes += next - start
	c.offset = next
	return b, nil
}

// line takes from one line what is needed.
func (r *reader) line(b *batch, c *cursor, l *claude.Line, agent string) {
	if l.Broken {
		r.res.Unreadable++
		return
	}
	if agent == "" {
		for i := range l.ToolUses {
			if u := &l.ToolUses[i]; noteworthy(u.Name) {
				r.uses = append(r.uses, *u)
			}
		}
		if l.Subtype == "compact_boundary" {
			c.occupancy = 0
		}
	}
	if l.Usage == nil || l.Usage.Synthetic() {
		return
	}
	sane(l.Usage)
	if agent == "" && mainMessage(l) {
		c.occupancy = occupied(l.Usage)
		if l.Usage.Model != "" {
			c.model, r.res.Added.Model = l.Usage.Model, l.Usage.Model
		}
	}
	key := l.Usage.Key()
	m := b.messages[key]
	if m == nil {
		b.order = append(b.order, key)
		b.messages[key] = &message{*l.Usage, l.At}
		return
	}
	m.usage.Output = max(m.usage.Output, l.Usage.Output)
}

// maxTokens is more than any reply can hold; it keeps sums and costs of a damaged transcript from overflowing.
const maxTokens = 1 << 32

// sane bounds the counts of a reply, which come from a file that anything may have written.
func sane(u *claude.Usage) {
	for _, n := range [...]*int64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h} {
		*n = min(max(*n, 0), maxTokens)
	}
}

// count stores the replies of a batch and sums what is new about them.
func (r *reader) count(b *batch, agent string) error {
	var d telemetry.Delta
	for _, key := range b.order {
		m := b.messages[key]
		known, counted, err := r.remember(int64(key), m.usage.Output)
		if err != nil {
			return fmt.Errorf("count message: %w", err)
		}
		if !counted {
			r.res.Messages++
		} else if m.usage.Output <= known {
			continue
		}
		r.price(&d, m, counted, known)
	}
	if agent != "" && d != (telemetry.Delta{}) {
		if err := telemetry.AddSubagentUsage(r.tx, r.task.SessionID, agent, d.Work(), d.CostNanoUSD); err != nil {
			return err
		}
	}
	a := &r.res.Added
	a.In += d.In
	a.Out += d.Out
	a.Read += d.Read
	a.W5 += d.W5
	a.W1h += d.W1h
	a.CostNanoUSD += d.CostNanoUSD
	a.CostUnknown = a.CostUnknown || d.CostUnknown
	return nil
}

// remember stores a reply with its output count, unless a larger one is known. counted tells that the reply was known, with
// the output count known.
func (r *reader) remember(key, out int64) (known int64, counted bool, err error) {
	added, err := r.tx.Exec("INSERT INTO messages(key,out) VALUES(?,?) ON CONFLICT DO NOTHING", key, out)
	if err != nil || added == 1 {
		return 0, false, err
	}
	if _, err := r.tx.One("SELECT out FROM messages WHERE key=?", []any{key}, &known); err != nil || out <= known {
		return known, true, err
	}
	_, err = r.tx.Exec("UPDATE messages SET out=? WHERE key=?", out, key)
	return known, true, err
}

// price adds a reply to a delta, or, of one that was counted before, only the output that it has gained.
func (r *reader) price(d *telemetry.Delta, m *message, counted bool, known int64) {
	now := tokensOf(&m.usage)
	if !counted {
		d.In += now.Input
		d.Read += now.CacheRead
		d.W5 += now.CacheWrite5m
		d.W1h += now.CacheWrite1h
		known = 0
	}
	d.Out += now.Output - known
	at := m.at
	if at.IsZero() {
		at = r.o.Now
	}
	p, ok := r.o.Prices.Lookup(m.usage.Model, at)
	if !ok {
		d.CostUnknown = true
		return
	}
	d.CostNanoUSD += p.Cost(now)
	if counted {
		before := now
		before.Output = known
		d.CostNanoUSD -= p.Cost(before)
	}
}

func tokensOf(u *claude.Usage) Tokens {
	return Tokens{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h,
		WebSearches: u.WebSearches, Fast: u.Speed == "fast", US: u.Geo == "us",
	}
}

// subagents reads the transcripts of all subagents, as far as the bound allows.
func (r *reader) subagents(transcript string) error {
	files, err := claude.SubagentFiles(transcript)
	if err != nil {
		return r.unread("?", fmt.Errorf("list subagents: %w", err))
	}
	for _, path := range files {
		if r.o.MaxBytes > 0 && r.res.Bytes >= r.o.MaxBytes {
			r.res.More = true
			return nil
		}
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if err := r.file(path, strings.TrimPrefix(name, "agent-")); err != nil {
			return err
		}
	}
	return nil
}

// store adds the sum to the task.
func (r *reader) store() error {
	if r.res.Added == (telemetry.Delta{}) {
		return nil
	}
	return telemetry.AddUsage(r.tx, r.task.SessionID, r.task.Seq, r.res.Added)
}
