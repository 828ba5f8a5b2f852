package profiler

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Class is what a shell command line does to the world, as far as risk goes.
type Class string

// The classes in rising order of impact.
const (
	ReadOnly    Class = "read"
	BuildTest   Class = "build"
	Other       Class = "other"
	Dependency  Class = "dependency"
	History     Class = "history"
	Deploy      Class = "deploy"
	Destructive Class = "destructive"
)

// impact of running it, per mille.
func (c Class) impact() int64 {
	switch c {
	case ReadOnly:
		return 50
	case BuildTest, "test":
		return 100
	case Dependency:
		return 600
	case History:
		return 800
	case Deploy:
		return 900
	case Destructive:
		return 1000
	case "":
		return 0
	}
	return 300
}

// Heavier is the class with the greater impact.
func Heavier(a, b Class) Class {
	if b.impact() > a.impact() {
		return b
	}
	return a
}

// Mutates reports whether a command of this class may change files of the project.
func (c Class) Mutates() bool { return c != ReadOnly && c != BuildTest && c != "" }

// Classify is the class of a whole command line: that of its heaviest command. readable is false when a part could not be
// read; such a line is at least Other.
func Classify(s shell.Script, readable bool) Class {
	c := ReadOnly
	if !readable || len(s.Commands) == 0 {
		c = Other
	}
	for i := range s.Commands {
		c = Heavier(c, command(&s.Commands[i]))
	}
	for _, r := range s.Redirs {
		if r.Writes() {
			c = Heavier(c, Other)
		}
	}
	return c
}

func command(c *shell.Command) Class {
	if c.Unreadable || c.Opaque {
		return Other
	}
	args := c.Args
	if c.Name == "git" {
		args = afterGlobals(args)
	}
	for _, rule := range rules {
		if slices.Contains(strings.Fields(rule.names), c.Name) && rule.matches(args) {
			return rule.class
		}
	}
	switch {
	case c.Name == "" || slices.Contains(strings.Fields(reading), c.Name):
		return ReadOnly
	case slices.Contains(strings.Fields(building), c.Name):
		return BuildTest
	case c.Name == "rm" && deletesTree(args):
		return Destructive
	case c.Name == "find":
		return findClass(args)
	case strings.HasPrefix(c.Name, "mkfs"):
		return Destructive
	case c.Name == "dd" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "of=/dev/") }):
		return Destructive
	case (c.Name == "sed" || c.Name == "perl") && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place") }) && c.Name == "sed":
		return ReadOnly
	}
	return Other
}

// afterGlobals drops git's own options before its command.
func afterGlobals(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		switch args[0] {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path":
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// rule matches a program by name and its first words; the first rule that matches decides.
type rule struct {
	class Class
	names string   // programs, separated by blanks
	words []string // alternatives: each is a list of words that must all occur, the first one as the first word that is no option
}

func (r rule) matches(args []string) bool {
	first := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			first = a
			break
		}
	}
	for _, alternative := range r.words {
		want := strings.Fields(alternative)
		if want[0] != "*" && want[0] != first {
			continue
		}
		if !slices.ContainsFunc(want[1:], func(w string) bool { return !has(args, w) }) {
			return true
		}
	}
	return false
}

// has reports whether a word, or a one-letter option within a bundle (-fdx), is among the arguments.
func has(args []string, word string) bool {
	for _, a := range args {
		if a == word {
			return true
		}
		if len(word) == 2 && word[0] == '-' && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.ContainsRune(a[1:], rune(word[1])) {
			return true
		}
	}
	return false
}

