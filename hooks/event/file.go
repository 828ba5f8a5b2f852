package event

import (
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
)

// Target is the file of the project that a writing tool is about.
type Target struct {
	Rel  string
	Kind tdd.Kind
}

// Writes reports the file that a Write, Edit, MultiEdit or NotebookEdit is about; false for other tools and for files
// outside of the project.
func (s *Scene) Writes(in claude.ToolIn) (Target, bool) {
	var path string
	switch s.In.ToolName {
	case "Write", "Edit", "MultiEdit":
		path = in.FilePath
	case "NotebookEdit":
		path = in.NotebookPath
	}
	rel, ok := s.Rel(path)
	if !ok {
		return Target{}, false
	}
	return Target{rel, tdd.Classify(rel)}, true
}

// Sum is the hash that the store keeps of a file or an input: it tells versions apart, is stable over processes, and is
// useless as content. It is FNV-1a with 64 bits, which costs a hook a fraction of a cryptographic hash; nothing that is
// decided depends on it being hard to forge.
func Sum(text string) string {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	const digits = "0123456789abcdef"
	var out [16]byte
	for i := range out {
		out[i] = digits[h>>(60-4*i)&15]
	}
	return string(out[:])
}

// Cover is what is known about the test of a file.
type Cover struct {
	State string // test_state of the edits table
	Found tdd.Found
	Has   bool // Found is a test, perhaps a stub
}

// Cover looks for the test of a file.
func (s *Scene) Cover(t Target) Cover {
	if t.Kind != tdd.Impl {
		return Cover{State: tdd.State(t.Rel, false, false)}
	}
	found, ok, err := s.Finder().Find(t.Rel)
	if err != nil {
		s.Log("find test", err)
	}
	return Cover{State: tdd.State(t.Rel, ok && !found.Stub, false), Found: found, Has: ok}
}

// Finder looks for tests in the project. It keeps its index in the store; a new one is stored by Commit.
func (s *Scene) Finder() *tdd.Finder {
	if s.finder == nil {
		s.finder = tdd.NewFinder(s.Root)
		s.finder.KeepIndex(s.loadIndex, func(encoded string) { s.index = encoded })
	}
	return s.finder
}

func (s *Scene) indexKey() string { return "tests:" + s.Root }

func (s *Scene) loadIndex() (text string) {
	view := s.View
	if s.tx != nil { // a transaction of this process is running: a second one would wait for it for ever
		view = func(fn func(*store.Tx) error) error { return fn(s.tx) }
	}
	err := view(func(tx *store.Tx) (err error) {
		text, err = telemetry.Get(tx, s.indexKey())
		return err
	})
	if err != nil {
		return "" // Commit says what is wrong with the store
	}
	return text
}

// saveIndex stores an index that the finder has built.
func (s *Scene) saveIndex(tx *store.Tx) error {
	if s.index == "" {
		return nil
	}
	return telemetry.Put(tx, s.indexKey(), s.index)
}
