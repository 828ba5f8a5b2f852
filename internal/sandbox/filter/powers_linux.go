package filter

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// DropPowers takes all capabilities from the calling thread and what it executes, for a root user too, and forbids to
// get any back: no_new_privs. After it only Restrict, Install and exec are of use on the thread.
func DropPowers() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return DropCapabilities()
}

// DropCapabilities takes all capabilities from the calling thread, and from what it executes as far as it may say so.
func DropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ { // EINVAL past the last one; EPERM without the right to, and then there are none
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			break
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
