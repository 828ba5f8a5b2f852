// Package event is what the hook programs share: it turns a hook input into a telemetry fact, knows which project and
// which file an event is about, and commits the fact, to the store or, when that fails, to the spool. It owns no table
// and answers nothing: what a hook says is decided in the programs.
package event

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/hooks"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
)

// Scene is one event and everything about it that can be known without the store. It belongs to one goroutine.
type Scene struct {
	*hooks.Call
	Root     string    // absolute project root, links resolved; "" when not even a working folder is known
	Repo     gitx.Repo // valid with HasRepo
	HasRepo  bool
	Cfg      config.Config
	Problems []config.Problem // of the configuration
	Fact     telemetry.Fact   // what this event will leave behind
	Stale    bool             // set by a decide function that changed the task's row
	Task     *telemetry.Task  // after Commit

	finder *tdd.Finder
	index  string    // of the finder, when it built a new one
	tx     *store.Tx // that Commit is running
}

// New looks at the project of an event and begins its fact.
func New(c *hooks.Call) *Scene {
	s := &Scene{Call: c, Fact: telemetry.NewFact(c.Now, c.Session, c.In.Event)}
	s.locate()
	s.Cfg, s.Problems = config.Load(c.Paths, s.Root)
	s.Fact.Agent, s.Fact.AgentType = c.In.AgentID, c.In.AgentType
	s.Fact.Tool, s.Fact.Prompt = c.In.ToolName, c.In.PromptID
	s.Fact.Cwd, s.Fact.Root = c.In.Cwd, s.Root
	s.Fact.DurMS = c.In.DurationMS
	return s
}

// Late is the fact of an event that was not done by the hook's deadline: that it happened, and no more.
func Late(in claude.Input, session string, now time.Time) []byte {
	f := telemetry.NewFact(now, session, in.Event)
	f.Agent, f.AgentType, f.Tool, f.Prompt, f.Cwd = in.AgentID, in.AgentType, in.ToolName, in.PromptID, in.Cwd
	f.Outcome = string(hooks.Failed)
	record, err := f.Encode()
	if err != nil {
		return nil // unreachable: texts and numbers encode
	}
	return record
}

// locate finds the project: the repository of the folder that the client was started in, which stays the same when the
// model changes its folder, else that of the present folder, else the folder itself.
func (s *Scene) locate() {
	for _, dir := range [...]string{s.Getenv("CLAUDE_PROJECT_DIR"), s.In.Cwd} {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		if repo, err := gitx.Find(dir); err == nil {
			s.Root, s.Repo, s.HasRepo = repo.Root, repo, true
			return
		}
		if s.Root == "" {
			s.Root = dir
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				s.Root = real
			}
		}
	}
}

// Branch is the project's present branch, "" when detached or unknown.
func (s *Scene) Branch() string {
	if !s.HasRepo {
		return ""
	}
	return s.Repo.Branch()
}

// Rel is a path of the event relative to the project, with slashes; false for a path outside of it.
func (s *Scene) Rel(path string) (string, bool) {
	if path == "" || s.Root == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.In.Cwd, path)
	}
	if s.HasRepo {
		return s.Repo.Rel(path)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	rel, err := filepath.Rel(s.Root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// MaxFile is how much of a file an event looks at, in bytes. A source file beyond it is recorded without its content.
const MaxFile = 4 << 20

// Read gives a file of the project, "" and false when there is none, when it is too large, or when a link in its path
// leads out of the project.
func (s *Scene) Read(rel string) (string, bool) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return "", false
	}
	defer root.Close()
	data, err := regular.ReadIn(root, filepath.FromSlash(rel), MaxFile)
	return string(data), err == nil
}

// Objects is where the private git objects of this project's snapshots are.
func (s *Scene) Objects() string { return gitx.ObjectDir(s.Paths.Objects, s.Root) }

// Commit runs decide with the session's newest task (nil before the first) and records the fact, in one transaction;
// Task is then the task that the fact belongs to. decide may add to the fact, and may run more than once; when it changed
// the task's row by itself it says so by Stale. When the store cannot take the fact, the fact goes to the spool, one line
// in the log says why, and the error is returned: whatever decide found out must then not be relied on. Without a session
// nothing is run and nothing is stored.
func (s *Scene) Commit(decide func(tx *store.Tx, t *telemetry.Task) error) error {
	if s.Session == "" {
		return ErrNoSession
	}
	var before telemetry.SpecStatus
	err := s.Update(func(tx *store.Tx) error {
		s.Stale, before, s.tx = false, "", tx
		defer func() { s.tx = nil }()
		t, err := telemetry.Current(tx, s.Session)
		if err != nil {
			return err
		}
		if t != nil {
			before = t.SpecStatus
		}
		if decide != nil {
			if err := decide(tx, t); err != nil {
				return err
			}
		}
		if s.Stale {
			t = nil
		}
		s.finish()
		if s.Task, err = telemetry.Record(tx, t, &s.Fact); err != nil {
			return err
		}
		return s.saveIndex(tx)
	})
	var again *retry
	switch {
	case errors.As(err, &again):
		return err
	case err == nil:
		if s.Task != nil && s.Task.SpecStatus != before {
			s.exportSpec()
		}
		return nil
	}
	s.finish()
	record, encodeErr := s.Fact.Encode()
	if encodeErr != nil {
		s.Log("store fact", fmt.Errorf("%w; and the spool cannot take it: %w", err, encodeErr))
		return err
	}
	s.Keep(record, err)
	return err
}

// Foresee is the task as this event's fact will leave it, for a decision that depends on that and has to be in the fact
// itself. It changes nothing.
func (s *Scene) Foresee(tx *store.Tx) (t *telemetry.Task, err error) {
	if _, err := tx.Exec("SAVEPOINT foresee"); err != nil {
		return nil, err
	}
	fact := s.Fact
	t, err = telemetry.Record(tx, nil, &fact)
	if _, undo := tx.Exec("ROLLBACK TO foresee"); undo != nil {
		return nil, errors.Join(err, undo)
	}
	_, undo := tx.Exec("RELEASE foresee")
	return t, errors.Join(err, undo)
}

// Amend corrects the recorded event: modules that ran after Commit are added, and the outcome is theirs if it weighs more.
func (s *Scene) Amend(tx *store.Tx) error {
	s.finish()
	return telemetry.Amend(tx, &s.Fact)
}

// ErrNoSession is returned by Commit for an event that names no session.
var ErrNoSession = errors.New("event names no session")

// retry ends a transaction without keeping the fact: the caller fetches what was missing and commits again.
type retry struct{ missing string }

func (r *retry) Error() string { return "transaction needs " + r.missing }

// finish copies what the modules did so far into the fact.
func (s *Scene) finish() {
	s.Fact.Modules = s.Fact.Modules[:0]
	for _, p := range s.Parts() {
		s.Fact.Modules = append(s.Fact.Modules, telemetry.Module{Name: p.Name, US: p.Took.Microseconds(), Outcome: string(p.Outcome)})
	}
	s.Fact.Outcome = string(s.Outcome())
	s.Fact.US = s.Elapsed().Microseconds()
}
