package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/devflow-suite/devflow/internal/sandbox/broker"
	"github.com/devflow-suite/devflow/internal/sandbox/cgroup"
	"github.com/devflow-suite/devflow/internal/sandbox/filter"
)

// run is the first role: the parent of everything.
func run(o options, prefix []string) int {
	s, err := newSupervisor()
	if err != nil {
		return report(err)
	}
	if err := followParent(o.parent); err != nil {
		return report(err)
	}
	if o.tmp {
		dir, err := os.MkdirTemp("", "devflock-tmp-")
		if err != nil {
			return report(fmt.Errorf("make temporary folder: %w", err))
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return report(fmt.Errorf("make temporary folder: %w", err))
		}
		o.flags = append(o.flags[:len(o.flags):len(o.flags)], "-rw", dir, "-remove", dir)
		setenv("TMPDIR", dir)
		setenv("CLAUDE_CODE_TMPDIR", dir)
	}
	group, err := cgroup.New(cgroup.Limits{Procs: o.procs, Memory: o.memory})
	if err != nil {
		return report(err)
	}
	defer group.Remove()
	if o.landlock {
		for _, part := range group.Parts() {
			o.flags = append(o.flags[:len(o.flags):len(o.flags)], "-group", part)
		}
		return runGuard(o, prefix, s)
	}
	if o.filter {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // of this thread, which starts bwrap
			return report(fmt.Errorf("set no_new_privs: %w", err))
		}
		if o.network { // it is shared with the outside, and the abstract sockets with it
			if err := filter.ScopeAbstract(); err != nil {
				return report(err)
			}
		}
		if _, err := filter.Install(filter.Options{Namespaces: true}); err != nil {
			return report(err)
		}
	}
	return s.start(group, toGrandchildren, o.argv[0], o.argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		// A group of its own, because TERM to ours would end bwrap at once. The death signal comes when the thread that
		// starts the child ends, and this one does not.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	})
}

// runGuard starts the second role. It is in a session of its own, so that a kill of our group does not hit it, and it
// has no capabilities, because it acts for the command.
func runGuard(o options, prefix []string, s *supervisor) int {
	if err := filter.DropCapabilities(); err != nil { // of this thread, which starts it
		return report(err)
	}
	child, err := os.StartProcess("/proc/self/exe", again(prefix, "guard", o), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: orphaned},
	})
	if err != nil {
		return report(fmt.Errorf("start the guard: %w", err))
	}
	return s.wait(child.Pid, toChild, grace+grace/2)
}

// start starts the command in its control group, so that it is limited from the first moment, and waits for its end.
func (s *supervisor) start(group *cgroup.Group, address addressee, exe string, argv []string, attr *os.ProcAttr) int {
	if err := group.Enter(); err != nil {
		return report(errors.Join(err, group.Leave()))
	}
	child, err := os.StartProcess(exe, argv, attr)
	if leave := group.Leave(); err == nil && leave != nil {
		_ = child.Kill()
		err = leave
	}
	if err != nil {
		return report(fmt.Errorf("start %s: %w", exe, err))
	}
	return s.wait(child.Pid, address, grace)
}

// guard is the second role of landlock: it holds the command's whole tree.
func guard(o options, prefix []string) int {
	s, err := newSupervisor()
	if err != nil {
		return report(err)
	}
	group, err := cgroup.Open(o.groups)
	if err != nil {
		return report(err)
	}
	if o.remove != "" { // the first role may have been killed
		defer os.RemoveAll(o.remove)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return report(fmt.Errorf("talk to the stage: %w", err))
	}
	theirs := os.NewFile(uintptr(pair[1]), "stage")
	defer theirs.Close()
	go func() {
		listener, err := receive(pair[0])
		_ = unix.Close(pair[0])
		if err == nil && listener >= 0 {
			_ = broker.Serve(listener, o.rules()) // when it fails, calls fail: closed
		}
	}()
	return s.start(group, toGroup, "/proc/self/exe", again(prefix, "stage", o), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, theirs},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	})
}

func (o options) rules() broker.Rules {
	var r broker.Rules
	for _, p := range o.places {
		switch p.mode {
		case "rw":
			r.Write = append(r.Write, p.path)
		case "hide":
			r.Hide = append(r.Hide, p.path)
		default:
			r.Read = append(r.Read, p.path)
		}
	}
	return r
}

// setenv is for a process that starts others; nothing here runs beside it.
func setenv(key, value string) {
	if key == "CLAUDE_CODE_TMPDIR" && os.Getenv(key) != "" {
		return
	}
	_ = os.Setenv(key, value)
}

// stage is the third role of landlock: it restricts itself and becomes the command.
func stage(o options) int {
	const talk = 3
	unix.CloseOnExec(talk)
	places := make([]filter.Place, len(o.places))
	for i, p := range o.places {
		places[i] = filter.Place{Path: p.path, Mode: map[string]filter.Mode{"ro": filter.Read, "rw": filter.Write, "hide": filter.Hide}[p.mode]}
	}
	if err := filter.DropPowers(); err != nil {
		return report(err)
	}
	if err := filter.Restrict(places, o.network); err != nil {
		return report(err)
	}
	listener, err := filter.Install(filter.Options{Network: o.network, Broker: o.broker})
	if err != nil {
		return report(err)
	}
	if listener >= 0 {
		if err := unix.Sendmsg(talk, []byte{1}, unix.UnixRights(listener), nil, 0); err != nil {
			return report(fmt.Errorf("hand over the listener: %w", err))
		}
		_ = unix.Close(listener)
	}
	return become(o.argv, append(os.Environ(), o.env...))
}

// receive gets the listener; -1 when the stage has none.
func receive(sock int) (int, error) {
	data, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(sock, data, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) == 0 {
		return -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1, err
	}
	return fds[0], nil
}

// become executes the command, found on PATH like execvp(3), under the restrictions that hold by now.
func become(argv, env []string) int {
	candidates := []string{argv[0]}
	if !strings.Contains(argv[0], "/") {
		candidates = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if filepath.IsAbs(dir) {
				candidates = append(candidates, filepath.Join(dir, argv[0]))
			}
		}
	}
	status, last := ExitNotFound, error(unix.ENOENT)
	for _, path := range candidates {
		err := syscall.Exec(path, argv, env)
		if err == syscall.EACCES || err != syscall.ENOENT && err != syscall.ENOTDIR {
			status, last = ExitNotRunning, err
		}
	}
	fmt.Fprintf(os.Stderr, "sandbox: run %s: %v\n", argv[0], last)
	return status
}
