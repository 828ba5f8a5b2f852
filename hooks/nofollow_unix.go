//go:build unix

package hooks

import "syscall"

// noFollow keeps the log in the shared temporary directory from being led elsewhere by a link.
const noFollow = syscall.O_NOFOLLOW
