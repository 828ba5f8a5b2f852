package protect

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// git looks at a git command for what goes around hooks.
func (k *check) git(g gitcmd.Git) {
	if g.Help {
		return
	}
	if !readsOnly(g.Sub) {
		for _, entry := range g.Config {
			if key, _, _ := strings.Cut(entry, "="); strings.EqualFold(strings.TrimSpace(key), "core.hooksPath") || includes(key) {
				k.deny(RuleHooksPath, "for this command git would look for its hooks elsewhere")
			}
		}
		k.hookSwitches()
	}
	if g.Sub == "config" {
		k.gitConfig(g.Args)
		return
	}
	if skipsHooks(g.Sub, g.Args) {
		k.deny(RuleNoVerify, "the hooks of git "+g.Sub+" would not run")
	}
}

// readsOnly lists subcommands for which hooks mean nothing.
func readsOnly(sub string) bool {
	switch sub {
	case "status", "log", "diff", "show", "ls-files", "ls-tree", "rev-parse", "branch", "clone", "fetch", "init", "version", "config", "blame", "grep", "describe",
		"cat-file", "shortlog", "remote", "tag", "help", "ls-remote", "rev-list", "for-each-ref", "check-ignore":
		return true
	}
	return false
}

// hookSwitches are the variables with which hook managers are told to do nothing.
func (k *check) hookSwitches() {
	for _, a := range k.c.Assign {
		name, value, _ := strings.Cut(a, "=")
		value = strings.ToLower(value)
		off := value == "0" || value == "false" || value == "no" || value == "off"
		switch name {
		case "HUSKY", "LEFTHOOK":
			if off {
				k.deny(RuleNoVerify, name+" switches the git hooks off")
			}
		case "HUSKY_SKIP_HOOKS", "SKIP_HOOKS", "GIT_SKIP_HOOKS":
			if value != "" && !off {
				k.deny(RuleNoVerify, name+" switches the git hooks off")
			}
		case "SKIP", "LEFTHOOK_EXCLUDE", "PRE_COMMIT_SKIP":
			if strings.Contains(value, "devflow") {
				k.deny(RuleNoVerify, name+" leaves devflow's hook out")
			}
		}
	}
}

// sight.GitConfig is `git config`: core.hooksPath may be read only.
func (k *check) gitConfig(args []shell.Word) {
	var ops []string
	writes, reads, edits := false, false, false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case !strings.HasPrefix(t, "-") || t == "-":
			ops = append(ops, t)
		case t == "--unset" || t == "--unset-all" || t == "--add" || t == "--replace-all" || t == "--remove-section" || t == "--rename-section":
			writes = true
		case t == "--get" || t == "--get-all" || t == "--get-regexp" || t == "--list" || t == "-l" || t == "--get-urlmatch":
			reads = true
		case t == "-e" || t == "--edit":
			edits = true
		case t == "-f" || t == "--file" || t == "--blob" || t == "--type" || t == "--default" || t == "--value" || t == "--comment" || t == "-t":
			i++
		}
	}
	if edits && strings.Contains(strings.ToLower(k.c.Text), "hookspath") {
		k.deny(RuleHooksPath, "git would look for its hooks elsewhere")
	}
	if reads || len(ops) == 0 {
		return
	}
	switch ops[0] { // the subcommands of newer versions
	case "get", "list", "get-all", "get-regexp":
		return
	case "edit":
		if strings.Contains(strings.ToLower(k.c.Text), "hookspath") {
			k.deny(RuleHooksPath, "git would look for its hooks elsewhere")
		}
		return
	case "set", "unset":
		writes, ops = true, ops[1:]
	case "remove-section", "rename-section":
		writes, ops = true, ops[1:]
	}
	if len(ops) == 0 {
		return
	}
	key := strings.ToLower(ops[0])
	if (key == "core.hookspath" || includes(key)) && (writes || len(ops) > 1) || key == "core" && writes {
		k.deny(RuleHooksPath, "git would look for its hooks elsewhere")
	}
}

// skipsHooks reports whether a subcommand is told to run no hooks. Values of options (-m -n) are no switches.
func skipsHooks(sub string, args []shell.Word) bool {
	values, long, short := "", "", false
	switch sub {
	case "commit":
		values, short = "mFCct", true
		long = " --message --file --reuse-message --reedit-message --template --author --date --fixup --squash --cleanup --trailer --pathspec-from-file "
	case "am":
		values, short = "CpS", true
		long = " --directory --exclude --include --patch-format "
	case "push":
		values, long = "o", " --repo --receive-pack --exec --push-option "
	case "merge", "pull":
		values, long = "msXFj", " --message --strategy --strategy-option --file --into-name --cleanup --upload-pack --depth "
	case "rebase":
		values, long = "sXxC", " --onto --exec --strategy --strategy-option "
	case "cherry-pick", "revert":
		values, long = "msX", " --mainline --strategy --strategy-option --cleanup "
	default:
		return false
	}
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			return false
		case args[i].Dynamic && !args[i].Quoted && strings.Contains(t, "--no-verify"):
			return true
		case strings.HasPrefix(t, "--"):
			if len(t) >= len("--no-veri") && strings.HasPrefix("--no-verify", t) {
				return true
			}
			if strings.Contains(long, " "+t+" ") {
				i++
			}
		case len(t) > 1 && t[0] == '-':
			for j := 1; j < len(t); j++ {
				if t[j] == 'n' && short {
					return true
				}
				if strings.IndexByte(values, t[j]) >= 0 {
					if j+1 == len(t) {
						i++
					}
					break
				}
				if t[j] == 'u' || t[j] == 'S' {
					break // an attached value
				}
			}
		}
	}
	return false
}

// includes reports whether a key of git's configuration brings in another file, which may say anything.
func includes(key string) bool {
	key = strings.ToLower(strings.TrimSpace(key))
	return key == "include.path" || strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path")
}
