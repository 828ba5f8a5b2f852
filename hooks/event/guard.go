package event

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/profiler"
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
	Delete bool  // is gone, or empty, afterwards
	Lines  int64 // that are written, as far as the command line holds them
}

// Bounds of following what a command line writes.
const (
	MaxWritten = 50    // files
	maxWalked  = 5_000 // entries of a folder that is deleted
)

// WrittenBy lists the files of the project that a command line writes or deletes, each once: those that its text names, those
// that a pattern of it matches now, and the tests in a folder that it deletes. A folder that receives a file is that file in it.
func (s *Scene) WrittenBy(l *line.Line) []Written {
	if len(l.Writes) == 0 {
		return nil
	}
	b := writtenBy{s: s, seen: map[string]bool{}}
	world := s.Origin().Scene().World
	for _, w := range l.Writes {
		at := world.Resolve(w.Dir, w.Path)
		if at.Path == "" || at.Dynamic {
			continue
		}
		paths := []string{at.Path}
		if at.Glob {
			paths, _ = filepath.Glob(at.Path) // a broken pattern matches nothing
		}
		for _, path := range paths {
			b.add(path, w, emptied(l, w))
		}
	}
	return b.list
}

// emptied is whether a write leaves nothing of a file.
func emptied(l *line.Line, w write.Write) bool {
	switch {
	case w.Append || w.Partial && w.Via != "truncate":
		return false
	case w.Via == "truncate", w.From.Text == "/dev/null":
		return true
	}
	return w.Via == "redirect" && w.Cmd >= 0 && (len(l.Expanded.Commands[w.Cmd].Words) == 0 || l.Expanded.Commands[w.Cmd].Name == ":")
}

// writtenBy collects files.
type writtenBy struct {
	s    *Scene
	seen map[string]bool
	list []Written
}

// add adds a file, or what matters of a folder.
func (b *writtenBy) add(path string, w write.Write, emptied bool) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		switch {
		case w.Delete:
			b.tests(path)
			return
		case w.Base == "":
			return
		}
		path = filepath.Join(path, w.Base)
	}
	if rel, ok := b.s.Rel(path); ok {
		b.put(rel, Written{Target{rel, tdd.Classify(rel)}, w.Delete || emptied, int64(strings.Count(w.Content.Text, "\n"))})
	}
}

func (b *writtenBy) put(rel string, f Written) {
	if !b.seen[rel] && len(b.list) < MaxWritten {
		b.seen[rel] = true
		b.list = append(b.list, f)
	}
}

// tests adds the tests below a folder that is deleted.
func (b *writtenBy) tests(dir string) {
	walked := 0
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if walked++; err != nil || walked > maxWalked {
			return filepath.SkipAll // what cannot be read holds no test that counts
		}
		if rel, ok := b.s.Rel(path); ok && !d.IsDir() && IsTest(rel) {
			b.put(rel, Written{Target{rel, tdd.Test}, true, 0})
		}
		return nil
	})
}

// IsTest reports whether a file of the project is a test that runs, and not data beside tests.
func IsTest(rel string) bool { return tdd.Classify(rel) == tdd.Test && tdd.LanguageOf(rel) != "" }

// Class is what a command line does to the world. A push does not count by itself: the push gate judges it, and what was judged
// does not make the task one that a person has to look at.
func Class(l *line.Line) profiler.Class {
	class := profiler.Classify(l.Script, l.Err == nil)
	if class != profiler.Deploy || len(l.Pushes) == 0 {
		return class
	}
	rest := l.Script
	rest.Commands = nil
	for i := range l.Script.Commands {
		if len(push.Find(nil, l.Script.Commands[i:i+1])) == 0 {
			rest.Commands = append(rest.Commands, l.Script.Commands[i])
		}
	}
	return profiler.Heavier(profiler.Other, profiler.Classify(rest, l.Err == nil))
}
