//go:build !linux

package disk

import (
	"os"
	"syscall"
)

// syncFD flushes a file. os.File.Sync knows how to reach the drive itself where fsync does not (macOS).
func syncFD(fd int) error {
	d, err := syscall.Dup(fd)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(d), "")
	defer f.Close()
	return f.Sync()
}
