// Package merge makes merge commits from objects alone, and proves that nothing was lost. No work tree, no index and no ref takes
// part; attributes, merge drivers and configuration of the repository neither.
//
// It owns no table and no file: new objects go to the store that its caller names.
package merge

import (
	"fmt"
	"strings"
)

// Merged is a result: the commit and its tree.
type Merged struct{ Commit, Tree string }

// ConflictError says that two sides changed the same thing. Nothing was chosen.
type ConflictError struct {
	Commit string   // that could not be merged
	Paths  []string // slash paths below the top of the repository
	Text   string   // what git says
}

// Error names commit and paths.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("merge %s: conflict in %s", short(e.Commit), strings.Join(quoted(e.Paths), ", "))
}

// LostError says that a merge would drop something that one side made.
type LostError struct {
	Commit string   // whose merge it is
	Path   string   // slash path below the top of the repository
	Lines  []string // some of the lines; none when the whole file is not what a side made of it
	Why    string
}

// Error names the path and what is wrong.
func (e *LostError) Error() string {
	return fmt.Sprintf("merge %s: %q: %s", short(e.Commit), e.Path, e.Why)
}

// CollisionError says that two paths of the merged tree are one file where letter case or Unicode form does not count.
type CollisionError struct {
	Commit string // whose merge it is
	A, B   string // the paths; A was there before or comes first
}

// Error names both.
func (e *CollisionError) Error() string {
	return fmt.Sprintf("merge %s: %q and %q are the same path on macOS and Windows", short(e.Commit), e.A, e.B)
}

func short(oid string) string { return oid[:min(len(oid), 12)] }

func quoted(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = fmt.Sprintf("%q", p)
	}
	return out
}
