package target

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
)

// match turns refspecs into updates: explicit ones first, then patterns over all local refs, then tags that follow, then what
// --prune and --mirror delete.
func (r *resolver) match() error {
	for _, spec := range r.specs {
		if spec.pattern || spec.matching || spec.negative {
			continue
		}
		if err := r.explicit(spec); err != nil {
			return err
		}
	}
	for _, ref := range r.state.refs {
		r.byPattern(ref)
	}
	if r.push.FollowTags || r.push.Kind == push.Git && !r.push.Mirror && r.state.cfg.isTrue("push.followtags") {
		if err := r.followTags(); err != nil {
			return err
		}
	}
	r.prune()
	if r.push.Force || r.mirror {
		for ref, u := range r.updates {
			u.Force = true
			r.updates[ref] = u
		}
	}
	return nil
}

// explicit resolves one refspec without a pattern.
func (r *resolver) explicit(spec refspec) error {
	u := Update{Local: spec.src, Force: spec.force, Delete: spec.src == ""}
	local := "" // the ref that the source is, "HEAD" included
	if !u.Delete {
		found := matches(spec.src, r.state.refs)
		switch {
		case len(found) == 1:
			local = found[0]
			u.Local, u.LocalOID = local, r.state.oids[local]
		case len(found) > 1:
			return refused("find %q: matches %s and %s", spec.src, found[0], found[1])
		default:
			oid, err := r.oid(spec.src)
			if err != nil {
				return err
			}
			if u.LocalOID = oid; spec.src == "HEAD" {
				local = "HEAD"
			}
		}
	}
	to := spec.dst
	if !spec.hasDst {
		if to = r.follow(local); to == "" || to == "HEAD" {
			return refused("find target of %q: not a branch or tag", spec.src)
		}
	}
	u.RemoteRef = r.target(to, local)
	r.updates[u.RemoteRef] = u
	return nil
}

// follow resolves a symbolic ref.
func (r *resolver) follow(ref string) string {
	if ref == "HEAD" {
		if r.state.head == "" {
			return "HEAD"
		}
		return r.state.head
	}
	for range 5 {
		next, ok := r.state.links[ref]
		if !ok {
			break
		}
		ref = next
	}
	return ref
}

// target is the full name of a remote ref: one that the remote has, or the kind that the source is. Where git would refuse
// because the remote has no such ref, a branch is taken: what we know of the remote may be old.
func (r *resolver) target(name, local string) string {
	if found := matches(name, r.there); len(found) > 0 {
		return found[0]
	}
	switch {
	case strings.HasPrefix(name, "refs/"):
		return name
	case (strings.HasPrefix(name, "heads/") || strings.HasPrefix(name, "tags/")) && len(r.there) == 0:
		return "refs/" + name
	}
	kind := "refs/heads/"
	if strings.HasPrefix(r.follow(local), "refs/tags/") || local == "" && r.state.has("refs/tags/"+name) && !r.state.has(kind+name) {
		kind = "refs/tags/"
	}
	return kind + name
}

// byPattern adds a local ref that a pattern or "matching" covers.
func (r *resolver) byPattern(ref string) {
	var by *refspec
	to := ""
	for i := range r.specs {
		spec := &r.specs[i]
		switch {
		case spec.negative:
			if _, ok := through(spec.src, spec.src, ref); ok || spec.src == ref {
				return
			}
		case spec.matching && (by == nil || spec.force && by.matching):
			by, to = spec, ref
		case spec.pattern && (by == nil || by.matching):
			if name, ok := spec.target(ref); ok {
				by, to = spec, name
			}
		}
	}
	if by == nil || by.matching && !r.mirror && !strings.HasPrefix(ref, "refs/heads/") {
		return
	}
	if _, ok := r.updates[to]; ok {
		return
	}
	if _, ok := r.known[to]; by.matching && !ok && !r.push.All && !r.mirror && len(r.known) > 0 {
		return
	}
	r.updates[to] = Update{Local: ref, LocalOID: r.state.oids[ref], RemoteRef: to, Force: by.force}
}

// followTags adds the annotated tags that --follow-tags sends along: those on commits that are pushed.
func (r *resolver) followTags() error {
	args := []string{"for-each-ref", "--format=%(objecttype) %(objectname) %(refname)"}
	seen := map[string]bool{}
	for _, u := range r.updates {
		if u.LocalOID != "" && !seen[u.LocalOID] {
			seen[u.LocalOID] = true
			args = append(args, "--merged="+u.LocalOID)
		}
	}
	if len(seen) == 0 || len(seen) > maxTips {
		return nil
	}
	out, _, err := run(r.ctx, r.state.repo, nil, 0, append(args, "refs/tags/")...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "tag" {
			continue
		}
		if _, ok := r.updates[fields[2]]; !ok {
			r.updates[fields[2]] = Update{Local: fields[2], LocalOID: fields[1], RemoteRef: fields[2]}
		}
	}
	return nil
}

// maxTips bounds the commits that tags are looked for on.
const maxTips = 1000

// prune adds what --prune and --mirror delete: refs of the remote that have no local source.
func (r *resolver) prune() {
	if !r.push.Prune && !r.mirror {
		return
	}
	for _, ref := range r.there {
		if _, ok := r.updates[ref]; ok {
			continue
		}
		gone := r.mirror
		for _, spec := range r.specs {
			switch source, ok := spec.source(ref); {
			case spec.matching:
				gone = gone || strings.HasPrefix(ref, "refs/heads/") && !r.state.has(ref)
			case spec.pattern && ok:
				gone = gone || !r.state.has(source)
			}
		}
		if gone {
			r.updates[ref] = Update{RemoteRef: ref, Delete: true}
		}
	}
}
