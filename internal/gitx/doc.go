// Package gitx looks at git repositories without touching them.
//
// Finding a repository, its branch and its head are plain file reads. Everything else is the git binary through
// internal/proc: a snapshot of the work tree as a tree object, the difference of two trees, and blobs. A snapshot goes
// through a copy of the index into an object folder of the caller, with the repository's own objects as alternates, so
// that no byte below .git changes. No hook, no fsmonitor, no clean filter, no textconv, no external diff and no network
// fetch of the repository runs, and no GIT_* variable of ours but the place of the user's configuration reaches git.
//
// The package writes below the caller's object folder only. It owns no table and knows nothing of verdicts. It does not
// read bare repositories and does not look into submodules: they are gitlinks.
package gitx

import "errors"

// Errors that a caller may test for with errors.Is.
var (
	ErrNoRepo   = errors.New("no git work tree") // the folder is in no repository with a work tree
	ErrNoGit    = errors.New("no git program")   // the git binary is missing
	ErrTooLarge = errors.New("too large to read")
	ErrNoRev    = errors.New("no such revision") // nothing of that name is in the repository
)
