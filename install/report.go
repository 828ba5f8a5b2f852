package install

import (
	"fmt"
	"strings"
)

// Report says what was done, or with DryRun what would be.
type Report struct {
	Action   string           `json:"action"` // install or uninstall
	DryRun   bool             `json:"dry_run,omitempty"`
	Bin      string           `json:"bin"`
	Settings []SettingsReport `json:"settings,omitempty"`
	Files    []FileReport     `json:"files,omitempty"` // executables, command files, purged data
	Lines    []string         `json:"lines"`           // the same for people, in order
}

// SettingsReport is about one settings file.
type SettingsReport struct {
	Path    string `json:"path"`
	Real    string `json:"real,omitempty"` // set if Path is a symbolic link
	Scope   Scope  `json:"scope"`
	Changed bool   `json:"changed"`
	Added   int    `json:"added"`
	Renewed int    `json:"renewed"`
	Removed int    `json:"removed"`
	Exact   bool   `json:"exact,omitempty"` // Uninstall: the very bytes from before
	Backup  string `json:"backup,omitempty"`
	Diff    string `json:"diff,omitempty"` // DryRun only, unified
}

// FileReport is about one file. State is one of written, unchanged, removed,
// kept (the user changed it, or it is the user's own) and missing; with DryRun
// would_write and would_remove stand for written and removed.
type FileReport struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

func (r *Report) say(format string, args ...any) {
	r.Lines = append(r.Lines, fmt.Sprintf(format, args...))
}

func (r *Report) file(path, state string) {
	switch {
	case r.DryRun && state == "written":
		state = "would_write"
	case r.DryRun && state == "removed":
		state = "would_remove"
	}
	r.Files = append(r.Files, FileReport{path, state})
}

// plural counts things by their English name.
func plural(n int, name string) string {
	stem, y := strings.CutSuffix(name, "y")
	switch {
	case n == 1:
		return "1 " + name
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, name)
}

func (r *Report) tense(done, planned string) string {
	if r.DryRun {
		return planned
	}
	return done
}
