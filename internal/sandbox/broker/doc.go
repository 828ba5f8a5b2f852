// Package broker answers the system calls that package filter holds back: changes of mode, owner and times of files,
// and connects of sockets. Landlock has no rule for them.
//
// It does each of them itself, on a descriptor that it has opened and looked at, and gives the result to the caller. It
// never lets a call go on, because the memory that holds a path can be changed between the look and the deed. It has
// the user's rights and no capability, so that it can do no more than the caller could. The package owns nothing.
package broker
