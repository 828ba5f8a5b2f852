// Package rule is what the tables of destructive commands are made of: a row, one command as the rows look at it, and what a
// command does to places. It owns no table of its own and judges nothing.
package rule

import (
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// Rule is one row of the tables. A row has zones (with an op), lines, or a matcher. It is never changed.
type Rule struct {
	ID       string           // stable, "git.reset-hard"
	What     string           // what such a command does
	Why      string           // what is lost; % stands for what it was found at
	Instead  string           // what to do; commands stand in backquotes and are not refused themselves
	Decision verdict.Decision // Ask or Deny

	Op    Op                   // what happens …
	Zones place.Set            // … to which places; or
	Lines string               // command lines as Call.MatchLines reads them; or
	Match func(k *Call) string // a matcher: it returns what it was found at, "" for nothing
}

// Op is something a command does to a path. Ops combine.
type Op uint16

// The ops and the marks of their targets.
const (
	DropTree Op = 1 << iota // deletes a folder with everything in it, or all of a pattern
	DropFile                // deletes single files
	Empty                   // overwrites or truncates a file
	Add                     // appends to a file
	MoveAway                // moves a path to somewhere else
	Open                    // gives everybody access, or takes it from its owner, file by file
	OpenTree                // … with everything in it
	Own                     // changes the owner of a tree
	Remote                  // not an op of its own: it happens on another machine or in a container
	Keyed                   // not an op of its own: the file is named like a key
	Unset                   // not an op of its own: an empty variable would make it worse
)

// Effect is one op on one place.
type Effect struct {
	Op     Op
	Target place.Target
}

// Marks are the ops that say something about the target instead of what happens to it.
const Marks = Remote | Keyed | Unset

// AskOwner is the advice where there is nothing better.
const AskOwner = "leave it, and tell the user which command you would run and why"

// maxText bounds the arguments that are shown, in bytes; the finding cuts and redacts them again.
const maxText = 200
