package broker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rules say what is allowed. Of nested places the longest path counts; what no place holds is refused.
type Rules struct {
	Write []string // below them attributes may be changed, and sockets used
	Read  []string // below them sockets may be used
	Hide  []string
}

// notice is struct seccomp_notif, answer is struct seccomp_notif_resp (linux/seccomp.h).
type notice struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type answer struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// busy bounds the connects that wait at the same time.
const busy = 64

// Serve answers until nobody is under the filter any more. listener comes from filter.Install and is closed at the end.
func Serve(listener int, rules Rules) error {
	defer unix.Close(listener)
	s := &server{listener: listener, rules: rules, slots: make(chan struct{}, busy)}
	poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(poll, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return fmt.Errorf("wait for system calls: %w", err)
		}
		if poll[0].Revents&unix.POLLIN == 0 { // hang-up: all have ended
			return nil
		}
		n := new(notice)
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(n)))
		switch errno {
		case 0:
		case unix.EINTR, unix.ENOENT, unix.EAGAIN: // the caller has ended meanwhile
			continue
		default:
			return fmt.Errorf("receive system call: %w", errno)
		}
		if n.nr == unix.SYS_CONNECT { // may wait for the other side
			s.slots <- struct{}{}
			go func() {
				defer func() { <-s.slots }()
				s.reply(n, s.connect(n))
			}()
			continue
		}
		s.reply(n, s.change(n))
	}
}

type server struct {
	listener int
	rules    Rules
	slots    chan struct{}
}

// reply gives the result; err is an errno or nil.
func (s *server) reply(n *notice, err error) {
	a := answer{id: n.id}
	if err != nil {
		errno := unix.EPERM
		errors.As(err, &errno)
		a.errno = -int32(errno)
	}
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
		if errno != unix.EINTR {
			return // ENOENT: the caller has ended
		}
	}
}

// valid reports whether the caller still waits, so that its number means the same process as when the call came.
func (s *server) valid(n *notice) bool {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), unix.SECCOMP_IOCTL_NOTIF_ID_VALID, uintptr(unsafe.Pointer(&n.id)))
		if errno != unix.EINTR {
			return errno == 0
		}
	}
}

// may reports whether the object of fd lies in a place that allows it.
func (s *server) may(fd int, change bool) bool {
	path, err := linkOf(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return false
	}
	if strings.HasPrefix(path, "/memfd:") {
		var st unix.Stat_t
		return unix.Fstat(fd, &st) == nil && st.Nlink == 0
	}
	if !strings.HasPrefix(path, "/") {
		return strings.HasPrefix(path, "pipe:")
	}
	return s.rules.allow(path, change)
}

func (r Rules) allow(path string, change bool) bool {
	best, allowed := -1, false
	look := func(places []string, yes bool) {
		for _, p := range places {
			inside := path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
			if inside && len(p) >= best {
				best, allowed = len(p), yes
			}
		}
	}
	look(r.Read, !change)
	look(r.Write, true)
	look(r.Hide, false)
	return allowed
}

// memory reads up to size bytes of the caller at addr; fewer when the rest is not there.
func memory(pid uint32, addr uint64, size int) ([]byte, error) {
	if addr == 0 {
		return nil, unix.EFAULT
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/mem", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, unix.EPERM
	}
	defer unix.Close(fd)
	buf := make([]byte, size)
	n, err := unix.Pread(fd, buf, int64(addr))
	if err != nil || n <= 0 {
		return nil, unix.EFAULT
	}
	return buf[:n], nil
}

// text reads a path of the caller.
func text(pid uint32, addr uint64) (string, error) {
	const page = 4096
	var path []byte
	for len(path) < unix.PathMax {
		part, err := memory(pid, addr+uint64(len(path)), page-int((addr+uint64(len(path)))%page))
		if err != nil {
			return "", err
		}
		for i, c := range part {
			if c == 0 {
				path = append(path, part[:i]...)
				if len(path) >= unix.PathMax {
					return "", unix.ENAMETOOLONG
				}
				return string(path), nil
			}
		}
		path = append(path, part...)
	}
	return "", unix.ENAMETOOLONG
}

func numbers(pid uint32, addr uint64, n int) ([]int64, error) {
	raw, err := memory(pid, addr, 8*n)
	if err != nil {
		return nil, err
	}
	if len(raw) < 8*n {
		return nil, unix.EFAULT
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(binary.NativeEndian.Uint64(raw[8*i:]))
	}
	return out, nil
}

func linkOf(path string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// connect does the connect of a socket of the caller.
func (s *server) connect(n *notice) error {
	size := int(uint32(n.args[2]))
	if size < 2 || size > 128 {
		return unix.EINVAL
	}
	addr, err := memory(n.pid, n.args[1], size)
	if err != nil {
		return err
	}
	if len(addr) < size {
		return unix.EFAULT
	}
	sock, err := descriptor(n.pid, int32(n.args[0]))
	if err != nil {
		return err
	}
	defer unix.Close(sock)
	if binary.NativeEndian.Uint16(addr) != unix.AF_UNIX {
		if !s.valid(n) {
			return unix.ESRCH
		}
		return connectTo(sock, addr)
	}
	path, _, _ := strings.Cut(string(addr[2:]), "\x00")
	if path == "" { // abstract: a name space that is shared with the outside
		return unix.EPERM
	}
	target, err := open(n.pid, unix.AT_FDCWD, path, true)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	if !s.valid(n) {
		return unix.ESRCH
	}
	if !s.may(target, false) {
		return unix.EACCES
	}
	return connectTo(sock, append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), fmt.Sprintf("/proc/self/fd/%d\x00", target)...))
}

func connectTo(sock int, addr []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(sock), uintptr(unsafe.Pointer(&addr[0])), uintptr(len(addr)))
	runtime.KeepAlive(addr)
	if errno != 0 {
		return errno
	}
	return nil
}

// descriptor is a copy of a descriptor of the caller.
func descriptor(pid uint32, fd int32) (int, error) {
	leader, err := leaderOf(pid)
	if err != nil {
		return -1, err
	}
	handle, err := unix.PidfdOpen(leader, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(handle)
	return unix.PidfdGetfd(handle, int(fd), 0)
}
