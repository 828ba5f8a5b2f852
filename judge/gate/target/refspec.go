package target

import (
	"fmt"
	"strings"
)

// refspec is one parsed refspec of a push.
type refspec struct {
	src, dst string
	hasDst   bool
	force    bool
	pattern  bool
	matching bool // ":" or "+:"
	negative bool // "^refs/heads/x"
}

func parseRefspec(text string) (refspec, error) {
	var r refspec
	text, r.force = strings.CutPrefix(text, "+")
	if rest, ok := strings.CutPrefix(text, "^"); ok && !r.force {
		return refspec{src: rest, negative: true, pattern: strings.Contains(rest, "*")}, nil
	}
	if text == ":" {
		r.matching = true
		return r, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i >= 0 {
		r.src, r.dst, r.hasDst = text[:i], text[i+1:], true
	} else {
		r.src = text
	}
	if r.src == "@" {
		r.src = "HEAD"
	}
	r.pattern = strings.Contains(r.src, "*")
	switch {
	case r.src == "" && r.dst == "", r.hasDst && r.dst == "":
		return r, fmt.Errorf("read refspec %q: %w", text, ErrRefused)
	case r.hasDst && r.pattern != strings.Contains(r.dst, "*"), strings.Count(r.src, "*") > 1, strings.Count(r.dst, "*") > 1:
		return r, fmt.Errorf("read refspec %q: %w", text, ErrRefused)
	}
	return r, nil
}

// through maps a name by a pattern: what stands for * in from stands for it in to.
func through(from, to, name string) (string, bool) {
	before, after, ok := strings.Cut(from, "*")
	if !ok || len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return strings.Replace(to, "*", name[len(before):len(name)-len(after)], 1), true
}

// target is the remote ref that a pattern gives for a local one.
func (r refspec) target(local string) (string, bool) {
	to := r.dst
	if !r.hasDst {
		to = r.src
	}
	return through(r.src, to, local)
}

// source is the local ref that a pattern takes for a remote one.
func (r refspec) source(remote string) (string, bool) {
	to := r.dst
	if !r.hasDst {
		to = r.src
	}
	return through(to, r.src, remote)
}

// names is true when git takes the short name for the ref (ref_rev_parse_rules).
func names(short, ref string) bool {
	if short == ref {
		return true
	}
	rest, ok := strings.CutPrefix(ref, "refs/")
	if !ok {
		return false
	}
	if rest == short {
		return true
	}
	for _, kind := range [...]string{"tags/", "heads/", "remotes/"} {
		if name, ok := strings.CutPrefix(rest, kind); ok && (name == short || kind == "remotes/" && name == short+"/HEAD") {
			return true
		}
	}
	return false
}

// matches gives the refs that a short name stands for: those of branches and tags, or named from the top, go before others.
func matches(short string, refs []string) []string {
	var strong, weak []string
	for _, ref := range refs {
		switch {
		case !names(short, ref):
		case len(ref) != len(short) && len(ref) != len(short)+len("refs/") && !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/tags/"):
			weak = append(weak, ref)
		default:
			strong = append(strong, ref)
		}
	}
	if len(strong) > 0 {
		return strong
	}
	return weak
}
