package state

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// Redirect is one redirection of a command or of a compound statement.
type Redirect struct {
	Op     string    // "<", ">", ">>", ">|", "&>", "&>>", "<>", "<<", "<<-", "<<<", "<&", ">&"
	FD     string    // left of the operator: "2", "{fd}", or ""
	Target word.Word // file, descriptor, here-document delimiter or here-string
	Body   word.Word // here-document text; Dynamic if it holds expansions
	Dir    Dir       // directory that a relative target belongs to
}

// Writes reports whether the redirection opens a file for writing. Duplicated descriptors (2>&1) and /dev/null, /dev/stdout,
// /dev/stderr do not count.
func (r Redirect) Writes() bool {
	switch r.Op {
	case ">", ">>", ">|", "&>", "&>>", "&>|", "&>>|", "<>":
	case ">&": // bash: >& word writes to a file unless word is a descriptor
		t := strings.TrimSuffix(r.Target.Text, "-")
		if t == "" || strings.Trim(t, "0123456789") == "" {
			return false
		}
	default:
		return false
	}
	switch r.Target.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return r.Target.Dynamic
	}
	return true
}
