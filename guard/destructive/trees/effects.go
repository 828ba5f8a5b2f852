package trees

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Effects lists what the command does to paths, its redirections included, as far as it matters.
func Effects(k *rule.Call) []rule.Effect {
	return soften(k, redirects(k, program(k)))
}

// Redirects lists what its redirections alone do.
func Redirects(k *rule.Call) []rule.Effect {
	return soften(k, redirects(k, nil))
}

// soften drops what honest work does all the time.
func soften(k *rule.Call, list []rule.Effect) []rule.Effect {
	kept := list[:0]
	for _, e := range list {
		if e = softer(k, e); e.Op&^rule.Marks != 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

// program lists what the program itself does.
func program(k *rule.Call) []rule.Effect {
	switch k.Name {
	case "rm", "grm", "unlink", "shred", "gshred", "srm", "wipe", "rimraf", "del-cli", "erase-folder":
		return deletion(k)
	case "find", "gfind":
		return find(k, k.Words, false)
	case "fd", "fdfind":
		return fd(k, k.Words, false)
	case "rsync":
		return rsync(k)
	case "truncate", "gtruncate":
		o := rule.Parse(k.Words, "sr", " --size --reference ")
		if v, ok := o.Get("s", "--size"); ok && strings.HasPrefix(v.Text, "+") {
			return nil
		}
		return k.Each(rule.Empty, o.Operands)
	case "dd":
		return dd(k)
	case "mv", "gmv":
		return move(k)
	case "cp", "gcp", "install", "ginstall", "ln", "gln":
		return copies(k)
	case "tee", "gtee", "sponge":
		o := rule.Parse(k.Words, "", "")
		if o.Has("a", "--append") {
			return k.Each(rule.Add, o.Operands)
		}
		return k.Each(rule.Empty, o.Operands)
	case "sed", "gsed", "perl":
		return inPlace(k)
	case "tar", "gtar", "bsdtar", "unzip", "7z", "zip":
		return archive(k)
	case "curl", "wget", "sort":
		return outputs(k)
	case "chmod", "gchmod", "chown", "gchown", "chgrp", "setfacl", "chattr", "icacls", "chflags":
		return modes(k)
	}
	return nil
}

// deletion reads rm and its relatives.
func deletion(k *rule.Call) []rule.Effect {
	o := rule.Parse(k.Words, map[bool]string{true: "ns", false: ""}[strings.HasSuffix(k.Name, "shred")], " --iterations --size --random-source --glob ")
	what := rule.DropFile
	switch k.Name {
	case "rm", "grm", "srm":
		if o.Has("r", "R", "--recursive") {
			what = rule.DropTree
		}
	case "unlink":
	default:
		what = rule.DropTree
	}
	operands := o.Operands
	if fed(k) && (len(operands) == 0 || hasBraces(operands)) {
		return append(k.Each(what, without(operands)), fedTo(k, what)...)
	}
	if k.Cmd.Wrapped("find") || k.Cmd.Wrapped("gfind") || k.Cmd.Wrapped("fd") || k.Cmd.Wrapped("fdfind") {
		operands = without(operands) // the search is a command of its own and tells where it starts
	}
	return k.Each(what, operands)
}

// fed reports whether arguments come from the standard input.
func fed(k *rule.Call) bool {
	return k.Cmd.Wrapped("xargs") || k.Cmd.Wrapped("gxargs") || k.Cmd.Wrapped("parallel")
}

func hasBraces(words []shell.Word) bool { return len(without(words)) < len(words) }

// without drops the words in which a path is put later.
func without(words []shell.Word) []shell.Word {
	var kept []shell.Word
	for _, x := range words {
		if !strings.Contains(x.Text, "{}") && x.Text != "{/}" && x.Text != "{.}" && x.Text != "%" {
			kept = append(kept, x)
		}
	}
	return kept
}

// fedTo finds out which paths a deletion gets from the commands before it in the pipe.
func fedTo(k *rule.Call, what rule.Op) []rule.Effect {
	var list []rule.Effect
	for _, i := range k.Cmd.Stdin.From {
		if i < 0 || i >= len(k.Script.Commands) {
			continue
		}
		from := rule.New(k.Script, &k.Script.Commands[i], k.World)
		switch from.Name {
		case "find", "gfind":
			return append(list, find(from, from.Words, true)...)
		case "fd", "fdfind":
			return append(list, fd(from, from.Words, true)...)
		case "tail", "head", "sort", "uniq", "grep":
			if fed := from.Cmd.Stdin.From; len(fed) == 1 && fed[0] >= 0 && fed[0] < i {
				ls := rule.New(k.Script, &k.Script.Commands[fed[0]], k.World)
				if o := rule.Parse(ls.Words, "", ""); ls.Name == "ls" && len(o.Operands) > 0 && !o.Has("R", "--recursive") {
					return append(list, ls.Each(what, o.Operands)...)
				}
			}
		case "ls", "echo", "printf":
			if o := rule.Parse(from.Words, "", ""); len(o.Operands) > 0 && !o.Has("R", "--recursive") {
				return append(list, from.Each(what, o.Operands)...)
			}
		}
	}
	return []rule.Effect{{Op: rule.DropTree, Target: place.Target{Raw: "what the pipe delivers", Dynamic: true}}}
}

// softer is the effect without what honest work does all the time.
func softer(k *rule.Call, e rule.Effect) rule.Effect {
	t := &e.Target
	base := path.Base(t.Path)
	switch {
	case t.Zone == place.GitDir && e.Op&(rule.DropTree|rule.DropFile) != 0 && (strings.HasSuffix(t.Path, "/.git/rebase-merge") || strings.HasSuffix(t.Path, "/.git/rebase-apply")):
		e.Op = 0 // what git itself advises after a rebase that stopped half-way
	case t.Zone == place.GitDir && e.Op&rule.DropFile != 0 && (strings.HasSuffix(t.Path, ".lock") || strings.Contains(t.Path, "/.git/hooks/")):
		e.Op &^= rule.DropFile
	case t.Zone == place.GitDir && e.Op&rule.Empty != 0 && (strings.Contains(t.Path, "/.git/info/") || strings.HasSuffix(t.Path, "_MSG") || strings.Contains(t.Path, "/.git/hooks/")):
		e.Op &^= rule.Empty
	case t.Zone == place.Keys && (base == "known_hosts" || strings.HasSuffix(base, ".pub")):
		e.Op &^= rule.Empty | rule.Add
	case t.Zone == place.Keys && (base == ".npmrc" || base == "config" || base == ".pypirc" || base == ".netrc"):
		e.Op &^= rule.Add
	case t.Zone == place.System && e.Op&rule.Empty != 0 && !critical(t.Path):
		e.Op &^= rule.Empty
	case t.Zone == place.Project && e.Op&rule.DropTree != 0 && !t.Dynamic && fileLike(base):
		e.Op = e.Op&^rule.DropTree | rule.DropFile
	case t.Zone == place.Project && e.Op&rule.DropFile != 0 && t.Glob && strings.Trim(base, "*?.") == "":
		e.Op |= rule.DropTree // rm src/* takes all of it
	case t.Zone == place.Project && e.Op&(rule.DropTree|rule.Remote) == rule.DropTree && k.Kept(*t), e.Op&(rule.DropTree|rule.Remote|rule.Unset) == rule.DropTree && k.Made(*t):
		e.Op = 0
	case t.Zone == place.Keys && e.Op&(rule.Empty|rule.Add) != 0 && k.Cmd.Name == "touch":
		e.Op = 0
	}
	return e
}

// critical recognises files without which a machine does not start or nobody can log in.
func critical(p string) bool {
	for _, d := range [...]string{"/bin/", "/sbin/", "/boot/", "/lib/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/sys/firmware/", "/sys/power/", "/proc/sys/kernel/", "/System/"} {
		if strings.HasPrefix(p, d) {
			return true
		}
	}
	switch p {
	case "/etc/fstab", "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/pam.conf", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/profile", "/etc/crontab", "/etc/inittab",
		"/proc/sysrq-trigger", "/proc/kcore", "/etc", "/usr", "/boot", "/bin", "/lib":
		return true
	}
	return strings.HasPrefix(p, "/etc/pam.d/") || strings.HasPrefix(p, "/etc/init.d/")
}

// fileLike recognises names that are of a file and not of a folder.
func fileLike(base string) bool {
	switch path.Ext(base) {
	case ".log", ".txt", ".o", ".a", ".so", ".pyc", ".class", ".tmp", ".bak", ".orig", ".rej", ".swp", ".md", ".json", ".png", ".jpg", ".svg", ".csv", ".tar", ".gz", ".tgz", ".zip", ".html",
		".css", ".js", ".ts", ".tsx", ".jsx", ".go", ".py", ".rs", ".java", ".c", ".h", ".cpp", ".rb", ".sh", ".lock", ".out", ".pid", ".xml", ".yml", ".yaml", ".toml", ".whl", ".jar", ".map", ".exe", ".dll", ".img", ".iso":
		return true
	}
	return false
}

// redirects adds what the redirections write. Those of a program in a container are opened out here.
func redirects(k *rule.Call, list []rule.Effect) []rule.Effect {
	for _, r := range k.Cmd.Redirs {
		if !r.Writes() {
			continue
		}
		what := rule.Empty
		if strings.Contains(r.Op, ">>") || r.Op == "<>" {
			what = rule.Add
		}
		c := *k.Cmd
		c.Dir, c.Remote = r.Dir, k.Cmd.Remote && k.Cmd.Place&shell.InNested != 0
		at := rule.New(k.Script, &c, k.World)
		list = append(list, at.Effects(what, r.Target)...)
	}
	return list
}
