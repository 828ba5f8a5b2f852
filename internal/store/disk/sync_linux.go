package disk

import "syscall"

// syncFD flushes the content of a file and what is needed to find it again.
func syncFD(fd int) error { return syscall.Fdatasync(fd) }
