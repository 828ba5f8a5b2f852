// Package push recognises commands that publish commits: git push in any spelling, and what merges or moves branches on a
// server (gh pr merge, gh repo sync, the merge calls of gh api).
//
// It owns no table. It says what is pushed where as far as the text of the command line tells; what the refs stand for is
// asked of git by judge/gate/target, and whether the push may go is decided by the gate.
package push

import (
	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Kind is the road on which commits are published.
type Kind uint8

// The kinds. Only those up to Subtree name refs of a local repository that target.Resolve can look up.
const (
	Git      Kind = iota // git push
	SendPack             // git send-pack, git http-push: no configuration, no default refspecs
	Subtree              // git subtree push: a commit that is made of a folder
	Bridge               // git svn dcommit, git p4 submit: to a server that is no git
	Merge                // gh pr merge, glab mr merge, tea pr merge: the server merges a branch
	Sync                 // gh repo sync: the server moves a branch
	API                  // a call of a server's API that merges or moves a branch
	Tool                 // another program that pushes: jj, sl, git review
)

// String is the word for the kind in messages and rows.
func (k Kind) String() string {
	return [...]string{"push", "send-pack", "subtree", "bridge", "merge", "sync", "api", "tool"}[min(k, Tool)]
}

// Push is one command that publishes. All values are plain data.
type Push struct {
	Kind      Kind
	Tool      string // the program as a person names it: "git push", "gh pr merge"
	Dir       shell.Dir
	GitDir    string   // --git-dir or GIT_DIR, relative to Dir; empty = found from Dir
	WorkTree  string   // --work-tree or GIT_WORK_TREE
	Namespace string   // --namespace or GIT_NAMESPACE
	Config    []string // "key=value" of -c and its kin, the last one counts
	Remote    shell.Word
	Refspecs  []shell.Word

	Force, Lease, All, Mirror, Tags, FollowTags, Delete, Prune, DryRun, NoVerify, SetUpstream, Atomic bool

	Unreadable bool   // what is pushed or where to is known only at run time
	Before     Before // what earlier commands of the same line do to the state that is pushed
	Segment    string // source text of the command
	Cmd        int    // index in the commands given to Find
}

// Before is what earlier commands of the same line do, so that the repository as it is now is not what will be pushed.
type Before struct {
	Commits  bool     // they make or rewrite commits: commit, merge, rebase, pull …
	Branch   string   // the branch that they check out; empty = as it is now
	Branches []string // branches and tags that they make, in full: refs/heads/x
	Config   bool     // they change remotes, upstreams or push settings
	Unknown  bool     // they check out something that is known only at run time
}

// Find lists what publishes among cmds, which are commands of s after gitcmd.Expand, in order. Dry runs are listed with DryRun
// set. s may be nil; it is there for what stands between the commands.
func Find(s *shell.Script, cmds []shell.Command) []Push {
	var list []Push
	for i := range cmds {
		if p, ok := find(&cmds[i]); ok {
			p.Cmd = i
			list = append(list, p)
		}
	}
	return list
}

func find(c *shell.Command) (Push, bool) {
	g, ok := gitcmd.Parse(c)
	if !ok || g.Sub != "push" || g.Help {
		return Push{}, false
	}
	p := Push{Kind: Git, Tool: "git push", Dir: g.Dir, GitDir: g.GitDir, WorkTree: g.WorkTree, Namespace: g.Namespace, Config: g.Config, Segment: c.Text}
	return p, true
}
