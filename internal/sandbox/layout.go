package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// class orders entries of the same path: the later one counts.
type class int

const (
	base class = iota
	readOnly
	readWrite
	hidden
)

// entry is one place of the sandbox.
type entry struct {
	class class
	what  string // base only: "proc", "dev", "tmpfs", "settings" of the kernel; empty = a read-only bind
	from  string // real path on this machine
	to    string // where it is inside
	dir   bool
}

// layout is a policy with its paths looked up: entries in the order in which they are put on top of each other, and
// the symbolic links that lead to them by the names the caller uses.
type layout struct {
	dir      string
	tmp      string
	env      []string
	entries  []entry
	links    []link   // made inside
	followed []link   // on the way to From of the binds
	private  []string // environment for the command alone
}

type link struct{ at, target string }

func newLayout(p Policy, b *backend) (*layout, error) {
	l := &layout{env: slices.Clone(p.Env)}
	var err error
	if l.dir, err = checkPath("working folder", p.Dir); err != nil {
		return nil, err
	}
	if info, err := os.Stat(l.dir); err != nil {
		return nil, fmt.Errorf("working folder: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("working folder %s is not a folder", l.dir)
	}
	if b.kind == None {
		return l, l.temporary(p)
	}
	l.splitEnvironment()
	l.addBase(p.Network)
	for _, path := range b.settings {
		l.entries = append(l.entries, entry{class: base, what: "settings", from: path, to: path})
	}
	if err := errors.Join(l.addBinds(readOnly, p.ReadOnly), l.addBinds(readWrite, p.ReadWrite)); err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if err := l.distrust(); err != nil {
		return nil, err
	}
	if err := l.temporary(p); err != nil {
		return nil, err
	}
	if err := l.addHidden(append(slices.Clone(b.secrets), p.Hide...)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int {
		if len(a.to) != len(b.to) {
			return len(a.to) - len(b.to) // what holds another path is shorter than it
		}
		if a.to != b.to {
			return strings.Compare(a.to, b.to)
		}
		return int(a.class) - int(b.class)
	})
	l.dropOverlaid()
	if err := l.check(); err != nil {
		return nil, err
	}
	return l, nil
}

// temporary makes the folder for temporary files and names it to the command.
func (l *layout) temporary(p Policy) error {
	if p.Tmp == "" {
		return nil
	}
	tmp, err := checkPath("temporary folder", p.Tmp)
	if err != nil {
		return err
	}
	l.tmp = tmp
	if !slices.ContainsFunc(p.Env, func(kv string) bool { return strings.HasPrefix(kv, "TMPDIR=") }) {
		l.env = append(l.env, "TMPDIR="+tmp)
	}
	l.addLinks(tmp)
	if err := l.distrust(); err != nil { // before a folder is made where a link leads to
		return err
	}
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return fmt.Errorf("make temporary folder: %w", err)
	}
	return l.addBinds(readWrite, []Bind{{From: tmp}})
}

// splitEnvironment keeps from the launcher and from bwrap what would make them load or do something: they run outside.
func (l *layout) splitEnvironment() {
	l.env = slices.DeleteFunc(l.env, func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		acts := strings.HasPrefix(key, "LD_") || strings.HasPrefix(key, "GLIBC_") || strings.HasPrefix(key, "MALLOC_") || key == "GCONV_PATH" || key == "GODEBUG"
		if acts {
			l.private = append(l.private, kv)
		}
		return acts
	})
}

// distrust refuses links that an earlier command can have made: one in a writable place would open whatever it names.
func (l *layout) distrust() error {
	for _, k := range l.followed {
		for _, e := range l.entries {
			if e.class == readWrite && e.dir && within(k.at, e.from) {
				return fmt.Errorf("bind source: %q is a symbolic link in the writable %q", k.at, e.from)
			}
		}
	}
	return nil
}

// system is the read-only base; what does not exist is passed over. /nix/store is where everything is on NixOS.
var system = [...]string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store"}

// resolvers are read when the network is on and /etc/resolv.conf or /etc/hosts lead there.
var resolvers = [...]string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"}

func (l *layout) addBase(network bool) {
	for _, dir := range system {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if info.Mode().Type() == fs.ModeSymlink {
			if target, err := os.Readlink(dir); err == nil {
				l.links = append(l.links, link{dir, target})
			}
			continue
		}
		l.entries = append(l.entries, entry{class: base, from: dir, to: dir, dir: true})
	}
	for _, e := range [...]entry{{what: "proc", to: "/proc"}, {what: "dev", to: "/dev"}, {what: "tmpfs", to: "/tmp"}, {what: "tmpfs", to: "/var/tmp"}} {
		e.dir = true
		l.entries = append(l.entries, e)
	}
	if !network {
		return
	}
	for _, file := range resolvers {
		if real, err := filepath.EvalSymlinks(file); err == nil && !within(real, "/etc") && !within(real, "/usr") {
			l.entries = append(l.entries, entry{class: base, from: real, to: real})
		}
	}
}

