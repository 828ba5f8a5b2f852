package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// Resolve gives what a push would do, in the order of the remote refs. protected is asked for the name of every branch of the
// remote that would change; nil protects none. Refs that the remote is thought to have already are listed too, see
// Update.UpToDate.
//
// ErrRefused is returned (wrapped) when git itself would refuse, ErrUnreadable when part of the push is known only at run time,
// ErrKind for what is no push of refs, ErrNoGit and ErrTooLarge as they say; the end of ctx is its cause.
func Resolve(ctx context.Context, repo gitx.Repo, p push.Push, protected func(branch string) bool) ([]Update, error) {
	switch {
	case p.Kind > push.Subtree:
		return nil, fmt.Errorf("resolve %s: %w", p.Tool, ErrKind)
	case p.Unreadable || p.Elsewhere:
		return nil, fmt.Errorf("resolve %s: %w", p.Tool, ErrUnreadable)
	}
	s, err := readState(ctx, repo, p)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", p.Tool, err)
	}
	r := &resolver{ctx: ctx, state: s, push: p, updates: map[string]Update{}}
	if err := r.resolve(); err != nil {
		return nil, fmt.Errorf("resolve %s: %w", p.Tool, err)
	}
	urls := strings.Join(s.cfg.urls(r.remote), " ")
	list := make([]Update, 0, len(r.updates))
	for _, u := range r.updates {
		u.Remote, u.URL = r.remote, urls
		u.RemoteOID = r.known[u.RemoteRef]
		u.New = u.RemoteOID == "" && !u.Delete
		u.Tag = strings.HasPrefix(u.RemoteRef, "refs/tags/")
		u.Lease = p.Lease
		u.Pending = r.pending(u)
		u.Protected = protected != nil && u.Branch() != "" && protected(u.Branch())
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b Update) int { return strings.Compare(a.RemoteRef, b.RemoteRef) })
	return list, nil
}

// resolver is one push on its way from arguments to updates.
type resolver struct {
	ctx     context.Context
	state   *state
	push    push.Push
	remote  string
	known   map[string]string // refs of the remote
	there   []string          // their names in order
	specs   []refspec
	mirror  bool
	updates map[string]Update // by remote ref
}

func refused(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrRefused)...)
}

func (r *resolver) resolve() error {
	s := r.state
	branch := branchName(s.head)
	remote, ok := push.Text(r.push.Remote, branch)
	if !ok {
		return ErrUnreadable
	}
	if r.remote = remote; remote == "" {
		r.remote = s.cfg.pushRemote(branch)
	}
	r.known = s.known(r.remote)
	for ref := range r.known {
		r.there = append(r.there, ref)
	}
	slices.Sort(r.there)
	if r.push.Kind == push.Subtree {
		return r.subtree(branch)
	}
	r.mirror = r.push.Mirror || r.push.Kind == push.Git && s.cfg.isTrue("remote."+r.remote+".mirror")
	if err := r.arguments(branch); err != nil {
		return err
	}
	if err := r.defaults(branch); err != nil {
		return err
	}
	return r.match()
}

// arguments reads the refspecs of the command line.
func (r *resolver) arguments(branch string) error {
	wide := r.push.All || r.mirror
	if wide && (len(r.push.Refspecs) > 0 || r.push.Tags || r.push.Delete) || r.push.Delete && (r.push.Tags || len(r.push.Refspecs) == 0) || r.push.All && r.push.Mirror {
		return refused("read options: they cannot go together")
	}
	for _, w := range r.push.Refspecs {
		text, ok := push.Text(w, branch)
		if !ok {
			return ErrUnreadable
		}
		switch {
		case r.push.Delete && strings.Contains(text, ":"):
			return refused("read refspec %q: --delete takes plain names", text)
		case r.push.Delete:
			text = ":" + text
		case !strings.Contains(text, ":") && r.push.Kind == push.Git:
			text = r.mapped(text)
		}
		spec, err := parseRefspec(text)
		if err != nil {
			return err
		}
		r.specs = append(r.specs, spec)
	}
	if r.push.Tags {
		r.specs = append(r.specs, refspec{src: "refs/tags/*", pattern: true})
	}
	return nil
}

