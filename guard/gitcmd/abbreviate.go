package gitcmd

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// longOptions are the long options that matter to those who judge a subcommand. git takes any beginning of an option that is no
// beginning of another; it refuses what could be two, so the first match here is right or harmless.
func longOptions(sub string) string {
	switch sub {
	case "reset":
		return "--hard --merge --keep --soft --mixed"
	case "clean":
		return "--force --dry-run --exclude"
	case "checkout":
		return "--force --ours --theirs --detach"
	case "switch":
		return "--force --discard-changes --detach"
	case "restore":
		return "--staged --worktree --source"
	case "rm":
		return "--force --cached --dry-run"
	case "worktree", "submodule", "mv":
		return "--force --dry-run"
	case "branch", "tag":
		return "--delete --force"
	case "push":
		return "--force --force-with-lease --mirror --prune --delete --all --branches --tags --no-verify --dry-run"
	case "gc":
		return "--prune --aggressive"
	case "reflog":
		return "--expire --expire-unreachable --dry-run"
	case "commit", "merge", "rebase", "am":
		return "--no-verify --amend"
	case "read-tree":
		return "--reset --dry-run"
	case "fetch", "pull":
		return "--force --prune --dry-run"
	case "stash", "update-ref", "checkout-index", "filter-branch", "replace":
		return "--force --delete --all"
	}
	return ""
}

// spellOut writes the abbreviated long options of a command out. It gives back c itself when there is none.
func spellOut(c shell.Command, g *Git) shell.Command {
	options := longOptions(g.Sub)
	if options == "" {
		return c
	}
	var words []shell.Word
	for i, w := range g.Args {
		if w.Text == "--" {
			break
		}
		name, value, attached := strings.Cut(w.Text, "=")
		full := spelled(name, options)
		if full == "" || full == name || w.Dynamic {
			continue
		}
		if words == nil {
			words = append(words, c.Words...)
		}
		if attached {
			full += "=" + value
		}
		words[len(c.Words)-len(g.Args)+i].Text = full
	}
	if words == nil {
		return c
	}
	return withWords(c, words)
}

// spelled is the option that a word begins, the word itself if it is one, "" if it begins none.
func spelled(name, options string) string {
	if len(name) < 3 || !strings.HasPrefix(name, "--") {
		return ""
	}
	first := ""
	for o := range strings.FieldsSeq(options) {
		switch {
		case o == name:
			return name
		case first == "" && strings.HasPrefix(o, name):
			first = o
		}
	}
	return first
}