func (l *layout) addBinds(c class, binds []Bind) error {
	var problems []error
	for _, bind := range binds {
		from, err := checkPath("bind source", bind.From)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		real, err := filepath.EvalSymlinks(from)
		if err != nil {
			problems = append(problems, fmt.Errorf("bind source %q: %w", from, cause(err)))
			continue
		}
		info, err := os.Stat(real)
		if err != nil {
			problems = append(problems, fmt.Errorf("bind source %q: %w", from, cause(err)))
			continue
		}
		to := real
		if bind.To != "" && filepath.Clean(bind.To) != from {
			if to, err = checkPath("bind target", bind.To); err != nil {
				problems = append(problems, err)
				continue
			}
			to = realParent(to)
			l.followed = append(l.followed, linksTo(from)...)
		} else {
			l.addLinks(from)
		}
		l.entries = append(l.entries, entry{class: c, from: real, to: to, dir: info.IsDir()})
	}
	return errors.Join(problems...)
}

// cause is the error without the path that it names again.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// realParent follows the symbolic links in the part of path that exists, except for the last component.
func realParent(path string) string {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	if dir == path {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name)
	}
	return filepath.Join(realParent(dir), name)
}

// addLinks notes the symbolic links on the way to path, so that its name works inside, too.
func (l *layout) addLinks(path string) {
	for _, k := range linksTo(path) {
		l.followed = append(l.followed, k)
		if !slices.Contains(l.links, k) {
			l.links = append(l.links, k)
		}
	}
}

// linksTo lists the symbolic links that are followed on the way to path, as far as it exists.
func linksTo(path string) []link {
	const most = 255 // path_resolution(7) allows 40
	var links []link
	at := "/"
	rest := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for len(rest) > 0 && len(links) < most {
		next := filepath.Join(at, rest[0])
		target, err := os.Readlink(next)
		if err != nil { // no link, or nothing at all
			at, rest = next, rest[1:]
			continue
		}
		links = append(links, link{next, target})
		if !filepath.IsAbs(target) {
			target = filepath.Join(at, target)
		}
		at = "/"
		rest = append(strings.Split(strings.TrimPrefix(filepath.Clean(target), "/"), "/"), rest[1:]...)
	}
	return links
}

func (l *layout) addHidden(paths []string) error {
	for _, path := range paths {
		path, err := checkPath("hidden place", path)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // what we cannot reach, a command with fewer rights cannot either
		} else if err != nil {
			return fmt.Errorf("hidden place: %w", err)
		}
		info, err := os.Stat(real)
		if err != nil {
			return fmt.Errorf("hidden place: %w", err)
		}
		l.hide(real, info.IsDir())
	}
	return nil
}

// hide covers a place of this machine wherever a bind shows it. A place that nothing shows is hidden already.
func (l *layout) hide(real string, dir bool) {
	for _, to := range l.seenAs(real) {
		e := entry{class: hidden, from: real, to: to, dir: dir}
		if !slices.Contains(l.entries, e) {
			l.entries = append(l.entries, e)
		}
	}
}

// seenAs lists the names by which a place of this machine would be visible.
func (l *layout) seenAs(real string) []string {
	var names []string
	for _, e := range l.entries {
		if e.class == hidden || e.what != "" || !within(real, e.from) {
			continue
		}
		name := filepath.Join(e.to, strings.TrimPrefix(real, e.from))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// dropOverlaid keeps the last of the entries with the same path, the hidden places that would be visible otherwise, and
// the links that nothing shows already.
func (l *layout) dropOverlaid() {
	all := l.entries
	l.entries = nil
	for i, e := range all {
		if i+1 < len(all) && all[i+1].to == e.to && all[i+1].class != hidden {
			continue
		}
		if e.class == hidden && !l.shows(e.to) {
			continue
		}
		l.entries = append(l.entries, e)
	}
	l.links = slices.DeleteFunc(l.links, func(k link) bool {
		over, ok := l.over(k.at)
		return ok && over.what == ""
	})
	slices.SortStableFunc(l.links, func(a, b link) int { return len(a.at) - len(b.at) })
}

// shows reports whether the entries so far make something visible at path.
func (l *layout) shows(path string) bool {
	e, ok := l.over(path)
	if !ok || e.what != "" || e.class == hidden {
		return false
	}
	_, err := os.Lstat(filepath.Join(e.from, strings.TrimPrefix(path, e.to)))
	return err == nil
}

// over is the entry that decides about path.
func (l *layout) over(path string) (entry, bool) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if within(path, l.entries[i].to) {
			return l.entries[i], true
		}
	}
	return entry{}, false
}

// check refuses what would end in an obscure message of the backend.
func (l *layout) check() error {
	real, err := filepath.EvalSymlinks(l.dir)
	if err != nil {
		return fmt.Errorf("working folder: %w", err)
	}
	if e, ok := l.over(real); !ok || e.class == hidden || e.what != "" {
		return fmt.Errorf("working folder %q is in no visible place", l.dir)
	}
	for i, e := range l.entries {
		if e.class == base || e.class == hidden {
			continue
		}
		under := layout{entries: l.entries[:i]}
		host, ok := under.over(e.to)
		if !ok || host.to == e.to || host.what != "" || host.class == hidden {
			continue
		}
		if host.class == readWrite && host.dir {
			continue // an empty file or folder is made there
		}
		if _, err := os.Lstat(filepath.Join(host.from, strings.TrimPrefix(e.to, host.to))); err != nil {
			return fmt.Errorf("bind target %q: %q is read-only and has nothing there", e.to, host.to)
		}
	}
	return nil
}
