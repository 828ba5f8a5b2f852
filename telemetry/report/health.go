package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Limits from which Health complains. Source: the published telemetry tool; silence is ours.
const (
	staleAfter   = 14 * day         // no hook has run
	errorPercent = 20               // of the runs of one event
	slowMS       = 5000             // p99 of one event, milliseconds
	silentAfter  = 10 * time.Minute // the transcript grew after the session's last hook
	maxHealthRun = 100_000          // hook runs looked at, the newest
	maxSilent    = 200              // sessions whose transcript is looked at, the newest
	slack        = 2 * time.Hour    // rows may be out of order by this much, when they came through the spool
)

// Health is how the hooks themselves do.
type Health struct {
	Days      int             `json:"days"`
	Runs      int64           `json:"hook_runs"`
	Truncated bool            `json:"truncated"` // only the newest runs were looked at
	LastRunMS *int64          `json:"last_run_ms"`
	Stale     bool            `json:"stale"` // no hook ran for 14 days
	Events    []HealthRow     `json:"events"`
	Silent    []SilentSession `json:"silent_sessions"`
	Problems  []string        `json:"problems"` // one sentence each; empty is healthy
}

// HealthRow is one event, or one module inside it. Times are milliseconds.
type HealthRow struct {
	Event     string  `json:"event"`
	Module    string  `json:"module"` // "" for the whole hook process
	Runs      int64   `json:"runs"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	Errors    int64   `json:"errors"`
	ErrorRate float64 `json:"error_rate"`
}

// SilentSession is a session that went on after its hooks had stopped.
type SilentSession struct {
	SessionID    string `json:"session_id"`
	LastHookMS   int64  `json:"last_hook_ms"`
	TranscriptMS int64  `json:"transcript_ms"` // last change of the transcript
}

const (
	lastRunSQL = `SELECT ms FROM hook_runs ORDER BY id DESC LIMIT 1`
	healthSQL  = `SELECT ms, session_id, event, outcome, us, modules FROM hook_runs ORDER BY id DESC LIMIT ?`
	cursorsSQL = `SELECT path, ms FROM cursors WHERE ms >= ? ORDER BY ms DESC LIMIT ?`
)

var errEnough = errors.New("enough rows")

// ReadHealth looks at the hook runs of the last days and at the transcripts of the sessions in them. modTime tells when a
// file was last changed; it may be nil for os.Stat.
func ReadHealth(db *store.DB, now time.Time, days int, modTime func(path string) (time.Time, bool)) (Health, error) {
	if modTime == nil {
		modTime = statTime
	}
	h := Health{Days: max(days, 0), Events: []HealthRow{}, Silent: []SilentSession{}, Problems: []string{}}
	from := since(now, days).UnixMilli()
	groups := map[[2]string]*durations{}
	last := map[string]int64{}
	cursors := map[string]string{}
	err := view(db, "health", func(tx *store.Tx) error {
		var newest int64
		if found, err := tx.One(lastRunSQL, nil, &newest); err != nil {
			return err
		} else if found {
			h.LastRunMS = &newest
		}
		var looked int64
		err := tx.Query(healthSQL, []any{maxHealthRun}, func(r *store.Row) error {
			if looked++; looked == maxHealthRun {
				h.Truncated = true
			}
			ms, session := r.Int(0), r.Text(1)
			last[session] = max(last[session], ms)
			if ms < from-slack.Milliseconds() {
				return errEnough
			}
			if ms < from {
				return nil
			}
			h.Runs++
			addRun(groups, r.Text(2), r.Text(3), r.Int(4), r.Text(5))
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		return tx.Query(cursorsSQL, []any{from, maxSilent}, func(r *store.Row) error {
			if session, ok := mainSession(r.Text(0)); ok {
				cursors[session] = r.Text(0)
			}
			return nil
		})
	})
	if err != nil {
		return Health{}, err
	}
	for key, d := range groups {
		h.Events = append(h.Events, d.row(key[0], key[1]))
	}
	slices.SortFunc(h.Events, func(a, b HealthRow) int {
		return cmp.Or(cmp.Compare(eventOrder(a.Event), eventOrder(b.Event)), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Module, b.Module))
	})
	h.findSilent(cursors, last, modTime)
	h.judge(now)
	return h, nil
}

func statTime(path string) (time.Time, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// mainSession is the session of a main transcript: "<project>/<session>.jsonl". Subagents' files have none.
func mainSession(path string) (string, bool) {
	if filepath.Base(filepath.Dir(path)) == "subagents" {
		return "", false
	}
	return strings.CutSuffix(filepath.Base(path), ".jsonl")
}

func (h *Health) findSilent(cursors map[string]string, last map[string]int64, modTime func(string) (time.Time, bool)) {
	for session, path := range cursors {
		seen, ok := last[session]
		if !ok {
			continue
		}
		if at, ok := modTime(path); ok && at.UnixMilli() > seen+silentAfter.Milliseconds() {
			h.Silent = append(h.Silent, SilentSession{session, seen, at.UnixMilli()})
		}
	}
	slices.SortFunc(h.Silent, func(a, b SilentSession) int {
		return cmp.Or(cmp.Compare(b.TranscriptMS, a.TranscriptMS), cmp.Compare(a.SessionID, b.SessionID))
	})
}

// judge writes the problems.
func (h *Health) judge(now time.Time) {
	say := func(text string) { h.Problems = append(h.Problems, text) }
	switch {
	case h.LastRunMS == nil:
		say("no hook has ever run: check the installation with `devflow doctor`")
	case *h.LastRunMS < now.Add(-staleAfter).UnixMilli():
		h.Stale = true
		say("no hook ran for " + strconv.FormatInt(int64(now.Sub(time.UnixMilli(*h.LastRunMS))/day), 10) + " days: check the installation with `devflow doctor`")
	}
	blamed := map[string]bool{}
	for _, modules := range [...]bool{true, false} { // an event is named only when none of its modules explains it
		for _, e := range h.Events {
			if (e.Module != "") != modules || !modules && blamed[e.Event] {
				continue
			}
			name := e.Event
			if modules {
				name += "/" + e.Module
			}
			if e.ErrorRate*100 > errorPercent {
				say(name + " fails in " + strconv.FormatFloat(e.ErrorRate*100, 'f', 0, 64) + " % of its runs: see hooks.jsonl in devflow's logs folder")
				blamed[e.Event] = true
			}
			if e.P99 > slowMS {
				say(name + " is slow: p99 is " + strconv.FormatFloat(e.P99/1000, 'f', 1, 64) + " s")
				blamed[e.Event] = true
			}
		}
	}
	if n := len(h.Silent); n > 0 {
		say("sessions that went on after their hooks had stopped: " + strconv.Itoa(n) + "; run `devflow doctor`")
	}
}

// durations collects the runs of one event or module.
type durations struct {
	us     []int64
	errors int64
}

func addRun(groups map[[2]string]*durations, event, outcome string, us int64, modules string) {
	group(groups, event, "").add(us, outcome)
	for entry := range strings.SplitSeq(modules, ",") {
		name, rest, ok := strings.Cut(entry, ":")
		if !ok || name == "" {
			continue
		}
		num, result, _ := strings.Cut(rest, ":")
		if us, err := strconv.ParseInt(num, 10, 64); err == nil {
			group(groups, event, name).add(us, result)
		}
	}
}

func group(groups map[[2]string]*durations, event, module string) *durations {
	key := [2]string{event, module}
	if groups[key] == nil {
		groups[key] = &durations{}
	}
	return groups[key]
}

func (d *durations) add(us int64, outcome string) {
	d.us = append(d.us, us)
	if outcome == "error" {
		d.errors++
	}
}

func (d *durations) row(event, module string) HealthRow {
	slices.Sort(d.us)
	n := len(d.us)
	return HealthRow{
		Event: event, Module: module, Runs: int64(n), Errors: d.errors, ErrorRate: float64(d.errors) / float64(n),
		P50: float64(percentile(d.us, 50)) / 1000, P99: float64(percentile(d.us, 99)) / 1000,
	}
}

// eventOrder puts events in the order in which a session meets them.
func eventOrder(event string) int {
	order := [...]string{
		"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "CwdChanged", "Stop", "StopFailure", "SessionEnd",
	}
	if i := slices.Index(order[:], event); i >= 0 {
		return i
	}
	return len(order)
}
