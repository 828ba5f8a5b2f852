package event

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/tdd"
)

// Origin is where this event comes from, as the guard needs it.
func (s *Scene) Origin() guard.Origin {
	return guard.Origin{
		Paths: s.Paths, Config: s.Cfg, Project: s.Root, Repo: s.Repo, HasRepo: s.HasRepo, Cwd: s.In.Cwd, Session: s.Session, Exe: s.Exe, Getenv: s.Getenv,
	}
}

// Written is a file of the project that a command line writes or deletes.
type Written struct {
	Target
	Delete bool
	Lines  int64 // that are written, as far as the command line holds them
}

// WrittenBy lists the files of the project that a command line writes or deletes, each once, as far as its text names them.
// A folder that receives a file is that file in it.
func (s *Scene) WrittenBy(list []write.Write) []Written {
	var out []Written
	seen := map[string]bool{}
	for _, w := range list {
		rel, ok := s.Target(w)
		if !ok || seen[rel] || len(out) == MaxWritten {
			continue
		}
		seen[rel] = true
		out = append(out, Written{Target{rel, tdd.Classify(rel)}, w.Delete, int64(strings.Count(w.Content.Text, "\n"))})
	}
	return out
}

// MaxWritten bounds how many files of one command line are followed.
const MaxWritten = 50

// Target is the file of the project that a write is about, relative to it.
func (s *Scene) Target(w write.Write) (rel string, ok bool) {
	if !w.Path.Literal() || w.Path.Text == "" || w.Tree {
		return "", false
	}
	abs, ok := s.absolute(w.Dir, w.Path.Text)
	if !ok {
		return "", false
	}
	if w.Base != "" {
		if info, err := os.Stat(abs); err == nil && info.IsDir() {
			abs = filepath.Join(abs, w.Base)
		}
	}
	return s.Rel(abs)
}

// absolute is a path of a command as the file system knows it.
func (s *Scene) absolute(d shell.Dir, text string) (string, bool) {
	at := d.Join(text)
	switch {
	case at.Unknown && !filepath.IsAbs(at.Path):
		return "", false
	case at.Path == "~" || len(at.Path) > 1 && at.Path[:2] == "~/":
		return filepath.Join(s.Paths.Home, at.Path[1:]), s.Paths.Home != ""
	case filepath.IsAbs(at.Path):
		return at.Path, true
	}
	return filepath.Join(s.In.Cwd, at.Path), s.In.Cwd != ""
}

// Absolute is where a write of a command line leads, links aside.
func (s *Scene) Absolute(w write.Write) (string, bool) {
	if !w.Path.Literal() || w.Path.Text == "" {
		return "", false
	}
	return s.absolute(w.Dir, w.Path.Text)
}
