package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace lies between TERM to the command and the end of all. It is shorter than the one of internal/proc, so that the
// launcher is not killed in the middle of its work.
const grace = time.Second

// sweep is the pause between two rounds of killing.
const sweep = time.Millisecond

type supervisor struct{ signals chan os.Signal }

// newSupervisor makes us the one that inherits every orphan below us.
func newSupervisor() (*supervisor, error) {
	s := &supervisor{signals: make(chan os.Signal, 8)}
	signal.Notify(s.signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, orphaned)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("inherit orphans: %w", err)
	}
	return s, nil
}

// wait waits for the end of the child, or for a signal to end it, kills whatever is left below us, and gives the exit
// status. address is where TERM goes; patience lies between it and the kill.
func (s *supervisor) wait(child int, address addressee, patience time.Duration) int {
	ended, all := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(all)
		for {
			var ws unix.WaitStatus
			pid, err := unix.Wait4(-1, &ws, 0, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil: // ECHILD: nobody is left
				return
			case pid == child && ws.Signaled():
				ended <- 128 + int(ws.Signal())
			case pid == child:
				ended <- ws.ExitStatus()
			}
		}
	}()
	status := -1
	var deadline <-chan time.Time
	for status < 0 {
		select {
		case status = <-ended:
		case sig := <-s.signals:
			if sig == orphaned {
				status = s.abandon(child, ended)
				break
			}
			address(child, sig.(syscall.Signal))
			if deadline == nil {
				deadline = time.After(patience)
			}
		case <-deadline:
			killTree()
			status = <-ended
		}
	}
	for {
		select {
		case <-all:
			return status
		case <-time.After(sweep):
			killTree()
		}
	}
}

// addressee hands a signal on.
type addressee func(child int, sig syscall.Signal)

func toChild(child int, sig syscall.Signal) { _ = unix.Kill(child, sig) }
func toGroup(child int, sig syscall.Signal) { _ = unix.Kill(-child, sig) }

// toGrandchildren is for bwrap, which would end at once: it has one child, the first process of the new process list,
// and below that is the command.
func toGrandchildren(child int, sig syscall.Signal) {
	tree := family()
	found := false
	for _, first := range tree[child] {
		for _, command := range tree[first] {
			found = unix.Kill(command, sig) == nil || found
		}
	}
	if !found {
		_ = unix.Kill(child, sig)
	}
}

// abandon ends at once. A guard below us is told, not killed: it has to end its own tree, and we wait for it.
func (s *supervisor) abandon(child int, ended <-chan int) int {
	_ = unix.Kill(child, orphaned) // without a handler it ends by it
	select {
	case status := <-ended:
		return status
	case <-time.After(grace):
		killTree()
		return <-ended
	}
}

// killTree stops all descendants first, so that none of them starts another one unseen, and then kills them. It is
// called again until none is left.
func killTree() {
	const rounds = 100 // a stopped tree is complete after two
	stopped := map[int]bool{}
	for range rounds {
		fresh := false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid], fresh = true, true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// descendants lists everything below root. They cannot get away: an orphan falls to us.
func descendants(root int) []int {
	children := family()
	var found []int
	for next := children[root]; len(next) > 0; {
		pid := next[0]
		next = append(next[1:], children[pid]...)
		found = append(found, pid)
	}
	return found
}

// family gives the children of every process.
func family() map[int][]int {
	children := map[int][]int{}
	proc, err := os.Open("/proc")
	if err != nil {
		return children
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if parent := parentOf(pid); parent > 0 {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	return children
}

// parentOf reads field 4 of /proc/PID/stat; 0 for what has ended.
func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
