package shell

import (
	"path"
	"strings"
)

// maxWrappers bounds `sudo sudo sudo …`; what follows is marked Unreadable.
const maxWrappers = 32

// unwrapped is a simple command on its way to the program that really runs.
type unwrapped struct {
	words    []Word
	assign   []string
	redirs   []Redirect
	wrappers []string
	dir      Dir

	script            *string // text to be read as a script of its own; words then still hold the command as written
	sameShell         bool    // eval: the script runs in the present shell
	errexit, pipefail bool    // options given to the nested shell
	unsure, opaque    bool
}

// wrapper describes a program that runs the program named by its later arguments.
type wrapper struct {
	value    string // short options that take a value
	flags    string // short options that do not
	long     string // long options that take a value as the next word, each between spaces
	operands int    // positional arguments before the program
	assigns  bool   // NAME=value words may come before the program
	chdir    string // options whose value is a directory to run in, between spaces
}

// wrapperOf is the table of wrappers. Options are those of GNU coreutils, findutils, util-linux, sudo 1.9 and bash 5.
func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "sudo":
		return wrapper{
			value: "ughpCrtTUDR", flags: "AbBEHknNPSseilKVv", assigns: true, chdir: " -D --chdir ",
			long: " --user --group --host --prompt --close-from --role --type --command-timeout --other-user --chdir --chroot ",
		}, true
	case "doas":
		return wrapper{value: "uC", flags: "Lns"}, true
	case "env":
		return wrapper{value: "uCS", flags: "i0v", long: " --unset --chdir --split-string ", assigns: true, chdir: " -C --chdir "}, true
	case "cross-env":
		return wrapper{assigns: true}, true
	case "nohup", "builtin", "busybox", "unbuffer":
		return wrapper{}, true
	case "setsid":
		return wrapper{flags: "cfw"}, true
	case "command":
		return wrapper{flags: "p"}, true
	case "exec":
		return wrapper{value: "a", flags: "cl"}, true
	case "time":
		return wrapper{value: "fo", flags: "pvqa", long: " --format --output "}, true
	case "nice":
		return wrapper{value: "n", flags: "0123456789", long: " --adjustment "}, true
	case "ionice":
		return wrapper{value: "cnpPu", flags: "t", long: " --class --classdata "}, true
	case "stdbuf":
		return wrapper{value: "ioe", long: " --input --output --error "}, true
	case "timeout", "gtimeout":
		return wrapper{value: "ks", flags: "fpv", long: " --kill-after --signal ", operands: 1}, true
	case "xargs", "gxargs":
		return wrapper{
			value: "aEdILnPs", flags: "0eilprtxo",
			long: " --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var ",
		}, true
	case "chroot":
		return wrapper{long: " --userspec --groups ", operands: 1}, true
	case "taskset":
		return wrapper{flags: "acp", operands: 1}, true
	case "chrt":
		return wrapper{value: "TPD", flags: "abdfiorRv", operands: 1}, true
	case "flock":
		return wrapper{value: "wE", flags: "nsxuoFe", long: " --timeout --wait --conflict-exit-code ", operands: 1}, true
	case "xvfb-run":
		return wrapper{value: "nesfpw", flags: "al", long: " --server-num --server-args --error-file --auth-file --xauth-protocol --wait "}, true
	case "caffeinate":
		return wrapper{value: "tw", flags: "disum"}, true
	case "watch":
		return wrapper{value: "n", flags: "dtbexcgw", long: " --interval "}, true
	}
	return wrapper{}, false
}

// unwrap follows wrappers until the words start with the program that runs, or with something it cannot read.
func (u *unwrapped) unwrap() {
	for range maxWrappers {
		if len(u.words) == 0 || !u.words[0].Literal() {
			return
		}
		name := path.Base(u.words[0].Text)
		switch name {
		case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh":
			u.shellScript(name)
			return
		case "eval":
			if len(u.words) > 1 {
				u.takeScript(name, u.words[1:])
				u.sameShell = true
			}
			return
		case "su", "runuser":
			for i := 1; i+1 < len(u.words); i++ {
				if t := u.words[i].Text; t == "-c" || t == "--command" {
					u.takeScript(name, u.words[i+1:i+2])
				}
			}
			return
		case "command":
			if len(u.words) > 1 && (strings.HasPrefix(u.words[1].Text, "-v") || strings.HasPrefix(u.words[1].Text, "-V")) {
				return // asks where a program is; runs nothing
			}
		}
		spec, ok := wrapperOf(name)
		if !ok || !u.strip(name, spec) {
			return
		}
	}
	u.unsure = true
}

