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
	Kind    Kind   `json:"kind"`
	Hook    string `json:"hook"`              // the file that git looks for; absolute
	By      string `json:"by,omitempty"`      // whose hook stands there when it is not ours, or what runs ours: husky, lefthook, pre-commit, …, "another hook"; empty = nobody's
	Why     string `json:"why,omitempty"`     // of Replaced: what happened
	Chained string `json:"chained,omitempty"` // the hook that ours runs first; empty = none
	Exe     string `json:"exe,omitempty"`     // what our hook runs; empty when it is not known
	Missing bool   `json:"missing,omitempty"` // Exe cannot be executed: pushes go on unchecked, with a warning
	Exposed bool   `json:"exposed,omitempty"` // our hook lies in the work tree and git does not ignore it
	Removed bool   `json:"removed,omitempty"` // of Remove: there was one of ours
	Back    bool   `json:"back,omitempty"`    // of Remove: the chained hook is in place again
	Kept    string `json:"kept,omitempty"`    // of Remove: an older hook that is not in use and was left beside the one in place
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
		return fmt.Sprintf("the pre-push hook of %s runs devflow (%s)", s.By, s.Hook)
	case s.Kind == Ours:
		return s.ours()
	case s.Removed:
		return s.removed()
	case s.By == other:
		return "not installed; there is another pre-push hook"
	case s.By != "":
		return "not installed; the pre-push hook is that of " + s.By
	}
	return "not installed"
}

// ours tells of our own file.
func (s State) ours() string {
	text := "the pre-push hook runs devflow (" + s.Hook + ")"
	if s.Chained != "" {
		text = fmt.Sprintf("the pre-push hook runs yours, now %s, and then devflow (%s)", filepath.Base(s.Chained), s.Hook)
	}
	if s.Exposed {
		text += "; this file lies in the work tree and may be committed with this machine's path in it"
	}
	return text
}

// removed tells what stands in the place of our hook now.
func (s State) removed() string {
	text := "removed"
	switch {
	case s.Back && s.By != "" && s.By != other:
		text += "; the hook of " + s.By + " is back"
	case s.Back:
		text += "; your own hook is back"
	case s.By == other:
		text += "; another pre-push hook stands there"
	case s.By != "":
		text += "; the pre-push hook is that of " + s.By
	}
	if s.Kept != "" {
		text += "; an older hook, which git does not run, was left as " + s.Kept
	}
	return text
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
