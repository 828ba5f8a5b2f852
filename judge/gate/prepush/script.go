package prepush

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"
)

const (
	hookName    = "pre-push"
	chainedName = "pre-push.devflow-chained"
	chainedDir  = "devflow-chained" // holds a link named pre-push to the chained hook, for hooks that look at their name

	// mark is in every script of ours, in the second line; call in every line that runs the gate.
	mark = "# devflow:pre-push"
	call = " gate pre-push "

	// exeLine begins the line of our script that names the executable.
	exeLine = "devflow="
)

// head reads standard input, which the chained hook and the gate both need. The dot keeps line ends at its end.
const head = `#!/bin/sh
` + mark + ` - written by devflow, changes are lost
case $0 in */*) hooks=${0%/*} ;; *) hooks=. ;; esac
refs=$(cat && printf .) || exit 1
refs=${refs%.}
feed() { printf %s "$refs" 2>/dev/null; }
`

// guard keeps a chained hook from running again when it is what runs us, as a pre-commit that was installed twice does.
const (
	guardOpen  = "if [ -x \"$hooks/" + chainedName + "\" ] && [ -z \"${DEVFLOW_PRE_PUSH-}\" ]; then\n\texport DEVFLOW_PRE_PUSH=1\n\tfeed | "
	guardClose = " \"$@\" || exit $?\nfi\n"
)

// foot runs the gate. 126 and 127 are a shell's words for a program that cannot be started.
const foot = `status=127
if [ -x "$devflow" ]; then
	feed | "$devflow" gate pre-push "$@"
	status=$?
fi
case $status in
126 | 127)
	echo "devflow: $devflow cannot be run, this push was not checked" >&2
	exit 0
	;;
esac
exit $status
`

// script is our hook. chained is the content of the hook that it runs first; nil = none.
func script(exe string, chained []byte) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	b.WriteString(exeLine + quote(exe) + "\n")
	if chained != nil {
		b.WriteString(guardOpen + runChained(chained) + guardClose)
	}
	b.WriteString(foot)
	return b.Bytes()
}

// runChained is how the chained hook is started. Its name is another one now. A shell script that asks for its own name
// is therefore read by a shell that has the old one; husky's hooks find the user's script by it. Other programs that ask
// are started by a link of the old name.
func runChained(text []byte) string {
	shell, isShell := shellOf(text)
	asks := bytes.Contains(text, []byte("$0")) || bytes.Contains(text, []byte("${0"))
	switch {
	case isShell && asks && !bytes.Contains(text, []byte("BASH_SOURCE")): // who compares the two would take itself for included
		return shell + ` -c '. "$0.devflow-chained"' "$hooks/` + hookName + `"`
	case !isShell && (bytes.Contains(text, []byte("basename")) || bytes.Contains(text, []byte("PROGRAM_NAME")) || bytes.Contains(text, []byte("argv[0]"))):
		return `"$hooks/` + chainedDir + `/` + hookName + `"`
	}
	return `"$hooks/` + chainedName + `"`
}

// shellOf gives the quoted words that start the interpreter of a shell script.
func shellOf(text []byte) (words string, ok bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	bang, found := strings.CutPrefix(string(line), "#!")
	if !found {
		return "", false
	}
	program, arg, _ := strings.Cut(strings.TrimLeft(bang, " \t"), " ")
	arg = strings.TrimSpace(arg)
	list := []string{program}
	name := program
	switch {
	case path.Base(program) == "env" && strings.HasPrefix(arg, "-S "):
		list = append(list, strings.Fields(arg[len("-S "):])...)
		if len(list) == 1 {
			return "", false
		}
		name = list[1]
	case path.Base(program) == "env":
		list = append(list, arg) // the kernel gives all of it as one word
		name = arg
	case arg != "":
		list = append(list, arg)
	}
	switch path.Base(name) {
	case "sh", "bash", "dash", "ash", "ksh", "mksh":
	default: // zsh sets $0 anew
		return "", false
	}
	for i := range list {
		list[i] = quote(list[i])
	}
	return strings.Join(list, " "), true
}

// ours tells whether a script was written by this package.
func ours(text []byte) bool {
	lines := bytes.SplitN(text, []byte("\n"), 3)
	return len(lines) > 1 && bytes.HasPrefix(lines[1], []byte(mark))
}

// runsGate tells whether a hook of somebody else has a line that runs the gate.
func runsGate(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte("#")) && bytes.Contains(line, []byte(call)) && bytes.Contains(line, []byte("devflow")) {
			return true
		}
	}
	return false
}

// exeOf reads the executable from a script of ours.
func exeOf(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if word, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), exeLine+"'"); ok && strings.HasSuffix(word, "'") {
			return strings.ReplaceAll(word[:len(word)-1], `'\''`, "'")
		}
	}
	return ""
}

// quote writes a word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// other is the owner of a hook that nobody is known for.
const other = "another hook"

// owners are words in hooks by which tools that manage hooks are known; the first that is found counts.
var owners = [...]struct{ word, name string }{
	{"lefthook", "lefthook"}, {"LEFTHOOK", "lefthook"}, {"pre-commit", "pre-commit"}, {"husky", "husky"}, {"overcommit", "overcommit"},
	{"simple-git-hooks", "simple-git-hooks"}, {"SIMPLE_GIT_HOOKS", "simple-git-hooks"}, {"yorkie", "yorkie"}, {"captainhook", "captainhook"}, {"git lfs", "git-lfs"}, {"git-lfs", "git-lfs"},
}

// owner names the tool to which a hook belongs.
func owner(hook string, text []byte) string {
	if strings.Contains(filepath.ToSlash(hook), "/.husky/") {
		return "husky"
	}
	for _, o := range owners {
		if bytes.Contains(text, []byte(o.word)) {
			return o.name
		}
	}
	return other
}
