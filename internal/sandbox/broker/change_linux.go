package broker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// change does one of the calls that change attributes.
func (s *server) change(n *notice) error {
	c, err := decode(n)
	if err != nil {
		return err
	}
	fd := -1
	switch {
	case c.byFD:
		fd, err = unix.Open(fmt.Sprintf("/proc/%d/fd/%d", n.pid, c.dir), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			err = unix.EBADF
		}
	default:
		fd, err = open(n.pid, c.dir, c.path, c.follow)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !s.valid(n) {
		return unix.ESRCH
	}
	if !s.may(fd, true) {
		return unix.EPERM
	}
	return c.apply(fd)
}

// call is a change with its arguments read.
type call struct {
	dir    int    // folder descriptor of the caller, or the object's own
	path   string // of the object
	byFD   bool   // dir is the object
	follow bool   // symbolic links
	apply  func(fd int) error
}

// flagged are the flags of the calls with a folder descriptor that are known.
const flagged = unix.AT_SYMLINK_NOFOLLOW | unix.AT_EMPTY_PATH

func decode(n *notice) (call, error) {
	a := n.args
	c := call{dir: unix.AT_FDCWD, follow: true}
	at, flags := uint64(0), uint32(0) // address of the path
	switch kind, shape := shapeOf(n.nr); shape {
	case byPath:
		at = a[0]
		c.follow = n.nr != lchown
		return c.with(n, at, 0, kind, a[1:])
	case byFD:
		c.dir, c.byFD = int(int32(a[0])), true
		return c.with(n, 0, 0, kind, a[1:])
	case byFolder:
		c.dir, at = int(int32(a[0])), a[1]
		switch n.nr {
		case unix.SYS_FCHMODAT2:
			flags = uint32(a[3])
		case unix.SYS_FCHOWNAT:
			flags = uint32(a[4])
		case unix.SYS_UTIMENSAT:
			flags = uint32(a[3])
			c.byFD = at == 0 // futimens
		}
		return c.with(n, at, flags, kind, a[2:])
	}
	return c, unix.ENOSYS
}

// with reads path and values.
func (c call) with(n *notice, at uint64, flags uint32, kind kind, values []uint64) (call, error) {
	if flags&^uint32(flagged) != 0 {
		return c, unix.EINVAL
	}
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		c.follow = false
	}
	if !c.byFD {
		var err error
		if c.path, err = text(n.pid, at); err != nil {
			return c, err
		}
		if c.path == "" {
			if flags&unix.AT_EMPTY_PATH == 0 {
				return c, unix.ENOENT
			}
			if c.byFD = c.dir != unix.AT_FDCWD; !c.byFD {
				c.path = "."
			}
		}
	}
	switch kind {
	case mode:
		perm := uint32(values[0])
		c.apply = func(fd int) error { return chmod(fd, perm) }
	case owner:
		uid, gid := int(int32(values[0])), int(int32(values[1]))
		c.apply = func(fd int) error { return unix.Fchownat(fd, "", uid, gid, unix.AT_EMPTY_PATH) }
	default:
		times, err := timesOf(n, kind, values[0])
		if err != nil {
			return c, err
		}
		c.apply = func(fd int) error { return touch(fd, times) }
	}
	return c, nil
}

// timesOf reads the two times of a call; nil = now.
func timesOf(n *notice, kind kind, at uint64) ([]unix.Timespec, error) {
	if at == 0 {
		return nil, nil
	}
	count := 4
	if kind == seconds {
		count = 2
	}
	v, err := numbers(n.pid, at, count)
	if err != nil {
		return nil, err
	}
	switch kind {
	case seconds:
		return []unix.Timespec{{Sec: v[0]}, {Sec: v[1]}}, nil
	case micros:
		if v[1] < 0 || v[1] >= 1e6 || v[3] < 0 || v[3] >= 1e6 {
			return nil, unix.EINVAL
		}
		return []unix.Timespec{{Sec: v[0], Nsec: v[1] * 1000}, {Sec: v[2], Nsec: v[3] * 1000}}, nil
	}
	return []unix.Timespec{{Sec: v[0], Nsec: v[1]}, {Sec: v[2], Nsec: v[3]}}, nil
}

func chmod(fd int, perm uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.EOPNOTSUPP
	}
	return unix.Fchmodat(unix.AT_FDCWD, self(fd), perm, 0)
}

func touch(fd int, times []unix.Timespec) error {
	err := unix.UtimesNanoAt(fd, "", times, unix.AT_EMPTY_PATH)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) { // kernels that know no empty path here
		return unix.UtimesNanoAt(unix.AT_FDCWD, self(fd), times, 0)
	}
	return err
}

func self(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// open opens what a path of the caller means, without any right to it but its place. /proc/self is the caller's.
func open(pid uint32, dir int, name string, follow bool) (int, error) {
	if name == "" {
		return -1, unix.ENOENT
	}
	flags := uint64(unix.O_PATH | unix.O_CLOEXEC)
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	if path.IsAbs(name) {
		own, fd, err := ofProc(pid, path.Clean(name))
		if err != nil {
			return -1, err
		}
		if fd >= 0 && follow {
			return unix.Open(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), unix.O_PATH|unix.O_CLOEXEC, 0)
		}
		if own != path.Clean(name) {
			name = own
		}
		return unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_MAGICLINKS})
	}
	where := fmt.Sprintf("/proc/%d/cwd", pid)
	if dir != unix.AT_FDCWD {
		where = fmt.Sprintf("/proc/%d/fd/%d", pid, dir)
	}
	base, err := unix.Open(where, unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if errors.Is(err, unix.ENOENT) {
		err = unix.EBADF
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	return unix.Openat2(base, name, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_MAGICLINKS})
}

// ofProc replaces the names of the caller itself below /proc and /dev. fd is the descriptor that a path names, or -1.
func ofProc(pid uint32, name string) (string, int, error) {
	for from, to := range map[string]string{"/dev/fd/": "/proc/self/fd/", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2"} {
		if name == from || strings.HasSuffix(from, "/") && strings.HasPrefix(name, from) {
			name = to + strings.TrimPrefix(name, from)
			break
		}
	}
	rest, ok := strings.CutPrefix(name, "/proc/self/")
	if !ok {
		rest, ok = strings.CutPrefix(name, "/proc/thread-self/")
	}
	if !ok {
		leader, err := leaderOf(pid)
		if err != nil {
			return name, -1, err
		}
		if rest, ok = strings.CutPrefix(name, fmt.Sprintf("/proc/%d/", leader)); !ok {
			return name, -1, nil
		}
	}
	if digits, ok := strings.CutPrefix(rest, "fd/"); ok {
		if fd, err := strconv.Atoi(digits); err == nil && fd >= 0 {
			return name, fd, nil
		}
	}
	return fmt.Sprintf("/proc/%d/%s", pid, rest), -1, nil
}

// leaderOf is the process of a thread.
func leaderOf(pid uint32) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, unix.ESRCH
	}
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("Tgid:")); ok {
			return strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	return 0, unix.ESRCH
}
