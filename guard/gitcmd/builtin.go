package gitcmd

import "slices"

// builtins are the subcommands that an alias cannot replace: those compiled into git (`git --list-cmds=builtins`, 2.39) and
// those added up to 2.51. In order.
var builtins = [...]string{
	"add", "am", "annotate", "apply", "archive", "backfill", "bisect", "bisect--helper", "blame", "branch", "bugreport", "bundle",
	"cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout", "checkout--worker", "checkout-index",
	"cherry", "cherry-pick", "clean", "clone", "column", "commit", "commit-graph", "commit-tree", "config", "count-objects",
	"credential", "credential-cache", "credential-cache--daemon", "credential-store", "describe", "diagnose", "diff", "diff-files",
	"diff-index", "diff-pairs", "diff-tree", "difftool", "env--helper", "fast-export", "fast-import", "fetch", "fetch-pack",
	"fmt-merge-msg", "for-each-ref", "for-each-repo", "format-patch", "fsck", "fsck-objects", "fsmonitor--daemon", "gc",
	"get-tar-commit-id", "grep", "hash-object", "help", "history", "hook", "index-pack", "init", "init-db", "interpret-trailers",
	"last-modified", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "maintenance", "merge", "merge-base",
	"merge-file", "merge-index", "merge-ours", "merge-recursive", "merge-recursive-ours", "merge-recursive-theirs", "merge-subtree",
	"merge-tree", "mktag", "mktree", "multi-pack-index", "mv", "name-rev", "notes", "pack-objects", "pack-redundant", "pack-refs",
	"patch-id", "pickaxe", "prune", "prune-packed", "pull", "push", "range-diff", "read-tree", "rebase", "receive-pack", "reflog",
	"refs", "remote", "remote-ext", "remote-fd", "repack", "replace", "replay", "repo", "rerere", "reset", "restore", "rev-list",
	"rev-parse", "revert", "rm", "send-pack", "shortlog", "show", "show-branch", "show-index", "show-ref", "sparse-checkout",
	"stage", "stash", "status", "stripspace", "submodule--helper", "switch", "symbolic-ref", "tag", "unpack-file", "unpack-objects",
	"update-index", "update-ref", "update-server-info", "upload-archive", "upload-archive--writer", "upload-pack", "var",
	"verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "worktree", "write-tree",
}

// scripts come with git as programs of their own, which are found before an alias is. In order.
var scripts = [...]string{
	"archimport", "citool", "cvsexportcommit", "cvsimport", "cvsserver", "daemon", "difftool--helper", "fast-import", "filter-branch",
	"gui", "http-backend", "http-fetch", "http-push", "imap-send", "instaweb", "merge-octopus", "merge-one-file", "merge-resolve",
	"mergetool", "p4", "quiltimport", "request-pull", "send-email", "sh-i18n", "sh-setup", "shell", "submodule", "subtree", "svn",
	"web--browse",
}

func isBuiltin(name string) bool {
	_, ok := slices.BinarySearch(builtins[:], name)
	return ok
}

func isScript(name string) bool {
	_, ok := slices.BinarySearch(scripts[:], name)
	return ok
}
