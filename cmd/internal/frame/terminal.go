package frame

import (
	"os"
	"syscall"
	"unsafe"
)

// Columns is the width of the terminal that a stream is; 0 when it is none.
func Columns(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	var size struct{ rows, columns, x, y uint16 }
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		return 0
	}
	if size.columns == 0 { // a terminal that does not tell
		return HelpWidth + 2
	}
	return int(size.columns)
}

// Coloured reports whether standard output is a terminal that has colours and a person who wants them.
func (a *App) Coloured() bool {
	return a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb" && Columns(a.Stdout) > 0
}
