// Package doctor finds out whether an installation of devflow works: it runs the
// executables on canned input in a folder of their own, reads every settings
// file that Claude Code reads, and compares what sessions did with what the
// hooks recorded, because hooks that are switched off say nothing.
//
// It changes nothing: it writes only below a temporary folder and opens the
// database for reading. It decides nothing either; each Check carries the
// command that would help.
package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/proc"
)

// Status is the result of one check.
type Status string

// The results. Warn means that something deserves a look but sessions are
// watched; Fail means that they are not, not all, or not as was configured.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one finding.
type Check struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	Text   string `json:"text"`           // several findings of one check may stand on lines of their own
	Hint   string `json:"hint,omitempty"` // what to do, with the exact command
}

// Report is everything that Run found, in a fixed order of IDs.
type Report struct {
	Checks []Check `json:"checks"`
}

// Status is the worst one of all checks.
func (r Report) Status() Status {
	worst := OK
	for _, c := range r.Checks {
		if c.Status == Fail || c.Status == Warn && worst == OK {
			worst = c.Status
		}
	}
	return worst
}

// Lines gives the report for people: one line a check, or one for each line of
// its text, and hints below.
func (r Report) Lines() []string {
	var lines []string
	for _, c := range r.Checks {
		first, more, _ := strings.Cut(c.Text, "\n")
		lines = append(lines, fmt.Sprintf("%-4s  %-15s %s", c.Status, c.ID, first))
		for line := range strings.Lines(more) {
			lines = append(lines, fmt.Sprintf("%-4s  %-15s %s", "", "", strings.TrimSuffix(line, "\n")))
		}
		if c.Hint != "" {
			lines = append(lines, fmt.Sprintf("%-4s  %-15s -> %s", "", "", c.Hint))
		}
	}
	return lines
}

func (r *Report) add(id string, s Status, hint, format string, args ...any) {
	if s == OK {
		hint = ""
	}
	r.Checks = append(r.Checks, Check{ID: id, Status: s, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// ManagedSettings is the file of an administrator, on Linux. Hooks in it run
// whatever the others say.
const ManagedSettings = "/etc/claude-code/managed-settings.json"

// LastSeen tells when a hook of a session was last recorded.
type LastSeen interface {
	LastSeen(session string) (at time.Time, found bool, err error)
}

// Config says what to examine. Getenv is required; the zero value of all other
// fields works.
type Config struct {
	Getenv  func(string) string
	Project string // absolute folder in which sessions start; "" = the user's settings only
	BinDir  string // "" = that of the manifest, else <root>/bin
	Managed string // "" = ManagedSettings
	Temp    string // folder for the self-test's own; "" = that of the system
	Now     func() time.Time
	Seen    LastSeen // nil = the database is not there or cannot be read
	// Run starts a child; nil = proc.Run.
	Run func(ctx context.Context, c proc.Cmd) (proc.Result, error)
}

// exam is one run of the doctor.
type exam struct {
	Config
	config.Paths
	bin      string
	manifest *install.Manifest
	owner    settings.Owner
	missing  bool // an executable is not there
	Report
}

// Run makes all checks. It takes about two seconds where devflock is installed; ctx ends it early, with the
// checks that were left counted as failed.
func Run(ctx context.Context, c Config) Report {
	e := &exam{Config: c}
	if e.Managed == "" {
		e.Managed = ManagedSettings
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Config.Run == nil {
		e.Config.Run = proc.Run
	}
	var err error
	if e.Paths, err = config.ResolvePaths(c.Getenv); err != nil {
		e.add("places", Fail, "set HOME, DEVFLOW_HOME and DEVFLOW_DB to absolute paths, or leave the last two unset", "%v", err)
		return e.Report
	}
	e.checkManifest()
	e.checkBinaries()
	e.checkProbe(ctx)
	e.checkHooks()
	e.checkConfig()
	e.checkGit(ctx)
	e.checkPush(ctx)
	e.checkDatabase()
	e.checkSpool()
	e.checkLog()
	e.checkSilence()
	e.checkConfinement(ctx)
	return e.Report
}

// installHint is the command that repairs most things, and rebuildHint the one
// when executables are missing or broken: those beside this program may be too.
const (
	installHint = "devflow install"
	rebuildHint = "devflow install, or make install from the source"
)

// plural counts things by their English name.
func plural(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

func (e *exam) binary(name string) string { return filepath.Join(e.bin, name) }
