package instinct_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
	"github.com/devflow-suite/devflow/telemetry"
)

const session = "0a1b2c3d-1111-4111-8111-111111111111"

// world is a project folder, a store with one task in it, and the session's transcript.
type world struct {
	*testing.T
	db         *store.DB
	root       string
	transcript string
	now        time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t, root: filepath.Join(dir, "api"), transcript: filepath.Join(dir, session+".jsonl"), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(filepath.Join(dir, "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	t.Cleanup(func() { _ = db.Close() })
	w.record("UserPromptSubmit", func(f *telemetry.Fact) { f.Prompt, f.Description = "p1", "make tokens rotate" })
	w.record("PreToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Base = "Write", true, &telemetry.Base{Root: w.root, Tree: telemetry.NoTree}
	})
	return w
}

func (w *world) record(event string, edit func(f *telemetry.Fact)) {
	w.Helper()
	w.now = w.now.Add(time.Second)
	f := telemetry.NewFact(w.now, session, event)
	f.Root = w.root
	edit(&f)
	w.update(func(tx *store.Tx) error { _, err := telemetry.Record(tx, nil, &f); return err })
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Update(fn); err != nil {
		w.Fatal(err)
	}
}

// edited records the edit of a source file.
func (w *world) edited() {
	w.Helper()
	w.record("PostToolUse", func(f *telemetry.Fact) {
		f.Tool, f.Mutates, f.Path, f.Edits = "Write", true, "src/a.py", []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Added: 3}}
	})
}

// tested records a test command; output makes it a failure.
func (w *world) tested(command, output string) {
	w.Helper()
	event := "PostToolUse"
	if output != "" {
		event = "PostToolUseFailure"
	}
	w.record(event, func(f *telemetry.Fact) {
		f.Tool, f.Runner, f.Class, f.InputSHA = "Bash", "pytest", "test", command
		if output != "" {
			f.Detail = "$ " + command + "\n" + output
		}
	})
}

// says writes replies of the model into the transcript.
func (w *world) says(texts ...string) {
	w.Helper()
	var b strings.Builder
	for i, text := range texts {
		w.now = w.now.Add(time.Second)
		quoted, err := json.Marshal(text)
		if err != nil {
			w.Fatal(err)
		}
		fmt.Fprintf(&b, `{"parentUuid":null,"isSidechain":false,"message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":%s}]},"type":"assistant","uuid":"u%d","timestamp":"%s"}`+"\n",
			i, quoted, i, w.now.Format(time.RFC3339Nano))
	}
	if err := os.WriteFile(w.transcript, []byte(b.String()), 0o600); err != nil {
		w.Fatal(err)
	}
}

// capture runs a capture with a model that answers reply, "" for no model.
func (w *world) capture(reply string, env ...string) (int, *model) {
	w.Helper()
	m := &model{reply: reply}
	d := instinct.Deps{DB: w.db, Transcript: w.transcript, Now: func() time.Time { return w.now }, Getenv: func(name string) string {
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return ""
	}}
	if reply != "" {
		d.Asker = m
	}
	n, err := instinct.Capture(w.Context(), d, session, 1)
	if m.err = err; err != nil && reply != broken {
		w.Fatal(err)
	}
	return n, m
}

// broken is the reply of a model that fails.
const broken = "broken"

// model answers every question with the same reply and keeps the last prompt.
type model struct {
	reply, prompt string
	calls         int
	err           error // of the capture
}

func (m *model) Ask(_ context.Context, system, prompt string, schema []byte) (json.RawMessage, error) {
	m.calls++
	m.prompt = prompt
	if !json.Valid(schema) || system == "" {
		return nil, errors.New("no schema, or no system prompt")
	}
	if m.reply == broken {
		return nil, errors.New("quota exhausted")
	}
	return json.RawMessage(m.reply), nil
}

// lessons is a reply with one lesson for each content.
func lessons(confidence float64, contents ...string) string {
	var list []map[string]any
	for _, c := range contents {
		list = append(list, map[string]any{"content": c, "category": "convention", "confidence": confidence})
	}
	data, err := json.Marshal(map[string]any{"lessons": list})
	if err != nil {
		panic(err) // unreachable: strings and numbers encode
	}
	return string(data)
}

func (w *world) list(status string) []instinct.Instinct {
	w.Helper()
	var list []instinct.Instinct
	if err := w.db.View(func(tx *store.Tx) (err error) { list, err = instinct.List(tx, w.root, status); return err }); err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *world) contents() []string {
	w.Helper()
	var list []string
	for _, in := range w.list("") {
		list = append(list, in.Content)
	}
	return list
}
