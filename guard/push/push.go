// Package push recognises commands that publish commits: git push in any spelling, and what merges or moves branches on a
// server (gh pr merge, gh repo sync, the merge calls of an API, jj git push …).
//
// It owns no table. It says what is pushed where as far as the text of the command line tells; what the refs stand for is
// asked of git by judge/gate/target, and whether the push may go is decided by the gate. It starts no process and reads no
// file. Options are those of git 2.39 to 2.51.
package push

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Kind is the road on which commits are published.
type Kind uint8

// The kinds. Only those up to Subtree name refs of a local repository that target.Resolve can look up.
const (
	Git      Kind = iota // git push
	SendPack             // git send-pack, git http-push: no default refspecs, no configuration of remotes
	Subtree              // git subtree push: commits that are made of a folder
	Bridge               // git svn dcommit, git p4 submit: to a server that is no git
	Merge                // gh pr merge, glab mr merge, tea pr merge: the server merges a branch
	Sync                 // gh repo sync: the server moves a branch
	API                  // a call of a server's API that merges, moves or writes a branch
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
	GitDir    string       // --git-dir or GIT_DIR, relative to Dir; empty = found from Dir
	WorkTree  string       // --work-tree or GIT_WORK_TREE
	Namespace string       // --namespace or GIT_NAMESPACE
	Config    []string     // "key=value" of -c and its kin, the last one counts
	Remote    shell.Word   // empty = the default remote
	Refspecs  []shell.Word // as written, +, : and all; with Delete they are bare names
	Prefix    string       // the folder of a subtree push

	Force, Lease, All, Mirror, Tags, FollowTags, Delete, Prune, DryRun, NoVerify, SetUpstream, Atomic bool

	Unreadable bool   // what is pushed or where to is known only at run time
	Elsewhere  bool   // it runs on another machine or in a container: the repository is not here
	Before     Before // what earlier commands of the same line do to the state that is pushed
	Segment    string // source text of the command
	Cmd        int    // index in the commands given to Find
}

// Find lists what publishes among cmds, which are commands of s after gitcmd.All, in order. Dry runs are listed with DryRun
// set. s may be nil.
func Find(s *shell.Script, cmds []shell.Command) []Push {
	var list []Push
	var l line
	for i := range cmds {
		c := l.enter(&cmds[i])
		if p, ok := find(c); ok {
			p.Cmd, p.Segment, p.Elsewhere = i, c.Text, c.Remote
			l.apply(&p)
			list = append(list, p)
		}
		l.leave(c)
	}
	return list
}

func find(c *shell.Command) (Push, bool) {
	if c.Name == "" {
		return unreadable(c)
	}
	if g, ok := gitcmd.Parse(c); ok {
		if g.Help {
			return Push{}, false
		}
		p := Push{Dir: g.Dir, GitDir: g.GitDir, WorkTree: g.WorkTree, Namespace: g.Namespace, Config: g.Config}
		return p, p.git(c, &g)
	}
	if c.Unreadable { // an option of a wrapper is not known, so the program may stand further behind
		return behind(c)
	}
	p := Push{Dir: c.Dir}
	return p, p.program(c)
}

// behind looks for a git push among the words of a command whose program is not sure.
func behind(c *shell.Command) (Push, bool) {
	for i, w := range c.Words {
		if i > 0 && (w.Text == "git" || strings.HasSuffix(w.Text, "/git")) {
			if rest, ok := afterOptions(c.Words[i+1:]); ok {
				p := Push{Kind: Git, Tool: "git push", Dir: c.Dir}
				ok = p.options(c, pushOptions[:], rest)
				p.Unreadable = true
				return p, ok
			}
		}
	}
	return Push{}, false
}

