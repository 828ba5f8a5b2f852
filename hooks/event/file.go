package event

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/tdd"
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

// Command reads the shell command of a Bash call and classes it.
func Command(in claude.ToolIn) (shell.Script, profiler.Class) {
	script, err := shell.Parse(in.Command)
	return script, profiler.Classify(script, err == nil)
}

// Sum is the content hash that the store keeps of a file or an input: enough to tell versions apart, useless as content.
func Sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// TestState is what is known about the test of an implementation file.
func (s *Scene) TestState(t Target) string {
	if t.Kind != tdd.Impl {
		return profiler.TestNonCode
	}
	found, ok, err := s.Finder().Find(t.Rel)
	switch {
	case err != nil:
		s.Log("find test", err)
		return profiler.TestNone
	case !ok || found.Stub:
		return profiler.TestNone
	}
	return profiler.TestExists
}

// Finder looks for tests in the project.
func (s *Scene) Finder() *tdd.Finder {
	if s.finder == nil {
		s.finder = tdd.NewFinder(s.Root)
	}
	return s.finder
}
