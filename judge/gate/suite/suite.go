package suite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// DefaultBudget is the time that all test commands of a push have together (governance 4.3, "Tests").
const DefaultBudget = 450 * time.Second

// MaxOutput bounds Result.Output, in bytes (governance 4.3: output cut at 500).
const MaxOutput = 500

// Status is the outcome of one command, or of all.
type Status string

// The outcomes. Skip means that nothing was run, because there is no test command or its tool is not installed.
const (
	OK   Status = "ok"
	Fail Status = "fail"
	Skip Status = "skip"
)

// Tree is the pushed tree. Read gives false for a path that is not in it. Both are called from one goroutine.
type Tree interface {
	Files() []string // slash paths of all files
	Read(ctx context.Context, path string) ([]byte, bool, error)
}

// Command is one test command.
type Command struct {
	Dir       string   // slash path of its working folder in the tree; empty = the root
	Toolchain string   // "node", "go", … as in the table of governance 10.2, or Override
	Argv      []string // the program is looked up when it is run; "python3" then means the project's virtual environment if it has one
}

// Override is the toolchain of a command that the user set.
const Override = "override"

// String is the command for people, with its folder when it is not the root.
func (c Command) String() string {
	argv := c.Argv
	if c.Toolchain == Override && len(argv) == 3 {
		argv = argv[2:]
	}
	line := strings.Join(argv, " ")
	if c.Dir == "" {
		return line
	}
	return line + " (in " + c.Dir + ")"
}

// Options say what to run and where. Repo, Tree and Commands are required.
type Options struct {
	Repo     gitx.Repo
	Tree     string        // object name of the pushed tree or commit
	Clean    bool          // the work tree equals Tree, see Same: run there instead of in a copy
	Commands []Command     // as Plan gave them
	Budget   time.Duration // for all commands and the copy together; 0 = DefaultBudget
	Grace    time.Duration // from TERM to KILL once it is over, on top of the budget; 0 = that of internal/proc
	Temp     string        // parent of the copy; empty = the system's temporary folder
	Environ  []string      // the user's environment as KEY=value; nil = that of this process
}

// Result is what one command did.
type Result struct {
	Command Command
	Status  Status
	Text    string // why it is not OK, one line: `exit 1`, `pytest: not installed`, `stopped after 7m30s`
	Output  string // the end of what it wrote when it failed: at most MaxOutput bytes, without secrets and control characters
	Took    time.Duration
}

// Report is the outcome of a run.
type Report struct {
	Status  Status   // Fail if one failed, else OK if one ran, else Skip
	Results []Result // in the order of the commands, up to the first failure
	Copied  bool     // ran in an exported copy, because the work tree differs from the pushed tree
	Notes   []string // what the copy lacks: files behind git LFS, submodules
	Took    time.Duration
}

// Text gives the report in one line, and the end of the output of a failed command below it.
func (r Report) Text() string {
	if len(r.Results) == 0 {
		return "tests: skip (no test command found)"
	}
	var parts []string
	tail := ""
	for _, res := range r.Results {
		part := fmt.Sprintf("%s: %s", res.Command, res.Status)
		if res.Text != "" {
			part += " (" + res.Text + ")"
		}
		parts = append(parts, part)
		if res.Status == Fail {
			tail = res.Output
		}
	}
	line := "tests: " + strings.Join(parts, "; ")
	if r.Copied {
		line += "; in a copy of the pushed tree"
	}
	if r.Status == Fail && len(r.Notes) > 0 {
		line += "; " + strings.Join(r.Notes, "; ")
	}
	if tail != "" {
		line += "\n" + tail
	}
	return line
}

// Same tells whether a work tree as it was seen, with new files and without ignored ones, equals a tree (not: a commit). One that
// could not be looked at completely is not the same.
func Same(snap gitx.Snap, tree string) bool { return snap.Tree == tree && len(snap.Skipped) == 0 }
