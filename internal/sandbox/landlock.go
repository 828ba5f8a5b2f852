package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// landlockArgs are the launcher and its arguments up to the command.
func (b *backend) landlockArgs(l *layout, p Policy) ([]string, error) {
	args := append(slices.Clone(b.launcher), "run", "-landlock", "-parent", strconv.Itoa(os.Getpid()))
	args = append(args, b.limitFlags(p)...)
	if p.Network {
		args = append(args, "-net")
	}
	if b.broker {
		args = append(args, "-broker")
	}
	if l.tmp == "" {
		args = append(args, "-tmp")
	}
	for i, e := range l.entries {
		if e.what != "" {
			continue // /proc and /dev are rules of the launcher, an own /tmp is impossible
		}
		if e.from != e.to {
			return nil, fmt.Errorf("landlock cannot show %q as %q", e.from, e.to)
		}
		above := layout{entries: l.entries[:i]}
		if over, ok := above.over(e.to); ok && over.class == readWrite && e.class != readWrite {
			return nil, fmt.Errorf("landlock cannot protect %q inside the writable %q", e.to, over.to)
		}
		switch e.class {
		case readWrite:
			args = append(args, "-rw", e.from)
		case hidden:
			args = append(args, "-hide", e.from)
		default:
			args = append(args, "-ro", e.from)
		}
	}
	for _, kv := range l.private {
		args = append(args, "-env", kv)
	}
	return append(args, "--"), nil
}
