package settings

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/install/splice"
)

// pythonScripts are the hook scripts of the published Python version and of its
// "lite" and "agent" offspring, as their repositories hold them.
func pythonScripts() []string {
	return []string{
		"anxiety_report.py", "boundary_worker.py", "branch_policy.py", "codeowners_check.py", "commit_validator.py",
		"concurrent_edit_lock.py", "config_reload.py", "context_monitor.py", "cost_tracker.py", "cross_author_edit_guard.py",
		"cwd_changed.py", "desktop_notify.py", "discovery_scan.py", "file_checker.py", "freshness_check.py", "health_report.py",
		"instinct_capture.py", "instinct_review.py", "merge_safety.py", "phase_finalize.py", "post_compact_restore.py",
		"post_task_judge.py", "pr_template.py", "pre_compact.py", "pre_edit_overwrite_guard.py", "pre_push_gate.py",
		"pre_task_firewall.py", "pre_task_profiler.py", "repo_conventions.py", "secrets_detector.py", "secrets_gate.py",
		"shadow_runner.py", "spec_phase_tracker.py", "spec_stop_guard.py", "state_cleanup.py", "stop_dispatcher.py",
		"subagent_tracker.py", "sync_report.py", "task_boundary_judge.py", "task_telemetry.py", "tdd_enforcer.py",
		"telemetry_report.py", "test_deletion_guard.py", "weekly_intelligence.py",
	}
}

// Python looks for the published Python version in h. script is the path that
// it runs, "" if it runs none; alone is false if the command does something
// else besides, which only its owner can untangle.
func Python(h Handler, home string) (script string, alone bool) {
	if h.Type != "command" {
		return "", false
	}
	if h.Exec { // the arguments are not read: the form was never published
		return "", false
	}
	return pythonIn(h.Command, home, 0)
}

func pythonIn(src, home string, depth int) (script string, alone bool) {
	others := 0
	for _, words := range calls(src, home) {
		if found, inner := scriptIn(words, home, depth); found != "" {
			script = found
			if !inner {
				others++
			}
			continue
		}
		if !slices.Contains([]string{"true", ":", "exit"}, words[0]) {
			others++
		}
	}
	return script, script != "" && others == 0
}

func scriptIn(words []string, home string, depth int) (script string, alone bool) {
	shell := slices.Contains([]string{"sh", "bash", "zsh", "dash"}, path.Base(words[0]))
	if shell && depth < 2 && len(words) > 2 && words[1] == "-c" {
		return pythonIn(words[2], home, depth+1)
	}
	// The published installer did not quote: a path with a blank is two words.
	for _, w := range append(slices.Clone(words), strings.Join(words[1:], " ")) {
		if pythonPath(w) {
			return w, true
		}
	}
	return "", false
}

// pythonPath reports whether p is a known script directly in a folder "hooks"
// below a folder of the name devflow, devflow-lite, devflow_v2 and the like.
func pythonPath(p string) bool {
	p = path.Clean(p)
	if !slices.Contains(pythonScripts(), path.Base(p)) || path.Base(path.Dir(p)) != "hooks" {
		return false
	}
	return slices.ContainsFunc(strings.Split(path.Dir(path.Dir(p)), "/"), func(part string) bool {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(part, "."), "devflow")
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "-_. "))
	})
}

// MigratePython returns the text of f without the hook commands of the
// published Python version. A group of several hooks loses only those; an
// event left without any group goes too. Commands that also do something else
// are kept and named in the notes.
func MigratePython(f *File, home string) (Change, error) {
	var c Change
	drop := func(h Handler) bool {
		_, alone := Python(h, home)
		return alone
	}
	for _, h := range f.Handlers {
		switch script, alone := Python(h, home); {
		case alone:
			c.Removed++
			c.Notes = append(c.Notes, fmt.Sprintf("removed from %s: %s", h.Event, h.Command))
		case script != "":
			line, column := f.Place(h)
			c.Notes = append(c.Notes, fmt.Sprintf("%d:%d: kept in %s, because it does more than run %s: %s",
				line, column, h.Event, path.Base(script), h.Command))
		}
	}
	c.Edits = f.without(drop, emptied{dropEvents: true})
	var err error
	c.Data, err = splice.Apply(f.Doc.Data, c.Edits)
	return c, err
}
