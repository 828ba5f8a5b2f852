//go:build unix

package hooks

import "syscall"

// noFollow keeps the log in the shared temporary directory from being led elsewhere by a link, and from waiting for the
// other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
