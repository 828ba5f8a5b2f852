//go:build unix

package hooks

import (
	"io"
	"os"
	"syscall"
)

// stream writes to a copy of a descriptor: a broken pipe on descriptor 1 or 2 itself makes the runtime end the process by
// SIGPIPE, and a hook ends with status 0 also when nobody listens any more.
type stream struct{ fd int }

func (s stream) Write(p []byte) (int, error) {
	fd, err := syscall.Dup(s.fd)
	if err != nil {
		return 0, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "stream")
	defer f.Close()
	return f.Write(p)
}

func stdout() io.Writer { return stream{1} }
func stderr() io.Writer { return stream{2} }