// strip removes one wrapper. It reports false if no program follows, so that the wrapper is the program.
func (u *unwrapped) strip(name string, spec wrapper) bool {
	rest, unsure, dir := u.words[1:], false, u.dir
	var assign []string
	for len(rest) > 0 {
		t := rest[0].Text
		if t == "-" && name == "env" {
			rest = rest[1:]
			continue
		}
		if len(t) < 2 || t[0] != '-' || rest[0].Dynamic {
			break
		}
		rest = rest[1:]
		if t == "--" {
			break
		}
		takes, option, value, known := spec.option(t)
		unsure = unsure || !known
		v := Word{Text: value}
		if takes {
			if len(rest) == 0 {
				break
			}
			v, rest = rest[0], rest[1:]
		}
		if name == "env" && (option == "-S" || option == "--split-string") {
			u.takeScript(name, append([]Word{v}, rest...))
			return false
		}
		if option != "" && strings.Contains(spec.chdir, " "+option+" ") {
			dir = u.dir.Join(v.Text)
			dir.Unknown = dir.Unknown || !v.Literal()
		}
	}
	for spec.assigns && len(rest) > 0 && isAssign(rest[0].Text) {
		assign = append(assign, rest[0].Text)
		rest = rest[1:]
	}
	if len(rest) < spec.operands {
		return false
	}
	rest = rest[spec.operands:]
	if name == "flock" && len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "--command") {
		u.takeScript(name, rest[1:2])
		return false
	}
	if len(rest) == 0 {
		return false
	}
	u.words, u.dir, u.unsure = rest, dir, u.unsure || unsure
	u.assign = append(u.assign, assign...)
	u.wrappers = append(u.wrappers, name)
	return true
}

// option reads one option word: whether its value is the next word, its name, an attached value, and whether it is known.
func (s wrapper) option(t string) (takes bool, name, value string, known bool) {
	if strings.HasPrefix(t, "--") {
		name, value, attached := strings.Cut(t, "=")
		if strings.Contains(s.long, " "+name+" ") {
			return !attached, name, value, true
		}
		return false, name, value, true // long options without a value are harmless: nothing is skipped for them
	}
	for i := 1; i < len(t); i++ {
		switch {
		case strings.IndexByte(s.value, t[i]) >= 0:
			return i+1 == len(t), "-" + t[i:i+1], t[i+1:], true
		case strings.IndexByte(s.flags, t[i]) < 0:
			return false, "", "", false
		}
	}
	return false, t[:2], "", true
}

// takeScript notes that the words, joined by spaces, are a script. What is known only at run time in it makes the command Opaque,
// but the text is read all the same.
func (u *unwrapped) takeScript(name string, words []Word) {
	var b strings.Builder
	for i, x := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.Text)
		u.opaque = u.opaque || x.Dynamic
	}
	text := b.String()
	u.script = &text
	u.wrappers = append(u.wrappers, name)
}

// shellScript finds the script of `bash -c script`, or of a shell that reads a here-document.
func (u *unwrapped) shellScript(name string) {
	inline := false
	i := 1
	for ; i < len(u.words); i++ {
		t := u.words[i].Text
		if len(t) < 2 || (t[0] != '-' && t[0] != '+') {
			break
		}
		if t == "--" {
			i++
			break
		}
		if strings.HasPrefix(t, "--") {
			if t == "--rcfile" || t == "--init-file" {
				i++
			}
			continue
		}
		inline = inline || t[0] == '-' && strings.IndexByte(t, 'c') > 0
		u.errexit = u.errexit || t[0] == '-' && strings.IndexByte(t, 'e') > 0
		if strings.IndexByte(t, 'o') > 0 || strings.IndexByte(t, 'O') > 0 {
			if i++; i < len(u.words) {
				u.pipefail = u.pipefail || u.words[i].Text == "pipefail"
				u.errexit = u.errexit || u.words[i].Text == "errexit"
			}
		}
	}
	switch {
	case inline && i < len(u.words):
		u.takeScript(name, u.words[i:i+1])
	case inline || i < len(u.words): // a script file, or nothing
	default:
		for _, r := range u.redirs {
			if r.Op == "<<" || r.Op == "<<-" {
				u.takeScript(name, []Word{r.Body})
			} else if r.Op == "<<<" {
				u.takeScript(name, []Word{r.Target})
			}
		}
	}
}

// isAssign reports whether t has the form NAME=value.
func isAssign(t string) bool {
	eq := strings.IndexByte(t, '=')
	if eq <= 0 {
		return false
	}
	for i := range eq {
		c := t[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
