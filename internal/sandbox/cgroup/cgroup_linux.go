package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of one group; 0 = none.
type Limits struct {
	Procs  int   // processes and threads
	Memory int64 // bytes, swap included where the kernel counts it
}

// Group is a set of control groups, one for each kind of limit. The zero value limits nothing.
type Group struct {
	parts []part
}

type part struct {
	home, dir string // where we are, and the new group
	v2        bool
	procs     int
}

// Possible reports which limits can be set here, by making a group and removing it.
func Possible() (procs, memory bool) {
	if g, err := New(Limits{Procs: 1 << 15}); err == nil {
		procs = g.Enter() == nil && g.Leave() == nil
		g.Remove()
	}
	if g, err := New(Limits{Memory: 1 << 40}); err == nil {
		memory = g.Enter() == nil && g.Leave() == nil
		g.Remove()
	}
	return procs, memory
}

// New makes the groups that the limits need. Remove must be called.
func New(l Limits) (*Group, error) {
	g := &Group{}
	if l.Procs > 0 {
		if err := g.add("pids", func(p *part) error { p.procs = l.Procs; return nil }); err != nil {
			return nil, errors.Join(fmt.Errorf("limit processes: %w", err), g.remove())
		}
	}
	if l.Memory > 0 {
		if err := g.add("memory", func(p *part) error { return p.memory(l.Memory) }); err != nil {
			return nil, errors.Join(fmt.Errorf("limit memory: %w", err), g.remove())
		}
	}
	return g, nil
}

func (g *Group) add(controller string, set func(*part) error) error {
	home, v2, err := home(controller)
	if err != nil {
		return err
	}
	for i := range g.parts {
		if g.parts[i].home == home {
			return set(&g.parts[i])
		}
	}
	clean(home)
	p := part{home: home, v2: v2}
	if v2 {
		// A group below ours gets a controller only when ours hands it down, which needs a group without members; the
		// place is beside ours then.
		if enabled, _ := os.ReadFile(filepath.Join(home, "cgroup.subtree_control")); !slices.Contains(strings.Fields(string(enabled)), controller) {
			parent := filepath.Dir(home)
			enabled, err := os.ReadFile(filepath.Join(parent, "cgroup.subtree_control"))
			if err != nil || !slices.Contains(strings.Fields(string(enabled)), controller) {
				return fmt.Errorf("the group %s does not hand %s down", home, controller)
			}
			p.dir = parent
		}
	}
	if p.dir == "" {
		p.dir = home
	}
	p.dir = filepath.Join(p.dir, fmt.Sprintf("devflock-%d-%d", os.Getpid(), len(g.parts)))
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}
	g.parts = append(g.parts, p)
	return set(&g.parts[len(g.parts)-1])
}

func (p *part) memory(bytes int64) error {
	value := strconv.FormatInt(bytes, 10)
	if p.v2 {
		if err := p.write("memory.max", value); err != nil {
			return err
		}
		return p.optional("memory.swap.max", "0")
	}
	if err := p.write("memory.limit_in_bytes", value); err != nil {
		return err
	}
	return p.optional("memory.memsw.limit_in_bytes", value)
}

// optional is for files that exist only where swap is counted.
func (p *part) optional(name, value string) error {
	if err := p.write(name, value); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (p *part) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(p.dir, name), os.O_WRONLY, 0) // never made: only the kernel's files count
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Parts name the groups for Open in another process: one that may enter them, but could not make them.
func (g *Group) Parts() []string {
	var out []string
	for _, p := range g.parts {
		out = append(out, strings.Join([]string{strconv.Itoa(p.procs), p.home, p.dir}, separator))
	}
	return out
}

const separator = "\x1f"

// Open gives the groups of Parts. Remove is for who made them.
func Open(parts []string) (*Group, error) {
	g := &Group{}
	for _, text := range parts {
		fields := strings.Split(text, separator)
		if len(fields) != 3 {
			return nil, fmt.Errorf("open control group: %q has %d fields", text, len(fields))
		}
		procs, err := strconv.Atoi(fields[0])
		if err != nil {
			return nil, fmt.Errorf("open control group: %w", err)
		}
		g.parts = append(g.parts, part{home: fields[1], dir: fields[2], procs: procs})
	}
	return g, nil
}

// Enter moves us into the group, to start the command there: it is limited from its first moment.
func (g *Group) Enter() error {
	for i := range g.parts {
		if err := g.parts[i].write("cgroup.procs", "0"); err != nil {
			return fmt.Errorf("enter control group: %w", err)
		}
	}
	return nil
}

// Leave moves us back, and then sets the limit of processes, which would count our threads before.
func (g *Group) Leave() error {
	var problems []error
	for i := range g.parts {
		p := &g.parts[i]
		back := part{dir: p.home}
		problems = append(problems, back.write("cgroup.procs", "0"))
		if p.procs > 0 {
			problems = append(problems, p.write("pids.max", strconv.Itoa(p.procs)))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("leave control group: %w", err)
	}
	return nil
}

// Remove removes the groups. Everything in them must have ended.
func (g *Group) Remove() { _ = g.remove() }

func (g *Group) remove() error {
	var problems []error
	for _, p := range g.parts {
		err := unix.Rmdir(p.dir)
		for range 50 { // the kernel lets go of ended members a moment later
			if !errors.Is(err, unix.EBUSY) {
				break
			}
			time.Sleep(time.Millisecond)
			err = unix.Rmdir(p.dir)
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			problems = append(problems, fmt.Errorf("remove %s: %w", p.dir, err))
		}
	}
	g.parts = nil
	return errors.Join(problems...)
}

// clean removes empty groups of launchers that were killed.
func clean(home string) {
	for _, dir := range [...]string{home, filepath.Dir(home)} {
		old, _ := filepath.Glob(filepath.Join(dir, "devflock-*-*"))
		for _, path := range old {
			parts := strings.Split(filepath.Base(path), "-")
			if pid, err := strconv.Atoi(parts[1]); err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
				_ = unix.Rmdir(path) // refused while it has members
			}
		}
	}
}

// home is the folder of the group that we are in, for one controller: of version 1 when that has it, else of 2.
func home(controller string) (dir string, v2 bool, err error) {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", false, err
	}
	unified := ""
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		if fields[1] == "" {
			unified = fields[2]
		}
		if slices.Contains(strings.Split(fields[1], ","), controller) {
			dir, err := mounted("cgroup", controller, fields[2])
			return dir, false, err
		}
	}
	if unified == "" {
		return "", false, errors.New("no control groups")
	}
	dir, err = mounted("cgroup2", "", unified)
	return dir, true, err
}

// mounted finds where a hierarchy is mounted, and our group in it, by /proc/self/mountinfo (proc(5)).
func mounted(kind, option, group string) (string, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !ok || len(head) < 5 || len(tail) < 3 || tail[0] != kind {
			continue
		}
		if option != "" && !slices.Contains(strings.Split(tail[2], ","), option) {
			continue
		}
		root, at := head[3], head[4]
		rel := strings.TrimPrefix(group, root)
		if root != "/" && !strings.HasPrefix(group, root) {
			rel = "" // a container sees only its own group, as the root
		}
		return filepath.Join(at, rel), nil
	}
	return "", fmt.Errorf("control groups of %s are not mounted", kind)
}
