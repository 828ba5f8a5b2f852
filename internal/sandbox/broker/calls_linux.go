package broker

import "golang.org/x/sys/unix"

// kind is what a call changes; for times, in what they are written.
type kind int

const (
	mode kind = iota
	owner
	nanos
	micros
	seconds
)

// shape is how a call names its object.
type shape int

const (
	unknown  shape = iota
	byPath         // path first
	byFD           // descriptor first
	byFolder       // descriptor of a folder, then path
)

func sharedShape(nr int32) (kind, shape) {
	switch nr {
	case unix.SYS_FCHMOD:
		return mode, byFD
	case unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2:
		return mode, byFolder
	case unix.SYS_FCHOWN:
		return owner, byFD
	case unix.SYS_FCHOWNAT:
		return owner, byFolder
	case unix.SYS_UTIMENSAT:
		return nanos, byFolder
	}
	return mode, unknown
}
