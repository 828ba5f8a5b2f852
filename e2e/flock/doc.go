// Package flock holds the end-to-end tests of devflock: the built program, real git, the real confinement and the real Claude Code
// client at both pinned versions, with a scripted model on loopback and no key.
//
// Every test makes whole runs and looks at all that a person would look at afterwards: the branch, the rows, the files of the run,
// the processes that are left, and that nothing of the person's own has changed by a byte. It owns no table. It is for tests only.
package flock
