package event

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/spec"
)

// Names of a session's files below <root>/state/<session>.
const (
	markerFile = "active-spec.json" // written by us and by skills, read back
	specFile   = "spec.md"          // the text after /spec, redacted: what a compaction must not lose
	haltFile   = "emergency-halt.log"
)

// Bounds of files that are read, in bytes.
const (
	maxMarker = 64 << 10
	maxPlan   = 64 << 10
)

// MarkerPath is where the session's spec marker is.
func (s *Scene) MarkerPath() string {
	return filepath.Join(s.Paths.SessionDir(s.Session), markerFile)
}

// NamesMarker reports whether a shell command may have written a spec marker.
func NamesMarker(command string) bool { return strings.Contains(command, markerFile) }

// ImportMarker reads the session's spec marker into the fact. A missing one is nothing; a broken one changes nothing and
// is said in the log.
func (s *Scene) ImportMarker() {
	data, err := regular.Read(s.MarkerPath(), maxMarker)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var m spec.Marker
	if err == nil {
		m, err = spec.ParseMarker(data)
	}
	if err != nil {
		s.Log("import spec marker", err)
		return
	}
	s.Fact.Marker = &m
}

// exportSpec writes the marker for people and skills after the spec's state has changed.
func (s *Scene) exportSpec() {
	data, err := journal.ExportSpec(s.Task)
	if err == nil && data != nil {
		err = s.writeState(markerFile, data)
	}
	if err != nil {
		s.Log("export spec", err)
	}
}

// KeepSpec writes the text of a /spec command, redacted, to the session's folder: the store keeps its first line only.
func (s *Scene) KeepSpec(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if err := s.writeState(specFile, []byte(redact.Clip(text, maxPlan)+"\n")); err != nil {
		s.Log("keep spec text", err)
	}
}

// HaltLog is where emergency halts are written.
func (s *Scene) HaltLog() string { return filepath.Join(s.Paths.SessionDir(s.Session), haltFile) }

// WriteHalt appends one line to the halt log.
func (s *Scene) WriteHalt(line []byte) {
	err := os.MkdirAll(filepath.Dir(s.HaltLog()), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(s.HaltLog(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, err = f.Write(line)
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		s.Log("write halt log", err)
	}
}

func (s *Scene) writeState(name string, data []byte) error {
	dir := s.Paths.SessionDir(s.Session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// Plan is the text of the task's plan: the file that the marker names, if it lies in the project or in Claude Code's own
// folder of plans, else the text that followed /spec. "" when there is neither.
func (s *Scene) Plan(t *telemetry.Task) string {
	if t == nil || !t.SpecStatus.Active() && t.SpecStatus != telemetry.SpecCompleted {
		return ""
	}
	if t.PlanPath != "" {
		if text, err := s.planFile(t.PlanPath); err == nil {
			return redact.String(text)
		} else if !errors.Is(err, fs.ErrNotExist) {
			s.Log("read plan", err)
		}
	}
	data, err := regular.Read(filepath.Join(s.Paths.SessionDir(s.Session), specFile), maxPlan+1)
	if err != nil {
		return ""
	}
	return string(data)
}

func (s *Scene) planFile(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(s.Paths.Home, rest)
	}
	if rel, ok := s.Rel(path); ok {
		text, ok := s.Read(rel)
		if !ok {
			return "", fs.ErrNotExist
		}
		return text, nil
	}
	plans := filepath.Join(s.Paths.Home, ".claude", "plans")
	rel, err := filepath.Rel(plans, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("plan %s is neither in the project nor in %s", path, plans)
	}
	root, err := os.OpenRoot(plans)
	if err != nil {
		return "", err
	}
	defer root.Close()
	data, err := regular.ReadIn(root, rel, maxPlan)
	return string(data), err
}
