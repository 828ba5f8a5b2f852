// Package launch is the hidden command that stands between the orchestrator and a confined command.
//
// "run" starts the command, with limits in a cgroup of its own when they are asked for, and answers for it: when the
// command ends, when it gets TERM, or when its own parent dies, it kills every descendant, also those that left group
// and session, and passes the exit status on. For landlock it starts "guard", which does the same in a session of its
// own and so outlives a kill of the launcher's group by the moment that it needs; the guard answers the calls that
// package filter holds back, and starts "stage", which restricts itself and becomes the command. None of the three
// can be reached by the command's signals where Landlock has scopes.
//
// The package starts processes by itself, not by internal/proc: they share streams and signals with it. It owns the
// cgroups of package cgroup, and temporary folders that it removes.
package launch
