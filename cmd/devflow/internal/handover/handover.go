// Package handover hands the work of a finished specification on to devflock.
//
// It owns no table: the run is the orchestrator's.
package handover

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/plan"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// maxPlan bounds a plan file, in bytes, as compaction does.
const maxPlan = 64 << 10

// Queue queues the run that a finished specification asks for: one whose plan file holds a plan for devflock with several regions. What
// starts it is the stop hook or a person; a plan that is wrong is an error and changes nothing.
func Queue(paths config.Paths, db *store.DB, session string, now func() time.Time) error {
	data, err := regular.Read(filepath.Join(paths.SessionDir(session), "active-spec.json"), maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := spec.ParseMarker(data)
	if err != nil || m.Status != "COMPLETED" || m.PlanPath == "" || m.Cwd == "" {
		return err
	}
	path := m.PlanPath
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.Cwd, path)
	}
	text, err := regular.Read(path, maxPlan)
	if err != nil {
		return err
	}
	body, ok := block(string(text))
	if !ok {
		return nil
	}
	p, err := plan.Parse("", []byte(body))
	if err != nil {
		return err
	}
	if len(p.Modules) < 2 {
		return nil
	}
	repo, err := gitx.Find(m.Cwd)
	if err != nil {
		return err
	}
	_, err = orchestrator.Open(db, now).Enqueue(orchestrator.Request{Project: repo.Root, Mode: orchestrator.ModeFixed, Text: p.Summary, Session: session, Plan: &p})
	return err
}

// block finds the fenced block named devflock.
func block(text string) (string, bool) {
	_, rest, ok := strings.Cut("\n"+text, "\n```devflock\n")
	if !ok {
		return "", false
	}
	body, _, closed := strings.Cut(rest, "\n```")
	return body, closed
}
