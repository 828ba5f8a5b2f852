// Package governance answers the three questions that other programs ask about a task: may this be pushed, how does it
// stand, and what does the judge say now.
//
// It is behind the MCP server and `devflow governance`. It owns no table and writes nothing: signals are looked at and never
// claimed, so asking twice gives the same answer. Only [Evaluate] changes something, through the judge.
//
// # Fail direction
//
// Closed. A verdict counts only for the diff that it was made of; one about another diff is "stale", and one whose diff
// cannot be told is too. When the store cannot be used the answer is not ready, with the reason
// "[sec] swarm-reports-unavailable". Errors are for questions that cannot be answered at all: wrong arguments, a session
// that is not known.
package governance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/telemetry"
)

// Args says which task is meant. Without a session it is the newest task of the project.
type Args struct {
	StateDir    string `json:"state_dir,omitempty" jsonschema:"state folder of the session, <devflow root>/state/<session id>; may begin with ~"`
	SessionID   string `json:"session_id,omitempty" jsonschema:"id of the Claude Code session; without it and without state_dir the newest task of the project is meant"`
	ProjectRoot string `json:"project_root" jsonschema:"folder of the project; may begin with ~"`
}

// Errors of a question.
var (
	ErrArgs   = errors.New("wrong arguments") // they do not name a task in any way
	ErrNoTask = errors.New("no task is known")
)

// Shadow starts test runs beside the session. Start reports whether this very call started one for the diff: it is false
// when there was one already.
type Shadow interface {
	Start(ctx context.Context, task telemetry.Task, diffSHA string) (started bool, err error)
}

// Deps is what the answers come from.
type Deps struct {
	Open   func() (*store.DB, error) // opens the store for reading; fs.ErrNotExist: nothing was recorded yet
	Paths  config.Paths
	Shadow Shadow                                                                     // nil: there is none
	Judge  func(ctx context.Context, session string, seq int64) (judge.Result, error) // runs the boundary; only Evaluate needs it
	Log    *slog.Logger                                                               // nil = none
}

func (d Deps) logger() *slog.Logger {
	if d.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Log
}

// unavailable is what stands in the way when the store cannot be used.
const unavailable = "[sec] swarm-reports-unavailable: the store cannot be used"

// with opens the store, finds the task that is meant and runs fn. broken tells an error of the store from one of the question.
func (d Deps) with(a Args, fn func(tx *store.Tx, t *telemetry.Task) error) (broken bool, err error) {
	place, err := d.place(a)
	if err != nil {
		return false, err
	}
	db, err := d.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return false, place.unknown()
	}
	if err != nil {
		return true, err
	}
	defer db.Close()
	var t *telemetry.Task
	err = db.View(func(tx *store.Tx) error {
		var err error
		if t, err = place.task(tx); err != nil || t == nil {
			return err
		}
		return fn(tx, t)
	})
	if err == nil && t == nil {
		return false, place.unknown()
	}
	return err != nil, err
}

// place is a question after its arguments were read.
type place struct {
	session string
	roots   []string // names of the project, the one of its repository first
}

func (p place) unknown() error {
	if p.session != "" {
		return fmt.Errorf("%w of session %s in %s", ErrNoTask, p.session, p.roots[0])
	}
	return fmt.Errorf("%w in %s", ErrNoTask, p.roots[0])
}

// place reads the arguments.
func (d Deps) place(a Args) (place, error) {
	var p place
	if strings.TrimSpace(a.ProjectRoot) == "" {
		return p, fmt.Errorf("%w: project_root is empty", ErrArgs)
	}
	root, err := d.expand(a.ProjectRoot)
	if err != nil {
		return p, fmt.Errorf("%w: project_root: %w", ErrArgs, err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return p, fmt.Errorf("%w: project_root %s is no folder", ErrArgs, root)
	}
	p.roots = append(p.roots, root)
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		p.roots = append(p.roots, real)
	}
	if repo, err := gitx.Find(root); err == nil {
		p.roots = append([]string{repo.Root}, p.roots...)
	}
	if a.SessionID != "" {
		p.session = claude.SessionKey(claude.Input{SessionID: a.SessionID}, func(string) string { return "" })
	}
	if a.StateDir == "" {
		return p, nil
	}
	dir, err := d.expand(a.StateDir)
	if err != nil {
		return p, fmt.Errorf("%w: state_dir: %w", ErrArgs, err)
	}
	session := filepath.Base(dir)
	if dir != d.Paths.SessionDir(session) {
		return p, fmt.Errorf("%w: state_dir %s is not directly below %s", ErrArgs, dir, d.Paths.State)
	}
	if p.session != "" && p.session != session {
		return p, fmt.Errorf("%w: state_dir is of session %s, session_id is %s", ErrArgs, session, p.session)
	}
	p.session = session
	return p, nil
}

// expand gives the absolute path of an argument, which may begin with the home folder.
func (d Deps) expand(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", errors.New("a path has no NUL byte")
	}
	if rest, home := strings.CutPrefix(path, "~"); home {
		switch {
		case rest != "" && rest[0] != '/':
			return "", fmt.Errorf("%s: only ~ and ~/ are understood", path)
		case d.Paths.Home == "":
			return "", errors.New("the home folder is not known")
		}
		path = d.Paths.Home + rest
	}
	return filepath.Abs(path)
}

const (
	newestSQL = "SELECT session_id,seq FROM tasks WHERE project_root=? ORDER BY started_ms DESC,seq DESC LIMIT 1"
	withinSQL = "SELECT session_id,seq FROM tasks WHERE project_root=? AND session_id=? ORDER BY seq DESC LIMIT 1"
)

// task is the newest task that the place names, nil if there is none. A session that works elsewhere now may have worked in
// the project before.
func (p place) task(tx *store.Tx) (*telemetry.Task, error) {
	if p.session != "" {
		t, err := telemetry.Current(tx, p.session)
		if err != nil || t == nil || p.names(t.ProjectRoot) {
			return t, err
		}
	}
	for _, root := range p.roots {
		query, args := newestSQL, []any{root}
		if p.session != "" {
			query, args = withinSQL, []any{root, p.session}
		}
		var session string
		var seq int64
		found, err := tx.One(query, args, &session, &seq)
		if err != nil {
			return nil, fmt.Errorf("find task of %s: %w", root, err)
		}
		if found {
			return telemetry.Find(tx, session, seq)
		}
	}
	return nil, nil
}

func (p place) names(root string) bool {
	for _, r := range p.roots {
		if r == root {
			return true
		}
	}
	return false
}
