// Package target answers what a push would do to its remote: which refs get which commits, what is new in them, and whether
// a protected branch is among them.
//
// It follows the rules by which git itself turns arguments and configuration into refs (builtin/push.c and remote.c of git
// 2.39 to 2.51). What the remote has is taken from the remote-tracking refs: nothing is fetched, no hook, filter or command
// of the repository's configuration runs. It owns no table and writes nothing; whether a push may go is the gate's business.
package target

import "errors"

// Errors that a caller may test for with errors.Is.
var (
	ErrRefused    = errors.New("git refuses this push")              // no upstream, a ref that is not there: git says so itself
	ErrUnreadable = errors.New("known only at run time")             // part of the push is computed by the shell
	ErrKind       = errors.New("does not name refs of a repository") // gh pr merge and the like
	ErrNoGit      = errors.New("no git program")
	ErrTooLarge   = errors.New("too large to read")
)

// Update is what one push does to one ref of the remote.
type Update struct {
	Remote    string // name as configured, or the URL when it has none
	URL       string // where it goes; several are separated by blanks
	Local     string // ref or object as written or found; empty when Delete
	LocalOID  string // commit or tag object it has now; empty when Delete, or when Pending and there is none yet
	RemoteRef string // "refs/heads/x"
	RemoteOID string // by the remote-tracking ref; empty = not known, or not there
	Prefix    string // a subtree push: the commits are made of this folder of LocalOID
	Force     bool   // --force, + or --mirror
	Lease     bool   // --force-with-lease
	Delete    bool
	Tag       bool // RemoteRef is a tag
	New       bool // the remote has no such ref, as far as is known
	Pending   bool // earlier commands of the same line will still change what is pushed
	Protected bool // RemoteRef is a protected branch
}

// UpToDate is true when the remote is known to have exactly what is pushed. It may have moved on since it was last fetched.
func (u Update) UpToDate() bool {
	return !u.Delete && !u.Pending && u.LocalOID != "" && u.LocalOID == u.RemoteOID
}

// Branch is the branch of the remote that changes, empty when it is another ref.
func (u Update) Branch() string { return branchName(u.RemoteRef) }
