package target

import (
	"context"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// state is the repository as the push will find it, as far as is known.
type state struct {
	repo   gitx.Repo
	cfg    config
	refs   []string          // local refs in order
	oids   map[string]string // what they have; empty for one that is not there yet
	links  map[string]string // symbolic refs
	head   string            // "refs/heads/x", empty when detached
	tip    string            // what HEAD has, empty when unborn
	before push.Before
}

// readState reads configuration, refs and HEAD, and adds what earlier commands of the line make.
func readState(ctx context.Context, repo gitx.Repo, p push.Push) (*state, error) {
	cfg, err := readConfig(ctx, repo, p.Config)
	if err != nil {
		return nil, err
	}
	s := &state{repo: repo, cfg: cfg, before: p.Before}
	if err := s.readRefs(ctx); err != nil {
		return nil, err
	}
	out, _, err := run(ctx, repo, nil, 1, "symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return nil, err
	}
	s.head = strings.TrimSpace(out)
	if s.tip, err = object(ctx, repo, "HEAD"); err != nil {
		return nil, err
	}
	return s, s.apply(ctx)
}

func (s *state) readRefs(ctx context.Context) error {
	out, _, err := run(ctx, s.repo, nil, 0, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)")
	if err != nil {
		return err
	}
	s.oids, s.links = map[string]string{}, map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\x00")
		if len(fields) != 3 {
			continue
		}
		s.refs = append(s.refs, fields[0])
		s.oids[fields[0]] = fields[1]
		if fields[2] != "" {
			s.links[fields[0]] = fields[2]
		}
	}
	return nil
}

// apply takes over what earlier commands of the line make and check out.
func (s *state) apply(ctx context.Context) error {
	for _, m := range s.before.Made {
		oid := s.tip
		if m.From != "" {
			var err error
			if oid, err = object(ctx, s.repo, m.From+"^{commit}"); err != nil {
				return err
			}
			s.follow(m)
		}
		s.put(m.Ref, oid)
	}
	if b := s.before.Branch; b != "" {
		if ref := "refs/heads/" + b; s.has(ref) || s.guess(b) {
			s.head, s.tip = ref, s.oids[ref]
		}
	}
	if s.before.Commits && s.head != "" && !s.has(s.head) { // the first commit of a branch
		s.put(s.head, "")
	}
	return nil
}

// follow sets the upstream of a branch that is made from a remote-tracking one.
func (s *state) follow(m push.Made) {
	name := branchName(m.Ref)
	for _, remote := range s.cfg.remotes() {
		if rest, ok := strings.CutPrefix(m.From, remote+"/"); ok && name != "" && s.has("refs/remotes/"+m.From) {
			s.cfg = append(s.cfg, setting{"branch." + name + ".remote", remote}, setting{"branch." + name + ".merge", "refs/heads/" + rest})
		}
	}
}

// guess makes the local branch that `git checkout x` makes when exactly one remote has x.
func (s *state) guess(branch string) bool {
	var found []push.Made
	for _, remote := range s.cfg.remotes() {
		if s.has("refs/remotes/" + remote + "/" + branch) {
			found = append(found, push.Made{Ref: "refs/heads/" + branch, From: remote + "/" + branch})
		}
	}
	if len(found) != 1 {
		return false
	}
	s.put(found[0].Ref, s.oids["refs/remotes/"+found[0].From])
	s.follow(found[0])
	return true
}

func (s *state) has(ref string) bool {
	_, ok := s.oids[ref]
	return ok
}

func (s *state) put(ref, oid string) {
	if !s.has(ref) {
		i, _ := slices.BinarySearch(s.refs, ref)
		s.refs = slices.Insert(s.refs, i, ref)
	}
	s.oids[ref] = oid
}

// known gives the refs of a remote by its remote-tracking refs. It is empty when there are none.
func (s *state) known(remote string) map[string]string {
	known := map[string]string{}
	if remote == "." {
		for ref, oid := range s.oids {
			known[ref] = oid
		}
		return known
	}
	for _, text := range s.cfg.all("remote." + s.named(remote) + ".fetch") {
		spec, err := parseRefspec(text)
		if err != nil || !spec.hasDst {
			continue
		}
		if !spec.pattern {
			if oid := s.oids[spec.dst]; oid != "" {
				known[spec.src] = oid
			}
			continue
		}
		for _, ref := range s.refs {
			if _, link := s.links[ref]; link {
				continue
			}
			if name, ok := through(spec.dst, spec.src, ref); ok {
				known[name] = s.oids[ref]
			}
		}
	}
	return known
}

// named is the configured remote for a URL that one has, else the name itself.
func (s *state) named(remote string) string {
	names := s.cfg.remotes()
	if slices.Contains(names, remote) {
		return remote
	}
	for _, name := range names {
		if slices.Contains(s.cfg.urls(name), remote) || slices.Contains(s.cfg.all("remote."+name+".url"), remote) {
			return name
		}
	}
	return remote
}
