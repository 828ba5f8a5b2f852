package protect

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/internal/shell"
)

// program looks at what is started.
func (k *check) program(name string) {
	if k.hookCall(name) {
		return
	}
	k.given(name)
	if args, ok := isClient(k.c); ok {
		k.client(args)
		return
	}
	switch name {
	case "git", "hub":
		if g, ok := gitcmd.Parse(k.c); ok {
			k.git(g)
		}
	case "devflow":
		k.devflow()
	case "kill", "pkill", "killall", "skill", "taskkill", "stop-process", "xkill":
		k.kill(name)
	case "fuser":
		for _, a := range k.c.Args {
			if strings.HasPrefix(a, "-") && strings.Contains(a, "k") && k.mentionsDB(k.c.Text) {
				k.deny(RuleKill, "a hook that is stopped cannot say what is wrong")
			}
		}
	case "tmux", "screen", "xdotool", "ydotool", "wtype", "expect", "osascript", "zellij", "kitty", "wezterm", "dtach", "abduco", "autoexpect":
		if speaks(k.c.Text) || speaks(k.stdin()) {
			k.deny(RuleApprove, "it types the words of a person into a terminal")
		}
	case "sqlite3", "sqlite", "duckdb", "litecli", "sqlite-utils", "sqldiff", "usql":
		k.sqlite(name)
	case "chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr", "xattr", "chflags", "icacls", "attrib", "chcon":
		k.permissions(name)
	case "mount", "umount", "fusermount", "bindfs", "pivot_root", "losetup":
		k.mounts()
	case "lefthook", "husky", "pre-commit":
		if len(k.c.Args) > 0 && k.c.Args[0] == "uninstall" && k.hookInstalled() {
			k.deny(RuleGitHook, "devflow's hook would be gone with the others")
		}
	case "systemctl", "crontab", "at", "batch":
		if speaks(k.stdin()) {
			k.deny(RuleApprove, "it would speak later in place of a person")
		}
	default:
		switch {
		case strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so" || strings.HasPrefix(name, "qemu-"):
			for _, a := range k.c.Args {
				if k.e.Places.IsHook(a) {
					k.deny(RuleHookCall, "what it would be told did not happen")
				}
			}
		case interpreter(name):
			k.code()
		}
	}
}

// hookCall finds hook programs that are started by hand, also under a second name.
func (k *check) hookCall(name string) bool {
	hook := k.e.Places.IsHook(name)
	if first := k.c.Words[0]; !hook && strings.Contains(first.Text, "/") && !first.Glob {
		if t := k.e.Target(k.c.Dir, first); t.Path != "" && !t.Glob {
			hook = k.e.Places.IsHook(filepath.Base(t.Path)) || k.secondHook(t.Path)
		}
	}
	if first := k.c.Words[0]; !hook && first.Glob && strings.Contains(first.Text, "/") {
		hook = k.e.Kind(k.e.Target(k.c.Dir, first)) == sight.Binary
	}
	if hook {
		k.deny(RuleHookCall, "what it would be told did not happen")
	}
	return hook
}

