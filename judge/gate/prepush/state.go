package prepush

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// Kind says what became of the hook.
type Kind string

// The kinds. Replaced means that the hook was installed, but git does not run it any more.
const (
	None     Kind = "none"
	Ours     Kind = "ours"
	Replaced Kind = "replaced"
)

// State is what git would do before a push.
type State struct {
	Kind    Kind
	Hook    string // the file that git looks for; absolute
	By      string // whose hook stands there when it is not ours, or what runs ours: husky, lefthook, pre-commit, …, "another hook"; empty = nobody's
	Why     string // of Replaced: what happened
	Chained string // the hook that ours runs first; empty = none
	Exe     string // what our hook runs; empty when it is not known
	Missing bool   // Exe cannot be executed: pushes go on unchecked, with a warning
	Kept    string // of Remove: an older hook that is not in use and was left beside the one in place
}

// Text is the state in one line, for people.
func (s State) Text() string {
	switch {
	case s.Kind == Replaced && s.By != "":
		return fmt.Sprintf("the pre-push hook does not run devflow any more: %s (now: %s)", s.Why, s.By)
	case s.Kind == Replaced:
		return "the pre-push hook does not run devflow any more: " + s.Why
	case s.Kind == Ours && s.Missing:
		return fmt.Sprintf("the pre-push hook runs %s, which is not there: pushes go on unchecked", s.Exe)
	case s.Kind == Ours && s.By != "":
		return fmt.Sprintf("the pre-push hook of %s runs devflow", s.By)
	case s.Kind == Ours && s.Chained != "":
		return "the pre-push hook runs " + filepath.Base(s.Chained) + " and then devflow"
	case s.Kind == Ours:
		return "the pre-push hook runs devflow"
	case s.By == other:
		return "not installed; there is another pre-push hook"
	case s.By != "":
		return "not installed; the pre-push hook is that of " + s.By
	}
	return "not installed"
}

// installCommand repairs most things.
const installCommand = "devflow gate hook install"

// Hint is what to do about the state, with the exact line or command; empty when nothing is to be done.
func (s State) Hint() string {
	exe := s.Exe
	if exe == "" {
		exe = "devflow"
	}
	switch {
	case s.Kind == Ours && s.Missing, s.Kind == Replaced && (s.By == "" || s.By == "pre-commit"):
		return installCommand
	case s.Kind != Replaced:
		return ""
	case s.By == "husky":
		return "add to .husky/pre-push the line: " + Line(exe)
	case s.By == "lefthook":
		return "add to lefthook.yml, below pre-push and commands: devflow: {run: " + strconv.Quote(quote(exe)+call+"{1} {2}") + ", use_stdin: true}"
	}
	return installCommand + ", or add to the hook the line: " + Line(exe)
}

// Line is what a hook of another tool needs to run the gate. The hook must leave its standard input to it.
func Line(exe string) string { return quote(exe) + ` gate pre-push "$@" || exit $?` }
