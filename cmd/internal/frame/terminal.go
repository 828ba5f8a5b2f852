package frame

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
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

// patience is how long a command may be silent on a terminal.
const patience = time.Second

// Waiting says on a terminal what is being done when that takes long. The caller calls done before it writes anything.
func (a *App) Waiting(what string) (done func()) {
	if Columns(a.Stderr) == 0 {
		return func() {}
	}
	said := make(chan struct{})
	line := what + " …"
	timer := time.AfterFunc(patience, func() {
		defer close(said)
		fmt.Fprint(a.Stderr, line)
	})
	return func() {
		if timer.Stop() {
			return
		}
		<-said
		fmt.Fprint(a.Stderr, "\r"+strings.Repeat(" ", len(line))+"\r")
	}
}
