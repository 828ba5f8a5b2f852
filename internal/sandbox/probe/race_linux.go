package probe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempts of a race: enough that an answer which lets the call go on loses it.
const attempts = 2000

// call does a system call: its number and up to six arguments, with commas between.
func call(text string) (string, error) {
	var v [7]uintptr
	for i, field := range strings.SplitN(text, ",", len(v)) {
		n, err := strconv.ParseUint(field, 0, 64)
		if err != nil {
			return "", err
		}
		v[i] = uintptr(n)
	}
	r, _, errno := unix.Syscall6(v[0], v[1], v[2], v[3], v[4], v[5], v[6])
	if errno != 0 {
		return "", errno
	}
	return fmt.Sprint(r), nil
}

// raceMemory changes the mode of own again and again, while another thread writes the path of other, of the same
// length, over it.
func raceMemory(own, other string) error {
	if len(own) != len(other) {
		return errors.New("paths of different lengths")
	}
	path := append([]byte(own), 0)
	pos := len(own) - len(filepath.Base(own)) - 3 // the folder, whose name has two letters, is what differs
	if pos < 0 {
		return errors.New("paths too short")
	}
	at, from, to := path[pos:pos+2], own[pos:pos+2], other[pos:pos+2]
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			copy(at, to)
			copy(at, from)
		}
	})
	defer wg.Wait()
	defer stop.Store(true)
	done := 0
	cwd := unix.AT_FDCWD
	for range attempts {
		_, _, errno := unix.Syscall(unix.SYS_FCHMODAT, uintptr(cwd), uintptr(unsafe.Pointer(&path[0])), 0o777)
		if errno == 0 {
			done++
		}
	}
	if done == 0 {
		return errors.New("no call came through")
	}
	return nil
}

// raceLink changes the mode by a link that leads to own and to other in turn.
func raceLink(own, other string) error {
	link := own + ".link"
	if err := os.Symlink(own, link); err != nil {
		return err
	}
	if err := os.Chmod(link, 0o777); err != nil {
		return err
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			next := own + ".next"
			target := own
			if i%2 == 0 {
				target = other
			}
			if os.Symlink(target, next) == nil {
				_ = os.Rename(next, link)
			}
		}
	})
	defer wg.Wait()
	defer stop.Store(true)
	for range attempts {
		_ = os.Chmod(link, 0o777)
	}
	return nil
}
