// Package filter is the system call filter of the landlock backend: it denies what Landlock has no rule for.
//
// Without the network only Unix sockets can be made, and never datagram ones, which could be sent to any path. Changes
// of file attributes and connects are handed to package broker, because only who sees the path can decide about them.
// Calls that are newer than the filter, and those of another architecture of the same machine, answer that they do not
// exist. The package owns nothing, and decides about no path.
package filter
