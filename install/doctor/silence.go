package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/internal/claude"
)

const (
	// silence is how long a session may work on after the last recorded hook.
	// A long answer or a permission dialog takes minutes without any event.
	silence = 10 * time.Minute
	// maxTranscripts bounds how many of the newest transcripts are looked at.
	maxTranscripts = 200
)

// checkSilence compares transcripts with recorded hooks: a session that worked
// since the installation and left no trace ran without hooks.
func (e *exam) checkSilence() {
	_, err := os.Stat(e.DB)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case e.manifest == nil && fresh:
		e.add("silent", OK, "", "devflow is not installed, so no session is expected to be seen")
		return
	case e.manifest == nil:
		e.add("silent", Warn, installHint, "not examined: it is not known since when hooks should run")
		return
	case e.Seen == nil && !fresh:
		e.add("silent", Warn, "see the check of the database", "not examined: the database cannot be read")
		return
	}
	since := time.UnixMilli(e.manifest.InstalledMS)
	var silent []string
	looked := 0
	for _, path := range e.transcripts(since) {
		last := lastWork(path)
		if !last.After(since) {
			continue
		}
		looked++
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		key := claude.SessionKey(claude.Input{SessionID: id}, func(string) string { return "" })
		seen, found, err := e.lastSeen(key)
		switch {
		case err != nil:
			e.add("silent", Fail, "see the check of the database", "read when session %s was seen: %v", id, err)
			return
		case !found:
			silent = append(silent, fmt.Sprintf("%s (no hook ever ran, %s)", id, path))
		case last.Sub(seen) > silence:
			silent = append(silent, fmt.Sprintf("%s (no hook since %s, %s)", id, seen.Local().Format(time.DateTime), path))
		}
	}
	if len(silent) > 0 {
		e.add("silent", Warn, "look for disableAllHooks, --bare, --safe-mode or --setting-sources in how these sessions were started",
			"%d of %s went on without hooks: %s", len(silent), plural(looked, "session"), list(silent))
		return
	}
	switch looked {
	case 0:
		e.add("silent", OK, "", "no session since the installation")
	case 1:
		e.add("silent", OK, "", "hooks ran in the 1 session since the installation")
	default:
		e.add("silent", OK, "", "hooks ran in all %d sessions since the installation", looked)
	}
}

// lastSeen asks the record; without one no hook ran yet.
func (e *exam) lastSeen(key string) (time.Time, bool, error) {
	if e.Seen == nil {
		return time.Time{}, false, nil
	}
	return e.Seen.LastSeen(key)
}

// transcripts lists those that changed after since, newest first. Subagents lie
// one folder deeper and belong to their session.
func (e *exam) transcripts(since time.Time) []string {
	paths, err := filepath.Glob(filepath.Join(globSafe(install.ClaudeDir(e.Getenv)), "projects", "*", "*.jsonl"))
	if err != nil {
		return nil
	}
	at := map[string]time.Time{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(since) {
			at[path] = info.ModTime()
		}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return at[p].IsZero() })
	slices.SortFunc(paths, func(a, b string) int { return at[b].Compare(at[a]) })
	return paths[:min(len(paths), maxTranscripts)]
}

// globSafe escapes what a pattern would take for a wildcard.
func globSafe(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// lastWork is the time of the newest line in the end of a transcript that the
// model wrote. Lines of the client itself (model "<synthetic>") do not count.
func lastWork(path string) time.Time {
	var last time.Time
	from, err := tailStart(path)
	if err != nil {
		return last
	}
	// An error ends the reading early; what was read before it still counts.
	_, _ = claude.ReadTranscript(path, from, func(l claude.Line) error {
		if l.Type == "assistant" && !l.Broken && (l.Usage == nil || l.Usage.Model != "<synthetic>") && l.At.After(last) {
			last = l.At
		}
		return nil
	})
	return last
}
