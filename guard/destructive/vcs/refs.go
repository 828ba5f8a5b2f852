package vcs

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive/rule"
)

func gitClean(k *rule.Call) string {
	g, ok := k.GitSub("clean")
	if !ok || g.Has("n", "--dry-run") || g.Has("i", "--interactive") {
		return ""
	}
	force := g.Has("f", "--force")
	for _, c := range g.Config {
		force = force || strings.HasPrefix(c, "clean.requireforce=") && !strings.HasSuffix(c, "=true")
	}
	if !force || !g.Elsewhere && len(g.Operands) > 0 && k.Harmless(g.Operands) || k.Throwaway(g) {
		return ""
	}
	files := "untracked files"
	switch {
	case g.Has("X"):
		files = "ignored files, such as .env,"
	case g.Has("x"):
		files = "untracked and ignored files, such as .env,"
	}
	if len(g.Operands) > 0 {
		files += " in " + strings.TrimSuffix(strings.Join(g.Texts(), " "), "/")
	}
	return files
}

func gitStash(k *rule.Call) string {
	g, ok := k.GitSub("stash")
	switch {
	case !ok || !rule.OneOf(g.Operand(0), "drop", "clear") || k.Own(g):
		return ""
	case g.Operand(0) == "clear":
		return "every stash"
	case g.Operand(1) != "":
		return g.Operand(1)
	}
	return "the newest stash"
}

// mainBranch recognises the branches that everything is built on.
func mainBranch(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "heads/")
	return rule.OneOf(name, "main", "master", "trunk", "develop", "dev", "production", "prod", "stable", "release") || strings.HasPrefix(name, "release/")
}

// deletedBranches lists the branches that are deleted or moved by force.
func deletedBranches(k *rule.Call) []string {
	g, ok := k.GitSub("branch")
	if !ok || g.Has("r", "--remotes") || k.Own(g) {
		return nil
	}
	force := g.Has("f", "--force")
	if g.Has("D") || force && g.Has("d", "--delete", "--delete") || force && len(g.Operands) > 0 {
		if !g.Has("D", "d", "--delete") {
			return g.Texts()[:1]
		}
		return slices.DeleteFunc(g.Texts(), func(b string) bool { return !g.Elsewhere && made(k, b) })
	}
	return nil
}

// made reports whether the script makes the branch before it deletes it: what is on it comes from elsewhere.
func made(k *rule.Call, branch string) bool {
	before := k.Earlier()
	for i := range before {
		c := &before[i]
		for j := 0; c.Name == "git" && !c.Remote && j+1 < len(c.Args); j++ {
			if c.Args[j+1] == branch && (j == 0 && c.Args[0] == "branch" || rule.OneOf(c.Args[0], "checkout", "switch", "worktree") && rule.OneOf(c.Args[j], "-b", "-c")) {
				return true
			}
		}
	}
	return false
}

func gitBranchDelete(k *rule.Call) string {
	for _, b := range deletedBranches(k) {
		if mainBranch(b) {
			return ""
		}
	}
	return strings.Join(deletedBranches(k), " ")
}

func gitBranchMain(k *rule.Call) string {
	for _, b := range deletedBranches(k) {
		if mainBranch(b) {
			return b
		}
	}
	return ""
}

func gitReflog(k *rule.Call) string {
	g, ok := k.GitSub("reflog")
	if ok && rule.OneOf(g.Operand(0), "expire", "delete") && !g.Has("n", "--dry-run") && !k.Own(g) {
		return g.Operand(0)
	}
	return ""
}

func gitPrune(k *rule.Call) string {
	g, ok := k.GitSub("gc", "prune", "repack")
	if !ok || g.Has("n", "--dry-run") || k.Own(g) {
		return ""
	}
	switch g.Sub {
	case "prune":
		return "prune"
	case "gc":
		if v, given := g.Get("--prune"); given && !kept(v.Text) {
			return "gc --prune=" + v.Text
		}
		for _, c := range g.Config {
			if v, isExpiry := strings.CutPrefix(c, "gc.pruneexpire="); isExpiry && !kept(v) {
				return "gc with gc.pruneExpire=" + v
			}
		}
	}
	return ""
}

