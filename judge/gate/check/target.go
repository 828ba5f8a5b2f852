package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/devflow-suite/devflow/judge/gate/target"
)

// Bounds of one request. More is refused rather than looked at in part.
const (
	maxRefs   = 1000 // that change
	maxRanges = 20   // different ones, each with linters and tests of its own
)

// errUnknown is the cause of a refusal that another spelling of the command repairs.
var errUnknown = errors.New("what it pushes is known only while it runs: make this push a command of its own, with remote and branch written out")

// targets finds what is pushed, judges the refs, and lists the different ranges.
func (c *checker) targets(ctx context.Context) ([]span, error) {
	var spans []span
	list := c.req.Pushes
	if c.req.PrePush != nil {
		list = []push.Push{{Tool: "git push", GitDir: c.environ("GIT_DIR")}}
	}
	for _, p := range list {
		if p.DryRun {
			continue
		}
		found, err := c.target(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			same := func(o span) bool {
				return o.Root == s.Root && o.base == s.base && o.tip == s.tip && o.protected == s.protected && o.prefix == s.prefix
			}
			if i := slices.IndexFunc(spans, same); i >= 0 {
				spans[i].join(s)
			} else {
				spans = append(spans, s)
			}
		}
	}
	if len(spans) > maxRanges {
		return nil, fmt.Errorf("the push holds %d different ranges, at most %d are looked at: push fewer branches at once", len(spans), maxRanges)
	}
	return spans, nil
}

// environ is a variable of the user's environment.
func (c *checker) environ(name string) (value string) {
	for _, kv := range c.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// target resolves one push.
func (c *checker) target(ctx context.Context, p push.Push) ([]span, error) {
	switch {
	case p.Kind > push.Subtree:
		c.server(p)
		return nil, nil
	case p.Elsewhere:
		return nil, errors.New("it runs on another machine, where nobody can look: push from here")
	case p.Unreadable || p.Before.Unknown || p.Before.Config:
		return nil, errUnknown
	}
	repo, err := target.Find(c.req.Cwd, c.req.Home, p)
	switch {
	case errors.Is(err, gitx.ErrNoRepo) && c.req.PrePush == nil && !c.made(p):
		return nil, nil // git says so itself, and nothing goes out
	case errors.Is(err, gitx.ErrNoRepo) && c.req.PrePush == nil, errors.Is(err, target.ErrUnreadable):
		return nil, errUnknown
	case err != nil:
		return nil, err
	}
	at := c.place(repo)
	var updates []target.Update
	if c.req.PrePush != nil {
		updates, err = target.FromPrePush(c.req.PrePush, c.req.Remote, c.req.Remote, at.protected)
	} else {
		updates, err = target.Resolve(ctx, repo, p, at.protected)
	}
	switch {
	case errors.Is(err, target.ErrRefused) && c.req.PrePush == nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return c.spans(ctx, at, updates, p)
}

// made is true when earlier commands of the line may make the repository that is not there yet.
func (c *checker) made(p push.Push) bool {
	b := p.Before
	if b.Commits || b.Branch != "" || len(b.Made) > 0 || len(p.Config) > 0 && p.Cmd > 0 {
		return true
	}
	return p.Cmd > 0 && !isDir(c.folder(p))
}

// folder is where a push runs.
func (c *checker) folder(p push.Push) string {
	dir := p.Dir.Path
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		dir = c.req.Home + rest
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.req.Cwd, dir)
	}
	return dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// server judges what moves a branch on a server, or publishes without git: nothing local tells what that is.
func (c *checker) server(p push.Push) {
	c.refs = append(c.refs, gate.Ref{Name: p.Tool, Protected: true})
	text := "`" + p.Tool + "` changes a branch on the server, which cannot be looked at from here: let a person do it"
	switch p.Kind {
	case push.Merge, push.Sync, push.API:
		cfg, _ := config.Load(c.Paths, c.req.Root)
		if cfg.Gate.AllowPushToMain {
			return // what is merged there went through the gate when it was pushed
		}
	default:
		text = "`" + p.Tool + "` publishes commits that cannot be looked at here: use git push"
	}
	c.refuse(gate.RuleProtected, gate.Step{Name: "target", Text: text})
}

// spans judges the refs of one push and gives the ranges that have to be looked at.
func (c *checker) spans(ctx context.Context, at *place, updates []target.Update, p push.Push) ([]span, error) {
	updates = slices.DeleteFunc(updates, target.Update.UpToDate)
	if len(updates) > maxRefs {
		return nil, fmt.Errorf("the push changes %d refs, at most %d are looked at: push fewer at once", len(updates), maxRefs)
	}
	var list []span
	for _, u := range updates {
		ref := gate.Ref{Remote: redact.String(u.Remote), Name: u.RemoteRef, Old: u.RemoteOID, New: u.LocalOID, Root: at.Root, Force: u.Force, Protected: u.Protected}
		if u.Delete {
			ref.New = pushes.Gone
		}
		c.refs = append(c.refs, ref)
		if err := c.judgeRef(ctx, at, u, p); err != nil {
			return nil, err
		}
		if u.Delete {
			continue
		}
		s, err := c.span(ctx, at, u, p)
		if err != nil {
			return nil, err
		}
		last := &c.refs[len(c.refs)-1]
		switch {
		case u.Prefix != "": // the commits are made of what is looked at
			last.New = ""
		case s.pending: // not made yet
			last.New, last.Tree = "", s.tree
		default:
			last.Tree = s.tree
		}
		if s.base != s.tip {
			s.refs = []int{len(c.refs) - 1}
			list = append(list, s)
		}
	}
	return list, nil
}

// judgeRef looks at what happens to a ref, whatever its content.
func (c *checker) judgeRef(ctx context.Context, at *place, u target.Update, p push.Push) error {
	name := short(u.RemoteRef)
	if u.Protected && c.req.Agent && !at.allow {
		c.refuse(gate.RuleProtected, gate.Step{Name: "target", Text: name + " is a protected branch: push a branch of your own and let a person merge it"})
	}
	if !c.req.Agent || u.Tag {
		return nil
	}
	lost := false
	switch {
	case u.Delete: // one that is named is meant; those that --mirror and --prune find are not
		lost = c.req.PrePush == nil && !p.Delete && !slices.ContainsFunc(p.Refspecs, func(w shell.Word) bool { return strings.HasPrefix(strings.TrimPrefix(w.Text, "+"), ":") })
	case u.Force && u.Pending:
		lost = u.RemoteOID != ""
	case u.Force || c.req.PrePush != nil: // git's hook is not told of force, but without it git would not have come that far
		var err error
		if lost, err = target.Rewrites(ctx, at.Repo, u); err != nil {
			return err
		}
	}
	if lost {
		c.refuse(gate.RuleForce, gate.Step{Name: "target", Text: "commits of " + name + " that are published would be lost: `git push --force-with-lease` of a branch of your own, as a command of its own, is the careful way"})
	}
	return nil
}

// short is a ref for people.
func short(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/")
}