// rules are in order: the specific ones first.
var rules = [...]rule{
	{Destructive, "git", []string{"clean -f", "clean --force", "reset --hard", "checkout .", "checkout --", "restore .", "stash drop", "stash clear", "branch -D", "filter-branch", "filter-repo", "push --force", "push -f", "push --mirror", "reflog expire"}},
	{Destructive, "terraform tofu pulumi", []string{"destroy"}},
	{Destructive, "kubectl oc", []string{"delete"}},
	{Destructive, "helm", []string{"uninstall", "delete"}},
	{Destructive, "docker podman", []string{"system prune", "volume rm", "volume prune"}},
	{Destructive, "aws gsutil", []string{"s3 rm --recursive", "rm -r"}},
	{Destructive, "dropdb shred wipefs", []string{"*"}},
	{Destructive, "chmod chown", []string{"* -R"}},
	{Deploy, "git", []string{"push"}},
	{Deploy, "npm pnpm yarn bun cargo poetry uv flutter dart gem vsce", []string{"publish", "push", "pub publish"}},
	{Deploy, "docker podman", []string{"push"}},
	{Deploy, "kubectl oc", []string{"apply", "rollout", "replace", "scale"}},
	{Deploy, "terraform tofu pulumi", []string{"apply", "up"}},
	{Deploy, "helm", []string{"install", "upgrade", "rollback"}},
	{Deploy, "gh", []string{"release create", "pr merge", "workflow run"}},
	{Deploy, "twine", []string{"upload"}},
	{Deploy, "fly flyctl vercel netlify serverless sls firebase wrangler heroku cap ansible-playbook kamal", []string{"*"}},
	{History, "git", []string{"rebase", "commit --amend", "reset", "cherry-pick --abort"}},
	{Dependency, "npm pnpm yarn bun", []string{"install", "i", "add", "remove", "uninstall", "update", "upgrade", "ci"}},
	{Dependency, "pip pip3 uv poetry pdm pipenv conda gem bundle composer brew apt apt-get dnf apk cargo flutter dart", []string{"install", "add", "remove", "uninstall", "update", "upgrade", "require", "sync", "pub add", "pip install"}},
	{Dependency, "go", []string{"get", "mod tidy", "mod edit", "install"}},
	{BuildTest, "go", []string{"build", "test", "vet", "version", "env", "list", "doc"}},
	{BuildTest, "cargo", []string{"build", "test", "check", "clippy", "nextest", "bench", "doc"}},
	{BuildTest, "npm pnpm yarn bun", []string{"test", "t", "run test", "run build", "run lint", "run typecheck", "run check", "build", "lint"}},
	{BuildTest, "python python3", []string{"pytest -m", "unittest -m", "mypy -m", "compileall -m"}},
	{BuildTest, "node", []string{"* --test", "* --check"}},
	{BuildTest, "dotnet swift flutter dart sbt bazel mix", []string{"build", "test", "analyze", "compile"}},
	{ReadOnly, "git", []string{"status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "cat-file", "blame", "shortlog", "describe", "grep", "remote", "branch", "fetch"}},
	{ReadOnly, "docker podman kubectl helm", []string{"ps", "logs", "images", "inspect", "get", "describe", "list", "version"}},
	{ReadOnly, "python python3 node ruby java rustc gcc npm pip", []string{"* --version", "* -V"}},
	{ReadOnly, "npm pip pip3", []string{"ls", "list", "view", "show", "outdated"}},
}

// reading programs change nothing by themselves; redirections are looked at apart.
const reading = "ls cat head tail grep egrep fgrep rg ag pwd echo printf wc stat file which type command env printenv date jq yq sort uniq cut tr awk " +
	"tree du df ps id whoami hostname uname true false test [ [[ cd sleep diff cmp basename dirname realpath readlink nl less more column comm seq expr " +
	"sha256sum sha1sum md5sum xxd od strings export set unset alias local read return exit wait : let declare pushd popd"

// building programs build, check or test and write only what they make.
const building = "make gmake ninja pytest py.test jest vitest mocha ava rspec phpunit pest tox nox ctest mvn mvnw gradle gradlew tsc eslint ruff mypy pyright " +
	"flake8 pylint golangci-lint staticcheck shellcheck javac rubocop"

// deletesTree reports whether rm deletes recursively something else than what a build or a run leaves behind.
func deletesTree(args []string) bool {
	if !has(args, "-r") && !has(args, "-R") && !slices.Contains(args, "--recursive") {
		return false
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if !leftover(a) {
			return true
		}
	}
	return false
}

// leftover names paths that a build, a test run or a tool makes anew.
func leftover(p string) bool {
	clean := path.Clean(p)
	if strings.HasPrefix(clean, "/tmp/") || strings.HasPrefix(clean, "/var/tmp/") {
		return !strings.ContainsAny(clean, "*?[")
	}
	if path.IsAbs(clean) || strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "~") || strings.Contains(clean, "$") {
		return false
	}
	switch path.Base(clean) {
	case "build", "dist", "out", "target", "node_modules", "coverage", "htmlcov", "__pycache__", ".venv", "venv", ".pytest_cache", ".mypy_cache",
		".ruff_cache", ".cache", ".next", ".nuxt", ".gradle", ".dart_tool", ".tox", ".parcel-cache", "tmp", ".tmp":
		return true
	}
	return strings.HasSuffix(clean, ".egg-info")
}

// findClass looks at what find does with what it finds. A command that it executes is in the script by itself.
func findClass(args []string) Class {
	if slices.Contains(args, "-delete") {
		return Destructive
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-fprint") || a == "-fls" {
			return Other
		}
	}
	return ReadOnly
}
