package filter

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// Options choose what the filter denies.
type Options struct {
	Network    bool // Internet sockets are allowed
	Broker     bool // attribute changes and connects wait for the answer of the holder of the listener
	Namespaces bool // for bwrap: it makes mounts and namespaces, and those of its own guard the rest
}

// refused are calls that no work on source code needs, and that reach beyond any confinement: kernel keyrings, which
// are shared with the processes of the user outside, tracing of the kernel, and what only looks harmless.
var refused = [...]string{
	"swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "acct", "quotactl", "quotactl_fd",
	"bpf", "perf_event_open", "userfaultfd", "fanotify_init", "open_by_handle_at", "syslog", "lookup_dcookie", "nfsservctl",
	"keyctl", "add_key", "request_key", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
	"iopl", "ioperm", "modify_ldt", "vhangup", "process_madvise", "pidfd_getfd",
}

// enclosed are refused where there are no namespaces: mounts and namespaces themselves, and the memory and queues that
// all processes of the user share.
var enclosed = [...]string{
	"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
	"shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl",
	"mq_open", "mq_unlink", "sethostname", "setdomainname",
}

// absent answer that they do not exist, because programs then use what is filtered: the operations of io_uring are not
// seen here.
var absent = [...]string{"io_uring_setup", "io_uring_enter", "io_uring_register"}

// attributes are the extended ones, which are refused as on a file system that has none.
var attributes = [...]string{"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"}

// Brokered are the calls that wait for the listener with Options.Broker, as far as the machine has them.
var brokered = [...]string{"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat", "connect"}

// firstUnknown is the first system call number that this filter does not know: setxattrat, Linux 6.13. From 424 on the
// numbers are the same on all machines. Later calls answer that they do not exist.
const firstUnknown = 463

// Names of constants in linux/fs.h and asm-generic/ioctls.h.
const (
	fsSetFlags   = 0x40086602
	fsSetVersion = 0x40087602
	fsSetXattr   = 0x401c5820
	tiocSTI      = 0x5412
	tiocLinux    = 0x541c
	namespaces   = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

func denial(errno unix.Errno) seccomp.Action {
	return seccomp.ActionErrno | seccomp.Action(errno)
}

// Install puts the calling thread, and what it executes, under the filter for good. The thread needs no_new_privs. The
// listener is -1 without Options.Broker; else it is an open descriptor for package broker.
func Install(o Options) (listener int, err error) {
	machine, err := arch.GetInfo("")
	if err != nil {
		return -1, fmt.Errorf("build system call filter: %w", err)
	}
	number := func(name string) (uint32, bool) {
		nr, ok := machine.SyscallNames[name]
		return uint32(nr), ok
	}
	known := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := number(name); return !ok })
	}
	deny, none := known(refused[:]), known(absent[:])
	groups := []seccomp.SyscallGroup{}
	if !o.Namespaces {
		deny = append(deny, known(enclosed[:])...)
		none = append(none, known([]string{"clone3"})...) // its flags are in memory
		groups = append(groups, seccomp.SyscallGroup{Names: known(attributes[:]), Action: denial(unix.EOPNOTSUPP)})
	}
	groups = append(groups, seccomp.SyscallGroup{Names: deny, Action: denial(unix.EPERM)}, seccomp.SyscallGroup{Names: none, Action: denial(unix.ENOSYS)})
	if err := seccomp.LoadFilter(seccomp.Filter{Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: groups}}); err != nil {
		return -1, fmt.Errorf("install system call filter: %w", err)
	}
	// The library lets other architectures pass, and compares 64 bits where the kernel looks at 32: the rules about
	// arguments are therefore written here.
	p := program{}
	p.load(offArch)
	p.unless(uint32(machine.ID), unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS))
	p.load(offNumber)
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, firstUnknown, 0, 1)
	p.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	p.arguments(o, number)
	if o.Broker {
		p.load(offNumber)
		for _, name := range brokered {
			if nr, ok := number(name); ok {
				p.when(nr, unix.SECCOMP_RET_USER_NOTIF)
			}
		}
	}
	p.ret(unix.SECCOMP_RET_ALLOW)
	return p.install(o.Broker)
}

// arguments adds the rules that look at arguments. Only their low halves count, as for the kernel.
func (p *program) arguments(o Options, number func(string) (uint32, bool)) {
	for _, name := range [...]string{"socket", "socketpair"} {
		if nr, ok := number(name); ok {
			p.call(nr, func(p *program) { p.sockets(o) })
		}
	}
	if nr, ok := number("clone"); ok && !o.Namespaces {
		p.call(nr, func(p *program) {
			p.load(offArgument(0))
			p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, namespaces, 0, 1)
			p.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
		})
	}
	if nr, ok := number("ioctl"); ok {
		p.call(nr, func(p *program) {
			p.load(offArgument(1))
			for _, request := range [...]uint32{fsSetFlags, fsSetVersion, fsSetXattr, tiocSTI, tiocLinux} {
				p.when(request, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
			}
		})
	}
	if nr, ok := number("prlimit64"); ok && !o.Namespaces { // the limits of a process outside are its life
		p.call(nr, func(p *program) {
			p.load(offArgument(0))
			p.unless(0, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
		})
	}
}

// sockets allows Unix ones, and those of the Internet with the network, or where a network namespace guards them; the
// kernel's routing sockets belong to them. Others, such as those to the host of a virtual machine, know no namespace.
func (p *program) sockets(o Options) {
	p.load(offArgument(0))
	allowed := []uint32{unix.AF_UNIX}
	if o.Network || o.Namespaces {
		allowed = append(allowed, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	}
	for i, family := range allowed {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, family, uint8(len(allowed)-i), 0) // over the rest and the return
	}
	p.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT))
	if o.Namespaces {
		return
	}
	// A Unix datagram socket reaches any other by its path in each sendto; raw stands for it.
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_UNIX, 0, 4)
	p.load(offArgument(1))
	p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf, 0, 0)
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 2, 0, 1) // 2 = datagram, 3 = raw, 1 = stream, 5 = packets in order
	p.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPROTONOSUPPORT))
}

// Offsets in struct seccomp_data. The machines that are built for are little-endian.
const (
	offNumber = 0
	offArch   = 4
)

func offArgument(n uint32) uint32 { return 16 + 8*n }

type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

func (p *program) load(off uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, off, 0, 0) }
func (p *program) ret(action uint32) {
	p.add(unix.BPF_RET|unix.BPF_K, action, 0, 0)
}

func (p *program) when(value, action uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 0, 1)
	p.ret(action)
}

func (p *program) unless(value, action uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 1, 0)
	p.ret(action)
}

// call adds rules for one system call. Afterwards the number is not loaded any more for them, and it is for the rest.
func (p *program) call(nr uint32, rules func(*program)) {
	inner := program{}
	rules(&inner)
	p.load(offNumber)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, nr, 0, uint8(len(inner)))
	*p = append(*p, inner...)
}

// waitKillable is SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19: a signal does not make the caller ask twice.
const waitKillable = 1 << 5

func (p program) install(listen bool) (listener int, err error) {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	flags := [...]uintptr{0, 0}
	if listen {
		flags = [...]uintptr{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | waitKillable, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER}
	}
	for _, flag := range flags {
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flag, uintptr(unsafe.Pointer(&prog)))
		switch {
		case errno == 0 && listen:
			return int(fd), nil
		case errno == 0:
			return -1, nil
		case !errors.Is(errno, unix.EINVAL):
			return -1, fmt.Errorf("install system call filter: %w", errno)
		}
	}
	return -1, fmt.Errorf("install system call filter: %w", unix.EINVAL)
}
