// Package handover hands the work of a finished specification on to devflock.
//
// It owns no table: the run is the orchestrator's.
package handover

import (
	"crypto/sha256"
	"errors"
	"fmt"
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
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// maxPlan bounds a plan file, in bytes, as compaction does.
const maxPlan = 64 << 10

// Queue queues the run that a finished specification asks for, once: one whose plan file holds a plan for devflock with several
// regions. What starts it is the stop hook or a person. A plan that is wrong makes a run that has failed, so that the person is told.
func Queue(paths config.Paths, db *store.DB, session string, now func() time.Time) error {
	m, err := marker(paths, session)
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
	repo, err := gitx.Find(m.Cwd)
	if err != nil {
		return err
	}
	p, wrong := plan.Parse("", []byte(body))
	if wrong == nil && len(p.Modules) < 2 {
		return nil
	}
	ask := orchestrator.Request{Project: repo.Root, Mode: orchestrator.ModeFixed, Text: p.Summary, Session: session, Plan: &p}
	if wrong != nil {
		ask.Text, ask.Plan = "the plan in "+m.PlanPath, nil
	}
	id, err := enqueue(db, now(), ask, fmt.Sprintf("%x", sha256.Sum256([]byte(body))))
	if err != nil || id == "" || wrong == nil {
		return err
	}
	return orchestrator.Open(db, now).SetState(id, orchestrator.RunFailed, fmt.Sprintf("the plan in %s is wrong: %v", m.PlanPath, wrong))
}

// marker reads the session's spec marker; none is an empty one.
func marker(paths config.Paths, session string) (spec.Marker, error) {
	data, err := regular.Read(filepath.Join(paths.SessionDir(session), "active-spec.json"), maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return spec.Marker{}, nil
	}
	if err != nil {
		return spec.Marker{}, err
	}
	return spec.ParseMarker(data)
}

// enqueue queues the run unless this very plan of the session was handed on before: its marker stays, and later tasks pass as well.
// Then the id is empty.
func enqueue(db *store.DB, now time.Time, ask orchestrator.Request, sum string) (id orchestrator.RunID, err error) {
	key := "flock-plan:" + ask.Session
	err = db.Update(func(tx *store.Tx) error {
		id = ""
		last, err := telemetry.Get(tx, key)
		if err != nil || last == sum {
			return err
		}
		if id, err = orchestrator.Enqueue(tx, now, ask); err != nil {
			return err
		}
		return telemetry.Put(tx, key, sum)
	})
	return id, err
}

// block finds the first fenced block named devflock. One inside of another block is an example, and one without an end is none.
func block(text string) (string, bool) {
	var body strings.Builder
	fence, named := "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		mark := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence, named = mark, strings.TrimSpace(trimmed[len(mark):]) == "devflock"
		case fence == "":
		case mark == trimmed && len(mark) >= len(fence):
			if named {
				return body.String(), true
			}
			fence = ""
		case named:
			body.WriteString(line)
		}
	}
	return "", false
}
