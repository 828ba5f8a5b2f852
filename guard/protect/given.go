package protect

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/protect/sight"
)

// given judges programs whose files come from another command of the line: find … | xargs rm, ls … | while read f; do rm "$f"; done.
func (k *check) given(name string) {
	switch name {
	case "rm", "mv", "shred", "unlink", "truncate", "tee", "sed", "chmod", "chown", "dd", "trash", "perl", "ln":
	default:
		return
	}
	fed := k.c.Wrapped("xargs") || k.c.Wrapped("parallel")
	if len(k.s.Commands) > maxLookBack || !fed && !k.loops() {
		return
	}
	if name == "sed" || name == "perl" {
		if !strings.Contains(k.c.Text, " -i") && !strings.Contains(k.c.Text, " -pi") && !strings.Contains(k.c.Text, "--in-place") {
			return
		}
	}
	for i := range k.s.Commands {
		c := &k.s.Commands[i]
		switch c.Name {
		case "find", "fd", "ls", "echo", "printf", "rg", "grep", "cat", "realpath", "readlink", "locate":
		default:
			continue
		}
		for _, w := range c.Words[1:] {
			if !strings.ContainsAny(w.Text, "/~$") && c.Dir.Path == "" {
				continue
			}
			kind := k.e.Kind(k.e.Target(c.Dir, w))
			switch kind {
			case sight.RootDir, sight.Database, sight.Binary, sight.SettingsFile, sight.GitHook:
			default:
				continue
			}
			if fed {
				k.deny(ruleOf(kind), "what is piped into it comes from "+w.Text)
			} else {
				k.ask(ruleOf(kind), "its files may come from "+w.Text)
			}
			return
		}
	}
}

// loops reports whether the command works on a name that is known only at run time.
func (k *check) loops() bool {
	for _, w := range k.c.Words[1:] {
		if w.Dynamic && strings.HasPrefix(w.Text, "$") && k.e.Target(k.c.Dir, w).Path == "" {
			return true
		}
	}
	return false
}
