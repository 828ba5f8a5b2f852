package strays

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/devflow-suite/devflow/internal/proc"
)

// sweeps bounds how often we look again for what was forked while we killed.
const sweeps = 20

// Descendants are the processes below one, children of children included.
func Descendants(pid int) Family {
	children := map[int][]process{}
	for _, p := range processes() {
		if parent, start, ok := stat(p); ok {
			children[parent] = append(children[parent], process{p, start})
		}
	}
	var out Family
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		out = append(out, children[queue[0]]...)
		for _, c := range children[queue[0]] {
			queue = append(queue, c.pid)
		}
	}
	return out
}

// End kills what is left of a family, and whatever carries the mark (KEY=value) in its environment.
func End(family Family, mark string) {
	for _, p := range family {
		kill(p)
	}
	for range sweeps {
		found := false
		for _, pid := range processes() {
			env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
				continue
			}
			if _, start, ok := stat(pid); ok && pid != os.Getpid() {
				found = kill(process{pid, start}) || found
			}
		}
		if !found {
			return
		}
	}
}

// kill kills a process that is still the one it was. The descriptor keeps its number from being given to another one meanwhile.
func kill(p process) bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	if !proc.Alive(p.pid, p.start) || unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, deathMillis) // readable when it has ended
	return true
}

// deathMillis is how long one that was killed is waited for. It only lasts where the kernel is stuck with it.
const deathMillis = 1000

func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // as far as it goes
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stat gives the parent and the start time, fields 4 and 22 of proc(5).
func stat(pid int) (parent int, start int64, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return 0, 0, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	start, err2 := strconv.ParseInt(string(fields[19]), 10, 64)
	return parent, start, err1 == nil && err2 == nil
}