// secondHook reports whether a program is one of the installed hooks under another name.
func (k *check) secondHook(path string) bool {
	if k.e.Places.Bin == "" {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, h := range sight.HookPrograms {
		if other, err := os.Stat(filepath.Join(k.e.Places.Bin, h)); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// devflow is our own command: nearly all of it is for everybody.
func (k *check) devflow() {
	var ops []string
	for i, a := range k.c.Args {
		switch {
		case a == "--help" || a == "-h" || a == "--dry-run" || a == "--version":
			return
		case !strings.HasPrefix(a, "-"):
			ops = append(ops, a)
		}
		if (a == "--from" || a == "--bin-dir" || strings.HasPrefix(a, "--from=") || strings.HasPrefix(a, "--bin-dir=")) && len(ops) > 0 && ops[0] == "install" && i > 0 {
			k.ask(RuleUninstall, "the installed programs would be others")
		}
	}
	if len(ops) == 0 {
		return
	}
	second := ""
	if len(ops) > 1 {
		second = ops[1]
	}
	sub := ops[0]
	if !known(sub) && (second == "uninstall" || second == "approve") {
		sub = second // the first is the value of a flag
	}
	switch sub {
	case "approve":
		k.deny(RuleApprove, "an approval is typed by a person in the session")
	case "uninstall":
		k.deny(RuleUninstall, "the hooks would be gone")
	case "boundary":
		k.deny(RuleHookCall, "only devflow's own hooks start it")
	case "learn":
		for _, a := range k.c.Args {
			switch flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "="); {
			case !strings.HasPrefix(a, "-"):
			case flag == "promote", flag == "promote-all", flag == "dismiss", flag == "interactive":
				k.deny(RuleApprove, "what later sessions are told is decided by a person")
			}
		}
	case "guard", "gate":
		switch second {
		case "approve", "allow", "grant":
			k.deny(RuleApprove, "an approval is typed by a person in the session")
		case "auto", "pre-push":
			k.deny(RuleHookCall, "only devflow and git start it")
		}
		for _, a := range k.c.Args {
			switch a {
			case "--hook":
				k.deny(RuleHookCall, "only devflow's own hooks ask like this")
			case "off", "disable", "remove", "uninstall", "reset", "--remove", "--uninstall", "--off":
				k.deny(RuleUninstall, "a guard would be gone")
			}
		}
	}
}

// known lists the subcommands of devflow that take words of their own.
func known(sub string) bool {
	switch sub {
	case "spec", "guard", "gate", "help", "status", "doctor", "judge", "learn", "sync", "governance", "install", "cloud", "mcp", "dashboard":
		return true
	}
	return false
}

// kill looks for devflow's processes among those that would end.
func (k *check) kill(name string) {
	if name == "kill" {
		if k.picks(k.c.Text) {
			k.deny(RuleKill, "a hook that is stopped cannot say what is wrong")
			return
		}
		if k.c.Wrapped("xargs") || k.c.Place&shell.InPipe != 0 {
			for i := range k.s.Commands[:min(len(k.s.Commands), maxLookBack)] {
				if c := &k.s.Commands[i]; (c.Name == "pgrep" || c.Name == "pidof" || c.Name == "grep" || c.Name == "awk" || c.Name == "ps" || c.Name == "lsof") && strings.Contains(c.Text, "devflow") {
					k.deny(RuleKill, "a hook that is stopped cannot say what is wrong")
					return
				}
			}
		}
		return
	}
	for _, a := range k.c.Args {
		if a == "" || a[0] == '-' {
			continue
		}
		pattern := strings.ToLower(strings.Trim(a, `^$.*"' `))
		pattern = strings.ReplaceAll(pattern, "[d]evflow", "devflow")
		if len(pattern) < 4 {
			continue
		}
		for _, h := range sight.HookPrograms {
			part := strings.Contains(pattern, "-") || strings.HasPrefix(pattern, "devf") // user, start and tool are words of others, too
			if part && strings.Contains(h, pattern) || strings.Contains(pattern, h) || strings.HasPrefix(pattern, "devflow ") || strings.HasPrefix(pattern, "devflow.*") {
				k.deny(RuleKill, "a hook that is stopped cannot say what is wrong")
				return
			}
		}
	}
}

// picks reports whether a text looks up devflow's processes.
func (k *check) picks(text string) bool {
	if !strings.Contains(text, "devflow") {
		return false
	}
	return strings.Contains(text, "pgrep") || strings.Contains(text, "pidof") || strings.Contains(text, "ps ") || strings.Contains(text, "lsof") || strings.Contains(text, "/proc/")
}

// permissions judges chmod, chown and the like.
func (k *check) permissions(name string) {
	recursive := false
	mode := ""
	for i, w := range k.c.Words[1:] {
		if strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "-r") && !strings.HasPrefix(w.Text, "-w") && !strings.HasPrefix(w.Text, "-x") {
			recursive = recursive || strings.HasPrefix(w.Text, "-R") || w.Text == "--recursive"
			continue
		}
		if mode == "" && i < len(k.c.Args)-1 {
			mode = w.Text
			continue
		}
		for _, t := range k.e.Targets(k.c.Dir, w) {
			kind := k.e.Kind(t)
			at := sight.Shown(t.Path, k.e.World.Home)
			switch kind {
			case sight.RootDir, sight.Database, sight.Binary, sight.GitHook, sight.OwnSpec:
				k.deny(ruleOf(kind), name+" changes who may use "+at)
			case sight.SettingsFile:
				if name != "chmod" || locks(mode) {
					k.deny(RuleSettings, "the client could not read "+at)
				}
			case sight.Other:
				if held, path := k.e.Holds(t, nil); recursive && held != sight.Other && held != sight.SettingsFile {
					k.deny(ruleOf(held), name+" changes who may use "+sight.Shown(path, k.e.World.Home))
				}
			}
		}
	}
}

// locks reports whether a mode of chmod takes reading away from the owner.
func locks(mode string) bool {
	if mode == "" {
		return true
	}
	if strings.Trim(mode, "01234567") == "" {
		for len(mode) < 3 {
			mode = "0" + mode
		}
		return mode[len(mode)-3] < '4'
	}
	for clause := range strings.SplitSeq(mode, ",") {
		who, what, ok := strings.Cut(clause, "-")
		if ok && strings.Contains(what, "r") && (who == "" || strings.ContainsAny(who, "ua")) {
			return true
		}
		if who, what, ok := strings.Cut(clause, "="); ok && !strings.Contains(what, "r") && (who == "" || strings.ContainsAny(who, "ua")) {
			return true
		}
	}
	return false
}

// mounts judges what would be laid over devflow's folders.
func (k *check) mounts() {
	for _, w := range k.c.Words[1:] {
		if strings.HasPrefix(w.Text, "-") || !strings.ContainsAny(w.Text, "/~$") {
			continue
		}
		t := k.e.Target(k.c.Dir, w)
		if kind := k.e.Kind(t); kind != sight.Other && kind != sight.StartFile {
			k.deny(ruleOf(kind), "another folder would lie over "+sight.Shown(t.Path, k.e.World.Home))
		} else if held, path := k.e.Holds(t, nil); held != sight.Other && t.Path != "/" {
			k.deny(ruleOf(held), "another folder would lie over "+sight.Shown(path, k.e.World.Home))
		}
	}
}

// hookInstalled reports whether the project has a git hook of devflow.
func (k *check) hookInstalled() bool {
	return k.e.World.Project != "" && k.e.OurHook(filepath.Join(k.e.World.Project, ".git", "hooks", "pre-push"))
}

// interpreter reports whether a program runs code that it is given.
func interpreter(name string) bool {
	switch name {
	case "node", "nodejs", "bun", "deno", "perl", "ruby", "php", "lua", "rscript", "tsx", "ts-node", "pwsh", "powershell", "awk", "gawk":
		return true
	}
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ipython")
}

// code looks at the source that an interpreter is given for changes of the database and for hook programs. What it writes and
// starts otherwise has been turned into plain commands by package guard/code.
func (k *check) code() {
	source := words2text(k.c.Words[1:]) + k.stdin()
	if strings.Contains(source, "TIOCSTI") {
		k.deny(RuleApprove, "its code types into a terminal")
	}
	if k.mentionsDB(source) && !change.ReadsOnly(source) {
		if verb := change.SQL(source); verb != "" {
			k.deny(RuleDatabase, "its code says "+verb)
		}
	}
	for _, h := range sight.HookPrograms {
		if strings.Contains(source, h) && starts(source) {
			k.deny(RuleHookCall, "its code calls "+h)
			return
		}
	}
	if speaks(source) && starts(source) && (strings.Contains(source, "claude") || strings.Contains(source, "tmux")) {
		k.deny(RuleApprove, "its code speaks in place of a person")
	}
}

// starts reports whether source code starts programs.
func starts(source string) bool {
	for _, word := range [...]string{"subprocess", "os.system", "popen", "spawn", "exec", "system(", "Command", "qx", "`"} {
		if strings.Contains(source, word) {
			return true
		}
	}
	return false
}
