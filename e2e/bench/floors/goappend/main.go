//go:build linux

// Command goappend is the smallest durable Go program: it reads stdin to its end, appends 300 bytes to a file and calls
// fdatasync. It is a floor for `make bench`.
package main

import (
	"os"
	"syscall"
)

func main() {
	buf, used := make([]byte, 1<<20), 0
	for used < len(buf) {
		n, err := syscall.Read(0, buf[used:])
		if n <= 0 || err != nil {
			break
		}
		used += n
	}
	fd, err := syscall.Open(os.Args[1], syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND, 0o600)
	if err != nil {
		os.Exit(1)
	}
	if _, err := syscall.Write(fd, buf[:min(used, 300)]); err != nil {
		os.Exit(1)
	}
	if err := syscall.Fdatasync(fd); err != nil {
		os.Exit(1)
	}
}
