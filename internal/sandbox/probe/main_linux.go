package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Main runs the tries, given as pairs of name and parameter, and writes a Row for each.
func Main(args []string, out io.Writer) int {
	if len(args) == 1 && args[0] == "wait" {
		return hold()
	}
	lines := json.NewEncoder(out)
	for ; len(args) >= 2; args = args[2:] {
		row := Row{Name: args[0]}
		detail, err := try(args[0], args[1])
		row.OK, row.Detail = err == nil, detail
		if err != nil {
			row.Detail = err.Error()
		}
		if lines.Encode(row) != nil {
			return 1
		}
	}
	return 0
}

// hold waits to be ended. A daemon has a connection as its fourth descriptor: it says that it is there, and ends with it.
func hold() int {
	var st unix.Stat_t
	if unix.Fstat(3, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		c := os.NewFile(3, "connection")
		if _, err := c.Write([]byte("I")); err != nil {
			return 1
		}
		_ = unix.Close(4) // tells who started us
		_, _ = c.Read(make([]byte, 1))
		return 0
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGUSR2) // nobody sends it
	<-stop
	return 0
}

func try(name, arg string) (string, error) {
	a, b, _ := strings.Cut(arg, "\x1f") // two paths
	switch name {
	case "write":
		return "", os.WriteFile(arg, []byte("x"), 0o600)
	case "open": // for writing, but nothing is written
		f, err := os.OpenFile(arg, os.O_WRONLY, 0)
		if err != nil {
			return "", err
		}
		return "", f.Close()
	case "wait":
		hold()
		return "", nil
	case "read":
		text, err := os.ReadFile(arg)
		return fmt.Sprintf("%d bytes", len(text)), err
	case "list":
		entries, err := os.ReadDir(arg)
		return fmt.Sprintf("%d entries", len(entries)), err
	case "remove":
		return "", os.Remove(arg)
	case "mkdir":
		return "", os.Mkdir(arg, 0o700)
	case "rename":
		return "", os.Rename(a, b)
	case "link":
		return "", os.Link(a, b)
	case "link-write":
		if err := os.Link(a, b); err != nil {
			return "", err
		}
		return "", os.WriteFile(b, []byte("x"), 0o600)
	case "symlink-write":
		if err := os.Symlink(a, b); err != nil {
			return "", err
		}
		return "", os.WriteFile(b, []byte("x"), 0o600)
	case "truncate":
		return "", os.Truncate(arg, 0)
	case "env":
		return environment(arg)
	case "see":
		_, err := same(arg)
		return "", err
	case "spawn":
		return spawn(arg)
	case "memory":
		return memory(arg)
	case "call":
		return call(arg)
	case "race-memory":
		return "", raceMemory(a, b)
	case "race-link":
		return "", raceLink(a, b)
	case "daemon":
		return daemon(arg)
	}
	if detail, err, ok := attribute(name, arg); ok {
		return detail, err
	}
	return reach(name, arg)
}

// attribute tries the calls that change what is known about a file.
func attribute(name, arg string) (string, error, bool) {
	at := time.Unix(1e9, 0)
	var err error
	switch name {
	case "chmod":
		err = os.Chmod(arg, 0o640)
	case "fchmod":
		var f *os.File
		if f, err = os.Open(arg); err == nil {
			err = f.Chmod(0o640)
			_ = f.Close()
		}
	case "chown":
		err = os.Chown(arg, os.Getuid(), os.Getgid())
	case "lchown":
		err = os.Lchown(arg, os.Getuid(), os.Getgid())
	case "utime":
		err = os.Chtimes(arg, at, at)
	case "xattr":
		err = unix.Setxattr(arg, "user.devflow", []byte("x"), 0)
	case "chattr":
		var f *os.File
		if f, err = os.Open(arg); err == nil {
			var flags int
			if flags, err = unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS); err == nil {
				err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|0x40) // no dump
			}
			_ = f.Close()
		}
	default:
		return "", nil, false
	}
	return "", err, true
}

// reach tries to get at other processes and out of the confinement.
func reach(name, arg string) (string, error) {
	switch name {
	case "signal":
		pid, err := same(arg)
		if err != nil {
			return "", err
		}
		return "", unix.Kill(pid, 0)
	case "peek":
		pid, err := same(arg)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		return fmt.Sprintf("%d bytes", len(text)), err
	case "limit":
		pid, err := same(arg)
		if err != nil {
			return "", err
		}
		var now unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &now); err != nil {
			return "", err
		}
		return "", unix.Prlimit(pid, unix.RLIMIT_CORE, &now, nil)
	case "connect-tcp":
		return dial("tcp", arg)
	case "connect-unix":
		return dial("unix", arg)
	case "ask-udp":
		return ask(arg)
	case "send-unix":
		return send("unixgram", arg)
	case "socket":
		domain, err := strconv.Atoi(arg)
		if err != nil {
			return "", err
		}
		fd, err := unix.Socket(domain, unix.SOCK_DGRAM, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return "", err
	case "mount":
		if err := unix.Mount("none", arg, "tmpfs", 0, ""); err != nil {
			return "", err
		}
		return "", unix.Unmount(arg, unix.MNT_DETACH)
	case "namespace":
		return "", start(&syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER})
	case "shm":
		_, _, errno := unix.Syscall(unix.SYS_SHMGET, 0, 4096, unix.IPC_CREAT|0o600)
		if errno != 0 {
			return "", errno
		}
		return "", nil
	}
	return "", fmt.Errorf("unknown try %q", name)
}

func dial(network, addr string) (string, error) {
	c, err := net.DialTimeout(network, addr, 5*time.Second)
	if err != nil {
		return "", err
	}
	return "connected", c.Close()
}

func send(network, addr string) (string, error) {
	c, err := net.Dial(network, addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_, err = c.Write([]byte("x"))
	return "sent", err
}

// ask works when the other side, which sends everything back, got it: a network of our own takes packets for nobody.
func ask(addr string) (string, error) {
	c, err := net.Dial("udp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return "", err
	}
	_, err = c.Read(make([]byte, 1))
	return "answered", err
}

// environment works when there are variables beside those of the list, which ours are set by the confinement.
func environment(allowed string) (string, error) {
	known := "," + allowed + ",PWD,OLDPWD,SHLVL,_,TMPDIR,CLAUDE_CODE_TMPDIR,DEVFLOW_CHILD,"
	var more []string
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); !strings.Contains(known, ","+key+",") {
			more = append(more, key)
		}
	}
	if len(more) == 0 {
		return "", fmt.Errorf("only what was given")
	}
	return strings.Join(more, " "), nil
}

// Ticks is when a process started, as /proc says it; empty when it is not there. proc(5): field 22.
func Ticks(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // from field 3 on
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

// same reports whether the process of a number is the one that started at that time: in a process list of our own the
// number can mean another one.
func same(arg string) (pid int, err error) {
	number, ticks, _ := strings.Cut(arg, "\x1f")
	if pid, err = strconv.Atoi(number); err != nil {
		return 0, err
	}
	if now := Ticks(pid); now == "" || now != ticks {
		return 0, errors.New("it is not there")
	}
	return pid, nil
}
