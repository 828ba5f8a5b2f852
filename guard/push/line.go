package push

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Before is what earlier commands of the same line do to the repository that is pushed: it is not yet what it will be.
type Before struct {
	Commits bool   // they commit what is in the work tree
	Branch  string // what they check out, a branch or perhaps a path; empty = as it is now
	Made    []Made // branches and tags that they make
	Config  bool   // they change remotes, upstreams or other settings in a way that Push.Config does not show
	Unknown bool   // they check out or move something that is known only at run time
}

// Made is a ref that an earlier command of the line makes.
type Made struct {
	Ref  string // "refs/heads/x", "refs/tags/v1"
	From string // the commit it starts at as written; empty = HEAD
}

// maxNotes bounds what is remembered of a line, in refs, settings and exports each: more is not known any more.
const maxNotes = 64

// line follows a command line: exports, and what git commands do to the repository.
type line struct {
	exports []string
	foreach bool // the commands that come belong to `git submodule foreach`
	stashed bool // a part of the work tree was put away
	before  Before
	config  []string
	dir     shell.Dir
	gitDir  string
}

// enter gives a command with what the line has exported so far.
func (l *line) enter(c *shell.Command) *shell.Command {
	l.foreach = l.foreach && c.Wrapped("git")
	if len(l.exports) == 0 && !l.foreach {
		return c
	}
	copied := *c
	copied.Assign = append(slices.Clone(l.exports), c.Assign...)
	copied.Dir.Unknown = c.Dir.Unknown || l.foreach
	return &copied
}

// apply gives a push what is known of the line before it.
func (l *line) apply(p *Push) {
	if l.dir != p.Dir || l.gitDir != p.GitDir { // another repository, as far as one can tell
		return
	}
	p.Before = l.before
	p.Before.Made = slices.Clone(l.before.Made)
	p.Config = append(slices.Clone(l.config), p.Config...)
}

// leave takes note of what a command did.
func (l *line) leave(c *shell.Command) {
	switch {
	case len(c.Words) == 0:
		return
	case c.Name == "export" || (c.Name == "declare" || c.Name == "typeset") && slices.Contains(c.Args, "-x"):
		for _, kv := range c.Args {
			if strings.HasPrefix(kv, "GIT_") && strings.Contains(kv, "=") && len(l.exports) < maxNotes {
				l.exports = append(l.exports, kv)
			}
		}
		return
	}
	if len(c.Args) > 0 {
		switch c.Name {
		case "npm", "pnpm", "yarn":
			if c.Args[0] == "version" {
				l.enterRepo(c.Dir, "")
				l.before.Unknown = true // it commits a version that is not written yet
			}
			return
		case "gh":
			if len(c.Args) > 1 && c.Args[0] == "pr" && (c.Args[1] == "checkout" || c.Args[1] == "merge") {
				l.enterRepo(c.Dir, "")
				l.before.Unknown = true
			}
			return
		}
	}
	if g, ok := gitcmd.Parse(c); ok && !g.Help {
		l.foreach = l.foreach || g.Sub == "submodule" && slices.ContainsFunc(g.Args, func(w shell.Word) bool { return w.Text == "foreach" })
		if changes(g.Sub) {
			l.enterRepo(g.Dir, g.GitDir)
			l.git(&g)
		}
	}
}

// enterRepo forgets what was known when the line goes on in another repository.
func (l *line) enterRepo(dir shell.Dir, gitDir string) {
	if l.dir != dir || l.gitDir != gitDir {
		l.dir, l.gitDir, l.before, l.config, l.stashed = dir, gitDir, Before{}, nil, false
	}
}

// changes is true for the subcommands that line.git knows.
func changes(sub string) bool {
	switch sub {
	case "commit", "merge", "rebase", "cherry-pick", "revert", "am", "apply", "read-tree", "stash", "pull", "reset", "filter-branch", "filter-repo", "subtree", "svn",
		"checkout", "switch", "branch", "tag", "worktree", "update-ref", "symbolic-ref", "bisect", "remote", "config", "init", "clone", "flow", "town":
		return true
	}
	return false
}