// git reads the subcommands of git that publish.
func (p *Push) git(c *shell.Command, g *gitcmd.Git) bool {
	p.Tool = "git " + g.Sub
	switch g.Sub {
	case "push":
		p.Kind = Git
		return p.options(c, pushOptions[:], g.Args)
	case "send-pack", "http-push":
		p.Kind = SendPack
		if !p.options(c, sendOptions[:], g.Args) {
			return false
		}
		if len(p.Refspecs) == 0 && !p.All && !p.Mirror {
			p.Refspecs = []shell.Word{{Text: ":"}}
		}
		return true
	case "receive-pack":
		p.Kind, p.Unreadable = SendPack, true
		return c.Remote // on a server: what comes in on its input
	case "subtree":
		return p.subtree(c, g.Args)
	case "":
		if !g.Unreadable {
			return false
		}
		p.Kind, p.Tool, p.Unreadable = Git, "git push", true
		return pushLike(g.Args, true)
	}
	return p.gitTool(g)
}

// unreadable is for a program that is known only at run time: "$GIT push", "$cmd push --force origin main".
func unreadable(c *shell.Command) (Push, bool) {
	if len(c.Words) == 0 {
		return Push{}, false
	}
	first := c.Words[0].Text
	args := c.Words[1:]
	rest, isPush := afterOptions(args)
	if !isPush {
		return Push{}, false
	}
	if !strings.Contains(strings.ToLower(first), "git") && !pushLike(rest, false) {
		return Push{}, false
	}
	p := Push{Dir: c.Dir, Kind: Git, Tool: "git push"}
	ok := p.options(c, pushOptions[:], rest)
	p.Unreadable = true
	return p, ok
}

// afterOptions gives what follows the word push when it is the first that is no option of git.
func afterOptions(args []shell.Word) ([]shell.Word, bool) {
	for i := 0; i < len(args); i++ {
		switch t := args[i].Text; {
		case t == "push":
			return args[i+1:], true
		case t == "-C" || t == "-c" || t == "--git-dir" || t == "--work-tree":
			i++
		case strings.HasPrefix(t, "-"):
		default:
			return nil, false
		}
	}
	return nil, false
}

// pushLike is true when the words look like those of a push and of nothing else. word says that "push" may be among them.
func pushLike(args []shell.Word, word bool) bool {
	for i, a := range args {
		t := a.Text
		switch {
		case word && t == "push":
			return true
		case strings.HasPrefix(t, "--force"), t == "--mirror", t == "--follow-tags", t == "--set-upstream", t == "-f" && i == 0:
			return true
		case strings.HasPrefix(t, "HEAD:"), strings.HasPrefix(t, "+refs/"), strings.HasPrefix(t, "refs/heads/"), strings.HasPrefix(t, ":refs/"):
			return true
		case (t == "origin" || t == "upstream") && i+1 < len(args) && !word:
			return true
		case (t == "origin" || t == "upstream") && i+1 < len(args) && (args[i+1].Text == "main" || args[i+1].Text == "master" || strings.Contains(args[i+1].Text, ":")):
			return true
		case strings.HasPrefix(t, "git@"), strings.HasSuffix(t, ".git"):
			return !word
		}
	}
	return false
}

// subtree reads `git subtree push --prefix=dir repository [+][local:]ref`.
func (p *Push) subtree(c *shell.Command, args []shell.Word) bool {
	at := -1
	for i, a := range args {
		if !strings.HasPrefix(a.Text, "-") && (i == 0 || args[i-1].Text != "-P" && args[i-1].Text != "--prefix") {
			at = i
			break
		}
	}
	if at < 0 || args[at].Text != "push" {
		return false
	}
	p.Kind, p.Tool = Subtree, "git subtree push"
	rest := append(append([]shell.Word{}, args[:at]...), args[at+1:]...)
	return p.options(c, subtreeOptions[:], rest)
}

// Typed is the push that a person makes with `git push ARGS`.
func Typed(args []string) []Push {
	cmd := shell.Command{Name: "git", Args: append([]string{"push"}, args...), Words: []shell.Word{{Text: "git"}, {Text: "push"}}, Text: strings.Join(append([]string{"git push"}, args...), " ")}
	for _, a := range args {
		cmd.Words = append(cmd.Words, shell.Word{Text: a, Quoted: true})
	}
	return Find(nil, []shell.Command{cmd})
}
