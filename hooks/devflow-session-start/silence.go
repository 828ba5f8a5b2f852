package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/hooks/event"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Bounds of the look at other sessions of this project.
const (
	newest     = 5       // transcripts
	minBytes   = 4 << 10 // a shorter one has hardly a tool call in it
	silenceKey = "silent:"
)

// silence looks for sessions of this project that have a transcript and left nothing with us: their hooks were switched
// off, by the project's own settings for example. Each is told once.
func silence(s *event.Scene, tx *store.Tx, found []transcript) (claude.Output, error) {
	var silent []string
	for _, t := range found {
		if t.session == s.Session {
			continue
		}
		known, err := telemetry.Current(tx, t.session)
		if err != nil {
			return claude.Output{}, err
		}
		told, err := telemetry.Get(tx, silenceKey+t.session)
		if err != nil {
			return claude.Output{}, err
		}
		if known != nil || told != "" {
			continue
		}
		if err := telemetry.Put(tx, silenceKey+t.session, s.Session); err != nil {
			return claude.Output{}, err
		}
		silent = append(silent, t.session)
	}
	if len(silent) == 0 {
		return claude.Output{}, nil
	}
	return claude.Message("[devflow:silent] devflow saw nothing of these sessions of this project: " + strings.Join(silent, ", ") +
		". Its hooks were switched off or missing there, so nothing was judged. Check with: devflow doctor"), nil
}

// others lists the transcripts of this project that our hooks should have seen, outside of any transaction.
func others(s *event.Scene) []transcript {
	installed, err := os.Stat(filepath.Join(s.Paths.Root, "install-manifest.json"))
	if err != nil || s.In.Source == "compact" {
		return nil // not installed by us: nothing is promised
	}
	return transcripts(filepath.Dir(s.In.TranscriptPath), installed.ModTime())
}

type transcript struct {
	session string
	at      time.Time
}

// transcripts lists the newest ones that began and ended after a moment and are long enough to matter. Only the newest are
// opened: a project may have thousands.
func transcripts(dir string, since time.Time) []transcript {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []transcript
	for _, e := range entries {
		session, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() >= minBytes && !info.ModTime().Before(since) {
			all = append(all, transcript{session, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b transcript) int { return b.at.Compare(a.at) })
	return slices.DeleteFunc(all[:min(len(all), newest)], func(t transcript) bool {
		return began(filepath.Join(dir, t.session+".jsonl"), since)
	})
}

// began reports whether a transcript was begun before a moment: such a session had not loaded our hooks. The folder of
// its subagents or its first line would tell; the first line is cheap.
func began(path string, since time.Time) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, err := f.Read(head)
	if n == 0 && err != nil {
		return true
	}
	const key = `"timestamp":"`
	i := strings.Index(string(head[:n]), key)
	if i < 0 || i+len(key)+20 > n {
		return true
	}
	stamp, _, _ := strings.Cut(string(head[i+len(key):n]), `"`)
	at, err := time.Parse(time.RFC3339Nano, stamp)
	return err != nil || at.Before(since)
}