func (l *line) git(g *gitcmd.Git) {
	b := &l.before
	switch g.Sub {
	case "checkout", "switch":
		l.checkout(g)
	case "branch":
		l.branch(g)
	case "tag":
		operands, flags := split(g.Args, "mFu", " --message --file --local-user --cleanup ")
		if !flags.any("-d", "--delete", "-l", "--list", "-v", "--verify") && len(operands) > 0 {
			l.made("refs/tags/", operands)
		}
	case "worktree":
		b.Unknown = b.Unknown || len(g.Args) > 0 && g.Args[0].Text == "add"
	case "update-ref", "bisect", "flow", "town":
		b.Unknown = true
	case "symbolic-ref":
		operands, _ := split(g.Args, "m", " ")
		b.Unknown = b.Unknown || len(operands) > 1
	case "remote":
		l.remote(g)
	case "config":
		operands, flags := split(g.Args, "f", " --file --type --blob --default ")
		if len(operands) > 0 && (operands[0].Text == "set" || operands[0].Text == "get") {
			operands = operands[1:]
		}
		switch {
		case len(operands) == 2 && operands[1].Literal() && !flags.any("--unset", "--get", "--get-all", "--get-regexp"):
			l.setting(operands[0].Text + "=" + operands[1].Text)
		case len(operands) > 1 || flags.any("--unset", "--unset-all", "--remove-section", "--rename-section"):
			b.Config = true
		}
	case "init", "clone":
		b.Config = true
	case "commit":
		b.Commits = true
		b.Unknown = b.Unknown || l.stashed
	case "stash":
		l.stash(g)
	case "pull", "merge", "rebase":
		l.merge(g)
	case "reset":
		_, flags := split(g.Args, "", " --pathspec-from-file ")
		b.Unknown = b.Unknown || flags.any("--hard", "--keep", "--merge")
	default: // cherry-pick, revert, am, apply …: what they commit, or leave to be committed, is nowhere to be seen yet
		b.Unknown = true
	}
}

// stash follows `git stash`: what it takes away is not committed by what follows, what it brings back is not known.
func (l *line) stash(g *gitcmd.Git) {
	verb := ""
	if len(g.Args) > 0 {
		verb = g.Args[0].Text
	}
	switch verb {
	case "list", "show", "drop", "clear", "create", "store":
	case "pop", "apply", "branch":
		l.before.Unknown = true
	default:
		l.stashed = true
	}
}

// merge follows pull, merge and rebase. What the remote has already is not new, and changes nothing in the commits of this branch
// that are; a local branch brings commits that nobody has looked at.
func (l *line) merge(g *gitcmd.Git) {
	operands, flags := split(g.Args, "sXSmF", " --strategy --strategy-option --gpg-sign --message --file --into-name --onto --exec --depth --jobs --server-option ")
	if flags.any("--continue", "--skip") {
		l.before.Commits = true // of what lies in the work tree
		return
	}
	if flags.any("-i", "--interactive", "--exec", "-x", "--onto", "--abort", "--quit", "--edit-todo", "--autosquash", "--root") {
		l.before.Unknown = true
	}
	for i, w := range operands {
		remote := strings.Contains(w.Text, "/") && (strings.HasPrefix(w.Text, "origin/") || strings.HasPrefix(w.Text, "upstream/") || strings.HasPrefix(w.Text, "refs/remotes/"))
		remote = remote || strings.Contains(w.Text, "@{u") || w.Text == "FETCH_HEAD" || w.Text == "ORIG_HEAD" && g.Sub == "rebase"
		if g.Sub == "pull" {
			remote = i > 0 || w.Text != "." // its first operand is a remote, the others are branches of that
		}
		l.before.Unknown = l.before.Unknown || !remote || w.Dynamic
	}
}

