//go:build linux

package broker

import "golang.org/x/sys/unix"

const lchown = unix.SYS_LCHOWN

func shapeOf(nr int32) (kind, shape) {
	switch nr {
	case unix.SYS_CHMOD:
		return mode, byPath
	case unix.SYS_CHOWN, unix.SYS_LCHOWN:
		return owner, byPath
	case unix.SYS_UTIME:
		return seconds, byPath
	case unix.SYS_UTIMES:
		return micros, byPath
	case unix.SYS_FUTIMESAT:
		return micros, byFolder
	}
	return sharedShape(nr)
}
