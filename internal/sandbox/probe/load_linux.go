package probe

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts our own program as one that waits, and ends it.
func start(attr *syscall.SysProcAttr) error {
	p, err := waiter(attr, nil)
	if err != nil {
		return err
	}
	end(p)
	return nil
}

// waiter starts our own program again, which waits until it is killed.
func waiter(attr *syscall.SysProcAttr, more []*os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	argv := append([]string(nil), os.Args[:prefix()]...)
	return os.StartProcess("/proc/self/exe", append(argv, "probe", "wait"), &os.ProcAttr{Files: append([]*os.File{null, null, null}, more...), Sys: attr})
}

// prefix counts the arguments before "probe".
func prefix() int {
	for i, arg := range os.Args {
		if i > 0 && arg == "probe" {
			return i
		}
	}
	return 1
}

func end(p *os.Process) {
	_ = p.Kill()
	_, _ = p.Wait()
}

// spawn works when that many processes run at once. They are copies that share our memory and sleep in the kernel.
func spawn(count string) (string, error) {
	want, err := strconv.Atoi(count)
	if err != nil {
		return "", err
	}
	var all []*os.Process
	defer func() {
		for _, p := range all {
			end(p)
		}
	}()
	for len(all) < want {
		p, err := os.StartProcess("/bin/sleep", []string{"sleep", "60"}, &os.ProcAttr{})
		if err != nil {
			return "", fmt.Errorf("after %d: %w", len(all), err)
		}
		all = append(all, p)
	}
	return fmt.Sprintf("%d at once", want), nil
}

// memory works when that many bytes can be used. A child uses them, because the kernel kills who uses too much.
func memory(size string) (string, error) {
	if rest, ok := strings.CutPrefix(size, "use:"); ok {
		n, err := strconv.Atoi(rest)
		if err != nil {
			return "", err
		}
		block, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
		if err != nil {
			return "", err
		}
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		return "", unix.Munmap(block)
	}
	argv := append(append([]string(nil), os.Args[:prefix()]...), "probe", "memory", "use:"+size)
	p, err := os.StartProcess("/proc/self/exe", argv, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
	if err != nil {
		return "", err
	}
	state, err := p.Wait()
	if err != nil {
		return "", err
	}
	if !state.Success() {
		return "", fmt.Errorf("%v", state)
	}
	return size + " bytes used", nil
}

// daemon leaves a process behind that has left group and session and holds a connection to the socket, by which those
// outside see whether it lives.
func daemon(socket string) (string, error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return "", err
	}
	defer c.Close()
	f, err := c.File()
	if err != nil {
		return "", err
	}
	defer f.Close()
	ready, theirs, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer ready.Close()
	_, err = waiter(&syscall.SysProcAttr{Setsid: true}, []*os.File{f, theirs})
	_ = theirs.Close()
	if err != nil {
		return "", err
	}
	_, _ = ready.Read(make([]byte, 1)) // until it is up
	return "left behind", nil
}
