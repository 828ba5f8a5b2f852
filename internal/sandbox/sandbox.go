package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
)

// Kind names a backend.
type Kind string

// The backends. Auto is for Find only: bwrap, else landlock, never none.
const (
	Auto     Kind = "auto"
	Bwrap    Kind = "bwrap"
	Landlock Kind = "landlock"
	None     Kind = "none"
)

// ErrUnavailable is returned, wrapped, by Find when the wanted backend does not work here. The message says why, and
// what helps.
var ErrUnavailable = errors.New("no confinement available")

// Bind makes the file, folder or socket From of this machine visible inside at To.
type Bind struct {
	From string // absolute; must exist
	To   string // absolute; empty = From. Only bwrap can show a thing at another place
}

// Policy is what one confined command may do. Everything that is not listed, and not part of the base, is invisible
// (bwrap) or refused (landlock). The base is the read-only system: /usr, /bin, /lib*, /etc without its secrets, /proc,
// /dev, and an empty /tmp (bwrap).
//
// Of nested places the longest path counts: a writable folder inside a read-only one is writable, a read-only one
// inside a writable one is read-only, a hidden one is hidden, and a place listed below a hidden one is visible. For
// equal paths ReadWrite beats ReadOnly and Hide beats both. Symbolic links in From are followed.
type Policy struct {
	Dir       string // working folder; must lie in a visible place
	ReadWrite []Bind
	ReadOnly  []Bind
	Hide      []string // what does not exist needs no hiding and is passed over
	Env       []string // the whole environment, KEY=value
	Network   bool     // false: Unix sockets only
	Procs     int      // processes and threads at most; 0 = no limit. Needs a writable cgroup, see Lacks
	Memory    int64    // bytes at most; 0 = no limit. Needs a writable cgroup, see Lacks
	Tmp       string   // folder for temporary files, made when missing; empty = /tmp (bwrap) or one that ends with the command (landlock)
}

// Sandbox confines commands. The zero value confines nothing and refuses to wrap; get one from Find. It may be used
// from many goroutines.
type Sandbox struct{ b *backend }

// backend is what Find found out. It is not changed afterwards.
type backend struct {
	kind     Kind
	launcher []string
	bwrap    string   // path of the program
	flags    []string // that worked with it
	filter   bool     // bwrap: system calls are filtered
	broker   bool     // landlock: attribute changes and socket connects are decided by the launcher
	abi      int      // landlock: version of the kernel interface
	procs    bool     // the number of processes can be limited
	memory   bool     // and the memory
	secrets  []string // places below /etc that are hidden
	settings []string // places below /proc that are made read-only
	lacks    []string
}

// Kind is the backend; empty for the zero value.
func (s Sandbox) Kind() Kind {
	if s.b == nil {
		return ""
	}
	return s.b.kind
}

// Lacks lists the protections that this backend does not give here, in words for users. Empty means all of them.
func (s Sandbox) Lacks() []string {
	if s.b == nil {
		return nil
	}
	return slices.Clone(s.b.lacks)
}

// Wrap gives the command that runs argv under the policy: start it with internal/proc. A policy that cannot be kept
// is an error that names the reason, never a weaker confinement, except for limits and what Lacks lists.
func (s Sandbox) Wrap(p Policy, argv []string) (proc.Cmd, error) {
	if s.b == nil {
		return proc.Cmd{}, fmt.Errorf("confine command: %w: no backend was chosen", ErrUnavailable)
	}
	if len(argv) == 0 || argv[0] == "" {
		return proc.Cmd{}, fmt.Errorf("confine command: no program named: %w", proc.ErrNotFound)
	}
	l, err := newLayout(p, s.b)
	if err != nil {
		return proc.Cmd{}, fmt.Errorf("confine command: %w", err)
	}
	c := proc.Cmd{Dir: l.dir, Env: l.env, Bare: true}
	switch s.b.kind {
	case Bwrap:
		c.Argv = append(s.b.front(p), s.b.bwrapArgs(l, p.Network)...)
		c.Argv = append(c.Argv, "--")
	case Landlock:
		c.Argv, err = s.b.landlockArgs(l, p)
		if err != nil {
			return proc.Cmd{}, fmt.Errorf("confine command: %w", err)
		}
	}
	c.Argv = append(c.Argv, argv...)
	return c, nil
}

// front is the launcher before bwrap, and nothing when it has nothing to do.
func (b *backend) front(p Policy) []string {
	args := b.limitFlags(p)
	if b.filter {
		args = append(args, "-filter")
		if p.Network {
			args = append(args, "-net")
		}
	}
	if len(args) == 0 {
		return nil
	}
	argv := append(slices.Clone(b.launcher), "run", "-parent", strconv.Itoa(os.Getpid()))
	return append(append(argv, args...), "--")
}

func (b *backend) limitFlags(p Policy) []string {
	var args []string
	if p.Procs > 0 && b.procs {
		args = append(args, "-procs", strconv.Itoa(p.Procs))
	}
	if p.Memory > 0 && b.memory {
		args = append(args, "-memory", strconv.FormatInt(p.Memory, 10))
	}
	return args
}

// within reports whether path is dir or lies below it. Both are clean and absolute.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

func checkPath(what, path string) (string, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%s %q is not an absolute path", what, path)
	}
	return filepath.Clean(path), nil
}
