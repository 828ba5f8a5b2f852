// Package shape looks at a project before devflock works in it: which repository it belongs to, what state that is in, and what
// cannot be done there, in one sentence. It changes nothing, except that Init makes a repository where there is none.
//
// It owns no table and no file. It does not know runs, regions or work trees of ours.
package shape

import (
	"errors"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Errors that a caller may test for with errors.Is; they come wrapped in a RefusedError.
var (
	ErrNoRepo = gitx.ErrNoRepo             // the folder is in no repository: Init can make one
	ErrNoGit  = gitx.ErrNoGit              // there is no git program
	ErrOldGit = errors.New("git too old")  // below 2.38
	ErrBare   = errors.New("no work tree") // a bare repository
	ErrOwner  = errors.New("owner of the repository is somebody else")
)

// RefusedError says what cannot be done, and what a person can do about it.
type RefusedError struct {
	Reason string // one sentence without a full stop
	Hint   string // a command or an action; empty when there is none
	Err    error  // one of the package's errors, or nil
}

// Error is the reason and the hint.
func (e *RefusedError) Error() string {
	if e.Hint == "" {
		return e.Reason
	}
	return e.Reason + "; " + e.Hint
}

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// Project is a folder in a repository. Paths are absolute with symbolic links resolved. It is a value.
type Project struct {
	Dir       string   // the project: what the paths of a plan are relative to
	Top       string   // work tree of the repository
	Prefix    string   // Dir below Top, with slashes; "" at the top
	CommonDir string   // where objects, refs and configuration are
	GitDir    string   // of the person's work tree; CommonDir unless it is a linked one
	Head      string   // commit that is checked out; "" before the first
	Branch    string   // its branch; "" when HEAD is detached
	Format    string   // hash of object names: sha1 or sha256
	Dirty     []string // changed and new files, slash paths below Top; they are not part of a run
	Notes     []string // what a person should know, one sentence each
}
