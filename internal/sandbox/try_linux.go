package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox/filter"
)

// tryLandlock runs the launcher. Where its answers to held calls do not get through (a container that forbids to look
// into processes), it does without.
func (b *backend) tryLandlock(ctx context.Context) error {
	if len(b.launcher) == 0 {
		return errors.New("landlock needs a launcher")
	}
	b.kind, b.bwrap, b.flags = Landlock, "", nil
	b.abi = filter.ABI()
	if b.abi < filter.MinABI {
		return fmt.Errorf("the kernel offers landlock version %d, and %d is needed", b.abi, filter.MinABI)
	}
	b.broker = true
	if err := b.tryBroker(ctx); err != nil {
		b.broker = false
		if err := b.trial(ctx); err != nil {
			return fmt.Errorf("landlock does not work here (%w)", err)
		}
	}
	b.lacks = b.landlockLacks()
	return nil
}

// scopes reports whether the kernel can guard abstract sockets.
func scopes() bool { return filter.ABI() >= filter.ABIScopes }

// tryBroker changes a file and connects a socket inside.
func (b *backend) tryBroker(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "devflock-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, socket := filepath.Join(dir, "file"), filepath.Join(dir, "socket")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	listener, err := listenUnix(socket)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	rows, err := b.inside(ctx, Policy{Dir: dir, ReadWrite: []Bind{{From: dir}}}, "chmod", file, "connect-unix", socket)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !r.OK {
			return fmt.Errorf("%s: %s", r.Name, r.Detail)
		}
	}
	return nil
}

func (b *backend) landlockLacks() []string {
	lacks := []string{
		"a process list of its own: other processes and their command lines can be seen",
		"names, sizes and times of files outside: they can be seen, their content not",
		"a /tmp of its own: programs must use TMPDIR",
		"read-only or hidden places inside a writable folder: such a policy is refused",
		"protection of its supervisor from a kill from outside: then daemons may stay",
	}
	if !b.broker {
		lacks = append(lacks, "guarding of mode, owner and times of files outside")
		if b.abi < filter.ABISockets {
			lacks = append(lacks, "guarding of Unix sockets outside by path, such as that of docker")
		}
	}
	if b.abi < filter.ABIScopes {
		lacks = append(lacks, "guarding of signals to your other processes")
		if !b.broker {
			lacks = append(lacks, "guarding of abstract Unix sockets")
		}
	}
	return lacks
}

// self is the program of the launcher, which must be readable to run inside.
func (b *backend) self() (string, error) {
	if len(b.launcher) == 0 {
		return "", errors.New("no launcher is known")
	}
	if !filepath.IsAbs(b.launcher[0]) {
		return "", fmt.Errorf("the launcher %q is not an absolute path", b.launcher[0])
	}
	return filepath.EvalSymlinks(b.launcher[0])
}

// inside runs probes in the backend; tries are pairs of name and parameter.
func (b *backend) inside(ctx context.Context, p Policy, tries ...string) ([]probed, error) {
	exe, err := b.self()
	if err != nil {
		return nil, err
	}
	p.ReadOnly = append(p.ReadOnly, Bind{From: exe})
	argv := append(append([]string{exe}, b.launcher[1:]...), "probe")
	c, err := (Sandbox{b}).Wrap(p, append(argv, tries...))
	if err != nil {
		return nil, err
	}
	res, err := proc.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	return parseProbes(res)
}
