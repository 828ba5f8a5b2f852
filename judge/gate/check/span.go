package check

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/gate/lint"
	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/devflow-suite/devflow/judge/gate/target"
)

// place is a repository that is pushed from.
type place struct {
	gitx.Repo
	objs      string
	cfg       config.Config
	protected func(branch string) bool // by its own configuration, or by that of the session's project
	allow     bool                     // both let an agent publish to a protected branch
	snap      gitx.Snap                // the work tree as it is; empty when there is none
	snapErr   error
	looked    bool
	spans     map[target.Update]span // by what they were made of
}

// place gives a repository with its configuration. Problems of that are told at SessionStart.
func (c *checker) place(repo gitx.Repo) *place {
	if p, ok := c.places[repo.Root]; ok {
		return p
	}
	if c.root == "" {
		c.root = repo.Root
	}
	p := &place{Repo: repo, objs: gitx.ObjectDir(c.Paths.Objects, repo.Root), spans: map[target.Update]span{}}
	p.cfg, _ = config.Load(c.Paths, repo.Root)
	session := p.cfg
	if c.req.Root != "" && c.req.Root != repo.Root {
		session, _ = config.Load(c.Paths, c.req.Root)
	}
	p.protected = func(branch string) bool { return p.cfg.Protected(branch) || session.Protected(branch) }
	p.allow = p.cfg.Gate.AllowPushToMain && session.Gate.AllowPushToMain
	c.places[repo.Root] = p
	return p
}

// bare is true when no work tree belongs to the git folder, or one that is not known here.
func (p *place) bare() bool { return p.Root == p.GitDir }

// snapshot looks at the work tree, once.
func (p *place) snapshot(ctx context.Context) error {
	if !p.looked {
		p.looked = true
		if p.bare() {
			p.snapErr = fmt.Errorf("look at the work tree: %w", errUnknown)
			if err := os.MkdirAll(p.objs, 0o700); err != nil { // git wants its object folder to be there
				return fmt.Errorf("make object folder: %w", err)
			}
		} else {
			p.snap, p.snapErr = p.Snap(ctx, p.objs)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// span is a part of history that is new for a remote.
type span struct {
	*place
	base, tip string // commits or trees
	tree      string // of tip
	prefix    string // of a subtree push: only what lies below it is published
	protected bool
	clean     bool            // the work tree equals tip
	pending   bool            // tip is the work tree: a commit of it is made by the same command line
	touched   map[string]bool // what its commits touch; nil = everything that differs
	refs      []int           // that get it, in checker.refs
}

// join makes one of two spans about the same.
func (s *span) join(o span) {
	s.refs = append(s.refs, o.refs...)
	s.clean = s.clean && o.clean
	if s.touched == nil || o.touched == nil {
		s.touched = nil
		return
	}
	for path := range o.touched {
		s.touched[path] = true
	}
}

// span finds what an update publishes.
func (c *checker) span(ctx context.Context, at *place, u target.Update, p push.Push) (s span, err error) {
	key := u // refs that get the same commit from the same state get the same range
	key.Local, key.RemoteRef, key.Force, key.Lease, key.Tag, key.New = "", "", false, false, false, false
	if s, ok := at.spans[key]; ok {
		return s, nil
	}
	if err := at.snapshot(ctx); err != nil {
		return s, err
	}
	s = span{place: at, protected: u.Protected, pending: u.Pending, prefix: u.Prefix}
	if u.Prefix != "" { // the remote has other commits: what any remote has is published
		u.Remote, u.URL, u.RemoteOID = "", "", ""
	}
	if s.base, s.tip, err = target.Range(ctx, at.Repo, u); err != nil {
		return s, err
	}
	if s.pending {
		err = s.fromWorkTree(ctx, u, p)
	} else {
		err = s.fromCommit(ctx, u)
	}
	if err == nil && s.prefix != "" {
		err = s.below(ctx)
	}
	at.spans[key] = s
	return s, err
}

// fromCommit finds the tree of what is pushed, and what its commits touch.
func (s *span) fromCommit(ctx context.Context, u target.Update) (err error) {
	if s.tree, err = s.Tree(ctx, s.objs, s.tip); err != nil {
		return fmt.Errorf("%s is no commit: %w", short(u.RemoteRef), err)
	}
	s.clean = s.snapErr == nil && suite.Same(s.snap, s.tree)
	if s.tree == s.tip {
		return nil // a tag of a tree
	}
	paths, err := target.Paths(ctx, s.Repo, u)
	s.touch(paths)
	return err
}

// fromWorkTree takes the work tree for the commit that the same command line is about to make.
func (s *span) fromWorkTree(ctx context.Context, u target.Update, p push.Push) error {
	switch {
	case s.snapErr != nil:
		return s.snapErr
	case p.Before.Branch != "" && s.Head() != u.LocalOID: // the work tree will be another one by then
		return errUnknown
	}
	s.tip, s.tree, s.clean = s.snap.Tree, s.snap.Tree, true
	if u.LocalOID == "" { // the first commit
		s.base = gitx.EmptyTree(s.tree)
		return nil
	}
	paths, err := target.Paths(ctx, s.Repo, u)
	if err != nil {
		return err
	}
	changes, err := s.Changes(ctx, s.objs, u.LocalOID, s.tip)
	for _, ch := range changes {
		paths = append(paths, ch.Path, ch.OldPath)
	}
	s.touch(paths)
	return err
}

// touch notes what the commits of the span change.
func (s *span) touch(paths []string) {
	s.touched = make(map[string]bool, len(paths))
	for _, path := range paths {
		if path != "" {
			s.touched[path] = true
		}
	}
}

// below keeps what lies in the folder of a subtree push. Whatever is there may be new for its remote.
func (s *span) below(ctx context.Context) error {
	tree, err := lint.CommitTree(ctx, s.Repo, s.objs, s.tip)
	if err != nil {
		return err
	}
	var paths []string
	for _, path := range tree.Files() {
		if strings.HasPrefix(path, strings.Trim(s.prefix, "/")+"/") {
			paths = append(paths, path)
		}
	}
	s.touch(paths)
	return nil
}
