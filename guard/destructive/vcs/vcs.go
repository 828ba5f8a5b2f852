// Package vcs holds the rules about version control: history, open work, remote branches. It owns no table of the store and no
// file, and starts no git.
package vcs

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// Advice about git that several rows share.
const (
	stashFirst = "keep the work: `git stash push -u -m before-reset`, then go on; `git stash pop` brings it back"
	byCopy     = "keep a name for it: `git branch keep-it HEAD`"
	leaseOnly  = "make a new commit with `git revert HEAD` and push that; or on a branch of your own: `git push --force-with-lease origin feature/x`"
)

// gitRules are about history and open work. A commit that no branch names any more is only a few weeks away from being gone,
// and what was never committed is gone at once.
var gitRules = [...]rule.Rule{
	{
		ID: "git.reset-hard", Decision: verdict.Deny, Match: gitReset,
		What: "throws away uncommitted work", Why: "the changes of tracked files are lost, staged ones too: git keeps no copy", Instead: stashFirst + "; `git reset --soft HEAD~1` undoes a commit and keeps its content",
	},
	{
		ID: "git.computed", Decision: verdict.Ask, Match: gitComputed,
		What: "runs a git command that is known only at run time", Why: "% could be reset, clean or push", Instead: "write the subcommand out: `git status`",
	},
	{
		ID: "git.discard-all", Decision: verdict.Deny, Match: gitDiscardAll,
		What: "throws away uncommitted work", Why: "the changes in % are lost: git keeps no copy", Instead: stashFirst,
	},
	{
		ID: "git.discard-path", Decision: verdict.Ask, Match: gitDiscardPath,
		What: "throws away uncommitted changes of files", Why: "what is changed in % is lost: git keeps no copy", Instead: "look first, `git diff`, and keep a copy: `git stash push -u`",
	},
	{
		ID: "git.switch-force", Decision: verdict.Deny, Match: gitForceSwitch,
		What: "changes the branch and throws away uncommitted work", Why: "every change of a tracked file is lost: git keeps no copy", Instead: stashFirst,
	},
	{
		ID: "git.clean", Decision: verdict.Deny, Match: gitClean,
		What: "deletes files that git does not know", Why: "% were never committed: no stash and no history has them", Instead: "look first: `git clean -nd`; keep it: `git stash push -u`",
	},
	{
		ID: "git.stash-drop", Decision: verdict.Deny, Match: gitStash,
		What: "deletes stashed work", Why: "% holds what no branch has", Instead: "keep it as a branch: `git stash branch kept-work`",
	},
	{
		ID: "git.branch-delete", Decision: verdict.Ask, Match: gitBranchDelete,
		What: "deletes or moves a branch whatever is on it", Why: "commits that only % has are lost to everybody but the reflog", Instead: byCopy + "; `git branch -d NAME` deletes only what is merged",
	},
	{
		ID: "git.branch-main", Decision: verdict.Deny, Match: gitBranchMain,
		What: "deletes or moves the main branch", Why: "% is the branch that everything is built on", Instead: byCopy,
	},
	{
		ID: "git.reflog", Decision: verdict.Deny, Match: gitReflog,
		What: "deletes the record of where branches were", Why: "without it lost commits cannot be found again", Instead: "read it: `git reflog`",
	},
	{
		ID: "git.prune", Decision: verdict.Deny, Match: gitPrune,
		What: "deletes commits that nothing names", Why: "what a reset, a rebase or a dropped stash has lost cannot be brought back any more", Instead: "let git keep its two weeks: `git gc`",
	},
	{
		ID: "git.rewrite", Decision: verdict.Deny, Match: gitRewrite,
		What: "rewrites the history of the repository", Why: "every commit is replaced, and what others have does not fit any more", Instead: rule.AskOwner + "; a copy first: `git clone --mirror . /tmp/mirror.git`",
	},
	{
		ID: "git.ref-delete", Decision: verdict.Deny, Match: gitRefDelete,
		What: "deletes or moves a ref behind git's back", Why: "% would no longer name its commit", Instead: byCopy,
	},
	{
		ID: "git.push-force", Decision: verdict.Deny, Match: gitPushForce,
		What: "overwrites the history of a remote branch", Why: "what others pushed to % is lost", Instead: leaseOnly,
	},
	{
		ID: "git.push-delete", Decision: verdict.Deny, Match: gitPushDelete,
		What: "deletes a branch or tag of the remote", Why: "% is gone for everybody", Instead: rule.AskOwner,
	},
	{
		ID: "git.worktree-remove", Decision: verdict.Deny, Match: gitWorktree,
		What: "deletes a work tree with its uncommitted work", Why: "% may hold changes that are nowhere else", Instead: "without force git refuses where something would be lost: `git worktree remove ../tree`",
	},
	{
		ID: "git.submodule", Decision: verdict.Deny, Match: gitSubmodule,
		What: "empties a submodule with its uncommitted work", Why: "% may hold changes that are nowhere else", Instead: "without force git refuses where something would be lost: `git submodule deinit lib`",
	},
	{
		ID: "git.overwrite-tree", Decision: verdict.Deny, Match: gitOverwrite,
		What: "overwrites the work tree from the index or a commit", Why: "every change of a tracked file is lost: git keeps no copy", Instead: stashFirst,
	},
	{
		ID: "git.rm-force", Decision: verdict.Ask, Match: gitRemove,
		What: "deletes tracked files with their uncommitted changes", Why: "what is changed in % is lost: git keeps no copy", Instead: "without force git refuses where something would be lost: `git rm -r PATH`",
	},
}