// checkout follows `git checkout x`, `git checkout -b x [from]`, `git switch -c x`.
func (l *line) checkout(g *gitcmd.Git) {
	args := g.Args
	for i, a := range args {
		if a.Text == "--" {
			if i > 0 && g.Sub == "checkout" && i == len(args)-1 {
				args = args[:i]
				break
			}
			return // paths
		}
	}
	operands, flags := split(args, "bBcC", " --conflict --pathspec-from-file --orphan --create --force-create ")
	name, made := flags.value("-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create")
	switch {
	case flags.any("-p", "--patch"):
	case flags.any("-d", "--detach"):
		l.before.Unknown = true
	case made && name.Literal():
		l.before.Branch = name.Text
		l.made("refs/heads/", append([]shell.Word{name}, operands...))
	case made || len(operands) == 1 && (!operands[0].Literal() || operands[0].Text == "-" || strings.HasPrefix(operands[0].Text, "@{-")):
		l.before.Unknown = true
	case len(operands) == 1 && flags.any("-t", "--track"):
		_, short, _ := strings.Cut(operands[0].Text, "/")
		l.before.Branch = short
		l.made("refs/heads/", []shell.Word{{Text: short}, operands[0]})
	case len(operands) == 1:
		l.before.Branch = operands[0].Text
	}
}

func (l *line) branch(g *gitcmd.Git) {
	operands, flags := split(g.Args, "u", " --set-upstream-to --sort --format --points-at --contains --no-contains --merged --no-merged ")
	switch {
	case flags.any("-u", "--set-upstream-to", "--unset-upstream"):
		l.before.Config = true
	case flags.any("-d", "-D", "--delete", "-l", "--list", "-a", "-r", "-v", "-vv", "--show-current", "--contains", "--merged", "--no-merged"):
	case flags.any("-m", "-M", "--move") && len(operands) > 0:
		name := operands[len(operands)-1]
		if len(operands) == 1 && name.Literal() {
			l.before.Branch = name.Text
			l.made("refs/heads/", operands)
			return
		}
		l.before.Unknown = true
	case len(operands) > 0:
		l.made("refs/heads/", operands)
	}
}

func (l *line) made(prefix string, operands []shell.Word) {
	m := Made{Ref: prefix + operands[0].Text}
	if !operands[0].Literal() || len(l.before.Made) == maxNotes {
		l.before.Unknown = true
		return
	}
	if len(operands) > 1 {
		m.From = operands[1].Text
		l.before.Unknown = l.before.Unknown || !operands[1].Literal()
	}
	l.before.Made = append(l.before.Made, m)
}

func (l *line) setting(kv string) {
	if len(l.config) == maxNotes {
		l.before.Config = true
		return
	}
	l.config = append(l.config, kv)
}

func (l *line) remote(g *gitcmd.Git) {
	operands, _ := split(g.Args, "tm", " ")
	switch {
	case len(operands) == 3 && (operands[0].Text == "add" || operands[0].Text == "set-url") && operands[1].Literal() && operands[2].Literal():
		l.setting("remote." + operands[1].Text + ".url=" + operands[2].Text)
	case len(operands) > 1 && operands[0].Text != "show" && operands[0].Text != "get-url":
		l.before.Config = true
	}
}

// flags are the options of a command, "-x" or "--name", with the values of those that take one.
type flags []struct {
	name  string
	value shell.Word
}

func (f flags) any(names ...string) bool {
	_, ok := f.value(names...)
	return ok
}

func (f flags) value(names ...string) (shell.Word, bool) {
	for _, x := range f {
		if slices.Contains(names, x.name) {
			return x.value, true
		}
	}
	return shell.Word{}, false
}

// split parts operands from options. takes has the short options that take a value, long the long ones, each between blanks.
func split(args []shell.Word, takes, long string) ([]shell.Word, flags) {
	var operands []shell.Word
	var f flags
	add := func(name string, v shell.Word) {
		f = append(f, struct {
			name  string
			value shell.Word
		}{name, v})
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		t := w.Text
		switch {
		case t == "--":
			return append(operands, args[i+1:]...), f
		case len(t) < 2 || t[0] != '-':
			operands = append(operands, w)
		case t[1] == '-':
			name, value, attached := strings.Cut(t, "=")
			v := w
			v.Text = value
			if !attached && strings.Contains(long, " "+name+" ") && i+1 < len(args) {
				i++
				v = args[i]
			}
			add(name, v)
		default:
			for j := 1; j < len(t); j++ {
				if strings.IndexByte(takes, t[j]) < 0 {
					add("-"+t[j:j+1], shell.Word{})
					continue
				}
				v := w
				v.Text = t[j+1:]
				if v.Text == "" && i+1 < len(args) {
					i++
					v = args[i]
				}
				add("-"+t[j:j+1], v)
				break
			}
		}
	}
	return operands, f
}