// kept reports whether an expiry leaves at least days.
func kept(when string) bool {
	return when == "" || strings.Contains(when, "week") || strings.Contains(when, "month") || strings.Contains(when, "day") || strings.Contains(when, "year") || when == "never" || when == "false"
}

func gitRewrite(k *rule.Call) string {
	if k.Name == "bfg" {
		return "bfg"
	}
	if g, ok := k.GitSub("filter-branch", "filter-repo"); ok && !g.Has("--analyze", "--dry-run") && !k.Own(g) {
		return "git " + g.Sub
	}
	return ""
}

func gitRefDelete(k *rule.Call) string {
	g, ok := k.GitSub("update-ref", "symbolic-ref", "replace")
	switch {
	case !ok:
	case g.Has("d", "--delete", "--stdin"):
		return cmp.Or(strings.Join(g.Texts(), " "), "a ref")
	case g.Sub == "update-ref" && strings.HasPrefix(g.Operand(0), "refs/heads/") && mainBranch(g.Operand(0)):
		return g.Operand(0)
	}
	return ""
}

func gitPushForce(k *rule.Call) string {
	g, ok := k.GitSub("push", "send-pack")
	if !ok || g.Has("n", "--dry-run") || k.Own(g) && !k.Networked() {
		return ""
	}
	lease := g.Has("--force-with-lease")
	dest := "the remote"
	for i, x := range g.Texts() {
		if i == 0 && g.Sub == "push" {
			continue
		}
		_, to, ok := strings.Cut(x, ":")
		if !ok {
			to = strings.TrimPrefix(x, "+")
		}
		switch {
		case strings.HasPrefix(x, "+"), lease && mainBranch(to):
			return to
		default:
			dest = to
		}
	}
	for _, f := range g.Flags {
		if f.Name == "f" || f.Name == "--force" || f.Name == "--forc" || f.Name == "--mirror" || f.Name == "--prune" {
			return dest
		}
	}
	for _, c := range g.Config {
		if strings.HasPrefix(c, "remote.") && (strings.Contains(c, ".push=+") || strings.HasSuffix(c, ".mirror=true")) {
			return dest
		}
	}
	return ""
}

func gitPushDelete(k *rule.Call) string {
	g, ok := k.GitSub("push")
	if !ok || g.Has("n", "--dry-run") {
		return ""
	}
	if g.Has("d", "--delete") {
		return cmp.Or(strings.Join(g.Texts()[min(1, len(g.Operands)):], " "), "it")
	}
	for _, x := range g.Texts()[min(1, len(g.Operands)):] {
		if len(x) > 1 && (x[0] == ':' || strings.HasPrefix(x, "+:")) {
			return strings.TrimLeft(x, "+:")
		}
	}
	return ""
}

func gitWorktree(k *rule.Call) string {
	g, ok := k.GitSub("worktree")
	if ok && g.Operand(0) == "remove" && g.Has("f", "--force") && !(len(g.Operands) > 1 && k.Harmless(g.Operands[1:2])) {
		return g.Operand(1)
	}
	return ""
}

func gitSubmodule(k *rule.Call) string {
	g, ok := k.GitSub("submodule")
	switch {
	case !ok:
	case rule.OneOf(g.Operand(0), "deinit", "update") && g.Has("f", "--force"):
		return cmp.Or(g.Operand(1), "every submodule")
	}
	return ""
}

func gitOverwrite(k *rule.Call) string {
	g, ok := k.GitSub("read-tree", "checkout-index")
	switch {
	case !ok || g.Has("n", "--dry-run") || k.Throwaway(g):
	case g.Sub == "read-tree" && g.Has("--reset") && g.Has("u"):
		return "read-tree --reset -u"
	case g.Sub == "checkout-index" && g.Has("f", "--force"):
		return "checkout-index -f"
	}
	return ""
}

func gitRemove(k *rule.Call) string {
	g, ok := k.GitSub("rm")
	if ok && g.Has("f", "--force") && !g.Has("--cached") && !g.Has("n", "--dry-run") && !k.Harmless(g.Operands) && (g.Elsewhere || slices.ContainsFunc(g.Texts(), func(p string) bool { return !harmless(k, p) && !lockFile(path.Base(p)) })) {
		return strings.Join(g.Texts(), " ")
	}
	return ""
}