// otherSCMRules are the same dangers in other version control systems.
var otherSCMRules = [...]rule.Rule{
	{
		ID: "scm.discard", Decision: verdict.Ask, Match: otherSCM,
		What: "throws away uncommitted work or history", Why: "there may be no copy to bring it back from", Instead: "look first: `hg status`, `svn status`, `jj status`",
	},
}

func otherSCM(k *rule.Call) string {
	o := rule.Parse(k.Words, "Rrm", " --revision --rev --repository ")
	sub := o.Operand(0)
	hit := false
	switch k.Name {
	case "hg":
		hit = rule.OneOf(sub, "strip", "purge", "clean") || rule.OneOf(sub, "revert") && o.Has("a", "--all", "C", "--no-backup") || rule.OneOf(sub, "update", "up", "checkout", "co") && o.Has("C", "--clean")
	case "svn":
		hit = sub == "revert" && (o.Has("R", "--recursive") || o.Operand(1) == ".") || sub == "cleanup" && o.Has("--remove-unversioned")
	case "jj":
		hit = rule.OneOf(sub, "abandon", "restore") || sub == "op" && rule.OneOf(o.Operand(1), "abandon", "restore")
	case "fossil":
		hit = rule.OneOf(sub, "revert", "clean")
	}
	if hit {
		return k.Name + " " + sub
	}
	return ""
}

func gitReset(k *rule.Call) string {
	g, ok := k.GitSub("reset")
	switch {
	case !ok || k.Throwaway(g):
	case g.Has("--hard"):
		return "--hard"
	case g.Has("--merge"):
		return "--merge"
	}
	return ""
}

func gitForceSwitch(k *rule.Call) string {
	g, ok := k.GitSub("checkout", "switch")
	if ok && g.Has("f", "--force", "--discard-changes") && !k.Throwaway(g) {
		return "git " + g.Sub + " --force"
	}
	return ""
}

func gitDiscardAll(k *rule.Call) string { return discards(k, true) }

func gitDiscardPath(k *rule.Call) string { return discards(k, false) }

// discards finds the paths whose changes checkout or restore would overwrite, if all of the tree is among them or not.
func discards(k *rule.Call, all bool) string {
	g, ok := k.GitSub("checkout", "restore")
	if !ok || k.World.Linked && !g.Elsewhere && !k.Cmd.Remote && k.Cmd.Dir.Path == "" && !k.Cmd.Dir.Unknown || g.Has("p", "--patch") || k.Throwaway(g) {
		return ""
	}
	var paths []string
	if g.Sub == "restore" {
		if g.Has("S", "--staged") && !g.Has("W", "--worktree") {
			return ""
		}
		paths = g.Texts()
	} else {
		paths = checkoutPaths(k, g)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return !g.Elsewhere && !g.Has("--ours", "--theirs", "-2", "-3") && harmless(k, p) || lockFile(path.Base(p))
	})
	if g.Has("--pathspec-from-file") {
		paths = append(paths, "the listed files")
	}
	whole := ""
	for _, p := range paths {
		if wholeTree(p) {
			whole = p
		}
	}
	switch {
	case all:
		return whole
	case whole == "" && len(paths) > 0:
		return strings.Join(paths, " ")
	}
	return ""
}