// mapped gives a plain name the target that remote.<name>.push or an upstream says.
func (r *resolver) mapped(text string) string {
	found := matches(text, r.state.refs)
	if len(found) != 1 {
		return text
	}
	for _, own := range r.state.cfg.all("remote." + r.remote + ".push") {
		spec, err := parseRefspec(own)
		if err != nil || spec.matching || spec.negative {
			continue
		}
		to, ok := spec.target(found[0])
		if !spec.pattern {
			to, ok = spec.dst, spec.hasDst && spec.src == found[0]
		}
		if ok {
			plus := ""
			if spec.force {
				plus = "+"
			}
			return plus + found[0] + ":" + to
		}
	}
	if name := branchName(found[0]); name != "" && r.mode() == "upstream" {
		if _, merge := r.state.cfg.upstream(name); len(merge) == 1 {
			return text + ":" + merge[0]
		}
	}
	return text
}

// mode is push.default.
func (r *resolver) mode() string {
	switch m := strings.ToLower(r.state.cfg.last("push.default")); m {
	case "tracking":
		return "upstream"
	case "":
		return "simple"
	default:
		return m
	}
}

// defaults finds the refspecs when none were given.
func (r *resolver) defaults(branch string) error {
	if len(r.specs) > 0 {
		return nil
	}
	if r.push.All || r.mirror {
		r.specs = []refspec{{matching: true}}
		return nil
	}
	s := r.state
	if own := s.cfg.all("remote." + r.remote + ".push"); len(own) > 0 {
		for _, text := range own {
			spec, err := parseRefspec(text)
			if err != nil {
				return err
			}
			r.specs = append(r.specs, spec)
		}
		return nil
	}
	mode := r.mode()
	switch {
	case mode == "matching":
		r.specs = []refspec{{matching: true}}
		return nil
	case mode == "nothing" && !s.before.Config:
		return refused("find refs: push.default is nothing")
	case branch == "":
		return refused("find refs: not on a branch")
	}
	to := s.head
	same := r.remote == s.cfg.fetchRemote(branch)
	_, merge := s.cfg.upstream(branch)
	upstream := ""
	switch {
	case len(merge) == 1 && s.cfg.last("branch."+branch+".remote") != "":
		upstream = merge[0]
	case len(merge) == 0 && s.cfg.isTrue("push.autosetupremote"):
		upstream = s.head
	}
	switch {
	case s.before.Config || s.before.Unknown: // whatever git makes of it then
		if mode == "upstream" && upstream != "" {
			to = upstream
		}
	case mode == "simple" && same && upstream != s.head:
		return refused("find refs: branch %s has no upstream of its name", branch)
	case mode == "upstream" && (!same || upstream == ""):
		return refused("find refs: branch %s has no upstream there", branch)
	case mode == "upstream":
		to = upstream
	case mode != "simple" && mode != "current":
		return refused("find refs: push.default is %q", mode)
	}
	r.specs = []refspec{{src: s.head, dst: to, hasDst: true}}
	return nil
}

// subtree resolves `git subtree push`: [+][local:]name.
func (r *resolver) subtree(branch string) error {
	if len(r.push.Refspecs) != 1 {
		return refused("find refs: one ref is wanted")
	}
	text, ok := push.Text(r.push.Refspecs[0], branch)
	if !ok {
		return ErrUnreadable
	}
	text, force := strings.CutPrefix(text, "+")
	local, name := "HEAD", text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		local, name = text[:i], text[i+1:]
	}
	oid, err := r.oid(local)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(name, "refs/") {
		name = "refs/heads/" + name
	}
	r.updates[name] = Update{Local: local, LocalOID: oid, RemoteRef: name, Prefix: r.push.Prefix, Force: force}
	return nil
}

// oid is what a local name stands for; it is an error when it stands for nothing and nothing will be made.
func (r *resolver) oid(name string) (string, error) {
	s := r.state
	if name == "HEAD" {
		if s.tip == "" && !s.before.Commits {
			return "", refused("find HEAD: no commit yet")
		}
		return s.tip, nil
	}
	oid, err := object(r.ctx, s.repo, name)
	if err == nil && oid == "" && !s.before.Unknown {
		err = refused("find %q: nothing of that name", name)
	}
	return oid, err
}

// pending is true when earlier commands of the line change what is pushed.
func (r *resolver) pending(u Update) bool {
	s := r.state
	if u.Delete {
		return false
	}
	return s.before.Unknown || s.before.Config || u.LocalOID == "" ||
		s.before.Commits && (u.Local == "HEAD" || u.Local == s.head || strings.HasPrefix(u.Local, "HEAD") || r.made(u.Local))
}

func (r *resolver) made(ref string) bool {
	return slices.ContainsFunc(r.state.before.Made, func(m push.Made) bool { return m.Ref == ref && m.From == "" })
}
