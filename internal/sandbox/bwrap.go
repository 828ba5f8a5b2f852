package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// bwrapArgs are the program and its arguments up to the command. The environment is not among them: bwrap hands its
// own on, and arguments are readable for every user of the machine.
func (b *backend) bwrapArgs(l *layout, network bool) []string {
	args := append([]string{b.bwrap}, b.flags...)
	if !network {
		args = append(args, "--unshare-net")
	}
	links := l.links
	root := true // an empty one of memory, which is closed at the end
	var closed []string
	for _, e := range l.entries {
		for len(links) > 0 && len(links[0].at) < len(e.to) { // after the memory folder that may hold it
			args, links = append(args, "--symlink", links[0].target, links[0].at), links[1:]
		}
		if e.to == "/" {
			root = false
		}
		switch {
		case e.what == "proc":
			args = append(args, "--proc", e.to)
		case e.what == "dev":
			args = append(args, "--dev", e.to)
		case e.what == "tmpfs":
			args = append(args, "--perms", "1777", "--tmpfs", e.to)
		case e.class == hidden && e.dir:
			args = append(args, "--tmpfs", e.to)
			closed = append(closed, e.to)
		case e.class == hidden:
			args = append(args, "--ro-bind", "/dev/null", e.to)
		case e.class == readWrite:
			args = append(args, "--bind", e.from, e.to)
		default:
			args = append(args, "--ro-bind", e.from, e.to)
		}
	}
	for _, k := range links {
		args = append(args, "--symlink", k.target, k.at)
	}
	slices.Reverse(closed)
	for _, path := range closed {
		args = append(args, "--remount-ro", path)
	}
	if root {
		args = append(args, "--remount-ro", "/")
	}
	for _, kv := range l.private {
		key, value, _ := strings.Cut(kv, "=")
		args = append(args, "--setenv", key, value)
	}
	return append(args, "--chdir", filepath.Clean(l.dir))
}