// harmless reports whether nothing is lost when git overwrites or deletes the path, because it has no change.
func harmless(k *rule.Call, p string) bool {
	if wholeTree(p) || strings.HasPrefix(p, ":") || strings.ContainsAny(p, "*?[") {
		return false
	}
	t := k.World.Resolve(k.Cmd.Dir, k.Word(p))
	return k.Kept(t)
}

// lockFile recognises the files in which package managers write down what they chose.
func lockFile(name string) bool {
	return rule.OneOf(name, "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "go.sum", "go.work.sum", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock",
		"Pipfile.lock", "Gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock", "flake.lock", "Podfile.lock", "Package.resolved", "packages.lock.json", ".terraform.lock.hcl", "gradle.lockfile", "conan.lock")
}

// wholeTree recognises pathspecs that mean everything.
func wholeTree(p string) bool {
	switch p = strings.TrimSuffix(p, "/"); p {
	case "", ".", "..", "*", "./*", ":", ":/", ":/*", ":(top)", ":(top)*", "**", "**/*", "$PWD", "$(pwd)", "../..", ":/.", ":(top).", "./.":
		return true
	}
	return false
}

// checkoutPaths finds the operands of checkout that are paths and not a branch.
func checkoutPaths(k *rule.Call, g rule.Git) []string {
	if g.Has("b", "B", "--orphan", "t", "--track", "d", "--detach") && !k.Arg("--") {
		return nil
	}
	for i, x := range k.Words {
		if x.Text == "--" {
			var list []string
			for _, p := range k.Words[i+1:] {
				list = append(list, p.Text)
			}
			return list
		}
	}
	words := g.Texts()
	switch {
	case len(words) == 0:
		return nil
	case len(words) > 1: // checkout COMMIT PATH… or PATH PATH…
		if strings.HasPrefix(words[0], "-") {
			return nil
		}
		return words[1:]
	case g.Has("--ours", "--theirs") || pathLike(k, words[0], g.Operands[0].Glob):
		return words
	}
	return nil
}

// pathLike decides whether a single operand of checkout is a path. A name without a sign of either is a branch, unless git
// tracks a file of that name and it has changes.
func pathLike(k *rule.Call, p string, glob bool) bool {
	if strings.HasPrefix(p, "`") || strings.HasPrefix(p, "$(") { // the output of a command: git describe, git rev-list
		return false
	}
	if glob || strings.ContainsAny(p, "*?[") || wholeTree(p) || strings.HasSuffix(p, "/") || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/") || strings.HasPrefix(p, ":") {
		return true
	}
	if p == "-" || strings.ContainsAny(p, "@~^$`") {
		return false
	}
	if k.World.Disk != nil && !k.Cmd.Remote {
		if rel, ok := k.World.Rel(k.World.Resolve(k.Cmd.Dir, k.Word(p))); ok && k.World.Disk.Tracked(rel) {
			return k.World.Disk.Changed(rel)
		}
		return false
	}
	return sourceFile(p)
}

// sourceFile recognises a name with the ending of a source file.
func sourceFile(p string) bool {
	if strings.HasPrefix(p, ".") {
		return false
	}
	dot := strings.LastIndexByte(p, '.')
	if dot <= 0 {
		return false
	}
	return rule.OneOf(p[dot:], ".go", ".py", ".js", ".ts", ".tsx", ".jsx", ".rs", ".java", ".rb", ".c", ".h", ".cpp", ".cs", ".php", ".swift", ".kt", ".md", ".json", ".yaml", ".yml", ".toml", ".lock", ".txt",
		".html", ".css", ".scss", ".sh", ".sql", ".mod", ".sum", ".vue", ".dart", ".ex", ".mjs", ".proto")
}

// Tables lists the tables.
func Tables() [][]rule.Rule { return [][]rule.Rule{gitRules[:], otherSCMRules[:]} }

// gitComputed is git with a subcommand that only the running shell knows.
func gitComputed(k *rule.Call) string {
	g, ok := gitcmd.Parse(k.Cmd)
	if !ok || !g.Unreadable || g.Sub != "" || g.Help || len(k.Words) == 0 {
		return ""
	}
	for _, w := range k.Words {
		if w.Dynamic {
			return w.Text
		}
	}
	return ""
}
